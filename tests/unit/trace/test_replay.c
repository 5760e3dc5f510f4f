/*
 * test_replay.c - what the simulator writes is read, and happens again as it is
 * written: every protocol, every model of time, with and without faults.  What
 * was changed since does not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/kit/small_runs.h"
#include "tests/unit/kit/testing.h"
#include "tests/unit/kit/traces.h"
#include "trace/replay.h"
#include "trace/write.h"

/* The trace of a run; to be freed. */
static char *write_run(const char *protocol, const struct small_model *model,
                       uint64_t seed, size_t *size)
{
    struct small_run run;
    struct sim_result result;
    struct sim_job job = {.seed = seed, .memory = &run.memory};
    char *text = NULL;
    FILE *file;

    if (!small_open(&run, protocol, model))
        return NULL;
    file = open_memstream(&text, size);
    job.trace = trace_writer_new(file);
    trace_write_head(job.trace, run.made.set, "");
    assert_int_equal(sim_run(&run.setup, &job, &result), SIM_OK);
    fclose(file);
    trace_writer_free(job.trace);
    small_close(&run);
    return text;
}

static enum trace_replayed replay(const char *text, size_t size,
                                  struct trace_replay *out)
{
    struct net_why why;
    struct net_made made;
    struct trace t;
    enum trace_replayed how;

    if (!parse(&t, text, size, &why))
        fail_msg("refused: %s", why.text);
    if (!trace_network(&t, &made, &why))
        fail_msg("refused: %s", why.text);
    how = trace_replay(&made.net, &t, out);
    if (how == TRACE_REPLAY_SAME)
        assert_int_equal(out->events, t.events_count);
    net_unmake(&made);
    trace_free(&t);
    return how;
}

static bool replays(const struct fc_protocol *p,
                    const struct small_model *model, uint64_t seed)
{
    struct trace_replay out;
    size_t size;
    char *text = write_run(p->name, model, seed, &size);

    if (!text)
        return false;
    if (replay(text, size, &out) != TRACE_REPLAY_SAME)
        fail_msg("%s, model %td, seed %d, line %d: %s\nthen %s\nnow  %s",
                 p->name, model - small_models, (int)seed, (int)out.line,
                 out.what ? out.what : "", out.then, out.now);
    free(text);
    return true;
}

TEST(test_every_run_happens_again)
{
    for (uint32_t i = 0; net_types[i]; i++) {
        uint32_t seeds = rounds(30), count = 0;

        for (size_t m = 0; m < COUNT(small_models); m++)
            for (uint64_t seed = 1; seed <= seeds; seed++)
                if (!net_types[i]->clocked || m != 3) /* see below */
                    count +=
                        replays(net_types[i]->protocol, &small_models[m], seed);
        assert_true(count >= seeds);
    }
}

/* What vitanyi truly does on the ring of good_head. */
static const char true_body[] =
    "0 1 wake; send #0 wakeup to 2 arrives 1; arm 0 1; is candidate\n"
    "0 2 wake; send #1 wakeup to 1 arrives 1; arm 0 1; is candidate\n"
    "1 2 read #0 wakeup\n"
    "1 1 read #1 wakeup\n"
    "1 1 timeout 0; arm 0 1\n"
    "1 2 timeout 0; arm 0 1\n"
    "2 1 timeout 0; send #2 M(1) to 2 arrives 3\n"
    "2 2 timeout 0; send #3 M(2) to 1 arrives 3\n"
    "3 2 read #2 M(1); arm 0 2; is lost, rests\n"
    "3 1 read #3 M(2); dies\n"
    "5 2 timeout 0; send #4 M(1) to 1 arrives 6; is lost\n"
    "6 1 read #4 M(1); send #5 sleepwell to 2 arrives 7; is leader; knows 1\n"
    "7 2 read #5 sleepwell; send #6 sleepwell to 1 arrives 8; is done; knows "
    "1\n"
    "8 1 read #6 sleepwell\n"
    "end 8 quiet\n";

/* Whatever numbers stand in a trace, a replay ends. */
TEST(test_any_numbers)
{
    static const char *const protocols[] = {"vitanyi", "itai-rodeh", "raymond",
                                            "view-lock", "rw-optimistic"};
    uint64_t random = 1;
    uint32_t read = 0;

    for (uint32_t i = 0; i < rounds(3000); i++) {
        const char *protocol = protocols[i % COUNT(protocols)];
        struct net_why why;
        char *body, *text;
        struct trace_replay out = {.events = 0};
        struct net_made made;
        struct trace t;
        size_t size;

        text =
            write_run(protocol, &small_models[i % 2 ? 5 : 0], 1 + i % 7, &size);
        body = strstr(text, "\n----\n") + 6;
        for (int changes = 0; changes < 3; changes++) {
            char *at;

            random = random * UINT64_C(6364136223846793005) + 1;
            at = text + (random >> 20) % (size - 30);
            at += strcspn(at, "0123456789");
            if (at < text + size - 30)
                *at = (char)('0' + (random >> 8) % 10);
        }
        snprintf(strstr(body, "\nhash ") + 6, 17, "%016" PRIx64,
                 XXH64(body, (size_t)(strstr(body, "\nhash ") + 1 - body), 0));
        text[size - 1] = '\n';
        if (parse(&t, text, size, &why)) {
            read++;
            if (trace_network(&t, &made, &why))
                (void)trace_replay(&made.net, &t, &out);
            free(out.then);
            free(out.now);
            net_unmake(&made);
            trace_free(&t);
        }
        free(text);
    }
    assert_true(read > rounds(3000) / 20);
}

/* A trace of two nodes of vitanyi, changed and with its hash put right. */
static void check_changed(const char *from, const char *to,
                          enum trace_replayed how, uint32_t line,
                          const char *says)
{
    char body[TRACE_ROOM], text[TRACE_ROOM];
    struct trace_replay out;
    size_t size;

    replace(body, true_body, from, to);
    size = build(text, good_head, body);
    assert_int_equal(replay(text, size, &out), how);
    assert_int_equal(out.line, line);
    if (how == TRACE_REPLAY_UNREADABLE)
        assert_string_equal(out.what, says);
    if (how == TRACE_REPLAY_DIFFERS) {
        assert_non_null(strstr(out.then, to));
        assert_non_null(strstr(out.now, says));
    }
    free(out.then);
    free(out.now);
}

/* Its first line in the file, and its last but the end. */
enum { BODY_LINE = 18, LAST_LINE = BODY_LINE + 13 };

TEST(test_what_was_changed_is_found)
{
    check_changed("wake", "wake", TRACE_REPLAY_SAME, LAST_LINE, NULL);
    check_changed("arm 0 1; is", "arm 0 4; is", TRACE_REPLAY_DIFFERS, BODY_LINE,
                  "arm 0 1; is");
    check_changed("; dies", "", TRACE_REPLAY_DIFFERS, BODY_LINE + 9, "; dies");
    check_changed("lost, rests", "lost", TRACE_REPLAY_DIFFERS, BODY_LINE + 8,
                  "lost, rests");
    check_changed("is done; knows 1", "is done; knows 2", TRACE_REPLAY_DIFFERS,
                  BODY_LINE + 12, "is done; knows 1");
    /* That is judged, not done. */
    check_changed("; dies", "; dies; violated one-leader", TRACE_REPLAY_SAME,
                  LAST_LINE, NULL);
    check_changed("0 2 wake", "0 2 want", TRACE_REPLAY_UNREADABLE,
                  BODY_LINE + 1, "this is not an event");
    check_changed("2 2 timeout 0", "2 2 timeout 9", TRACE_REPLAY_UNREADABLE,
                  BODY_LINE + 7, "there is no such timer");
}

/* When messages arrive is the network's business: a replay obeys. */
TEST(test_arrivals_are_taken_from_the_trace)
{
    check_changed("wakeup to 2 arrives 1;", "wakeup to 2 arrives 0;",
                  TRACE_REPLAY_SAME, LAST_LINE, NULL);
}

static void check_no_network(const char *from, const char *to, const char *says)
{
    struct net_why why;
    char head[TRACE_ROOM], text[TRACE_ROOM];
    struct net_made made;
    struct trace t;

    replace(head, good_head, from, to);
    assert_true(parse(&t, text, build(text, head, good_body), &why));
    assert_false(trace_network(&t, &made, &why));
    assert_false(why.system);
    if (!strstr(why.text, says))
        fail_msg("'%s' does not say '%s'", why.text, says);
    net_unmake(&made);
    trace_free(&t);
}

/* The head is foreign input as well. */
TEST(test_heads_without_a_network)
{
    check_no_network("vitanyi", "vitany", "did you mean 'vitanyi'?");
    check_no_network("sync", "fast", "choose sync");
    check_no_network("f=exp:2", "f=exp:x", "not one of const:C");
    check_no_network("f=exp:2", "g=exp:2", "has no parameter 'g'");
    check_no_network("sync\nbounds 1:1:0:0", "archimedean\nbounds 1:never:0:0",
                     "four whole numbers");
    check_no_network("sync\nbounds 1:1:0:0", "archimedean\nbounds 2:3:0:0",
                     "a step of 1 ticks is not within");
    check_no_network("vitanyi\n", "itai-rodeh\n", "its nodes have none");
    check_no_network("protocol vitanyi\nproblem election\ntopology ring\n"
                     "time sync\nbounds 1:1:0:0\nnodes 2\nnames 1,2\n"
                     "steps 1+0,1+0\nset f=exp:2 first-wait=one\n",
                     "protocol view-lock\nproblem mutex\ntopology complete\n"
                     "time archimedean\nbounds 1:2:0:1\nnodes 2\nnames 1,2\n",
                     "does not say how fast");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_run_happens_again),
        cmocka_unit_test(test_any_numbers),
        cmocka_unit_test(test_what_was_changed_is_found),
        cmocka_unit_test(test_arrivals_are_taken_from_the_trace),
        cmocka_unit_test(test_heads_without_a_network),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
