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
    m->written_at = w->now + took;
    e.token = took;
    world_post(w, w->now + took, e);
    if (w->setup->without.machine == LIVE_WITHOUT_P1)
        live_node_written(&m->node, &m->writing, world_local_now(w, m),
                          &m->effects);
}

/* Nothing that follows leaves before it is written: the daemon waits for its
 * disk.  False: it is dead. */
static bool write_here(struct world *w, struct machine *m)
{
    if (w->choices && !choice_write_here(w, m))
        return false;
    m->sure_at = w->now + world_draw_between(w, 100, m->write_max);
    m->before = m->disk;
    m->disk = m->node.mode->kind->record(m->node.mode);
    m->overtaken = m->overtaken || m->writes;
    m->writes = false;
    if (m->daemon.frozen < m->sure_at) {
        m->daemon.frozen = m->sure_at;
        world_post(w, m->sure_at, for_daemon(m, EV_GO_ON));
    }
    return true;
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
    case LIVE_DO_LISTS:
        if (!lists_apply(w, m, m->node.mode))
            daemon_stop(w, m);
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
        if (e->kind == LIVE_DO_WRITE_HERE)
            return write_here(w, m);
        begin_write(w, m);
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
void daemon_go_on(struct world *w, struct machine *m)
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
    if (m->daemon.alive && m->overtaken) {
        m->overtaken = false;
        live_node_written(&m->node, &m->disk, world_local_now(w, m),
                          &m->effects);
        world_post(w, w->now, for_daemon(m, EV_GO_ON));
    }
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
    enum live_verdict verdict;
    uint64_t echo, shown;

    if (!lists_admits(w, m, e->what))
        return;
    verdict = live_open(&m->self, m->channels, e->bytes, e->size, o);
    if (verdict != LIVE_ODD && live_greets_back(verdict, o, m->channels, &echo))
        network_hello(w, m, o->from, echo, o->slot);
    if (verdict == LIVE_GREETED)
        on_told(w, m, o);
    if (o->new_life || verdict == LIVE_GREETED)
        keys_tell(w, m, o->from, true);
    if (verdict == LIVE_SHOWN && w->rings)
        keys_hear(w, m);
    if (verdict == LIVE_FOREIGN)
        change_meet(w, m, e->what, &o->stranger);
    if (verdict != LIVE_GOOD)
        return;
    live_node_take(&m->node, o->from, m->channels[o->from].life,
                   (struct live_unread){o->bytes, o->size},
                   world_local_now(w, m), &m->effects);
    upgrade_judge(w, m);
    shown = m->node.mode->kind->shown(m->node.mode, o->from);
    if (m->channels[o->from].maxv < shown)
        m->channels[o->from].maxv = shown;
}

static void on_written(struct world *w, struct machine *m,
                       const struct event *e)
{
    if (!m->writes || w->now < m->written_at)
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
        /* Its clock is slower now.  It would matter to one whom nobody hears;
         * seeds without changes mean what they always did. */
        if (w->known && world_local_now(w, m) < e->token) {
            world_post(w, world_time(w, m, e->token), *e);
            return;
        }
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
    daemon_go_on(w, m);
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

bool daemon_change(struct world *w, struct machine *m,
                   const struct live_change *change)
{
    bool busy = m->next < m->effects.count, done;

    if (!m->daemon.alive || !judge_is_running(w, &m->daemon) || m->stop_at ||
        (busy && !w->choices))
        return false;
    done =
        live_node_change(&m->node, change, world_local_now(w, m), &m->effects);
    if (!busy)
        daemon_go_on(w, m); /* else what follows from it comes behind */
    return done;
}
