/*
 * mode_proven_tell.c - mode proven, as people are told of it: why somebody
 * waits, the status, the log.
 */
#include "live/mode/mode_proven_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live/mode/view_words.h"
#include "live/system/log.h"
#include "live/system/notify.h"

/* ---- Why somebody waits -------------------------------------------------- */

/* Nodes that were heard within the silence, and this one. */
live_node_set live_proven_heard(const struct live_mode *mode, uint64_t now)
{
    const struct view_lock *s = proven_state(mode);
    live_node_set set = live_only(mode->self);

    for (uint32_t x = 0; x < mode->config->nodes_count; x++) {
        uint64_t at = s->peer[x].heard_at;

        if (at && now - at <= proven_engine(mode)->params.silence)
            set |= live_only(x);
    }
    return set;
}

/* "; c has another key": of those that are not heard, as far as there is
 * room. */
static void add_troubles(const struct live_mode *mode, live_node_set heard_ones,
                         char reason[LIVE_REASON_MAX])
{
    for (uint32_t x = 0; mode->links && x < mode->config->nodes_count; x++) {
        size_t used = strlen(reason);
        char words[LIVE_TROUBLE_WORDS];
        const char *trouble = live_links_trouble(mode->links, x, words);

        if (trouble && x != mode->self && !live_has(heard_ones, x))
            snprintf(reason + used, LIVE_REASON_MAX - used, "; %s %s",
                     mode->config->nodes[x].name, trouble);
    }
}

/* Of those that have not consented: a node that neither holds nor wants any
 * lock has only not answered yet. */
live_node_set live_proven_held_at(const struct live_mode *mode, uint64_t lock,
                                  uint64_t now)
{
    const struct view_lock *s = proven_state(mode);
    live_node_set set =
        live_proven_look(mode, lock).lacks & live_proven_heard(mode, now);

    for (uint32_t x = 0; x < mode->config->nodes_count; x++)
        if (!(s->peer[x].flags & VIEW_LOCK_BUSY))
            set &= ~live_only(x);
    return live_asked_first(proven_engine(mode)->asked, lock, s->view, set);
}

static void say_holder(const struct live_mode *mode, uint64_t lock,
                       uint64_t now, live_node_set lacks,
                       char reason[LIVE_REASON_MAX])
{
    live_node_set holders = live_proven_held_at(mode, lock, now);
    live_node_set others = lacks & ~holders;
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

/* A list of which too few are heard; 0: there is none.  The old one first, as
 * long as there are two. */
static live_node_set short_list(const struct live_lists_view *v,
                                live_node_set set)
{
    if (v->joint && live_size(v->old & set) < live_size(v->old) / 2 + 1)
        return v->old;
    return live_size(v->list & set) < live_size(v->list) / 2 + 1 ? v->list : 0;
}

static const char *which_list(const struct live_lists_view *v,
                              live_node_set list)
{
    return !v->joint         ? ""
           : list == v->list ? " of the new list"
                             : " of the old list";
}

static void say_minority(const struct live_mode *mode,
                         const struct live_lists_view *v,
                         char reason[LIVE_REASON_MAX])
{
    live_node_set list = short_list(v, v->heard), up = list & v->heard;
    char text[LIVE_REASON_MAX];

    snprintf(reason, LIVE_REASON_MAX,
             "no majority: this node hears %u of %u nodes%s (%.90s), and needs "
             "%u; see that the others run and that packets reach them",
             live_size(up), live_size(list), which_list(v, list),
             live_mode_names(mode->config, up, text), live_size(list) / 2 + 1);
}

void live_proven_reason(const struct live_mode *mode, uint64_t lock,
                        uint64_t now, char reason[LIVE_REASON_MAX])
{
    const struct view_lock *s = proven_state(mode);
    struct live_lock_view one = live_proven_look(mode, lock);
    struct live_lists_view v;
    const char *why = NULL;

    live_proven_lists(mode, now, &v);
    if (one.phase == FC_INSIDE)
        why = LIVE_HAS_IT;
    else if (s->record.joins && v.heard == live_only(mode->self))
        why = "this node joins, and nobody answers: let a member run, and the "
              "file be one that 'fulcrum cluster add NAME HOST:PORT --ini' has "
              "printed since the last change";
    else if (s->record.joins)
        why = "this node joins, and is asking the others what they have agreed "
              "on";
    else if (!live_has(live_lists_now(&v), mode->self))
        why = "this node is in no list of nodes: 'fulcrum cluster add' at one "
              "that is lets it in";
    else if (short_list(&v, v.heard))
        say_minority(mode, &v, reason);
    else if (now < s->settled_at)
        why = "this node has just started, and takes part in a moment";
    else if (!proven_in_view(s))
        why = "no view with this node yet: the others are agreeing on one";
    else if (now >= s->lease_end)
        why = "the node has no lease: a majority does not answer in time";
    else if (!s->clean && now < s->quiet_end)
        why = "nodes that were left out of the view may still hold it";
    else
        say_holder(mode, lock, now, one.lacks, reason);
    if (why)
        snprintf(reason, LIVE_REASON_MAX, "%s", why);
    add_troubles(mode, v.heard | ~live_lists_now(&v), reason);
}

/* ---- Status -------------------------------------------------------------- */

/* What was not as the configuration hopes: it costs time, never safety. */
static json_t *describe_violations(const struct live_mode *mode)
{
    const struct live_engine_counts *c = &proven_engine(mode)->counts;
    uint64_t late = 0, latest = 0;

    for (uint32_t x = 0; x < mode->config->nodes_count; x++) {
        const struct live_delay *d = &proven_engine(mode)->delays[x];

        late += d->late;
        latest = d->greatest > latest ? d->greatest : latest;
    }
    return LIVE_NUMBERS(NULL, {"late_wakeups", c->late},
                        {"latest_wakeup_us", c->latest}, {"late_frames", late},
                        {"latest_frame_us", latest},
                        {"views_delayed", c->vacated});
}

void live_proven_describe(const struct live_mode *mode, uint64_t now, json_t *o)
{
    const struct view_lock *s = proven_state(mode);
    const struct live_engine_counts *c = &proven_engine(mode)->counts;
    uint64_t end = s->lease_end;

    struct live_lists_view v;

    live_proven_lists(mode, now, &v);
    LIVE_NUMBERS(o, {"nodes", live_size(v.list)},
                 {"majority", live_size(v.list) / 2 + 1});
    LIVE_NAMES(o, {"inc", s->inc}, {"maxv", s->record.maxv},
               {"view", proven_in_view(s) ? s->view : 0});
    json_object_set_new(
        o, "members",
        live_mode_list(mode->config, proven_in_view(s) ? s->members : 0));
    json_object_set_new(o, "leased", json_boolean(now < end));
    LIVE_NUMBERS(o, {"lease_left_us", now < end ? end - now : 0});
    json_object_set_new(o, "clean",
                        json_boolean(s->clean || now >= s->quiet_end));
    json_object_set_new(
        o, "heard", live_mode_list(mode->config, v.heard & live_lists_now(&v)));
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

void live_proven_describe_peer(const struct live_mode *mode, uint32_t x,
                               uint64_t now, json_t *o)
{
    const struct view_lock_peer *p = &proven_state(mode)->peer[x];
    const struct live_delay *d = &proven_engine(mode)->delays[x];

    bool is_heard = live_has(live_proven_heard(mode, now), x);

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
static void log_majority(const struct live_mode *mode)
{
    struct live_lists_view v;
    uint32_t nodes, spare;

    live_proven_lists(mode, 0, &v);
    nodes = live_size(v.list);
    spare = (nodes - 1) / 2;

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
    if (live_has(v.witnesses, mode->self))
        live_log("is a witness: helps the others to a majority, and holds no "
                 "lock itself");
}

void live_proven_log_start(struct live_mode *mode)
{
    live_log("mode proven, start number %" PRIu64, proven_state(mode)->inc);
    log_majority(mode);
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
    const struct view_lock *s = proven_state(mode);
    struct live_lists_view v;
    live_node_set set = 0, list;
    char text[LIVE_REASON_MAX];

    live_proven_lists(mode, now, &v);
    for (uint32_t x = 0; x < mode->config->nodes_count; x++)
        if (s->peer[x].acked && now - s->peer[x].acked < v.lease)
            set |= live_only(x);
    list = short_list(&v, set);
    if (!list)
        list = v.list;
    set &= list;
    live_log("has no lease any more: in the last %" PRIu64 " ms %u of %u nodes"
             "%s took its frames%s%s%s, and it needs %u",
             v.lease / 1000, live_size(set), live_size(list),
             which_list(&v, list), set ? " (" : "",
             live_mode_names(mode->config, set, text), set ? ")" : "",
             live_size(list) / 2 + 1);
}

static void log_view(const struct live_mode *mode, uint64_t now)
{
    const struct proven *p = (const struct proven *)mode;
    const struct view_lock *s = proven_state(mode);
    char text[LIVE_VIEW_WORDS];
    const struct view_lock_conf *c = &s->of_view;
    const struct live_view_change change = {
        c->k & 1 ? c->old | c->list : c->list, s->members, p->members,
        live_proven_heard(mode, now)};

    live_log("view %" PRIu32 ": %s", s->view,
             live_view_words(mode->config, &change, text));
}

void live_proven_log_changes(struct live_mode *mode, uint64_t now)
{
    struct proven *p = (struct proven *)mode;
    const struct view_lock *s = proven_state(mode);
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
