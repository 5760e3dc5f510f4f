/*
 * daemon.c - the process of a node in a rehearsal: what happens to it, and what
 * it does, one thing after the other; it can be stopped before each.
 */
#include "live/rehearse/world.h"

#include "live/record/record.h"

#include <stdio.h>
#include <string.h>

enum {
    SECOND = 1000000,
    WAKE_LATE = 200, /* microseconds: no timer is later */
    LOOK_AFTER = 1000,
    STOP_LOOK = 5000,
    STOP_MAX = 3 * SECOND,
    OVER_SEEN = 50, /* at one of 50 beats somebody sees that the mode ended */
};

static const char *name_of(const struct world *w, const struct machine *m)
{
    return w->config->nodes[m->id].name;
}

static struct event for_daemon(const struct machine *m, enum event_kind kind)
{
    return (struct event){
        .kind = (uint8_t)kind, .node = (uint8_t)m->id, .life = m->life};
}

/* ---- Doing --------------------------------------------------------------- */

static void serve(struct world *w, struct machine *m, struct live_desk_in in)
{
    in.now = world_local_now(w, m);
    live_node_serve(&m->node, &in, &m->effects);
}

/* P1: the node is told when the record is on disk, and not before. */
static void begin_write(struct world *w, struct machine *m)
{
    uint64_t took = world_draw_between(w, 100, m->write_max);
    struct event e = for_daemon(m, EV_WRITTEN);

    if (w->choices)
        took = choice_write(w, m);
    m->writing = m->node.mode->kind->record(m->node.mode);
    m->writes = true;
    e.token = took;
    world_post(w, w->now + took, e);
    if (w->setup->without.machine == LIVE_WITHOUT_P1)
        live_node_written(&m->node, &m->writing, world_local_now(w, m),
                          &m->effects);
}

/* Nothing that follows leaves before it is written: the daemon waits for its
 * disk. */
static void write_here(struct world *w, struct machine *m)
{
    m->sure_at = w->now + world_draw_between(w, 100, m->write_max);
    m->before = m->disk;
    m->disk = m->node.mode->kind->record(m->node.mode);
    if (m->daemon.frozen < m->sure_at) {
        m->daemon.frozen = m->sure_at;
        world_post(w, m->sure_at, for_daemon(m, EV_GO_ON));
    }
}

/* Like driver.c: holders are stopped, and the process ends. */
static void break_down(struct world *w, struct machine *m, const char *why)
{
    char text[NET_WHY_SIZE];

    snprintf(text, sizeof text, "%s", why);
    if (!m->may_break && !m->set_back && !m->repaired)
        judge(w, LIVE_NODE_BROKE, "%s stops: %.200s", name_of(w, m), text);
    live_effects_clear(&m->effects);
    m->next = 0;
    serve(w, m, (struct live_desk_in){.event = LIVE_STOPS, .why = text});
    for (size_t i = 0; i < m->effects.count; i++)
        if (m->effects.list[i].kind >= LIVE_DO_GRANT)
            people_told(w, m, &m->effects.list[i]);
    daemon_die(w, m, text);
    world_post(w, w->now + world_draw_between(w, SECOND / 2, 3 * SECOND),
               for_daemon(m, EV_START));
}

/* False: it is dead. */
static bool do_one(struct world *w, struct machine *m,
                   const struct live_effect *e)
{
    switch (e->kind) {
    case LIVE_DO_NOTHING:
        break;
    case LIVE_DO_SEND:
        network_send(w, m, e->whom, live_effect_bytes(&m->effects, e), e->size);
        break;
    case LIVE_DO_WRITE:
    case LIVE_DO_WRITE_HERE:
        if (m->disk_full) {
            m->may_break = true;
            break_down(w, m, "the disk is full");
            return false;
        }
        if (e->kind == LIVE_DO_WRITE)
            begin_write(w, m);
        else
            write_here(w, m);
        break;
    case LIVE_DO_BREAK:
        break_down(w, m, e->why);
        return false;
    default:
        people_told(w, m, e);
        break;
    }
    return true;
}

/* K1: what has arrived is read first, so that a daemon with much to read comes
 * late to what the protocol wants. */
static uint64_t lateness(struct world *w)
{
    return w->stall && world_chance(w, 1, 4)
               ? world_draw_span(w, 100, w->config->lease)
               : world_draw_below(w, WAKE_LATE);
}

/* Timers of its own clock, which wake it a little late. */
static void set_timers(struct world *w, struct machine *m)
{
    uint64_t host = live_node_wake(&m->node);
    uint64_t desk = m->node.desk.wake;
    struct event e;

    if (host != m->host_at && host != UINT64_MAX) {
        e = for_daemon(m, EV_HOST_DUE);
        e.token = host;
        world_post(w, world_time(w, m, host) + lateness(w), e);
    }
    m->host_at = host;
    if (desk != m->desk_at && desk != UINT64_MAX) {
        e = for_daemon(m, EV_DESK_DUE);
        e.token = desk;
        world_post(w, world_time(w, m, desk) + world_draw_below(w, WAKE_LATE),
                   e);
    }
    m->desk_at = desk;
}

/* Whether it is stopped for a while: most often about a promise, which others
 * rely on while the node knows nothing. */
static bool stalls(struct world *w, struct machine *m)
{
    if (w->choices)
        choice_act(w, m);
    else if (world_chance(w, m->promises ? w->stall_promise : w->stall,
                          1000000))
        daemon_freeze(w, m,
                      w->now + faults_standstill(w, m, 3 * w->config->lease));
    return !judge_is_running(w, &m->daemon);
}

/* One after the other; before each, and behind the last, it may be stopped. */
static void go_on(struct world *w, struct machine *m)
{
    bool busy = m->next < m->effects.count;

    while (m->next < m->effects.count) {
        if (stalls(w, m))
            return;
        if (!do_one(w, m, &m->effects.list[m->next++]))
            return;
        if (!judge_is_running(w, &m->daemon))
            return; /* for its disk */
    }
    if (busy && !w->choices)
        (void)stalls(w, m);
    m->promises = false;
    live_effects_clear(&m->effects);
    m->next = 0;
    if (m->daemon.alive)
        set_timers(w, m);
}

/* ---- What happens -------------------------------------------------------- */

static void on_told(struct world *w, struct machine *m,
                    const struct live_opened *o)
{
    struct live_mode *mode = m->node.mode;

    if (w->setup->without.machine == LIVE_WITHOUT_P4 ||
        live_known_more(&m->self, &o->known, mode->kind->promised(mode)) ==
            LIVE_NO_MORE)
        return;
    world_story(w, "%s: %s knows more of it than its record", name_of(w, m),
                w->config->nodes[o->from].name);
    m->missing = true; /* it is not trusted any more */
    live_effect_add(&m->effects, LIVE_DO_BREAK)->why = "it was set back";
}

static void on_datagram(struct world *w, struct machine *m,
                        const struct event *e)
{
    struct live_opened *o = &w->opened;
    enum live_verdict verdict =
        live_open(&m->self, m->channels, e->bytes, e->size, o);
    uint64_t echo, shown;

    if (verdict != LIVE_ODD && live_greets_back(verdict, o, m->channels, &echo))
        network_hello(w, m, o->from, echo);
    if (verdict == LIVE_GREETED)
        on_told(w, m, o);
    if (verdict == LIVE_FOREIGN)
        change_meet(w, m, e->what, &o->stranger);
    if (verdict != LIVE_GOOD)
        return;
    live_node_take(&m->node, o->from, m->channels[o->from].life,
                   (struct live_unread){o->bytes, o->size},
                   world_local_now(w, m), &m->effects);
    shown = m->node.mode->kind->shown(m->node.mode, o->from);
    if (m->channels[o->from].maxv < shown)
        m->channels[o->from].maxv = shown;
}

static void on_written(struct world *w, struct machine *m,
                       const struct event *e)
{
    if (!m->writes)
        return;
    m->writes = false;
    m->old = m->disk;
    m->disk = m->writing;
    if (m->slowest < e->token)
        m->slowest = e->token;
    m->promises = true;
    if (w->setup->without.machine != LIVE_WITHOUT_P1)
        live_node_written(&m->node, &m->disk, world_local_now(w, m),
                          &m->effects);
}

static void sit_down(struct world *w, struct machine *m, const struct event *e)
{
    struct person *p = &m->people[e->who];
    uint32_t i = 0;

    while (i < SEATS && m->seats[i].used)
        i++;
    if (i == SEATS || p->life != e->token)
        return;
    m->seats[i] = (struct seat){.used = true, .who = e->who, .life = e->token};
    p->seat = i;
    serve(w, m,
          (struct live_desk_in){.event = LIVE_ASKED,
                                .client = i,
                                .lock = p->lock + 1,
                                .shared = p->shared,
                                .process = !p->alone,
                                .wait = p->patience,
                                .hold = p->hold,
                                .grace = p->grace});
}

static void on_letter(struct world *w, struct machine *m, const struct event *e)
{
    uint32_t i = 0;

    if (e->what == ASK) {
        sit_down(w, m, e);
        return;
    }
    while (i < SEATS && !(m->seats[i].used && m->seats[i].who == e->who &&
                          m->seats[i].life == e->token))
        i++;
    if (i == SEATS)
        return;
    serve(w, m,
          (struct live_desk_in){.event = e->what == RELEASE ? LIVE_GAVE
                                                            : LIVE_VANISHED,
                                .client = i});
}

/* Commands that it has killed, and that are dead. */
static void look(struct world *w, struct machine *m)
{
    bool again = false;

    for (uint32_t i = 0; i < SEATS; i++) {
        struct seat *s = &m->seats[i];
        const struct person *p = &m->people[s->who];

        if (!s->used || !s->killed)
            continue;
        if (p->life == s->life && p->command.alive && !p->alone) {
            again = true;
            continue;
        }
        s->killed = false;
        serve(w, m, (struct live_desk_in){.event = LIVE_DIED, .client = i});
    }
    if (again)
        world_post(w, w->now + LOOK_AFTER, for_daemon(m, EV_LOOK));
}

/* Somebody sees that the mode has ended here, and starts the node again. */
static void on_over(struct world *w, struct machine *m)
{
    judge_over(w, m);
    if (world_chance(w, 1, OVER_SEEN))
        daemon_stop(w, m);
}

static void on_timer(struct world *w, struct machine *m, const struct event *e)
{
    struct live_mode *mode = m->node.mode;

    if (e->kind == EV_DESK_DUE) {
        if (e->token != m->desk_at)
            return;
        m->desk_at = UINT64_MAX;
        serve(w, m, (struct live_desk_in){.event = LIVE_TIME});
    } else if (e->token == m->host_at) {
        m->host_at = UINT64_MAX;
        if (mode->kind->disk)
            mode->kind->disk(mode, m->slowest);
        live_node_due(&m->node, world_local_now(w, m), &m->effects);
        judge_node(w, m);
        if (mode->kind->over && mode->kind->over(mode))
            on_over(w, m);
    }
}

/* An orderly stop, as live/daemon/daemon.c does it: holders are stopped; when
 * they are dead the others are told; and then there is time to hear of it. */
static void on_stopping(struct world *w, struct machine *m)
{
    struct live_mode *mode = m->node.mode;
    struct event again = for_daemon(m, EV_LEFT);

    if (m->told || w->now - m->stop_at > STOP_MAX) {
        daemon_die(w, m, "stopped");
        world_post(w, w->now + world_draw_between(w, SECOND / 10, 2 * SECOND),
                   for_daemon(m, EV_START));
        return;
    }
    serve(w, m,
          (struct live_desk_in){
              .event = LIVE_STOPS, .end = UINT64_MAX, .why = "it stops"});
    m->told = live_desk_idle(&m->node.desk);
    if (m->told)
        live_node_leave(&m->node, world_local_now(w, m), &m->effects);
    world_post(w, w->now + (m->told ? mode->kind->farewell(mode) : STOP_LOOK),
               again);
}

/* Of the system, while the daemon stands still; a timer is late after that, as
 * at any time. */
static void wait_in_queue(struct world *w, struct machine *m, struct event *e)
{
    uint64_t at = m->daemon.frozen;

    world_post(w, e->kind == EV_HOST_DUE ? at + lateness(w) : at, *e);
    e->bytes = NULL;
}

void daemon_event(struct world *w, struct machine *m, struct event *e)
{
    if (!m->daemon.alive || (e->kind != EV_DATAGRAM && e->life != m->life))
        return;
    if (!judge_is_running(w, &m->daemon)) {
        wait_in_queue(w, m, e);
        return;
    }
    switch (e->kind) {
    case EV_DATAGRAM:
        on_datagram(w, m, e);
        break;
    case EV_LETTER:
        on_letter(w, m, e);
        break;
    case EV_WRITTEN:
        on_written(w, m, e);
        break;
    case EV_LOOK:
        look(w, m);
        break;
    case EV_LEFT:
        on_stopping(w, m);
        break;
    case EV_GO_ON:
        break;
    default:
        on_timer(w, m, e);
        break;
    }
    go_on(w, m);
}

void daemon_stop(struct world *w, struct machine *m)
{
    if (!m->daemon.alive || m->stop_at)
        return;
    world_story(w, "%s: its daemon is told to stop", name_of(w, m));
    m->stop_at = w->now;
    world_post(w, w->now, for_daemon(m, EV_LEFT));
}

void daemon_freeze(struct world *w, struct machine *m, uint64_t until)
{
    if (!m->daemon.alive || until <= m->daemon.frozen ||
        !faults_may_rest(w, m, &m->daemon))
        return;
    m->daemon.frozen = until;
    world_post(w, until, for_daemon(m, EV_GO_ON));
}

/* ---- Life and death ------------------------------------------------------ */

void daemon_die(struct world *w, struct machine *m, const char *how)
{
    if (!m->daemon.alive)
        return;
    world_story(w, "%s: its daemon ends: %s", name_of(w, m), how);
    m->daemon = (struct process){0};
    m->may_break = false;
    if (m->writes &&
        world_chance(w, 1, 2)) { /* the write came through, or not */
        m->old = m->disk;
        m->disk = m->writing;
    }
    m->writes = false;
    if (w->now < m->sure_at && world_chance(w, 1, 2))
        m->disk = m->before;
    live_node_close(&m->node);
    live_effects_clear(&m->effects);
    m->next = 0;
    for (uint32_t i = 0; i < w->setup->clients; i++)
        people_hung_up(w, m, i);
}

/* P3: a record is missing, or is not trusted: every other node is asked, and
 * then a lease is outwaited.  False: somebody does not answer. */
static bool repair(struct world *w, struct machine *m)
{
    const struct live_mode_kind *kind = live_mode_of(w->config);
    struct live_kept kept = {.starts = m->disk.starts};
    uint32_t off = 0;

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *o = &w->machines[i];

        if (i != m->id && !o->daemon.alive && !o->missing &&
            off < live_record_may_lack(w->nodes)) {
            off++;
            continue;
        }
        if (i == m->id || w->setup->without.machine == LIVE_WITHOUT_P3)
            continue;
        if (!judge_is_running(w, &o->daemon) || o->missing || w->cut[i] ||
            (w->cut[m->id] >> i & 1))
            return false;
        kind->remind(&kept, kind->promised(o->node.mode));
        kind->remind(&kept, o->channels[m->id].maxv);
        if (kept.starts < o->channels[m->id].life)
            kept.starts = (uint32_t)o->channels[m->id].life;
    }
    world_story(w, "%s: its record is repaired", name_of(w, m));
    m->disk = m->old = kept;
    m->missing = m->set_back = false;
    m->repaired = true;
    return true;
}

static void open_links(struct world *w, struct machine *m)
{
    m->self = (struct live_self){.hash = m->file->generation,
                                 .life = m->disk.starts,
                                 .salt = world_draw(w) | 1,
                                 .id = m->id,
                                 .nodes_count = m->file->nodes_count,
                                 .generation = m->file->generation,
                                 .keys = &w->keys};
    m->met = (struct live_met){0};
    memset(m->hello_at, 0, sizeof m->hello_at);
    for (uint32_t i = 0; i < w->nodes; i++)
        live_channel_open(&m->channels[i], w->config->key, m->id, i);
}

static void leave_out(struct live_mode *mode, const struct live_left_out *out)
{
    struct live_engine *engine;

    if (mode->config->mode == LIVE_SILENCE) {
        live_silence_leave_out(mode, out->silence);
        return;
    }
    engine = live_mode_engine(mode);
    engine->params.without = out->protocol;
    engine->hasty = out->machine == LIVE_WITHOUT_VACATE;
}

void daemon_open(struct world *w, struct machine *m, struct live_mode *mode)
{
    leave_out(mode, &w->setup->without);
    live_node_open(&m->node, mode, w->setup->without.desk);
}

/* The record has this start in it before anything is sent. */
static void begin_life(struct world *w, struct machine *m,
                       struct live_mode *mode)
{
    daemon_open(w, m, mode);
    memset(m->seats, 0, sizeof m->seats);
    m->daemon = (struct process){.alive = true};
    m->life++;
    m->host_at = m->desk_at = UINT64_MAX;
    m->slowest = m->stop_at = 0;
    m->told = m->promises = false;
    live_node_boot(&m->node, world_local_now(w, m), &m->effects);
    live_effects_clear(&m->effects);
    m->old = m->disk;
    m->disk = mode->kind->record(mode);
    open_links(w, m);
    live_node_written(&m->node, &m->disk, world_local_now(w, m), &m->effects);
    go_on(w, m);
}

void daemon_start(struct world *w, struct machine *m)
{
    struct net_why error;
    struct live_past past = {.kept = m->disk, .seed = world_draw(w)};
    struct live_mode *mode;

    if (w->setup->without.machine == LIVE_WITHOUT_FLOOR)
        memset(past.kept.bytes, 0, sizeof past.kept.bytes);
    if (m->daemon.alive)
        return;
    if (m->asleep > w->now || m->disk_full) {
        world_post(w, w->now + SECOND, for_daemon(m, EV_START));
        return;
    }
    if (m->missing) {
        world_post(
            w,
            w->now + (repair(w, m) ? 2 * live_config_quiet(w->config) : SECOND),
            for_daemon(m, EV_START));
        return;
    }
    if (!change_allows(m)) {
        world_post(w, w->now + SECOND, for_daemon(m, EV_START));
        return;
    }
    mode = live_mode_of(m->file)->open(m->file, m->id, &past, &error);
    if (!mode) {
        w->failed = true;
        return;
    }
    world_story(w, "%s: its daemon starts, number %u", name_of(w, m),
                m->disk.starts + 1);
    if (w->choices && !m->life)
        choice_start(w, m);
    begin_life(w, m, mode);
}
