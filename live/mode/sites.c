/*
 * sites.c - see sites.h.
 *
 * On the wire a message is the number of its lock in eight bytes, and then the
 * protocol's own.
 */
#define FC_NODES_MAX 16
#define FC_TYPED

#include "live/mode/sites.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/mutex/archimedean/archimedean.c"

_Static_assert((int)FC_NODES_MAX == (int)LIVE_SILENCE_MAX, "one limit");
_Static_assert((int)LIVE_GIVE_UP == (int)ARCHIMEDEAN_GIVE_UP, "one command");

enum { LOCK_BYTES = 8, SITES = LIVE_LOCKS_MAX + 1 };

/* A token is (number, site) with the generation of the configuration on top, as
 * in the other mode, so that it grows over a change of the mode or the list. */
enum { NODE_BITS = 16, GENERATION_BIT = 56 };
#define NUMBER_MAX ((UINT64_C(1) << (GENERATION_BIT - NODE_BITS)) - 1)

struct site {
    uint64_t lock;
    uint64_t wake_at;             /* 0: the timer does not run */
    uint64_t asked[FC_NODES_MAX]; /* the last request, as it was sent */
    bool used;
    bool wants, wants_shared; /* as soon as the node takes part */
    struct archimedean state;
};

struct live_sites {
    struct fc_member me;
    struct archimedean_params params;
    struct live_sites_owner owner;
    struct live_sites_counts counts;
    struct archimedean_record record;
    uint64_t generation; /* at its place in a token */
    bool early;
    bool broken; /* the record cannot be written, or a state is not sane */
    struct site sites[SITES]; /* the first is the node's own */
};

/* ---- Sites --------------------------------------------------------------- */

static struct site *find(const struct live_sites *all, uint64_t lock)
{
    for (uint32_t i = 1; i < SITES; i++)
        if (all->sites[i].used && all->sites[i].lock == lock)
            return (struct site *)&all->sites[i];
    return NULL;
}

static struct site *make(struct live_sites *all, uint64_t lock)
{
    for (uint32_t i = 1; i < SITES; i++)
        if (!all->sites[i].used) {
            all->sites[i] = (struct site){.lock = lock, .used = true};
            return &all->sites[i];
        }
    return NULL;
}

/* Neither held nor wanted: if the last request was given up within its window,
 * no other may follow yet (AR-12). */
static bool is_idle(const struct site *site)
{
    return site->state.mode == ARCHIMEDEAN_IDLE && !site->wants;
}

static void forget_idle(struct site *site)
{
    if (site->lock && is_idle(site) && !site->state.rests)
        site->used = false;
}

/* No greater one fits in a token: nothing more is asked for. */
static bool has_no_number_left(const struct live_sites *all)
{
    return all->counts.highest >= NUMBER_MAX;
}

bool live_sites_ready(const struct live_sites *all)
{
    return all->sites[0].state.mode == ARCHIMEDEAN_IDLE;
}

/* ---- A step -------------------------------------------------------------- */

static void count_sent(struct live_sites *all, uint32_t kind)
{
    all->counts.sent++;
    switch (kind) {
    case ARCHIMEDEAN_REQ:
    case ARCHIMEDEAN_READ:
        all->counts.requests++;
        break;
    case ARCHIMEDEAN_NEG:
        all->counts.refusals++;
        break;
    case ARCHIMEDEAN_POS:
        all->counts.grants++;
        break;
    default:
        all->counts.hellos++;
        break;
    }
}

static void send_one(struct live_sites *all, struct site *site, uint32_t to,
                     const struct archimedean_msg *m)
{
    uint8_t wire[LOCK_BYTES + archimedean_wire];
    size_t size = LOCK_BYTES + archimedean_pack(m, wire + LOCK_BYTES);
    uint64_t sent;

    fc_put64(wire, site->lock);
    count_sent(all, m->kind);
    sent = all->owner.send(all->owner.whom, to, wire, size);
    if (m->kind == ARCHIMEDEAN_REQ || m->kind == ARCHIMEDEAN_READ ||
        m->kind == ARCHIMEDEAN_HELLO_MSG)
        site->asked[to] = sent;
}

/* A part of an event at a site.  `silent`: another site of this node answers
 * for all. */
struct sites_turn {
    struct live_sites *all;
    struct site *site;
    const struct archimedean_out *out;
    uint64_t now;
    bool silent;
};

static bool sites_save(struct sites_turn *d)
{
    struct live_sites *all = d->all;

    all->broken =
        !all->owner.save(all->owner.whom, d->site->state.record.floor);
    return !all->broken;
}

static void sites_send(struct sites_turn *d, uint32_t slot, uint16_t port)
{
    if (!d->silent)
        send_one(d->all, d->site, port, &d->out->send[slot]);
}

static void sites_store(struct sites_turn *d, uint32_t cell, uint32_t value)
{
    (void)d;
    (void)cell;
    (void)value;
    assert(false && "nodes share no memory");
}

/* Only one timer is used: params_of() lets nobody sleep, or give up. */
static void sites_start(struct sites_turn *d, uint32_t timer, uint64_t steps)
{
    if (timer == TIMER)
        d->site->wake_at = d->now + steps;
}

static void sites_stop(struct sites_turn *d, uint32_t timer)
{
    if (timer == TIMER)
        d->site->wake_at = 0;
}

#define OBEY(name)    FC_PASTE(sites_, name)
#define OBEY_DRIVER   struct sites_turn
#define OBEY_TIMERS   archimedean_timers
#define OBEY_TOPOLOGY archimedean_topology
#define OBEY_SELF     d->all->me.index
#define OBEY_NODES    d->all->me.nodes
#include "core/obey.inc"

/* A node with a site whose state violates an invariant does not send anything
 * any more. */
static bool is_sane(struct live_sites *all, const struct site *site)
{
    const char *sentence =
        archimedean_sane(&site->state, &all->params, &all->me);

    if (!sentence)
        return true;
    all->broken = true;
    all->owner.insane(all->owner.whom, sentence);
    return false;
}

/* One event of one site, with its continuations; returns its notes. */
static uint32_t happens(struct live_sites *all, struct site *site,
                        struct archimedean_in in, bool silent, uint64_t now)
{
    uint32_t notes = 0;
    enum fc_then then = FC_THEN_DONE;

    all->counts.events++;
    do {
        struct archimedean_out out;
        struct sites_turn turn = {all, site, &out, now, silent};

        if (all->broken)
            return notes;
        memset(&out, 0, sizeof out);
        if (site->state.hsn < all->counts.highest)
            site->state.hsn = all->counts.highest;
        site->state.record = all->record;
        archimedean_step(&site->state, &all->params, &all->me, &in, &out);
        all->counts.highest = site->state.hsn;
        all->record = site->state.record;
        notes |= out.fx.notes;
        if (!is_sane(all, site))
            return notes;
        then = sites_obey(&turn, &out.fx);
        /* With the parameters of params_of() there is nothing to draw. */
        assert(then != FC_THEN_CHOOSE && then != FC_THEN_LOAD);
        in = (struct archimedean_in){.event = {.kind = FC_GO_ON}};
    } while (then == FC_THEN_GO_ON);
    return notes;
}

/* ---- Commands ------------------------------------------------------------ */

static uint32_t command(struct live_sites *all, struct site *site, uint8_t what,
                        uint64_t now)
{
    struct archimedean_in in = {.event = {.kind = FC_COMMAND, .command = what}};

    return happens(all, site, in, false, now);
}

/* Wishes of the time before it took part. */
static void begin_wishes(struct live_sites *all, uint64_t now)
{
    for (uint32_t i = 1; i < SITES; i++) {
        struct site *site = &all->sites[i];

        if (!site->used || !site->wants)
            continue;
        site->wants = false;
        if (!has_no_number_left(all))
            (void)command(all, site,
                          site->wants_shared ? MUTEX_WANT_SHARED : MUTEX_WANT,
                          now);
        forget_idle(site);
    }
}

static bool want(struct live_sites *all, uint64_t lock, bool shared,
                 uint64_t now)
{
    struct site *site = find(all, lock);

    if (has_no_number_left(all))
        return false;
    if (!site)
        site = make(all, lock);
    if (!site || site->wants || site->state.mode != ARCHIMEDEAN_IDLE)
        return false;
    site->wants = true;
    site->wants_shared = shared;
    if (live_sites_ready(all))
        begin_wishes(all, now);
    return true;
}

bool live_sites_command(struct live_sites *all, enum live_command what,
                        uint64_t lock, uint64_t now)
{
    struct site *site = find(all, lock);
    bool obeyed;

    if (what == LIVE_WANT || what == LIVE_WANT_SHARED)
        return lock != 0 && want(all, lock, what == LIVE_WANT_SHARED, now);
    if (!site)
        return false;
    if (site->wants) {
        obeyed = what == LIVE_GIVE_UP;
        site->wants = !obeyed;
    } else {
        obeyed = command(all, site, (uint8_t)what, now) & FC_NOTE_STARTED;
    }
    forget_idle(site);
    return obeyed;
}

/* ---- Messages ------------------------------------------------------------ */

/* Hellos and their answers are the node's, all others a lock's.  They may tell
 * of numbers that were reserved and cannot be used. */
static bool is_odd(uint64_t lock, const struct archimedean_msg *m)
{
    bool greets =
        m->kind == ARCHIMEDEAN_HELLO_MSG || m->kind == ARCHIMEDEAN_HREP;

    return (lock == 0) != greets || m->kind == ARCHIMEDEAN_FRAME ||
           m->number > (greets ? 2 * NUMBER_MAX : NUMBER_MAX);
}

/* A hello concerns the sites of all locks; the node's own answers it. */
static void greet_locks(struct live_sites *all, struct archimedean_in in,
                        uint64_t now)
{
    for (uint32_t i = 1; i < SITES; i++)
        if (all->sites[i].used)
            (void)happens(all, &all->sites[i], in, true, now);
}

static void take_one(struct live_sites *all, uint64_t lock,
                     struct archimedean_in in, uint64_t now)
{
    struct site idle = {.lock = lock};
    struct site *site = lock ? find(all, lock) : &all->sites[0];
    bool inside;

    if (in.msg.kind == ARCHIMEDEAN_HELLO_MSG && live_sites_ready(all))
        greet_locks(all, in, now);
    if (!site)
        site = &idle; /* it is silent, and stays idle */
    inside = site->state.mode == ARCHIMEDEAN_INSIDE;
    (void)happens(all, site, in, false, now);
    if (inside && site->state.mode != ARCHIMEDEAN_INSIDE)
        all->counts.alarm = lock;
    forget_idle(site);
}

/* The next message of a parcel; false at its end, or if it is odd. */
static bool next_message(struct live_sites *all, struct live_unread *unread,
                         uint64_t *lock, struct archimedean_msg *m)
{
    struct live_unread one;
    enum live_parcel_found found = live_parcel_next(unread, &one);

    if (found == LIVE_PARCEL_END)
        return false;
    if (found == LIVE_PARCEL_MESSAGE && one.size > LOCK_BYTES &&
        archimedean_unpack_any(m, one.bytes + LOCK_BYTES,
                               one.size - LOCK_BYTES) == 0) {
        *lock = fc_get64(one.bytes);
        if (!is_odd(*lock, m))
            return true;
    }
    all->counts.odd++;
    return false;
}

bool live_sites_take(struct live_sites *all, uint32_t from,
                     struct live_unread messages, uint64_t now)
{
    struct live_unread ahead = messages;
    struct archimedean_in in = {
        .event = {.kind = FC_MESSAGE, .port = (uint16_t)from}};
    uint64_t lock;

    if (all->sites[0].state.mode == ARCHIMEDEAN_MUTE)
        while (next_message(all, &ahead, &lock, &in.msg))
            if (lock)
                return false;
    while (next_message(all, &messages, &lock, &in.msg)) {
        all->counts.taken++;
        take_one(all, lock, in, now);
    }
    return !all->broken;
}

/* ---- Time ---------------------------------------------------------------- */

/* Whether the window of a request runs, even of one that was given up. */
static bool has_asked(const struct site *site)
{
    return site->state.mode == ARCHIMEDEAN_WINDOW || site->state.rests;
}

/* Silence counts only from nodes that have handled what they were asked. */
static bool is_settled(const struct live_sites *all, const struct site *site)
{
    if (!has_asked(site) && site->state.mode != ARCHIMEDEAN_HELLO)
        return true;
    for (uint32_t x = 0; x < all->me.nodes; x++)
        if (x != all->me.index &&
            !all->owner.settled(all->owner.whom, x, site->asked[x]))
            return false;
    return true;
}

static bool is_due(const struct live_sites *all, const struct site *site,
                   uint64_t now)
{
    bool may_be_early = all->early && has_asked(site);

    return site->used && site->wake_at &&
           (now >= site->wake_at || may_be_early) && is_settled(all, site);
}

void live_sites_tick(struct live_sites *all, uint64_t now)
{
    for (uint32_t i = 0; i < SITES; i++) {
        struct site *site = &all->sites[i];
        bool ready = live_sites_ready(all);

        if (!is_due(all, site, now))
            continue;
        if (site->state.rests && has_no_number_left(all))
            (void)command(all, site, ARCHIMEDEAN_GIVE_UP, now);
        site->wake_at = 0;
        (void)happens(all, site,
                      (struct archimedean_in){.event = {.kind = FC_TIMEOUT}},
                      false, now);
        if (!ready && live_sites_ready(all))
            begin_wishes(all, now);
        forget_idle(site);
    }
}

uint64_t live_sites_next(const struct live_sites *all, uint64_t now)
{
    uint64_t at = UINT64_MAX;

    for (uint32_t i = 0; i < SITES; i++) {
        const struct site *site = &all->sites[i];

        if (is_due(all, site, now))
            return now;
        if (site->used && site->wake_at > now && site->wake_at < at)
            at = site->wake_at;
    }
    return at;
}

/* ---- What is true between two calls -------------------------------------- */

const char *live_sites_sane(const struct live_sites *all)
{
    if (!all->sites[0].used || all->sites[0].lock)
        return "the first site is the node's own";
    for (uint32_t i = 1; i < SITES; i++) {
        const struct site *site = &all->sites[i];

        if (!site->used)
            continue;
        if (!site->lock)
            return "any other site is that of a lock";
        if (site->wants && site->state.mode != ARCHIMEDEAN_IDLE)
            return "a site that is still to ask is idle";
        if (site->wants && live_sites_ready(all))
            return "a node that takes part has asked for what it wants";
    }
    return NULL;
}

/* ---- Looking ------------------------------------------------------------- */

struct live_lock_view live_sites_look(const struct live_sites *all,
                                      uint64_t lock)
{
    const struct site *site = find(all, lock);
    struct live_lock_view look = {.phase = FC_IDLE};
    struct mutex_view view = {0};

    if (!site)
        return look;
    archimedean_view(&site->state, &all->me, &view);
    look.phase = site->wants ? FC_WAITING : mutex_phase(&view);
    look.shared = site->wants ? site->wants_shared : view.shared;
    look.token = look.phase == FC_INSIDE ? all->generation | view.token : 0;
    look.wanted = site->state.deferred.word[0];
    if (look.phase != FC_WAITING || site->wants)
        return look;
    for (uint32_t x = 0; x < all->me.nodes; x++) {
        bool refuses =
            fc_set_has(&site->state.neg, x) && !fc_set_has(&site->state.pos, x);

        if (x != all->me.index &&
            (refuses ||
             !all->owner.settled(all->owner.whom, x, site->asked[x])))
            look.lacks |= live_only(x);
    }
    return look;
}

bool live_sites_idle(const struct live_sites *all)
{
    for (uint32_t i = 1; i < SITES; i++)
        if (all->sites[i].used && !is_idle(&all->sites[i]))
            return false;
    return true;
}

const struct live_sites_counts *live_sites_counts(const struct live_sites *all)
{
    return &all->counts;
}

/* ---- Beginning and end --------------------------------------------------- */

/* The repaired rules, with readers; nobody sleeps before it asks. */
static struct archimedean_params params_of(const struct live_sites_times *times)
{
    return (struct archimedean_params){
        .window_steps = times->window,
        .mute_steps = times->mute,
        .poll_steps = times->poll,
        .longest_steps = FC_NEVER,
        .giveup_steps = FC_NEVER,
        .reserves = times->block,
        .rules = ARCHIMEDEAN_REPAIRED,
        .predict = ARCHIMEDEAN_PREDICT_0,
        .number = ARCHIMEDEAN_ATOMIC,
        .noted = ARCHIMEDEAN_NOTED,
        .restart = ARCHIMEDEAN_INFORMED,
        .shares = 1,
    };
}

struct live_sites *live_sites_open(uint32_t nodes, uint32_t self,
                                   const struct live_sites_times *times,
                                   uint32_t generation, uint64_t floor,
                                   const struct live_sites_owner *owner,
                                   uint64_t now)
{
    struct live_sites *all = calloc(1, sizeof *all);

    if (!all)
        return NULL;
    all->me = (struct fc_member){self, nodes};
    all->params = params_of(times);
    all->owner = *owner;
    all->early = times->early;
    all->generation = (uint64_t)generation << GENERATION_BIT;
    all->record.floor = floor;
    all->sites[0].used = true;
    (void)happens(all, &all->sites[0],
                  (struct archimedean_in){.event = {.kind = FC_BOOT}}, false,
                  now);
    return all;
}

void live_sites_close(struct live_sites *all)
{
    free(all);
}
