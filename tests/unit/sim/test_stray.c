/*
 * test_stray.c - sanitized builds look at every link that a protocol sends by:
 * one that the node does not have ends the run, with a sentence.
 *
 * The engine is compiled here as in such a build, with a step that goes astray.
 */
#define FC_TYPED
#include "protocols/election/franklin/franklin.c"

/* The protocols that testing.h knows are those of the library. */
#undef FC_TYPED
#undef FC_API
#define FC_API
#include "tests/unit/kit/testing.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A ring in both directions has links 0 and 1. */
enum { STRAY = 2 };

static void stray_step(struct franklin *s, const struct franklin_params *p,
                       const struct franklin_site *me,
                       const struct franklin_in *in, struct franklin_out *out)
{
    franklin_step(s, p, me, in, out);
    for (uint32_t i = 0; i < out->fx.sends; i++)
        out->fx.to[i] = STRAY;
}

#ifndef FC_PARANOID
#define FC_PARANOID
#endif
#define P             franklin
#define franklin_step stray_step
#include "sim/engine/engine.inc"

static const struct sim_type type = {.protocol = &franklin_protocol,
                                     .run = engine_run};

/* In a child, whose last words are those of the engine. */
static void run_into(int words)
{
    struct lab lab;

    dup2(words, STDERR_FILENO);
    lab_open(&lab, "franklin", 5);
    lab.setup.type = &type;
    lab_prepare(&lab);
    (void)lab_run(&lab, 1);
    _exit(0);
}

/* What goes astray would arrive somewhere, and the run show something. */
TEST(test_a_link_that_is_not_there_ends_the_run)
{
    char said[200] = "";
    int words[2], status;
    pid_t child;

    assert_int_equal(pipe(words), 0);
    child = fork();
    if (child == 0)
        run_into(words[1]);
    close(words[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(words[0], said, sizeof said - 1) > 0);
    close(words[0]);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(said,
                        "franklin sends by link 2, and has links 0 to 1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_link_that_is_not_there_ends_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
