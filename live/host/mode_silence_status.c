/*
 * mode_silence_status.c - what mode silence tells people: why a lock is not
 * held, the status of a node, and its log.
 */
#include <inttypes.h>
#include <stdio.h>

#include "live/host/mode_silence_parts.h"
#include "live/log.h"
#include "live/node/notify.h"

void silence_reason(const struct live_mode *mode, uint64_t lock,
                    char reason[LIVE_REASON_MAX])
{
    struct live_lock_view one = live_sites_look(silence_of(mode)->sites, lock);
    char text[LIVE_REASON_MAX];

    if (one.phase != FC_INSIDE && one.lacks &&
        live_sites_ready(silence_of(mode)->sites)) {
        snprintf(reason, LIVE_REASON_MAX,
                 "another client has it or is ahead in line, or the node has "
                 "not answered, at one of: %.160s",
                 live_mode_names(mode->config, one.lacks, text));
        return;
    }
    snprintf(reason, LIVE_REASON_MAX, "%s",
             one.phase == FC_INSIDE ? LIVE_HAS_IT
             : live_sites_ready(silence_of(mode)->sites)
                 ? "the window is not over yet"
                 : "this node has just started; it takes part when a node that "
                   "does has answered, or when all nodes are there");
}

void silence_describe(const struct live_mode *mode, json_t *o)
{
    const struct silence *s = silence_of(mode);
    const struct live_sites_counts *n = live_sites_counts(s->sites);
    const struct live_courier_counts *c = live_courier_counts(s->courier);

    LIVE_NAMES(o, {"inc", s->life}, {"highest", n->highest});
    json_object_set_new(o, "ready", json_boolean(live_sites_ready(s->sites)));
    json_object_set_new(o, "over",
                        s->over[0] ? json_string(s->over) : json_null());
    json_object_set_new(
        o, "bounds",
        LIVE_NUMBERS(NULL, {"dmax_us", mode->config->dmax},
                     {"step_us", mode->config->step}, {"window_us", s->window},
                     {"dead_us", s->dead}, {"round_trip_us", c->longest}));
    json_object_set_new(
        o, "counters",
        LIVE_NUMBERS(NULL, {"events", n->events}, {"sent", n->sent},
                     {"taken", n->taken}, {"requests", n->requests},
                     {"refusals", n->refusals}, {"grants", n->grants},
                     {"hellos", n->hellos}, {"parcels", c->parcels},
                     {"repeats", c->repeats}, {"acks", c->acks},
                     {"odd", n->odd + c->odd}, {"latest_us", s->latest},
                     {"syncs", s->syncs}));
}

void silence_describe_peer(const struct live_mode *mode, uint32_t x, json_t *o)
{
    static const char *const states[] = {"here", "dead", "left"};
    const struct silence *s = silence_of(mode);
    uint64_t heard_at;
    const char *state = states[live_courier_peer(s->courier, x, &heard_at)];

    LIVE_NUMBERS(o, {"silent_us", live_mode_silent(mode, x, heard_at)});
    json_object_set_new(o, "state", json_string(state));
    LIVE_NAMES(o, {"inc", x == mode->self ? s->life : s->lives[x]});
}

void silence_log_start(struct live_mode *mode)
{
    const struct silence *s = silence_of(mode);

    live_log("mode silence, window of %" PRIu64 " us%s, start number %" PRIu64,
             s->window, mode->config->early ? " that ends early" : "", s->life);
    live_log("rests on hard bounds: a packet arrives within %" PRIu64
             " us, a node acts within %" PRIu64 " us, a node that says nothing "
             "for %" PRIu64 " ms is dead; if nodes live and cannot reach each "
             "other, two may hold a lock",
             mode->config->dmax, mode->config->step, s->dead / 1000);
}

void silence_log_changes(struct live_mode *mode)
{
    struct silence *s = silence_of(mode);
    bool ready = live_sites_ready(s->sites);

    if (ready && !s->ready) {
        live_log("takes part");
        (void)live_notify_say("STATUS=mode silence, takes part");
    }
    s->ready = ready;
}
