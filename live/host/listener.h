/*
 * listener.h - who is told of what happens to a node's protocol, whatever the
 * mode.
 */
#ifndef LIVE_LISTENER_H
#define LIVE_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

/* Why a node is stopped whose state contradicts a sentence of its protocol. */
#define LIVE_INSANE                                                            \
    "its state contradicts itself (%s): this is a bug of the program or of "   \
    "the machine's memory; start it again, and report it"

struct live_listener {
    /* Before each event, with the time just read: what is over ends first. */
    void (*before)(void *whom, uint64_t now);
    /* After each event; may give commands. */
    void (*after)(void *whom);
    /* The record cannot be written, or the state contradicts itself: nothing
     * was sent, nothing will be. */
    void (*broken)(void *whom, const char *why);
    /* Rule V4: a held lock must be let go though its lease lasts.  Stops its
     * holders; true once they are dead, and only then it is let go. */
    bool (*vacate)(void *whom, uint64_t lock);
    void *whom;
};

#endif
