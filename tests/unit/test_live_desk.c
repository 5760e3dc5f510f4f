/*
 * test_live_desk.c - a cluster of two nodes in this process, and clients of one
 * that behave and that do not.
 */
#include "live/state.h"

#include "tests/unit/testing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/client.h"
#include "live/clock.h"
#include "live/desk.h"
#include "live/engine.h"

struct world {
    char folder[32], path[64], error[LIVE_ERROR_SIZE];
    struct live_config config;
    struct live_record *record, *other_record;
    uv_loop_t loop;
    struct live_mode *mode;
    struct live_engine *engine, *other;
    struct live_desk *desk;
};

static void before(void *whom, uint64_t now)
{
    struct world *w = whom;

    live_desk_expire(w->desk, now);
}

static void after(void *whom)
{
    struct world *w = whom;

    live_desk_update(w->desk);
}

static bool vacate(void *whom, uint64_t lock)
{
    struct world *w = whom;

    return live_desk_vacate(w->desk, lock);
}

static bool vacate_other(void *whom, uint64_t lock)
{
    (void)whom;
    (void)lock;
    return true;
}

static void before_other(void *whom, uint64_t now)
{
    (void)whom;
    (void)now;
}

static void after_other(void *whom)
{
    (void)whom;
}

static void broken(void *whom, const char *why)
{
    (void)whom;
    fail_msg("%s", why);
}

static void describe(void *whom, json_t *into)
{
    (void)whom;
    json_object_set_new(into, "node", json_string("one"));
}

/* Lets the loop run for some milliseconds. */
static void run(struct world *w, uint64_t ms)
{
    uint64_t until = live_now() + 1000 * ms;

    while (live_now() < until) {
        (void)uv_run(&w->loop, UV_RUN_NOWAIT);
        (void)usleep(200);
    }
}

/* Nodes one and two of as many as are configured. */
static void open_world_of(struct world *w, uint32_t nodes, uint64_t lease,
                          uint64_t kill_time, uint64_t delay)
{
    struct live_listener listener = {before, after, broken, vacate, w};
    struct live_listener none = {before_other, after_other, broken,
                                 vacate_other, w};
    uint16_t port = (uint16_t)(20000 + getpid() % 10000);

    memset(w, 0, sizeof *w);
    strcpy(w->folder, "/tmp/fulcrum-desk-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    snprintf(w->path, sizeof w->path, "%s/socket", w->folder);
    w->config = (struct live_config){
        .nodes_count = nodes,
        .nodes = {{.name = "one", .host = "127.0.0.1", .port = port},
                  {.name = "two",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 1)},
                  {.name = "three",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 2)}},
        .tau = 5000,
        .lease = lease,
        .kill = kill_time,
        .delay = delay,
    };
    snprintf(w->config.state, sizeof w->config.state, "%s", w->folder);
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(live_record_create(&w->config, 0, w->error), 0);
    assert_int_equal(live_record_open(&w->record, &w->config, 0, w->error),
                     LIVE_RECORD_FINE);
    w->desk =
        live_desk_open(&w->loop, &w->config, 0, w->path, describe, w, w->error);
    assert_non_null(w->desk);
    w->engine = live_engine_open(&w->loop, &w->config, 0, w->record, &listener,
                                 w->error);
    assert_non_null(w->engine);
    w->mode = live_mode_proven(&w->config, 0, w->engine);
    assert_non_null(w->mode);
    live_desk_serve(w->desk, w->mode);
    assert_int_equal(live_record_create(&w->config, 1, w->error), 0);
    assert_int_equal(
        live_record_open(&w->other_record, &w->config, 1, w->error),
        LIVE_RECORD_FINE);
    w->other = live_engine_open(&w->loop, &w->config, 1, w->other_record, &none,
                                w->error);
    assert_non_null(w->other);
}

static void open_world_with(struct world *w, uint64_t lease, uint64_t kill_time,
                            uint64_t delay)
{
    open_world_of(w, 2, lease, kill_time, delay);
}

static void open_world(struct world *w)
{
    open_world_with(w, 400000, 20000, 1000);
}

static void close_world(struct world *w)
{
    char path[128];

    live_desk_close(w->desk);
    w->mode->kind->close(w->mode);
    if (w->other)
        live_engine_close(w->other);
    (void)uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    live_record_close(w->record);
    live_record_close(w->other_record);
    for (uint32_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.record", w->folder,
                 w->config.nodes[i].name);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(w->folder), 0); /* the socket is gone */
}

static struct live_client client_of(struct world *w)
{
    struct live_client c;

    assert_int_equal(live_client_open(&c, w->path, w->error), 0);
    return c;
}

/* The next letter, or 0 if none has come. */
static uint8_t next(struct world *w, struct live_client *c, uint64_t ms)
{
    struct live_letter letter = {0};
    uint64_t until = live_now() + 1000 * ms;
    char byte;

    while (live_now() < until) {
        run(w, 2);
        if (recv(c->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
            return live_client_next(c, &letter, w->error) ? 255 : letter.kind;
    }
    return 0;
}

static void ask(struct world *w, struct live_client *c, const char *name,
                bool shared)
{
    assert_int_equal(live_client_ask(c, name, shared, 0, UINT64_MAX, w->error),
                     0);
}

/* The same for a client that is told why it waits. */
static uint8_t granted(struct world *w, struct live_client *c)
{
    uint8_t kind = next(w, c, 9000);

    return kind == LIVE_WAITING ? next(w, c, 9000) : kind;
}

static void release(struct world *w, struct live_client *c)
{
    struct live_letter letter = {.version = LIVE_LETTER_VERSION,
                                 .kind = LIVE_RELEASE};

    assert_int_equal(send(c->socket, &letter, sizeof letter, 0),
                     (int)sizeof letter);
    assert_int_equal(next(w, c, 1000), LIVE_RELEASED);
}

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
    assert_int_equal(next(&w, &a, 5000), LIVE_GRANTED);
    ask(&w, &b, "red", false);
    assert_int_equal(next(&w, &b, 50), 0);
    ask(&w, &c, "blue", false);
    assert_int_equal(next(&w, &c, 1000), LIVE_GRANTED);
    deadline = live_client_deadline(&a);
    for (int i = 0; i < 100 && live_client_deadline(&a) == deadline; i++)
        run(&w, 10);
    assert_true(live_client_deadline(&a) > deadline);
    assert_true(live_client_holds(&a));
    token = a.token;
    release(&w, &a);
    assert_int_equal(next(&w, &b, 1000), LIVE_GRANTED);
    assert_true(b.token > token);
    live_client_close(&b); /* who is gone lets go */
    ask(&w, &a, "red", false);
    assert_int_equal(next(&w, &a, 1000), LIVE_GRANTED);
    live_client_close(&a);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* Readers are let in together, but not past a writer who came before. */
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
    assert_int_equal(next(&w, &a, 5000), LIVE_GRANTED);
    assert_int_equal(next(&w, &b, 1000), LIVE_GRANTED);
    ask(&w, &c, "red", false);
    ask(&w, &d, "red", true);
    assert_int_equal(next(&w, &c, 30), 0);
    assert_int_equal(next(&w, &d, 30), 0);
    release(&w, &a);
    release(&w, &b);
    assert_int_equal(next(&w, &c, 1000), LIVE_GRANTED);
    assert_int_equal(next(&w, &d, 30), 0);
    assert_true(c.token > b.token);
    release(&w, &c);
    assert_int_equal(next(&w, &d, 1000), LIVE_GRANTED);
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
    assert_int_equal(next(&w, &good, 5000), LIVE_GRANTED);
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
            bytes[4] = LIVE_ASK; /* a name that never ends, a strange group */
            bytes[5] &= 1;
            bytes[11] |= 0x40; /* no process has so high a number */
        }
        (void)send(bad.socket, bytes, size, MSG_NOSIGNAL);
        if (i % 5 == 0)
            run(&w, 1);
        live_client_close(&bad);
        (void)uv_run(&w.loop, UV_RUN_NOWAIT);
    }
    run(&w, 30);
    assert_true(live_desk_counts(w.desk)->odd > 100);
    assert_true(live_client_holds(&good));
    release(&w, &good);
    live_client_close(&good);
    run(&w, 20);
    close_world(&w);
}

/* A group that cannot be killed is refused: of nobody, or our own. */
TEST(test_groups_that_cannot_be_killed)
{
    struct world w;
    struct live_client c;
    const pid_t groups[] = {1, -5, getpgrp(), 0x7ffffff0};

    open_world(&w);
    c = client_of(&w);
    for (size_t i = 0; i < COUNT(groups); i++) {
        assert_int_equal(
            live_client_ask(&c, "red", false, groups[i], 1000000, w.error), 0);
        assert_int_equal(next(&w, &c, 1000), LIVE_REFUSED);
    }
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* A process in a group of its own that waits, and does not outlive the test. */
static pid_t idle_group(void)
{
    pid_t child = fork();

    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setpgid(0, 0);
        for (;;)
            pause();
    }
    (void)setpgid(child, child);
    return child;
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
    assert_int_equal(
        live_client_ask(&c, "red", false, child, UINT64_MAX, w.error), 0);
    assert_int_equal(next(&w, &c, 5000), LIVE_GRANTED);
    (void)usleep(450000);
    assert_false(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(live_desk_counts(w.desk)->lost, 1);
    live_client_close(&c);
    run(&w, 20);
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
    assert_int_equal(next(&w, &c, 5000), LIVE_GRANTED);
    assert_true(live_client_holds(&c));
    (void)live_desk_stop(w.desk, "the node is about to stop");
    assert_false(live_client_holds(&c));
    run(&w, 30); /* and the lease, renewed meanwhile, gives it nothing back */
    assert_false(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* ---- A peer by hand ------------------------------------------------------ */

/* Node two after its engine was closed, or three, which has none: links that
 * say what the test wants. */
struct stranger {
    struct live_links *links;
    uint32_t voted;    /* the view of the last vote that arrived */
    uint32_t proposed; /* likewise of a proposal */
};

static void on_heard(void *whom, uint32_t from, const uint8_t *bytes,
                     size_t size)
{
    struct stranger *x = whom;
    struct view_lock_msg m;

    (void)from;
    for (size_t at = 0; at + 2 < size;) {
        size_t length = bytes[at] | (size_t)bytes[at + 1] << 8;

        assert_int_equal(view_lock_unpack(&m, bytes + at + 2, length), 0);
        if (m.kind == VIEW_LOCK_VOTE)
            x->voted = m.view;
        if (m.kind == VIEW_LOCK_PROPOSE)
            x->proposed = m.view;
        at += 2 + length;
    }
}

static void tell(struct world *w, struct stranger *x, struct view_lock_msg m)
{
    uint8_t bytes[2 + FC_WIRE_MAX];
    size_t size = view_lock_pack(&m, bytes + 2);

    bytes[0] = (uint8_t)size;
    bytes[1] = (uint8_t)(size >> 8);
    live_links_send(x->links, 0, bytes, size + 2);
    run(w, 5);
}

static void open_links(struct world *w, struct stranger *x, uint32_t node)
{
    *x = (struct stranger){0};
    x->links =
        live_links_open(&w->loop, &w->config, node, 9, on_heard, x, w->error);
    assert_non_null(x->links);
}

/* Node two starts anew. */
static void open_stranger(struct world *w, struct stranger *x)
{
    live_engine_close(w->other);
    w->other = NULL;
    run(w, 10);
    open_links(w, x, 1);
}

/* The same, and node one votes for its view.  The
 * delay is so long that node one makes no view of its own meanwhile. */
static uint32_t make_view(struct world *w, struct stranger *x)
{
    uint32_t view = live_engine_state(w->engine)->record.maxv +
                    (1 << VIEW_LOCK_ID_BITS) + 1;
    struct view_lock_msg propose = {
        .kind = VIEW_LOCK_PROPOSE, .inc = 9, .view = view, .members = 3};

    open_stranger(w, x);
    for (int i = 0; i < 100 && x->voted != view; i++)
        tell(w, x, propose);
    assert_int_equal(x->voted, view);
    return view;
}

/* V4: a new view whose base is above the old one takes the lock away while the
 * lease lasts.  It comes into force only when the command is dead: here its
 * process is not buried, so that K must pass. */
TEST(test_an_abandoned_lock_awaits_the_death)
{
    struct world w;
    struct live_client c;
    struct stranger x;
    pid_t child = idle_group();
    uint32_t before_it, view;
    uint64_t killed_at, id;
    struct view_lock_msg news = {.kind = VIEW_LOCK_NEWVIEW, .inc = 9};

    open_world_with(&w, 1500000, 500000, 1000000);
    c = client_of(&w);
    assert_int_equal(
        live_client_ask(&c, "red", false, child, UINT64_MAX, w.error), 0);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    before_it = live_engine_state(w.engine)->view;
    id = live_engine_state(w.engine)->lock[0].id;
    view = make_view(&w, &x);
    news.view = view;
    news.members = 3;
    news.number = view - 1; /* the base */
    news.count = 2;
    news.each[0] = live_engine_state(w.engine)->inc;
    news.each[1] = 9;
    assert_int_equal(live_engine_counts(w.engine)->vacated, 0);
    tell(&w, &x, news);
    killed_at = live_now();
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    while (live_now() - killed_at < 100000) {
        tell(&w, &x, news);
        assert_int_equal(live_engine_state(w.engine)->view, before_it);
        assert_non_null(live_engine_lock(w.engine, id));
    }
    assert_true(live_engine_counts(w.engine)->vacated > 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 100 && live_engine_state(w.engine)->view != view; i++)
        tell(&w, &x, news);
    assert_int_equal(live_engine_state(w.engine)->view, view);
    assert_true(live_now() < live_engine_state(w.engine)->lease_end);
    live_links_close(x.links);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* The same for a view that the holder's own node makes: a vote tells of a view
 * in between, and counts only when the command is dead. */
TEST(test_a_coordinator_awaits_the_death)
{
    struct world w;
    struct live_client c;
    struct stranger x;
    pid_t child = idle_group();
    uint32_t before_it;
    struct view_lock_msg frame = {.kind = VIEW_LOCK_FRAME,
                                  .inc = 9,
                                  .heard = 3,
                                  .flags = VIEW_LOCK_READY};
    struct view_lock_msg vote = {.kind = VIEW_LOCK_VOTE,
                                 .inc = 9,
                                 .count = 2,
                                 .flags = VIEW_LOCK_READY | VIEW_LOCK_FREE};

    open_world_with(&w, 1500000, 500000, 20000);
    c = client_of(&w);
    assert_int_equal(
        live_client_ask(&c, "red", false, child, UINT64_MAX, w.error), 0);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    for (int i = 0; i < 1000 && live_engine_state(w.engine)->members != 3; i++)
        run(&w, 10);
    before_it = live_engine_state(w.engine)->view;
    open_stranger(&w, &x);
    for (int i = 0; i < 100 && !x.proposed; i++) {
        frame.stamp = live_now();
        tell(&w, &x, frame);
    }
    assert_true(x.proposed > before_it);
    vote.view = x.proposed;
    vote.echo_inc = live_engine_state(w.engine)->inc;
    vote.number = before_it + 1; /* est */
    tell(&w, &x, vote);
    assert_int_equal(next(&w, &c, 1000), LIVE_LOST);
    tell(&w, &x, vote);
    assert_int_equal(live_engine_state(w.engine)->view, before_it);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 100 && live_engine_state(w.engine)->view != x.proposed;
         i++)
        tell(&w, &x, vote);
    assert_int_equal(live_engine_state(w.engine)->view, x.proposed);
    assert_true(live_now() < live_engine_state(w.engine)->lease_end);
    live_links_close(x.links);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* Until a node may propose whenever it has a reason. */
static void rest(struct world *w)
{
    const struct view_lock *s = live_engine_state(w->engine);
    uint64_t delta = live_engine_params(w->engine)->delta;

    while (live_now() < s->backoff || live_now() < s->voted_at + 2 * delta)
        run(w, 10);
}

/* Two starts anew, three is there and never votes: so node one has the majority
 * for a view that takes the lock away, and makes it only when Delta is over. */
static void propose_to_two(struct world *w, struct stranger *two,
                           struct stranger *three)
{
    const struct view_lock *s = live_engine_state(w->engine);
    struct view_lock_msg frame = {.kind = VIEW_LOCK_FRAME,
                                  .inc = 9,
                                  .heard = 7,
                                  .flags = VIEW_LOCK_READY};
    struct view_lock_msg vote = {.kind = VIEW_LOCK_VOTE,
                                 .inc = 9,
                                 .count = 3,
                                 .flags = VIEW_LOCK_READY | VIEW_LOCK_FREE,
                                 .each = {0, 0, UINT32_MAX}};

    open_links(w, three, 2);
    for (int i = 0; i < 1000 && !s->peer[2].heard_at; i++) {
        frame.stamp = live_now();
        tell(w, three, frame);
    }
    open_stranger(w, two);
    for (int i = 0; i < 100 && !two->proposed; i++) {
        frame.stamp = live_now();
        tell(w, two, frame);
    }
    assert_true(two->proposed > s->view);
    assert_int_equal(s->proposal.candidates, 7);
    vote.view = two->proposed;
    vote.echo_inc = s->inc;
    vote.number = s->view + 1; /* est */
    for (int i = 0; i < 10 && s->proposal.voted != 3; i++)
        tell(w, two, vote);
}

/* The same when a coordinator makes the view because the time for more votes is
 * over: the timer comes back until the command is dead. */
TEST(test_a_timer_awaits_the_death)
{
    struct world w;
    struct live_client c;
    struct stranger two, three;
    pid_t child = idle_group();
    const struct view_lock *s;
    uint32_t before_it;

    open_world_of(&w, 3, 2000000, 400000, 250000);
    c = client_of(&w);
    assert_int_equal(
        live_client_ask(&c, "red", false, child, UINT64_MAX, w.error), 0);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    s = live_engine_state(w.engine);
    for (int i = 0; i < 1000 && s->members != 3; i++)
        run(&w, 10);
    before_it = s->view;
    rest(&w);
    propose_to_two(&w, &two, &three);
    assert_int_equal(s->proposal.voted, 3); /* a majority, and it waits */
    assert_int_equal(s->view, before_it);
    assert_int_equal(live_engine_counts(w.engine)->vacated, 0);
    assert_true(live_client_holds(&c));
    assert_int_equal(next(&w, &c, 1500), LIVE_LOST);
    run(&w, 50);
    assert_int_equal(s->view, before_it);
    assert_true(live_engine_counts(w.engine)->vacated > 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 100 && s->view != two.proposed; i++)
        run(&w, 1);
    assert_int_equal(s->view, two.proposed);
    assert_true(live_now() < s->lease_end);
    live_links_close(two.links);
    live_links_close(three.links);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* A new view that leaves the lock to its holder waits for nobody. */
TEST(test_a_kept_lock_needs_no_death)
{
    struct world w;
    struct live_client c;
    struct stranger x;
    uint32_t view;
    struct view_lock_msg news = {.kind = VIEW_LOCK_NEWVIEW, .inc = 9};

    open_world_with(&w, 1500000, 500000, 1000000);
    c = client_of(&w);
    ask(&w, &c, "red", false);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    news.number = live_engine_state(w.engine)->view; /* the base */
    view = make_view(&w, &x);
    news.view = view;
    news.members = 3;
    news.count = 2;
    news.each[0] = live_engine_state(w.engine)->inc;
    news.each[1] = 9;
    tell(&w, &x, news);
    for (int i = 0; i < 100 && live_engine_state(w.engine)->view != view; i++)
        tell(&w, &x, news);
    assert_int_equal(live_engine_state(w.engine)->view, view);
    assert_int_equal(live_engine_counts(w.engine)->vacated, 0);
    assert_true(live_client_holds(&c));
    live_links_close(x.links);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_clients_queue),
        cmocka_unit_test(test_local_readers),
        cmocka_unit_test(test_hostile_letters),
        cmocka_unit_test(test_groups_that_cannot_be_killed),
        cmocka_unit_test(test_a_paused_daemon_kills_first),
        cmocka_unit_test(test_a_lock_taken_away_is_seen_at_once),
        cmocka_unit_test(test_an_abandoned_lock_awaits_the_death),
        cmocka_unit_test(test_a_coordinator_awaits_the_death),
        cmocka_unit_test(test_a_timer_awaits_the_death),
        cmocka_unit_test(test_a_kept_lock_needs_no_death),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
