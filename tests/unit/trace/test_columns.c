/*
 * test_columns.c - columns say what the text says: those of a run that was
 * listened to are those of its trace, written and read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/kit/broken.h"
#include "tests/unit/kit/same_columns.h"
#include "tests/unit/kit/small_runs.h"
#include "tests/unit/kit/testing.h"
#include "tests/unit/kit/traces.h"
#include "trace/columns_parts.h"
#include "trace/spans.h"
#include "trace/write.h"

static void record(struct small_run *run, uint64_t seed,
                   struct trace_listener *listener)
{
    struct sim_job job = {
        .seed = seed, .memory = &run->memory, .trace = listener};
    struct sim_result result;

    assert_int_equal(sim_run(&run->setup, &job, &result), SIM_OK);
}

/* The trace of a run, read. */
static void write_and_read(struct small_run *run, uint64_t seed,
                           struct trace *t)
{
    struct net_why why = {0};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_listener *writer = trace_writer_new(file);

    record(run, seed, writer);
    fclose(file);
    trace_writer_free(writer);
    if (!parse(t, text, size, &why))
        fail_msg("refused: %s", why.text);
    free(text);
}

/* Listened to and read, and listened to again by the same columns. */
static bool check_run(const struct fc_protocol *p,
                      const struct small_model *model, uint64_t seed,
                      struct trace *used)
{
    struct small_run run;
    struct trace t;

    if (!small_open(&run, p->name, model))
        return false;
    write_and_read(&run, seed, &t);
    record(&run, seed, &used->listener);
    check_same(used, &t);
    check_same_head(&used->head, &t.head);
    trace_free(&t);
    small_close(&run);
    return true;
}

TEST(test_columns_are_those_of_the_text)
{
    struct trace used;

    trace_open(&used, "", "");
    for (uint32_t i = 0; net_types[i]; i++)
        for (size_t m = 0, count = 0; m < COUNT(small_models); m++) {
            for (uint64_t seed = 1; seed <= rounds(10); seed++)
                count += check_run(net_types[i]->protocol, &small_models[m],
                                   seed, &used);
            assert_true(m == 0 || count > 0);
        }
    trace_free(&used);
}

/* The rows of a body that has something of everything. */
TEST(test_columns_have_all_that_is_written)
{
    static const char body[] =
        "0 1 wake; send #0 M(1,7) to 2 arrives 1; send #1 M(1,7) to 2 "
        "arrives 3, copy; arm 0 never; is candidate\n"
        "0 2 wake; send #2 wakeup to 1 lost; chooses 1 of 3; stop 0; "
        "is candidate, rests\n"
        "1 2 read #0 M(1,7); dies; knows 1; violated agreement\n"
        "2 2 crash\n"
        "3 2 misses #1 M(1,7)\n"
        "4 2 restart, blank\n"
        "5 1 pause 4\n"
        "6 1 crash\n"
        "end 6 until\n"
        "violated elected\n";
    struct net_why why = {0};
    char text[TRACE_ROOM];
    size_t size = build(text, good_head, body);
    struct trace t, *c = &t;

    if (!parse(&t, text, size, &why))
        fail_msg("refused: %s", why.text);
    assert_int_equal(c->events_count, 8);
    assert_int_equal(c->messages_count, 3);
    assert_int_equal(c->event.sent[1], 2);
    assert_int_equal(c->event.sent[8], 3);
    assert_int_equal(c->event.role[1], TRACE_CANDIDATE);
    assert_int_equal(c->event.flags[1], TRACE_ROW_TURNS | TRACE_ROW_RESTS |
                                            TRACE_ROW_CHOOSES | TRACE_ROW_ARMS);
    assert_int_equal(c->event.flags[2], TRACE_ROW_KNOWS | TRACE_ROW_VIOLATES);
    assert_int_equal(c->event.role[2], TRACE_SAME_ROLE);
    assert_int_equal(c->event.role[3], TRACE_DOWN);
    assert_int_equal(c->event.role[5], TRACE_ASLEEP);
    assert_int_equal(c->event.flags[5], TRACE_ROW_BLANK);
    assert_int_equal(c->message.read[0], 2);
    assert_int_equal(c->message.flags[0], TRACE_DIES);
    assert_int_equal(c->message.flags[1], TRACE_COPY | TRACE_MISSED);
    assert_int_equal(c->message.flags[2], TRACE_STRAY);
    assert_true(c->message.arrives[2] == TRACE_NEVER);
    assert_int_equal(c->message.read[2], TRACE_NONE);
    assert_int_equal(c->message.kind[0], 1);
    assert_int_equal(c->message.field_at[1], 2);
    assert_true(c->fields[1] == 7);
    assert_int_equal(c->timers_count, 2);
    assert_true(c->timers[0].steps == TRACE_NEVER && !c->timers[0].stops);
    assert_true(c->timers[1].stops);
    assert_int_equal(c->faults_count, 3);
    assert_true(c->faults[0].to == 4 && c->faults[0].blank);
    assert_true(c->faults[1].to == 6 && c->faults[1].until == 9);
    assert_true(c->faults[2].to == TRACE_NEVER);
    assert_true(trace_fault_at(c, 6) == &c->faults[1]);
    assert_null(trace_fault_at(c, 4));
    assert_int_equal(c->faults[1].ticks, 4);
    assert_int_equal(c->violations_count, 2);
    assert_int_equal(c->violations[1].event, TRACE_NONE);
    assert_true(c->violations[1].tick == 6 && !c->quiet);
    trace_free(&t);
}

/* Cut back to any row, nothing is left of what came later. */
TEST(test_columns_are_cut_back)
{
    for (size_t m = 0; m < COUNT(small_models); m++) {
        struct trace whole;
        struct small_run run;

        trace_open(&whole, "", "");
        assert_true(small_open(&run, "ricart-agrawala", &small_models[m]));
        record(&run, 5, &whole.listener);
        for (uint32_t row = 0; row <= whole.events_count; row += 3) {
            struct trace part;
            uint32_t sent = whole.event.sent[row];

            trace_open(&part, "", "");
            record(&run, 5, &part.listener);
            part.listener.callbacks->cut(&part.listener, row);
            assert_int_equal(part.events_count, row);
            assert_int_equal(part.messages_count, sent);
            for (uint32_t i = 0; i < sent; i++)
                assert_true(part.message.read[i] == TRACE_NONE ||
                            part.message.read[i] < row);
            assert_true(!part.ended);
            trace_free(&part);
        }
        trace_free(&whole);
        small_close(&run);
    }
}

#define BROKEN_COLUMNS(at, value, sentence)                                    \
    BROKEN(at, value, trace_columns_sane(c), sentence)

TEST(test_broken_columns_say_what_is_broken)
{
    static const char body[] =
        "0 1 wake; send #0 M(1,7) to 2 arrives 1; arm 0 never\n"
        "0 2 wake; send #1 wakeup to 1 arrives 2; chooses 1 of 3\n"
        "1 2 read #0 M(1,7); knows 1; violated agreement\n"
        "2 1 read #1 wakeup\n"
        "3 2 crash\n"
        "4 2 restart\n"
        "5 2 crash\n"
        "end 6 until\n"
        "violated elected\n";
    struct net_why why = {0};
    char text[TRACE_ROOM];
    size_t size = build(text, good_head, body);
    struct trace t, *c = &t;

    if (!parse(&t, text, size, &why))
        fail_msg("refused: %s", why.text);
    assert_null(trace_columns_sane(c));
    BROKEN_COLUMNS(c->event.sent[7], 1, "every message is sent by an event");
    BROKEN_COLUMNS(c->event.lane[1], c->head.nodes,
                   "an event happens at a node that there is");
    BROKEN_COLUMNS(c->event.tick[2], 3, "events are in the order of time");
    BROKEN_COLUMNS(c->event.sent[3], 1,
                   "messages are in the order of the events that send them");
    BROKEN_COLUMNS(c->event.message[2], 1,
                   "a message is read by the event that reads it");
    BROKEN_COLUMNS(c->event.message[2], 2,
                   "a message is read by the event that reads it");
    BROKEN_COLUMNS(c->message.to[0], 0,
                   "a message is read after it is sent, where it is sent to");
    BROKEN_COLUMNS(c->message.by[0], 2,
                   "a message is read after it is sent, where it is sent to");
    BROKEN_COLUMNS(c->message.by[0], 1,
                   "a message is sent by the event that sends it");
    BROKEN_COLUMNS(c->event.message[2], TRACE_NONE,
                   "the event that reads a message reads it");
    BROKEN_COLUMNS(
        c->message.count[0], 1,
        "the fields of a message stand behind those of the one before");
    BROKEN_COLUMNS(c->event.flags[1], 0,
                   "an event has rows in a side table if its flag says so");
    BROKEN_COLUMNS(c->timers[0].event, 9,
                   "an event has rows in a side table if its flag says so");
    BROKEN_COLUMNS(c->violations[1].event, 1,
                   "the rows of a side table are in their order");
    BROKEN_COLUMNS(c->faults[0].ends, 3,
                   "a fault begins with an event, and ends with a later one");
    BROKEN_COLUMNS(c->faults[1].ends, 6,
                   "the fault that a node is in is the one that lasts");
    BROKEN_COLUMNS(c->lanes[1].crash, TRACE_NONE,
                   "the fault that a node is in is the one that lasts");
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_those_of_the_text),
        cmocka_unit_test(test_columns_have_all_that_is_written),
        cmocka_unit_test(test_columns_are_cut_back),
        cmocka_unit_test(test_broken_columns_say_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
