/*
 * test_live_engine.c - the engine and its disk: what leaves a node while its
 * record is being written (P1), and what it does when others know more than
 * the record (P4), or are of another generation (P6).  The disk waits for
 * permits, and the peer is played by hand.
 */
#include "live/mode/mode_proven_engine.h"

#include "tests/unit/kit/own_clock.h"
#include "tests/unit/kit/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/daemon/driver.h"

/* ---- A disk that takes its time ------------------------------------------ */

static _Atomic bool slow, bad;
static _Atomic int permits, syncs;

int fdatasync(int file)
{
    (void)file;
    while (slow && permits == 0)
        usleep(200);
    if (slow)
        permits--;
    syncs++;
    errno = EIO;
    return bad ? -1 : 0;
}

/* ---- A node, and another by hand ----------------------------------------- */

static struct live_config config;
static uv_loop_t loop;
static struct live_record *record;
static struct live_driver *driver;
static struct live_engine *engine;
static struct live_links *other;
static char folder[32], broke[NET_WHY_SIZE];
static struct net_why error;
static struct {
    uint32_t frames, voted, proposed, maxv; /* frames; views; in frames */
} heard;

static void broken(void *whom, const char *why)
{
    (void)whom;
    snprintf(broke, sizeof broke, "%s", why);
}

static void on_heard(void *whom, uint32_t from, const uint8_t *bytes,
                     size_t size)
{
    struct view_lock_msg m;

    (void)whom;
    (void)from;
    for (size_t at = 0; at + 2 < size;) {
        size_t length = bytes[at] | (size_t)bytes[at + 1] << 8;

        assert_true(live_engine_unpack(
            &m, (struct live_unread){bytes + at + 2, length}));
        at += 2 + length;
        if (m.kind == VIEW_LOCK_VOTE)
            heard.voted = m.view;
        if (m.kind == VIEW_LOCK_PROPOSE)
            heard.proposed = m.view;
        heard.frames += m.kind == VIEW_LOCK_FRAME;
        if (m.maxv > heard.maxv)
            heard.maxv = m.maxv;
    }
}

/* So long, and enough turns if the machine is slow. */
static void run(uint64_t ms)
{
    uint64_t until = live_now() + 1000 * ms;

    for (uint32_t turn = 0; turn < 8 || live_now() < until; turn++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        (void)usleep(200);
    }
}

static void tell(struct view_lock_msg m)
{
    uint8_t bytes[2 + FC_WIRE_MAX];
    size_t size = live_engine_pack(&m, bytes + 2);

    bytes[0] = (uint8_t)size;
    bytes[1] = (uint8_t)(size >> 8);
    live_links_send(other, 0, bytes, size + 2);
    run(5);
}

static void propose(uint32_t view)
{
    tell((struct view_lock_msg){
        .kind = VIEW_LOCK_PROPOSE, .inc = 9, .view = view, .members = 3});
}

static void start_engine(void)
{
    const struct live_driver_owner owner = {.broken = broken};

    assert_int_equal(live_record_open(&record, &config, 0,
                                      &live_mode_proven.payload, &error),
                     LIVE_RECORD_FINE);
    driver = live_driver_open(&(struct live_driver_parts){.loop = &loop,
                                                          .config = &config,
                                                          .record = record,
                                                          .owner = &owner},
                              &error);
    if (!driver)
        fail_msg("%s", error.text);
    engine = live_mode_engine(driver->node.mode);
}

static void stop_engine(void)
{
    slow = false;
    live_driver_close(driver);
    run(5);
    live_record_close(record);
    engine = NULL;
}

static int begin(void **state)
{
    uint16_t port = (uint16_t)(20000 + getpid() % 5000 * 2);

    (void)state;
    slow = bad = false;
    permits = syncs = 0;
    broke[0] = '\0';
    memset(&heard, 0, sizeof heard);
    strcpy(folder, "/tmp/fulcrum-engine-XXXXXX");
    assert_non_null(mkdtemp(folder));
    config = (struct live_config){
        .first_count = 2,
        .nodes_count = 2,
        .nodes = {{.name = "one", .host = "127.0.0.1", .port = port},
                  {.name = "two",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 1)}},
        .tau = 5000,
        .lease = 400000,
        .kill = 20000,
        .delay = 1000,
        .generation = 5,
    };
    snprintf(config.state, sizeof config.state, "%s", folder);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_true(live_record_create(&config, 0, &error));
    start_engine();
    other = live_links_open(&loop, &config, 1, 9, on_heard, NULL, &error);
    assert_non_null(other);
    for (int i = 0; i < 1000 && !heard.frames; i++) /* they meet */
        propose(0);
    assert_true(heard.frames > 0);
    return 0;
}

static int end(void **state)
{
    char path[64];

    (void)state;
    stop_engine();
    live_links_close(other);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    snprintf(path, sizeof path, "%s/one.record", folder);
    (void)unlink(path);
    return rmdir(folder);
}

/* Until the condition holds; it is asked for again and again. */
#define UNTIL(condition, act)                                                  \
    for (int tries = 0; tries < 2000 && !(condition); tries++) {               \
        act;                                                                   \
        run(2);                                                                \
    }                                                                          \
    assert_true(condition)

static uint32_t voted_in_memory(void)
{
    return engine->state.record.maxv;
}

/* ---- P1 ------------------------------------------------------------------ */

TEST(test_vote_waits_for_the_disk_and_frames_do_not)
{
    uint32_t view = voted_in_memory() + (8 << VIEW_LOCK_ID_BITS) + 1, frames;

    slow = true;
    UNTIL(voted_in_memory() == view, propose(view));
    frames = heard.frames;
    heard.maxv = 0;
    UNTIL(heard.frames > frames + 20, propose(view));
    assert_int_equal(heard.voted, 0); /* however often it is asked for */
    assert_true(heard.maxv < view);
    permits = 1;
    UNTIL(heard.voted == view, (void)0);
    UNTIL(heard.maxv == view, (void)0);
    assert_true(engine->counts.slowest > 0);
}

/* K6: what a node has promised before its clock was found bad it does not tell,
 * neither when it is on disk nor when the clock is good again. */
TEST(test_vote_of_a_bad_clock_is_not_told)
{
    uint32_t view = voted_in_memory() + (8 << VIEW_LOCK_ID_BITS) + 1, frames;
    int done;

    slow = true;
    UNTIL(voted_in_memory() == view, propose(view));
    live_driver_unfit(driver, "the clock is slewed");
    done = syncs;
    permits = 1;
    UNTIL(syncs > done && !engine->writing, (void)0);
    live_driver_unfit(driver, NULL);
    frames = heard.frames;
    UNTIL(heard.frames > frames, (void)0);
    assert_int_equal(heard.voted, 0);
    UNTIL(heard.voted == view,
          propose(view)); /* a node that asks again is told */
}

/* One vote is being written, and a higher one comes: it needs a write of its
 * own. */
TEST(test_higher_vote_needs_a_write_of_its_own)
{
    uint32_t view = voted_in_memory() + (8 << VIEW_LOCK_ID_BITS) + 1;
    uint32_t next = view + (4 << VIEW_LOCK_ID_BITS), frames;
    int done;

    slow = true;
    UNTIL(voted_in_memory() == view, propose(view));
    UNTIL(voted_in_memory() == next, propose(next));
    done = syncs;
    permits = 1;
    UNTIL(syncs == done + 1, (void)0);
    frames = heard.frames;
    UNTIL(heard.frames > frames + 20, propose(next));
    assert_true(heard.voted != next);
    assert_true(heard.maxv < next);
    permits = 1;
    UNTIL(heard.voted == next, propose(next));
}

/* The node's own proposal, too. */
TEST(test_proposal_waits_for_the_disk)
{
    struct view_lock_msg frame = {.kind = VIEW_LOCK_FRAME,
                                  .inc = 9,
                                  .heard = 3,
                                  .flags = VIEW_LOCK_READY};

    slow = true;
    UNTIL(engine->state.proposal.view, {
        frame.stamp = live_now();
        tell(frame);
    });
    for (int i = 0; i < 40; i++) {
        frame.stamp = live_now();
        tell(frame);
        assert_int_equal(heard.proposed, 0);
        assert_int_equal(heard.maxv, 0);
    }
    slow = false;
    UNTIL(heard.proposed, {
        frame.stamp = live_now();
        tell(frame);
    });
}

/* Nothing that rests on it leaves, and the node stops. */
TEST(test_refused_write_stops_the_node)
{
    uint32_t view = voted_in_memory() + (8 << VIEW_LOCK_ID_BITS) + 1;

    bad = true;
    UNTIL(broke[0], propose(view));
    assert_non_null(strstr(broke, "one.record"));
    run(50);
    assert_int_equal(heard.voted, 0);
    assert_true(heard.maxv < view);
}

/* The generation is on top of the view numbers, so that it is on top of a token
 * (P5). */
TEST(test_generation_reaches_the_protocol)
{
    assert_int_equal(engine->params.generation, 5);
    assert_int_equal(engine->params.idle, 400000 / 5);
}

/* ---- P4 ------------------------------------------------------------------ */

/* The disk has lost the write of a vote, and nothing else: this start counts
 * further than the last one. */
TEST(test_lost_write_is_found_at_the_next_start)
{
    struct live_kept kept = {.starts = 20};
    struct live_record *again;
    uint32_t view = voted_in_memory() + (8 << VIEW_LOCK_ID_BITS) + 1;

    stop_engine();
    live_links_know(other, 0, view);
    start_engine();
    UNTIL(broke[0], propose(0));
    assert_non_null(strstr(broke, "lost a write"));
    stop_engine();
    assert_int_equal(
        live_record_open(&again, &config, 0, &live_mode_proven.payload, &error),
        LIVE_RECORD_SET_BACK);
    live_mode_proven.remind(&kept, view);
    assert_true(live_record_repair(&config, 0, &live_mode_proven.payload, &kept,
                                   &error));
    broke[0] = '\0';
    start_engine();
    heard.frames = 0;
    UNTIL(heard.frames, propose(0));
    assert_string_equal(broke, "");
}

/* What it has shown by its vote is what it is told after a restart. */
TEST(test_others_remember_a_vote)
{
    uint32_t view = voted_in_memory() + (8 << VIEW_LOCK_ID_BITS) + 1;

    UNTIL(heard.voted == view, propose(view));
    live_links_know(other, 0, heard.voted);
    stop_engine();
    start_engine();
    heard.frames = 0;
    UNTIL(heard.frames, propose(0));
    assert_string_equal(broke, "");
}

/* ---- P6 ------------------------------------------------------------------ */

/* The other one starts again with a file of this generation. */
static void reopen_other(uint32_t generation)
{
    static struct live_config changed;

    changed = config;
    changed.generation = generation;
    changed.hash += generation - config.generation;
    live_links_close(other);
    run(5);
    other = live_links_open(&loop, &changed, 1, 10, on_heard, NULL, &error);
    assert_non_null(other);
}

TEST(test_node_of_a_lower_generation_stops_and_may_stay)
{
    struct live_record *again;
    uint64_t refused;

    reopen_other(6);
    UNTIL(broke[0], propose(0));
    assert_non_null(strstr(broke, "two has generation 6"));
    assert_non_null(strstr(broke, "this node has generation 5"));
    stop_engine();
    assert_int_equal(
        live_record_open(&again, &config, 0, &live_mode_proven.payload, &error),
        LIVE_RECORD_OUTDATED);
    assert_true(
        live_record_stay(&config, 0, &live_mode_proven.payload, &error));
    broke[0] = '\0';
    start_engine();
    refused = live_links_counts(driver->links, 1)->old;
    UNTIL(live_links_counts(driver->links, 1)->old > refused + 10, propose(0));
    assert_string_equal(broke, "");
    reopen_other(7);
    UNTIL(broke[0], propose(0));
    assert_non_null(strstr(broke, "two has generation 7"));
}

TEST(test_node_of_a_higher_generation_waits)
{
    reopen_other(4);
    UNTIL(driver->node.elder[0], propose(0));
    assert_non_null(strstr(driver->node.elder, "two has generation 4"));
    assert_string_equal(broke, "");
    /* A node that is late by more than tau when that is over begins again: on a
     * busy machine often. */
    for (int tries = 0; tries < 20000 && driver->node.elder[0]; tries++)
        run(2);
    assert_string_equal(driver->node.elder, "");
}

/* ---- What others are told ------------------------------------------------ */

static uint64_t told_maxv;

static void on_told(void *whom, uint32_t peer, const struct live_known *known)
{
    (void)whom;
    (void)peer;
    told_maxv = known->maxv;
}

/* The node remembers what others have shown, by any message that shows it, and
 * tells them when they start again. */
TEST(test_starting_peer_is_told_what_it_showed)
{
    static const struct view_lock_msg shown[] = {
        {.kind = VIEW_LOCK_FRAME, .maxv = 10 << VIEW_LOCK_ID_BITS},
        {.kind = VIEW_LOCK_REFUSE, .maxv = 11 << VIEW_LOCK_ID_BITS},
        {.kind = VIEW_LOCK_PROPOSE, .view = 1 + (12 << VIEW_LOCK_ID_BITS)},
        {.kind = VIEW_LOCK_VOTE, .view = 13 << VIEW_LOCK_ID_BITS, .count = 2},
    };

    for (uint32_t i = 0; i < COUNT(shown); i++) {
        struct view_lock_msg m = shown[i];
        uint64_t taken = engine->counts.messages_taken;

        m.inc = 9 + i;
        UNTIL(engine->counts.messages_taken > taken, tell(m));
        live_links_close(other);
        run(5);
        other =
            live_links_open(&loop, &config, 1, 10 + i, on_heard, NULL, &error);
        assert_non_null(other);
        live_links_tell(other, on_told);
        told_maxv = 0;
        UNTIL(told_maxv, (void)0);
        assert_int_equal(told_maxv, m.maxv + m.view);
    }
}

/* A peer may be authentic and wrong: a lease never counts from a stamp that
 * this life of the node has not given. */
TEST(test_echo_of_a_stamp_never_given_is_refused)
{
    uint64_t stamps[] = {engine->state.start - 1,
                         live_now() + UINT64_C(3600000000)};
    struct view_lock_msg frame = {.kind = VIEW_LOCK_FRAME,
                                  .inc = 9,
                                  .stamp = 1,
                                  .echo_inc = engine->state.inc};
    uint64_t taken = engine->counts.messages_taken;

    for (uint32_t i = 0; i < COUNT(stamps); i++) {
        uint64_t odd = engine->counts.odd;

        frame.echo_stamp = stamps[i];
        UNTIL(engine->counts.odd > odd, tell(frame));
        assert_int_equal(engine->counts.messages_taken, taken);
        assert_int_equal(engine->state.peer[1].acked, 0);
        assert_int_equal(engine->delays[1].frames, 0);
    }
    frame.echo_stamp = live_now();
    UNTIL(engine->counts.messages_taken > taken, tell(frame));
    assert_int_equal(engine->state.peer[1].acked, frame.echo_stamp);
}

/* ---- What the log says --------------------------------------------------- */

static int log_file, stderr_was;

static void begin_log(void)
{
    char path[] = "/tmp/fulcrum-engine-log-XXXXXX";

    log_file = mkstemp(path);
    stderr_was = dup(2);
    assert_true(log_file >= 0 && unlink(path) == 0);
    assert_true(dup2(log_file, 2) == 2);
}

static const char *end_log(void)
{
    static char text[4096];
    ssize_t size = pread(log_file, text, sizeof text - 1, 0);

    text[size > 0 ? size : 0] = '\0';
    assert_true(dup2(stderr_was, 2) == 2);
    close(log_file);
    close(stderr_was);
    return text;
}

/* A disk that hangs is told of while it hangs, once. */
TEST(test_write_without_an_end_is_told)
{
    uint32_t view = voted_in_memory() + (8 << VIEW_LOCK_ID_BITS) + 1;
    const char *text;

    slow = true;
    begin_log();
    for (int i = 0; i < 300; i++)
        propose(view);
    run(1500);
    text = end_log();
    assert_int_equal(voted_in_memory(), view);
    assert_non_null(strstr(text, "has been writing its record for 2 s"));
    assert_null(strstr(strstr(text, "has been writing") + 1, "has been"));
    assert_true(engine->params.sync > 2000000);
}

/* ---- Numbers that end ---------------------------------------------------- */

TEST(test_few_view_numbers_are_told)
{
    const char *text;

    begin_log();
    UNTIL(voted_in_memory() > 4200000000u, propose(4260000001u));
    propose(4260000001u);
    text = end_log();
    assert_non_null(strstr(text, "1 % of the view numbers"));
    assert_null(strstr(strstr(text, "1 % of") + 1, "1 % of"));
}

#define ENGINE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* ---- Sanity -------------------------------------------------------------- */

/* A node whose state contradicts itself stops before it sends anything. */
TEST(test_a_contradiction_stops_the_node)
{
    struct view_lock *node = (struct view_lock *)&engine->state;
    uint32_t frames;

    assert_string_equal(broke, "");
    node->clean = 7;
    UNTIL(broke[0], (void)0);
    assert_non_null(strstr(broke, "the last vote has been seen"));
    run(20); /* what was on its way has come */
    frames = heard.frames;
    run(50);
    assert_int_equal(heard.frames, frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(test_a_contradiction_stops_the_node),
        ENGINE_TEST(test_vote_waits_for_the_disk_and_frames_do_not),
        ENGINE_TEST(test_vote_of_a_bad_clock_is_not_told),
        ENGINE_TEST(test_higher_vote_needs_a_write_of_its_own),
        ENGINE_TEST(test_proposal_waits_for_the_disk),
        ENGINE_TEST(test_refused_write_stops_the_node),
        ENGINE_TEST(test_generation_reaches_the_protocol),
        ENGINE_TEST(test_lost_write_is_found_at_the_next_start),
        ENGINE_TEST(test_others_remember_a_vote),
        ENGINE_TEST(test_node_of_a_lower_generation_stops_and_may_stay),
        ENGINE_TEST(test_node_of_a_higher_generation_waits),
        ENGINE_TEST(test_starting_peer_is_told_what_it_showed),
        ENGINE_TEST(test_write_without_an_end_is_told),
        ENGINE_TEST(test_few_view_numbers_are_told),
        ENGINE_TEST(test_echo_of_a_stamp_never_given_is_refused),
    };

    return cmocka_run_group_tests_name("live_engine", tests, NULL, NULL);
}
