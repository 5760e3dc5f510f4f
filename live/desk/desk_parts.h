/*
 * desk_parts.h - what the files of the desk share: desk.c (events, and time)
 * and desk_line.c (the clients of a lock, and what follows from its state).
 */
#ifndef LIVE_DESK_PARTS_H
#define LIVE_DESK_PARTS_H

#include "live/desk/desk.h"

/* An event and what is at hand. */
struct turn {
    struct live_desk *desk;
    const struct live_desk_in *in;
    struct live_effects *out;
    uint64_t now;
};

/* Those that have asked, and some that have not. */
#define EACH_CLIENT(desk, c)                                                   \
    for (struct live_desk_client *c = (desk)->clients,                         \
                                 *end_ = c + (desk)->clients_used;             \
         c < end_; c++)

static inline bool lacks(const struct live_desk *desk,
                         enum live_desk_without rule)
{
    return desk->params.without == rule;
}

static inline uint64_t later(uint64_t now, uint64_t time)
{
    return time > UINT64_MAX - now ? UINT64_MAX : now + time;
}

/* When commands are stopped: K before the lock may be another's. */
static inline uint64_t deadline_of(const struct live_desk *desk)
{
    uint64_t kill = lacks(desk, LIVE_DESK_WITHOUT_K) ? 0 : desk->params.kill;

    return desk->end > kill ? desk->end - kill : 0;
}

/* ---- desk_line.c --------------------------------------------------------- */

/* Appends what concerns a client. */
struct live_effect *desk_say(struct turn *t, enum live_effect_kind kind,
                             const struct live_desk_client *c);

/* At the end of the line of a lock; and out of it: it has nothing to do with
 * its lock any more. */
void desk_join(struct turn *t, struct live_desk_client *c, uint16_t lock);
void desk_rest(struct turn *t, struct live_desk_client *c);
void desk_refuse(struct turn *t, struct live_desk_client *c,
                 enum live_refusal how, const char *why);

/* Stops a holder; it keeps its lock until it is dead, or the lease is over. */
void desk_stop(struct turn *t, struct live_desk_client *c, const char *why);

/* K8: tells a holder to end, and stops it if it is to be gone already.  Told
 * once more, it may have less time, and never more. */
void desk_recall(struct turn *t, struct live_desk_client *c, uint64_t by,
                 const char *why);

/* The first that waits, or NULL. */
struct live_desk_client *desk_next(struct turn *t,
                                   const struct live_desk_lock *lock);

/* Compares a lock with what the protocol says of it, and does what follows. */
void desk_settle(struct turn *t, struct live_desk_lock *lock);

#endif
