/*
 * test_live_desk_leave.c - holders that must go though the lease lasts are told
 * to end before they are killed (rule K8): the desk alone.
 */
#include "tests/unit/kit/desk_stage.h"

static void ask_with_grace(struct stage *s, uint64_t now, uint32_t who,
                           uint64_t grace, bool shared)
{
    step(s, (struct live_desk_in){.event = LIVE_ASKED,
                                  .now = now,
                                  .client = who,
                                  .lock = LOCK,
                                  .shared = shared,
                                  .process = true,
                                  .grace = grace,
                                  .wait = UINT64_MAX});
}

/* Client 0 holds, and has so much time to end when it is told to. */
static struct stage *polite_holder(uint64_t grace, bool shared)
{
    struct stage *s = open_stage();

    ask_with_grace(s, 1, 0, grace, shared);
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    step(s, (struct live_desk_in){
                .event = LIVE_CHANGED,
                .now = 2,
                .lock = LOCK,
                .view = {.phase = FC_INSIDE, .shared = shared, .token = 5}});
    assert_non_null(found(s, LIVE_DO_GRANT));
    return s;
}

static void end(struct stage *s, enum live_desk_event event, uint64_t now,
                uint64_t by)
{
    step(s, (struct live_desk_in){
                .event = event, .now = now, .end = by, .why = "it stops"});
}

/* K8: a stop tells a holder to end, once, and kills it when its grace is over;
 * the lock is let go when it is dead. */
TEST(test_stop_tells_before_it_kills)
{
    struct stage *s = polite_holder(200, false);
    const struct live_effect *e;

    end(s, LIVE_STOPS, 10, UINT64_MAX);
    e = found(s, LIVE_DO_TELL);
    assert_int_equal(e->deadline, 210);
    assert_int_equal(e->how, 0);
    assert_string_equal(e->why, "it stops");
    assert_null(found(s, LIVE_DO_KILL));
    assert_int_equal(s->desk.wake, 210);
    end(s, LIVE_STOPS, 15, UINT64_MAX); /* as a node says it again and again */
    assert_int_equal(s->out.count, 0);
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 209});
    assert_null(found(s, LIVE_DO_KILL));
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 210});
    assert_string_equal(found(s, LIVE_DO_KILL)->why, "it stops");
    assert_null(found(s, LIVE_DO_COMMAND));
    client(s, LIVE_DIED, 211, 0);
    assert_true(commands(s, LIVE_LEAVE));
}

/* One that ends when it is told to has released its lock, and lost nothing. */
TEST(test_told_holder_releases)
{
    struct stage *s = polite_holder(200, false);

    end(s, LIVE_STOPS, 10, UINT64_MAX);
    client(s, LIVE_GAVE, 50, 0);
    assert_non_null(found(s, LIVE_DO_RELEASE));
    assert_true(commands(s, LIVE_LEAVE));
    assert_int_equal(s->desk.counts.lost, 0);
}

/* K2: grace is no reason to go on beyond the deadline. */
TEST(test_deadline_ends_a_grace)
{
    struct stage *s = polite_holder(END, false);

    end(s, LIVE_STOPS, 10, UINT64_MAX);
    assert_non_null(found(s, LIVE_DO_TELL));
    assert_int_equal(s->desk.wake, END - K);
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = END - K});
    assert_string_equal(found(s, LIVE_DO_KILL)->why, "its deadline is over");
}

/* A node that breaks down stops its holders at once. */
TEST(test_stop_at_once)
{
    struct stage *s = polite_holder(200, false);

    end(s, LIVE_STOPS, 10, 0);
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_null(found(s, LIVE_DO_TELL));
}

/* A drain tells a holder to end by its end; a stop leaves no more than the
 * grace of what is left, and SIGTERM comes once. */
TEST(test_drain_tells_until_its_end)
{
    struct stage *s = polite_holder(200, false);

    end(s, LIVE_DRAINS, 10, 5000);
    assert_int_equal(found(s, LIVE_DO_TELL)->deadline, 5000);
    end(s, LIVE_DRAINS, 15, 5000);
    assert_int_equal(s->out.count, 0);
    end(s, LIVE_STOPS, 20, UINT64_MAX);
    assert_int_equal(found(s, LIVE_DO_TELL)->deadline, 220);
    assert_int_equal(found(s, LIVE_DO_TELL)->how, 1);
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 220});
    assert_non_null(found(s, LIVE_DO_KILL));
    s = polite_holder(200, false);
    end(s, LIVE_DRAINS, 10, 100);
    end(s, LIVE_STOPS, 100, UINT64_MAX); /* the drain was its time */
    assert_non_null(found(s, LIVE_DO_KILL));
}

/* A new view without this node: its holders are told, and killed when their
 * grace is over; meanwhile nobody joins them. */
TEST(test_vacate_tells_first)
{
    struct stage *s = polite_holder(200, true);
    struct live_desk_in vacates = {
        .event = LIVE_VACATES, .now = 10, .lock = LOCK};

    step(s, vacates);
    assert_int_equal(found(s, LIVE_DO_TELL)->deadline, 210);
    ask_with_grace(s, 20, 1, 200, true);
    assert_null(found(s, LIVE_DO_GRANT));
    vacates.now = 100; /* the view is announced once more */
    step(s, vacates);
    assert_null(found(s, LIVE_DO_TELL));
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 210});
    assert_string_equal(found(s, LIVE_DO_KILL)->why,
                        "a new view came about without this node");
}

/* What cannot wait does not: a clock that cannot be relied on, a lost lease. */
TEST(test_no_grace_without_a_lease)
{
    struct stage *s = polite_holder(200, false);

    step(s, (struct live_desk_in){
                .event = LIVE_HELD_UP, .now = 3, .why = "the clock"});
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_null(found(s, LIVE_DO_TELL));
    s = polite_holder(200, false);
    view(s, LIVE_CHANGED, 20, FC_IDLE, 0);
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_null(found(s, LIVE_DO_TELL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_tells_before_it_kills),
        cmocka_unit_test(test_told_holder_releases),
        cmocka_unit_test(test_deadline_ends_a_grace),
        cmocka_unit_test(test_stop_at_once),
        cmocka_unit_test(test_drain_tells_until_its_end),
        cmocka_unit_test(test_vacate_tells_first),
        cmocka_unit_test(test_no_grace_without_a_lease),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
