/*
 * test_obey.c - the order in which effects are carried out (core/obey.inc), by
 * a driver that only writes down what it is told.
 */
#include "core/set.h"
#include "tests/unit/kit/test.h"

#include <stdio.h>
#include <string.h>

struct clerk {
    char said[512];
    bool refuses; /* to save */
    uint32_t self, nodes;
    enum fc_topology topology;
};

static void note(struct clerk *c, const char *what, uint64_t a, uint64_t b)
{
    size_t used = strlen(c->said);

    snprintf(c->said + used, sizeof c->said - used, "%s%s %llu %llu",
             used ? "; " : "", what, (unsigned long long)a,
             (unsigned long long)b);
}

static bool clerk_save(struct clerk *c)
{
    note(c, "save", 0, 0);
    return !c->refuses;
}

static void clerk_send(struct clerk *c, uint32_t slot, uint16_t port)
{
    note(c, "send", slot, port);
}

static void clerk_store(struct clerk *c, uint32_t cell, uint32_t value)
{
    note(c, "store", cell, value);
}

static void clerk_start(struct clerk *c, uint32_t timer, uint64_t steps)
{
    note(c, "start", timer, steps);
}

static void clerk_stop(struct clerk *c, uint32_t timer)
{
    note(c, "stop", timer, 0);
}

#define OBEY(name)    FC_PASTE(clerk_, name)
#define OBEY_DRIVER   struct clerk
#define OBEY_TIMERS   FC_TIMERS
#define OBEY_TOPOLOGY d->topology
#define OBEY_SELF     d->self
#define OBEY_NODES    d->nodes
#include "core/obey.inc"

static struct clerk complete(void)
{
    return (struct clerk){.self = 1, .nodes = 4, .topology = FC_COMPLETE};
}

TEST(test_the_order)
{
    struct clerk c = complete();
    struct fc_effects fx = {.save = 1,
                            .sends = 2,
                            .to = {3, 0},
                            .access = FC_STORE,
                            .cell = 5,
                            .stored = 9,
                            .disarm = 1,
                            .arm = 2,
                            .steps = {0, 7}};

    assert_int_equal(clerk_obey(&c, &fx), FC_THEN_DONE);
    assert_string_equal(c.said, "save 0 0; send 0 3; send 1 0; store 5 9; "
                                "stop 0 0; start 1 7");
}

TEST(test_a_timer_that_is_stopped_and_started_is_started)
{
    struct clerk c = complete();
    struct fc_effects fx = {.disarm = 1, .arm = 1, .steps = {3}};

    (void)clerk_obey(&c, &fx);
    assert_string_equal(c.said, "start 0 3");
}

TEST(test_to_everyone_and_to_a_set)
{
    struct clerk c = complete();
    struct fc_effects fx = {.sends = 2, .to = {FC_EVERYONE, FC_SET}};

    fc_set_add(&fx.set, 3);
    fc_set_add(&fx.set, 0);
    fc_set_add(&fx.set, 70); /* in another word */
    (void)clerk_obey(&c, &fx);
    assert_string_equal(c.said, "send 0 0; send 0 2; send 0 3; send 1 0; "
                                "send 1 3; send 1 70");
}

/* A ring of one direction leaves `to` as it was. */
TEST(test_a_ring_has_one_link)
{
    struct clerk c = {.topology = FC_RING, .nodes = 4};
    struct fc_effects fx = {.sends = 1, .to = {FC_EVERYONE}};

    (void)clerk_obey(&c, &fx);
    assert_string_equal(c.said, "send 0 0");
}

TEST(test_nothing_happens_if_it_cannot_be_saved)
{
    struct clerk c = complete();
    struct fc_effects fx = {.save = 1, .sends = 1, .arm = 1, .choose = 2};

    c.refuses = true;
    assert_int_equal(clerk_obey(&c, &fx), FC_THEN_FAILED);
    assert_string_equal(c.said, "save 0 0");
}

TEST(test_how_a_step_goes_on)
{
    struct clerk c = complete();
    struct fc_effects fx = {.access = FC_LOAD, .choose = 1, .go_on = 1};

    assert_int_equal(clerk_obey(&c, &fx), FC_THEN_LOAD);
    fx.access = 0;
    assert_int_equal(clerk_obey(&c, &fx), FC_THEN_CHOOSE);
    fx.choose = 0;
    assert_int_equal(clerk_obey(&c, &fx), FC_THEN_GO_ON);
    fx.go_on = 0;
    assert_int_equal(clerk_obey(&c, &fx), FC_THEN_DONE);
    assert_string_equal(c.said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order),
        cmocka_unit_test(test_a_timer_that_is_stopped_and_started_is_started),
        cmocka_unit_test(test_to_everyone_and_to_a_set),
        cmocka_unit_test(test_a_ring_has_one_link),
        cmocka_unit_test(test_nothing_happens_if_it_cannot_be_saved),
        cmocka_unit_test(test_how_a_step_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
