/*
 * effect.h - what a step of a node wants done, in the order in which it must be
 * done.
 *
 * The steps of protocol and desk are pure: they read no clock, send nothing and
 * kill nobody.  They append to such a list, and the driver carries it out, from
 * the first to the last: a daemon with sockets and processes, or a rehearsal in
 * virtual time.
 */
#ifndef LIVE_EFFECT_H
#define LIVE_EFFECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum live_effect_kind {
    /* Between protocol and desk: the node itself obeys, and no driver sees
     * them. */
    LIVE_DO_NOTHING, /* nothing is left to do */
    LIVE_DO_COMMAND, /* `how`, enum live_command, for `lock` */
    LIVE_DO_VACATE,  /* stop the holders of `lock` */
    /* Of the protocol */
    LIVE_DO_SEND,  /* to node `whom`: live_effect_bytes() */
    LIVE_DO_WRITE, /* begin to write the record; live_node_written() then */
    LIVE_DO_WRITE_HERE, /* write it; nothing that follows before it is done */
    LIVE_DO_LISTS,      /* another configuration is in force */
    LIVE_DO_BREAK,      /* nothing follows ever: `why` */
    /* Of the desk, to client `whom` */
    LIVE_DO_GRANT,   /* token, deadline, limit */
    LIVE_DO_MOVE,    /* its deadline: forward */
    LIVE_DO_TELL,    /* it is to end by `deadline`: `why`; its command gets
                      * SIGTERM, unless `how`: it was told before, of later */
    LIVE_DO_KILL,    /* its command: `why`; and the deadline is over */
    LIVE_DO_REFUSE,  /* `how`, enum live_refusal; live_effect_why() */
    LIVE_DO_EXPLAIN, /* that it waits: live_effect_why() */
    LIVE_DO_RELEASE, /* it has let go */
    LIVE_DO_REST,    /* it holds nothing any more, and is not told */
};

struct live_effect {
    uint8_t kind, how;
    uint32_t whom;
    uint64_t lock;
    uint64_t token, deadline, limit;
    const char *why;
    size_t at, size; /* of bytes, or of words if `why` is NULL */
};

/* All zero bytes is an empty list. */
struct live_effects {
    struct live_effect *list;
    size_t count, room;
    uint8_t *bytes;
    size_t used, bytes_room;
    bool lost; /* there was no memory for something */
};

/* The new last one, all zero except its kind.  If there is no memory it is
 * lost, and `lost` says so: the node must be stopped. */
struct live_effect *live_effect_add(struct live_effects *effects,
                                    enum live_effect_kind kind);

/* Appends a datagram to a node. */
void live_effect_send(struct live_effects *effects, uint32_t to,
                      const uint8_t *bytes, size_t size);

static inline const uint8_t *
live_effect_bytes(const struct live_effects *effects,
                  const struct live_effect *one)
{
    return effects->bytes + one->at;
}

/* Gives the i-th its words now: they may not be true any more when it is
 * carried out. */
void live_effect_words(struct live_effects *effects, size_t i,
                       const char *words);

static inline const char *live_effect_why(const struct live_effects *effects,
                                          const struct live_effect *one)
{
    if (one->why || !one->size)
        return one->why ? one->why : "";
    return (const char *)live_effect_bytes(effects, one);
}

/* Empties it, and keeps its memory. */
void live_effects_clear(struct live_effects *effects);

void live_effects_free(struct live_effects *effects);

#endif
