/*
 * sites.h - the locks of a node in mode silence: for each lock that somebody
 * here wants, one site of protocols/mutex/archimedean/, with readers.
 *
 * A lock that nobody here wants needs no memory: an idle site knows only the
 * highest number, and all sites of a node share that.  So the node comes back
 * after a crash once, for all locks: by a site of its own, for lock 0.
 *
 * A window that is over counts when every node that was asked has handled the
 * request, or is dead: `settled` below.  Waiting longer is always safe.
 *
 * No sockets and no clock here.
 */
#ifndef LIVE_SITES_H
#define LIVE_SITES_H

#include "live/common/lock.h"
#include "live/wire/parcel.h"

/* Own steps, which are microseconds. */
struct live_sites_times {
    uint64_t window; /* silence is consent then */
    uint64_t mute;   /* after a start */
    uint64_t poll;   /* a node that refused is asked again */
    uint32_t block;  /* numbers that are reserved at a time */
    bool early;      /* the window ends when everybody has handled the request:
                      * no refusal can come any more */
};

/* What they need of their driver. */
struct live_sites_owner {
    /* Keeps the floor of the numbers over a crash, before it returns; false:
     * nothing may be sent. */
    bool (*save)(void *whom, uint64_t floor);
    /* Returns what settled() is asked for. */
    uint64_t (*send)(void *whom, uint32_t to, const uint8_t *bytes,
                     size_t size);
    bool (*settled)(void *whom, uint32_t to, uint64_t sent);
    /* The state of a site violates this invariant: nothing is sent any more,
     * and the node must be stopped. */
    void (*insane)(void *whom, const char *sentence);
    void *whom;
};

struct live_sites_counts {
    uint64_t events, sent, taken;
    uint64_t odd; /* messages that no site can have sent */
    uint64_t requests, refusals, grants, hellos; /* of those sent */
    uint64_t highest;                            /* number seen, by any site */
    uint64_t alarm; /* AR-4: this lock was refused when it was held already; or
                     * 0 */
};

struct live_sites;

/* A node that starts, with the generation of its configuration (1 to 127, the
 * top of each token) and the floor that it has kept. */
struct live_sites *live_sites_open(uint32_t nodes, uint32_t self,
                                   const struct live_sites_times *times,
                                   uint32_t generation, uint64_t floor,
                                   const struct live_sites_owner *owner,
                                   uint64_t now);
/* NULL, or the rule that all sites together break between two calls. */
const char *live_sites_sane(const struct live_sites *sites);

void live_sites_close(struct live_sites *sites);

/* False if it was ignored: there is no room.  A lock that was given up within
 * its window needs room until that is over: AR-12, no request follows before.
 * When the numbers are used up that fit in a token, 2^40 of them, nothing more
 * can be asked for. */
bool live_sites_command(struct live_sites *sites, enum live_command command,
                        uint64_t lock, uint64_t now);

/* The messages of a parcel; false: none was handled, because the node has just
 * started, and commands of its last life may still run. */
bool live_sites_take(struct live_sites *sites, uint32_t from,
                     struct live_unread messages, uint64_t now);

/* Windows and timers that are due and settled happen. */
void live_sites_tick(struct live_sites *sites, uint64_t now);

/* When there is something to do: `now` if something is due and settled, else
 * what is due next, or UINT64_MAX.  What is due and not settled waits for an
 * acknowledgement. */
uint64_t live_sites_next(const struct live_sites *sites, uint64_t now);

struct live_lock_view live_sites_look(const struct live_sites *sites,
                                      uint64_t lock);

/* Whether the node takes part, and whether it holds or wants anything. */
bool live_sites_ready(const struct live_sites *sites);
bool live_sites_idle(const struct live_sites *sites);

const struct live_sites_counts *
live_sites_counts(const struct live_sites *sites);

#endif
