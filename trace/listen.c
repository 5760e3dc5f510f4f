/*
 * listen.c - see listen.h.
 *
 * Functions that are not inlined, although most of them only pass the call on:
 * the engines, which call them, are compiled once for every protocol, and a run
 * that nobody listens to should not see much of them.
 */
#include "trace/listen.h"

#include "net/net.h"
#include "problems/problem.h"

void trace_tell_begin(struct trace_listener *l, const struct net *net,
                      const struct net_names *names, uint64_t seed)
{
    l->protocol = net->protocol;
    l->asked = net_asked(net);
    l->callbacks->begin(l, net, names, seed);
}

void trace_tell_step(struct trace_listener *l, uint32_t node, uint64_t ticks,
                     uint64_t phase)
{
    l->callbacks->step(l, node, ticks, phase);
}

void trace_tell_body(struct trace_listener *l)
{
    l->callbacks->body(l);
}

/* ---- Events -------------------------------------------------------------- */

void trace_tell_command(struct trace_listener *l, uint64_t tick, uint32_t node,
                        uint8_t command)
{
    const char *word = fc_command_word(l->protocol, command);
    struct trace_happening h = {
        .tick = tick, .node = node, .what = trace_asked(word), .word = word};

    l->callbacks->event(l, &h);
}

void trace_tell_stopped(struct trace_listener *l, uint64_t tick, uint32_t node)
{
    static const struct fc_shown idle = {.role = "idle"};
    struct trace_happening h = {
        .tick = tick, .node = node, .what = TRACE_STOPPED, .word = "stopped"};

    l->callbacks->event(l, &h);
    l->callbacks->turn(l, &idle);
}

void trace_tell_start(struct trace_listener *l, uint64_t tick, uint32_t node)
{
    struct trace_happening h = {
        .tick = tick, .node = node, .what = TRACE_WAKE, .word = "wake"};

    l->callbacks->event(l, &h);
}

void trace_tell_timeout(struct trace_listener *l, uint64_t tick, uint32_t node,
                        uint32_t timer)
{
    struct trace_happening h = {.tick = tick,
                                .node = node,
                                .what = TRACE_TIMEOUT,
                                .word = "timeout",
                                .timer = timer};

    l->callbacks->event(l, &h);
}

void trace_tell_read(struct trace_listener *l, uint64_t tick, uint32_t node,
                     bool missed, const struct trace_content *content)
{
    struct trace_happening h = {.tick = tick,
                                .node = node,
                                .what = missed ? TRACE_MISSES : TRACE_READ,
                                .word = missed ? "misses" : "read",
                                .content = *content};

    l->callbacks->event(l, &h);
}

void trace_tell_fault(struct trace_listener *l, uint64_t tick, uint32_t node,
                      enum net_fault_kind kind, uint64_t ticks)
{
    static const struct {
        const char *word;
        enum trace_what what;
    } faults[] = {
        [NET_FAULT_CRASH] = {"crash", TRACE_CRASH},
        [NET_FAULT_RESTART] = {"restart", TRACE_RESTART},
        [NET_FAULT_RESTART_BLANK] = {"restart, blank", TRACE_RESTART},
        [NET_FAULT_PAUSE] = {"pause", TRACE_PAUSE},
        [NET_FAULT_CUT] = {"cut", TRACE_CUT},
        [NET_FAULT_JOINED] = {"joined", TRACE_JOINED},
    }; /* NET_FAULT_CHANGE is told as a command */
    struct trace_happening h = {.tick = tick,
                                .node = node,
                                .what = faults[kind].what,
                                .word = faults[kind].word,
                                .ticks = ticks,
                                .blank = kind == NET_FAULT_RESTART_BLANK};

    l->callbacks->event(l, &h);
}

/* ---- Effects, and the end ------------------------------------------------ */

void trace_tell_send(struct trace_listener *l,
                     const struct trace_content *content, uint32_t to,
                     uint64_t arrives, bool copy)
{
    l->callbacks->send(l, content, to, arrives, copy);
}

void trace_tell_choice(struct trace_listener *l, uint32_t value, uint32_t range)
{
    if (range != 1) /* no choice: the step only goes on */
        l->callbacks->choice(l, value, range);
}

void trace_tell_arm(struct trace_listener *l, uint32_t timer, uint64_t steps)
{
    l->callbacks->arm(l, timer, steps);
}

void trace_tell_stop(struct trace_listener *l, uint32_t timer)
{
    l->callbacks->stop(l, timer);
}

void trace_tell_notes(struct trace_listener *l, uint32_t notes)
{
    l->callbacks->notes(l, notes);
}

void trace_tell_view(struct trace_listener *l, const struct fc_shown *before,
                     const struct fc_shown *after)
{
    if (before->role != after->role || before->rests != after->rests)
        l->callbacks->turn(l, after);
    for (uint32_t i = 0; i < FC_FACTS_MAX; i++)
        if (after->fact[i].number &&
            before->fact[i].number != after->fact[i].number)
            l->callbacks->fact(l, &after->fact[i]);
}

void trace_tell_broken(struct trace_listener *l, uint32_t properties)
{
    l->callbacks->broken(l, properties);
}

uint64_t trace_tell_end(struct trace_listener *l, uint64_t tick, bool quiet,
                        uint32_t broken)
{
    return l->callbacks->end(l, tick, quiet, broken);
}
