/*
 * people.c - clients of a rehearsal, with their guards and commands, as
 * `fulcrum lock` has them: the guard and the client look at the same page with
 * the deadline, by the code of live/process/watch.c.
 */
#include "live/rehearse/world.h"

#include <inttypes.h>

enum {
    MS = 1000,
    SECOND = 1000000,
    LETTER = 20,  /* on its way to the daemon, or back */
    NOTICE = 300, /* until a process sees that another one has ended */
};

static struct event for_person(const struct machine *m, const struct person *p,
                               enum event_kind kind)
{
    return (struct event){.kind = (uint8_t)kind,
                          .node = (uint8_t)m->id,
                          .who = (uint8_t)(p - m->people),
                          .life = p->life};
}

static void write_letter(struct world *w, struct machine *m, struct person *p,
                         enum letter what)
{
    struct event e = for_person(m, p, EV_LETTER);

    e.what = (uint8_t)what;
    e.life = p->connected;
    e.token = p->life;
    if (p->connected)
        world_post(w, w->now + LETTER, e);
}

void people_ask_later(struct world *w, struct machine *m, uint32_t who,
                      uint64_t least)
{
    struct person *p = &m->people[who];

    p->state = AWAY;
    p->inside = false;
    p->connected = 0;
    p->life++;
    p->client = p->guard = p->command = (struct process){0};
    world_post(w, w->now + least + world_draw_span(w, 10 * MS, 2 * SECOND),
               for_person(m, p, EV_ASK));
}

/* A new client, with a process that waits to become its command. */
static void ask(struct world *w, struct machine *m, struct person *p)
{
    if (!m->daemon.alive || m->asleep > w->now) {
        people_ask_later(w, m, (uint32_t)(p - m->people), SECOND / 2);
        return;
    }
    p->state = ASKS;
    p->lock = (uint32_t)world_draw_below(w, w->setup->locks);
    p->shared = world_chance(w, 1, 4);
    p->alone = world_chance(w, 1, 4);
    p->patience =
        world_chance(w, 1, 4) ? world_draw_span(w, MS, SECOND) : UINT64_MAX;
    p->hold =
        world_chance(w, 1, 8) ? world_draw_span(w, 10 * MS, 5 * SECOND) : 0;
    if (w->setup->grace) {
        p->grace = world_draw_span(w, MS, w->config->lease);
        p->heeds = world_chance(w, 1, 2);
    }
    p->client.alive = p->command.alive = true;
    p->lost = false;
    p->page = (struct page){0};
    p->connected = m->life;
    write_letter(w, m, p, ASK);
}

/* ---- Its command --------------------------------------------------------- */

/* Its client, if there is one, sees that it has ended. */
static void ended(struct world *w, struct machine *m, struct person *p)
{
    p->command.alive = p->inside = false;
    if (p->client.alive)
        world_post(w, w->now + NOTICE, for_person(m, p, EV_WATCH));
    else
        people_ask_later(w, m, (uint32_t)(p - m->people), SECOND / 10);
}

/* When a command is dead that is killed now.  It may be in the middle of
 * something: it is dead a little later, and until then it acts.  So much of K
 * is for that.  One that stands still is dead before it acts again, be it that
 * its machine was asleep, or that it was stopped longer than that: only the
 * token helps where this is not so (rule K5). */
static uint64_t death_of(struct world *w, const struct machine *m,
                         const struct person *p)
{
    uint64_t frozen = p->command.frozen, at;

    if (w->now == frozen)
        return frozen;
    at = w->now + (w->choices ? choice_death(w, m)
                              : world_draw_below(w, w->config->kill / 2));
    return w->now < frozen && frozen < at ? frozen : at;
}

void people_kill_command(struct world *w, struct machine *m, struct person *p,
                         const char *by)
{
    if (!p->command.alive || p->lost)
        return;
    p->lost = true;
    if (!p->inside || p->alone) {
        w->result->lost += p->inside;
        ended(w, m, p);
        return;
    }
    w->result->lost++;
    world_story(w,
                "%s: the command with token %" PRIu64
                " is killed by %s, %" PRId64 " us after its deadline",
                w->config->nodes[m->id].name, p->token, by,
                (int64_t)(world_local_now(w, m) - p->page.promised));
    world_post(w, death_of(w, m, p), for_person(m, p, EV_DEAD));
}

static void on_dead(struct world *w, struct machine *m, struct person *p)
{
    judge_killed(w, m, p);
    ended(w, m, p);
}

static uint64_t work_time(struct world *w, struct machine *m, struct person *p)
{
    uint64_t any = world_draw_span(w, MS, 4 * w->config->lease);

    if (w->choices)
        return choice_hold(w, m, p);
    return w->calm ? world_draw_between(w, MS, 200 * MS) : any;
}

static void enter(struct world *w, struct machine *m, struct person *p)
{
    p->state = WORKS;
    p->inside = true;
    p->ends_at = w->now + work_time(w, m, p);
    world_story(w, "%s: inside lock %u with token %" PRIu64 "%s",
                w->config->nodes[m->id].name, p->lock, p->token,
                p->shared ? ", shared" : "");
    world_post(w, p->ends_at, for_person(m, p, EV_END));
    judge_begins(w, m, p);
}

/* The last thing before it begins: a process that was held up until here has
 * lost the lock meanwhile. */
static void begin_command(struct world *w, struct machine *m, struct person *p)
{
    if (world_local_now(w, m) < p->start_deadline ||
        w->setup->without.machine == LIVE_WITHOUT_START)
        enter(w, m, p);
    else
        people_kill_command(w, m, p, "itself");
}

/* ---- Client and guard ---------------------------------------------------- */

/* It tells its daemon, or just goes away: the system closes its connection. */
static void release(struct world *w, struct machine *m, struct person *p)
{
    p->guard.alive = false;
    if (!p->connected) {
        people_ask_later(w, m, (uint32_t)(p - m->people), SECOND / 10);
    } else if (p->lost && world_chance(w, 1, 2)) {
        write_letter(w, m, p, HANG_UP);
        people_ask_later(w, m, (uint32_t)(p - m->people), SECOND / 10);
    } else {
        p->state = RELEASES;
        write_letter(w, m, p, RELEASE);
    }
}

static void set_guard(struct world *w, struct machine *m, struct person *p)
{
    if (w->setup->without.machine == LIVE_WITHOUT_GUARD)
        return;
    p->guard = (struct process){.alive = true};
    live_watcher_begin(&p->by_guard, &p->watch, LIVE_BY_GUARD, w->config->kill,
                       world_local_now(w, m));
    world_post(w, w->now, for_person(m, p, EV_GUARD));
}

static void on_granted(struct world *w, struct machine *m, struct person *p)
{
    if (world_local_now(w, m) >= p->page.deadline) {
        p->lost = true;
        release(w, m, p);
        return;
    }
    p->state = STARTS;
    if (p->alone) {
        enter(w, m, p);
        world_post(w, world_time(w, m, p->page.deadline),
                   for_person(m, p, EV_WATCH));
        return;
    }
    live_watcher_begin(&p->by_client, &p->watch, LIVE_BY_CLIENT,
                       w->config->kill, world_local_now(w, m));
    set_guard(w, m, p);
    p->start_deadline = p->page.deadline;
    world_post(w, w->now + world_draw_span(w, 20, MS),
               for_person(m, p, EV_BEGIN));
    world_post(w, w->now + 1, for_person(m, p, EV_WATCH));
    if (w->choices)
        choice_granted(w, m);
}

/* Whether the deadline is over for this watcher; else when it looks again. */
static bool is_over(const struct world *w, const struct machine *m,
                    const struct person *p, struct live_watcher *by,
                    uint64_t *next)
{
    uint64_t now = world_local_now(w, m), end = p->page.deadline, margin;

    live_watcher_wake(by, now);
    margin = live_watcher_margin(by, now);
    if (now >= end || margin >= end - now)
        return true;
    end -= margin;
    *next = world_time(w, m, end < by->next ? end : by->next);
    return false;
}

static void on_watch(struct world *w, struct machine *m, struct person *p)
{
    bool blind = w->setup->without.machine == LIVE_WITHOUT_CLIENT;
    uint64_t next = w->now + SECOND;

    if (p->state != STARTS && p->state != WORKS)
        return;
    if (!p->command.alive) {
        release(w, m, p);
        return;
    }
    if (p->lost)
        return;     /* until it is dead */
    if (p->alone) { /* it looks at its deadline before each use */
        if (world_local_now(w, m) >= p->page.deadline)
            people_kill_command(w, m, p, "itself");
        else
            world_post(w, world_time(w, m, p->page.deadline),
                       for_person(m, p, EV_WATCH));
        return;
    }
    if (!p->guard.alive)
        set_guard(w, m, p);
    if (!blind && is_over(w, m, p, &p->by_client, &next))
        people_kill_command(w, m, p, "its client");
    else
        world_post(w, next, for_person(m, p, EV_WATCH));
}

static void on_guard(struct world *w, struct machine *m, struct person *p)
{
    uint64_t next;

    if (!p->command.alive || p->lost)
        return;
    if (!p->client.alive || is_over(w, m, p, &p->by_guard, &next))
        people_kill_command(w, m, p, "its guard");
    else
        world_post(w, next, for_person(m, p, EV_GUARD));
}

static void on_answer(struct world *w, struct machine *m, struct person *p,
                      enum letter what)
{
    uint32_t who = (uint32_t)(p - m->people);

    if (what == GRANTED && p->state == ASKS) {
        on_granted(w, m, p);
    } else if (what == REFUSED && p->state == ASKS) {
        write_letter(w, m, p, HANG_UP);
        people_ask_later(w, m, who, SECOND / 10);
    } else if (what == RELEASED && p->state == RELEASES) {
        write_letter(w, m, p, HANG_UP);
        people_ask_later(w, m, who, 0);
    } else if (what == LOST) {
        on_watch(w, m, p);
    }
}

/* ---- What happens -------------------------------------------------------- */

/* The process that an event is for. */
static struct process *process_of(struct person *p, enum event_kind kind)
{
    switch (kind) {
    case EV_DEAD:
    case EV_BEGIN:
    case EV_END:
    case EV_THAW:
        return p->alone ? &p->client : &p->command;
    case EV_GUARD:
        return &p->guard;
    default:
        return &p->client;
    }
}

static void on_end(struct world *w, struct machine *m, struct person *p)
{
    if (!p->inside || p->lost || w->now < p->ends_at)
        return;
    /* A program that looks at its deadline first has found it over. */
    if (p->alone && world_local_now(w, m) >= p->page.deadline) {
        people_kill_command(w, m, p, "itself");
        return;
    }
    ended(w, m, p);
}

void people_event(struct world *w, struct machine *m, struct event *e)
{
    struct person *p = &m->people[e->who];
    struct process *which = process_of(p, (enum event_kind)e->kind);

    if (e->life != p->life)
        return;
    if (e->kind == EV_ASK) {
        ask(w, m, p);
        return;
    }
    if (!which->alive)
        return;
    if (e->kind == EV_DEAD) { /* stopped or not */
        on_dead(w, m, p);
        return;
    }
    if (!judge_is_running(w, which)) {
        world_post(w, which->frozen, *e);
        return;
    }
    switch (e->kind) {
    case EV_ANSWER:
        on_answer(w, m, p, (enum letter)e->what);
        break;
    case EV_BEGIN:
        begin_command(w, m, p);
        break;
    case EV_END:
        on_end(w, m, p);
        break;
    case EV_WATCH:
        on_watch(w, m, p);
        break;
    case EV_GUARD:
        on_guard(w, m, p);
        break;
    default: /* EV_THAW */
        if (p->inside)
            judge_goes_on(w, m, p);
        break;
    }
}

/* ---- What its daemon does to it ------------------------------------------ */

static void answer(struct world *w, struct machine *m, struct person *p,
                   enum letter what)
{
    struct event e = for_person(m, p, EV_ANSWER);

    e.what = (uint8_t)what;
    world_post(w, w->now + LETTER, e);
}

/* SIGTERM, or a letter to a program: it comes to an end, in time or not. */
static void told_to_end(struct world *w, struct machine *m, struct person *p)
{
    uint64_t end = w->now + LETTER + world_draw_span(w, MS, 2 * p->grace);

    if (!p->heeds || !p->inside || end >= p->ends_at)
        return;
    world_story(w, "%s: the command with token %" PRIu64 " is told to end",
                w->config->nodes[m->id].name, p->token);
    p->ends_at = end;
    world_post(w, end, for_person(m, p, EV_END));
}

/* A kill reaches a command however it is stopped; the daemon sees a little
 * later that it is dead. */
static void killed(struct world *w, struct machine *m, struct person *p)
{
    struct event look = {
        .kind = EV_LOOK, .node = (uint8_t)m->id, .life = m->life};

    m->seats[p->seat].killed = true;
    p->page.deadline = 0;
    world_post(w, w->now + world_draw_between(w, 10, MS), look);
    people_kill_command(w, m, p, "its daemon");
}

void people_told(struct world *w, struct machine *m,
                 const struct live_effect *e)
{
    struct seat *s = &m->seats[e->whom];
    struct person *p = &m->people[s->who];
    struct event look = {
        .kind = EV_LOOK, .node = (uint8_t)m->id, .life = m->life};

    if (e->kind == LIVE_DO_REST) {
        if (s->life != p->life || !p->connected)
            s->used = false; /* and the connection is closed */
        return;
    }
    if (p->life != s->life || !p->connected) { /* it is gone already */
        if (e->kind == LIVE_DO_KILL) {
            s->killed = true;
            world_post(w, w->now + LETTER, look);
        }
        return;
    }
    switch (e->kind) {
    case LIVE_DO_GRANT:
        p->token = e->token;
        p->page = (struct page){e->deadline, e->deadline};
        answer(w, m, p, GRANTED);
        break;
    case LIVE_DO_MOVE:
        p->page = (struct page){e->deadline, e->deadline};
        break;
    case LIVE_DO_TELL:
        told_to_end(w, m, p);
        break;
    case LIVE_DO_KILL:
        answer(w, m, p, LOST);
        killed(w, m, p);
        break;
    case LIVE_DO_REFUSE:
        answer(w, m, p, REFUSED);
        break;
    case LIVE_DO_RELEASE:
        answer(w, m, p, RELEASED);
        break;
    default:
        break;
    }
}

void people_hung_up(struct world *w, struct machine *m, uint32_t who)
{
    struct person *p = &m->people[who];

    p->connected = 0;
    if (p->state == ASKS || p->state == RELEASES)
        people_ask_later(w, m, who, SECOND / 10);
}

/* kill -9.  Its connection is closed; its command, or what that has started,
 * runs on until somebody kills it. */
void people_die(struct world *w, struct machine *m, uint32_t who)
{
    struct person *p = &m->people[who];

    if (!p->client.alive || p->state == AWAY)
        return;
    world_story(w, "%s: a client is killed", w->config->nodes[m->id].name);
    write_letter(w, m, p, HANG_UP);
    p->client.alive = false;
    if (p->alone)
        p->command.alive = p->inside = false;
    if (p->command.alive && (p->state == STARTS || p->state == WORKS))
        world_post(w, w->now + NOTICE, for_person(m, p, EV_GUARD));
    else
        people_ask_later(w, m, who, SECOND / 10);
}

void people_freeze(struct world *w, struct machine *m, uint32_t who,
                   struct process *p, uint64_t until)
{
    if (!p->alive || until <= p->frozen)
        return;
    p->frozen = until;
    world_post(w, until, for_person(m, &m->people[who], EV_THAW));
}
