/*
 * test_live_door_hunt.c - K7, K8: a command below a guard: whose it may be, and
 * that its lock is passed on when nobody of it is left anywhere.
 */
#include "tests/unit/kit/door_world.h"

#include <sys/mman.h>
#include <sys/stat.h>

enum { NOBODY = 65534 };

/* A guard and below it the first process of a command, and another one in a
 * session of its own, without a mark. */
struct command {
    pid_t guard, leader, other;
};

static pid_t idle(bool session)
{
    pid_t child = fork();

    if (child == 0) {
        (void)(session ? setsid() : setpgid(0, 0));
        for (;;)
            pause();
    }
    return child;
}

/* Each runs as its user, if this one is root. */
static struct command command_of(uid_t of_guard, uid_t of_leader)
{
    const bool root = geteuid() == 0;
    struct command *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct command command;
    int ready[2];
    char byte;

    assert_true(shared != MAP_FAILED && pipe(ready) == 0);
    command.guard = fork();
    if (command.guard == 0) {
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
        command.leader = fork();
        if (command.leader == 0) {
            (void)setpgid(0, 0);
            if (root && setresuid(of_leader, of_leader, of_leader))
                _exit(1);
            (void)!write(ready[1], "", 1);
            for (;;)
                pause();
        }
        command.other = idle(true);
        *shared = command;
        if (root && setresuid(of_guard, of_guard, of_guard))
            _exit(1);
        (void)!write(ready[1], "", 1);
        for (;;)
            pause();
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    command.leader = shared->leader;
    command.other = shared->other;
    (void)munmap(shared, sizeof *shared);
    return command;
}

static bool is_alive(pid_t pid)
{
    struct live_proc process;

    return live_proc_look(pid, &process) && !process.ended;
}

static void end(const struct command *c)
{
    const pid_t all[] = {c->leader, c->other, c->guard};

    for (int i = 0; i < 3; i++)
        (void)kill(all[i], SIGKILL);
    assert_int_equal(waitpid(c->guard, NULL, 0), c->guard);
    while (waitpid(-1, NULL, WNOHANG) > 0) /* ours by now */
        ;
}

/* The lock is taken away by its limit; the guard stands by and does nothing. */
TEST(test_nobody_is_left_when_a_lock_is_passed_on)
{
    struct world w;
    struct live_client first, second;
    struct command command = command_of(geteuid(), geteuid());

    open_world(&w);
    first = client_of(&w);
    second = client_of(&w);
    first.mark = 1;
    first.hold = 100000;
    ask_for(&w, &first, "red", command.leader);
    assert_int_equal(granted(&w, &first), LIVE_GRANTED);
    ask(&w, &second, "red", false);
    assert_int_equal(granted(&w, &second), LIVE_GRANTED);
    assert_false(is_alive(command.leader));
    assert_false(is_alive(command.other));
    assert_true(is_alive(command.guard)); /* it is the client's */
    live_client_close(&first);
    live_client_close(&second);
    run(&w, 20);
    end(&command);
    close_world(&w);
}

/* Nor if client and guard have died, and with them what tells the daemon whose
 * child it was. */
TEST(test_who_lost_the_guard_is_found_first)
{
    struct world w;
    struct live_client first, second;
    pid_t other, leader;
    int ready[2];

    assert_int_equal(pipe(ready), 0);
    leader = fork();
    if (leader == 0) {
        (void)setpgid(0, 0);
        other = idle(true);
        (void)!write(ready[1], &other, sizeof other);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &other, sizeof other), sizeof other);
    close(ready[0]);
    close(ready[1]);
    open_world(&w);
    first = client_of(&w);
    second = client_of(&w);
    first.mark = 1;
    ask_for(&w, &first, "red", leader);
    assert_int_equal(granted(&w, &first), LIVE_GRANTED);
    ask(&w, &second, "red", false);
    live_client_close(&first); /* it is gone */
    run(&w, 20);
    assert_int_equal(waitpid(leader, NULL, 0), leader);
    assert_int_equal(granted(&w, &second), LIVE_GRANTED);
    assert_false(is_alive(other));
    live_client_close(&second);
    run(&w, 20);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    close_world(&w);
}

static uint8_t ask_as(struct world *w, const struct command *command,
                      uid_t user)
{
    struct live_client c;
    uint8_t answer;

    if (geteuid() == 0) {
        assert_int_equal(chmod(w->folder, 0755) | chmod(w->path, 0666), 0);
        assert_int_equal(seteuid(user), 0);
    }
    c = client_of(w);
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    c.mark = 1;
    ask_for(w, &c, "red", command->leader);
    answer = granted(w, &c);
    live_client_close(&c);
    run(w, 50);
    return answer;
}

/* A grandchild may be killed if it and its parent run as the client's user, and
 * that parent is the client's child. */
TEST(test_a_grandchild_is_the_clients)
{
    struct world w;
    struct command command;

    if (geteuid() != 0) /* nobody else can be another user */
        return;
    open_world(&w);
    command = command_of(NOBODY, NOBODY);
    assert_int_equal(ask_as(&w, &command, NOBODY), LIVE_GRANTED);
    assert_false(is_alive(command.leader));
    end(&command);
    command = command_of(0, NOBODY);
    assert_int_equal(ask_as(&w, &command, NOBODY), LIVE_REFUSED);
    assert_true(is_alive(command.leader));
    end(&command);
    command = command_of(NOBODY, 0);
    assert_int_equal(ask_as(&w, &command, NOBODY), LIVE_REFUSED);
    assert_true(is_alive(command.leader));
    end(&command);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_is_left_when_a_lock_is_passed_on),
        cmocka_unit_test(test_who_lost_the_guard_is_found_first),
        cmocka_unit_test(test_a_grandchild_is_the_clients),
    };

    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
