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

/* The same clerk at a bus: what goes to many leaves once. */
struct bus_clerk {
    struct clerk c;
};

static bool bus_clerk_save(struct bus_clerk *b)
{
    return clerk_save(&b->c);
}

static void bus_clerk_send(struct bus_clerk *b, uint32_t slot, uint16_t port)
{
    clerk_send(&b->c, slot, port);
}

static void bus_clerk_spread(struct bus_clerk *b, uint32_t slot,
                             const struct fc_set *set)
{
    note(&b->c, "spread", slot, set->word[0]);
}

static void bus_clerk_store(struct bus_clerk *b, uint32_t cell, uint32_t value)
{
    clerk_store(&b->c, cell, value);
}

static void bus_clerk_start(struct bus_clerk *b, uint32_t timer, uint64_t steps)
{
    clerk_start(&b->c, timer, steps);
}

static void bus_clerk_stop(struct bus_clerk *b, uint32_t timer)
{
    clerk_stop(&b->c, timer);
}

#define OBEY(name)    FC_PASTE(bus_clerk_, name)
#define OBEY_DRIVER   struct bus_clerk
#define OBEY_TIMERS   FC_TIMERS
#define OBEY_TOPOLOGY d->c.topology
#define OBEY_SELF     d->c.self
#define OBEY_NODES    d->c.nodes
#define OBEY_BUS
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

/* One packet on a bus reaches all of them; the node itself is not one. */
TEST(test_a_bus_is_told_once)
{
    struct bus_clerk b = {complete()};
    struct fc_effects fx = {.sends = 3, .to = {FC_EVERYONE, FC_SET, 2}};

    fc_set_add(&fx.set, 3);
    fc_set_add(&fx.set, 0);
    (void)bus_clerk_obey(&b, &fx);
    assert_string_equal(b.c.said, "spread 0 13; spread 1 9; send 2 2");
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
        cmocka_unit_test(test_a_bus_is_told_once),
        cmocka_unit_test(test_a_ring_has_one_link),
        cmocka_unit_test(test_nothing_happens_if_it_cannot_be_saved),
        cmocka_unit_test(test_how_a_step_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
