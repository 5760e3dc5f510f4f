/*
 * test_sane.c - sanitized builds judge a node after every step, in either
 * engine: one that breaks its invariant ends the run, with the sentence.
 *
 * The engines are compiled here as in such a build, with an invariant of ours.
 */
#ifndef FC_PARANOID
#define FC_PARANOID
#endif
#define FC_TYPED
#include "protocols/election/vitanyi/vitanyi.c"

/* The protocols that testing.h knows are those of the library. */
#undef FC_TYPED
#undef FC_API
#define FC_API
#include "tests/unit/kit/testing.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_SO "a node that has won is at rest"

/* What the winner breaks while its sleepwell goes round; and a node whose name
 * is not told, though a step of this protocol needs it but once. */
static const char *judged(const struct vitanyi *s,
                          const struct vitanyi_params *p,
                          const struct vitanyi_site *me)
{
    (void)p;
    if (me->name == FC_NOBODY)
        return "a node has a name";
    return s->mode == VITANYI_CLOSING ? NOT_SO : NULL;
}

#define P            vitanyi
#define vitanyi_sane judged
#include "sim/engine/lockstep.inc"

static const struct sim_type type = {
    .protocol = &vitanyi_protocol,
    .run = engine_run,
    .lockstep = lockstep_run,
    .lockstep_node = lockstep_node,
};

/* In a child, whose last words are those of the engine. */
static void run_into(int words, bool general)
{
    struct lab lab;

    dup2(words, STDERR_FILENO);
    lab_open(&lab, "vitanyi", 5);
    lab.setup.type = &type;
    lab.setup.general = general;
    lab_prepare(&lab);
    (void)lab_run(&lab, 1);
    _exit(0);
}

/* A run that goes on with an impossible state shows nothing. */
TEST(test_an_insane_node_ends_the_run_in_both_engines)
{
    for (int general = 0; general < 2; general++) {
        char said[200] = "";
        int words[2], status;
        pid_t child;

        assert_int_equal(pipe(words), 0);
        child = fork();
        if (child == 0)
            run_into(words[1], general);
        close(words[1]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(read(words[0], said, sizeof said - 1) > 0);
        close(words[0]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        assert_string_equal(said, "vitanyi is not sane: " NOT_SO "\n");
    }
}

/* ---- Inboxes ------------------------------------------------------------- */

/* Node 0 has two messages, in places 2 and 0; place 1 is free. */
static void some_mail(struct run *r, struct run_node nodes[2],
                      struct run_mail mail[3])
{
    *r = (struct run){.nodes = nodes,
                      .nodes_count = 2,
                      .mail = mail,
                      .mail_count = 3,
                      .mail_free = 1,
                      .now = 10};
    nodes[0] =
        (struct run_node){.first = 2, .last = 0, .waiting = 2, .reads_at = 11};
    nodes[1] = (struct run_node){.first = NO_MAIL, .last = 1};
    mail[2].next = 0;
    mail[0].next = mail[1].next = NO_MAIL;
    assert_null(run_inboxes_sane(r));
}

TEST(test_broken_inboxes_say_what_is_broken)
{
    struct run_node nodes[2];
    struct run_mail mail[3] = {{.tag = 0}};
    struct run r;

    some_mail(&r, nodes, mail);
    nodes[0].waiting = 1;
    assert_string_equal(run_inboxes_sane(&r),
                        "as many messages are in an inbox as wait");
    some_mail(&r, nodes, mail);
    mail[0].next = 2; /* and round */
    assert_string_equal(run_inboxes_sane(&r),
                        "as many messages are in an inbox as wait");
    some_mail(&r, nodes, mail);
    mail[0].next = 3;
    assert_string_equal(run_inboxes_sane(&r),
                        "as many messages are in an inbox as wait");
    some_mail(&r, nodes, mail);
    nodes[0].last = 2;
    assert_string_equal(run_inboxes_sane(&r),
                        "an inbox ends with the message that came last");
    some_mail(&r, nodes, mail);
    nodes[0].down = true;
    assert_string_equal(run_inboxes_sane(&r),
                        "a node that is down has no mail");
    some_mail(&r, nodes, mail);
    nodes[0].reads_at = 9;
    assert_string_equal(run_inboxes_sane(&r), "a node with mail will read it");
    some_mail(&r, nodes, mail);
    r.mail_free = NO_MAIL;
    assert_string_equal(run_inboxes_sane(&r),
                        "a place for mail is in an inbox, or free");
    some_mail(&r, nodes, mail);
    mail[1].next = 2;
    assert_string_equal(run_inboxes_sane(&r),
                        "a place for mail is in an inbox, or free");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_insane_node_ends_the_run_in_both_engines),
        cmocka_unit_test(test_broken_inboxes_say_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
