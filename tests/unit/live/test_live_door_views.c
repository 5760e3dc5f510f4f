/*
 * test_live_door_views.c - V4: a new view takes a lock away only when its
 * command is dead, whichever node makes the view; peers by hand.
 */
#include "tests/unit/kit/door_world.h"

/* ---- A peer by hand ------------------------------------------------------ */

/* Node two after its engine was closed, or three, which has none: links that
 * say what the test wants. */
struct stranger {
    struct live_links *links;
    uint32_t voted;    /* the view of the last vote that arrived */
    uint32_t proposed; /* the same of a proposal */
};

static void on_heard(void *whom, uint32_t from, const uint8_t *bytes,
                     size_t size)
{
    struct stranger *x = whom;
    struct view_lock_msg m;

    (void)from;
    for (size_t at = 0; at + 2 < size;) {
        size_t length = bytes[at] | (size_t)bytes[at + 1] << 8;

        assert_true(live_engine_unpack(
            &m, (struct live_unread){bytes + at + 2, length}));
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
    size_t size = live_engine_pack(&m, bytes + 2);

    bytes[0] = (uint8_t)size;
    bytes[1] = (uint8_t)(size >> 8);
    live_links_send(x->links, 0, bytes, size + 2);
    run(w, 5);
}

static void open_links(struct world *w, struct stranger *x, uint32_t node)
{
    *x = (struct stranger){0};
    x->links =
        live_links_open(&w->loop, &w->config, node, 9, on_heard, x, &w->error);
    assert_non_null(x->links);
}

/* Node two starts anew. */
static void open_stranger(struct world *w, struct stranger *x)
{
    live_driver_close(w->other);
    w->other = NULL;
    run(w, 10);
    open_links(w, x, 1);
}

/* The same, and node one votes for its view.  The
 * delay is so long that node one makes no view of its own meanwhile. */
static uint32_t make_view(struct world *w, struct stranger *x)
{
    uint32_t view = w->engine->state.record.maxv + (1 << VIEW_LOCK_ID_BITS) + 1;
    struct view_lock_msg propose = {
        .kind = VIEW_LOCK_PROPOSE, .inc = 9, .view = view, .members = 3};

    open_stranger(w, x);
    for (int i = 0; i < 100 && x->voted != view; i++)
        tell(w, x, propose);
    assert_int_equal(x->voted, view);
    return view;
}

enum { GRACE = 1000 }; /* microseconds: between the notice and the kill */

/* K8: it is told to end, and is killed when its grace is over. */
static void check_lost(struct world *w, struct live_client *c)
{
    assert_int_equal(next(w, c, 1500), LIVE_ENDING);
    assert_int_equal(next(w, c, 1000), LIVE_LOST);
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
    c.grace = GRACE;
    ask_for(&w, &c, "red", child);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    before_it = w.engine->state.view;
    id = w.engine->state.lock[0].id;
    view = make_view(&w, &x);
    news.view = view;
    news.members = 3;
    news.number = view - 1; /* the base */
    news.count = 2;
    news.each[0] = w.engine->state.inc;
    news.each[1] = 9;
    assert_int_equal(w.engine->counts.vacated, 0);
    tell(&w, &x, news);
    check_lost(&w, &c);
    killed_at = live_now();
    while (live_now() - killed_at < 100000) {
        tell(&w, &x, news);
        assert_int_equal(w.engine->state.view, before_it);
        assert_non_null(live_engine_lock(w.engine, id));
    }
    assert_true(w.engine->counts.vacated > 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 100 && w.engine->state.view != view; i++)
        tell(&w, &x, news);
    assert_int_equal(w.engine->state.view, view);
    assert_true(live_now() < w.engine->state.lease_end);
    live_links_close(x.links);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* Until a node may propose whenever it has a reason. */
static void rest(struct world *w)
{
    const struct view_lock *s = &w->engine->state;
    uint64_t delta = w->engine->params.delta;

    while (live_now() < s->backoff || live_now() < s->voted_at + 2 * delta)
        run(w, 10);
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
    c.grace = GRACE;
    ask_for(&w, &c, "red", child);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    for (int i = 0; i < 1000 && w.engine->state.members != 3; i++)
        run(&w, 10);
    rest(&w);
    before_it = w.engine->state.view;
    open_stranger(&w, &x);
    for (int i = 0; i < 200 && !x.proposed; i++) { /* most of a lease */
        frame.stamp = live_now();
        tell(&w, &x, frame);
    }
    assert_true(x.proposed > before_it);
    vote.view = x.proposed;
    vote.echo_inc = w.engine->state.inc;
    vote.number = before_it + 1; /* est */
    tell(&w, &x, vote);
    check_lost(&w, &c);
    tell(&w, &x, vote);
    assert_int_equal(w.engine->state.view, before_it);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 100 && w.engine->state.view != x.proposed; i++)
        tell(&w, &x, vote);
    assert_int_equal(w.engine->state.view, x.proposed);
    assert_true(live_now() < w.engine->state.lease_end);
    live_links_close(x.links);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* Two starts anew, three is there and never votes: so node one has the majority
 * for a view that takes the lock away, and makes it only when Delta is over. */
static void propose_to_two(struct world *w, struct stranger *two,
                           struct stranger *three)
{
    const struct view_lock *s = &w->engine->state;
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
    c.grace = GRACE;
    ask_for(&w, &c, "red", child);
    assert_int_equal(granted(&w, &c), LIVE_GRANTED);
    s = &w.engine->state;
    for (int i = 0; i < 1000 && s->members != 3; i++)
        run(&w, 10);
    before_it = s->view;
    rest(&w);
    propose_to_two(&w, &two, &three);
    assert_int_equal(s->proposal.voted, 3); /* a majority, and it waits */
    assert_int_equal(s->view, before_it);
    assert_int_equal(w.engine->counts.vacated, 0);
    assert_true(live_client_holds(&c));
    check_lost(&w, &c);
    run(&w, 50);
    assert_int_equal(s->view, before_it);
    assert_true(w.engine->counts.vacated > 1);
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
    news.number = w.engine->state.view; /* the base */
    view = make_view(&w, &x);
    news.view = view;
    news.members = 3;
    news.count = 2;
    news.each[0] = w.engine->state.inc;
    news.each[1] = 9;
    tell(&w, &x, news);
    for (int i = 0; i < 100 && w.engine->state.view != view; i++)
        tell(&w, &x, news);
    assert_int_equal(w.engine->state.view, view);
    assert_int_equal(w.engine->counts.vacated, 0);
    assert_true(live_client_holds(&c));
    live_links_close(x.links);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_abandoned_lock_awaits_the_death),
        cmocka_unit_test(test_a_coordinator_awaits_the_death),
        cmocka_unit_test(test_a_timer_awaits_the_death),
        cmocka_unit_test(test_a_kept_lock_needs_no_death),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
