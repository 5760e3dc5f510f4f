/*
 * lists.h - the rosters that a node has: of its own configuration, and of those
 * that others have shown it (R1).
 *
 * A message that has a configuration names its roster by the hash.  A node that
 * does not have that asks for it and does not take the message, as if it had
 * been lost: what matters is sent again.  A roster travels in parts, as
 * messages of their own among those of the protocol.
 *
 *     ask    kind 1, zero 3, hash 8
 *     part   kind 1, which 1, of how many 1, zero 1, hash 8, bytes
 */
#ifndef LIVE_LISTS_H
#define LIVE_LISTS_H

#include "live/config/roster.h"
#include "live/wire/parcel.h"

enum {
    LIVE_LISTS_ASK = 0x21, /* no kinds of the protocol */
    LIVE_LISTS_PART = 0x22,
    LIVE_LISTS_HEAD = 12,
    LIVE_LISTS_BYTES = 1000, /* of a roster, in one part */
    LIVE_LISTS_PARTS = 3,
    LIVE_LISTS_MESSAGE = LIVE_LISTS_HEAD + LIVE_LISTS_BYTES,
    LIVE_LISTS_KNOWN = 8, /* at a time */
};
_Static_assert(LIVE_LISTS_PARTS *LIVE_LISTS_BYTES >= LIVE_ROSTER_MAX,
               "a roster fits in its parts");

/* All zero bytes: it has none. */
struct live_lists {
    struct live_roster known[LIVE_LISTS_KNOWN];
    struct live_gathering {
        uint64_t hash; /* 0: nothing is being gathered */
        uint32_t parts, size;
        uint8_t got; /* a bit for each part */
        uint8_t bytes[LIVE_LISTS_PARTS * LIVE_LISTS_BYTES];
    } gathers;
};

/* NULL: it does not have it. */
const struct live_roster *live_lists_find(const struct live_lists *lists,
                                          uint64_t hash);

/* Keeps one, in the place of another that is not among the needed ones, which
 * are fewer than there is room for. */
void live_lists_keep(struct live_lists *lists, const struct live_roster *roster,
                     const uint64_t *needed, size_t count);

/* Whether a message is about rosters, and not one of the protocol. */
bool live_lists_is_message(struct live_unread message);

/* The hash that a message asks for; 0: it asks for none. */
uint64_t live_lists_asked(struct live_unread message);

/* Makes a message that asks for a roster, and one with a part of it: the size,
 * or 0 if there are no more parts. */
size_t live_lists_ask(uint64_t hash, uint8_t message[LIVE_LISTS_MESSAGE]);
size_t live_lists_part(const struct live_roster *roster, uint32_t which,
                       uint8_t message[LIVE_LISTS_MESSAGE]);

/* Takes a part.  True: the roster is whole now, and is the one that was named.
 * What was gathered of another one before is forgotten. */
bool live_lists_gather(struct live_lists *lists, struct live_unread message,
                       struct live_roster *whole);

#endif
