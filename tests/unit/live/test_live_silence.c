/*
 * test_live_silence.c - mode silence without its sockets: what an entry costs,
 * that nobody is inside together whatever is lost and killed, and
 * that a broken bound is seen.
 */
#include "tests/unit/kit/silence_world.h"

#include "core/wire.h"

/* n-1 messages an entry and as many acknowledgements, and nothing in
 * between. */
TEST(test_an_entry_costs_as_many_messages_as_there_are_others)
{
    for (uint32_t nodes = 2; nodes <= WORLD_NODES; nodes++)
        for (uint32_t early = 0; early < 2; early++) {
            struct world *w = make_world(nodes, 1, nodes);
            struct sums before, after;

            w->early = early;
            w->quick = true;
            start_all(w);
            run_for(w, 1000);
            assert_true(all_ready(w));
            before = sums_of(w);
            run_for(w, 10000); /* silence means silence */
            after = sums_of(w);
            assert_memory_equal(&before, &after, sizeof before);
            for (uint32_t i = 0; i < 10; i++)
                enter_once(w, i % nodes);
            after = sums_of(w);
            assert_int_equal(after.requests - before.requests,
                             10 * (nodes - 1));
            assert_int_equal(after.sent - before.sent, 10 * (nodes - 1));
            assert_int_equal(after.acks - before.acks, 10 * (nodes - 1));
            assert_true(after.refusals == 0 && after.grants == 0);
            assert_int_equal(w->breaches[LIVE_LATE], 0);
            assert_int_equal(w->overlaps + w->backwards, 0);
            end_world(w);
        }
}

/* The window is waited for; early, no longer than for the acknowledgements. */
TEST(test_window_is_full_or_early)
{
    for (uint32_t early = 0; early < 2; early++) {
        struct world *w = make_world(3, 1, 7);
        uint64_t asked, least_time = UINT64_MAX;

        w->early = early;
        start_all(w);
        run_for(w, 1000);
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t before = w->entries;

            asked = w->now;
            w->node[0].apps[0].next_at = w->now;
            while (w->entries == before)
                run_until(w, w->now + 100);
            if (w->now - asked < least_time)
                least_time = w->now - asked;
            run_for(w, 200);
        }
        assert_true(early ? least_time < WINDOW / 2 : least_time >= WINDOW);
        end_world(w);
    }
}

/* A node is killed, or comes back. */
static void disturb(struct world *w)
{
    uint32_t x = throw_below(&w->dice, w->nodes);

    if (w->node[x].up)
        kill_node(w, x);
    else
        start_node(w, x);
}

static void restart_all(struct world *w)
{
    for (uint32_t x = 0; x < w->nodes; x++)
        if (!w->node[x].up)
            start_node(w, x);
}

/* Packets are lost, nodes are killed while their commands run on, all of them
 * at times: nobody is inside beside a writer, tokens grow, and in the end
 * everybody gets in. */
TEST(test_losses_and_crashes_let_nobody_in)
{
    uint32_t entries = 0, dead = 0;

    for (uint32_t seed = 0; seed < rounds_from(2, 60); seed++) {
        struct world *w = make_world(2 + seed % 4, 1 + seed % 3, 1000 + seed);

        w->loss = seed % 3 * 15;
        w->write = seed % 2 ? 100 : 50;
        w->early = seed / 3 % 2;
        w->busy = true;
        start_all(w);
        for (uint32_t i = 0; i < 30; i++) {
            run_for(w, throw_below(&w->dice, 300));
            disturb(w);
        }
        restart_all(w);
        for (uint32_t i = 0; i < 100 && !all_ready(w); i++)
            run_for(w, 100);
        assert_true(all_ready(w));
        for (uint32_t x = 0; x < w->nodes; x++)
            for (uint32_t i = 0; i < w->locks; i++)
                w->node[x].apps[i].entries = 0;
        for (uint32_t i = 0; i < 100 && least_entries(w) < 2; i++)
            run_for(w, 500);
        assert_true(least_entries(w) >= 2);
        if (w->overlaps || w->backwards)
            fail_msg("seed %u: %u inside together, %u tokens did not grow",
                     seed, w->overlaps, w->backwards);
        assert_int_equal(w->breaches[LIVE_LATE], 0);
        assert_int_equal(w->breaches[LIVE_LIVES], 0);
        assert_int_equal(w->breaches[LIVE_OVERFLOW], 0);
        entries += w->entries;
        dead += (uint32_t)w->gone;
        end_world(w);
    }
    assert_true(entries > rounds_from(2, 60) * 20 && dead > 0);
}

/* A dead node costs time once: then its silence is known. */
TEST(test_dead_nodes_do_not_block)
{
    struct world *w = make_world(3, 1, 3);
    uint64_t asked;

    start_all(w);
    run_for(w, 1000);
    kill_node(w, 1);
    kill_node(w, 2);
    asked = w->now;
    w->node[0].apps[0].next_at = w->now;
    while (w->entries == 0)
        run_until(w, w->now + MS);
    assert_in_range(w->now - asked, DEAD, DEAD + 2 * MS);
    assert_int_equal(w->gone, 2);
    run_for(w, 1000);
    asked = w->now;
    w->node[0].apps[0].next_at = w->now;
    while (w->entries == 1)
        run_until(w, w->now + MS);
    assert_in_range(w->now - asked, WINDOW, WINDOW + 2 * MS);
    end_world(w);
}

/* A node that goes in order is not waited for. */
TEST(test_who_leaves_says_so)
{
    struct world *w = make_world(2, 1, 3);
    uint64_t asked;

    start_all(w);
    run_for(w, 1000);
    live_courier_leave(w->node[1].courier);
    run_for(w, 100);
    assert_int_equal(w->left, 1);
    asked = w->now;
    w->node[0].apps[0].next_at = w->now;
    while (w->entries == 0)
        run_until(w, w->now + MS);
    assert_in_range(w->now - asked, WINDOW, WINDOW + 2 * MS);
    assert_int_equal(w->gone, 0);
    end_world(w);
}

/* After a start of all, nobody takes part before all are there: one that is
 * not may know the last token. */
TEST(test_all_down_means_all_needed)
{
    struct world *w = make_world(3, 1, 3);

    start_all(w);
    run_for(w, 1000);
    enter_once(w, 2);
    for (uint32_t x = 0; x < 3; x++)
        kill_node(w, x);
    start_node(w, 0);
    start_node(w, 1);
    w->node[0].apps[0].next_at = w->now; /* a wish of that time is kept */
    run_for(w, 5000);
    assert_false(live_sites_ready(w->node[0].sites));
    assert_int_equal(w->entries, 1);
    start_node(w, 2);
    run_for(w, 1000);
    assert_true(all_ready(w));
    assert_int_equal(w->entries, 2);
    assert_int_equal(w->backwards, 0);
    end_world(w);
}

TEST(test_late_messages_are_seen)
{
    struct world *w = make_world(2, 1, 3);

    start_all(w);
    run_for(w, 1000);
    w->late = 2;
    w->node[0].apps[0].next_at = w->now;
    run_for(w, 1000);
    assert_true(w->breaches[LIVE_LATE] > 0);
    end_world(w);
}

/* While two that live do not hear each other, nobody enters for as long as a
 * node must be silent to be dead; then both may, and it shows when they
 * meet. */
TEST(test_a_cut_is_the_assumption_that_matters)
{
    struct world *w = make_world(2, 1, 3);
    uint64_t asked;

    start_all(w);
    run_for(w, 1000);
    w->cut_a = 1;
    asked = w->now;
    w->node[0].apps[0].next_at = w->now;
    run_until(w, asked + DEAD - MS);
    assert_int_equal(w->entries, 0);
    run_for(w, 2);
    assert_int_equal(w->entries, 1);
    w->cut_a = 0;
    w->node[1].apps[0].next_at = w->now;
    run_for(w, 100);
    assert_true(w->breaches[LIVE_LIVES] > 0);
    end_world(w);
}

/* A holder that is killed and comes back is not waited for any longer than its
 * command may run: its hello is consent, for all locks. */
TEST(test_hello_is_consent_for_all_locks)
{
    struct world *w = make_world(2, 2, 3);

    w->quick = true;
    start_all(w);
    run_for(w, 1000);
    for (uint32_t i = 0; i < 2; i++)
        w->node[1].apps[i].next_at = w->now;
    while (w->entries < 2)
        run_until(w, w->now + MS);
    for (uint32_t i = 0; i < 2; i++) {
        w->node[1].apps[i].next_at = UINT64_MAX; /* it stays */
        w->node[0].apps[i].next_at = w->now;
    }
    run_for(w, WINDOW / MS + 5);
    assert_int_equal(live_sites_look(w->node[0].sites, lock_number(1)).lacks,
                     2);
    kill_node(w, 1);
    start_node(w, 1);
    run_for(w, LEASE / MS - 1);
    assert_int_equal(w->entries, 2);
    run_for(w, DMAX / MS);
    assert_int_equal(w->entries, 4);
    assert_int_equal(w->overlaps, 0);
    end_world(w);
}

/* Locks that nobody wants need no room, those that are wanted do. */
TEST(test_room_for_locks)
{
    struct world *w = make_world(2, 1, 3);
    struct live_sites *sites;

    start_all(w);
    run_for(w, 1000);
    sites = w->node[0].sites;
    for (uint32_t i = 1; i <= LIVE_LOCKS_MAX; i++)
        assert_true(live_sites_command(sites, LIVE_WANT, i, w->now));
    assert_false(live_sites_command(sites, LIVE_WANT, 9999, w->now));
    run_for(w, 500);
    for (uint32_t i = 1; i <= LIVE_LOCKS_MAX; i++) {
        assert_int_equal(live_sites_look(sites, i).phase, FC_INSIDE);
        assert_true(live_sites_command(sites, LIVE_LEAVE, i, w->now));
    }
    assert_true(live_sites_idle(sites));
    assert_true(live_sites_command(sites, LIVE_WANT, 9999, w->now));
    end_world(w);
}

/* ---- Hostile bytes ------------------------------------------------------- */

/* Whoever has the key may send anything: it must be judged, not believed. */
TEST(test_any_bytes_do_no_harm)
{
    struct world *w = make_world(3, 2, 3);
    uint8_t bytes[LIVE_DATAGRAM_MAX];
    uint64_t odd = 0;

    w->busy = true;
    start_all(w);
    run_for(w, 1000);
    for (uint32_t i = 0; i < rounds(20000); i++) {
        size_t size = throw_below(&w->dice, i % 2 ? 60 : sizeof bytes);

        for (size_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)throw_below(&w->dice, k == 0  ? 17
                                                      : k % 3 ? 4
                                                              : 256);
        live_courier_receive(w->node[0].courier, 1 + i % 2,
                             w->node[1 + i % 2].life, bytes, size, w->now);
    }
    odd = live_courier_counts(w->node[0].courier)->odd +
          live_sites_counts(w->node[0].sites)->odd;
    assert_true(odd > rounds(20000) / 10);
    end_world(w);
}

static void ignore_bytes(void *whom, uint32_t to, const uint8_t *bytes,
                         size_t size)
{
    (void)whom;
    (void)to;
    (void)bytes;
    (void)size;
}

/* An acknowledgement of what was never sent, or of a time at which nothing was
 * sent, neither settles anything nor ends the mode. */
TEST(test_absurd_acknowledgements_are_refused)
{
    const struct live_courier_times times = {WINDOW, REPEAT, DEAD};
    const struct live_courier_owner owner = {ignore_bytes, NULL, NULL, NULL,
                                             NULL};
    struct live_courier *courier = live_courier_open(2, 0, &times, &owner);
    const uint64_t first = 1000000;
    struct {
        uint64_t number, stamp;
    } absurd[] = {{1, 0},          {1, first - 1}, {1, first + 1},
                  {1, UINT64_MAX}, {2, first},     {0, first}};
    uint8_t bytes[17] = {1u << 1}; /* an acknowledgement, and nothing else */

    assert_int_equal(live_courier_put(courier, 1, bytes, 1, first), 1);
    live_courier_ship(courier, first);
    for (uint32_t i = 0; i < COUNT(absurd); i++) {
        fc_put64(bytes + 1, absurd[i].number);
        fc_put64(bytes + 9, absurd[i].stamp);
        live_courier_receive(courier, 1, 1, bytes, sizeof bytes, first);
        assert_int_equal(live_courier_counts(courier)->odd, i + 1);
    }
    assert_false(live_courier_settled(courier, 1, 1));
    assert_int_equal(live_courier_counts(courier)->longest, 0);
    fc_put64(bytes + 1, 1);
    fc_put64(bytes + 9, first);
    live_courier_receive(courier, 1, 1, bytes, sizeof bytes, first);
    assert_true(live_courier_settled(courier, 1, 1));
    live_courier_close(courier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_an_entry_costs_as_many_messages_as_there_are_others),
        cmocka_unit_test(test_window_is_full_or_early),
        cmocka_unit_test(test_losses_and_crashes_let_nobody_in),
        cmocka_unit_test(test_dead_nodes_do_not_block),
        cmocka_unit_test(test_who_leaves_says_so),
        cmocka_unit_test(test_all_down_means_all_needed),
        cmocka_unit_test(test_late_messages_are_seen),
        cmocka_unit_test(test_a_cut_is_the_assumption_that_matters),
        cmocka_unit_test(test_hello_is_consent_for_all_locks),
        cmocka_unit_test(test_room_for_locks),
        cmocka_unit_test(test_any_bytes_do_no_harm),
        cmocka_unit_test(test_absurd_acknowledgements_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
