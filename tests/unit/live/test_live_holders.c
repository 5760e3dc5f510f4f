/*
 * test_live_holders.c - the list of holders of locks: what a next life ends,
 * and what nobody can talk it into.
 */
#include "tests/unit/kit/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/door/holders_parts.h"
#include "live/process/become.h"
#include "live/process/cgroup.h"

enum { NOBODY = 65534, LEASE = 1000 };

/* Of this run: another one beside it hunts, too. */
#define MARK ((uint64_t)getpid() << 32 | 0x89abcdef)

static struct live_config config;
static struct live_holders *held, *former; /* of a life that was killed */
static char path[LIVE_PATH_MAX + 32];
static struct net_why error;
static pid_t victim;

static void multiply(int number)
{
    (void)number;
    (void)fork();
}

/* A process that leads a group, of this user. */
static void start_victim(uid_t user)
{
    int ready[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    victim = fork();
    if (victim == 0) {
        (void)setsid();
        if (user != getuid() && setresuid(user, user, user))
            _exit(1);
        (void)signal(SIGUSR1, multiply);
        (void)!write(ready[1], "", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
}

/* A process with the mark, in a session of its own. */
static pid_t start_marked(void)
{
    char text[LIVE_MARK_TEXT];
    struct live_proc process = {0};
    pid_t marked;

    live_mark_write(MARK, text);
    marked = fork();
    if (marked == 0) {
        (void)setsid();
        (void)setenv(LIVE_MARK, text, 1);
        (void)execl("/bin/sleep", "sleep", "60", (char *)NULL);
        _exit(127);
    }
    /* Its environment is what it was executed with. */
    for (bool there = false; !there; usleep(1000)) {
        char path_to[64], line[LIVE_PROC_LINE];

        snprintf(path_to, sizeof path_to, "/proc/%d/comm", (int)marked);
        there = live_proc_line(path_to, "sleep", line) != NULL;
    }
    assert_true(live_proc_look(marked, &process));
    assert_int_equal(process.session, marked);
    return marked;
}

static bool end_marked(pid_t marked)
{
    struct live_proc process;
    bool lived = live_proc_look(marked, &process) && !process.ended;

    (void)kill(marked, SIGKILL);
    assert_int_equal(waitpid(marked, NULL, 0), marked);
    return lived;
}

static bool victim_lives(void)
{
    struct live_proc process;

    return live_proc_look(victim, &process) && !process.ended;
}

static int set_up(void **state)
{
    (void)state;
    memset(&config, 0, sizeof config);
    strcpy(config.state, "/tmp/fulcrum-holders-XXXXXX");
    assert_non_null(mkdtemp(config.state));
    strcpy(config.nodes[0].name, "a");
    strcpy(config.nodes[1].name, "b");
    config.first_count = config.nodes_count = 2;
    config.lease = LEASE;
    snprintf(path, sizeof path, "%s/a.holders", config.state);
    held = former = NULL;
    start_victim(getuid());
    return 0;
}

static int tear_down(void **state)
{
    char command[LIVE_PATH_MAX + 32];

    (void)state;
    live_holders_close(held);
    live_holders_close(former);
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
    snprintf(command, sizeof command, "rm -rf %s", config.state);
    return system(command);
}

static bool opens(uid_t user)
{
    held = live_holders_open(&config, 0, user, &error);
    return held != NULL;
}

/* What a life that is killed has open stays as it is. */
static void die(void)
{
    former = held;
    held = NULL;
}

/* A life that notes the victim for a client of this user, and is killed. */
static void live_with_mark_and_die(uid_t user, uint64_t mark)
{
    assert_true(opens(getuid()));
    assert_true(live_holders_note(held, victim, user, false, mark) >= 0);
    live_holders_beat(held, live_now(), 0);
    die();
}

static void live_and_die(uid_t user)
{
    live_with_mark_and_die(user, 0);
}

static void end_victim(void)
{
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
}

/* ---- What is believed ---------------------------------------------------- */

TEST(test_what_is_left_is_ended)
{
    live_and_die(getuid());
    assert_true(opens(getuid()));
    assert_false(victim_lives());
}

/* Also processes that joined the group after the last beat of the daemon. */
TEST(test_what_came_last_is_ended)
{
    char children[64], line[LIVE_PROC_LINE];
    struct live_proc process;
    pid_t child = 0;

    live_and_die(getuid());
    usleep(30000); /* more than a tick of the time of a start */
    assert_int_equal(kill(victim, SIGUSR1), 0);
    snprintf(children, sizeof children, "/proc/%d/task/%d/children",
             (int)victim, (int)victim);
    while (child == 0)
        if (live_proc_line(children, "", line))
            child = (pid_t)strtol(line, NULL, 10);
    assert_true(opens(getuid()));
    assert_false(victim_lives());
    assert_false(live_proc_look(child, &process) && !process.ended);
    (void)kill(child, SIGKILL);
}

/* Whatever has left the group is known by its mark. */
TEST(test_what_has_the_mark_is_ended)
{
    pid_t marked = start_marked();

    live_with_mark_and_die(getuid(), MARK);
    assert_true(opens(getuid()));
    assert_false(victim_lives());
    assert_false(end_marked(marked));
}

TEST(test_what_has_the_mark_is_ended_when_the_leader_is_dead)
{
    pid_t marked = start_marked();

    live_with_mark_and_die(getuid(), MARK);
    end_victim();
    assert_true(opens(getuid()));
    assert_false(end_marked(marked));
}

TEST(test_what_was_released_is_not)
{
    int place;

    assert_true(opens(getuid()));
    place = live_holders_note(held, victim, getuid(), false, 0);
    live_holders_forget(held, place);
    die();
    assert_true(opens(getuid()));
    assert_true(victim_lives());
}

/* The list of an earlier program. */
TEST(test_an_earlier_list_is_taken_over)
{
    struct {
        char magic[8], boot[LIVE_BOOT_BYTES];
        uint64_t alive, deadline;
        struct {
            uint32_t used;
            int32_t group;
            uint64_t start, inode;
            char cgroup[232];
        } places[LIVE_CLIENTS_MAX];
    } *old = calloc(1, sizeof *old);
    int file = open(path, O_WRONLY | O_CREAT, 0600);

    assert_non_null(old);
    memcpy(old->magic, "FCHOLD1", 8);
    live_proc_boot(old->boot);
    old->alive = live_now();
    old->places[3].used = 1;
    old->places[3].group = victim;
    old->places[3].start = live_proc_started(victim);
    assert_int_equal(write(file, old, sizeof *old), (int)sizeof *old);
    close(file);
    free(old);
    assert_true(opens(getuid()));
    assert_false(victim_lives());
}

/* ---- What is not --------------------------------------------------------- */

static void expect_ignored(void)
{
    assert_true(opens(getuid()));
    assert_true(victim_lives());
}

TEST(test_a_list_that_others_can_write_is_ignored)
{
    live_and_die(getuid());
    assert_int_equal(chmod(path, 0620), 0);
    expect_ignored();
}

TEST(test_a_list_that_others_can_read_is_ignored)
{
    live_and_die(getuid());
    assert_int_equal(chmod(path, 0604), 0);
    expect_ignored();
}

TEST(test_a_list_of_two_names_is_ignored)
{
    char other[sizeof path + 8];

    live_and_die(getuid());
    snprintf(other, sizeof other, "%s.other", path);
    assert_int_equal(link(path, other), 0);
    expect_ignored();
}

TEST(test_a_link_is_ignored_and_its_target_stays)
{
    char other[sizeof path + 8];
    struct stat is;

    live_and_die(getuid());
    snprintf(other, sizeof other, "%s.other", path);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    expect_ignored();
    assert_int_equal(stat(other, &is), 0);
    assert_int_equal(is.st_size, sizeof(struct holders_notes));
    assert_int_equal(lstat(path, &is), 0);
    assert_true(S_ISREG(is.st_mode));
}

TEST(test_a_fifo_is_ignored)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_ignored();
}

TEST(test_the_list_of_another_node_is_ignored)
{
    char other[sizeof path + 8];

    live_and_die(getuid());
    snprintf(other, sizeof other, "%s/b.holders", config.state);
    assert_int_equal(rename(path, other), 0);
    held = live_holders_open(&config, 1, getuid(), &error);
    assert_non_null(held);
    assert_true(victim_lives());
}

TEST(test_a_damaged_list_is_ignored)
{
    live_and_die(getuid());
    assert_int_equal(truncate(path, 4000), 0);
    expect_ignored();
}

/* Whatever the bytes are: read as this program's list or as an earlier one's,
 * and of another boot, so that nothing they say is done. */
TEST(test_any_bytes_are_read)
{
    static const char *const magics[] = {"FCHOLD1", "FCHOLD2", "FCHOLD3"};
    static uint8_t bytes[sizeof(struct holders_notes) + 64];

    srand(1);
    for (uint32_t i = 0; i < rounds(200); i++) {
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        size_t size = rand() % 4
                          ? sizeof bytes - 64 - (size_t)(rand() % 2) * 192
                          : (size_t)rand() % sizeof bytes;

        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = rand() % 8 ? 0 : (uint8_t)rand();
        memcpy(bytes, magics[rand() % 3], 8);
        memcpy(bytes + 8, "of another boot", 16);
        if (rand() % 2)
            memcpy(bytes + 48, "a", 2); /* the node */
        assert_int_equal(write(file, bytes, size), (int)size);
        close(file);
        expect_ignored();
        live_holders_close(held);
    }
    held = NULL;
}

/* ---- Root ---------------------------------------------------------------- */

static void needs_root(void)
{
    if (geteuid() != 0) {
        print_message("left out: only root can become another user\n");
        skip();
    }
}

/* What the node's user has written can end what that user could. */
TEST(test_a_list_of_the_service_user_does_not_end_roots_processes)
{
    needs_root();
    live_and_die(0);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_false(opens(NOBODY));
    assert_true(victim_lives());
    assert_non_null(strstr(error.text, "belongs to user 65534"));
    assert_int_equal(geteuid(), 0);
    assert_int_equal(getuid(), 0);
}

TEST(test_a_list_of_the_service_user_ends_its_own_processes)
{
    needs_root();
    end_victim();
    start_victim(NOBODY);
    live_and_die(0);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_true(opens(NOBODY));
    assert_false(victim_lives());
}

TEST(test_a_list_of_any_other_user_is_ignored)
{
    needs_root();
    live_and_die(0);
    assert_int_equal(chown(path, 1, 1), 0);
    assert_true(opens(NOBODY));
    assert_true(victim_lives());
}

/* A process is ended with the rights of the user whose client it was. */
TEST(test_a_process_of_another_user_than_was_noted_is_not_ended)
{
    needs_root();
    live_and_die(NOBODY);
    assert_false(opens(0));
    assert_true(victim_lives());
}

/* The mark of a list ends whom the same user could end, and nobody else. */
TEST(test_a_mark_of_the_service_user_does_not_end_roots_processes)
{
    pid_t marked;

    needs_root();
    marked = start_marked();
    live_with_mark_and_die(0, MARK);
    end_victim();
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_true(opens(NOBODY));
    assert_true(end_marked(marked));
}

TEST(test_the_mark_of_another_user_than_was_noted_is_not_ended)
{
    pid_t marked;

    needs_root();
    marked = start_marked();
    live_with_mark_and_die(NOBODY, MARK);
    end_victim();
    assert_true(opens(0));
    assert_true(end_marked(marked));
}

/* A folder that looks like a cgroup, with a link where root is to write. */
TEST(test_a_folder_that_is_no_cgroup_is_not_written_to)
{
    char folder[sizeof path + 8], file[sizeof path + 32], text[16] = "";
    struct holders_place place = {.used = 1, .group = 1 << 22};
    struct stat is;
    int open_file;

    snprintf(folder, sizeof folder, "%s/fulcrum.evil", config.state);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(file, sizeof file, "%s/cgroup.events", folder);
    open_file = open(file, O_WRONLY | O_CREAT, 0600);
    dprintf(open_file, "populated 1\n");
    close(open_file);
    snprintf(file, sizeof file, "%s/precious", config.state);
    open_file = open(file, O_RDWR | O_CREAT, 0600);
    dprintf(open_file, "precious");
    snprintf(text, sizeof text, "../precious");
    snprintf(file, sizeof file, "%s/cgroup.kill", folder);
    assert_int_equal(symlink(text, file), 0);
    assert_int_equal(stat(folder, &is), 0);
    place.inode = is.st_ino;
    assert_true(strlen(folder) < sizeof place.cgroup);
    memcpy(place.cgroup, folder, strlen(folder));

    live_and_die(getuid());
    {
        int list = open(path, O_WRONLY);

        assert_int_equal(pwrite(list, &place, sizeof place,
                                offsetof(struct holders_notes, places[1])),
                         (int)sizeof place);
        close(list);
    }
    assert_true(opens(getuid()));
    assert_int_equal(pread(open_file, text, sizeof text, 0), 8);
    assert_memory_equal(text, "precious", 8);
    assert_int_equal(stat(folder, &is), 0); /* nor is it removed */
    close(open_file);
}

/* ---- While the node runs ------------------------------------------------- */

TEST(test_a_list_that_is_cut_is_written_anew)
{
    assert_true(opens(getuid()));
    assert_true(live_holders_note(held, victim, getuid(), false, 0) >= 0);
    assert_int_equal(truncate(path, 0), 0);
    live_holders_beat(held, live_now(), 0);
    die();
    assert_true(opens(getuid()));
    assert_false(victim_lives());
}

TEST(test_a_list_that_is_removed_is_done_without)
{
    assert_true(opens(getuid()));
    assert_int_equal(unlink(path), 0);
    live_holders_beat(held, live_now(), 0);
    live_holders_forget(held,
                        live_holders_note(held, victim, getuid(), false, 0));
    assert_int_equal(access(path, F_OK), -1);
}

/* What came in its place is nobody's to remove. */
TEST(test_a_file_in_its_place_stays_at_the_end)
{
    int other;

    assert_true(opens(getuid()));
    assert_int_equal(unlink(path), 0);
    other = open(path, O_WRONLY | O_CREAT, 0600);
    close(other);
    live_holders_close(held);
    held = NULL;
    assert_int_equal(access(path, F_OK), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_what_is_left_is_ended),
        CASE(test_what_came_last_is_ended),
        CASE(test_what_has_the_mark_is_ended),
        CASE(test_what_has_the_mark_is_ended_when_the_leader_is_dead),
        CASE(test_what_was_released_is_not),
        CASE(test_an_earlier_list_is_taken_over),
        CASE(test_a_list_that_others_can_write_is_ignored),
        CASE(test_a_list_that_others_can_read_is_ignored),
        CASE(test_a_list_of_two_names_is_ignored),
        CASE(test_a_link_is_ignored_and_its_target_stays),
        CASE(test_a_fifo_is_ignored),
        CASE(test_the_list_of_another_node_is_ignored),
        CASE(test_a_damaged_list_is_ignored),
        CASE(test_any_bytes_are_read),
        CASE(test_a_list_of_the_service_user_does_not_end_roots_processes),
        CASE(test_a_list_of_the_service_user_ends_its_own_processes),
        CASE(test_a_list_of_any_other_user_is_ignored),
        CASE(test_a_process_of_another_user_than_was_noted_is_not_ended),
        CASE(test_a_mark_of_the_service_user_does_not_end_roots_processes),
        CASE(test_the_mark_of_another_user_than_was_noted_is_not_ended),
        CASE(test_a_folder_that_is_no_cgroup_is_not_written_to),
        CASE(test_a_list_that_is_cut_is_written_anew),
        CASE(test_a_list_that_is_removed_is_done_without),
        CASE(test_a_file_in_its_place_stays_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
