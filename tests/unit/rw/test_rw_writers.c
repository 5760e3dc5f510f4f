/*
 * test_rw_writers.c - writers of the register come and go: a second one is
 * refused, a dead one is noticed, and the next one repairs what it left.
 */
#include "tests/unit/kit/rw_register.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

TEST(test_second_writer_is_refused)
{
    struct rw r = made();
    struct rw_writer w, second;
    struct pose p = pose(1);

    assert_int_equal(rw_open(&w, &r), RW_OK);
    assert_int_equal(rw_open(&second, &r), RW_BUSY);
    assert_int_equal(rw_write(&second, &p), RW_CLOSED);
    rw_close(&second); /* must not let go what is not its own */
    assert_int_equal(rw_open(&second, &r), RW_BUSY);
    rw_close(&w);
    assert_int_equal(rw_write(&w, &p), RW_CLOSED);
    assert_int_equal(rw_open(&second, &r), RW_OK);
    assert_false(second.took_over);
    rw_close(&second);
}

/* A child has a copy of the writer, and neither writes nor closes with it. */
TEST(test_forked_writer_is_refused)
{
    struct rw r = made();
    struct rw_writer w;
    struct pose p = pose(1);
    int status = -1;

    assert_int_equal(rw_open(&w, &r), RW_OK);
    pid_t pid = fork();

    if (pid == 0) {
        bool well = rw_write(&w, &p) == RW_LOST;

        rw_close(&w);
        _exit(well && atomic_load(&r.head->owner) != 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(rw_write(&w, &p), RW_OK);
    rw_close(&w);
    assert_int_equal(atomic_load(&r.head->owner), 0);
}

/* A number that another process has now is not the writer of old. */
TEST(test_reused_pid_is_no_writer)
{
    struct rw r = made();
    struct rw_writer w;

    atomic_store(&r.head->owner, rw_ticket());
    assert_int_equal(rw_open(&w, &r), RW_BUSY);
    atomic_store(&r.head->owner, rw_ticket() - 1);
    assert_int_equal(rw_open(&w, &r), RW_OK);
    assert_true(w.took_over);
    assert_false(w.torn);
    rw_close(&w);
}

/* Where the start time is not known, the pid decides. */
TEST(test_unknown_start_time_counts_as_alive)
{
    assert_true(rw_alive((uint64_t)getpid() << RW_START_BITS));
    assert_true(rw_alive(UINT64_C(1) << RW_START_BITS));
    assert_false(rw_alive(0));
    assert_false(rw_alive(UINT64_MAX)); /* no system gives out such pids */
}

/* Until the pipe is closed; without the cleaning up of a normal exit, in which
 * sanitizers would look for the memory of the test framework. */
static void *survive(void *pipe_end)
{
    char byte;

    _exit(read(*(int *)pipe_end, &byte, 1) == 0 ? 0 : 1);
}

/* The first thread of a process may go before the writer does. */
TEST(test_process_without_its_first_thread_is_alive)
{
    int ends[2];
    uint64_t start = 0;
    bool ended = true;

    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();

    if (pid == 0) {
        pthread_t thread;

        close(ends[1]);
        pthread_create(&thread, NULL, survive, &ends[0]);
        pthread_exit(NULL);
    }
    struct timespec nap = {0, 50000000};

    nanosleep(&nap, NULL);
    assert_true(rw_process(pid, &start, &ended));
    assert_false(ended);
    assert_true(start > 0);
    close(ends[1]);
    siginfo_t info;

    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    assert_true(rw_process(pid, &start, &ended));
    assert_true(ended);
    waitpid(pid, NULL, 0);
    assert_false(rw_process(pid, &start, &ended));
    close(ends[0]);
}

/* There the same number is somebody else. */
TEST(test_writer_in_another_pid_namespace_is_not_judged)
{
    struct rw r = made();
    struct rw_writer w;

    atomic_store(&r.head->space, 1);
    atomic_store(&r.head->owner, UINT64_MAX);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, sizeof(struct pose)),
                     RW_OK);
    assert_int_equal(rw_open(&w, &r), RW_ELSEWHERE);
    atomic_store(&r.head->v1, 1);
    struct pose p;

    assert_int_equal(rw_read_until(&r, &p, rw_now_ns() + 2000000), RW_TIMEOUT);
}

static int dies_at;

static void exit_at(int place_now)
{
    if (place_now == dies_at)
        _exit(0);
}

/* A child that dies at some place of its second write. */
static void die_at(const struct rw *r, int where, bool reap, pid_t *pid)
{
    siginfo_t info;

    *pid = fork();
    assert_true(*pid >= 0);
    if (*pid == 0) {
        struct rw_writer w;
        struct pose p = pose(1);

        if (rw_open(&w, r) != RW_OK || rw_write(&w, &p) != RW_OK)
            _exit(1);
        dies_at = where;
        hook = exit_at;
        p = pose(2);
        rw_write(&w, &p);
        _exit(1);
    }
    waitid(P_PID, (id_t)*pid, &info, reap ? WEXITED : WEXITED | WNOWAIT);
    assert_int_equal(info.si_status, 0);
}

/* A read that must not hang, whatever is wrong. */
static int64_t soon(const struct rw *r, struct pose *p)
{
    return rw_read_until(r, p, rw_now_ns() + UINT64_C(5000000000));
}

/* Wherever it died, buried or not: readers are told, the next one repairs. */
TEST(test_dead_writer_is_noticed_and_repaired)
{
    for (int where = RW_AT_WRITE; where <= RW_AT_WRITTEN; where++) {
        for (int reap = 0; reap < 2; reap++) {
            char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            bool torn = where != RW_AT_WRITTEN;
            struct rw r = {.size = 0};
            struct rw_writer w;
            struct pose p;
            pid_t pid;

            assert_int_equal(rw_init(&r, shared, 4096, sizeof p, &quick),
                             RW_OK);
            die_at(&r, where, reap, &pid);
            assert_int_equal(soon(&r, &p), torn ? RW_DEAD : 1);
            assert_true(torn || same(&p, 2));
            assert_int_equal(rw_open(&w, &r), RW_OK);
            assert_true(w.took_over);
            assert_int_equal(w.torn, torn);
            /* The heir lives, but there is no value yet. */
            assert_int_equal(soon(&r, &p), torn ? RW_DEAD : 1);
            p = pose(9);
            assert_int_equal(rw_write(&w, &p), RW_OK);
            p = pose(0);
            assert_int_equal(soon(&r, &p), 1);
            assert_true(same(&p, 9));
            rw_close(&w);
            if (!reap)
                waitpid(pid, NULL, 0);
            munmap(shared, 4096);
        }
    }
}

/* Between a look at the owner and the answer the write may have ended, or the
 * next writer may have begun. */
TEST(test_reader_looks_again_before_it_says_dead)
{
    struct rw r = made();

    atomic_store(&r.head->v1, 6);
    atomic_store(&r.head->v2, 5);
    assert_true(rw_abandoned(&r, 6));
    assert_false(rw_abandoned(&r, 5));
    atomic_store(&r.head->v2, 6);
    assert_false(rw_abandoned(&r, 6));
}

/* A writer that lives but does not go on: readers may set a deadline. */
TEST(test_reader_gives_up_at_its_deadline)
{
    struct rw r = made();
    struct rw_writer w;
    struct pose p;

    assert_int_equal(rw_open(&w, &r), RW_OK);
    atomic_store(&r.head->v1, w.count + 1);
    uint64_t deadline = rw_now_ns() + 3000000;

    assert_int_equal(rw_read_until(&r, &p, deadline), RW_TIMEOUT);
    assert_true(rw_now_ns() >= deadline);
    assert_int_equal(rw_read_until(&r, &p, 0), RW_TIMEOUT);
    atomic_store(&r.head->v1, w.count);
    assert_int_equal(rw_read_until(&r, &p, 0), 1); /* one attempt always */
    rw_close(&w);
}

/* Whoever lost the register must not write into it. */
TEST(test_writer_that_lost_the_register_is_told)
{
    struct rw r = made();
    struct rw_writer w;
    struct pose p = pose(1);

    assert_int_equal(rw_open(&w, &r), RW_OK);
    atomic_store(&r.head->owner, 12345);
    assert_int_equal(rw_write(&w, &p), RW_LOST);
    rw_close(&w);
    assert_int_equal(atomic_load(&r.head->owner), 12345);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_writer_is_refused),
        cmocka_unit_test(test_forked_writer_is_refused),
        cmocka_unit_test(test_reused_pid_is_no_writer),
        cmocka_unit_test(test_unknown_start_time_counts_as_alive),
        cmocka_unit_test(test_process_without_its_first_thread_is_alive),
        cmocka_unit_test(test_writer_in_another_pid_namespace_is_not_judged),
        cmocka_unit_test(test_dead_writer_is_noticed_and_repaired),
        cmocka_unit_test(test_reader_looks_again_before_it_says_dead),
        cmocka_unit_test(test_reader_gives_up_at_its_deadline),
        cmocka_unit_test(test_writer_that_lost_the_register_is_told),
    };

    alarm(120); /* a reader that spins for ever is a failure, too */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
