/*
 * test_sane_counts.c - what was counted of many runs, and what was written down
 * of one: each rule broken once, and the right sentence.
 */
#include "sim/records.c"

#include "sim/batch.h"
#include "tests/unit/kit/testing.h"

/* Three runs: two are well, one breaks a property. */
static void some_runs(struct sim_summary *s)
{
    *s = (struct sim_summary){0};
    for (uint64_t run = 0; run < 3; run++) {
        struct sim_result r = {.messages = 4 + run,
                               .frames = 1,
                               .by_kind = {0, 3, 2 + run},
                               .reached_at = 5,
                               .broken = run == 2 ? 2 : 0};

        for (uint64_t entry = 0; entry < 2; entry++)
            sim_scale_add(&s->tally.granting, 10 + 100 * entry);
        sim_stat_add(&s->tally.messages, 4);
        s->tally.unbilled += run;
        sim_tally_end_run(&s->tally, run);
        sim_summary_add(s, &r, run);
    }
    assert_null(sim_summary_sane(s));
}

TEST(test_a_broken_summary_says_what_is_broken)
{
    static struct sim_summary s;

    some_runs(&s);
    s.ok++;
    assert_string_equal(sim_summary_sane(&s),
                        "a run is well, or violates something");
    some_runs(&s);
    s.broken_runs[0] = 2;
    assert_string_equal(sim_summary_sane(&s),
                        "a run that breaks a property violates something");
    some_runs(&s);
    s.broken_runs[1] = 0;
    assert_string_equal(sim_summary_sane(&s),
                        "a run that violates something breaks a property");
    some_runs(&s);
    s.end.count--;
    assert_string_equal(sim_summary_sane(&s), "every run is counted once");
    some_runs(&s);
    s.by_kind[1].sum++;
    assert_string_equal(sim_summary_sane(&s), "every message is of one kind");
    some_runs(&s);
    s.reached_at.count = 4;
    assert_string_equal(sim_summary_sane(&s),
                        "no more runs reach their goal than there are");
    some_runs(&s);
    s.tally.unbilled++; /* 12 are on bills, and 3 of 15 are not */
    assert_string_equal(sim_summary_sane(&s),
                        "a message is on one bill at most");
}

TEST(test_a_broken_tally_says_what_is_broken)
{
    static struct sim_summary s;
    struct sim_tally *t = &s.tally;

    some_runs(&s);
    t->granting.slot[10]++;
    assert_string_equal(sim_tally_sane(t), "every value is in one slot");
    some_runs(&s);
    t->granting.slot[10]--;
    t->granting.slot[11]++;
    t->granting.stat.min = 9;
    assert_string_equal(sim_tally_sane(t), "the extremes are in their slots");
    some_runs(&s);
    t->messages.sum = 11; /* of three that are 4 */
    assert_string_equal(
        sim_tally_sane(t),
        "a mean is not below the least value, nor above the greatest");
    some_runs(&s);
    t->refusals.sum = 1;
    assert_string_equal(sim_tally_sane(t), "no values have no sum");
    some_runs(&s);
    t->of_runs[SIM_MESSAGES].near.count = 0;
    assert_string_equal(sim_tally_sane(t), "a run has a mean if it has values");
}

/* ---- Records ------------------------------------------------------------- */

/* Of three nodes, node 2 has entered and left, node 0 is inside, and overtook
 * node 1, which is awake. */
static void open_records(struct sim_records *r, const struct sim_setup *setup,
                         const struct net_names *names)
{
    assert_true(sim_records_begin(r, setup, names, 1));
    sim_records_want(r, 2, 1, false, 0);
    sim_records_want(r, 1, 2, false, 1);
    sim_records_wake(r, 1, 2);
    sim_records_enter(r, 2, 3, FC_NEVER);
    sim_records_leave(r, 2, 4, FC_NEVER);
    sim_records_want(r, 0, 5, false, 2);
    sim_records_enter(r, 0, 6, 4);
    assert_null(sim_records_sane(r));
}

#define BREAK(what, sentence)                                                  \
    do {                                                                       \
        open_records(&r, &setup, &names);                                      \
        what;                                                                  \
        assert_string_equal(sim_records_sane(&r), sentence);                   \
    } while (0)

TEST(test_broken_records_say_what_is_broken)
{
    struct sim_setup setup = {0};
    struct net_memory memory = {0};
    struct sim_records r = {0};
    struct net_names names;

    sim_use(&setup, sim_find("lamport"));
    setup.net.world.nodes = 3;
    setup.net.world.bounds = (struct fc_bounds){1, 1, 0, 0};
    setup.net.first_name = 1;
    assert_int_equal(net_names_begin(&names, &setup.net, 1, true, &memory), 0);
    BREAK(r.called[0].id = 9, "nodes are sorted by name");
    BREAK(r.node[1].entry = 1, "the present entry of a node is its own");
    BREAK(r.node[1].entry = 4, "the present entry of a node is its own");
    BREAK(r.awake++,
          "those are awake that were woken, and whose entry is present");
    BREAK(r.entries[1].upto = 3,
          "who overtakes an entry enters after its wish, and before it");
    BREAK(r.entries[0].enter = 0,
          "a node that enters has wished to, and is awake");
    BREAK(r.entered[0] = 1, "a node that enters has wished to, and is awake");
    BREAK(r.entries[0].leave = 2, "a node that leaves has entered");
    BREAK(r.entered_count++, "as many entries are made as enter");
    sim_records_free(&r);
    net_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_broken_summary_says_what_is_broken),
        cmocka_unit_test(test_a_broken_tally_says_what_is_broken),
        cmocka_unit_test(test_broken_records_say_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
