/*
 * test_live_defer.c - a node that hears of a lower generation (P6): it says and
 * grants nothing until nothing was heard of that for long enough; and what node
 * and desk owe each other.
 */
#include "live/mode/mode_proven_engine.h"

#include "live/node/node.h"
#include "tests/unit/kit/testing.h"

enum { SECOND = 1000000, LOCK = 5, WAIT = 3 * SECOND, BEGIN = 5 * SECOND };

static const char text[] = "[cluster]\n%s"
                           "[node a]\nhost = h\nport = 1\n"
                           "[node b]\nhost = h\nport = 2\n";

static struct live_config config;
static struct live_node node;
static struct live_effects out;
static struct net_why error;

/* A node whose life has begun. */
static void begin(const char *cluster)
{
    struct live_past past = {.seed = 1};
    struct live_kept kept;
    struct live_mode *mode;
    char file[512];

    snprintf(file, sizeof file, text, cluster);
    if (!live_config_parse(&config, "x", file, strlen(file), &error))
        fail_msg("%s", error.text);
    mode = live_mode_of(&config)->open(&config, 0, &past, &error);
    assert_non_null(mode);
    live_node_open(&node, mode, LIVE_DESK_WHOLE);
    live_node_boot(&node, BEGIN, &out);
    kept = mode->kind->record(mode);
    live_effects_clear(&out);
    live_node_written(&node, &kept, BEGIN, &out);
    live_effects_clear(&out);
}

static void end(void)
{
    live_node_close(&node);
    live_effects_free(&out);
}

/* How much it sends from one time to another, woken when it wants. */
static uint32_t sends(uint64_t from, uint64_t to)
{
    uint32_t count = 0;

    for (uint64_t now = from; now < to; now = live_node_wake(&node)) {
        live_node_due(&node, now, &out);
        for (size_t i = 0; i < out.count; i++)
            count += out.list[i].kind == LIVE_DO_SEND;
        live_effects_clear(&out);
        if (live_node_wake(&node) <= now)
            break;
    }
    return count;
}

static void defer(const char *why, uint64_t now)
{
    live_node_defer(&node, why, WAIT, now, &out);
    live_effects_clear(&out);
}

TEST(test_node_that_defers_says_nothing)
{
    begin("");
    assert_true(sends(BEGIN, BEGIN + SECOND) > 0);
    defer("b is old", BEGIN + SECOND);
    assert_string_equal(node.desk.held_up, "b is old");
    assert_int_equal(sends(BEGIN + SECOND, BEGIN + SECOND + WAIT - 1), 0);
    assert_int_equal(live_node_wake(&node), BEGIN + SECOND + WAIT);
    assert_true(sends(BEGIN + SECOND + WAIT, BEGIN + 2 * SECOND + WAIT) > 0);
    assert_string_equal(node.desk.held_up, "");
    end();
}

TEST(test_each_sign_of_an_old_node_counts_anew)
{
    begin("");
    for (uint64_t now = BEGIN; now < BEGIN + 3 * WAIT; now += SECOND) {
        defer("b is old", now);
        assert_int_equal(sends(now, now + SECOND), 0);
    }
    end();
}

/* Who was not awake has not listened. */
TEST(test_node_that_stood_still_defers_again)
{
    uint64_t late = BEGIN + WAIT + SECOND;

    begin("");
    defer("b is old", BEGIN);
    assert_int_equal(sends(late, late + WAIT - 1), 0);
    assert_true(sends(late + WAIT, late + WAIT + SECOND) > 0);
    end();
}

/* The clock cannot be relied on, and an old node runs: neither ends the
 * other. */
TEST(test_two_reasons_to_take_no_part)
{
    begin("");
    defer("b is old", BEGIN);
    live_node_unfit(&node, "slewed", BEGIN, &out);
    assert_string_equal(node.desk.held_up, "slewed");
    live_node_unfit(&node, NULL, BEGIN + 1, &out);
    assert_string_equal(node.desk.held_up, "b is old");
    assert_int_equal(sends(BEGIN + 1, BEGIN + WAIT), 0);
    live_node_unfit(&node, "slewed", BEGIN + WAIT - 1, &out);
    assert_int_equal(sends(BEGIN + WAIT, BEGIN + WAIT + SECOND), 0);
    live_node_unfit(&node, NULL, BEGIN + WAIT + SECOND, &out);
    assert_true(sends(BEGIN + WAIT + SECOND, BEGIN + WAIT + 2 * SECOND) > 0);
    end();
}

/* The old one has started later, and stops before it takes part. */
TEST(test_node_with_a_lease_does_not_defer)
{
    begin("");
    live_mode_engine(node.mode)->state.lease_end = BEGIN + SECOND;
    defer("b is old", BEGIN);
    assert_string_equal(node.desk.held_up, "");
    defer("b is old", BEGIN + SECOND);
    assert_string_equal(node.desk.held_up, "b is old");
    end();
}

/* There it would be taken for dead, whether it has a lease or not. */
TEST(test_mode_silence_does_not_defer)
{
    uint64_t until;

    begin("mode = silence\nbounds = hard\ndmax = 5ms\nstep = 10ms\n");
    until = node.mode->kind->until(node.mode);
    defer("b is old", BEGIN);
    defer("b is old", until);
    assert_string_equal(node.desk.held_up, "");
    assert_null(node.mode->kind->over(node.mode));
    end();
}

/* K6: its bounds are times of a clock that cannot be relied on. */
TEST(test_bad_clock_ends_mode_silence)
{
    begin("mode = silence\nbounds = hard\ndmax = 5ms\nstep = 10ms\n");
    live_node_unfit(&node, "slewed", BEGIN, &out);
    assert_non_null(node.mode->kind->over(node.mode));
    end();
}

/* ---- Node and desk ------------------------------------------------------- */

enum { CLIENT = 0, TOKEN = 9, LEASE_END = BEGIN + SECOND };

static struct live_lock_view held(const struct live_mode *mode, uint64_t lock)
{
    (void)mode;
    (void)lock;
    return (struct live_lock_view){.phase = FC_INSIDE, .token = TOKEN};
}

static uint64_t until_then(const struct live_mode *mode)
{
    (void)mode;
    return LEASE_END;
}

static bool obeys(struct live_mode *mode, enum live_command what, uint64_t lock,
                  uint64_t now, struct live_effects *effects)
{
    (void)mode;
    (void)what;
    (void)lock;
    (void)now;
    (void)effects;
    return true;
}

static void sends_and_vacates(struct live_mode *mode, uint64_t now,
                              struct live_effects *effects)
{
    (void)mode;
    (void)now;
    (void)live_effect_add(effects, LIVE_DO_SEND);
    live_effect_add(effects, LIVE_DO_VACATE)->lock = LOCK;
}

/* A client holds the lock until K before the end of the lease, for all that the
 * protocol says. */
static void begin_with_holder(struct live_mode_kind *kind)
{
    begin("");
    *kind = *node.mode->kind;
    kind->look = held;
    kind->until = until_then;
    kind->command = obeys;
    kind->due = sends_and_vacates;
    node.mode->kind = kind;
    live_node_serve(&node,
                    &(struct live_desk_in){.event = LIVE_ASKED,
                                           .now = BEGIN,
                                           .client = CLIENT,
                                           .lock = LOCK,
                                           .process = true,
                                           .grace = SECOND,
                                           .wait = UINT64_MAX},
                    &out);
    assert_int_equal(node.desk.clients[CLIENT].state, LIVE_CLIENT_HOLDS);
    assert_int_equal(node.desk.wake, LEASE_END - config.kill);
    live_effects_clear(&out);
}

/* K2: a holder beyond its deadline is killed before anything is sent. */
TEST(test_deadline_comes_before_the_protocol)
{
    struct live_mode_kind kind;

    begin_with_holder(&kind);
    live_node_due(&node, LEASE_END - config.kill, &out);
    assert_int_equal(out.list[0].kind, LIVE_DO_KILL);
    assert_int_equal(out.list[1].kind, LIVE_DO_SEND);
    end();
}

/* K8: if the protocol wants a lock back its holder is told. */
TEST(test_protocol_that_wants_a_lock_back)
{
    struct live_mode_kind kind;
    bool told = false;

    begin_with_holder(&kind);
    live_node_due(&node, BEGIN + 1, &out);
    for (size_t i = 0; i < out.count; i++)
        told |= out.list[i].kind == LIVE_DO_TELL;
    assert_true(told);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_node_that_defers_says_nothing),
        cmocka_unit_test(test_each_sign_of_an_old_node_counts_anew),
        cmocka_unit_test(test_node_that_stood_still_defers_again),
        cmocka_unit_test(test_two_reasons_to_take_no_part),
        cmocka_unit_test(test_node_with_a_lease_does_not_defer),
        cmocka_unit_test(test_mode_silence_does_not_defer),
        cmocka_unit_test(test_bad_clock_ends_mode_silence),
        cmocka_unit_test(test_deadline_comes_before_the_protocol),
        cmocka_unit_test(test_protocol_that_wants_a_lock_back),
    };

    return cmocka_run_group_tests_name("live_defer", tests, NULL, NULL);
}
