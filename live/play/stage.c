/*
 * stage.c - see stage.h: the course of a run, and what its processes did.
 */
#include "live/play/stage_parts.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/play/stage.h"
#include "net/grow.h"
#include "net/why.h"

enum {
    READY_US = 10000000, /* for all to have met */
    READY_FAR_US = 70000000,
    END_US = 300000,        /* for nodes on other machines to hear of the end */
    SIGNAL_US = 20000,      /* from the signal to the start */
    LOOK_US = 100000,       /* the stage looks up at least so often */
    LAST_WORDS_US = 300000, /* in which what a dead node sent arrives */
    TICK_CALIBRATED_US = 1000,
    TICK_ROUND_US = 100,
};

/* An action upon a node; besides the faults, the end of a pause. */
struct deed {
    uint64_t tick, ticks;
    uint32_t node;
    enum net_fault_kind kind;
    bool resume;
};

struct course {
    struct cast *c;
    struct deed *deeds; /* by tick */
    uint32_t deeds_count, deeds_done;
    uint64_t deadline;
    bool insane; /* a node found its state impossible */
};

static bool is_up(const struct cast *c, uint32_t node)
{
    return c->actors[node].pid != 0 || c->actors[node].far;
}

static uint64_t since_start(const struct cast *c)
{
    uint64_t now = live_now();

    return c->start && now > c->start ? now - c->start : 0;
}

/* ---- What was done ------------------------------------------------------- */

/* A piece of memory that is freed with the log. */
struct live_block {
    struct live_block *next;
    _Alignas(8) uint8_t bytes[];
};

static void *keep(struct live_log *log, const void *bytes, size_t size)
{
    struct live_block *b = size ? malloc(sizeof *b + size) : NULL;

    if (!b)
        return NULL;
    memcpy(b->bytes, bytes, size);
    b->next = log->blocks;
    log->blocks = b;
    return b->bytes;
}

static bool log_act(struct live_log *log, const struct live_logged *a,
                    size_t msg_size)
{
    size_t sends_size = a->act.sends * sizeof *a->sends;
    size_t read = a->act.kind == LIVE_ACT_READ ? msg_size : 0;
    struct live_logged *at;

    if (!net_grow(&log->acts, log->acts_count, sizeof *log->acts))
        return false;
    at = &log->acts[log->acts_count++];
    *at = *a;
    at->msg = keep(log, a->msg, read);
    at->sends = keep(log, a->sends, sends_size);
    return (at->msg || !read) && (at->sends || !sends_size);
}

static bool log_blow(struct live_log *log, const struct live_blow *blow)
{
    if (!net_grow(&log->blows, log->blows_count, sizeof *log->blows))
        return false;
    log->blows[log->blows_count++] = *blow;
    return true;
}

void live_log_free(struct live_log *log)
{
    while (log->blocks) {
        struct live_block *b = log->blocks;

        log->blocks = b->next;
        free(b);
    }
    free(log->acts);
    free(log->blows);
    *log = (struct live_log){.tick = 0};
}

/* ---- Reports ------------------------------------------------------------- */

/* Messages under way, as far as this act tells. */
static void count_messages(struct cast *c, uint32_t node,
                           const struct live_logged *l)
{
    struct actor *a = &c->actors[node];

    for (uint32_t i = 0; i < l->act.sends; i++) {
        const struct live_send *s = &l->sends[i];
        const struct actor *to = &c->actors[s->to];

        if (!s->lost && is_up(c, s->to) && !to->boots &&
            (!s->to_life || s->to_life == to->life))
            a->out[s->to] += 1 + s->copied;
    }
    if (l->act.kind == LIVE_ACT_READ) {
        struct actor *from = &c->actors[l->act.mark.from];

        if (from->life == l->act.mark.life)
            from->out[node]--;
    }
}

static void on_act(struct course *k, uint32_t node,
                   const struct live_note *note, const uint8_t *rest)
{
    struct cast *c = k->c;
    struct actor *a = &c->actors[node];
    size_t msg_size = c->play.type->msg_size;
    struct live_logged l = {
        .node = node,
        .life = a->life,
        .act = note->act,
        .msg = rest + note->sends * sizeof(struct live_send),
        .sends = (const struct live_send *)(const void *)rest};

    a->waits = note->act.waits;
    a->left = note->act.left;
    a->last = note->act.at;
    a->boots &= note->act.kind != LIVE_ACT_BOOT;
    k->insane |= note->act.insane;
    count_messages(c, node, &l);
    if (!log_act(c->log, &l, msg_size)) {
        c->failed = true;
        net_fail(c->error, "no memory for what the nodes do; stop "
                           "earlier by --until");
    }
}

/* A node has died; nobody asked for that, or it was killed just now. */
static void on_death(struct course *k, uint32_t node, bool unasked)
{
    struct cast *c = k->c;
    struct actor *a = &c->actors[node];
    struct live_blow blow = {.at = since_start(c),
                             .node = node,
                             .life = a->life,
                             .kind = NET_FAULT_CRASH,
                             .unasked = unasked};

    cast_kill(c, node);
    close(a->socket);
    a->socket = -1;
    a->waits = false;
    a->left = 0;
    a->died = live_now();
    if (blow.at <= a->last)
        blow.at = a->last + 1;
    for (uint32_t i = 0; i < c->nodes; i++)
        c->actors[i].out[node] = 0;
    c->down |= UINT64_C(1) << node;
    if (a->boots) /* it had not come back yet */
        return;
    if (!log_blow(c->log, &blow))
        c->failed = true;
    if (unasked && !c->start && !c->failed) {
        c->failed = true;
        net_refuse(c->error, "a node died before the start");
    }
}

/* One packet; false: there is none now. */
static bool hear(struct course *k, uint32_t node)
{
    struct cast *c = k->c;
    struct actor *a = &c->actors[node];
    struct live_note note;
    ssize_t size;

    if (a->socket < 0)
        return false;
    size = recv(a->socket, c->packet, c->packet_size, 0);
    if (size < 0)
        return false;
    if (size < (ssize_t)sizeof note) {
        if (a->pid) /* it was not killed by the stage */
            on_death(k, node, true);
        return false;
    }
    memcpy(&note, c->packet, sizeof note);
    if (note.node >= c->nodes)
        return true;
    node = note.node; /* it may speak for another machine */
    a = &c->actors[node];
    switch ((enum live_note_kind)note.kind) {
    case LIVE_NOTE_READY:
        a->ready = true;
        a->life = note.life;
        if (note.round_trip > c->log->round_trip)
            c->log->round_trip = note.round_trip;
        if (note.late > c->log->late)
            c->log->late = note.late;
        break;
    case LIVE_NOTE_ACT:
        on_act(k, node, &note, c->packet + sizeof note);
        break;
    case LIVE_NOTE_FAILED:
        c->failed = true;
        net_refuse(c->error, "%.*s", (int)(size - (ssize_t)sizeof note),
                   (const char *)c->packet + sizeof note);
        break;
    }
    return true;
}

/* Waits for news up to a time of the clock, and hears what there is. */
static void listen_until(struct course *k, uint64_t until)
{
    struct cast *c = k->c;
    struct pollfd polled[LIVE_PEERS_MAX];
    uint64_t now = live_now(), us = until > now ? until - now : 0;
    struct timespec most = {(time_t)(us / 1000000),
                            (long)(us % 1000000) * 1000};

    for (uint32_t i = 0; i < c->nodes; i++)
        polled[i] = (struct pollfd){c->actors[i].socket, POLLIN, 0};
    if (ppoll(polled, c->nodes, &most, NULL) <= 0)
        return;
    for (uint32_t i = 0; i < c->nodes; i++)
        while (polled[i].revents && !c->failed && hear(k, i))
            ;
}

/* ---- The start ----------------------------------------------------------- */

static bool is_stopped(const struct course *k)
{
    atomic_bool *stop = k->c->stage->stop;

    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

static bool all_are_ready(const struct cast *c)
{
    for (uint32_t i = 0; i < c->nodes; i++)
        if (!c->actors[i].ready)
            return false;
    return true;
}

/* A tick lasts long enough for a message to arrive and for the reader to be
 * awake by then: twice the longest of both that was measured. */
static uint64_t choose_tick(struct cast *c)
{
    uint64_t us = 2 * (c->log->round_trip + c->log->late);

    if (c->stage->tick)
        return c->stage->tick;
    c->log->calibrated = true;
    if (us < TICK_CALIBRATED_US)
        return TICK_CALIBRATED_US;
    us = (us + TICK_ROUND_US - 1) / TICK_ROUND_US * TICK_ROUND_US;
    return us < LIVE_TICK_MOST_US ? us : (uint64_t)LIVE_TICK_MOST_US;
}

/* A node on another machine: its first events are known here. */
static void begin_far(struct cast *c, uint32_t node)
{
    struct live_host *h = live_host_new(&c->play, node);

    c->actors[node].waits = h && live_host_next(h) != FC_NEVER;
    c->actors[node].left = c->actors[node].waits && c->play.type->repeats;
    live_host_free(h);
}

static bool begin(struct course *k)
{
    struct cast *c = k->c;
    uint64_t limit = live_now() + (c->stage->config ? READY_FAR_US : READY_US);

    for (uint32_t i = 0; i < c->nodes; i++) {
        c->actors[i].far = c->stage->config && i != c->stage->self;
        if (c->actors[i].far)
            begin_far(c, i);
        else if (!cast_start(c, i, false, false))
            return false;
    }
    while (!all_are_ready(c) && !c->failed && !is_stopped(k)) {
        listen_until(k, live_now() + LOOK_US);
        if (live_now() > limit)
            return net_refuse(c->error, "the nodes did not meet in time; are "
                                        "all of them started?");
    }
    if (c->failed)
        return false;
    c->tick = c->log->tick = choose_tick(c);
    c->start = live_now() + SIGNAL_US;
    cast_order(c, LIVE_ORDER_GO);
    return true;
}

/* ---- Deeds --------------------------------------------------------------- */

static int by_tick(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;

    if (x->tick != y->tick)
        return (x->tick > y->tick) - (x->tick < y->tick);
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static bool plan_deeds(struct course *k)
{
    const struct live_stage *s = k->c->stage;

    k->deeds = calloc(2 * (size_t)s->faults_count + 1, sizeof *k->deeds);
    if (!k->deeds)
        return net_no_memory(k->c->error, "crashes and pauses");
    for (uint32_t i = 0; i < s->faults_count; i++) {
        const struct net_fault *f = &s->faults[i];
        struct deed d = {f->tick, f->ticks, f->node, f->kind, false};

        k->deeds[k->deeds_count++] = d;
        if (f->kind != NET_FAULT_PAUSE)
            continue;
        d.resume = true;
        d.tick = fc_add(f->tick, f->ticks);
        k->deeds[k->deeds_count++] = d;
    }
    qsort(k->deeds, k->deeds_count, sizeof *k->deeds, by_tick);
    return true;
}

static void crash(struct course *k, uint32_t node)
{
    if (!is_up(k->c, node))
        return;
    cast_kill(k->c, node); /* what it had told is in the socket */
    while (hear(k, node))
        ;
    on_death(k, node, false);
}

static void restart(struct course *k, uint32_t node, bool blank)
{
    struct cast *c = k->c;

    if (is_up(c, node))
        return;
    if (!cast_start(c, node, true, blank))
        c->failed = true;
    c->down &= ~(UINT64_C(1) << node);
}

/* A pause that began late, because this process was, lasts as long all the
 * same: else both signals would be sent at once. */
static void put_off_resume(struct course *k, const struct deed *paused)
{
    uint64_t now = since_start(k->c) / k->c->tick;
    uint32_t next = (uint32_t)(paused - k->deeds) + 1;

    for (uint32_t i = next; i < k->deeds_count; i++) {
        struct deed *d = &k->deeds[i];

        if (!d->resume || d->node != paused->node)
            continue;
        if (d->tick < fc_add(now, paused->ticks))
            d->tick = fc_add(now, paused->ticks);
        break;
    }
    qsort(k->deeds + next, k->deeds_count - next, sizeof *k->deeds, by_tick);
}

static void pause_node(struct course *k, const struct deed *d)
{
    struct cast *c = k->c;
    struct actor *a = &c->actors[d->node];
    struct live_blow blow = {.at = since_start(c),
                             .node = d->node,
                             .life = a->life,
                             .kind = NET_FAULT_PAUSE,
                             .ticks = d->ticks};

    if (!is_up(c, d->node))
        return;
    (void)kill(a->pid, d->resume ? SIGCONT : SIGSTOP);
    if (d->resume)
        return;
    put_off_resume(k, d);
    if (!a->boots && !log_blow(c->log, &blow))
        c->failed = true;
}

static void cut(struct course *k, const struct deed *d)
{
    struct cast *c = k->c;
    struct live_blow blow = {
        .at = since_start(c), .node = d->node, .kind = d->kind};
    uint64_t bit = UINT64_C(1) << d->node;

    c->apart = d->kind == NET_FAULT_CUT ? c->apart | bit : c->apart & ~bit;
    if (!log_blow(c->log, &blow))
        c->failed = true;
}

static uint64_t time_of(const struct cast *c, uint64_t tick)
{
    return fc_add(c->start, fc_times(tick, c->tick));
}

static void do_deeds(struct course *k)
{
    struct cast *c = k->c;
    uint32_t done = k->deeds_done;

    for (; k->deeds_done < k->deeds_count && !c->failed; k->deeds_done++) {
        const struct deed *d = &k->deeds[k->deeds_done];

        if (time_of(c, d->tick) > live_now())
            break;
        switch (d->kind) {
        case NET_FAULT_CRASH:
            crash(k, d->node);
            break;
        case NET_FAULT_RESTART:
        case NET_FAULT_RESTART_BLANK:
            restart(k, d->node, d->kind == NET_FAULT_RESTART_BLANK);
            break;
        case NET_FAULT_PAUSE:
            pause_node(k, d);
            break;
        case NET_FAULT_CUT:
        case NET_FAULT_JOINED:
            cut(k, d);
            break;
        case NET_FAULT_CHANGE: /* the command line refuses it */
            break;
        }
    }
    if (k->deeds_done != done)
        cast_order(c, LIVE_ORDER_STATE);
}

/* ---- The end ------------------------------------------------------------- */

/* All that were reported have arrived and were read; what a dead node sent had
 * time to. */
static bool nothing_under_way(const struct cast *c)
{
    uint64_t now = live_now();

    for (uint32_t i = 0; i < c->nodes; i++) {
        const struct actor *a = &c->actors[i];

        if (a->died && now - a->died < LAST_WORDS_US)
            return false;
        for (uint32_t j = 0; is_up(c, i) && j < c->nodes; j++)
            if (a->out[j] != 0 && is_up(c, j))
                return false;
    }
    return true;
}

/* Whether nothing can happen any more; or, where something always does, whether
 * the applications have done their work. */
static bool is_over(const struct course *k)
{
    const struct cast *c = k->c;
    bool waits = false, works = false;

    if (k->deeds_done < k->deeds_count || live_now() < c->start)
        return false;
    for (uint32_t i = 0; i < c->nodes; i++) {
        waits |= c->actors[i].waits;
        works |= c->actors[i].left > 0 || c->actors[i].boots;
    }
    if (c->stage->restless && !works) {
        c->log->done = true;
        return true;
    }
    c->log->quiet = !waits && nothing_under_way(c);
    return c->log->quiet;
}

static void go_on(struct course *k)
{
    struct cast *c = k->c;
    uint64_t length = fc_times(fc_add(c->stage->until, 1), c->tick);

    if (length > c->stage->patience)
        length = c->stage->patience;
    k->deadline = c->start + length;
    while (!c->failed && !k->insane && !is_over(k)) {
        uint64_t now = live_now(), next = now + LOOK_US;

        if (is_stopped(k) || now >= k->deadline)
            break;
        if (k->deeds_done < k->deeds_count &&
            time_of(c, k->deeds[k->deeds_done].tick) < next)
            next = time_of(c, k->deeds[k->deeds_done].tick);
        if (k->deadline < next)
            next = k->deadline;
        listen_until(k, next);
        do_deeds(k);
    }
    c->log->stopped = is_stopped(k);
    c->log->end = since_start(c);
    if (c->stage->config) {
        uint64_t until = live_now() + END_US;

        cast_order(c, LIVE_ORDER_END);
        while (live_now() < until && !c->failed && is_up(c, c->stage->self))
            listen_until(k, until);
    }
    for (uint32_t i = 0; i < c->nodes; i++)
        cast_kill(c, i);
    for (uint32_t i = 0; i < c->nodes;
         i++) /* messages that are still in the sockets */
        while (!c->failed && hear(k, i))
            ;
}

/* Nobody is on stage yet; NULL with a sentence. */
static struct cast *new_cast(const struct live_stage *stage,
                             struct live_log *log, struct net_why *error)
{
    struct cast *c = calloc(1, sizeof *c);

    if (!c) {
        net_no_memory(error, "the stage");
        return NULL;
    }
    c->stage = stage;
    c->play = *stage->play;
    c->nodes = stage->play->net->world.nodes;
    c->log = log;
    c->error = error;
    return c;
}

bool live_stage_join(const struct live_stage *stage, struct net_why *error)
{
    struct live_log log = {.tick = 0};
    struct cast *c = new_cast(stage, &log, error);
    struct course k = {.c = c};
    bool fine = false;

    if (!c)
        return false;
    if (cast_begin(c) && cast_start(c, stage->self, false, false)) {
        c->start = 1; /* its death is not one before the start */
        while (!c->failed && !is_stopped(&k) &&
               c->actors[stage->self].socket >= 0)
            listen_until(&k, live_now() + LOOK_US);
        fine = !c->failed;
    }
    cast_end(c);
    live_log_free(&log);
    free(c);
    return fine;
}

bool live_stage_play(const struct live_stage *stage, struct live_log *log,
                     struct net_why *error)
{
    struct cast *c = new_cast(stage, log, error);
    struct course k = {.c = c};
    bool fine = false;

    *log = (struct live_log){.tick = 0};
    if (!c)
        return false;
    if (cast_begin(c) && plan_deeds(&k) && begin(&k)) {
        go_on(&k);
        fine = !c->failed;
    }
    cast_end(c);
    free(k.deeds);
    free(c);
    return fine;
}
