/*
 * mode_proven_engine.c - see mode_proven_engine.h.
 *
 * The protocol is driven by the one interface of core/fc.h.  Messages of one
 * event to one peer travel in as few datagrams as they fit in (parcel.h).
 *
 * P1: a vote or a proposal leaves when its view is on disk, and nothing that
 * leaves before shows a higher view than is on disk.  To the others a message
 * that waits for the disk is one that the network has delayed; should the node
 * crash meanwhile, it was lost.  Everything else goes on (W9).
 */
#define FC_TYPED /* its own copy of the protocol, with many locks */

#include "live/mode/mode_proven_engine.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/why.h"

#include "protocols/mutex/view_lock/view_lock.c"

_Static_assert((int)LIVE_NODES_MAX == (int)VIEW_LOCK_NODES,
               "one list of nodes");
_Static_assert((int)LIVE_GENERATION_MAX == (int)VIEW_LOCK_GENERATION_MAX,
               "a token has room for every generation");

enum {
    SYNC_MIN = 5000,   /* what writing the record takes, at least: for delta */
    LOOK_AGAIN = 1000, /* whether a holder that must go is dead */
};

/* A part of an event, and what it wants done. */
struct engine_turn {
    struct live_engine *e;
    const struct view_lock_out *out;
    struct live_effects *effects;
    uint64_t now;
};

/* ---- What leaves --------------------------------------------------------- */

static void note_lists(struct engine_turn *t);

/* After the driver has heard of the list: it may have the node in it for the
 * first time. */
static void ship(struct engine_turn *t, uint32_t to)
{
    struct live_parcel *parcel = &t->e->parcels[to];

    if (!parcel->size)
        return;
    note_lists(t);
    live_effect_send(t->effects, to, parcel->bytes, parcel->size);
    parcel->size = 0;
}

/* P1: these say that the view is on disk. */
static bool promises(const struct view_lock_msg *m)
{
    return m->kind == VIEW_LOCK_VOTE || m->kind == VIEW_LOCK_PROPOSE;
}

static void pack_for(struct engine_turn *t, uint32_t to,
                     const struct view_lock_msg *m)
{
    struct live_engine *e = t->e;
    struct live_parcel *parcel = &e->parcels[to];
    uint8_t wire[view_lock_wire];
    size_t size = view_lock_pack(m, wire);

    assert(!promises(m) || m->view <= e->disk.maxv);
    while (!live_parcel_add(parcel, wire, size)) {
        assert(parcel->size > 0); /* an empty one has room for any message */
        ship(t, to);
    }
    e->counts.messages_sent++;
    e->counts.sent_of[view_lock_kind(m)]++;
}

/* Sends what may be sent now; a vote or proposal that waits replaces an older
 * one, which is obsolete. */
static void send_or_hold(struct engine_turn *t, uint32_t to,
                         const struct view_lock_msg *m)
{
    struct live_engine *e = t->e;

    if (promises(m) && m->view > e->disk.maxv) {
        e->held[m->kind == VIEW_LOCK_VOTE][to] = *m;
    } else if (m->maxv > e->disk.maxv) {
        struct view_lock_msg less = *m;

        less.maxv = e->disk.maxv;
        pack_for(t, to, &less);
    } else {
        pack_for(t, to, m);
    }
}

static void ship_all(struct engine_turn *t)
{
    for (uint32_t to = 0; to < t->e->me.nodes; to++)
        ship(t, to);
}

/* ---- The record ---------------------------------------------------------- */

static void stop_for(struct engine_turn *t, const char *why)
{
    struct live_engine *e = t->e;

    snprintf(e->why, sizeof e->why, "%s", why);
    e->dead = true;
    live_effect_add(t->effects, LIVE_DO_BREAK)->why = e->why;
}

void live_engine_disk(struct live_engine *e, uint64_t slowest)
{
    e->counts.slowest = slowest;
    e->params.sync = slowest < SYNC_MIN     ? (uint32_t)SYNC_MIN
                     : slowest > UINT32_MAX ? UINT32_MAX
                                            : (uint32_t)slowest;
}

/* Whether a configuration in the record is not the one on disk, or is there
 * with another `at`; or the node has joined. */
static bool has_adopted(const struct live_engine *e)
{
    const struct view_lock_record *a = &e->state.record, *b = &e->disk;

    return a->conf.k != b->conf.k || a->conf.born != b->conf.born ||
           a->conf.at != b->conf.at || a->joins != b->joins;
}

/* The node goes on while the disk is busy; except when it has adopted a
 * configuration (R1): its own frames and echoes rest on that, and whatever
 * follows in this very step must wait.  That is a write or two for each node in
 * a change. */
static void write_record(struct engine_turn *t)
{
    struct live_engine *e = t->e;

    if (has_adopted(e)) {
        e->counts.syncs++;
        e->disk = e->state.record;
        (void)live_effect_add(t->effects, LIVE_DO_WRITE_HERE);
        return;
    }
    if (e->writing)
        return; /* the next write has it */
    e->writing = true;
    e->counts.syncs++;
    (void)live_effect_add(t->effects, LIVE_DO_WRITE);
}

/* What was begun to be written before a configuration was. */
static bool is_behind(const struct view_lock_record *values,
                      const struct view_lock_record *disk)
{
    const struct view_lock_conf *a = &values->conf, *b = &disk->conf;

    return values->maxv < disk->maxv || a->k < b->k ||
           (a->k == b->k && a->at < b->at);
}

void live_engine_written(struct live_engine *e,
                         const struct view_lock_record *values, uint64_t now,
                         struct live_effects *out)
{
    struct engine_turn t = {.e = e, .effects = out, .now = now};

    e->writing = false;
    if (e->dead)
        return;
    if (!is_behind(values, &e->disk))
        e->disk = *values;
    if (e->mute) { /* K6: what it has promised it does not tell */
        memset(e->held, 0, sizeof e->held);
        return;
    }
    if (e->state.record.maxv > e->disk.maxv)
        write_record(&t);
    for (uint32_t to = 0; to < e->me.nodes; to++)
        for (uint32_t kind = 0; kind < LIVE_HELD_KINDS; kind++) {
            struct view_lock_msg *m = &e->held[kind][to];

            if (!m->view || m->view > e->disk.maxv)
                continue;
            send_or_hold(&t, to, m);
            m->view = 0;
        }
    ship_all(&t);
}

/* What a message shows of the record of its sender. */
static void learn(struct live_engine *e, uint32_t from,
                  const struct view_lock_msg *m)
{
    uint32_t shown = 0;

    if (m->kind == VIEW_LOCK_FRAME || m->kind == VIEW_LOCK_REFUSE)
        shown = m->maxv;
    else if (promises(m))
        shown = m->view;
    if (shown > e->shown[from])
        e->shown[from] = shown;
    if (m->kind != VIEW_LOCK_PROPOSE && m->kind != VIEW_LOCK_NEWVIEW &&
        m->conf.k > e->shown_k[from]) /* those may be of the next one */
        e->shown_k[from] = m->conf.k;
}

/* ---- Events -------------------------------------------------------------- */

/* SplitMix64. */
static uint32_t draw_below(struct live_engine *e, uint32_t count)
{
    uint64_t x = e->seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) >> 32) % count;
}

/* Called before the timer is forgotten or set again, with the time of that
 * moment: a message that is read first after a pause sets it as well, and a
 * pause may come after the timer fired and before it is handled. */
static void look_whether_late(struct live_engine *e, uint64_t now)
{
    uint64_t late = e->wake_at && now > e->wake_at ? now - e->wake_at : 0;

    if (e->counts.worst < late)
        e->counts.worst = late;
    if (late <= e->params.tau)
        return;
    e->counts.late++;
    if (e->counts.latest < late)
        e->counts.latest = late;
}

static void set_timer_to(struct live_engine *e, uint64_t at, uint64_t now)
{
    look_whether_late(e, now);
    e->wake_at = at;
}

static bool engine_save(struct engine_turn *d)
{
    write_record(d);
    return true;
}

static void engine_send(struct engine_turn *d, uint32_t slot, uint16_t port)
{
    send_or_hold(d, port, &d->out->send[slot]);
}

static void engine_store(struct engine_turn *d, uint32_t cell, uint32_t value)
{
    (void)d;
    (void)cell;
    (void)value;
    assert(false && "nodes share no memory");
}

static void engine_start(struct engine_turn *d, uint32_t timer, uint64_t steps)
{
    (void)timer;
    set_timer_to(d->e, d->now + steps, d->now);
}

static void engine_stop(struct engine_turn *d, uint32_t timer)
{
    (void)timer;
    set_timer_to(d->e, 0, d->now);
}

#define OBEY(name)    FC_PASTE(engine_, name)
#define OBEY_DRIVER   struct engine_turn
#define OBEY_TIMERS   view_lock_timers
#define OBEY_TOPOLOGY view_lock_topology
#define OBEY_SELF     d->e->me.index
#define OBEY_NODES    d->e->me.nodes
#include "core/obey.inc"

/* ---- Holders that must go first ------------------------------------------ */

/* Only these events can install a view. */
static bool may_install(const struct live_engine *e,
                        const struct view_lock_in *in)
{
    if (in->event.kind == FC_MESSAGE && in->msg.kind == VIEW_LOCK_NEWVIEW)
        return true;
    return e->state.proposal.view &&
           (in->event.kind == FC_TIMEOUT ||
            (in->event.kind == FC_MESSAGE && in->msg.kind == VIEW_LOCK_VOTE));
}

/* The bytes of a state that may have something in them: entries behind `used`
 * are filled before they are read. */
static size_t in_use(const struct view_lock *s)
{
    return offsetof(struct view_lock, lock) + s->used * sizeof *s->lock;
}

/* Rule V4 says of a held lock that it is abandoned, and the node may consent to
 * others in the same step: so its command must be dead before.  The event is
 * tried on a copy; if it takes a lock away, the holders are to be stopped, and
 * it has not happened: a new view is told again every tau, and so is a vote,
 * which the node asks for again; the timer comes back.  Once the lease is over
 * nobody is waited for: its commands were stopped K before. */
static bool must_wait(struct engine_turn *t, const struct view_lock_in *event)
{
    struct live_engine *e = t->e;
    struct view_lock_out out;
    struct view_lock_in in;
    bool wait = false;

    if (!may_install(e, event) || t->now >= e->state.deadline || e->hasty)
        return false;
    memcpy(&e->trial, &e->state, in_use(&e->state));
    out.fx = (struct fc_effects){0};
    in = *event;
    in.event.now = t->now;
    view_lock_step(&e->trial, &e->params, &e->me, &in, &out);
    for (uint32_t i = 0; i < e->state.used; i++) {
        const struct view_lock_one *lock = &e->state.lock[i], *then;

        if (lock->role != MUTEX_INSIDE)
            continue;
        then = view_lock_find(&e->trial, lock->id);
        if (then && then->role == MUTEX_INSIDE)
            continue;
        live_effect_add(t->effects, LIVE_DO_VACATE)->lock = lock->id;
        wait = true;
    }
    e->counts.vacated += wait;
    return wait;
}

/* A node whose state violates an invariant does not send anything any more. */
static bool is_sane(struct engine_turn *t)
{
    const char *broken = view_lock_sane(&t->e->state, &t->e->params, &t->e->me);
    char why[NET_WHY_SIZE];

    if (!broken)
        return true;
    snprintf(why, sizeof why, LIVE_INSANE, broken);
    stop_for(t, why);
    return false;
}

/* ---- Configurations ------------------------------------------------------ */

const struct live_roster *live_engine_roster(const struct live_engine *e)
{
    return live_lists_find(&e->lists, e->state.record.conf.names);
}

/* The rosters that the state names: they must not be forgotten. */
static void keep(struct live_engine *e, const struct live_roster *roster)
{
    const struct view_lock *s = &e->state;
    const uint64_t needed[] = {s->record.conf.names, s->of_view.names,
                               s->told_of.names,     s->proposal.conf.names,
                               s->news.conf.names,   e->params.plan[0].names};

    _Static_assert(sizeof needed / sizeof *needed < LIVE_LISTS_KNOWN,
                   "there is room for one more");
    live_lists_keep(&e->lists, roster, needed, sizeof needed / sizeof *needed);
}

void live_engine_meet(struct live_engine *e, uint32_t node)
{
    if (node >= e->me.nodes)
        e->me.nodes = node + 1;
}

/* The times of the protocol, as far as speed alone depends on them.  Its own K
 * is 0: it lets go at the end of the lease, and commands are stopped K before.
 * Delta: a round trip, and two more tries if something is lost; what writing
 * the record takes is measured, and added by the protocol. */
static void set_times(struct live_engine *e)
{
    const struct view_lock_conf *c = &e->state.record.conf;
    const struct live_roster *roster = live_engine_roster(e);
    uint64_t tau = roster ? live_roster_tau(roster) : e->first_tau;
    uint32_t lease = c->k ? c->lease : e->params.lease;
    uint64_t quiet = c->k ? c->quiet : e->params.quiet;
    uint64_t silence = e->config->silence ? e->config->silence : quiet;

    e->params.tau = (uint32_t)tau;
    e->params.silence = (uint32_t)silence;
    e->params.delta = (uint32_t)(2 * e->delay + 2 * tau);
    e->params.idle = lease / 5 > e->params.tau ? lease / 5 : e->params.tau;
}

/* The driver hears of another configuration, when that is on disk. */
static void note_lists(struct engine_turn *t)
{
    struct live_engine *e = t->e;
    const struct view_lock_conf *c = &e->state.record.conf;

    if (c->k == e->told_k && c->born == e->told_born)
        return;
    e->told_k = c->k;
    e->told_born = c->born;
    set_times(e);
    (void)live_effect_add(t->effects, LIVE_DO_LISTS);
}

static void send_lists(struct engine_turn *t, uint32_t to,
                       const uint8_t *message, size_t size)
{
    struct live_parcel *parcel = &t->e->parcels[to];

    if (t->e->dead || t->e->mute)
        return;
    if (!live_parcel_add(parcel, message, size)) {
        ship(t, to);
        (void)live_parcel_add(parcel, message, size);
    }
}

/* R1: "a node that lacks the lists asks for them, and does not take the
 * message before it has them".  A frame only names what was shown before. */
static bool has_names(struct engine_turn *t, uint32_t from,
                      const struct view_lock_msg *m)
{
    struct live_engine *e = t->e;
    const struct view_lock_conf *c = &m->conf;
    view_lock_set later = (c->old | c->list) & ~live_first(e->first_count);
    const struct live_roster *roster = live_lists_find(&e->lists, c->names);
    uint8_t message[LIVE_LISTS_MESSAGE];

    if (!c->k || m->kind == VIEW_LOCK_FRAME)
        return true;
    if (!roster) {
        if (c->names)
            send_lists(t, from, message, live_lists_ask(c->names, message));
        return false;
    }
    if (later & ~live_roster_nodes(roster))
        return false; /* it names nobody: no node says so */
    if (later)
        live_engine_meet(e, 63 - (uint32_t)__builtin_clzll(later));
    return true;
}

/* Of rosters, among the messages of the protocol. */
static void take_lists(struct engine_turn *t, uint32_t from,
                       struct live_unread message)
{
    struct live_engine *e = t->e;
    uint64_t asked = live_lists_asked(message);
    const struct live_roster *roster = live_lists_find(&e->lists, asked);
    uint8_t part[LIVE_LISTS_MESSAGE];
    struct live_roster whole;
    size_t size;

    if (live_lists_gather(&e->lists, message, &whole))
        keep(e, &whole);
    for (uint32_t i = 0; roster && (size = live_lists_part(roster, i, part));
         i++)
        send_lists(t, from, part, size);
}

bool live_engine_change(struct live_engine *e,
                        const struct view_lock_plan *plan,
                        const struct live_roster *roster, uint64_t now,
                        struct live_effects *out)
{
    if (e->state.wish)
        return false;
    e->params.plan[0] = *plan;
    keep(e, roster);
    return live_engine_command(e, VIEW_LOCK_CHANGE, 0, now, out);
}

void live_engine_withdraw(struct live_engine *e)
{
    e->state.wish = 0;
}

/* ---- Events, one by one -------------------------------------------------- */

/* One event with its continuations, which it becomes; returns its notes.  The
 * messages of a turn are filled in before they are read. */
static uint32_t happens(struct live_engine *e, struct view_lock_in *in,
                        uint64_t now, struct live_effects *effects)
{
    struct engine_turn turn = {.e = e, .effects = effects, .now = now};
    uint32_t notes = 0;
    enum fc_then then;

    if (e->dead || e->mute)
        return 0;
    if (must_wait(&turn, in)) {
        if (in->event.kind == FC_TIMEOUT)
            set_timer_to(e, now + LOOK_AGAIN, now);
        return 0;
    }
    e->counts.events++;
    do {
        struct view_lock_out out;

        out.fx = (struct fc_effects){0};
        turn.out = &out;
        in->event.now = now;
        view_lock_step(&e->state, &e->params, &e->me, in, &out);
        notes |= out.fx.notes;
        if (!is_sane(&turn))
            return notes;
        then = engine_obey(&turn, &out.fx);
        assert(then != FC_THEN_LOAD); /* nodes share no memory */
        in->event = (struct fc_event){.kind = FC_GO_ON};
        if (then == FC_THEN_CHOOSE)
            in->event = (struct fc_event){
                .kind = FC_CHOICE, .value = draw_below(e, out.fx.choose)};
    } while (then == FC_THEN_GO_ON || then == FC_THEN_CHOOSE);
    ship_all(&turn);
    note_lists(&turn);
    return notes;
}

bool live_engine_unpack(struct view_lock_msg *m, struct live_unread bytes)
{
    return unpack_into(m, bytes.bytes, bytes.size) == 0;
}

size_t live_engine_pack(const struct view_lock_msg *m, uint8_t *wire)
{
    return view_lock_pack(m, wire);
}

/* A request in the view of this node, for people. */
static void note_request(const struct live_engine *e, uint32_t from,
                         const struct view_lock_msg *m)
{
    if (m->kind == VIEW_LOCK_REQUEST && m->view == e->state.view)
        live_asked_note(e->asked, &(struct live_asked_request){
                                      .lock = m->lock,
                                      .view = m->view,
                                      .number = m->number,
                                      .from = from,
                                      .shared = m->flags & VIEW_LOCK_SHARED});
}

static void measure(struct live_engine *e, uint32_t from,
                    const struct view_lock_msg *m, uint64_t now)
{
    if (m->kind == VIEW_LOCK_FRAME)
        live_delay_take(&e->delays[from], e->delay, m->inc, now, m->stamp,
                        m->echo_inc == e->state.inc ? m->echo_stamp : 0);
}

/* A frame that repeats a stamp which this life of the node cannot have given: a
 * lease would count from it. */
static bool is_absurd(const struct live_engine *e,
                      const struct view_lock_msg *m, uint64_t now)
{
    return m->kind == VIEW_LOCK_FRAME && m->echo_inc == e->state.inc &&
           (m->echo_stamp < e->state.start || m->echo_stamp > now);
}

/* P7: and notes whose life has moved the lease. */
static void take_message(struct live_engine *e, struct view_lock_in *in,
                         uint64_t now, struct live_effects *out)
{
    const struct view_lock_peer *peer = &e->state.peer[in->event.port];
    uint32_t from = in->event.port;
    uint64_t acked = peer->acked;

    (void)happens(e, in, now, out);
    if (peer->acked != acked)
        e->acked_by[from] = in->msg.inc;
}

/* Whatever does not look like messages of the protocol is dropped from there
 * on. */
void live_engine_take(struct live_engine *e, uint32_t from,
                      struct live_unread unread, uint64_t now,
                      struct live_effects *out)
{
    struct engine_turn turn = {.e = e, .effects = out, .now = now};
    struct live_unread message;
    enum live_parcel_found found;

    if (from >= e->me.nodes || from == e->me.index)
        return;
    while ((found = live_parcel_next(&unread, &message)) ==
           LIVE_PARCEL_MESSAGE) {
        struct view_lock_in in;

        if (live_lists_is_message(message)) {
            take_lists(&turn, from, message);
            continue;
        }
        in.event =
            (struct fc_event){.kind = FC_MESSAGE, .port = (uint16_t)from};
        if (!live_engine_unpack(&in.msg, message) || is_absurd(e, &in.msg, now))
            break;
        e->counts.messages_taken++;
        if (!has_names(&turn, from, &in.msg))
            continue;
        learn(e, from, &in.msg);
        measure(e, from, &in.msg, now);
        note_request(e, from, &in.msg);
        take_message(e, &in, now, out);
    }
    ship(&turn, from);
    if (found != LIVE_PARCEL_END)
        e->counts.odd++;
}

void live_engine_due(struct live_engine *e, uint64_t now,
                     struct live_effects *out)
{
    uint64_t due = e->wake_at;

    (void)happens(e, &(struct view_lock_in){.event = {.kind = FC_TIMEOUT}}, now,
                  out);
    if (e->wake_at == due) { /* nothing has set it again */
        look_whether_late(e, now);
        e->wake_at = 0;
    }
}

/* ---- Beginning and end --------------------------------------------------- */

/* The parameters of the protocol, of configuration 0. */
static bool set_params(struct live_engine *e, const struct live_config *c,
                       struct net_why *error)
{
    uint64_t quiet = live_config_quiet(c);

    if (c->tau > UINT32_MAX || c->lease > UINT32_MAX || quiet > UINT32_MAX ||
        c->silence > UINT32_MAX || 2 * c->delay + 2 * c->tau > UINT32_MAX)
        return net_refuse(error,
                          "a time is above 71 minutes; choose shorter ones");
    e->params = (struct view_lock_params){
        .lease = (uint32_t)c->lease,
        .quiet = quiet,
        .sync = SYNC_MIN,
        .generation = (uint8_t)c->generation,
        .changes = 1,
        .list = live_first(c->first_count),
    };
    for (uint32_t x = 0; x < c->first_count; x++)
        if (c->nodes[x].witness)
            e->params.witnesses |= only(x);
    return true;
}

struct live_engine *live_engine_open(const struct live_config *config,
                                     uint32_t self,
                                     const struct live_engine_past *past,
                                     struct net_why *error)
{
    struct live_engine *e = calloc(1, sizeof *e);

    if (!e) {
        net_no_memory(error, "the protocol");
        return NULL;
    }
    e->config = config;
    e->me = (struct fc_member){self, config->nodes_count};
    e->first_count = config->first_count;
    e->first_tau = config->tau;
    e->delay = config->delay;
    e->seed = past->seed;
    e->state.record = e->disk = past->record;
    e->long_record = past->long_record;
    e->told_k = past->record.conf.k;
    e->told_born = past->record.conf.born;
    e->asked = live_asked_open();
    if (!set_params(e, config, error)) {
        live_engine_close(e);
        return NULL;
    }
    if (past->roster.hash)
        keep(e, &past->roster);
    for (uint32_t x = e->first_count; x < LIVE_NODES_MAX; x++)
        if (live_has(past->record.conf.old | past->record.conf.list, x))
            live_engine_meet(e, x);
    set_times(e);
    return e;
}

void live_engine_close(struct live_engine *e)
{
    live_asked_close(e->asked);
    free(e);
}

void live_engine_boot(struct live_engine *e, uint64_t now,
                      struct live_effects *out)
{
    (void)happens(e, &(struct view_lock_in){.event = {.kind = FC_BOOT}}, now,
                  out);
}

bool live_engine_command(struct live_engine *e, uint8_t command, uint64_t lock,
                         uint64_t now, struct live_effects *out)
{
    struct view_lock_in in = {.event = {.kind = FC_COMMAND, .command = command},
                              .msg = {.lock = lock}};

    return happens(e, &in, now, out) & FC_NOTE_STARTED;
}

const struct view_lock_one *live_engine_lock(const struct live_engine *e,
                                             uint64_t lock)
{
    return view_lock_find(&e->state, lock);
}

/* ---- Two places of one record -------------------------------------------- */

/* A later life of a voter outwaits what was promised to us by its own start:
 * so what an earlier life has echoed before that counts, and what it has echoed
 * since then does not. */
uint64_t live_engine_relied(const struct live_engine *e, uint32_t peer,
                            uint64_t life, uint64_t now)
{
    uint64_t acked = e->state.peer[peer].acked;
    uint32_t lease = e->state.of_view.lease > e->params.lease
                         ? e->state.of_view.lease
                         : e->params.lease;

    if (now >= e->state.lease_end || acked + lease <= now ||
        e->acked_by[peer] == life)
        return 0;
    return acked;
}

/* Views of one number may have been made by both lives of their coordinator,
 * with other members each.  The view that is voted for has nobody's id. */
void live_engine_renounce(struct live_engine *e, uint64_t now,
                          struct live_effects *out)
{
    struct engine_turn turn = {.e = e, .effects = out, .now = now};
    struct view_lock *s = &e->state;
    uint32_t above = s->record.maxv | ((1u << VIEW_LOCK_ID_BITS) - 1);

    if (above > VIEW_LOCK_VIEW_MAX || above == s->record.maxv)
        return;
    s->record.maxv = above;
    if (s->seen < above)
        s->seen = above;
    s->proposal = (struct view_lock_proposal){0};
    write_record(&turn);
}

void live_engine_mute(struct live_engine *e, bool mute, uint64_t now)
{
    if (e->mute && !mute)
        set_timer_to(e, now, now);
    e->mute = mute;
}
