/*
 * test_archimedean_site.h - one site of archimedean.c, for the tests of its
 * rules: number 2 of 5, counted from 0.
 */
#ifndef TESTS_ARCHIMEDEAN_SITE_H
#define TESTS_ARCHIMEDEAN_SITE_H

#include "protocols/mutex/archimedean/archimedean.h"
#include "tests/unit/kit/testing.h"

enum { SITES = 5, HERE = 2 };
static const struct fc_member me = {HERE, SITES};

/* What is set, in a world of steps of 1 to 2 ticks and delays up to 3. */
static inline struct archimedean_params set(const char *const *settings)
{
    const struct fc_protocol *protocol = &archimedean_protocol;
    struct fc_world world = {SITES, SITES, 1, SITES, {1, 2, 0, 3}, true, false};
    struct archimedean_params p;
    const char *file;
    struct fc_wait *wait;

    fc_params_default(protocol, &p);
    for (; settings && *settings; settings += 2)
        assert_int_equal(
            fc_params_set(protocol, &p, settings[0], settings[1], &file, &wait),
            FC_SET_DONE);
    assert_null(protocol->prepare(&p, &world));
    return p;
}
#define SET(...) set((const char *const[]){__VA_ARGS__, NULL})

static inline struct archimedean_in event(enum fc_event_kind kind)
{
    return (struct archimedean_in){.event = {.kind = (uint8_t)kind}};
}

static inline struct archimedean_in command(enum mutex_command what)
{
    return (struct archimedean_in){
        .event = {.kind = FC_COMMAND, .command = (uint8_t)what}};
}

static inline struct archimedean_in beat(void)
{
    return (struct archimedean_in){.event = {.kind = FC_TIMEOUT, .timer = 1}};
}

static inline struct archimedean_in draws(uint32_t value)
{
    return (struct archimedean_in){
        .event = {.kind = FC_CHOICE, .value = value}};
}

#define READS(FROM, KIND, ...)                                                 \
    (struct archimedean_in)                                                    \
    {                                                                          \
        .event = {.kind = FC_MESSAGE, .port = (FROM)}, .msg = {                \
            .kind = ARCHIMEDEAN_##KIND,                                        \
            __VA_ARGS__                                                        \
        }                                                                      \
    }

static inline struct mutex_view view_of(const struct archimedean *s)
{
    struct mutex_view view;

    archimedean_view(s, &me, &view);
    return view;
}

/* As a driver would: a message to a set becomes one to each, unless that is
 * everybody, which the tests say in one word. */
static inline void spread(struct archimedean_out *out)
{
    struct archimedean_out was = *out;
    struct fc_set all;

    fc_set_others(&all, SITES, HERE);
    out->fx.sends = 0;
    for (uint32_t i = 0; i < was.fx.sends; i++) {
        bool everyone =
            was.fx.to[i] == FC_SET && fc_set_within(&all, &was.fx.set);

        for (uint32_t j = 0; j < SITES; j++) {
            bool is_one = was.fx.to[i] == FC_SET && !everyone;

            if (is_one ? !fc_set_has(&was.fx.set, j) : j > 0)
                continue;
            out->fx.to[out->fx.sends] = is_one     ? (uint16_t)j
                                        : everyone ? FC_EVERYONE
                                                   : was.fx.to[i];
            out->send[out->fx.sends++] = was.send[i];
        }
    }
}

/* A step over `dirt`: drivers clear the effects up to steps[] alone. */
static inline struct archimedean_out
step_over(int dirt, struct archimedean *s, const struct archimedean_params *p,
          struct archimedean_in in)
{
    struct archimedean_out out;

    memset(&out, dirt, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    archimedean_step(s, p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    assert_null(archimedean_sane(s, p, &me));
    spread(&out);
    return out;
}

/* A step of a pure machine: nothing but the state and the event decides, not
 * even what lies in the outbox; and whatever others see is announced. */
static inline struct archimedean_out step(struct archimedean *s,
                                          const struct archimedean_params *p,
                                          struct archimedean_in in)
{
    struct archimedean before = *s, twin = *s;
    struct archimedean_out out = step_over(0xaa, s, p, in);
    struct archimedean_out other = step_over(0x55, &twin, p, in);
    struct mutex_view old = view_of(&before), new = view_of(s);

    assert_memory_equal(s, &twin, sizeof twin);
    assert_memory_equal(&out.fx, &other.fx, offsetof(struct fc_effects, steps));
    for (uint32_t t = 0; t < FC_TIMERS; t++)
        if (out.fx.arm & 1u << t)
            assert_true(out.fx.steps[t] == other.fx.steps[t]);
    for (uint32_t i = 0; i < out.fx.sends; i++) {
        assert_int_equal(out.fx.to[i], other.fx.to[i]);
        assert_memory_equal(&out.send[i], &other.send[i], sizeof out.send[0]);
    }
    if (memcmp(&old, &new, sizeof old) != 0)
        assert_true(out.fx.notes & FC_NOTE_VIEW);
    return out;
}

/* The i-th message of a step. */
static inline void check_sent(const struct archimedean_out *out, uint32_t i,
                              uint32_t to, struct archimedean_msg m)
{
    assert_true(i < out->fx.sends);
    assert_int_equal(out->fx.to[i], to);
    assert_memory_equal(&out->send[i], &m, sizeof m);
}
#define CHECK_SENT(OUT, I, TO, KIND, ...)                                      \
    check_sent(                                                                \
        (OUT), (I), (TO),                                                      \
        (struct archimedean_msg){.kind = ARCHIMEDEAN_##KIND, __VA_ARGS__})

static inline void check_armed(const struct archimedean_out *out,
                               uint32_t timer, uint64_t steps)
{
    assert_true(out->fx.arm & 1u << timer);
    assert_int_equal(out->fx.steps[timer], steps);
}

/* The message is read and dropped, nothing else happens. */
static inline void check_drops(const struct archimedean *at,
                               const struct archimedean_params *p,
                               struct archimedean_in in)
{
    struct archimedean s = *at;
    struct archimedean_out out = step(&s, p, in);

    assert_memory_equal(&s, at, sizeof s);
    assert_int_equal(out.fx.notes, FC_NOTE_DIES);
    assert_int_equal(out.fx.sends + out.fx.arm + out.fx.disarm, 0);
}

/* A site that asks with the number 5, having seen 4. */
static inline struct archimedean asking(const struct archimedean_params *p)
{
    struct archimedean s = {.hsn = 4};
    struct archimedean_out out = step(&s, p, command(MUTEX_WANT));

    while (out.fx.choose)
        out = step(&s, p, draws(0));
    out = step(&s, p, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_WINDOW);
    assert_int_equal(s.osn, 5);
    return s;
}

/* The same, inside. */
static inline struct archimedean entered(const struct archimedean_params *p)
{
    struct archimedean s = asking(p);

    if (p->rules == ARCHIMEDEAN_PROVEN)
        for (uint32_t i = 0; i < SITES; i++) {
            if (i != HERE)
                (void)step(
                    &s, p,
                    READS((uint16_t)i, POS, .number = 5, .epoch = s.epoch));
        }
    else
        (void)step(&s, p, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
    return s;
}

#endif
