/*
 * contract_step.h - what every step of a protocol keeps, whatever happens: it
 * is pure, asks only for what there is, and says what it did.
 */
#ifndef TESTS_CONTRACT_STEP_H
#define TESTS_CONTRACT_STEP_H

#include "tests/unit/kit/chaos.h"

/* What is in an outbox before a step. */
enum { DIRT = 0xaa, OTHER_DIRT = 0x55 };

#define IMPURE                                                                 \
    "the same step from the same state gave another %s at byte %zu: a global " \
    "variable, or a value that is not set (the outbox is full of garbage)"

/* Both were made by the same step. */
static inline void check_twins(const struct chaos *c, const char *what,
                               const void *a, const void *b, size_t size)
{
    if (memcmp(a, b, size) != 0)
        blame(&c->moment, IMPURE, what, differ_at(a, b, size));
}

/* A twin of the state that reads another outbox does the same. */
static inline void check_pure(struct chaos *c, const struct fc_event *event,
                              const uint8_t *msg, const uint8_t *before,
                              const uint8_t *after, const struct fc_effects *fx)
{
    const struct net_type *t = c->type;
    struct net_place place = place_of(c, c->node);
    uint8_t *twin = bytes(t->state_size), *sends = bytes(t->out_size);
    struct fc_effects other;

    memcpy(twin, before, t->state_size);
    t->step_over(&place, twin, event, msg, &other, sends, OTHER_DIRT);
    check_twins(c, "state", twin, after, t->state_size);
    check_twins(c, "outbox", &other, fx, offsetof(struct fc_effects, steps));
    check_twins(c, "message", sends, c->buffer, fx->sends * t->msg_size);
    for (uint32_t i = 0; i < t->timers; i++)
        if (fx->arm >> i & 1)
            check_twins(c, "time for a timer", &other.steps[i], &fx->steps[i],
                        sizeof fx->steps[i]);
    for (uint32_t i = 0; i < fx->sends; i++) {
        if (t->protocol->topology != FC_RING)
            check_twins(c, "link", &other.to[i], &fx->to[i], sizeof fx->to[i]);
        if (t->protocol->topology != FC_RING && fx->to[i] == FC_SET)
            check_twins(c, "set of links", &other.set, &fx->set,
                        sizeof fx->set);
    }
    free(twin);
    free(sends);
}

/* What a step may ask for at all. */
static inline void check_wishes(const struct chaos *c,
                                const struct fc_effects *fx)
{
    const struct net_type *t = c->type;
    enum fc_topology topology = t->protocol->topology;
    uint32_t timers = (uint32_t)(fx->arm | fx->disarm) >> t->timers;

    if (timers)
        blame(&c->moment,
              "starts or stops timer %u, and by P_timers in its header it has "
              "%u",
              t->timers + (uint32_t)__builtin_ctz(timers), t->timers);
    for (uint32_t i = 0; i < fx->sends; i++) {
        if (topology == FC_RING && fx->to[i] != FC_NEXT &&
            fx->to[i] != (DIRT << 8 | DIRT))
            blame(&c->moment,
                  "sends by another link than FC_NEXT on a ring of one "
                  "direction: send_on(), or say P_topology FC_RING_BOTH");
        if (topology != FC_COMPLETE && fx->to[i] == FC_EVERYONE)
            blame(&c->moment, "send_all() is for complete networks; here "
                              "send_set() or send_to() each");
    }
}

/* A command that others notice was obeyed.  Any event may be an occasion to
 * start a timer, and to a clocked protocol for all that is due by then. */
static inline void check_obeyed(const struct chaos *c,
                                const struct fc_effects *fx)
{
    bool noticed =
        !c->type->clocked && (fx->sends || (fx->notes & FC_NOTE_VIEW));

    if (c->moment.event->kind == FC_COMMAND && noticed &&
        !(fx->notes & FC_NOTE_STARTED))
        blame(&c->moment, "a command sent something or changed what P_view() "
                          "shows, and was not obeyed: call obeyed() in the "
                          "rule");
}

/* Nodes that are called otherwise do the same under their other names. */
static inline void check_relabelled(struct chaos *c,
                                    const struct fc_event *event,
                                    const uint8_t *msg, const uint8_t *before)
{
    static const uint16_t to[NODES_MAX] = {0, 2, 1, 4, 3};
    const struct net_type *t = c->type;
    struct net_place there = place_of(c, to[c->node]);
    uint8_t *state = bytes(t->state_size), *after = bytes(t->state_size);
    uint8_t *heard = bytes(t->msg_size), *sends = bytes(t->out_size);
    struct fc_event same = *event;
    struct fc_effects fx;

    if (!t->relabel || (c->nodes != 3 && c->nodes != 5))
        goto done;
    memcpy(state, before, t->state_size);
    t->relabel(state, to, c->nodes);
    if (msg) {
        memcpy(heard, msg, t->msg_size);
        t->relabel_msg(heard, to, c->nodes);
        same.port = to[event->port];
    }
    t->step_over(&there, state, &same, msg ? heard : NULL, &fx, sends, 0);
    memcpy(after, state_of(c, c->node), t->state_size);
    t->relabel(after, to, c->nodes);
    if (memcmp(state, after, t->state_size) != 0)
        blame(&c->moment,
              "is FC_SYMMETRIC, but nodes with other indices do otherwise, "
              "see %s: a rule compares indices, or P_relabel() forgets some",
              field_at(t, differ_at(state, after, t->state_size)));
done:
    free(state);
    free(after);
    free(heard);
    free(sends);
}

/* Protocols in which a step without effects changes nothing; `except` is a
 * setting with which it may. */
static const struct {
    const char *protocol, *except;
} overt[] = {
    {"lelann", "again=told"}, /* the leader closes its election in silence */
    {"chang-roberts-max", "?"},
    {"dolev-klawe-rodeh", "?"},
    {"peterson", "?"},
    {"vitanyi", "wakeup-counts=no"}, /* VI-R8 counts in silence */
};

static inline void check_overt(const struct chaos *c, const uint8_t *before,
                               const uint8_t *after,
                               const struct fc_effects *fx)
{
    if (fx->sends + fx->arm + fx->disarm ||
        (fx->notes & ~(uint32_t)FC_NOTE_DIES))
        return;
    for (size_t i = 0; i < COUNT(overt); i++)
        if (strcmp(overt[i].protocol, c->type->protocol->name) == 0 &&
            !strstr(c->made.set, overt[i].except) &&
            memcmp(after, before, c->type->state_size) != 0)
            blame(&c->moment, "a step without effects changed the state, "
                              "which no rule of this protocol does");
}

#endif
