/*
 * test_lab.c - <fulcrum/net.h>, sim.h, check.h, trace.h: what they say is what
 * the rooms below say, and what cannot be run is refused with a sentence.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/fulcrum/check.h"
#include "include/fulcrum/sim.h"
#include "include/fulcrum/trace.h"
#include "tests/unit/kit/test.h"

/* Pairs of words, ended by NULL. */
static struct fulcrum_net *net_of(const char *protocol,
                                  const char *const *words)
{
    struct fulcrum_net *net = fulcrum_net_new(protocol);

    assert_non_null(net);
    for (; *words; words += 2)
        assert_int_equal(fulcrum_net_set(net, words[0], words[1]), 0);
    return net;
}
#define NET(protocol, ...)                                                     \
    net_of(protocol, (const char *const[]){__VA_ARGS__, NULL})

static double number(const struct fulcrum_sim *sim, const char *name)
{
    double value = -1;

    assert_int_equal(fulcrum_sim_get(sim, name, &value), 0);
    return value;
}

/* The names of three runs ascend: kN - k(k-1)/2 + N messages, with k = N. */
TEST(test_numbers_of_runs)
{
    struct fulcrum_net *net =
        NET("chang-roberts", "nodes", "5", "names", "asc");
    struct fulcrum_sim *sim = fulcrum_sim_run(net, 1, 3, 2, NULL);
    double value;

    assert_non_null(sim);
    assert_true(number(sim, "runs") == 3 && number(sim, "ok") == 3);
    assert_true(number(sim, "leader") == 1);
    assert_true(number(sim, "messages.min") == number(sim, "messages.max"));
    assert_true(number(sim, "messages") == number(sim, "messages.mean"));
    assert_true(number(sim, "messages.sd") == 0);
    assert_true(number(sim, "messages") == 25 - 10 + 5);
    assert_int_equal(fulcrum_sim_get(sim, "message", &value), -1);
    assert_int_equal(fulcrum_sim_get(sim, "messages.most", &value), -1);
    assert_null(fulcrum_sim_broken(sim, 0, NULL, NULL));
    fulcrum_sim_free(sim);
    fulcrum_net_free(net);
}

/* The greatest name wins, which the prose of the paper says and no property
 * allows: broken in every run, from the first on. */
TEST(test_broken_runs)
{
    struct fulcrum_net *net =
        NET("chang-roberts", "nodes", "5", "set", "drop=smaller");
    struct fulcrum_sim *sim = fulcrum_sim_run(net, 7, 20, 1, NULL);
    uint64_t runs, seed;

    assert_string_equal(fulcrum_sim_broken(sim, 0, &runs, &seed),
                        "right-leader");
    assert_int_equal(runs, 20);
    assert_int_equal(seed, 7);
    assert_null(fulcrum_sim_broken(sim, 1, NULL, NULL));
    fulcrum_sim_free(sim);
    fulcrum_net_free(net);
}

/* Those of one run, which is the same each time. */
static double messages_of(struct fulcrum_net *net)
{
    struct fulcrum_sim *sim = fulcrum_sim_run(net, 1, 1, 1, NULL);
    struct fulcrum_sim *again = fulcrum_sim_run(net, 1, 1, 1, NULL);
    double messages;

    assert_non_null(sim);
    assert_non_null(again);
    messages = number(sim, "messages");
    assert_true(number(again, "messages") == messages);
    fulcrum_sim_free(sim);
    fulcrum_sim_free(again);
    fulcrum_net_free(net);
    return messages;
}
#define LELANN "nodes", "5", "names", "asc"

/* Pinned, and the same as those of `fulcrum sim lelann -n 5 --names asc`; each
 * fault counts, in whatever order they are said. */
TEST(test_faults_of_a_run)
{
    assert_true(messages_of(NET("lelann", LELANN)) == 30);
    assert_true(messages_of(NET("lelann", LELANN, "fault", "crash 4@2")) == 19);
    assert_true(messages_of(NET("lelann", LELANN, "fault", "crash 4@2", "fault",
                                "crash 2@1", "fault", "restart 4@3")) == 12);
    assert_true(messages_of(NET("lelann", LELANN, "fault", "loss 1")) == 5);
    assert_true(messages_of(NET("lelann", LELANN, "fault", "lose 2#1")) == 26);
}

static void refuse_fault(const char *what, const char *sentence)
{
    struct fulcrum_net *net = NET("lelann", LELANN, "fault", what);

    assert_null(fulcrum_sim_run(net, 1, 1, 1, NULL));
    assert_string_equal(fulcrum_net_why(net), sentence);
    fulcrum_net_free(net);
}

/* With the sentences of the command line. */
TEST(test_refused_faults)
{
    refuse_fault("loss x", "fault 'loss x': a chance is from 0 to 1, not x");
    refuse_fault("crash 2", "fault 'crash 2': write it as 'crash NAME@TICK'");
    refuse_fault(
        "crash 9@3",
        "fault 'crash 9@3': nobody is called '9'; the names are 1 to 5");
    refuse_fault("crush 2@3", "fault 'crush 2@3': there is no fault 'crush'; "
                              "did you mean 'crash'?");
}

/* Replays a trace, which is changed before: `was` becomes `is`. */
static enum fulcrum_replayed replay(const char *text, const char *was,
                                    const char *is, char why[200])
{
    char path[] = "/tmp/fulcrum-trace-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    const char *at = *was ? strstr(text, was) : text;
    enum fulcrum_replayed how;

    assert_non_null(file);
    assert_non_null(at);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
    assert_int_equal(fclose(file), 0);
    how = fulcrum_trace_replay(path, why, 200);
    assert_int_equal(unlink(path), 0);
    return how;
}

/* A run is written down, and what nodes do in a replay is compared. */
TEST(test_traces)
{
    struct fulcrum_net *net = NET("lelann", "nodes", "3", "set", "announce=no");
    char *text = NULL, why[200] = "";
    size_t size;
    FILE *to = open_memstream(&text, &size);
    struct fulcrum_sim *sim = fulcrum_sim_run(net, 1, 1, 1, to);

    assert_non_null(sim);
    assert_int_equal(fclose(to), 0);
    assert_int_equal(replay(text, "", "", why), FULCRUM_REPLAY_SAME);
    assert_int_equal(replay(text, "announce=no", "announce=yes", why),
                     FULCRUM_REPLAY_DIFFERS);
    assert_non_null(strstr(why, "then"));
    assert_int_equal(replay(text, "lelann", "leman", why),
                     FULCRUM_REPLAY_REFUSED);
    assert_int_equal(fulcrum_trace_replay("/nowhere", why, sizeof why),
                     FULCRUM_REPLAY_SYSTEM);
    free(text);
    fulcrum_sim_free(sim);
    fulcrum_net_free(net);
}

/* What is wrong is said when it is known. */
TEST(test_refusals)
{
    struct fulcrum_net *net = NET("viatnyi", "nodes", "5");

    assert_int_equal(fulcrum_net_set(net, "nodez", "5"), -1);
    assert_int_equal(errno, EINVAL);
    assert_non_null(strstr(fulcrum_net_why(net), "nodez"));
    assert_null(fulcrum_sim_run(net, 1, 1, 1, NULL));
    assert_non_null(strstr(fulcrum_net_why(net), "vitanyi"));
    assert_null(fulcrum_check_run(net));
    fulcrum_net_free(net);
    net = NET("vitanyi", "loss", "1");
    assert_null(fulcrum_sim_run(net, 1, 1, 1, NULL));
    assert_non_null(strstr(fulcrum_net_why(net), "loss is not for"));
    fulcrum_net_free(net);
    net = NET("vitanyi", "fault", "loss 1");
    assert_null(fulcrum_check_run(net));
    assert_non_null(strstr(fulcrum_net_why(net), "fault is not for"));
    fulcrum_net_free(net);
    net = NET("vitanyi", "think", "1");
    assert_null(fulcrum_check_run(net));
    assert_non_null(strstr(fulcrum_net_why(net), "think is not for"));
    fulcrum_net_free(net);
    net = NET("vitanyi", "nodes", "17");
    assert_null(fulcrum_sim_run(net, 1, 2, 1, stdout)); /* a trace of two */
    assert_null(fulcrum_sim_run(net, 1, 0, 1, NULL));
    assert_null(fulcrum_check_run(net));
    fulcrum_net_free(net);
}

static size_t states_of(struct fulcrum_net *net, enum fulcrum_verdict verdict)
{
    struct fulcrum_check *check = fulcrum_check_run(net);
    double states;

    assert_non_null(check);
    assert_int_equal(fulcrum_check_verdict(check), verdict);
    assert_int_equal(fulcrum_check_get(check, "states", &states), 0);
    assert_int_equal(fulcrum_check_trace(check, stdout), -1);
    assert_int_equal(fulcrum_check_story(check, stdout), -1);
    assert_null(fulcrum_check_broken(check, 0));
    fulcrum_check_free(check);
    fulcrum_net_free(net);
    return (size_t)states;
}

/* Pinned, and the same as those of `fulcrum check lelann -n 3`. */
TEST(test_a_search)
{
    assert_int_equal(states_of(NET("lelann", "nodes", "3"), FULCRUM_HOLDS), 42);
    assert_int_equal(states_of(NET("lelann", "nodes", "3", "states", "10"),
                               FULCRUM_INCOMPLETE) < 42,
                     true);
}

/* What it finds is told, and can be replayed. */
TEST(test_a_counterexample)
{
    struct fulcrum_net *net =
        NET("chang-roberts", "nodes", "3", "crashes", "1");
    struct fulcrum_check *check = fulcrum_check_run(net);
    char *text = NULL, why[200];
    size_t size;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(check);
    assert_int_equal(fulcrum_check_verdict(check), FULCRUM_VIOLATED);
    assert_string_equal(fulcrum_check_broken(check, 0), "elected");
    assert_string_equal(fulcrum_check_broken(check, 1), "everyone-told");
    assert_null(fulcrum_check_broken(check, 2));
    assert_int_equal(fulcrum_check_trace(check, to), 0);
    assert_int_equal(fflush(to), 0);
    assert_int_equal(replay(text, "", "", why), FULCRUM_REPLAY_SAME);
    rewind(to);
    assert_int_equal(fulcrum_check_story(check, to), 0);
    assert_int_equal(fclose(to), 0);
    assert_non_null(strstr(text, "1. "));
    free(text);
    fulcrum_check_free(check);
    fulcrum_net_free(net);
}

/* All protocols are named. */
TEST(test_all_protocols)
{
    size_t count = 0;

    while (fulcrum_net_protocol(count))
        count++;
    assert_true(count > 30);
    assert_null(fulcrum_net_protocol(count + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_runs),
        cmocka_unit_test(test_broken_runs),
        cmocka_unit_test(test_faults_of_a_run),
        cmocka_unit_test(test_refused_faults),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_a_search),
        cmocka_unit_test(test_a_counterexample),
        cmocka_unit_test(test_all_protocols),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
