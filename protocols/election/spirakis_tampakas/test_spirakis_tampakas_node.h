/*
 * test_spirakis_tampakas_node.h - for the tests of spirakis_tampakas.c: a node
 * of a ring of four, with steps and delays of one tick; events; and what is
 * expected of a step.
 */
#ifndef SPIRAKIS_TAMPAKAS_NODE_H
#define SPIRAKIS_TAMPAKAS_NODE_H

#include "tests/unit/kit/testing.h"

#include "protocols/election/spirakis_tampakas/spirakis_tampakas.h"

#define ST(name) SPIRAKIS_TAMPAKAS_##name

enum { NODES = 4, K = 3, T = 8, TO = 16 };

static const struct fc_world ring = {
    .nodes = NODES, .initiators = NODES, .bounds = {1, 1, 1, 1}};

static inline void set(struct spirakis_tampakas_params *p, const char *key,
                       const char *value)
{
    const char *file = NULL;
    struct fc_wait *wait = NULL;

    assert_int_equal(
        fc_params_set(&spirakis_tampakas_protocol, p, key, value, &file, &wait),
        FC_SET_DONE);
}

/* Parameters from pairs of words, up to a NULL, prepared for `world`. */
static inline struct spirakis_tampakas_params
prepared(const struct fc_world *world, const char *const *words)
{
    struct spirakis_tampakas_params p;

    fc_params_default(&spirakis_tampakas_protocol, &p);
    set(&p, "k", "3");
    for (; *words; words += 2)
        set(&p, words[0], words[1]);
    assert_null(spirakis_tampakas_protocol.prepare(&p, world));
    return p;
}

#define WITH(...)    prepared(&ring, (const char *const[]){__VA_ARGS__, NULL})
#define PRINTED(...) WITH("rules", "printed", __VA_ARGS__)
#define REPAIRED     WITH("rules", "repaired")
#define LITERAL      WITH("rules", "printed")

/* ---- Events -------------------------------------------------------------- */

static inline struct spirakis_tampakas_in start(void)
{
    return (struct spirakis_tampakas_in){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
}

static inline struct spirakis_tampakas_in timeout(void)
{
    return (struct spirakis_tampakas_in){.event = {.kind = FC_TIMEOUT}};
}

static inline struct spirakis_tampakas_in choice(uint32_t value)
{
    return (struct spirakis_tampakas_in){
        .event = {.kind = FC_CHOICE, .value = value}};
}

static inline struct spirakis_tampakas_in reads(uint32_t kind)
{
    return (struct spirakis_tampakas_in){.event = {.kind = FC_MESSAGE},
                                         .msg = {.kind = (uint8_t)kind}};
}

static inline struct spirakis_tampakas_in reads_marked(uint32_t kind,
                                                       uint32_t parity)
{
    struct spirakis_tampakas_in in = reads(kind);

    in.msg.phase = (uint8_t)(1 + parity);
    return in;
}

static inline struct spirakis_tampakas_in reads_hop(uint32_t hop)
{
    struct spirakis_tampakas_in in = reads(ST(CLAIM));

    in.msg.hop = hop;
    return in;
}

static inline struct spirakis_tampakas_out
step(struct spirakis_tampakas *s, struct spirakis_tampakas_params p,
     struct spirakis_tampakas_in in)
{
    const struct fc_anonymous me = {NODES};
    struct spirakis_tampakas_out out;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    spirakis_tampakas_step(s, &p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return out;
}

/* ---- States -------------------------------------------------------------- */

static inline struct spirakis_tampakas
in_status(enum spirakis_tampakas_status status)
{
    return (struct spirakis_tampakas){.status = (uint8_t)status};
}

static inline struct spirakis_tampakas awake(int one)
{
    return (struct spirakis_tampakas){.status = ST(AWAKE), .one = (uint8_t)one};
}

/* As rule 4.1 makes it. */
static inline struct spirakis_tampakas candidate(void)
{
    return (struct spirakis_tampakas){.status = ST(CANDIDATE), .sent = 1};
}

static inline struct spirakis_tampakas holder(void)
{
    return (struct spirakis_tampakas){
        .status = ST(CANDIDATE), .stage = 1, .holding = 1, .buffer = 1};
}

/* ---- What is expected ---------------------------------------------------- */

static inline void check_same(struct spirakis_tampakas is,
                              struct spirakis_tampakas wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* The kinds sent, in order, up to a 0. */
static inline void check_kinds(const struct spirakis_tampakas_out *out,
                               const uint32_t *kinds)
{
    uint32_t count = 0;

    for (; kinds[count]; count++) {
        assert_true(count < out->fx.sends);
        assert_int_equal(out->send[count].kind, kinds[count]);
    }
    assert_int_equal(out->fx.sends, count);
}

#define CHECK_SENDS(out, ...)                                                  \
    check_kinds(&(out), (const uint32_t[]){__VA_ARGS__, 0})

static inline void check_armed(const struct spirakis_tampakas_out *out,
                               uint64_t steps)
{
    assert_int_equal(out->fx.arm, 1);
    assert_true(out->fx.steps[0] == steps);
}

static inline void check_stopped(const struct spirakis_tampakas_out *out)
{
    assert_int_equal(out->fx.arm, 0);
    assert_int_equal(out->fx.disarm, 1);
}

static inline void check_ignored(struct spirakis_tampakas s,
                                 struct spirakis_tampakas_params p,
                                 struct spirakis_tampakas_in in, uint32_t notes)
{
    static const struct fc_effects none;
    struct spirakis_tampakas before = s;
    struct spirakis_tampakas_out out = step(&s, p, in);

    check_same(s, before);
    assert_int_equal(out.fx.notes, notes);
    out.fx.notes = 0;
    assert_memory_equal(&out.fx, &none, offsetof(struct fc_effects, steps));
}

/* The node begins a phase, and draws. */
static inline void check_wakes(struct spirakis_tampakas s,
                               struct spirakis_tampakas_params p,
                               struct spirakis_tampakas_in in, uint32_t notes,
                               uint8_t parity)
{
    struct spirakis_tampakas drawing = {.status = ST(AWAKE), .phase = parity};
    struct spirakis_tampakas_out out = step(&s, p, in);

    check_same(s, drawing);
    CHECK_SENDS(out, ST(WAKEUP));
    assert_int_equal(out.fx.choose, NODES);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | ELECTION_PHASE | notes);
    check_stopped(&out);
}

/* The node ends the phase as the repaired rules have it. */
static inline void check_enters_next(struct spirakis_tampakas s,
                                     struct spirakis_tampakas_params p,
                                     struct spirakis_tampakas_in in)
{
    struct spirakis_tampakas_out out = step(&s, p, in);

    check_same(s, in_status(ST(NEXT_TIMER)));
    CHECK_SENDS(out, ST(NEXTTIME), ST(WAKEUP));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_int_equal(out.fx.choose, 0);
    check_stopped(&out);
}

static inline void check_view(struct spirakis_tampakas s,
                              enum election_role role, fc_name leader,
                              int rests)
{
    struct election_view view;

    spirakis_tampakas_view(&s, &(struct fc_anonymous){NODES}, &view);
    assert_int_equal(view.role, role);
    assert_int_equal(view.leader, leader);
    assert_int_equal(view.rests, rests);
}

/* How many periods and coins a candidate that holds all the time needs. */
static inline void count_stages(struct spirakis_tampakas_params p,
                                uint32_t *periods, uint32_t *coins)
{
    struct spirakis_tampakas s = candidate();
    struct spirakis_tampakas_out out = step(&s, p, reads(ST(CLAIM)));

    *periods = *coins = 0;
    while (s.status == ST(CANDIDATE) && *periods < 10) {
        out = step(&s, p, timeout());
        ++*periods;
        if (out.fx.choose) {
            ++*coins;
            out = step(&s, p, choice(1));
        }
    }
    assert_int_equal(s.status, ST(ELECTED));
    CHECK_SENDS(out, ST(TERMINATION));
    check_view(s, ELECTION_LEADER, ELECTION_SOMEBODY, 0);
}

#endif
