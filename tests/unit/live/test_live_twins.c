/*
 * test_live_twins.c - a node whose lease rests on a peer of which there are two
 * (P7): it gives itself no lease, and leaves its view.
 */
#include "tests/unit/kit/door_world.h"

#include "live/wire/link_parts.h"

/* Nodes one and two agree; three, by hand, tells news of two. */

static uint32_t doubts;

static void on_doubt(void *whom, const char *why)
{
    (void)whom;
    assert_non_null(strstr(why, "node 'two' is used at two places"));
    doubts++;
}

static void ignore(void *whom, uint32_t from, const uint8_t *bytes, size_t size)
{
    (void)whom;
    (void)from;
    (void)bytes;
    (void)size;
}

static void no_news(void *whom, uint32_t peer, uint64_t life, uint64_t began)
{
    (void)whom;
    (void)peer;
    (void)life;
    (void)began;
}

static bool is_leased(struct world *w)
{
    return live_now() < w->engine->state.lease_end;
}

/* Two is told that there is another one, and stops. */
static void on_broken(void *whom, const char *why)
{
    (void)whom;
    assert_non_null(strstr(why, "the record was set back"));
}

static struct live_links *open_all(struct world *w)
{
    struct live_links *three;

    open_world_of(w, 3, 1000000, 50000, 1000);
    w->driver->owner.doubts = on_doubt;
    w->other->owner.broken = on_broken;
    doubts = 0;
    for (int i = 0; i < 2000 && !is_leased(w); i++)
        run(w, 2);
    assert_true(is_leased(w));
    three =
        live_links_open(&w->loop, &w->config, 2, 1, ignore, NULL, &w->error);
    assert_non_null(three);
    return three;
}

/* Three says so until one has heard it. */
static void tell(struct world *w, struct live_links *three, uint64_t life,
                 uint64_t age)
{
    const struct live_latest *known = &w->driver->links->channels[1].latest;

    three->channels[1].latest = (struct live_latest){
        .life = life, .salt = 4711, .began = live_now() - age};
    live_links_watch(three, no_news);
    for (int i = 0; i < 2000 && known->salt != 4711 && known->salt; i++) {
        live_links_send(three, 0, NULL, 0);
        run(w, 1);
    }
    assert_true(known->salt == 4711 || !known->salt);
}

static void close_all(struct world *w, struct live_links *three)
{
    live_links_close(three);
    close_world(w);
}

/* It has been answered since the later life began: whatever that has voted for
 * does not know of it. */
TEST(test_answers_of_an_outlived_peer_are_doubted)
{
    struct world w;
    struct live_links *three = open_all(&w);
    uint32_t view = w.engine->state.view;

    tell(&w, three, 2, 200000);
    assert_true(doubts > 0);
    assert_true(w.engine->state.record.maxv > view);
    assert_int_equal(w.engine->state.record.maxv >> VIEW_LOCK_ID_BITS,
                     view >> VIEW_LOCK_ID_BITS);
    live_driver_unfit(w.driver, "two places");
    for (int i = 0; i < 2000 && is_leased(&w); i++)
        run(&w, 2);
    live_driver_unfit(w.driver, NULL);
    run(&w, 20);
    assert_int_not_equal(w.engine->state.view, w.engine->state.record.maxv);
    assert_true(w.engine->disk.maxv > view);
    close_all(&w, three);
}

/* An ordinary restart, of which a third node hears first: the last answer came
 * before it. */
TEST(test_restart_of_a_peer_is_not_doubted)
{
    struct world w;
    struct live_links *three = open_all(&w);
    uint64_t acked;

    live_driver_close(w.other);
    w.other = NULL;
    run(&w, 20);
    acked = w.engine->state.peer[1].acked;
    assert_true(is_leased(&w));
    tell(&w, three, 2, live_now() - acked - 5000);
    assert_true(is_leased(&w));
    assert_int_equal(doubts, 0);
    close_all(&w, three);
}

/* Two of the same number: one of them answers. */
TEST(test_answers_of_a_disputed_peer_are_doubted)
{
    struct world w;
    struct live_links *three = open_all(&w);

    tell(&w, three, 1, 200000);
    assert_true(doubts > 0);
    close_all(&w, three);
}

/* An earlier life is what everybody remembers after a restart. */
TEST(test_earlier_life_is_no_news)
{
    struct world w;
    struct live_links *three = open_all(&w);

    three->channels[1].latest =
        (struct live_latest){.life = 0, .salt = 4711, .began = 1};
    live_links_watch(three, no_news);
    for (int i = 0; i < 100; i++) {
        live_links_send(three, 0, NULL, 0);
        run(&w, 1);
    }
    assert_true(is_leased(&w));
    assert_int_equal(doubts, 0);
    close_all(&w, three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_of_an_outlived_peer_are_doubted),
        cmocka_unit_test(test_restart_of_a_peer_is_not_doubted),
        cmocka_unit_test(test_answers_of_a_disputed_peer_are_doubted),
        cmocka_unit_test(test_earlier_life_is_no_news),
    };

    return cmocka_run_group_tests_name("live_twins", tests, NULL, NULL);
}
