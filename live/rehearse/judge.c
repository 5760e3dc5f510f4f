/*
 * judge.c - what a rehearsal promises: never two inside, no lock without a
 * lease, tokens grow, no command outlives its deadline by K, all are served
 * after everything was healed.
 */
#include "live/rehearse/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void judge(struct world *w, enum live_broken_promise what, const char *format,
           ...)
{
    va_list arguments;

    if (w->result->broken != LIVE_KEPT)
        return;
    w->result->broken = what;
    va_start(arguments, format);
    vsnprintf(w->result->why, sizeof w->result->why, format, arguments);
    va_end(arguments);
    world_story(w, "VIOLATED: %s", w->result->why);
}

bool judge_is_running(const struct world *w, const struct process *p)
{
    return p->alive && w->now >= p->frozen;
}

/* Its command can touch what the lock protects.  A program without a command
 * looks at its deadline first. */
static bool acts(const struct world *w, const struct machine *m,
                 const struct person *p)
{
    if (!p->inside)
        return false;
    return p->alone ? judge_is_running(w, &p->client) &&
                          world_local_now(w, m) < p->page.deadline
                    : judge_is_running(w, &p->command);
}

void judge_goes_on(struct world *w, struct machine *m, struct person *p)
{
    for (uint32_t i = 0; i < w->nodes; i++)
        for (uint32_t k = 0; k < w->setup->clients; k++) {
            struct machine *n = &w->machines[i];
            struct person *q = &n->people[k];

            if (q == p || q->lock != p->lock || (q->shared && p->shared) ||
                !acts(w, n, q) || !acts(w, m, p))
                continue;
            judge(w, LIVE_TWO_INSIDE,
                  "%s with token %" PRIu64 " and %s with token %" PRIu64
                  " are inside lock %u together",
                  w->config->nodes[m->id].name, p->token,
                  w->config->nodes[i].name, q->token, p->lock);
        }
}

/* F4: the protocol has let go of what it held once the lease is over. */
void judge_node(struct world *w, struct machine *m)
{
    const struct live_desk *desk = &m->node.desk;
    uint64_t now = world_local_now(w, m);
    uint64_t end = m->node.mode->kind->until(m->node.mode);

    lists_judge_node(w, m);
    if (world_is_silent(w))
        return; /* it lets go when the command is dead */
    for (uint32_t i = 0; i < desk->locks_used && now >= end; i++)
        if (desk->locks[i].used && desk->locks[i].seen.phase == FC_INSIDE)
            judge(w, LIVE_WITHOUT_LEASE,
                  "%s holds lock %" PRIu64 ", and its lease ended %" PRIu64
                  " us ago",
                  w->config->nodes[m->id].name, desk->locks[i].id - 1,
                  now - end);
}

/* Mode silence goes on as long as its bounds are kept, and only a node that
 * stands still breaks them here. */
void judge_over(struct world *w, struct machine *m)
{
    const uint32_t bounded = 1u << LIVE_FAULT_KILL | 1u << LIVE_FAULT_CRASH |
                             1u << LIVE_FAULT_LOSS | 1u << LIVE_FAULT_CLOCK |
                             1u << LIVE_FAULT_CLIENT | 1u << LIVE_FAULT_STOP;

    if ((w->setup->faults & ~bounded) == 0)
        judge(w, LIVE_NODE_BROKE, "the mode ends at %s: %.180s",
              w->config->nodes[m->id].name,
              m->node.mode->kind->over(m->node.mode));
}

void judge_begins(struct world *w, struct machine *m, struct person *p)
{
    struct lock_judge *l = &w->locks[p->lock];
    uint64_t above = p->shared ? l->greatest_exclusive : l->greatest;

    w->result->entries++;
    p->served_at = w->now;
    judge_goes_on(w, m, p);
    if (p->token <= above)
        judge(w, LIVE_TOKEN_BACK,
              "%s enters lock %u with token %" PRIu64 ", and %" PRIu64
              " was there before",
              w->config->nodes[m->id].name, p->lock, p->token, above);
    if (p->token > l->greatest)
        l->greatest = p->token;
    if (!p->shared && p->token > l->greatest_exclusive)
        l->greatest_exclusive = p->token;
}

/* Time in which it was stopped, with its whole machine or alone, is not its
 * own. */
void judge_killed(struct world *w, struct machine *m, struct person *p)
{
    uint64_t now = world_local_now(w, m), end = p->page.promised;
    uint64_t late = now > end ? now - end : 0;

    if (p->alone || w->now < p->command.frozen)
        return; /* it has looked at its deadline first, or stood still */
    if (p->command.frozen && w->now - p->command.frozen < late)
        late = w->now - p->command.frozen;
    if (late > w->config->kill)
        judge(w, LIVE_BEYOND_DEADLINE,
              "a command of %s in lock %u ran for %" PRIu64
              " us beyond its deadline, and K is %" PRIu64,
              w->config->nodes[m->id].name, p->lock, late, w->config->kill);
}

void judge_calm(struct world *w)
{
    live_node_set served = lists_served(w);

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *m = &w->machines[i];

        world_story(w, "%s: daemon %s, life %" PRIu64 ", frozen until %" PRIu64,
                    w->config->nodes[i].name,
                    m->daemon.alive ? "runs" : "is dead", m->life,
                    m->daemon.frozen);
        for (uint32_t k = 0; k < w->setup->clients; k++)
            world_story(w,
                        "  client %u: state %d, lock %u, connected %" PRIu64
                        ", command %d, client %d until %" PRIu64
                        ", guard %d, served %" PRIu64,
                        k, (int)m->people[k].state, m->people[k].lock,
                        m->people[k].connected, m->people[k].command.alive,
                        m->people[k].client.alive, m->people[k].client.frozen,
                        m->people[k].guard.alive, m->people[k].served_at);
    }
    lists_judge(w);
    for (uint32_t i = 0; i < w->nodes; i++)
        for (uint32_t k = 0; k < w->setup->clients; k++)
            if (live_has(served, i) &&
                w->machines[i].people[k].served_at < w->calm_at) {
                judge(w, LIVE_NOT_SERVED,
                      "client %u of %s was not served, though nothing was "
                      "wrong for %" PRIu64 " s",
                      k + 1, w->config->nodes[i].name,
                      (w->now - w->calm_at) / 1000000);
                return;
            }
}
