/*
 * check.c - <fulcrum/check.h>: a search, and the run that it found.
 */
#include "include/fulcrum/check.h"

#include <stdlib.h>
#include <string.h>

#include "api/net.h"
#include "check/check.h"
#include "check/tell/telling.h"
#include "core/text.h"
#include "net/judge.h"
#include "trace/write.h"

struct fulcrum_check {
    struct net_made made;
    struct check_setup setup;
    struct check_result result;
};

/* ---- Searching ----------------------------------------------------------- */

/* What goes without saying, as in fulcrum-check(1). */
static bool make_net(struct fulcrum_net *net, struct net_made *made)
{
    struct net_words words = api_words(net, "3");
    const struct fc_protocol *p = net_choose(words.protocol, &net->why);

    if (!p)
        return false;
    if (!words.time && !words.bounds && !words.clock)
        words.time = "async";
    if (!words.names && !p->anonymous && p->topology != FC_COMPLETE)
        words.names = "asc";
    if (!words.topology && p->topology == FC_TREE)
        words.topology = "path";
    if (words.wake && strcmp(words.wake, "any") == 0)
        words.wake = NULL;
    if (!net_make(made, &words, &net->why))
        return false;
    net_describe(&made->net);
    return net_prepare(made, &made->net, &net->why);
}

static bool set_number(struct fulcrum_net *net, enum api_key key, uint64_t most,
                       uint32_t *field)
{
    uint64_t number = *field;
    bool fine = api_number(net, key, 0, most, &number);

    *field = (uint32_t)number;
    return fine;
}

static bool set_faults(struct fulcrum_net *net, struct check_setup *s)
{
    const char *back = net->said[API_RESTARTS];
    int choice = back ? fc_find_choice("same|blank", back) : 0;

    if (choice < 0)
        return net_refuse(&net->why, "restarts are same or blank, not '%s'",
                          back);
    if (back)
        s->back = choice ? CHECK_RETURN_BLANK : CHECK_RETURN_SAME;
    return set_number(net, API_CRASHES, 200, &s->crashes) &&
           set_number(net, API_LOSS, 200, &s->losses) &&
           set_number(net, API_DUPLICATE, 200, &s->copies);
}

static bool is_said(const struct fulcrum_net *net, enum api_key key)
{
    return net->said[key] && strcmp(net->said[key], "no") != 0;
}

static bool set_search(struct fulcrum_net *net, struct check_setup *s)
{
    const char *wake = net->said[API_WAKE];

    s->cycles = true;
    s->listed = s->victims = ~UINT32_C(0);
    s->properties =
        ~(net_predicates(s->net.protocol, NULL) << FC_PREDICATE_BIT);
    s->entries = s->section = 1;
    if (wake && strcmp(wake, "any") == 0)
        s->waking = CHECK_WAKE_ANY;
    s->symmetry = is_said(net, API_SYMMETRY);
    s->reduce = is_said(net, API_REDUCE);
    if (!set_number(net, API_ENTRIES, 200, &s->entries) ||
        !set_number(net, API_SECTION, UINT32_MAX, &s->section) ||
        !set_number(net, API_UNTIL, UINT32_MAX, &s->until) ||
        !set_number(net, API_THREADS, CHECK_THREADS_MAX, &s->threads) ||
        !api_number(net, API_STATES, 0, UINT64_MAX, &s->states_max) ||
        !api_number(net, API_MEMORY, 0, UINT64_MAX >> 20, &s->memory_max))
        return false;
    s->memory_max <<= 20;
    return set_faults(net, s);
}

/* Why it cannot be searched; NULL: it can. */
static const char *objection(const struct check_setup *s)
{
    const char *why = NULL;

    if (s->net.world.nodes > CHECK_NODES_MAX)
        return "there are too many nodes";
    if (s->symmetry)
        why = check_asymmetric(s);
    if (!why && s->reduce)
        why = check_irreducible(s);
    return why ? why : check_misfit(s);
}

static bool set_up(struct fulcrum_net *net, struct fulcrum_check *c)
{
    const char *why;

    if (net->faults.count)
        return net_refuse(&net->why, "fault is not for the checker");
    if (!api_fits(net, API_OF_SIM, API_OF_CHECK, "checker") ||
        !make_net(net, &c->made))
        return false;
    c->setup.net = c->made.net;
    if (!set_search(net, &c->setup))
        return false;
    why = objection(&c->setup);
    return !why || net_refuse(&net->why, "%s", why);
}

struct fulcrum_check *fulcrum_check_run(struct fulcrum_net *net)
{
    struct fulcrum_check *c = calloc(1, sizeof *c);

    if (!c) {
        (void)net_no_memory(&net->why, "the search");
        return NULL;
    }
    if (set_up(net, c)) {
        check_run(&c->setup, &c->result);
        if (c->result.limit != CHECK_REFUSED)
            return c;
        (void)net_refuse(&net->why, "%s", c->result.refusal);
    }
    fulcrum_check_free(c);
    return NULL;
}

void fulcrum_check_free(struct fulcrum_check *check)
{
    if (!check)
        return;
    check_free(&check->result);
    net_unmake(&check->made);
    free(check);
}

/* ---- What was found ------------------------------------------------------ */

enum fulcrum_verdict fulcrum_check_verdict(const struct fulcrum_check *check)
{
    switch (check->result.verdict) {
    case CHECK_HOLDS:
        return FULCRUM_HOLDS;
    case CHECK_VIOLATED:
        return FULCRUM_VIOLATED;
    default:
        return FULCRUM_INCOMPLETE;
    }
}

const char *fulcrum_check_broken(const struct fulcrum_check *check,
                                 size_t number)
{
    int bit = api_bit(check->result.broken, number);

    return bit < 0 ? NULL
                   : fc_property(check->setup.net.protocol, (uint32_t)bit);
}

#define AT(field) offsetof(struct check_result, field)

int fulcrum_check_get(const struct fulcrum_check *check, const char *name,
                      double *value)
{
    static const struct api_number numbers[] = {
        {"states", AT(states)},
        {"transitions", AT(transitions)},
        {"terminal", AT(terminal)},
        {"bytes", AT(bytes)},
        {0},
    };

    if (strcmp(name, "depth") == 0)
        *value = check->result.depth;
    else if (strcmp(name, "seconds") == 0)
        *value = check->result.seconds;
    else
        return api_find_number(numbers, &check->result, name, value);
    return 0;
}

int fulcrum_check_trace(const struct fulcrum_check *check, FILE *to)
{
    struct trace_listener *trace;
    bool fine;

    if (check->result.verdict != CHECK_VIOLATED ||
        !(trace = trace_writer_new(to)))
        return -1;
    trace_write_head(trace, check->made.set, "");
    fine = check_trace(&check->setup, &check->result, trace);
    trace_writer_free(trace);
    return fine ? 0 : -1;
}

int fulcrum_check_story(const struct fulcrum_check *check, FILE *to)
{
    return check->result.verdict == CHECK_VIOLATED &&
                   check_story(&check->setup, &check->result, to)
               ? 0
               : -1;
}
