/*
 * test_live_silence_rules.c - mode silence without its sockets: clients that no
 * longer wait, and tokens up to the last number.
 */
#include "tests/unit/kit/silence_world.h"

#include "protocols/mutex/archimedean/archimedean.h"
#include "protocols/mutex/view_lock/view_lock.h"

/* ---- Giving up ----------------------------------------------------------- */

/* A node that gives up frees those that it has refused. */
TEST(test_giving_up)
{
    struct world *w = make_world(2, 1, 3);

    start_all(w);
    run_for(w, 1000);
    assert_true(live_sites_command(w->node[0].sites, LIVE_WANT, lock_number(0),
                                   w->now));
    live_courier_ship(w->node[0].courier, w->now);
    run_for(w, 40);
    w->node[1].apps[0].next_at = w->now;
    run_until(w, w->now + MS);
    assert_true(live_sites_command(w->node[0].sites, LIVE_GIVE_UP,
                                   lock_number(0), w->now));
    assert_false(live_sites_command(w->node[0].sites, LIVE_GIVE_UP,
                                    lock_number(0), w->now));
    assert_true(live_sites_idle(w->node[0].sites));
    run_for(w, WINDOW / MS + 1);
    assert_int_equal(w->entries, 1);
    assert_true(w->node[1].apps[0].inside);
    end_world(w);
}

/* A command for the first lock at the first node; then what is due is sent. */
static bool tell(struct world *w, enum live_command what)
{
    bool obeyed =
        live_sites_command(w->node[0].sites, what, lock_number(0), w->now);

    live_courier_ship(w->node[0].courier, w->now);
    return obeyed;
}

/* AR-12: whoever gives up within its window, however often, has one request
 * out at a time; and whoever wants the lock in the end gets it. */
TEST(test_giving_up_sends_no_second_request_within_the_window)
{
    for (uint32_t early = 0; early < 2; early++) {
        struct world *w = make_world(3, 1, 11);
        uint64_t requests, asked;

        w->early = early;
        start_all(w);
        run_for(w, 1000);
        requests = live_sites_counts(w->node[0].sites)->requests;
        asked = w->now;
        for (uint32_t i = 0; i < 100; i++) {
            assert_true(tell(w, LIVE_WANT));
            assert_int_equal(
                live_sites_look(w->node[0].sites, lock_number(0)).phase,
                FC_WAITING);
            assert_true(tell(w, LIVE_GIVE_UP));
            assert_true(live_sites_idle(w->node[0].sites));
        }
        assert_int_equal(live_sites_counts(w->node[0].sites)->requests,
                         requests + 2);
        assert_true(tell(w, LIVE_WANT));
        while (w->entries == 0) {
            run_until(w, w->now + 100);
            if (!early && w->now < asked + WINDOW)
                assert_int_equal(live_sites_counts(w->node[0].sites)->requests,
                                 requests + 2);
        }
        assert_int_equal(live_sites_counts(w->node[0].sites)->requests,
                         requests + 4);
        assert_true(w->now - asked >= (early ? 1 : 2 * WINDOW));
        assert_true(w->now - asked <= 2 * WINDOW + MS);
        end_world(w);
    }
}

/* The next request waits as well for those who have not handled the one that
 * was given up: a node that does not answer is waited for until it is dead. */
TEST(test_rest_lasts_until_the_request_is_handled)
{
    struct world *w = make_world(2, 1, 5);
    uint64_t requests, asked;

    start_all(w);
    run_for(w, 1000);
    w->cut_a = 1;
    asked = w->now;
    requests = live_sites_counts(w->node[0].sites)->requests;
    assert_true(tell(w, LIVE_WANT) && tell(w, LIVE_GIVE_UP));
    assert_true(tell(w, LIVE_WANT));
    run_until(w, asked + DEAD - MS);
    assert_int_equal(live_sites_counts(w->node[0].sites)->requests,
                     requests + 1);
    assert_int_equal(live_sites_look(w->node[0].sites, lock_number(0)).lacks,
                     2);
    run_for(w, WINDOW / MS + 2); /* it is taken for dead, and asked once more */
    assert_int_equal(w->gone, 1);
    assert_int_equal(w->entries, 1);
    end_world(w);
}

/* A lock that was given up needs room for the rest of its window, no more. */
TEST(test_room_after_giving_up)
{
    struct world *w = make_world(2, 1, 3);
    struct live_sites *sites;

    start_all(w);
    run_for(w, 1000);
    sites = w->node[0].sites;
    for (uint32_t i = 1; i <= LIVE_LOCKS_MAX; i++) {
        assert_true(live_sites_command(sites, LIVE_WANT, i, w->now));
        assert_true(live_sites_command(sites, LIVE_GIVE_UP, i, w->now));
    }
    assert_true(live_sites_idle(sites));
    assert_false(live_sites_command(sites, LIVE_WANT, 9999, w->now));
    assert_true(live_sites_command(sites, LIVE_WANT, 7, w->now));
    assert_true(live_sites_command(sites, LIVE_GIVE_UP, 7, w->now));
    run_for(w, WINDOW / MS + 1);
    for (uint32_t i = 1; i <= LIVE_LOCKS_MAX; i++)
        assert_true(live_sites_command(sites, LIVE_WANT, 10000 + i, w->now));
    end_world(w);
}

/* The clients of all nodes change their minds all the time. */
TEST(test_giving_up_lets_nobody_in)
{
    for (uint32_t seed = 0; seed < rounds(40); seed++) {
        struct world *w = make_world(2 + seed % 4, 1 + seed % 2, 500 + seed);

        w->loss = seed % 3 * 15;
        w->write = seed % 2 ? 100 : 50;
        w->early = seed / 3 % 2;
        w->busy = true;
        start_all(w);
        for (uint32_t i = 0; i < 100; i++) {
            uint32_t x = throw_below(&w->dice, w->nodes);
            uint32_t lock = throw_below(&w->dice, w->locks);
            struct app *a = &w->node[x].apps[lock];

            run_for(w, throw_below(&w->dice, 60));
            if (live_sites_command(w->node[x].sites, LIVE_GIVE_UP,
                                   lock_number(lock), w->now))
                a->next_at = w->now + throw_below(&w->dice, WINDOW);
            live_courier_ship(w->node[x].courier, w->now);
        }
        for (uint32_t i = 0; i < 100 && least_entries(w) < 1; i++)
            run_for(w, 500);
        assert_true(least_entries(w) >= 1);
        if (w->overlaps || w->backwards)
            fail_msg("seed %u: %u inside together, %u tokens did not grow",
                     seed, w->overlaps, w->backwards);
        assert_int_equal(w->breaches[LIVE_LATE], 0);
        end_world(w);
    }
}

/* ---- Tokens -------------------------------------------------------------- */

static uint64_t token_of_entry(struct world *w)
{
    enter_once(w, 0);
    return w->highest[0];
}

/* A token of either mode has the generation on top: over a change of the mode,
 * which goes with a greater one, tokens grow, whatever views and numbers do. */
TEST(test_tokens_grow_over_a_change_of_mode)
{
    uint64_t last = view_lock_token(1, 1 << 20, 1000000);

    for (uint32_t generation = 2; generation < 127; generation += 25) {
        struct world *w = make_world(2, 1, generation);
        uint64_t token, again;

        w->generation = generation;
        start_all(w);
        run_for(w, 1000);
        token = token_of_entry(w);
        again = token_of_entry(w);
        end_world(w);
        assert_true(token > last && again > token);
        assert_int_equal(again >> 56, generation);
        last = view_lock_token((uint8_t)(generation + 1), 1, 1);
        assert_true(last > again);
        last = view_lock_token((uint8_t)(generation + 1), 1 << 24, 1 << 20);
    }
    assert_true(last < UINT64_C(1) << 63);
}

/* The last number that fits in a token is used; then nothing is asked for, and
 * what waited is given up.  2^40 - 1 is far away: a node says that it has seen
 * so much. */
TEST(test_numbers_end)
{
    const uint64_t last = (UINT64_C(1) << 40) - 1;
    struct world *w = make_world(2, 1, 3);

    w->node[0].floor = last - 2;
    start_all(w);
    run_for(w, 1000);
    assert_true(all_ready(w));
    assert_int_equal(live_sites_counts(w->node[1].sites)->highest, last - 2);
    enter_once(w, 0);
    assert_int_equal(w->highest[0],
                     UINT64_C(1) << 56 | mutex_token(last - 1, 0));
    assert_true(tell(w, LIVE_WANT)); /* with the last one... */
    assert_true(tell(w, LIVE_GIVE_UP));
    assert_false(tell(w, LIVE_WANT)); /* ...and there is no other */
    run_for(w, 200);
    assert_int_equal(w->entries, 1);
    assert_true(live_sites_idle(w->node[0].sites));
    assert_false(live_sites_command(w->node[1].sites, LIVE_WANT, lock_number(0),
                                    w->now));
    assert_false(live_sites_command(w->node[1].sites, LIVE_WANT, lock_number(1),
                                    w->now));
    end_world(w);
}

/* Numbers may run out while one waits for the end of a window, or for the node
 * to take part. */
TEST(test_numbers_end_for_who_waits)
{
    const uint64_t last = (UINT64_C(1) << 40) - 1;
    struct world *w = make_world(2, 1, 3);

    w->node[0].floor = last - 1;
    start_all(w);
    run_for(w, 1000);
    assert_true(tell(w, LIVE_WANT));
    run_for(w, 1);
    kill_node(w, 1);
    start_node(w, 1); /* a wish of that time is dropped when it takes part */
    assert_true(live_sites_command(w->node[1].sites, LIVE_WANT, lock_number(0),
                                   w->now));
    run_for(w, 2000);
    assert_true(all_ready(w));
    assert_int_equal(live_sites_counts(w->node[1].sites)->highest, last);
    assert_true(live_sites_idle(w->node[1].sites));
    assert_int_equal(w->entries, 1);
    end_world(w);
}

/* And while one rests that will want the lock again. */
TEST(test_numbers_end_for_who_rests)
{
    const uint64_t last = (UINT64_C(1) << 40) - 1;
    struct world *w = make_world(2, 1, 3);

    w->quick = true;
    w->node[0].floor = last - 2;
    start_all(w);
    run_for(w, 1000);
    assert_true(tell(w, LIVE_WANT) && tell(w, LIVE_GIVE_UP));
    assert_true(tell(w, LIVE_WANT));
    run_for(w, 5);
    w->node[1].apps[0].next_at = w->now; /* it takes the last one */
    run_for(w, 500);
    assert_int_equal(w->entries, 1);
    assert_true(w->highest[0] == (UINT64_C(1) << 56 | mutex_token(last, 1)));
    assert_true(live_sites_counts(w->node[0].sites)->highest == last);
    assert_int_equal(live_sites_look(w->node[0].sites, lock_number(0)).phase,
                     FC_IDLE);
    assert_true(live_sites_idle(w->node[0].sites));
    end_world(w);
}

/* A number that no site can have sent is not believed, for the next one would
 * not fit. */
TEST(test_odd_numbers_are_not_believed)
{
    static const struct {
        uint8_t kind;
        uint64_t lock, number;
        bool odd;
    } cases[] = {
        {ARCHIMEDEAN_REQ, 1, UINT64_C(1) << 40, true},
        {ARCHIMEDEAN_READ, 1, UINT64_MAX, true},
        {ARCHIMEDEAN_HELLO_MSG, 0, UINT64_MAX, true},
        {ARCHIMEDEAN_REQ, 1, (UINT64_C(1) << 40) - 2, false},
        {ARCHIMEDEAN_HELLO_MSG, 0, UINT64_C(1) << 40, false},
    };
    struct world *w = make_world(2, 1, 3);

    start_all(w);
    run_for(w, 1000);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        struct archimedean_msg m = {.kind = cases[i].kind,
                                    .number = cases[i].number};
        uint64_t odd = live_sites_counts(w->node[0].sites)->odd;
        uint8_t wire[8 + FC_WIRE_MAX];

        fc_put64(wire, cases[i].lock);
        (void)live_courier_put(w->node[1].courier, 0, wire,
                               8 + archimedean_pack(&m, wire + 8), w->now);
        live_courier_ship(w->node[1].courier, w->now);
        run_for(w, 2 * WINDOW / MS);
        assert_int_equal(live_sites_counts(w->node[0].sites)->odd - odd,
                         cases[i].odd);
        assert_true((live_sites_counts(w->node[0].sites)->highest ==
                     cases[i].number) == !cases[i].odd);
    }
    end_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_giving_up),
        cmocka_unit_test(
            test_giving_up_sends_no_second_request_within_the_window),
        cmocka_unit_test(test_rest_lasts_until_the_request_is_handled),
        cmocka_unit_test(test_room_after_giving_up),
        cmocka_unit_test(test_giving_up_lets_nobody_in),
        cmocka_unit_test(test_tokens_grow_over_a_change_of_mode),
        cmocka_unit_test(test_numbers_end),
        cmocka_unit_test(test_numbers_end_for_who_waits),
        cmocka_unit_test(test_numbers_end_for_who_rests),
        cmocka_unit_test(test_odd_numbers_are_not_believed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
