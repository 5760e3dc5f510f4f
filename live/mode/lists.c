/*
 * lists.c - see lists.h.
 */
#include "live/mode/lists.h"

#include <string.h>

#include "core/wire.h"

const struct live_roster *live_lists_find(const struct live_lists *lists,
                                          uint64_t hash)
{
    for (size_t i = 0; hash && i < LIVE_LISTS_KNOWN; i++)
        if (lists->known[i].hash == hash)
            return &lists->known[i];
    return NULL;
}

static bool is_needed(uint64_t hash, const uint64_t *needed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (needed[i] == hash)
            return true;
    return false;
}

void live_lists_keep(struct live_lists *lists, const struct live_roster *roster,
                     const uint64_t *needed, size_t count)
{
    size_t i = 0;

    if (live_lists_find(lists, roster->hash))
        return;
    while (i < LIVE_LISTS_KNOWN - 1 && lists->known[i].hash &&
           is_needed(lists->known[i].hash, needed, count))
        i++;
    lists->known[i] = *roster;
}

/* ---- Messages ------------------------------------------------------------ */

bool live_lists_is_message(struct live_unread message)
{
    return message.size >= LIVE_LISTS_HEAD &&
           (message.bytes[0] == LIVE_LISTS_ASK ||
            message.bytes[0] == LIVE_LISTS_PART);
}

uint64_t live_lists_asked(struct live_unread message)
{
    return message.bytes[0] == LIVE_LISTS_ASK ? fc_get64(message.bytes + 4) : 0;
}

static void put_head(uint8_t *message, uint8_t kind, uint64_t hash)
{
    memset(message, 0, LIVE_LISTS_HEAD);
    message[0] = kind;
    fc_put64(message + 4, hash);
}

size_t live_lists_ask(uint64_t hash, uint8_t message[LIVE_LISTS_MESSAGE])
{
    put_head(message, LIVE_LISTS_ASK, hash);
    return LIVE_LISTS_HEAD;
}

static uint32_t parts_of(uint32_t size)
{
    return (size + LIVE_LISTS_BYTES - 1) / LIVE_LISTS_BYTES;
}

size_t live_lists_part(const struct live_roster *roster, uint32_t which,
                       uint8_t message[LIVE_LISTS_MESSAGE])
{
    uint32_t at = which * LIVE_LISTS_BYTES, size;

    if (which >= parts_of(roster->size))
        return 0;
    size = roster->size - at < LIVE_LISTS_BYTES ? roster->size - at
                                                : LIVE_LISTS_BYTES;
    put_head(message, LIVE_LISTS_PART, roster->hash);
    message[1] = (uint8_t)which;
    message[2] = (uint8_t)parts_of(roster->size);
    memcpy(message + LIVE_LISTS_HEAD, roster->bytes + at, size);
    return LIVE_LISTS_HEAD + size;
}

/* ---- Gathering ----------------------------------------------------------- */

/* All parts but the last one are full. */
static bool is_part(struct live_unread message)
{
    size_t size = message.size - LIVE_LISTS_HEAD;
    uint32_t which = message.bytes[1], parts = message.bytes[2];

    return message.bytes[0] == LIVE_LISTS_PART && parts <= LIVE_LISTS_PARTS &&
           which < parts && size > 0 && size <= LIVE_LISTS_BYTES &&
           (which + 1 == parts || size == LIVE_LISTS_BYTES);
}

bool live_lists_gather(struct live_lists *lists, struct live_unread message,
                       struct live_roster *whole)
{
    struct live_gathering *g = &lists->gathers;
    uint64_t hash = fc_get64(message.bytes + 4);
    uint32_t which = message.bytes[1], parts = message.bytes[2];
    size_t size = message.size - LIVE_LISTS_HEAD;

    if (!is_part(message))
        return false;
    if (g->hash != hash || g->parts != parts)
        *g = (struct live_gathering){.hash = hash, .parts = parts};
    memcpy(g->bytes + which * LIVE_LISTS_BYTES, message.bytes + LIVE_LISTS_HEAD,
           size);
    g->got |= (uint8_t)(1u << which);
    if (which + 1 == parts)
        g->size = (uint32_t)(which * LIVE_LISTS_BYTES + size);
    if (g->got != (1u << parts) - 1)
        return false;
    g->hash = 0;
    return live_roster_read(whole, g->bytes, g->size) && whole->hash == hash;
}
