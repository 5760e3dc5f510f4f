/*
 * mode_silence.c - mode silence: n-1 messages an entry, by hard bounds.
 *
 * The sites of sites.c run the protocol, the courier sees that their messages
 * are handled, and here both meet the clock, the record and the network.
 *
 * The assumptions are watched.  A copy of a message whose acknowledgement comes
 * later than two delays and two steps, a wake-up that comes more than a step
 * late, a peer that was taken for dead and lives, a refusal of a lock that is
 * held already: each shows that a bound was broken, and ends the mode.  Then
 * holders are stopped, the others are told when they are dead, and nothing is
 * granted until the node is started again.
 *
 * A command of a dead node runs until its deadline, a lease after the last beat
 * of its daemon; so a node that starts is mute for a lease.  A silent node was
 * alive at most until sixteen copies of a message and a round trip later, since
 * one of the sixteen gets through with its acknowledgement; a lease after that
 * it is dead, and its command too.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/wire.h"
#include "live/mode/mode.h"
#include "live/mode/sites.h"
#include "live/system/log.h"
#include "live/system/notify.h"
#include "live/wire/courier.h"
#include "net/why.h"

enum {
    BLOCK = 1000,      /* numbers for which the record is written once */
    POLL = 1000000,    /* at least, before a node that refused is asked again */
    COPIES = 16,       /* of a message: one of them gets through */
    FAREWELLS_MAX = 3, /* beats at which the others are told of the end */
};

struct silence {
    struct live_mode mode;
    struct live_effects *out; /* of the event that is happening */
    uint64_t now;             /* of the event that is happening */
    struct live_courier *courier;
    struct live_sites *sites;
    uint64_t life;
    uint64_t floor;        /* no own number was above it: as it is to be kept */
    uint64_t window, dead; /* worked out of the bounds */
    uint64_t beat_at, until, wake_at;
    uint64_t mute_until; /* by then commands of its last life are dead */
    uint64_t latest;     /* beat, beyond its time */
    uint64_t syncs;
    uint32_t farewells;
    uint64_t lives[LIVE_SILENCE_MAX]; /* of the others, as last heard */
    uint8_t without;                  /* enum live_silence_without */
    bool broken;                /* it must be stopped, for the reason below */
    bool ready;                 /* as last logged */
    bool leaving;               /* for good: told to, or over */
    char over[LIVE_REASON_MAX]; /* why the mode has ended; or empty */
    char why[NET_WHY_SIZE];
};

static struct silence *silence_of(const struct live_mode *mode)
{
    return (struct silence *)mode;
}

static bool lacks(const struct silence *s, enum live_silence_without rule)
{
    return s->without == rule;
}

void live_silence_leave_out(struct live_mode *mode, uint8_t rule)
{
    silence_of(mode)->without = rule;
}

static const char *name_of(const struct silence *s, uint32_t peer)
{
    return s->mode.config->nodes[peer].name;
}

/* ---- The end of the mode ------------------------------------------------- */

/* The first reason stays. */
__attribute__((format(printf, 2, 3))) static void
end_mode(struct silence *s, const char *format, ...)
{
    va_list arguments;

    if (s->over[0])
        return;
    va_start(arguments, format);
    vsnprintf(s->over, sizeof s->over, format, arguments);
    va_end(arguments);
    s->leaving = true;
    if (!s->mode.links)
        return; /* nobody is to be told: a rehearsal */
    live_log("mode silence has ended, and nothing is granted until this node "
             "is started again: %s",
             s->over);
    (void)live_notify_say("STATUS=mode silence has ended: %s", s->over);
}

static void on_breach(void *whom, uint32_t peer, enum live_breach how,
                      uint64_t how_long)
{
    struct silence *s = whom;

    switch (how) {
    case LIVE_LATE:
        end_mode(s,
                 "a message to %s took %" PRIu64 " ms until it was "
                 "acknowledged, and the bounds allow %" PRIu64,
                 name_of(s, peer), how_long / 1000, s->window / 1000);
        break;
    case LIVE_LIVES:
        end_mode(s,
                 "%s was taken for dead and lives: nothing came from it for "
                 "%" PRIu64 " ms",
                 name_of(s, peer), how_long / 1000);
        break;
    default:
        end_mode(s, "%s does not acknowledge %" PRIu64 " messages",
                 name_of(s, peer), how_long);
        break;
    }
}

static void on_gone(void *whom, uint32_t peer, bool by_itself, uint64_t silent)
{
    struct silence *s = whom;

    if (!s->mode.links)
        return;
    if (by_itself)
        live_log("%s has left, as it says", name_of(s, peer));
    else
        live_log("%s has said nothing for %" PRIu64 " ms: it is dead, by the "
                 "bounds, and its silence is consent",
                 name_of(s, peer), silent / 1000);
}

/* A pause of our own is found before anything that came meanwhile is read. */
static void look_at_clock(struct silence *s, uint64_t now)
{
    uint64_t late = now > s->beat_at ? now - s->beat_at : 0;

    if (late > s->latest)
        s->latest = late;
    if (late > s->mode.config->step && !lacks(s, LIVE_SILENCE_WITHOUT_PAUSE))
        end_mode(s,
                 "this node did not run for %" PRIu64 " ms, and its step is "
                 "%" PRIu64,
                 late / 1000, s->mode.config->step / 1000);
}

/* ---- What sites and courier need ----------------------------------------- */

/* Written before anything that follows is sent. */
static bool on_save(void *whom, uint64_t floor)
{
    struct silence *s = whom;

    s->syncs++;
    s->floor = floor;
    (void)live_effect_add(s->out, LIVE_DO_WRITE_HERE);
    return true;
}

static uint64_t on_send(void *whom, uint32_t to, const uint8_t *bytes,
                        size_t size)
{
    struct silence *s = whom;

    return live_courier_put(s->courier, to, bytes, size, s->now);
}

static bool on_settled(void *whom, uint32_t to, uint64_t sent)
{
    struct silence *s = whom;

    return lacks(s, LIVE_SILENCE_WITHOUT_ACKS) ||
           live_courier_settled(s->courier, to, sent);
}

static void on_transmit(void *whom, uint32_t to, const uint8_t *bytes,
                        size_t size)
{
    struct silence *s = whom;

    if (!s->broken)
        live_effect_send(s->out, to, bytes, size);
}

static bool on_take(void *whom, uint32_t from, struct live_unread messages)
{
    struct silence *s = whom;

    return live_sites_take(s->sites, from, messages, s->now);
}

/* ---- Events -------------------------------------------------------------- */

static void begin_event(struct silence *s, uint64_t now,
                        struct live_effects *out)
{
    s->now = now;
    s->out = out;
    look_at_clock(s, now);
}

/* A node that has ended and holds nothing any more tells the others; but not as
 * long as a command of its last life may run: then they must outwait it. */
static void say_farewell(struct silence *s)
{
    bool alone =
        s->now >= s->mute_until || lacks(s, LIVE_SILENCE_WITHOUT_LEAVE);

    if (!s->leaving || s->farewells || !live_sites_idle(s->sites) || !alone)
        return;
    s->farewells = 1;
    live_courier_leave(s->courier);
}

static void schedule(struct silence *s)
{
    uint64_t at = s->beat_at, next = live_courier_next(s->courier);

    if (next < at)
        at = next;
    next = s->over[0] ? UINT64_MAX : live_sites_next(s->sites, s->now);
    s->wake_at = next < at ? next : at;
}

static void end_event(struct silence *s)
{
    if (s->broken)
        return;
    if (live_sites_counts(s->sites)->alarm)
        end_mode(s, "a lock was refused when this node held it already");
    live_courier_ship(s->courier, s->now);
    say_farewell(s);
    schedule(s);
}

static void take(struct live_mode *mode, uint32_t from, uint64_t life,
                 struct live_unread bytes, uint64_t now,
                 struct live_effects *out)
{
    struct silence *s = silence_of(mode);

    if (s->broken || from >= s->mode.config->nodes_count ||
        from == s->mode.self)
        return;
    begin_event(s, now, out);
    s->lives[from] = life;
    live_courier_receive(s->courier, from, life, bytes.bytes, bytes.size, now);
    end_event(s);
}

static void on_insane(void *whom, const char *sentence)
{
    struct silence *s = whom;

    snprintf(s->why, sizeof s->why, LIVE_INSANE, sentence);
    s->broken = true;
    live_effect_add(s->out, LIVE_DO_BREAK)->why = s->why;
}

/* The beat of the daemon: while it goes on, holders may go on. */
static void on_beat(struct silence *s, uint64_t now)
{
    s->beat_at = now + s->mode.config->step;
    if (!s->over[0])
        s->until = now + s->mode.config->lease;
    if (s->farewells && s->farewells < FAREWELLS_MAX) {
        s->farewells++;
        live_courier_leave(s->courier);
    }
}

static void due(struct live_mode *mode, uint64_t now, struct live_effects *out)
{
    struct silence *s = silence_of(mode);

    if (s->broken)
        return;
    begin_event(s, now, out);
    live_courier_tick(s->courier, now);
    if (!s->over[0])
        live_sites_tick(s->sites, now);
    if (now >= s->beat_at)
        on_beat(s, now);
    end_event(s);
}

/* ---- Locks --------------------------------------------------------------- */

static bool command(struct live_mode *mode, enum live_command what,
                    uint64_t lock, uint64_t now, struct live_effects *out)
{
    struct silence *s = silence_of(mode);
    bool obeyed = true;

    if (s->broken)
        return false;
    begin_event(s, now, out);
    if (what == LIVE_STOP)
        s->leaving = true;
    else
        obeyed = live_sites_command(s->sites, what, lock, now);
    end_event(s);
    return obeyed;
}

static uint64_t wake(const struct live_mode *mode)
{
    return silence_of(mode)->wake_at;
}

/* Its payload is the floor. */
enum { PAYLOAD_BYTES = 8 };
_Static_assert((int)PAYLOAD_BYTES <= (int)LIVE_PAYLOAD_MAX, "it fits");

static struct live_kept record(const struct live_mode *mode)
{
    struct live_kept kept = {.starts = (uint32_t)silence_of(mode)->life,
                             .size = PAYLOAD_BYTES};

    fc_put64(kept.bytes, silence_of(mode)->floor);
    return kept;
}

static bool follows(const uint8_t *next, uint32_t next_size,
                    const uint8_t *before, uint32_t before_size)
{
    (void)next_size; /* they are as many */
    (void)before_size;
    return fc_get64(next) >= fc_get64(before);
}

/* There are no views. */
static uint64_t promised(const struct live_mode *mode)
{
    (void)mode;
    return UINT64_MAX;
}

static uint64_t shown(const struct live_mode *mode, uint32_t peer)
{
    (void)mode;
    (void)peer;
    return 0;
}

/* Its links are open: that took its time, and the first beat begins now. */
static void written(struct live_mode *mode, const struct live_kept *kept,
                    uint64_t now, struct live_effects *out)
{
    struct silence *s = silence_of(mode);

    (void)kept;
    (void)out;
    s->now = now;
    s->beat_at = now + mode->config->step;
    s->until = now + mode->config->lease;
    schedule(s);
}

static struct live_lock_view look(const struct live_mode *mode, uint64_t lock)
{
    return live_sites_look(silence_of(mode)->sites, lock);
}

static uint64_t until(const struct live_mode *mode)
{
    return silence_of(mode)->until;
}

static uint64_t farewell(const struct live_mode *mode)
{
    return 2 * mode->config->step;
}

static const char *over(const struct live_mode *mode)
{
    return silence_of(mode)->over[0] ? silence_of(mode)->over : NULL;
}

/* Its bounds are times of this clock. */
static void unfit(struct live_mode *mode, bool unfit, uint64_t now,
                  struct live_effects *out)
{
    struct silence *s = silence_of(mode);

    if (!unfit)
        return;
    begin_event(s, now, out);
    end_mode(s, "the clock of this machine is slewed beyond 'spread'");
    end_event(s);
}

/* ---- For people ---------------------------------------------------------- */

static void reason(const struct live_mode *mode, uint64_t lock, uint64_t now,
                   char reason[LIVE_REASON_MAX])
{
    struct live_lock_view one = live_sites_look(silence_of(mode)->sites, lock);
    char text[LIVE_REASON_MAX];

    (void)now;
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

static void describe(const struct live_mode *mode, uint64_t now, json_t *o)
{
    const struct silence *s = silence_of(mode);
    const struct live_sites_counts *n = live_sites_counts(s->sites);
    const struct live_courier_counts *c = live_courier_counts(s->courier);

    (void)now;
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

static void describe_peer(const struct live_mode *mode, uint32_t x,
                          uint64_t now, json_t *o)
{
    static const char *const states[] = {"here", "dead", "left"};
    const struct silence *s = silence_of(mode);
    uint64_t heard_at;
    const char *state = states[live_courier_peer(s->courier, x, &heard_at)];

    LIVE_NUMBERS(o, {"silent_us", live_mode_silent(mode, x, heard_at, now)});
    json_object_set_new(o, "state", json_string(state));
    LIVE_NAMES(o, {"inc", x == mode->self ? s->life : s->lives[x]});
}

static void log_start(struct live_mode *mode)
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

static void log_changes(struct live_mode *mode, uint64_t now)
{
    struct silence *s = silence_of(mode);
    bool ready = live_sites_ready(s->sites);

    (void)now;
    if (ready && !s->ready) {
        live_log("takes part");
        (void)live_notify_say("STATUS=mode silence, takes part");
    }
    s->ready = ready;
}

/* ---- Beginning and end --------------------------------------------------- */

static void close_mode(struct live_mode *mode)
{
    struct silence *s = silence_of(mode);

    if (s->courier)
        live_courier_close(s->courier);
    if (s->sites)
        live_sites_close(s->sites);
    free(s);
}

/* So much time has passed by every clock when this is over by ours.  Clocks are
 * read rounded down: a microsecond may be lost by us, and one by the other. */
static uint64_t surely(const struct live_config *c, uint64_t time)
{
    return live_config_stretch(c, time) + 2;
}

/* The window is Eq + Er, the longest times until a request and a refusal are
 * handled.  Each is a delay and a step, and a step is what a node takes to
 * handle all that has come: requests, replies, hellos and commands. */
static bool open_parts(struct silence *s)
{
    const struct live_config *c = s->mode.config;
    uint64_t way = c->dmax + c->step;
    uint64_t mute = c->lease > way ? c->lease : way;
    uint64_t outlived = lacks(s, LIVE_SILENCE_WITHOUT_LEASE) ? 0 : c->lease;
    struct live_courier_owner post = {on_transmit, on_take, on_breach, on_gone,
                                      s};
    struct live_sites_owner owner = {on_save, on_send, on_settled, on_insane,
                                     s};
    struct live_courier_times courier = {
        .repeat = c->dmax / 4,
    };
    struct live_sites_times sites = {
        .mute = lacks(s, LIVE_SILENCE_WITHOUT_MUTE) ? 1 : surely(c, mute),
        .block = BLOCK,
        .early = c->early,
    };

    s->mute_until = s->now + sites.mute;
    s->dead = surely(c, outlived + 2 * way + COPIES * courier.repeat);
    courier.round_trip = sites.window = s->window;
    courier.dead = s->dead;
    sites.poll = s->window > POLL ? s->window : POLL;
    s->courier =
        live_courier_open(c->nodes_count, s->mode.self, &courier, &post);
    if (s->courier)
        s->sites = live_sites_open(c->nodes_count, s->mode.self, &sites,
                                   c->generation, s->floor, &owner, s->now);
    return s->sites != NULL;
}

/* A start is counted before anything is sent. */
static void boot(struct live_mode *mode, uint64_t now, struct live_effects *out)
{
    struct silence *s = silence_of(mode);

    s->now = now;
    s->out = out;
    s->beat_at = s->wake_at = UINT64_MAX;
    (void)live_effect_add(out, LIVE_DO_WRITE);
    if (open_parts(s))
        return;
    s->broken = true;
    live_effect_add(out, LIVE_DO_BREAK)->why = "no memory for mode silence";
}

/* Before its life begins it has no parts. */
static const char *sane(const struct live_mode *mode)
{
    const struct silence *s = silence_of(mode);
    const char *broken = s->sites ? live_courier_sane(s->courier) : NULL;

    return broken || !s->sites ? broken : live_sites_sane(s->sites);
}

static struct live_mode *open_mode(const struct live_config *config,
                                   uint32_t self, const struct live_past *past,
                                   struct net_why *error)
{
    struct silence *s = calloc(1, sizeof *s);

    if (!s) {
        net_no_memory(error, "mode silence");
        return NULL;
    }
    s->mode = (struct live_mode){
        .kind = &live_mode_silence, .config = config, .self = self};
    s->floor = fc_get64(past->kept.bytes);
    s->life = past->kept.starts + 1;
    s->window = surely(config, 2 * (config->dmax + config->step));
    s->mode.patience = s->window + config->step;
    return &s->mode;
}

const struct live_mode_kind live_mode_silence = {
    .name = "silence",
    .open = open_mode,
    .boot = boot,
    .take = take,
    .due = due,
    .written = written,
    .command = command,
    .unfit = unfit,
    .wake = wake,
    .look = look,
    .until = until,
    .farewell = farewell,
    .over = over,
    .sane = sane,
    .payload = {LIVE_PAYLOAD_SILENCE, 1, PAYLOAD_BYTES, PAYLOAD_BYTES, follows},
    .record = record,
    .promised = promised,
    .shown = shown,
    .reason = reason,
    .describe = describe,
    .describe_peer = describe_peer,
    .log_start = log_start,
    .log_changes = log_changes,
    .close = close_mode,
};
