/*
 * letter.c - see letter.h.
 */
#include "live/client/letter.h"

#include <string.h>
#include <sys/stat.h>

/* How many bytes the character of UTF-8 takes that begins here: 0 if there is
 * none, a longer form than need be, half of a pair, or a control character. */
static size_t character(const uint8_t *at)
{
    uint32_t code = at[0];
    size_t size = code < 0x80 ? 1 : code < 0xe0 ? 2 : code < 0xf0 ? 3 : 4;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (size == 1)
        return code >= ' ' && code != 0x7f;
    if (code < 0xc0 || code > 0xf4)
        return 0;
    code &= 0x7fu >> size;
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) /* the end, too */
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    if (code < least[size] || code < 0xa0 || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
        return 0;
    return size;
}

bool live_lock_name_is_good(const char *name)
{
    size_t size = strnlen(name, LIVE_LOCK_NAME_PLACE), next;

    if (size == 0 || size > LIVE_LOCK_NAME_MAX)
        return false;
    for (size_t at = 0; at < size; at += next) {
        next = character((const uint8_t *)name + at);
        if (next == 0)
            return false;
    }
    return true;
}

bool live_letter_of_client(const struct live_letter *letter, size_t size)
{
    if (size != sizeof *letter || letter->version != LIVE_LETTER_VERSION)
        return false;
    switch (letter->kind) {
    case LIVE_ASK:
        return letter->shared <= 1 && live_lock_name_is_good(letter->name);
    case LIVE_RELEASE:
    case LIVE_STATUS:
        return true;
    default:
        return false;
    }
}

bool live_letter_of_daemon(struct live_letter *letter, size_t size)
{
    if (size != sizeof *letter || letter->version != LIVE_LETTER_VERSION)
        return false;
    letter->name[sizeof letter->name - 1] = '\0';
    letter->reason[sizeof letter->reason - 1] = '\0';
    return true;
}

/* 0: there is no such file. */
static uint64_t inode_of(const char *path)
{
    struct stat found;

    return stat(path, &found) ? 0 : (uint64_t)found.st_ino;
}

uint64_t live_time_namespace(void)
{
    uint64_t own = inode_of("/proc/self/ns/time");

    return own == inode_of("/proc/self/ns/time_for_children") ? own
                                                              : UINT64_MAX;
}
