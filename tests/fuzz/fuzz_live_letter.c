/*
 * fuzz_live_letter.c - any bytes as a letter of a local client, and as one of a
 * daemon: what is taken has a name that can be printed, and texts that end.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "live/common/letter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

/* Said in another way than where it is decided. */
static void look_at_name(const char *name)
{
    size_t count = 0;
    mbstate_t state = {0};
    const char *rest = name;

    must(setlocale(LC_CTYPE, "C.UTF-8") == NULL ||
         mbsrtowcs(NULL, &rest, 0, &state) != (size_t)-1);

    for (; name[count]; count++) {
        must(count < LIVE_LOCK_NAME_MAX);
        must((name[count] >= 0x20 && name[count] < 0x7f) || name[count] < 0);
    }
    must(count > 0);
}

static void from_client(const struct live_letter *letter, size_t size)
{
    if (!live_letter_of_client(letter, size))
        return;
    must(size == sizeof *letter);
    must(letter->version == LIVE_LETTER_VERSION);
    must(letter->kind > 0 && letter->kind < LIVE_LETTERS_IN);
    if (letter->kind == LIVE_ASK) {
        must(letter->shared == 0 || letter->shared == 1);
        look_at_name(letter->name);
    }
}

static void from_daemon(struct live_letter *letter, size_t size)
{
    if (!live_letter_of_daemon(letter, size))
        return;
    must(size == sizeof *letter);
    must(memchr(letter->name, 0, sizeof letter->name) != NULL);
    must(memchr(letter->reason, 0, sizeof letter->reason) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct live_letter *letter = calloc(1, sizeof *letter);

    must(letter != NULL);
    memcpy(letter, data, size < sizeof *letter ? size : sizeof *letter);
    from_client(letter, size);
    from_daemon(letter, size);
    free(letter);
    return 0;
}
