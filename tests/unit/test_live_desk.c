/*
 * test_live_desk.c - a cluster of two nodes in this process, and clients of one
 * that behave and that do not.
 */
#include "tests/unit/desk_world.h"

/* Clients of one lock come in turn, each under a greater token; a deadline
 * moves on while it is held. */
TEST(test_local_clients_queue)
{
    struct world w;
    struct live_client a, b, c;
    uint64_t token, deadline;

    open_world(&w);
    a = client_of(&w);
    b = client_of(&w);
    c = client_of(&w);
    ask(&w, &a, "red", false);
    assert_int_equal(next(&w, &a, 5000), LIVE_GRANTED);
    ask(&w, &b, "red", false);
    assert_int_equal(next(&w, &b, 50), 0);
    ask(&w, &c, "blue", false);
    assert_int_equal(next(&w, &c, 1000), LIVE_GRANTED);
    deadline = live_client_deadline(&a);
    for (int i = 0; i < 100 && live_client_deadline(&a) == deadline; i++)
        run(&w, 10);
    assert_true(live_client_deadline(&a) > deadline);
    assert_true(live_client_holds(&a));
    token = a.token;
    release(&w, &a);
    assert_int_equal(next(&w, &b, 1000), LIVE_GRANTED);
    assert_true(b.token > token);
    live_client_close(&b); /* who is gone lets go */
    ask(&w, &a, "red", false);
    assert_int_equal(next(&w, &a, 1000), LIVE_GRANTED);
    live_client_close(&a);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* Readers are let in together, but not past a writer who came before. */
TEST(test_local_readers)
{
    struct world w;
    struct live_client a, b, c, d;

    open_world(&w);
    a = client_of(&w);
    b = client_of(&w);
    c = client_of(&w);
    d = client_of(&w);
    ask(&w, &a, "red", true);
    ask(&w, &b, "red", true);
    assert_int_equal(next(&w, &a, 5000), LIVE_GRANTED);
    assert_int_equal(next(&w, &b, 1000), LIVE_GRANTED);
    ask(&w, &c, "red", false);
    ask(&w, &d, "red", true);
    assert_int_equal(next(&w, &c, 30), 0);
    assert_int_equal(next(&w, &d, 30), 0);
    release(&w, &a);
    release(&w, &b);
    assert_int_equal(next(&w, &c, 1000), LIVE_GRANTED);
    assert_int_equal(next(&w, &d, 30), 0);
    assert_true(c.token > b.token);
    release(&w, &c);
    assert_int_equal(next(&w, &d, 1000), LIVE_GRANTED);
    live_client_close(&a);
    live_client_close(&b);
    live_client_close(&c);
    live_client_close(&d);
    run(&w, 20);
    close_world(&w);
}

/* Letters of any bytes and any size end the connection, and nothing else. */
TEST(test_hostile_letters)
{
    struct world w;
    struct live_client good;
    struct dice dice = {1};
    uint8_t bytes[sizeof(struct live_letter) + 64];

    open_world(&w);
    good = client_of(&w);
    ask(&w, &good, "red", false);
    assert_int_equal(next(&w, &good, 5000), LIVE_GRANTED);
    for (int i = 0; i < 300; i++) {
        struct live_client bad = client_of(&w);
        uint32_t version = LIVE_LETTER_VERSION;
        size_t size = i % 3 ? sizeof(struct live_letter)
                            : throw_below(&dice, sizeof bytes);

        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)throw_dice(&dice);
        if (i % 2)
            memcpy(bytes, &version, sizeof version);
        if (i % 4 == 1) {
            bytes[4] = LIVE_ASK; /* a name that never ends, a strange group */
            bytes[5] &= 1;
            bytes[11] |= 0x40; /* no process has so high a number */
        }
        (void)send(bad.socket, bytes, size, MSG_NOSIGNAL);
        if (i % 5 == 0)
            run(&w, 1);
        live_client_close(&bad);
        (void)uv_run(&w.loop, UV_RUN_NOWAIT);
    }
    run(&w, 30);
    assert_true(live_desk_counts(w.desk)->odd > 100);
    assert_true(live_client_holds(&good));
    release(&w, &good);
    live_client_close(&good);
    run(&w, 20);
    close_world(&w);
}

/* A group that cannot be killed is refused: of nobody, or our own. */
TEST(test_groups_that_cannot_be_killed)
{
    struct world w;
    struct live_client c;
    const pid_t groups[] = {1, -5, getpgrp(), 0x7ffffff0};

    open_world(&w);
    c = client_of(&w);
    for (size_t i = 0; i < COUNT(groups); i++) {
        assert_int_equal(
            live_client_ask(&c, "red", false, groups[i], 1000000, w.error), 0);
        assert_int_equal(next(&w, &c, 1000), LIVE_REFUSED);
    }
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* K2, K3: if the loop stands still, the deadline is over for the client; when
 * it goes on, it kills before it does anything else. */
TEST(test_a_paused_daemon_kills_first)
{
    struct world w;
    struct live_client c;
    pid_t child = idle_group();
    int status;

    open_world(&w);
    c = client_of(&w);
    assert_int_equal(
        live_client_ask(&c, "red", false, child, UINT64_MAX, w.error), 0);
    assert_int_equal(next(&w, &c, 5000), LIVE_GRANTED);
    (void)usleep(450000);
    assert_false(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(live_desk_counts(w.desk)->lost, 1);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* Whoever works in its own process cannot be killed: it sees in its page that
 * the lock was taken away, however long the deadline would have lasted. */
TEST(test_a_lock_taken_away_is_seen_at_once)
{
    struct world w;
    struct live_client c;

    open_world(&w);
    c = client_of(&w);
    ask(&w, &c, "red", false);
    assert_int_equal(next(&w, &c, 5000), LIVE_GRANTED);
    assert_true(live_client_holds(&c));
    (void)live_desk_stop(w.desk, "the node is about to stop");
    assert_false(live_client_holds(&c));
    run(&w, 30); /* and the lease, renewed meanwhile, gives it nothing back */
    assert_false(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_clients_queue),
        cmocka_unit_test(test_local_readers),
        cmocka_unit_test(test_hostile_letters),
        cmocka_unit_test(test_groups_that_cannot_be_killed),
        cmocka_unit_test(test_a_paused_daemon_kills_first),
        cmocka_unit_test(test_a_lock_taken_away_is_seen_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
