/*
 * test_live_fence_freeze.c - a writer or reader of the store that is stopped
 * anywhere, for any time: nobody waits for it, and when it goes on it changes
 * nothing that somebody with a higher token has read or written.
 *
 * It is traced, and held before and after each of its calls to the system in
 * turn; whatever it does between two of them nobody else can see.
 */
#include <sys/ptrace.h>

#include "tests/unit/kit/fence_store.h"

/* What somebody does. */
struct deed {
    uint64_t token;
    const char *text; /* NULL: it reads */
};

static enum live_fence_answer act(const struct deed *d)
{
    char text[SMALL];

    return d->text ? put("x", d->token, d->text) : get("x", d->token, text);
}

/* A process that does it, and is held at its stop number `at`, counted from 1.
 * 0 if it has ended before; its end is in *status. */
static pid_t freeze(const struct deed *d, uint32_t at, int *status)
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(100);
        (void)raise(SIGSTOP);
        _exit((int)act(d));
    }
    assert_int_equal(waitpid(child, status, 0), child);
    for (uint32_t i = 0; i < at && WIFSTOPPED(*status); i++) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, status, 0), child);
    }
    return WIFSTOPPED(*status) ? child : 0;
}

/* It goes on to its end; what the store told it. */
static enum live_fence_answer thaw(pid_t child)
{
    int status;

    assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (enum live_fence_answer)WEXITSTATUS(status);
}

static bool can_trace(void)
{
    int status;
    pid_t child = freeze(&(struct deed){1, "a"}, 1, &status);

    if (child)
        (void)thaw(child);
    return child != 0;
}

/* What a run of one freeze has seen. */
struct run {
    const struct deed *frozen, *others; /* others: until a token of 0 */
    bool from_old;                      /* "old" is there under 5 */
    bool was_in;                        /* what it writes was there already */
    char before[SMALL];                 /* the content while it was frozen */
    enum live_fence_answer told;
};

/* Freezes it at a stop, lets all others act, and lets it go on; false if it has
 * no such stop. */
static bool run_one(struct run *r, uint32_t at)
{
    pid_t child;
    int status;

    remove_store();
    assert_int_equal(live_fence_create(store, &error), LIVE_FENCE_DONE);
    if (r->from_old)
        assert_int_equal(put("x", 5, "old"), LIVE_FENCE_DONE);
    child = freeze(r->frozen, at, &status);
    if (!child) {
        assert_true(WIFEXITED(status));
        return false;
    }
    (void)get("x", 0, r->before);
    r->was_in = r->frozen->text && strcmp(r->before, r->frozen->text) == 0;
    for (const struct deed *d = r->others; d->token; d++) {
        enum live_fence_answer told = act(d);

        if (told != LIVE_FENCE_DONE && told != LIVE_FENCE_NOTHING)
            fail_msg("at stop %u of the other: %s", at, error.text);
    }
    r->told = thaw(child);
    return true;
}

typedef void verdict(const struct run *r);

static void freeze_everywhere(const struct deed *frozen,
                              const struct deed *others, verdict *judge)
{
    for (int from_old = 0; from_old < 2; from_old++) {
        struct run r = {frozen, others, .from_old = from_old};
        uint32_t at = 1;

        for (; run_one(&r, at); at++) {
            judge(&r);
            assert_int_equal(put("x", 20, "last"), LIVE_FENCE_DONE);
            assert_true(files_of("x") <= 2); /* nothing is left of all that */
        }
        assert_true(at > 50); /* it has more stops than that */
    }
}

/* Exactly what was seen counts: a refused client has written nothing. */
static void judge_writer(const struct run *r)
{
    assert_int_equal(r->told, r->was_in ? LIVE_FENCE_DONE : LIVE_FENCE_LOW);
    assert_int_equal(put("x", 8, "late"), LIVE_FENCE_LOW);
}

static void judge_passed(const struct run *r)
{
    judge_writer(r);
    check_content("x", "newer");
}

TEST(test_frozen_writer_is_passed_and_refused_when_it_goes_on)
{
    static const struct deed once[] = {{9, "newer"}, {0}};
    /* Its number is long gone when it goes on. */
    static const struct deed often[] = {
        {9, "a"}, {9, "b"}, {9, "c"}, {9, "newer"}, {0}};

    if (!can_trace())
        skip();
    freeze_everywhere(&(struct deed){7, "new"}, once, judge_passed);
    freeze_everywhere(&(struct deed){7, "new"}, often, judge_passed);
}

static void judge_read(const struct run *r)
{
    char text[SMALL];

    judge_writer(r);
    if (r->was_in || r->from_old)
        check_content("x", r->before);
    else
        assert_int_equal(get("x", 0, text), LIVE_FENCE_NOTHING);
}

TEST(test_what_was_read_under_a_higher_token_stays)
{
    static const struct deed reads[] = {{9, NULL}, {0}};

    if (!can_trace())
        skip();
    freeze_everywhere(&(struct deed){7, "new"}, reads, judge_read);
}

static void judge_reader(const struct run *r)
{
    assert_true(r->told == LIVE_FENCE_DONE || r->told == LIVE_FENCE_NOTHING);
    check_content("x", "newer");
    assert_int_equal(put("x", 8, "late"), LIVE_FENCE_LOW);
}

TEST(test_frozen_reader_is_passed_and_changes_nothing)
{
    static const struct deed once[] = {{9, "newer"}, {0}};

    if (!can_trace())
        skip();
    freeze_everywhere(&(struct deed){7, NULL}, once, judge_reader);
}

/* The same holder by two processes: both write, one after the other. */
static void judge_equal(const struct run *r)
{
    assert_int_equal(r->told, LIVE_FENCE_DONE);
    check_content("x", r->was_in ? "other" : "new");
    assert_int_equal(put("x", 6, "late"), LIVE_FENCE_LOW);
}

TEST(test_frozen_writer_with_an_equal_token_writes_after_the_other)
{
    static const struct deed once[] = {{7, "other"}, {0}};

    if (!can_trace())
        skip();
    freeze_everywhere(&(struct deed){7, "new"}, once, judge_equal);
}

/* (1) A former holder writes as fast as it can, (2) a new one has much to
 * write: it gets in all the same, and the former one is refused then. */
TEST(test_former_holder_that_writes_without_end_holds_nobody_up)
{
    struct live_fence fence = opened();
    static char much[1 << 20];
    enum live_fence_answer answer;
    uint64_t mark;
    int status;
    pid_t child = fork();

    if (child == 0) {
        do
            answer = live_fence_put(&fence, "x", 7, "a", 1, &mark, &error);
        while (answer == LIVE_FENCE_DONE);
        _exit((int)answer);
    }
    memset(much, 'b', sizeof much);
    answer = live_fence_put(&fence, "x", 9, much, sizeof much, &mark, &error);
    assert_int_equal(answer, LIVE_FENCE_DONE);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), LIVE_FENCE_LOW);
    assert_int_equal(put("x", 8, "late"), LIVE_FENCE_LOW);
    live_fence_close(&fence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FENCE_TEST(test_frozen_writer_is_passed_and_refused_when_it_goes_on),
        FENCE_TEST(test_what_was_read_under_a_higher_token_stays),
        FENCE_TEST(test_frozen_reader_is_passed_and_changes_nothing),
        FENCE_TEST(
            test_frozen_writer_with_an_equal_token_writes_after_the_other),
        FENCE_TEST(test_former_holder_that_writes_without_end_holds_nobody_up),
    };

    return cmocka_run_group_tests_name("live_fence_freeze", tests, NULL, NULL);
}
