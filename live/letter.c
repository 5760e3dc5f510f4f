/*
 * letter.c - see letter.h.
 */
#include "live/letter.h"

#include <string.h>

/* Printable, and ends within its place. */
static bool is_lock_name(const char name[LIVE_LOCK_NAME_PLACE])
{
    size_t size = strnlen(name, LIVE_LOCK_NAME_PLACE);

    if (size == 0 || size > LIVE_LOCK_NAME_MAX)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((uint8_t)name[i] < ' ' || name[i] == 0x7f)
            return false;
    return true;
}

bool live_letter_of_client(const struct live_letter *letter, size_t size)
{
    if (size != sizeof *letter || letter->version != LIVE_LETTER_VERSION)
        return false;
    switch (letter->kind) {
    case LIVE_ASK:
        return letter->shared <= 1 && is_lock_name(letter->name);
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
