/*
 * greeter.h - a problem and a protocol that are not in the tree: all that a
 * fifth problem takes.
 *
 * The problem, greeting: in the end everybody has been greeted, and nobody more
 * often than the protocol says.  The protocol: a node that starts greets the
 * next one, which greets the next, until the greeting is back.
 */
#ifndef GREETER_H
#define GREETER_H

#include "core/word.h"
#include "problems/problem.h"

/* ---- The problem --------------------------------------------------------- */

struct greeting_view {
    uint8_t greeted;
    uint8_t unused[3];
};

struct greeting_terms {
    uint32_t most; /* greetings of one node */
};

struct greeting_watch {
    uint32_t nodes, most, greeted, broken;
    uint64_t first_at;
};

enum { GREETING_ONCE = 1u << 0, GREETING_EVERYONE = 1u << 1 };

#define greeting_traits FC_NO_TRAITS

FC_PROBLEM(greeting);

static inline bool greeting_same(const struct greeting_view *a,
                                 const struct greeting_view *b)
{
    return a->greeted == b->greeted;
}

static inline bool greeting_matters(const struct greeting_view *a,
                                    const struct greeting_view *b)
{
    return !greeting_same(a, b);
}

static const char *const greeting_properties[] = {"greeted-once",
                                                  "everyone-greeted"};
static const char *const greeting_commands[] = {"greet"};
static const char *const greeting_facts[] = {"greetings", NULL};
static const struct fc_own_role greeting_roles[] = {
    {"alone", "asleep"},
    {"greeted", "candidate"},
    {NULL, NULL},
};

const struct fc_problem greeting_problem = {
    .name = "greeting",
    .properties = greeting_properties,
    .properties_count = 2,
    .commands = greeting_commands,
    .commands_count = FC_COUNT(greeting_commands),
    .first = "alone",
    .roles = greeting_roles,
    .facts = greeting_facts,
    .reached = "greeted",
    .goal = "greeted",
};

void greeting_begin(struct greeting_watch *w, const struct fc_protocol *p,
                    const void *params, const struct fc_world *world)
{
    const struct greeting_terms *terms = fc_terms(p, &greeting_problem);

    (void)params;
    *w = (struct greeting_watch){
        .nodes = world->nodes, .most = terms->most, .first_at = FC_NEVER};
}

uint32_t greeting_changed(struct greeting_watch *w, fc_name id,
                          const struct greeting_view *before,
                          const struct greeting_view *after, uint64_t now)
{
    uint32_t broken = after->greeted > w->most ? GREETING_ONCE : 0;

    (void)id;
    w->greeted += after->greeted > 0;
    w->greeted -= before->greeted > 0;
    if (w->first_at == FC_NEVER)
        w->first_at = now;
    w->broken |= broken;
    return broken;
}

void greeting_crashed(struct greeting_watch *w,
                      const struct greeting_view *view)
{
    w->nodes--;
    w->greeted -= view->greeted > 0;
}

void greeting_restarted(struct greeting_watch *w,
                        const struct greeting_view *view)
{
    w->nodes++;
    w->greeted += view->greeted > 0;
}

uint32_t greeting_end(struct greeting_watch *w, bool quiet)
{
    return quiet && w->greeted < w->nodes ? GREETING_EVERYONE : 0;
}

void greeting_outcome(const struct greeting_watch *w, struct fc_outcome *out)
{
    *out = (struct fc_outcome){.reached_at = w->first_at};
}

void greeting_show(const struct greeting_view *view, struct fc_shown *out)
{
    *out = (struct fc_shown){
        .role = view->greeted ? "greeted" : "alone",
        .fact = {{"greetings", "has heard ", " greetings", view->greeted}},
    };
}

/* ---- The protocol -------------------------------------------------------- */

struct greeter {
    uint8_t greets;  /* it began */
    uint8_t greeted; /* so often */
    uint8_t unused[2];
};

struct greeter_params {
    uint8_t twice; /* a mistake: a second greeting counts */
};

enum { GREETER_HELLO = 1, GREETER_KINDS };

#define greeter_problem  greeting
#define greeter_msg      fc_word
#define greeter_site     fc_named
#define greeter_topology FC_RING
#define greeter_timers   0
#define greeter_traits   FC_NO_TRAITS

FC_PROTOCOL(greeter);

#define TURN greeter
#include "core/turn.inc"

FC_STEP(greeter)
{
    msg hello = fc_word(GREETER_HELLO, FC_NOBODY);

    if (t->event->kind == FC_COMMAND && !t->s->greets) {
        obeyed(t);
        t->s->greets = 1;
        send_on(t, hello);
    } else if (t->event->kind == FC_MESSAGE) {
        if (t->s->greeted == 0 || t->p->twice) {
            t->s->greeted++;
            seen(t);
        }
        if (!t->s->greets)
            send_on(t, hello);
        t->s->greets = 1;
    }
}

FC_VIEW(greeter)
{
    *view = (struct greeting_view){.greeted = s->greeted};
}

FC_INVARIANT(greeter)
{
    return s->greeted && !s->greets ? "the greeted greet" : NULL;
}

FC_STATE_FIELDS(greeter) = {
    FIELD(YES, greets),
    FIELD(NUMBER, greeted),
};

FC_WORD_MESSAGES(greeter, GREETER_KINDS, 0)

static uint64_t greeter_horizon(const void *params, const struct fc_world *w)
{
    (void)params;
    return fc_times(fc_times(w->nodes, 4),
                    fc_add(w->bounds.rmax, w->bounds.dmax));
}

static const struct fc_message_kind greeter_kinds[] = {
    [GREETER_HELLO] = {"hello", "hello", FC_TELLS},
};

const struct fc_protocol greeter_protocol = {
    .name = "greeter",
    FC_ENTRY(greeter, greeter_kinds),
    FC_TERMS(greeter, .most = 1),
    .horizon = greeter_horizon,
};

#endif
