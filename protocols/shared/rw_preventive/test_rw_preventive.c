/*
 * test_rw_preventive.c - readers and writers: what differs from mutual
 * exclusion at one site, and runs.
 */
#include "protocols/shared/rw_preventive/rw_preventive.h"
#include "tests/unit/kit/mutex_trial.h"

static const struct fc_member me = {2, 5};

static struct rw_preventive_params set(const char *writers, const char *rules)
{
    const struct fc_protocol *protocol = &rw_preventive_protocol;
    struct fc_world world = {5, 5, 1, 5, {1, 2, 0, 3}, true, false};
    struct rw_preventive_params p;
    const char *file;
    struct fc_wait *wait;

    fc_params_default(protocol, &p);
    assert_int_equal(
        fc_params_set(protocol, &p, "writers", writers, &file, &wait),
        FC_SET_DONE);
    assert_int_equal(fc_params_set(protocol, &p, "rules", rules, &file, &wait),
                     FC_SET_DONE);
    assert_null(protocol->prepare(&p, &world));
    return p;
}

static struct rw_preventive_out step(struct rw_preventive *s,
                                     const struct rw_preventive_params *p,
                                     struct rw_preventive_in in)
{
    struct rw_preventive twin = *s;
    struct rw_preventive_out out, other;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    memset(&other, 0x55, sizeof other);
    memset(&other.fx, 0, offsetof(struct fc_effects, steps));
    rw_preventive_step(s, p, &me, &in, &out);
    rw_preventive_step(&twin, p, &me, &in, &other);
    assert_memory_equal(s, &twin, sizeof twin);
    assert_int_equal(out.fx.sends, other.fx.sends);
    assert_null(rw_preventive_sane(s, p, &me));
    return out;
}

static struct rw_preventive_in command(enum mutex_command what)
{
    return (struct rw_preventive_in){
        .event = {.kind = FC_COMMAND, .command = (uint8_t)what}};
}

static struct rw_preventive_in timeout(void)
{
    return (struct rw_preventive_in){.event = {.kind = FC_TIMEOUT}};
}

static struct rw_preventive_in asks(uint16_t from, uint8_t kind,
                                    uint64_t number)
{
    return (struct rw_preventive_in){
        .event = {.kind = FC_MESSAGE, .port = from},
        .msg = {.kind = kind, .number = number}};
}

/* A site that asks with the number 1, to read or to write. */
static struct rw_preventive asking(const struct rw_preventive_params *p,
                                   enum mutex_command what,
                                   struct rw_preventive_out *out)
{
    struct rw_preventive s = {0};

    (void)step(&s, p, command(what));
    *out = step(&s, p, timeout());
    return s;
}

/* ---- One site ------------------------------------------------------------ */

/* The sites below `to` but itself are asked, in one message to a set. */
static void check_asked(const struct rw_preventive_out *out, uint32_t to)
{
    struct fc_set asked;

    fc_set_others(&asked, to, me.index);
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], FC_SET);
    assert_memory_equal(&out->fx.set, &asked, sizeof asked);
}

/* "Readers never give a negative answer to a request of another reader." */
TEST(test_only_readers_let_readers_in)
{
    static const enum mutex_command whats[] = {MUTEX_WANT, MUTEX_WANT_SHARED};
    static const uint8_t kinds[] = {ARCHIMEDEAN_REQ, ARCHIMEDEAN_READ};
    struct rw_preventive_params p = set("any", "repaired");

    for (uint32_t own = 0; own < 2; own++) {
        for (uint32_t other = 0; other < 2; other++) {
            struct rw_preventive_out out;
            struct rw_preventive s = asking(&p, whats[own], &out);

            check_asked(&out, me.nodes);
            assert_int_equal(out.send[0].kind, kinds[own]);
            out = step(&s, &p, asks(3, kinds[other], 8));
            assert_int_equal(out.fx.sends, !(own && other));
            assert_true(s.site.hsn == 8); /* noted all the same */
        }
    }
}

/* With proven silence a frame judges the last request of its receiver: one to
 * write is not clear because one to read was. */
TEST(test_frames_judge_the_last_request)
{
    struct rw_preventive_params p = set("any", "proven");
    struct rw_preventive_in beat = {.event = {.kind = FC_TIMEOUT, .timer = 1}};
    struct rw_preventive_out out;
    struct rw_preventive s = asking(&p, MUTEX_WANT_SHARED, &out);

    (void)step(&s, &p, asks(3, ARCHIMEDEAN_READ, 8));
    out = step(&s, &p, beat);
    assert_int_equal(out.send[0].kind, ARCHIMEDEAN_FRAME);
    assert_true(out.send[0].number == 8 && out.send[0].clear);
    (void)step(&s, &p, asks(3, ARCHIMEDEAN_REQ, 9));
    out = step(&s, &p, asks(3, ARCHIMEDEAN_REQ, 9)); /* repeated */
    assert_int_equal(out.send[0].kind, ARCHIMEDEAN_NEG);
    (void)step(&s, &p, asks(4, ARCHIMEDEAN_READ, 10));
    p.frames = ARCHIMEDEAN_ALWAYS;
    out = step(&s, &p, beat);
    for (uint32_t i = 0; i < out.fx.sends; i++)
        if (out.fx.to[i] >= 3)
            assert_int_equal(out.send[i].clear, out.fx.to[i] == 4);
}

TEST(test_view_tells_readers)
{
    struct rw_preventive_params p = set("any", "repaired");
    struct rw_preventive_out out;
    struct rw_preventive s = asking(&p, MUTEX_WANT_SHARED, &out);
    struct mutex_view view;

    (void)step(&s, &p, timeout());
    rw_preventive_view(&s, &me, &view);
    assert_int_equal(view.role, MUTEX_INSIDE);
    assert_int_equal(view.shared, 1);
    (void)step(&s, &p, command(MUTEX_LEAVE));
    rw_preventive_view(&s, &me, &view);
    assert_int_equal(view.shared, 0);
}

/* Sites from `writers` on read, whatever they are asked, and ask writers
 * alone. */
TEST(test_fixed_readers_skip_readers)
{
    struct rw_preventive_params p = set("2", "repaired");
    struct rw_preventive_out out;
    struct rw_preventive s = asking(&p, MUTEX_WANT, &out);

    assert_int_equal(s.site.shared, 1);
    check_asked(&out, 2);
    p = set("3", "repaired");
    s = asking(&p, MUTEX_WANT_SHARED, &out);
    assert_int_equal(s.site.shared, 0);
    check_asked(&out, me.nodes);
}

/* The verdict of a frame knows who reads. */
TEST(test_frames_tell_readers_clear)
{
    struct rw_preventive_params p = set("any", "proven");
    struct rw_preventive_out out;
    struct rw_preventive s = asking(&p, MUTEX_WANT_SHARED, &out);
    struct rw_preventive_in beat = timeout();

    (void)step(&s, &p, asks(3, ARCHIMEDEAN_READ, 8));
    (void)step(&s, &p, asks(4, ARCHIMEDEAN_READ, 9));
    out = step(&s, &p, asks(4, ARCHIMEDEAN_REQ, 10));
    assert_int_equal(out.send[0].kind, ARCHIMEDEAN_NEG);
    beat.event.timer = 1;
    out = step(&s, &p, beat);
    assert_int_equal(out.fx.sends, 2);
    assert_int_equal(out.send[0].clear, 1);
    assert_int_equal(out.send[1].clear, 0);
}

/* ---- Runs ---------------------------------------------------------------- */

static struct trial library(uint32_t nodes, double shared)
{
    return (struct trial){.protocol = "rw-preventive",
                          .nodes = nodes,
                          .entries = 15,
                          .seeds = 2,
                          .section = "uniform:1:30",
                          .think = "uniform:1:30",
                          .bounds = {1, 3, 0, 5},
                          .time = NET_ARCHIMEDEAN,
                          .shared = shared};
}

/* No reader beside a writer, nobody starves; with crashes, and without
 * bounds. */
TEST(test_runs_are_safe)
{
    static const char *const rules[] = {"repaired", "proven"};
    static const char *const writers[] = {"any", "1", "2", "0"};

    for (uint32_t i = 0; i < rounds(400); i++) {
        struct trial t = library(2 + i % 6, i % 5 / 4.0);

        t.set[0] = "rules";
        t.set[1] = rules[i / 2 % 2];
        t.set[2] = "writers";
        t.set[3] = writers[i % 4];
        t.any_order = i / 3 % 2;
        t.clock = (enum net_clock)(i / 7 % 3);
        if (i % 3 == 0) {
            t.faults.crashes = 1;
            t.faults.blank = i % 2;
        }
        (void)check_safe(&t);
    }
}

/* Readers meet no refusal when nobody writes, and ask as many as write. */
TEST(test_costs)
{
    static const char *const writers[] = {"0", "1", "5", "9"};
    struct trial all_read = library(9, 1), all_write = library(9, 0);
    struct verdict *v = check_safe(&all_read);

    assert_int_equal(v->by_kind[ARCHIMEDEAN_READ], v->entries * 8);
    assert_int_equal(v->by_kind[ARCHIMEDEAN_NEG], 0);
    v = check_safe(&all_write);
    assert_int_equal(v->by_kind[ARCHIMEDEAN_REQ], v->entries * 8);
    assert_true(v->by_kind[ARCHIMEDEAN_NEG] > 0);
    for (uint32_t i = 0; i < COUNT(writers); i++) {
        struct trial t = library(9, 0.5);
        uint64_t w = (uint64_t)strtoul(writers[i], NULL, 10);

        t.set[0] = "writers";
        t.set[1] = writers[i];
        t.set[2] = "poll";
        t.set[3] = "none";
        v = check_safe(&t);
        assert_int_equal(v->by_kind[ARCHIMEDEAN_REQ], 30 * w * 8);
        assert_int_equal(v->by_kind[ARCHIMEDEAN_READ], 30 * (9 - w) * w);
        assert_int_equal(v->by_kind[ARCHIMEDEAN_NEG],
                         v->by_kind[ARCHIMEDEAN_POS]);
    }
}

/* No modulus is large enough where readers pass each other: while one stays
 * inside, the numbers of the others run away. */
LONG_TEST(test_no_modulus_will_do_with_readers)
{
    struct trial t = library(3, 0.9);

    t.seeds = 2000;
    t.section = "exp:60";
    t.think = "1";
    t.set[0] = "modulus";
    t.set[1] = "5";
    t.set[2] = "mindelay";
    t.set[3] = "0";
    assert_true(overlapping(t) > 0);
    t.set[1] = "50";
    t.section = "exp:2000";
    t.set[4] = "window";
    t.set[5] = "27";
    t.bounds = (struct fc_bounds){1, 1, 0, 1};
    assert_true(overlapping(t) > 0);
    t.set[1] = "none";
    assert_int_equal(overlapping(t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_readers_let_readers_in),
        cmocka_unit_test(test_frames_judge_the_last_request),
        cmocka_unit_test(test_view_tells_readers),
        cmocka_unit_test(test_fixed_readers_skip_readers),
        cmocka_unit_test(test_frames_tell_readers_clear),
        cmocka_unit_test(test_runs_are_safe),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_no_modulus_will_do_with_readers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
