/*
 * mode_proven.c - mode proven: views, leases and consents; what of the state of
 * its engine matters to the desk, and how people are told of it.
 */
#include "live/mode/mode.h"
#include "live/mode/mode_proven_engine.h"
#include "live/mode/view_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/wire.h"
#include "live/system/log.h"
#include "live/system/notify.h"

_Static_assert((int)LIVE_GIVE_UP == (int)VIEW_LOCK_GIVE_UP, "one command");
_Static_assert((int)LIVE_STOP == (int)VIEW_LOCK_STOP, "one command");
_Static_assert((int)LIVE_LOCKS_MAX == (int)VIEW_LOCK_LOCKS, "one number");

struct proven {
    struct live_mode mode;
    struct live_engine *engine;
    uint64_t worst;   /* wake-up, as last logged */
    uint32_t view;    /* as last logged */
    uint16_t members; /* of that; 0: there was none */
    bool leased;      /* as last logged */
    bool few_views;   /* it was told that few view numbers are left */
};

static struct live_engine *engine_of(const struct live_mode *mode)
{
    return ((const struct proven *)mode)->engine;
}

static const struct view_lock *state_of(const struct live_mode *mode)
{
    return &engine_of(mode)->state;
}

static bool in_view(const struct view_lock *s)
{
    return s->view && s->view == s->record.maxv;
}

/* ---- The record ---------------------------------------------------------- */

/* Its payload is maxv, the highest view that it voted for. */
enum { PAYLOAD_BYTES = 4 };
_Static_assert((int)PAYLOAD_BYTES <= (int)LIVE_PAYLOAD_MAX, "it fits");

static struct live_kept pack_record(const struct view_lock_record *record)
{
    struct live_kept kept = {.starts = record->starts};

    fc_put32(kept.bytes, record->maxv);
    return kept;
}

static struct view_lock_record unpack_record(const struct live_kept *kept)
{
    return (struct view_lock_record){.maxv = fc_get32(kept->bytes),
                                     .starts = kept->starts};
}

static bool follows(const uint8_t *next, const uint8_t *before)
{
    return fc_get32(next) >= fc_get32(before);
}

/* Frames alone: they come from every node, in a view or not. */
static bool shows(struct live_unread datagram, uint64_t *view)
{
    struct live_unread message;
    struct view_lock_msg m;
    bool found = false;

    *view = 0;
    while (live_parcel_next(&datagram, &message) == LIVE_PARCEL_MESSAGE) {
        if (view_lock_unpack(&m, message.bytes, message.size) != 0 ||
            m.kind != VIEW_LOCK_FRAME)
            continue;
        found = true;
        if (*view < m.maxv)
            *view = m.maxv;
    }
    return found;
}

static void remind(struct live_kept *kept, uint64_t view)
{
    struct view_lock_record record = unpack_record(kept);

    if (view > UINT32_MAX)
        view = UINT32_MAX;
    if (record.maxv < view)
        record.maxv = (uint32_t)view;
    *kept = pack_record(&record);
}

/* ---- Locks --------------------------------------------------------------- */

static void boot(struct live_mode *mode, uint64_t now, struct live_effects *out)
{
    live_engine_boot(engine_of(mode), now, out);
}

static void take(struct live_mode *mode, uint32_t from, uint64_t life,
                 struct live_unread bytes, uint64_t now,
                 struct live_effects *out)
{
    (void)life; /* messages carry it */
    live_engine_take(engine_of(mode), from, bytes, now, out);
}

static void due(struct live_mode *mode, uint64_t now, struct live_effects *out)
{
    live_engine_due(engine_of(mode), now, out);
}

static void written(struct live_mode *mode, const struct live_kept *kept,
                    uint64_t now, struct live_effects *out)
{
    struct view_lock_record values = unpack_record(kept);

    live_engine_written(engine_of(mode), &values, now, out);
}

static bool command(struct live_mode *mode, enum live_command what,
                    uint64_t lock, uint64_t now, struct live_effects *out)
{
    return live_engine_command(engine_of(mode), (uint8_t)what, lock, now, out);
}

static uint64_t wake(const struct live_mode *mode)
{
    uint64_t at = engine_of(mode)->wake_at;

    return at ? at : UINT64_MAX;
}

static struct live_kept record(const struct live_mode *mode)
{
    return pack_record(&state_of(mode)->record);
}

static uint64_t promised(const struct live_mode *mode)
{
    return engine_of(mode)->disk.maxv;
}

static uint64_t shown(const struct live_mode *mode, uint32_t peer)
{
    return engine_of(mode)->shown[peer];
}

static void disk(struct live_mode *mode, uint64_t slowest)
{
    live_engine_disk(engine_of(mode), slowest);
}

static struct live_lock_view look(const struct live_mode *mode, uint64_t lock)
{
    const struct view_lock_one *one = live_engine_lock(engine_of(mode), lock);
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
        view.lacks = (uint16_t)(state_of(mode)->members & ~one->ok &
                                ~(1u << mode->self));
    return view;
}

static uint64_t until(const struct live_mode *mode)
{
    return state_of(mode)->lease_end;
}

static uint64_t farewell(const struct live_mode *mode)
{
    const struct view_lock_params *p = &engine_of(mode)->params;

    return 4 * (uint64_t)p->delta + 2 * (uint64_t)p->tau +
           2 * (uint64_t)p->sync;
}

/* W6: its vote is given, and somebody shows the view that came of it. */
static bool parted(const struct live_mode *mode)
{
    const struct view_lock *s = state_of(mode);

    for (uint32_t x = 0; x < mode->config->nodes_count; x++)
        if (x != mode->self && s->peer[x].view > s->view &&
            s->peer[x].members && !(s->peer[x].members >> mode->self & 1))
            return true;
    return false;
}

/* K6: neither frames nor votes, since both speak of times that its clock has
 * measured.  To the others it is stopped. */
static void unfit(struct live_mode *mode, bool unfit, uint64_t now,
                  struct live_effects *out)
{
    (void)out;
    live_engine_mute(engine_of(mode), unfit, now);
}

static uint64_t relied(const struct live_mode *mode, uint32_t peer,
                       uint64_t life, uint64_t now)
{
    return live_engine_relied(engine_of(mode), peer, life, now);
}

static void renounce(struct live_mode *mode, uint64_t now,
                     struct live_effects *out)
{
    live_engine_renounce(engine_of(mode), now, out);
}

/* ---- Why somebody waits -------------------------------------------------- */

/* Nodes that were heard within the silence, and this one. */
static uint16_t heard(const struct live_mode *mode, uint64_t now)
{
    const struct view_lock *s = state_of(mode);
    uint16_t set = (uint16_t)(1u << mode->self);

    for (uint32_t x = 0; x < mode->config->nodes_count; x++) {
        uint64_t at = s->peer[x].heard_at;

        if (at && now - at <= engine_of(mode)->params.silence)
            set |= (uint16_t)(1u << x);
    }
    return set;
}

/* "; c has another key": of those that are not heard, as far as there is
 * room. */
static void add_troubles(const struct live_mode *mode, uint16_t heard_ones,
                         char reason[LIVE_REASON_MAX])
{
    for (uint32_t x = 0; mode->links && x < mode->config->nodes_count; x++) {
        size_t used = strlen(reason);
        char words[LIVE_TROUBLE_WORDS];
        const char *trouble = live_links_trouble(mode->links, x, words);

        if (trouble && x != mode->self && !((uint32_t)heard_ones >> x & 1u))
            snprintf(reason + used, LIVE_REASON_MAX - used, "; %s %s",
                     mode->config->nodes[x].name, trouble);
    }
}

/* Of those that have not consented: a node that neither holds nor wants any
 * lock has only not answered yet. */
static uint16_t held_at(const struct live_mode *mode, uint64_t lock,
                        uint64_t now)
{
    const struct view_lock *s = state_of(mode);
    uint16_t set = look(mode, lock).lacks & heard(mode, now);

    for (uint32_t x = 0; x < mode->config->nodes_count; x++)
        if (!(s->peer[x].flags & VIEW_LOCK_BUSY))
            set &= (uint16_t) ~(1u << x);
    return live_asked_first(engine_of(mode)->asked, lock, s->view, set);
}

static void say_holder(const struct live_mode *mode, uint64_t lock,
                       uint64_t now, uint16_t lacks,
                       char reason[LIVE_REASON_MAX])
{
    uint16_t holders = held_at(mode, lock, now);
    uint16_t others = (uint16_t)(lacks & ~holders);
    char here[LIVE_REASON_MAX], text[LIVE_REASON_MAX];

    if (holders)
        snprintf(reason, LIVE_REASON_MAX,
                 "a client of %.70s has it, as far as is known here%s%.90s",
                 live_mode_names(mode->config, holders, here),
                 others ? "; ahead in line, or not heard yet: " : "",
                 live_mode_names(mode->config, others, text));
    else
        snprintf(
            reason, LIVE_REASON_MAX,
            "another client has it, or is ahead in line, at one of: %.190s",
            live_mode_names(mode->config, lacks, text));
}

static void reason(const struct live_mode *mode, uint64_t lock, uint64_t now,
                   char reason[LIVE_REASON_MAX])
{
    const struct view_lock *s = state_of(mode);
    struct live_lock_view one = look(mode, lock);
    uint32_t nodes = mode->config->nodes_count, count;
    uint16_t set = heard(mode, now);
    char text[LIVE_REASON_MAX];
    const char *why = NULL;

    count = (uint32_t)__builtin_popcount(set);
    if (one.phase == FC_INSIDE)
        why = LIVE_HAS_IT;
    else if (count < nodes / 2 + 1)
        snprintf(reason, LIVE_REASON_MAX,
                 "no majority: this node hears %u of %u nodes (%.90s), and "
                 "needs %u; see that the others run and that packets reach "
                 "them",
                 count, nodes, live_mode_names(mode->config, set, text),
                 nodes / 2 + 1);
    else if (now - s->start < engine_of(mode)->params.quiet)
        why = "this node has just started, and takes part in a moment";
    else if (!in_view(s))
        why = "no view with this node yet: the others are agreeing on one";
    else if (now >= s->lease_end)
        why = "the node has no lease: a majority does not answer in time";
    else if (!s->clean && now < s->quiet_end)
        why = "nodes that were left out of the view may still hold it";
    else
        say_holder(mode, lock, now, one.lacks, reason);
    if (why)
        snprintf(reason, LIVE_REASON_MAX, "%s", why);
    add_troubles(mode, set, reason);
}

/* ---- Status -------------------------------------------------------------- */

/* What was not as the configuration hopes: it costs time, never safety. */
static json_t *describe_violations(const struct live_mode *mode)
{
    const struct live_engine_counts *c = &engine_of(mode)->counts;
    uint64_t late = 0, latest = 0;

    for (uint32_t x = 0; x < mode->config->nodes_count; x++) {
        const struct live_delay *d = &engine_of(mode)->delays[x];

        late += d->late;
        latest = d->greatest > latest ? d->greatest : latest;
    }
    return LIVE_NUMBERS(NULL, {"late_wakeups", c->late},
                        {"latest_wakeup_us", c->latest}, {"late_frames", late},
                        {"latest_frame_us", latest},
                        {"views_delayed", c->vacated});
}

static void describe(const struct live_mode *mode, uint64_t now, json_t *o)
{
    const struct view_lock *s = state_of(mode);
    const struct live_engine_counts *c = &engine_of(mode)->counts;
    uint64_t end = s->lease_end;

    LIVE_NUMBERS(o, {"majority", mode->config->nodes_count / 2 + 1});
    LIVE_NAMES(o, {"inc", s->inc}, {"maxv", s->record.maxv},
               {"view", in_view(s) ? s->view : 0});
    json_object_set_new(
        o, "members",
        live_mode_list(mode->config, in_view(s) ? s->members : 0));
    json_object_set_new(o, "leased", json_boolean(now < end));
    LIVE_NUMBERS(o, {"lease_left_us", now < end ? end - now : 0});
    json_object_set_new(o, "clean",
                        json_boolean(s->clean || now >= s->quiet_end));
    json_object_set_new(o, "heard",
                        live_mode_list(mode->config, heard(mode, now)));
    json_object_set_new(o, "violations", describe_violations(mode));
    json_object_set_new(
        o, "counters",
        LIVE_NUMBERS(NULL, {"events", c->events}, {"sent", c->messages_sent},
                     {"taken", c->messages_taken},
                     {"requests", c->sent_of[VIEW_LOCK_REQUEST]},
                     {"clears", c->sent_of[VIEW_LOCK_CLEAR]},
                     {"frames", c->sent_of[VIEW_LOCK_FRAME]}, {"odd", c->odd},
                     {"late", c->late}, {"latest_us", c->latest},
                     {"syncs", c->syncs}, {"slowest_sync_us", c->slowest}));
}

static void describe_peer(const struct live_mode *mode, uint32_t x,
                          uint64_t now, json_t *o)
{
    const struct view_lock_peer *p = &state_of(mode)->peer[x];
    const struct live_delay *d = &engine_of(mode)->delays[x];

    bool is_heard = (uint32_t)heard(mode, now) >> x & 1u;

    LIVE_NUMBERS(o, {"silent_us", live_mode_silent(mode, x, p->heard_at, now)});
    LIVE_NAMES(o, {"inc", p->inc}, {"view", p->view});
    json_object_set_new(o, "heard", json_boolean(is_heard));
    /* What it said of itself is true for as long as it is heard. */
    json_object_set_new(o, "ready",
                        json_boolean(is_heard && (p->flags & VIEW_LOCK_READY)));
    json_object_set_new(
        o, "leased", json_boolean(is_heard && (p->flags & VIEW_LOCK_LEASED)));
    /* Microseconds beyond the quickest frame. */
    json_object_set_new(
        o, "delay",
        LIVE_NUMBERS(NULL, {"last_us", d->last}, {"mean_us", d->mean},
                     {"greatest_us", d->greatest},
                     {"limit_us", mode->config->delay}, {"late", d->late},
                     {"round_trip_us", d->round}));
}

/* ---- The log ------------------------------------------------------------- */

/* One line for systemctl status. */
static void tell_manager(uint32_t view, bool leased)
{
    (void)live_notify_say("STATUS=view %" PRIu32 ", %s", view,
                          leased ? "with a lease: locks can be held here"
                                 : "no lease: no lock can be held here");
}

/* The number of nodes that may be gone, in words. */
static void log_majority(const struct live_config *config, uint32_t self)
{
    uint32_t nodes = config->nodes_count, spare = (nodes - 1) / 2;

    if (nodes == 2)
        live_log("two nodes: both must run and hear each other, or there is no "
                 "lock; a third, which may be a witness, removes that limit");
    else if (nodes % 2 == 0)
        live_log("%u nodes: locks go on with up to %u gone; two halves that do "
                 "not hear each other both stop, and one node more, which may "
                 "be a witness, removes that limit",
                 nodes, spare);
    else
        live_log("%u nodes: locks go on with up to %u gone", nodes, spare);
    if (config->nodes[self].witness)
        live_log("is a witness: helps the others to a majority, and holds no "
                 "lock itself");
}

static void log_start(struct live_mode *mode)
{
    live_log("mode proven, start number %" PRIu64, state_of(mode)->inc);
    log_majority(mode->config, mode->self);
    tell_manager(0, false);
}

/* One line with one number.  A pause that no 'kill' could cover is no reason
 * for a longer one: client and guard stop commands in time. */
static void log_lateness(const struct proven *p, uint64_t worst)
{
    const struct live_config *c = p->mode.config;
    uint64_t wished = (2 * worst + 999) / 1000;
    char advice[64] = "";

    if (worst <= p->worst || (worst <= c->tau && worst <= c->kill / 2))
        return;
    if (worst > c->kill / 2 && wished <= c->lease / 2000)
        snprintf(advice, sizeof advice, "; take kill = %" PRIu64 "ms, or more",
                 wished);
    live_log("woke up %" PRIu64 " ms late, the most so far: it was paused, or "
             "the machine is too busy%s",
             worst / 1000, advice);
}

/* A lease is from the newest frame that a majority has answered. */
static void log_lapse(const struct live_mode *mode, uint64_t now)
{
    const struct view_lock *s = state_of(mode);
    const struct view_lock_params *params = &engine_of(mode)->params;
    uint32_t nodes = mode->config->nodes_count, count;
    char text[LIVE_REASON_MAX];
    uint16_t set = 0;

    for (uint32_t x = 0; x < nodes; x++)
        if (s->peer[x].acked && now - s->peer[x].acked < params->lease)
            set |= (uint16_t)(1u << x);
    count = (uint32_t)__builtin_popcount(set);
    live_log("has no lease any more: in the last %" PRIu32 " ms %u of %u nodes "
             "took its frames%s%s%s, and it needs %u",
             params->lease / 1000, count, nodes, count ? " (" : "",
             live_mode_names(mode->config, set, text), count ? ")" : "",
             nodes / 2 + 1);
}

static void log_view(const struct live_mode *mode, uint64_t now)
{
    const struct proven *p = (const struct proven *)mode;
    const struct view_lock *s = state_of(mode);
    char text[LIVE_VIEW_WORDS];
    const struct live_view_change change = {s->members, p->members,
                                            heard(mode, now)};

    live_log("view %" PRIu32 ": %s", s->view,
             live_view_words(mode->config, &change, text));
}

static void log_changes(struct live_mode *mode, uint64_t now)
{
    struct proven *p = (struct proven *)mode;
    const struct view_lock *s = state_of(mode);
    const struct live_engine_counts *counts = &p->engine->counts;
    bool leased = now < s->lease_end;

    if (s->view != p->view)
        log_view(mode, now);
    if (leased && !p->leased)
        live_log("has a lease");
    if (!leased && p->leased)
        log_lapse(mode, now);
    if (s->view != p->view || leased != p->leased)
        tell_manager(s->view, leased);
    if (s->record.maxv > VIEW_LOCK_VIEW_MAX / 100 * 99 && !p->few_views) {
        p->few_views = true;
        live_log("1 %% of the view numbers are left: before they are used up, "
                 "stop all nodes, raise the generation, remove all records and "
                 "create them again with --init");
    }
    log_lateness(p, counts->worst);
    p->view = s->view;
    p->members = s->members;
    p->leased = leased;
    p->worst = counts->worst;
}

/* ---- Beginning and end --------------------------------------------------- */

static void close_mode(struct live_mode *mode)
{
    live_engine_close(engine_of(mode));
    free(mode);
}

static struct live_mode *open_mode(const struct live_config *config,
                                   uint32_t self, const struct live_past *past,
                                   struct net_why *error)
{
    struct view_lock_record record = unpack_record(&past->kept);
    struct proven *p = calloc(1, sizeof *p);

    if (!p) {
        net_no_memory(error, "mode proven");
        return NULL;
    }
    p->engine = live_engine_open(config, self, &record, past->seed, error);
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
    .look = look,
    .until = until,
    .farewell = farewell,
    .parted = parted,
    .payload = {LIVE_PAYLOAD_PROVEN, 1, PAYLOAD_BYTES, follows},
    .record = record,
    .promised = promised,
    .shown = shown,
    .shows = shows,
    .remind = remind,
    .disk = disk,
    .reason = reason,
    .held_at = held_at,
    .describe = describe,
    .describe_peer = describe_peer,
    .log_start = log_start,
    .log_changes = log_changes,
    .close = close_mode,
};

struct live_engine *live_mode_engine(const struct live_mode *mode)
{
    return mode->kind == &live_mode_proven ? engine_of(mode) : NULL;
}
