/*
 * test_check_readings.c - what becomes of protocols whose assumptions are
 * lifted, or whose papers are read to the letter: all runs of small networks,
 * with the properties that break, or the number of states if none does.
 */
#include "tests/unit/kit/checking.h"

#include "problems/election.h"
#include "problems/mutex.h"

static const struct fc_bounds unit = {1, 1, 0, 0};

/* Checks all properties, and says which break. */
static void tries(struct search *s, const char *what, uint32_t broken,
                  uint64_t states)
{
    struct check_result r;

    s->check.properties = ~UINT32_C(0);
    r = search_run(s);
    print_message("%s\n", what);
    assert_int_equal(r.verdict, broken ? CHECK_VIOLATED : CHECK_HOLDS);
    assert_int_equal(r.broken & broken, broken);
    if (!broken)
        assert_int_equal(r.states, states);
    check_free(&r);
    search_close(s);
}

/* Elections assume names that differ.  Where the names that matter are equal,
 * two lead; where others are, the first election to end may be a wrong one; and
 * Franklin's does not mind. */
TEST(test_equal_names)
{
    static const fc_name least[] = {1, 1, 2}, greatest[] = {1, 2, 2};
    static const struct {
        const char *protocol;
        const fc_name *names;
        uint32_t n;
        uint32_t broken;
        uint64_t states;
    } cases[] = {
        {"lelann", least, 2, ELECTION_ONE_LEADER, 0},
        {"lelann", least, 3, ELECTION_ONE_LEADER, 0},
        {"lelann", greatest, 3, ELECTION_RIGHT_LEADER, 0},
        {"chang-roberts", least, 2, ELECTION_ONE_LEADER, 0},
        {"chang-roberts", least, 3, ELECTION_ONE_LEADER, 0},
        {"chang-roberts-max", least, 2, ELECTION_ONE_LEADER, 0},
        {"chang-roberts-max", greatest, 3, ELECTION_ONE_LEADER, 0},
        {"vitanyi", least, 2, ELECTION_ONE_LEADER, 0},
        {"franklin", greatest, 3, ELECTION_ONE_LEADER, 0},
        {"franklin", least, 3, 0, 117},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct search s;

        search_open(&s, cases[i].protocol, cases[i].n, NET_ASYNC, unit, "");
        s.sim.net.naming = NET_NAMES_LIST;
        s.sim.net.names = cases[i].names;
        s.sim.net.equal = true;
        tries(&s, cases[i].protocol, cases[i].broken, cases[i].states);
    }
}

/* Without a token nobody enters, with two of them two do; the first of these
 * holds of a coordinator, too. */
TEST(test_first_holders)
{
    static const struct {
        const char *protocol, *set;
        uint32_t broken;
        uint64_t states;
    } cases[] = {
        {"token-mutex", "idle=rests holders=none", MUTEX_EVERYONE_ENTERS, 0},
        {"token-mutex", "idle=rests", 0, 20},
        {"token-mutex", "idle=rests holders=two", MUTEX_EXCLUSION, 0},
        {"suzuki-kasami", "holders=none", MUTEX_EVERYONE_ENTERS, 0},
        {"suzuki-kasami", "", 0, 20},
        {"suzuki-kasami", "holders=two", MUTEX_EXCLUSION, 0},
        {"raymond", "holders=none", MUTEX_EVERYONE_ENTERS, 0},
        {"raymond", "", 0, 20},
        {"raymond", "holders=two", MUTEX_EXCLUSION, 0},
        {"central", "coordinator=none", MUTEX_EVERYONE_ENTERS, 0},
        {"central", "", 0, 20},
    };

    for (uint32_t n = 2; n <= 3; n++)
        for (size_t i = 0; i < COUNT(cases); i++) {
            struct search s;

            search_open(&s, cases[i].protocol, n, NET_ASYNC, unit,
                        cases[i].set);
            s.sim.net.tree = NET_TREE_PATH;
            if (n == 3 && cases[i].broken == 0)
                search_close(&s); /* test_check.c has these */
            else
                tries(&s, cases[i].protocol, cases[i].broken, cases[i].states);
        }
}

/* Two that are the highest do not hear of each other. */
TEST(test_equal_priorities)
{
    for (uint32_t n = 2; n <= 3; n++) {
        struct search s;

        search_open(&s, "bully", n, NET_SYNC, unit, "ties=2");
        tries(&s, "bully", ELECTION_ONE_LEADER, 0);
    }
}

/* With a wait of 0 that never runs off nobody is elected in minimal time. */
TEST(test_wait_of_zero)
{
    struct search s;

    search_open(&s, "vitanyi", 3, NET_SYNC, unit, "f=minimal zero-wait=never");
    tries(&s, "never", ELECTION_ELECTED, 0);
    search_open(&s, "vitanyi", 3, NET_SYNC, unit, "f=minimal");
    tries(&s, "sends", 0, 63);
}

/* One timer keeps one token where nothing varies, and not otherwise; two do
 * then, too (test_token_ring.c). */
TEST(test_one_timer)
{
    static const struct fc_bounds jitter = {1, 1, 1, 2};
    struct search s;

    search_open(&s, "token-ring", 3, NET_SYNC, unit, "timers=one");
    tries(&s, "sync", 0, 4788);
    search_open(&s, "token-ring", 3, NET_ARCHIMEDEAN, jitter, "timers=one");
    tries(&s, "jitter", 1, 0);
}

/* With the printed threshold, n, a modulus of 2n-1 is enough; with a smaller
 * one or a much greater one it is not. */
TEST(test_thresholds_of_the_modulus)
{
    static const struct fc_bounds bounds = {1, 1, 0, 1};
    static const struct {
        const char *at;
        uint32_t broken;
        uint64_t states;
    } cases[] = {{"n", 0, 2223}, {"2", 0, 2223}, {"1", 1, 0}, {"4", 1, 0}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct search s;
        char set[128];

        snprintf(set, sizeof set,
                 "mindelay=1 delaystep=0 predict=0 modulus=3 wraps-at=%s",
                 cases[i].at);
        search_open(&s, "archimedean", 2, NET_ARCHIMEDEAN, bounds, set);
        s.check.entries = CHECK_ENTRIES_ANY;
        tries(&s, cases[i].at, cases[i].broken, cases[i].states);
    }
}

/* Counters of two digits, each read against the direction in which it is
 * written, tell every write; the other way round they miss one. */
TEST(test_digits_of_counters)
{
    for (uint32_t reversed = 0; reversed < 2; reversed++) {
        struct search s;
        char set[128];

        snprintf(set, sizeof set,
                 "words=2 digits=2 writes=asked waits=none digit-order=%s",
                 reversed ? "reversed" : "right");
        search_open(&s, "rw-optimistic", 2, NET_ASYNC, unit, set);
        s.check.entries = 3;
        s.check.cycles = false;
        tries(&s, set, reversed, 2113);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_names),
        cmocka_unit_test(test_first_holders),
        cmocka_unit_test(test_equal_priorities),
        cmocka_unit_test(test_wait_of_zero),
        cmocka_unit_test(test_one_timer),
        cmocka_unit_test(test_thresholds_of_the_modulus),
        cmocka_unit_test(test_digits_of_counters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
