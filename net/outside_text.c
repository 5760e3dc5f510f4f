/*
 * outside_text.c - texts that were named; see outside.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/outside.h"

enum { BLOCK = 1 << 16 };

struct text {
    char *bytes;
    size_t size, room;
};

/* Room for one more block, and a zero. */
static bool make_room(struct text *t)
{
    size_t room = t->room ? 2 * t->room : 2 * BLOCK;
    char *wider;

    if (t->room - t->size > BLOCK)
        return true;
    wider = realloc(t->bytes, room);
    if (!wider)
        return false;
    t->bytes = wider;
    t->room = room;
    return true;
}

/* The error of the block that came last: an errno, or 0. */
static int judge(const struct text *t, size_t got, size_t most)
{
    if (memchr(t->bytes + t->size - got, '\0', got))
        return EILSEQ;
    return t->size > most ? EFBIG : 0;
}

/* Says what this errno means, and sets it. */
static void complain(int number, size_t most, struct net_why *why)
{
    errno = number;
    if (number == EILSEQ)
        (void)net_fail(why, "it is not a text: it has a zero byte");
    else if (number == EFBIG)
        (void)net_fail(why, "it has more than %zu bytes, the most", most);
    else if (number != ECANCELED)
        (void)net_fail(why, "%s", strerror(number));
}

char *outside_text_from(FILE *file, size_t most, outside_begins *begins,
                        void *whom, size_t *size, struct net_why *why)
{
    struct text t = {0};
    size_t got = BLOCK;
    int number = 0;

    while (number == 0 && got == BLOCK) {
        if (!make_room(&t)) {
            number = ENOMEM;
            break;
        }
        got = fread(t.bytes + t.size, 1, BLOCK, file);
        t.size += got;
        number = ferror(file) ? errno : judge(&t, got, most);
        if (number == 0 && begins && t.size == BLOCK &&
            !begins(whom, t.bytes, t.size))
            number = ECANCELED;
    }
    if (number) {
        free(t.bytes);
        complain(number, most, why);
        return NULL;
    }
    t.bytes[t.size] = '\0';
    *size = t.size;
    return t.bytes;
}

char *outside_text(const char *path, size_t most, size_t *size,
                   struct net_why *why)
{
    FILE *file = fopen(path, "re");
    char *text;
    int number;

    if (!file) {
        complain(errno, most, why);
        return NULL;
    }
    text = outside_text_from(file, most, NULL, NULL, size, why);
    number = errno;
    (void)fclose(file);
    errno = number;
    return text;
}
