/*
 * test_windows_doubt.c - where a property could see that a window tells what
 * happens in another order than that of time, the run is repeated tick by tick.
 *
 * The engines are compiled here with views of ours, because no protocol that
 * runs in lockstep makes anybody doubt.
 */
#define FC_TYPED
#include "protocols/election/chang_roberts/chang_roberts.c"

/* The protocols that testing.h knows are those of the library. */
#undef FC_TYPED
#undef FC_API
#define FC_API
#include "tests/unit/kit/testing.h"

/* What a node seems to be, once it has lost. */
enum lie { HONEST, ONE_LEADER_OF_MANY, ALL_LEAD, EACH_NAMES_ITSELF };
static enum lie lie;

static void seems(const struct chang_roberts *s,
                  const struct chang_roberts_site *me,
                  struct election_view *view)
{
    bool lost = s->status == CHANG_ROBERTS_LOST;

    if (lie == HONEST || !lost) {
        chang_roberts_view(s, me, view);
        return;
    }
    *view = (struct election_view){
        .role = lie == ALL_LEAD ? ELECTION_LEADER : ELECTION_DONE,
        .leader = lie == EACH_NAMES_ITSELF ? me->name : 1,
    };
}

#define P                  chang_roberts
#define chang_roberts_view seems
#include "sim/engine/lockstep.inc"

static const struct sim_type type = {
    .protocol = &chang_roberts_protocol,
    .run = engine_run,
    .lockstep = lockstep_run,
    .lockstep_node = lockstep_node,
};

/* Both engines agree; returns the result in lockstep. */
static struct sim_result compare(uint32_t n, uint64_t seed)
{
    struct sim_result quick, general;
    struct lab lab;

    lab_open(&lab, "chang-roberts", n);
    lab.setup.type = &type;
    lab.setup.net.naming = NET_NAMES_RANDOM;
    lab_prepare(&lab);
    quick = lab_run(&lab, seed);
    lab.setup.general = true;
    general = lab_run(&lab, seed);
    lab_close(&lab);
    assert_true(quick.lockstep);
    assert_int_equal(quick.broken, general.broken);
    assert_true(quick.reached_at == general.reached_at);
    assert_int_equal(quick.leader, general.leader);
    assert_int_equal(quick.messages, general.messages);
    assert_int_equal(quick.paper_bits, general.paper_bits);
    assert_int_equal(quick.events, general.events);
    assert_int_equal(quick.end, general.end);
    return quick;
}

TEST(test_nobody_doubts_an_election)
{
    lie = HONEST;
    for (uint64_t seed = 0; seed < rounds(100); seed++) {
        struct sim_result r = compare(5 + (uint32_t)seed, seed);

        assert_int_equal(r.broken, 0);
        assert_false(r.by_ticks);
    }
}

/* Nodes come to know their leader all over the ring, in another order than that
 * of windows.  Nothing is broken, but something could have been. */
TEST(test_another_order_is_doubted)
{
    uint32_t repeated = 0;

    lie = ONE_LEADER_OF_MANY;
    for (uint64_t seed = 0; seed < rounds(100); seed++) {
        struct sim_result r = compare(5 + (uint32_t)seed, seed);

        assert_int_equal(r.broken, 0);
        assert_int_equal(r.leader, 1);
        repeated += r.by_ticks;
    }
    assert_true(repeated > rounds(100) / 2);
}

/* Who was the first depends on the order. */
TEST(test_what_is_broken_is_repeated)
{
    static const struct {
        enum lie lie;
        uint32_t broken;
    } cases[] = {{ALL_LEAD, ELECTION_ONE_LEADER},
                 {EACH_NAMES_ITSELF, ELECTION_AGREEMENT}};

    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint64_t seed = 0; seed < rounds(100); seed++) {
            struct sim_result r;

            lie = cases[i].lie;
            r = compare(5 + (uint32_t)seed, seed);
            assert_true(r.broken & cases[i].broken);
            assert_true(r.by_ticks);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_doubts_an_election),
        cmocka_unit_test(test_another_order_is_doubted),
        cmocka_unit_test(test_what_is_broken_is_repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
