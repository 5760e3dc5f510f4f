/*
 * test_trace_read.c - reading a trace.
 */
#include "tests/unit/kit/traces.h"
#include "trace/spans.h"

/* What was sent, arrived and read stands in one place. */
static void test_messages_are_joined(void **state)
{
    struct trace t;

    (void)state;
    read_good(&t, good_body);
    assert_int_equal(t.head.nodes, 2);
    assert_int_equal(t.head.seed, 7);
    assert_int_equal(t.messages_count, 7);
    assert_int_equal(t.events_count, 12);
    assert_int_equal(trace_message_at(&t, 3).from, 1);
    assert_int_equal(trace_message_at(&t, 3).to, 0);
    assert_int_equal(trace_message_at(&t, 3).sent, 2);
    assert_int_equal(trace_message_at(&t, 3).arrives, 3);
    assert_int_equal(trace_message_at(&t, 3).read, 3);
    assert_int_equal(trace_message_at(&t, 3).field[0], 2);
    assert_int_equal(trace_message_at(&t, 3).flags, TRACE_DIES);
    assert_string_equal(t.head.kinds[trace_message_at(&t, 3).kind].word, "M");
    assert_string_equal(t.head.kinds[0].label, "wake-up");
    assert_int_equal(t.end_tick, 8);
    assert_true(t.quiet);
    assert_int_equal(t.facts_count, 2);
    assert_int_equal(t.facts[1].fact, TRACE_KNOWS);
    assert_int_equal(t.facts[1].number, 1);
    trace_free(&t);
}

/* Roles are intervals: lane 2 is candidate, rests, lost, done. */
static void test_roles_become_intervals(void **state)
{
    static const uint8_t roles[] = {
        TRACE_CANDIDATE,
        TRACE_LOST,
        TRACE_LOST,
        TRACE_DONE,
    };
    static const uint64_t from[] = {0, 3, 5, 7};
    const struct trace_span *lane;
    struct trace_spans spans;
    struct trace t;

    (void)state;
    read_good(&t, good_body);
    assert_true(trace_spans_of(&spans, &t));
    assert_int_equal(spans.first[2] - spans.first[1], 4);
    lane = spans.list + spans.first[1];
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(lane[i].role, roles[i]);
        assert_int_equal(lane[i].from, from[i]);
        assert_int_equal(lane[i].to, i < 3 ? from[i + 1] : TRACE_NEVER);
        assert_int_equal(lane[i].rests, i == 1);
    }
    assert_int_equal(lane[1].message, 2);
    trace_spans_free(&spans);
    trace_free(&t);
}

/* Keys of later versions of the head do no harm. */
static void test_unknown_keys_are_ignored(void **state)
{
    struct net_why why = {0};
    char head[TRACE_ROOM], text[TRACE_ROOM];
    struct trace t;

    (void)state;
    replace(head, good_head, "winner 1\n", "winner 1\nweather fine\n");
    assert_true(parse(&t, text, build(text, head, good_body), &why));
    trace_free(&t);
}

static void test_numbers_of_messages_have_names(void **state)
{
    struct net_why why = {0};
    char head[TRACE_ROOM], text[TRACE_ROOM];
    struct trace t;

    (void)state;
    replace(head, good_head, "winner 1\n", "numbers M name, hops to go\n");
    assert_true(parse(&t, text, build(text, head, good_body), &why));
    assert_string_equal(t.head.kinds[1].word, "M");
    assert_string_equal(t.head.kinds[1].numbers, "name, hops to go");
    assert_null(t.head.kinds[0].numbers);
    trace_free(&t);
}

/* Nodes without names are called by their index. */
static void test_nodes_without_names_have_an_index(void **state)
{
    struct net_why why = {0};
    char head[TRACE_ROOM], text[TRACE_ROOM];
    struct trace t;

    (void)state;
    replace(head, good_head, "names 1,2\n", "");
    assert_true(parse(&t, text,
                      build(text, head,
                            "0 0 wake; send #0 M "
                            "to 1 arrives 1\n1 1 read #0 M; is leader\nend 1 "
                            "until\n"),
                      &why));
    assert_null(t.head.names);
    assert_int_equal(trace_name(&t.head, 1), 1);
    assert_false(t.quiet);
    trace_free(&t);
}

static void test_topologies_are_known_by_their_words(void **state)
{
    static const char *const words[TRACE_TOPOLOGIES] = {
        "ring",
        "ring-both",
        "complete",
        "tree",
    };
    char head[TRACE_ROOM], line[64];
    struct trace t;

    (void)state;
    for (unsigned i = 0; i < TRACE_TOPOLOGIES; i++) {
        snprintf(line, sizeof line, "topology %s\n", words[i]);
        replace(head, good_head, "topology ring\n", line);
        read_trace(&t, head, good_body);
        assert_int_equal(t.head.topology, i);
        trace_free(&t);
    }
}

static uint64_t late_from(const struct trace *t, uint32_t id)
{
    struct trace_message m = trace_message_at(t, id);

    return trace_late_from(t, &m);
}

/* A message is lost, doubled, missed, or later than dmax allows. */
static void test_mishaps_of_messages_are_kept(void **state)
{
    struct trace t;

    (void)state;
    read_trace(&t, fault_head, fault_body);
    assert_int_equal(t.messages_count, 8);
    assert_int_equal(trace_message_at(&t, 0).flags, TRACE_STRAY);
    assert_int_equal(trace_message_at(&t, 0).arrives, TRACE_NEVER);
    assert_int_equal(trace_message_at(&t, 0).read, TRACE_NEVER);
    assert_int_equal(trace_message_at(&t, 1).flags, 0);
    assert_int_equal(trace_message_at(&t, 2).flags, TRACE_COPY | TRACE_DIES);
    assert_int_equal(trace_message_at(&t, 2).read, 4);
    assert_int_equal(trace_message_at(&t, 3).flags, TRACE_MISSED);
    assert_int_equal(trace_message_at(&t, 3).read, 2);
    /* Sent at 2 with dmax 3: in time up to 5. */
    assert_int_equal(late_from(&t, 4), 5);
    assert_int_equal(late_from(&t, 2), 3);
    assert_int_equal(late_from(&t, 1), TRACE_NEVER);
    assert_int_equal(late_from(&t, 0), TRACE_NEVER);
    t.head.bounded = false;
    assert_int_equal(late_from(&t, 4), TRACE_NEVER);
    assert_int_equal(t.choices_count, 1);
    assert_int_equal(t.choices[0].event, 0);
    assert_int_equal(t.choices[0].value, 2);
    assert_int_equal(t.choices[0].range, 5);
    trace_free(&t);
}

static void check_span(const struct trace_span *span, uint8_t role,
                       uint64_t from, uint64_t to)
{
    assert_int_equal(span->role, role);
    assert_int_equal(span->from, from);
    assert_int_equal(span->to, to);
}

static void test_faults_become_intervals(void **state)
{
    static const struct trace_fault faults[] = {
        {.from = 1,
         .to = 3,
         .lane = 3,
         .kind = TRACE_FAULT_DOWN,
         .blank = true},
        {.from = 2, .to = 5, .lane = 0, .kind = TRACE_FAULT_PAUSE},
        {.from = 4, .to = 6, .lane = 1, .kind = TRACE_FAULT_CUT},
        {.from = 5, .to = 8, .lane = 2, .kind = TRACE_FAULT_DOWN},
    };
    const struct trace_span *lane;
    struct trace_spans spans;
    struct trace t;

    (void)state;
    read_trace(&t, fault_head, fault_body);
    assert_true(trace_spans_of(&spans, &t));
    assert_int_equal(t.faults_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(t.faults[i].from, faults[i].from);
        assert_int_equal(t.faults[i].to, faults[i].to);
        assert_int_equal(t.faults[i].lane, faults[i].lane);
        assert_int_equal(t.faults[i].kind, faults[i].kind);
        assert_int_equal(t.faults[i].blank, faults[i].blank);
    }
    /* 4 comes back as it was; 2 has forgotten, and says what it is. */
    lane = spans.list + spans.first[2];
    check_span(&lane[1], TRACE_AWAKE, 2, 5);
    check_span(&lane[2], TRACE_DOWN, 5, 8);
    check_span(&lane[3], TRACE_AWAKE, 8, TRACE_NEVER);
    lane = spans.list + spans.first[3];
    check_span(&lane[0], TRACE_ASLEEP, 0, 1);
    check_span(&lane[1], TRACE_DOWN, 1, 3);
    check_span(&lane[2], TRACE_AWAKE, 3, 7);
    trace_spans_free(&spans);
    trace_free(&t);
}

/* A crash ends a pause; a role that is lost with the memory is asleep; what
 * does not end lasts. */
static void test_faults_end_or_last(void **state)
{
    struct trace_spans spans;
    struct trace t;

    (void)state;
    read_good(&t, "0 1 wake; is leader\n1 1 pause 9\n2 1 pause 3\n4 1 "
                  "crash\n6 1 restart, blank\n6 2 cut\n7 2 cut\n8 1 "
                  "joined\n9 2 crash\nend 9 until\n");
    assert_true(trace_spans_of(&spans, &t));
    assert_int_equal(t.faults_count, 5);
    assert_int_equal(t.faults[0].to, 2);
    assert_int_equal(t.faults[1].to, 4);
    assert_int_equal(t.faults[3].kind, TRACE_FAULT_CUT);
    assert_int_equal(t.faults[3].to, TRACE_NEVER);
    assert_int_equal(t.faults[4].to, TRACE_NEVER);
    check_span(&spans.list[0], TRACE_LEADER, 0, 4);
    check_span(&spans.list[1], TRACE_DOWN, 4, 6);
    check_span(&spans.list[2], TRACE_ASLEEP, 6, TRACE_NEVER);
    trace_spans_free(&spans);
    trace_free(&t);
}

static void test_violations_are_kept_with_their_place(void **state)
{
    struct trace t;

    (void)state;
    read_good(&t, "0 1 wake; is leader\n1 2 wake; is leader; violated "
                  "one-leader\nend 1 quiet\nviolated all-know\n");
    assert_int_equal(t.violations_count, 2);
    assert_string_equal(trace_violated(&t, &t.violations[0]), "one-leader");
    assert_int_equal(trace_violator(&t, &t.violations[0]), 1);
    assert_int_equal(t.violations[0].tick, 1);
    assert_string_equal(trace_violated(&t, &t.violations[1]), "all-know");
    assert_int_equal(trace_violator(&t, &t.violations[1]), TRACE_NONE);
    assert_int_equal(t.violations[1].event, TRACE_NONE);
    trace_free(&t);
}

/* Applications want and leave; a reader inside has a role of its own; before
 * the first event sites are idle. */
static void test_mutual_exclusion_is_read(void **state)
{
    static const uint8_t whats[] = {TRACE_WANT, TRACE_WANT, TRACE_READ};
    const struct trace_span *lane;
    struct trace_spans spans;
    struct trace t;

    (void)state;
    read_trace(&t, mutex_head, mutex_body);
    assert_true(trace_spans_of(&spans, &t));
    assert_int_equal(t.head.first_role, TRACE_IDLE);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(t.event.what[i], whats[i]);
    assert_int_equal(t.event.what[7], TRACE_LEAVE);
    assert_int_equal(t.event.what[9], TRACE_WANT_SHARED);
    assert_int_equal(t.facts[0].event, 4);
    assert_int_equal(t.facts[0].number, 65537);
    lane = spans.list + spans.first[0];
    check_span(&lane[0], TRACE_SLEEPING, 0, 2);
    check_span(&lane[1], TRACE_ASKING, 2, 4);
    check_span(&lane[2], TRACE_WAITING, 4, 7);
    check_span(&lane[3], TRACE_INSIDE, 7, 9);
    lane = spans.list + spans.first[2];
    check_span(&lane[0], TRACE_IDLE, 0, 7);
    check_span(&lane[2], TRACE_BESIDE, 10, 12);
    trace_spans_free(&spans);
    trace_free(&t);
}

/* However short somebody is inside, it is kept; without its memory a site is
 * idle. */
static void test_short_sections_and_blank_sites_are_kept(void **state)
{
    struct trace_spans spans;
    struct trace t;

    (void)state;
    read_trace(&t, mutex_head,
               "1 1 want; is inside\n1 1 leave; is mute\n2 1 crash\n3 1 "
               "restart, blank\n4 1 timeout 0; is writes\n5 1 timeout 0; is "
               "reads, rests\nend 6 quiet\n");
    assert_true(trace_spans_of(&spans, &t));
    check_span(&spans.list[1], TRACE_INSIDE, 1, 1);
    check_span(&spans.list[2], TRACE_MUTE, 1, 2);
    check_span(&spans.list[3], TRACE_DOWN, 2, 3);
    check_span(&spans.list[4], TRACE_IDLE, 3, 4);
    check_span(&spans.list[5], TRACE_WRITING, 4, 5);
    check_span(&spans.list[6], TRACE_READING, 5, TRACE_NEVER);
    assert_true(spans.list[6].rests);
    trace_spans_free(&spans);
    trace_free(&t);
}

/* Of several roles that an event states, all are kept: power is seen however
 * short it lasts. */
static void test_roles_of_one_event_are_kept(void **state)
{
    struct trace_spans spans;
    struct trace t;

    (void)state;
    read_trace(&t, mutex_head,
               "1 1 want; is asks; is inside; is idle, rests\n"
               "2 2 want; is asks\nend 3 quiet\n");
    assert_int_equal(t.passed_count, 2);
    assert_true(trace_spans_of(&spans, &t));
    assert_int_equal(spans.first[1], 3);
    check_span(&spans.list[0], TRACE_IDLE, 0, 1);
    check_span(&spans.list[1], TRACE_INSIDE, 1, 1);
    check_span(&spans.list[2], TRACE_IDLE, 1, TRACE_NEVER);
    assert_true(spans.list[2].rests);
    trace_spans_free(&spans);
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_are_joined),
        cmocka_unit_test(test_roles_become_intervals),
        cmocka_unit_test(test_unknown_keys_are_ignored),
        cmocka_unit_test(test_numbers_of_messages_have_names),
        cmocka_unit_test(test_nodes_without_names_have_an_index),
        cmocka_unit_test(test_topologies_are_known_by_their_words),
        cmocka_unit_test(test_mishaps_of_messages_are_kept),
        cmocka_unit_test(test_faults_become_intervals),
        cmocka_unit_test(test_faults_end_or_last),
        cmocka_unit_test(test_violations_are_kept_with_their_place),
        cmocka_unit_test(test_mutual_exclusion_is_read),
        cmocka_unit_test(test_short_sections_and_blank_sites_are_kept),
        cmocka_unit_test(test_roles_of_one_event_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
