/*
 * faults.c - the faults of a rehearsed cluster, drawn from its seed.
 */
#include "live/rehearse/world.h"

#include <inttypes.h>
#include <string.h>

enum { MS = 1000, SECOND = 1000000, ORDERS = 25 };

const char *const live_fault_names[LIVE_FAULTS] = {
    [LIVE_FAULT_KILL] = "kill",
    [LIVE_FAULT_CRASH] = "crash",
    [LIVE_FAULT_FREEZE] = "freeze",
    [LIVE_FAULT_SLEEP] = "sleep",
    [LIVE_FAULT_STALL] = "stall",
    [LIVE_FAULT_CUT] = "cut",
    [LIVE_FAULT_FLAP] = "flap",
    [LIVE_FAULT_LOSS] = "loss",
    [LIVE_FAULT_DISK] = "disk",
    [LIVE_FAULT_OLD] = "old",
    [LIVE_FAULT_LOST] = "lost",
    [LIVE_FAULT_CLOCK] = "clock",
    [LIVE_FAULT_CLIENT] = "client",
    [LIVE_FAULT_STOP] = "stop",
    [LIVE_FAULT_GENERATION] = "generation",
    [LIVE_FAULT_CHANGE] = "change",
    [LIVE_FAULT_KEY] = "key",
    [LIVE_FAULT_UPGRADE] = "upgrade",
};

/* Mode silence rests on links that are there, and its numbers are in its own
 * record alone. */
uint32_t live_faults_unknown(enum live_mode_name mode)
{
    return mode == LIVE_SILENCE
               ? 1u << LIVE_FAULT_OLD | 1u << LIVE_FAULT_LOST |
                     1u << LIVE_FAULT_GENERATION | 1u << LIVE_FAULT_CHANGE
               : 0;
}

uint32_t live_faults_assumed(enum live_mode_name mode)
{
    uint32_t cuts = 1u << LIVE_FAULT_CUT | 1u << LIVE_FAULT_FLAP;
    uint32_t all = (1u << LIVE_FAULT_GENERATION) - 1; /* see draw_fault() */

    return mode == LIVE_SILENCE ? all & ~(cuts | live_faults_unknown(mode))
                                : all;
}

uint32_t live_faults_asked(void)
{
    return 1u << LIVE_FAULT_GENERATION | 1u << LIVE_FAULT_CHANGE |
           1u << LIVE_FAULT_KEY | 1u << LIVE_FAULT_UPGRADE;
}

uint32_t live_faults_deaf(uint32_t faults)
{
    const uint32_t deaf = 1u << LIVE_FAULT_CUT | 1u << LIVE_FAULT_FLAP |
                          1u << LIVE_FAULT_LOSS | 1u << LIVE_FAULT_FREEZE |
                          1u << LIVE_FAULT_SLEEP | 1u << LIVE_FAULT_STALL |
                          1u << LIVE_FAULT_OLD | 1u << LIVE_FAULT_LOST;

    return faults >> LIVE_FAULT_GENERATION & 1 ? faults & deaf : 0;
}

static const char *name_of(const struct world *w, const struct machine *m)
{
    return w->config->nodes[m->id].name;
}

static void start_later(struct world *w, struct machine *m, uint64_t least)
{
    world_post(
        w, w->now + least + world_draw_span(w, 10 * MS, 4 * w->config->lease),
        (struct event){.kind = EV_START, .node = (uint8_t)m->id});
}

static uint64_t a_while(struct world *w)
{
    return world_draw_span(w, MS, 5 * w->config->lease);
}

/* How long a node stands still: any time up to `most`, or until its lease has
 * just ended, because what it does first after that matters most. */
uint64_t faults_standstill(struct world *w, const struct machine *m,
                           uint64_t most)
{
    struct live_mode *mode = m->node.mode;
    uint64_t end = mode ? mode->kind->until(mode) : 0;
    uint64_t now = world_local_now(w, m);

    if (w->choices || end <= now || end - now > most || world_chance(w, 1, 2))
        return world_draw_span(w, MS / 10, most);
    return world_time(w, m, end) - w->now +
           world_draw_span(w, MS / 10, w->config->lease / 4);
}

/* ---- Processes that must not rest ---------------------------------------- */

static bool could_kill(const struct world *w, const struct process *p,
                       const struct process *victim, bool left_out)
{
    return p != victim && (left_out || judge_is_running(w, p));
}

/* A killer whose rule was left out counts as if it were there: that is what the
 * rule is for. */
bool faults_may_rest(const struct world *w, const struct machine *m,
                     const struct process *victim)
{
    const struct live_left_out *out = &w->setup->without;

    for (uint32_t k = 0; k < w->setup->clients; k++) {
        const struct person *p = &m->people[k];

        if (p->alone || !p->command.alive ||
            (p->state != STARTS && p->state != WORKS))
            continue;
        if (could_kill(w, &p->client, victim,
                       out->machine == LIVE_WITHOUT_CLIENT &&
                           judge_is_running(w, &p->client)) ||
            could_kill(w, &p->guard, victim,
                       out->machine == LIVE_WITHOUT_GUARD) ||
            (p->connected == m->life &&
             could_kill(w, &m->daemon, victim, false)))
            continue;
        return false;
    }
    return true;
}

/* ---- Processes ----------------------------------------------------------- */

static bool kill_daemon(struct world *w, struct machine *m)
{
    if (!m->daemon.alive || !faults_may_rest(w, m, &m->daemon))
        return false;
    daemon_die(w, m, "killed");
    start_later(w, m, 0);
    return true;
}

static void everybody_dies(struct world *w, struct machine *m)
{
    for (uint32_t k = 0; k < w->setup->clients; k++)
        if (m->people[k].state != AWAY) {
            m->people[k].inside = false;
            people_ask_later(w, m, k, SECOND);
        }
}

/* Whatever ran there is dead; the record is whole, as it was or as it was being
 * written. */
static bool crash(struct world *w, struct machine *m)
{
    world_story(w, "%s: the machine crashes", name_of(w, m));
    daemon_die(w, m, "its machine has crashed");
    everybody_dies(w, m);
    start_later(w, m, SECOND);
    return true;
}

static bool freeze_one(struct world *w, struct machine *m)
{
    uint64_t until = w->now + faults_standstill(w, m, 5 * w->config->lease);
    uint32_t who = (uint32_t)world_draw_below(w, w->setup->clients + 1);
    struct person *p = &m->people[who];
    struct process *of[] = {&p->client, &p->guard, &p->command};
    struct process *which = of[world_draw_below(w, 3)];

    if (who == w->setup->clients) {
        world_story(w, "%s: its daemon is stopped for %" PRIu64 " us",
                    name_of(w, m), until - w->now);
        daemon_freeze(w, m, until);
        return true;
    }
    if (!which->alive || !faults_may_rest(w, m, which))
        return false;
    if (world_chance(w, 1, 3)) /* the daemon as well, if it may */
        daemon_freeze(w, m, until);
    else if (which == &p->client && world_chance(w, 1, 2)) {
        people_freeze(w, m, who, which, until);
        which = &p->guard;
        if (!which->alive || !faults_may_rest(w, m, which))
            return true;
    }
    if (!faults_may_rest(w, m, which))
        return true;
    world_story(w, "%s: a %s is stopped for %" PRIu64 " us", name_of(w, m),
                which == &p->client  ? "client"
                : which == &p->guard ? "guard"
                                     : "command",
                until - w->now);
    people_freeze(w, m, who, which, until);
    return true;
}

/* With everything that runs there: when it goes on, killers come first. */
static bool fall_asleep(struct world *w, struct machine *m)
{
    uint64_t until = w->now + faults_standstill(w, m, 5 * w->config->lease);

    world_story(w, "%s: the machine sleeps for %" PRIu64 " us", name_of(w, m),
                until - w->now);
    m->asleep = until;
    if (m->daemon.alive && until > m->daemon.frozen) {
        m->daemon.frozen = until;
        world_post(w, until,
                   (struct event){.kind = EV_GO_ON,
                                  .node = (uint8_t)m->id,
                                  .life = m->life});
    }
    for (uint32_t k = 0; k < w->setup->clients; k++) {
        struct person *p = &m->people[k];

        people_freeze(w, m, k, &p->client, until);
        people_freeze(w, m, k, &p->guard, until);
        people_freeze(w, m, k, &p->command, until);
    }
    return true;
}

static bool hit_client(struct world *w, struct machine *m)
{
    uint32_t who = (uint32_t)world_draw_below(w, w->setup->clients);
    struct person *p = &m->people[who];
    bool guard = world_chance(w, 1, 2);
    struct process *which = guard ? &p->guard : &p->client;

    if (!which->alive || !faults_may_rest(w, m, which))
        return false;
    if (guard)
        p->guard.alive = false;
    else
        people_die(w, m, who);
    return true;
}

/* ---- Network ------------------------------------------------------------- */

/* The links that are left form a tree: most nodes hear of each other through
 * others alone, and a node that a majority hears may be left out by one of
 * them. */
static void leave_bridges(struct world *w)
{
    uint32_t n = w->nodes, order[LIVE_NODES_MAX];

    for (uint32_t i = 0; i < n; i++) { /* shuffled */
        uint32_t at = (uint32_t)world_draw_below(w, i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        w->cut[i] = live_first(n) & ~live_only(i);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t a = order[i], b = order[world_draw_below(w, i)];

        w->cut[a] &= ~live_only(b);
        w->cut[b] &= ~live_only(a);
    }
    world_story(w, "links are cut, but for a tree of them");
}

static void cut(struct world *w)
{
    uint32_t shape = (uint32_t)world_draw_below(w, 5), n = w->nodes;
    live_node_set side = world_draw_below(w, live_only(n));
    uint32_t one = (uint32_t)world_draw_below(w, n);

    if (shape == 4) { /* but for bridges */
        leave_bridges(w);
        return;
    }
    memset(w->cut, 0, sizeof w->cut);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bool parted =
                shape == 0 ? live_has(side, i) != live_has(side, j) /* in two */
                : shape == 1 ? i == one || j == one                 /* alone */
                : shape == 2
                    ? live_has(side, i) && !live_has(side, j) /* one way */
                    : world_chance(w, 1, 3);                  /* any pattern */

            if (i != j && parted)
                w->cut[i] |= live_only(j);
        }
    world_story(w, "links are cut");
}

/* Links that come and go, so that views follow each other before leases are
 * over. */
void faults_flap(struct world *w)
{
    if (!w->flaps)
        return;
    cut(w);
    world_post(w, w->now + world_draw_span(w, MS, w->config->lease),
               (struct event){.kind = EV_FLAP});
}

static void begin_to_flap(struct world *w)
{
    bool flaps = w->flaps;

    w->flaps = true;
    if (!flaps)
        faults_flap(w);
}

static void spoil(struct world *w)
{
    w->loss = (uint32_t)world_draw_below(w, world_is_silent(w) ? 200 : 500);
    w->copies = (uint32_t)world_draw_below(w, 300);
    w->late = (uint32_t)world_draw_below(w, 500);
    w->late_max = world_draw_span(w, MS, 4 * w->config->lease);
    world_story(w, "links are bad: %u lost, %u twice, %u late of 1000", w->loss,
                w->copies, w->late);
}

/* ---- Disks --------------------------------------------------------------- */

static void spoil_disk(struct world *w, struct machine *m)
{
    if (world_chance(w, 1, 3))
        m->disk_full = true;
    else
        m->write_max = world_draw_span(w, 10 * MS, 2 * w->config->lease);
    world_story(w, "%s: its disk is %s", name_of(w, m),
                m->disk_full ? "full" : "slow");
}

/* A repair asks all others, so that one record at a time can be lost, and there
 * must be others. */
static bool may_forget(const struct world *w, const struct machine *m)
{
    return !lists_troubled(w, live_only(m->id)) && !lists_alone(w, m->id);
}

/* P4 finds it only if a node that knows better is there, and is met. */
static bool set_back(struct world *w, struct machine *m)
{
    live_node_set listed = lists_listed(w);
    bool known = live_has(listed, m->id);

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *o = &w->machines[i];

        known =
            known && (i == m->id || !live_has(listed, i) ||
                      (judge_is_running(w, &o->daemon) && !w->cut[i] &&
                       !w->loss && o->channels[m->id].life == m->disk.starts));
    }
    if (!known || !m->daemon.alive || w->cut[m->id] || !may_forget(w, m) ||
        m->old.starts == 0 || !faults_may_rest(w, m, &m->daemon))
        return false;
    daemon_die(w, m, "killed, and its record is set back");
    m->disk = m->old;
    m->disk.starts = m->disk.starts ? m->disk.starts - 1 : 0;
    m->set_back = true;
    world_post(w, w->now + 10 * MS,
               (struct event){.kind = EV_START, .node = (uint8_t)m->id});
    return true;
}

static bool lose_record(struct world *w, struct machine *m)
{
    if (!may_forget(w, m) || !kill_daemon(w, m))
        return false;
    world_story(w, "%s: its record is lost", name_of(w, m));
    m->missing = true;
    return true;
}

/* ---- One after the other ------------------------------------------------- */

bool faults_strike(struct world *w, enum live_fault what, struct machine *m)
{
    switch (what) {
    case LIVE_FAULT_KILL:
        return kill_daemon(w, m);
    case LIVE_FAULT_CRASH:
        return crash(w, m);
    case LIVE_FAULT_FREEZE:
        return freeze_one(w, m);
    case LIVE_FAULT_SLEEP:
        return fall_asleep(w, m);
    case LIVE_FAULT_STALL:
        w->stall = (uint32_t)world_draw_span(w, 100, 50000);
        w->stall_promise = (uint32_t)world_draw_below(w, 500000);
        return true;
    case LIVE_FAULT_CUT:
        cut(w);
        return true;
    case LIVE_FAULT_FLAP:
        begin_to_flap(w);
        return true;
    case LIVE_FAULT_LOSS:
        spoil(w);
        return true;
    case LIVE_FAULT_DISK:
        spoil_disk(w, m);
        return true;
    case LIVE_FAULT_OLD:
        return set_back(w, m);
    case LIVE_FAULT_LOST:
        return lose_record(w, m);
    case LIVE_FAULT_CLOCK:
        world_clock_change(w, m);
        return true;
    case LIVE_FAULT_CLIENT:
        return hit_client(w, m);
    case LIVE_FAULT_GENERATION:
        return change_strike(w, m);
    case LIVE_FAULT_CHANGE:
        return operators_strike(w, m);
    case LIVE_FAULT_KEY:
        return keys_strike(w, m);
    case LIVE_FAULT_UPGRADE:
        return upgrade_strike(w, m);
    default:
        daemon_stop(w, m);
        return true;
    }
}

/* One of those that are wanted; there is one.  The last ones are not drawn from
 * unless they are: seeds without them mean what they always did. */
static enum live_fault draw_fault(struct world *w)
{
    uint32_t what, count = LIVE_FAULTS;

    while (count > LIVE_FAULT_GENERATION &&
           !(w->setup->faults >> (count - 1) & 1))
        count--;
    if ((w->setup->faults >> LIVE_FAULT_CHANGE & 1) &&
        world_chance(w, ORDERS, 100)) /* most of them are in vain */
        return LIVE_FAULT_CHANGE;
    do
        what = (uint32_t)world_draw_below(w, count);
    while (!(w->setup->faults >> what & 1));
    return (enum live_fault)what;
}

/* A machine on which something runs. */
static uint32_t draw_node(struct world *w)
{
    uint32_t node;

    do
        node = (uint32_t)world_draw_below(w, w->nodes);
    while (!lists_in_use(&w->machines[node]));
    return node;
}

void faults_next(struct world *w)
{
    uint32_t node = draw_node(w);
    struct event heal = {.kind = EV_HEAL, .node = (uint8_t)node};
    enum live_fault what;

    if (w->calm || !w->setup->faults)
        return;
    world_post(w, w->now + world_draw_span(w, MS, w->setup->every),
               (struct event){.kind = EV_FAULT});
    what = draw_fault(w);
    heal.what = (uint8_t)what;
    if (!faults_strike(w, what, &w->machines[node]))
        return;
    w->result->done[what]++;
    world_post(w, w->now + 10 * a_while(w), heal);
}

void faults_end(struct world *w, const struct event *e)
{
    struct machine *m = &w->machines[e->node];

    switch (e->what) {
    case LIVE_FAULT_CUT:
    case LIVE_FAULT_FLAP:
        w->flaps = false;
        memset(w->cut, 0, sizeof w->cut);
        break;
    case LIVE_FAULT_LOSS:
        w->loss = w->copies = w->late = 0;
        break;
    case LIVE_FAULT_STALL:
        w->stall = w->stall_promise = 0;
        break;
    case LIVE_FAULT_DISK:
        m->disk_full = false;
        m->write_max = 5 * MS;
        break;
    default:
        break;
    }
}

/* From now on there are no more faults: stopped processes go on in their time,
 * and dead ones come back. */
void faults_heal(struct world *w)
{
    static const uint8_t all[] = {LIVE_FAULT_CUT, LIVE_FAULT_LOSS,
                                  LIVE_FAULT_STALL, LIVE_FAULT_DISK};

    w->calm = true;
    world_story(w, "everything is healed");
    change_finish(w);
    for (uint32_t i = 0; i < w->nodes; i++) {
        for (size_t k = 0; k < sizeof all; k++)
            faults_end(w, &(struct event){.node = (uint8_t)i, .what = all[k]});
        if (!w->machines[i].daemon.alive)
            start_later(w, &w->machines[i], 0);
    }
}
