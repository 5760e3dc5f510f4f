/*
 * mode_proven.c - mode proven: views, leases and consents; what of the state of
 * its engine matters to the desk, to the driver, and to the record.
 */
#include "live/mode/mode_proven_parts.h"

#include <stdlib.h>

#include "core/wire.h"
#include "live/mode/mode_proven_record.h"

_Static_assert((int)LIVE_GIVE_UP == (int)VIEW_LOCK_GIVE_UP, "one command");
_Static_assert((int)LIVE_STOP == (int)VIEW_LOCK_STOP, "one command");
_Static_assert((int)LIVE_LOCKS_MAX == (int)VIEW_LOCK_LOCKS, "one number");

/* ---- The record ---------------------------------------------------------- */

/* Frames alone: they come from every node, in a view or not. */
static bool shows(struct live_unread datagram, uint64_t *view, bool *changed)
{
    struct live_unread message;
    struct view_lock_msg m;
    bool found = false;

    *view = 0;
    *changed = false;
    while (live_parcel_next(&datagram, &message) == LIVE_PARCEL_MESSAGE) {
        if (!live_engine_unpack(&m, message) || m.kind != VIEW_LOCK_FRAME ||
            m.flags & VIEW_LOCK_JOINS) /* it asks itself */
            continue;
        found = true;
        *changed = *changed || m.conf.k;
        if (*view < m.maxv)
            *view = m.maxv;
    }
    return found;
}

/* Only what was promised: who agrees on it is asked for (R6). */
static void remind(struct live_kept *kept, uint64_t view)
{
    uint32_t before = kept->size ? live_proven_maxv(kept) : 0;
    uint32_t now = live_promised_view(view);

    kept->size = LIVE_PROVEN_LEAST;
    fc_put32(kept->bytes, now > before ? now : before);
}

/* ---- Locks --------------------------------------------------------------- */

static void boot(struct live_mode *mode, uint64_t now, struct live_effects *out)
{
    live_engine_boot(proven_engine(mode), now, out);
}

static void take(struct live_mode *mode, uint32_t from, uint64_t life,
                 struct live_unread bytes, uint64_t now,
                 struct live_effects *out)
{
    (void)life; /* messages carry it */
    live_engine_take(proven_engine(mode), from, bytes, now, out);
}

static void due(struct live_mode *mode, uint64_t now, struct live_effects *out)
{
    live_engine_due(proven_engine(mode), now, out);
}

static void written(struct live_mode *mode, const struct live_kept *kept,
                    uint64_t now, struct live_effects *out)
{
    struct live_engine_past past;

    if (live_proven_unpack(kept, mode->config, mode->self, &past))
        live_engine_written(proven_engine(mode), &past.record, now, out);
}

static bool command(struct live_mode *mode, enum live_command what,
                    uint64_t lock, uint64_t now, struct live_effects *out)
{
    return live_engine_command(proven_engine(mode), (uint8_t)what, lock, now,
                               out);
}

static uint64_t wake(const struct live_mode *mode)
{
    uint64_t at = proven_engine(mode)->wake_at;

    return at ? at : UINT64_MAX;
}

static struct live_kept record(const struct live_mode *mode)
{
    return live_proven_pack(proven_engine(mode));
}

static uint64_t promised(const struct live_mode *mode)
{
    const struct view_lock_record *disk = &proven_engine(mode)->disk;

    if (disk->joins)
        return UINT64_MAX; /* it is asking what it has promised */
    return live_promise(disk->conf.k, disk->maxv);
}

static uint64_t shown(const struct live_mode *mode, uint32_t peer)
{
    const struct live_engine *e = proven_engine(mode);

    return live_promise(e->shown_k[peer], e->shown[peer]);
}

static void disk(struct live_mode *mode, uint64_t slowest)
{
    live_engine_disk(proven_engine(mode), slowest);
}

struct live_lock_view live_proven_look(const struct live_mode *mode,
                                       uint64_t lock)
{
    const struct view_lock_one *one =
        live_engine_lock(proven_engine(mode), lock);
    struct live_lock_view view = {.phase = FC_IDLE};

    if (!one)
        return view;
    if (one->role == MUTEX_INSIDE)
        view.phase = FC_INSIDE;
    else if (one->wants || one->role == MUTEX_WAITS)
        view.phase = FC_WAITING;
    view.shared = one->shared;
    view.token = view.phase == FC_INSIDE ? one->token : 0;
    view.wanted = one->deferred;
    if (view.phase != FC_INSIDE)
        view.lacks =
            proven_state(mode)->members & ~one->ok & ~live_only(mode->self);
    return view;
}

static uint64_t until(const struct live_mode *mode)
{
    return proven_state(mode)->lease_end;
}

static uint64_t farewell(const struct live_mode *mode)
{
    const struct view_lock_params *p = &proven_engine(mode)->params;

    return 4 * (uint64_t)p->delta + 2 * (uint64_t)p->tau +
           2 * (uint64_t)p->sync;
}

/* W6: its vote is given, and somebody shows the view that came of it. */
static bool parted(const struct live_mode *mode)
{
    const struct view_lock *s = proven_state(mode);

    for (uint32_t x = 0; x < mode->config->nodes_count; x++)
        if (x != mode->self && s->peer[x].view > s->view &&
            s->peer[x].members && !live_has(s->peer[x].members, mode->self))
            return true;
    return false;
}

/* K6: neither frames nor votes, since both speak of times that its clock has
 * measured.  To the others it is stopped. */
static void unfit(struct live_mode *mode, bool unfit, uint64_t now,
                  struct live_effects *out)
{
    (void)out;
    live_engine_mute(proven_engine(mode), unfit, now);
}

static uint64_t relied(const struct live_mode *mode, uint32_t peer,
                       uint64_t life, uint64_t now)
{
    return live_engine_relied(proven_engine(mode), peer, life, now);
}

static void renounce(struct live_mode *mode, uint64_t now,
                     struct live_effects *out)
{
    live_engine_renounce(proven_engine(mode), now, out);
}

/* ---- The list of nodes --------------------------------------------------- */

static bool change(struct live_mode *mode, const struct live_change *change,
                   uint64_t now, struct live_effects *out)
{
    const struct view_lock_plan plan = {.quiet = change->quiet,
                                        .names = change->roster->hash,
                                        .lease = (uint32_t)change->lease,
                                        .list = change->list,
                                        .witnesses = change->witnesses};

    return live_engine_change(proven_engine(mode), &plan, change->roster, now,
                              out);
}

static void withdraw(struct live_mode *mode)
{
    live_engine_withdraw(proven_engine(mode));
}

static void meet(struct live_mode *mode, uint32_t id)
{
    live_engine_meet(proven_engine(mode), id);
}

/* Those that have said that they join. */
static live_node_set joining(const struct live_mode *mode, live_node_set heard)
{
    const struct view_lock *s = proven_state(mode);
    live_node_set set = s->record.joins ? live_only(mode->self) : 0;

    for (uint32_t x = 0; x < mode->config->nodes_count; x++)
        if (x != mode->self && live_has(heard, x) &&
            s->peer[x].flags & VIEW_LOCK_JOINS)
            set |= live_only(x);
    return set;
}

void live_proven_lists(const struct live_mode *mode, uint64_t now,
                       struct live_lists_view *view)
{
    const struct live_engine *e = proven_engine(mode);
    const struct view_lock *s = &e->state;
    const struct view_lock_conf *c = &s->record.conf;
    live_node_set heard = live_proven_heard(mode, now);

    *view = (struct live_lists_view){
        .number = c->k,
        .proposer = c->born & ((1u << VIEW_LOCK_ID_BITS) - 1),
        .joint = c->k & 1,
        .old = c->k ? c->old : e->params.list,
        .list = c->k ? c->list : e->params.list,
        .witnesses = c->k ? c->witnesses : e->params.witnesses,
        .heard = heard,
        .joins = joining(mode, heard),
        .lease = c->k ? c->lease : e->params.lease,
        .next_lease = c->next_lease,
        .tau = e->params.tau,
        .ripe_in = !s->ripe_at         ? UINT64_MAX
                   : s->ripe_at <= now ? 0
                                       : s->ripe_at - now,
        .asked = s->wish != 0,
        .roster = live_engine_roster(e),
    };
}

/* ---- Beginning and end --------------------------------------------------- */

static void close_mode(struct live_mode *mode)
{
    live_engine_close(proven_engine(mode));
    free(mode);
}

static struct live_mode *open_mode(const struct live_config *config,
                                   uint32_t self, const struct live_past *past,
                                   struct net_why *error)
{
    struct proven *p = calloc(1, sizeof *p);
    struct live_engine_past before;

    if (!p) {
        net_no_memory(error, "mode proven");
        return NULL;
    }
    if (!live_proven_unpack(&past->kept, config, self, &before)) {
        net_refuse(error, "the record tells of a list of nodes, and not who "
                          "they are; use --repair");
        free(p);
        return NULL;
    }
    before.seed = past->seed;
    p->engine = live_engine_open(config, self, &before, error);
    if (!p->engine) {
        free(p);
        return NULL;
    }
    p->mode = (struct live_mode){.kind = &live_mode_proven,
                                 .config = config,
                                 .self = self,
                                 .patience = p->engine->params.delta};
    return &p->mode;
}

const struct live_mode_kind live_mode_proven = {
    .name = "proven",
    .open = open_mode,
    .boot = boot,
    .take = take,
    .due = due,
    .written = written,
    .command = command,
    .unfit = unfit,
    .relied = relied,
    .renounce = renounce,
    .wake = wake,
    .look = live_proven_look,
    .until = until,
    .farewell = farewell,
    .parted = parted,
    .payload = {LIVE_PAYLOAD_PROVEN, 1, LIVE_PROVEN_LEAST, LIVE_PROVEN_MOST,
                live_proven_follows},
    .record = record,
    .change = change,
    .withdraw = withdraw,
    .meet = meet,
    .lists = live_proven_lists,
    .promised = promised,
    .shown = shown,
    .shows = shows,
    .remind = remind,
    .rejoin = live_proven_rejoin,
    .disk = disk,
    .reason = live_proven_reason,
    .held_at = live_proven_held_at,
    .describe = live_proven_describe,
    .describe_peer = live_proven_describe_peer,
    .log_start = live_proven_log_start,
    .log_changes = live_proven_log_changes,
    .close = close_mode,
};

struct live_engine *live_mode_engine(const struct live_mode *mode)
{
    return mode->kind == &live_mode_proven ? proven_engine(mode) : NULL;
}
