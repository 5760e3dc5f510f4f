/*
 * test_live_door.c - a cluster of two nodes in this process, and clients of one
 * that behave and that do not.
 */
#include "tests/unit/kit/door_world.h"

#include "live/door/door_parts.h"

#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>

/* Clients of one lock come in turn, each under a greater token; a deadline
 * moves on while it is held. */
TEST(test_local_clients_queue)
{
    struct world w;
    struct live_client a, b, c;
    uint64_t token, deadline;

    open_world(&w);
    a = client_of(&w);
    b = client_of(&w);
    c = client_of(&w);
    ask(&w, &a, "red", false);
    assert_int_equal(granted(&w, &a), LIVE_GRANTED);
    ask(&w, &b, "red", false);
    assert_int_equal(next(&w, &b, 50), 0);
    ask(&w, &c, "blue", false);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    deadline = live_client_deadline(&a);
    for (int i = 0; i < 100 && live_client_deadline(&a) == deadline; i++)
        run(&w, 10);
    assert_true(live_client_deadline(&a) > deadline);
    assert_true(live_client_holds(&a));
    token = a.token;
    release(&w, &a);
    assert_int_equal(granted(&w, &b), LIVE_GRANTED);
    assert_true(b.token > token);
    live_client_close(&b); /* a client that is gone lets go */
    ask(&w, &a, "red", false);
    assert_int_equal(granted(&w, &a), LIVE_GRANTED);
    live_client_close(&a);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* Readers are let in together, but not past a writer that came before. */
TEST(test_local_readers)
{
    struct world w;
    struct live_client a, b, c, d;

    open_world(&w);
    a = client_of(&w);
    b = client_of(&w);
    c = client_of(&w);
    d = client_of(&w);
    ask(&w, &a, "red", true);
    ask(&w, &b, "red", true);
    assert_int_equal(granted(&w, &a), LIVE_GRANTED);
    assert_int_equal(granted(&w, &b), LIVE_GRANTED);
    ask(&w, &c, "red", false);
    ask(&w, &d, "red", true);
    assert_int_equal(next(&w, &c, 30), 0);
    assert_int_equal(next(&w, &d, 30), 0);
    release(&w, &a);
    release(&w, &b);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    assert_int_equal(next(&w, &d, 30), 0);
    assert_true(c.token > b.token);
    release(&w, &c);
    assert_int_equal(granted(&w, &d), LIVE_GRANTED);
    live_client_close(&a);
    live_client_close(&b);
    live_client_close(&c);
    live_client_close(&d);
    run(&w, 20);
    close_world(&w);
}

/* Letters of any bytes and any size end the connection, and nothing else. */
TEST(test_hostile_letters)
{
    struct world w;
    struct live_client good;
    struct dice dice = {1};
    uint8_t bytes[sizeof(struct live_letter) + 64];

    open_world(&w);
    good = client_of(&w);
    ask(&w, &good, "red", false);
    assert_int_equal(granted(&w, &good), LIVE_GRANTED);
    for (int i = 0; i < 300; i++) {
        struct live_client bad = client_of(&w);
        uint32_t version = LIVE_LETTER_VERSION;
        size_t size = i % 3 ? sizeof(struct live_letter)
                            : throw_below(&dice, sizeof bytes);

        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)throw_dice(&dice);
        if (i % 2)
            memcpy(bytes, &version, sizeof version);
        if (i % 4 == 1) {
            bytes[4] = LIVE_ASK; /* a name that never ends */
            bytes[5] &= 1;
        }
        (void)send(bad.socket, bytes, size, MSG_NOSIGNAL);
        if (i % 5 == 0)
            run(&w, 1);
        live_client_close(&bad);
        (void)uv_run(&w.loop, UV_RUN_NOWAIT);
    }
    run(&w, 30);
    assert_true(live_door_counts(w.door)->odd > 100);
    assert_true(live_client_holds(&good));
    release(&w, &good);
    live_client_close(&good);
    run(&w, 20);
    close_world(&w);
}

/* The answer to an order, with a file or without; kind 0: none. */
static struct live_letter order(struct world *w, struct live_client *c,
                                bool forced, int file)
{
    struct live_letter letter = {.kind = LIVE_ORDER,
                                 .shared = LIVE_KEY_DROP,
                                 .hold = forced,
                                 .name = "name"},
                       said = {0};
    struct live_enclosed e;

    (void)live_letter_send(c->socket, &letter, &file, file >= 0, 0);
    run(w, 5);
    if (live_letter_receive(c->socket, &said, &e, MSG_DONTWAIT) <= 0)
        said.kind = 0;
    return said;
}

/* R8: an order reaches the node with its file, and its answer the one who gave
 * it; but not by a connection that is about a lock. */
TEST(test_orders_are_passed_on)
{
    struct world w;
    struct live_client c;
    struct live_letter said;
    uint64_t odd;

    open_world(&w);
    c = client_of(&w);
    said = order(&w, &c, true, STDIN_FILENO);
    assert_int_equal(said.kind, LIVE_DONE);
    assert_string_equal(said.reason, "2 name 1 1");
    said = order(&w, &c, false, -1);
    assert_int_equal(said.kind, LIVE_REFUSED);
    assert_int_equal(said.wait, LIVE_REFUSED_LATE);
    assert_string_equal(said.reason, "2 name 0 0");
    ask(&w, &c, "red", false);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    odd = live_door_counts(w.door)->odd;
    assert_int_equal(order(&w, &c, true, -1).kind, 0);
    assert_int_equal(live_door_counts(w.door)->odd, odd + 1);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* The answer to an ask with as many files. */
static uint8_t ask_with(struct world *w, struct live_client *c,
                        const int *files, size_t count)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(4 * sizeof(int))];
    } control = {0};
    struct live_letter letter = {.version = LIVE_LETTER_VERSION,
                                 .kind = LIVE_ASK,
                                 .time_ns = live_time_namespace(),
                                 .wait = UINT64_MAX,
                                 .name = "red"};
    struct iovec part = {&letter, sizeof letter};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = CMSG_SPACE(count * sizeof(int))};

    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(&control.header), files, count * sizeof(int));
    assert_int_equal(sendmsg(c->socket, &header, 0), (int)sizeof letter);
    return granted(w, c);
}

/* K7: what is no process that leads a group, or is the node itself, is refused;
 * so is any number of files that says nothing. */
TEST(test_processes_that_cannot_be_killed)
{
    struct world w;
    struct live_client c;
    pid_t leader = idle_group(), other = fork(), gone = idle_group();
    int files[4] = {live_pidfd_open(leader), open("/dev/null", O_RDWR),
                    open("/dev/null", O_RDWR), open("/dev/null", O_RDWR)};
    int bad[] = {open("/dev/null", O_RDWR), live_pidfd_open(getpid()), -1,
                 live_pidfd_open(gone)};

    if (other == 0) { /* in the group of the test */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    bad[2] = live_pidfd_open(other);
    (void)kill(gone, SIGKILL);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    open_world(&w);
    c = client_of(&w);
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_true(bad[i] >= 0);
        assert_int_equal(ask_with(&w, &c, &bad[i], 1), LIVE_REFUSED);
        close(bad[i]);
    }
    assert_int_equal(ask_with(&w, &c, files, 2), LIVE_REFUSED);
    assert_int_equal(ask_with(&w, &c, files, 4), LIVE_REFUSED);
    assert_int_equal(ask_with(&w, &c, files, 3), LIVE_GRANTED);
    live_client_close(&c);
    assert_int_equal(kill(other, SIGKILL), 0);
    assert_int_equal(waitpid(other, NULL, 0), other);
    run(&w, 20);
    assert_int_equal(waitpid(leader, NULL, 0), leader); /* died by the node */
    for (size_t i = 0; i < COUNT(files); i++)
        close(files[i]);
    run(&w, 20);
    close_world(&w);
}

/* A client whose clock may show another time gets no lock. */
TEST(test_another_time_namespace)
{
    struct world w;
    struct live_client c;
    struct live_letter letter = {.version = LIVE_LETTER_VERSION,
                                 .kind = LIVE_ASK,
                                 .time_ns = live_time_namespace() + 1,
                                 .wait = UINT64_MAX,
                                 .name = "red"};

    open_world(&w);
    c = client_of(&w);
    assert_int_equal(send(c.socket, &letter, sizeof letter, 0),
                     (int)sizeof letter);
    assert_int_equal(next(&w, &c, 5000), LIVE_REFUSED);
    ask(&w, &c, "red", false);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* A grant of a daemon whose clock is ahead is none. */
TEST(test_a_clock_that_is_behind)
{
    struct live_client c;
    struct live_letter letter = {
        .version = LIVE_LETTER_VERSION, .kind = LIVE_GRANTED, .token = 7};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct net_why error = {0};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0), node;

    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/fulcrum-ahead-%d",
             (int)getpid());
    assert_int_equal(
        bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(live_client_open(&c, address.sun_path, &error), 0);
    assert_int_equal(unlink(address.sun_path), 0);
    node = accept(listener, NULL, NULL);
    letter.now = live_now() + 60000000;
    assert_int_equal(send(node, &letter, sizeof letter, 0), (int)sizeof letter);
    assert_int_equal(live_client_next(&c, &letter, &error), -1);
    assert_non_null(strstr(error.text, "time namespace"));
    assert_int_equal(errno, EPROTO);
    assert_false(live_client_holds(&c));
    live_client_close(&c);
    close(node);
    close(listener);
}

/* K2, K3: if the loop stands still, the deadline is over for the client; when
 * it goes on, it kills before it does anything else. */
TEST(test_a_paused_daemon_kills_first)
{
    struct world w;
    struct live_client c;
    pid_t child = idle_group();
    int status;

    open_world(&w);
    c = client_of(&w);
    ask_for(&w, &c, "red", child);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    stand_still(1050);
    assert_false(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(w.driver->node.desk.counts.lost, 1);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* K2: the deadline is K before the end of the lease; and once it is over it
 * does not come back, though the lease still lasts and is renewed. */
TEST(test_a_deadline_that_is_over_stays_so)
{
    struct world w;
    struct live_client c;
    uint8_t kind;

    open_world_with(&w, 800000, 500000, 1000);
    c = client_of(&w);
    ask(&w, &c, "red", false);
    do
        kind = next(&w, &c, 5000);
    while (kind == LIVE_WAITING); /* on a busy machine */
    assert_int_equal(kind, LIVE_GRANTED);
    assert_true(live_client_deadline(&c) + w.config.kill <=
                w.engine->state.lease_end);
    assert_int_equal(c.page->kill, w.config.kill); /* for its watchers */
    stand_still(450); /* more than 0.3 s, less than 0.8 */
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    assert_false(live_client_holds(&c));
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* K3: whatever the door is told, a deadline only moves on, no further than its
 * client may hold the lock, and not for one that was killed. */
TEST(test_a_deadline_moves_forward_only)
{
    struct world w;
    struct live_client c;
    struct client *client;
    uint64_t deadline;

    open_world(&w);
    c = client_of(&w);
    c.hold = 60000000;
    ask(&w, &c, "red", false);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    client = w.door->clients[0];
    deadline = live_client_deadline(&c);
    door_client_move(client, deadline - 1);
    assert_int_equal(live_client_deadline(&c), deadline);
    door_client_move(client, deadline + 1);
    assert_int_equal(live_client_deadline(&c), deadline + 1);
    door_client_move(client, UINT64_MAX);
    assert_int_equal(live_client_deadline(&c), c.page->limit);
    (void)live_driver_tell(w.driver, LIVE_STOPS, 0,
                           "the node is about to stop");
    door_client_move(client, UINT64_MAX);
    assert_int_equal(live_client_deadline(&c), 0);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* A lock that was released is over for everybody who has its page: a process
 * that the client has forked, or a thread that still looks. */
TEST(test_a_released_page_says_so)
{
    struct world w;
    struct live_client c;
    const struct live_page *page;

    open_world(&w);
    c = client_of(&w);
    ask(&w, &c, "red", false);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    page = c.page;
    assert_true(live_page_deadline(page) > live_now());
    release(&w, &c);
    assert_int_equal(live_page_deadline(page), 0);
    ask(&w, &c, "red", false); /* the next grant has a page of its own */
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    assert_int_equal(live_page_deadline(page), 0);
    assert_true(live_client_holds(&c));
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* K7: a client has nobody killed whom it could not kill itself: here a child of
 * its own that runs as another user. */
TEST(test_only_what_is_the_clients_is_killed)
{
    struct world w;
    struct live_client c;
    pid_t child = idle_group();
    int file = live_pidfd_open(child), status;

    open_world(&w);
    if (geteuid() == 0) {
        assert_int_equal(chmod(w.folder, 0755) | chmod(w.path, 0666), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    c = client_of(&w);
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(ask_with(&w, &c, &file, 1),
                     getuid() == 0 ? LIVE_REFUSED : LIVE_GRANTED);
    live_client_close(&c);
    run(&w, 50);
    if (getuid() == 0)
        assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* it lives */
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(file);
    close_world(&w);
}

/* Whoever works in its own process cannot be killed: it sees in its page that
 * the lock was taken away, however long the deadline would have lasted. */
TEST(test_a_lock_taken_away_is_seen_at_once)
{
    struct world w;
    struct live_client c;

    open_world(&w);
    c = client_of(&w);
    ask(&w, &c, "red", false);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    assert_true(live_client_holds(&c));
    (void)live_driver_tell(w.driver, LIVE_STOPS, 0,
                           "the node is about to stop");
    assert_false(live_client_holds(&c));
    run(&w, 30); /* and the lease, renewed meanwhile, gives it nothing back */
    assert_false(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* K8: a command gets SIGTERM, also if it is stopped, and its client hears why;
 * it has the time that it asked for, and no more. */
TEST(test_a_holder_is_told_to_end)
{
    struct world w;
    struct live_client c, program;
    pid_t child = idle_group();
    int status;

    open_world(&w);
    c = client_of(&w);
    program = client_of(&w);
    c.grace = 600000;
    ask_for(&w, &c, "red", child);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    ask(&w, &program, "green", false);
    assert_int_equal(granted(&w, &program), LIVE_GRANTED);
    assert_int_equal(kill(child, SIGSTOP), 0);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    (void)live_driver_tell(w.driver, LIVE_STOPS, UINT64_MAX,
                           "the node is about to stop");
    assert_int_equal(next(&w, &c, 1000), LIVE_ENDING);
    assert_int_equal(next(&w, &program, 1000), LIVE_ENDING);
    assert_true(live_client_holds(&c)); /* it may end in order */
    /* The program asked for no time: it has 'kill', which is less. */
    assert_int_equal(next(&w, &program, 1000), LIVE_LOST);
    assert_false(live_client_holds(&program));
    assert_true(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 2000), LIVE_LOST);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    live_client_close(&c);
    live_client_close(&program);
    run(&w, 20);
    close_world(&w);
}

/* A cgroup that is empty is not enough: whoever left it is in the group yet,
 * here as one that nobody has waited for. */
TEST(test_an_empty_cgroup_is_not_enough)
{
    struct world w;
    struct live_client c, next_one;
    struct live_cgroup cgroup;
    pid_t child = live_cgroup_fork(&cgroup);
    int pidfd;

    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setpgid(0, 0);
        for (;;)
            pause();
    }
    (void)setpgid(child, child);
    if (!live_cgroup_is(&cgroup)) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        print_message("left out: no cgroup can be made here\n");
        skip();
    }
    open_world_with(&w, 9000000, 4000000, 1000);
    c = client_of(&w);
    next_one = client_of(&w);
    pidfd = live_pidfd_open(child);
    c.cgroup = &cgroup;
    c.hold = 100000;
    assert_int_equal(
        live_client_ask(&c, "red", false, pidfd, UINT64_MAX, &w.error), 0);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    ask(&w, &next_one, "red", false);
    assert_int_equal(next(&w, &c, 9000), LIVE_LOST);
    for (int i = 0; i < 1000 && !live_cgroup_is_empty(&cgroup); i++)
        run(&w, 1);
    run(&w, 100);
    assert_int_not_equal(next(&w, &next_one, 100), LIVE_GRANTED);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(granted(&w, &next_one), LIVE_GRANTED);
    close(pidfd);
    live_cgroup_close(&cgroup);
    live_client_close(&c);
    live_client_close(&next_one);
    run(&w, 20);
    close_world(&w);
}

/* A grant that its client does not read is none: it is taken back and counted,
 * and the next one has the lock. */
TEST(test_a_grant_that_cannot_be_delivered)
{
    struct world w;
    struct live_client first, mute, last;
    struct live_letter letter = {.version = LIVE_LETTER_VERSION,
                                 .kind = LIVE_RELEASE};
    uint64_t token;

    open_world(&w);
    first = client_of(&w);
    mute = client_of(&w);
    last = client_of(&w);
    ask(&w, &first, "red", false);
    assert_int_equal(granted(&w, &first), LIVE_GRANTED);
    token = first.token;
    for (int i = 0; i < 400; i++) { /* until no answer has room any more */
        (void)send(mute.socket, &letter, sizeof letter, MSG_DONTWAIT);
        run(&w, 1);
    }
    ask(&w, &mute, "red", false);
    run(&w, 5);
    ask(&w, &last, "red", false);
    run(&w, 5);
    release(&w, &first);
    assert_int_equal(granted(&w, &last), LIVE_GRANTED);
    assert_true(last.token > token);
    assert_int_equal(live_door_counts(w.door)->unread, 1);
    live_client_close(&first);
    live_client_close(&mute);
    live_client_close(&last);
    run(&w, 20);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_clients_queue),
        cmocka_unit_test(test_local_readers),
        cmocka_unit_test(test_hostile_letters),
        cmocka_unit_test(test_orders_are_passed_on),
        cmocka_unit_test(test_processes_that_cannot_be_killed),
        cmocka_unit_test(test_another_time_namespace),
        cmocka_unit_test(test_a_clock_that_is_behind),
        cmocka_unit_test(test_a_paused_daemon_kills_first),
        cmocka_unit_test(test_a_deadline_that_is_over_stays_so),
        cmocka_unit_test(test_a_deadline_moves_forward_only),
        cmocka_unit_test(test_a_released_page_says_so),
        cmocka_unit_test(test_only_what_is_the_clients_is_killed),
        cmocka_unit_test(test_a_lock_taken_away_is_seen_at_once),
        cmocka_unit_test(test_a_holder_is_told_to_end),
        cmocka_unit_test(test_an_empty_cgroup_is_not_enough),
        cmocka_unit_test(test_a_grant_that_cannot_be_delivered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
