/*
 * test_live_news.c - what nodes tell each other of the lives of all (P7): which
 * life counts, and what becomes of the others.
 */
#include "live/wire/news.h"

#include "core/wire.h"
#include "live/common/clock.h"
#include "live/wire/link_parts.h"
#include "tests/unit/kit/links.h"

enum { NOW = 1000000 };

/* ---- What is kept -------------------------------------------------------- */

static bool learn(struct live_channel *c, uint64_t life, uint64_t salt,
                  uint64_t age, uint64_t maxv)
{
    const struct live_news news = {life, salt, age, maxv};

    return live_news_learn(c, &news, NOW);
}

static void check_latest(const struct live_channel *c, uint64_t life,
                         uint64_t salt, uint64_t began)
{
    assert_int_equal(c->latest.life, life);
    assert_int_equal(c->latest.salt, salt);
    assert_int_equal(c->latest.began, began);
}

TEST(test_latest_life_is_kept)
{
    struct live_channel c = {0};

    assert_false(learn(&c, 0, 0, 0, 0));
    check_latest(&c, 0, 0, 0);
    assert_true(learn(&c, 5, 77, 300, 64));
    check_latest(&c, 5, 77, NOW - 300);
    assert_false(learn(&c, 4, 11, 900, 128)); /* an earlier one */
    check_latest(&c, 5, 77, NOW - 300);
    assert_false(learn(&c, 5, 77, 200, 64)); /* it runs for longer than that */
    check_latest(&c, 5, 77, NOW - 300);
    assert_false(learn(&c, 5, 77, 400, 64));
    check_latest(&c, 5, 77, NOW - 400);
    assert_true(learn(&c, 6, 12, 0, 64));
    check_latest(&c, 6, 12, NOW);
    assert_true(learn(&c, 6, 12, UINT64_MAX, 0)); /* and has for long */
    check_latest(&c, 6, 12, 1);
    assert_int_equal(c.maxv, 128); /* views of any life: they are on disk */
}

TEST(test_two_of_one_number_are_both_refused)
{
    struct live_channel c = {0};

    assert_true(learn(&c, 5, 77, 300, 0));
    assert_true(learn(&c, 5, 78, 200, 0));
    check_latest(&c, 5, 0, NOW - 300);
    assert_false(learn(&c, 5, 77, 300, 0)); /* whichever is told again */
    assert_false(learn(&c, 5, 0, 300, 0));
    check_latest(&c, 5, 0, NOW - 300);
    assert_true(learn(&c, 6, 79, 0, 0));
    check_latest(&c, 6, 79, NOW);
}

/* ---- What is believed ---------------------------------------------------- */

static struct live_self self_of(uint32_t id, uint64_t life, uint64_t salt)
{
    return (struct live_self){.hash = 11,
                              .life = life,
                              .salt = salt,
                              .id = id,
                              .nodes_count = 3,
                              .first_count = 3};
}

static const uint8_t key[LIVE_KEY_BYTES] = "a key that everybody knows here";

static uint64_t version_less; /* that the sender speaks */

/* From node 1 in some life to node 0, whose salt is 200. */
static enum live_verdict hear(struct live_channel channels[3], uint64_t life,
                              uint64_t salt, enum live_datagram_kind kind,
                              size_t size)
{
    static const uint8_t nothing[LIVE_DATAGRAM_MAX];
    static struct live_opened opened;
    struct live_self a = self_of(0, 1, 200), b = self_of(1, life, salt);
    struct live_channel to = {0};
    uint8_t wire[LIVE_WIRE_MAX];
    static uint64_t sent;

    live_channel_open(&to, key, 1, 0);
    to.sent = ++sent - (version_less << LIVE_NUMBER_BITS);
    size = live_seal(&b, &to, 0, kind, 200, nothing, size, wire);
    return live_open(&a, channels, wire, size, &opened);
}

static void open_channels(struct live_channel channels[3])
{
    memset(channels, 0, 3 * sizeof *channels);
    for (uint32_t i = 0; i < 3; i++) {
        live_channel_open(&channels[i], key, 0, i);
        channels[i].told = true;
    }
}

TEST(test_life_is_outlived_by_hearsay)
{
    struct live_channel c[3];

    open_channels(c);
    assert_int_equal(hear(c, 5, 77, LIVE_DATA, 1), LIVE_GOOD);
    assert_int_equal(c[1].version, LIVE_LINK_VERSION);
    assert_true(learn(&c[1], 6, 78, 0, 0));
    assert_int_equal(hear(c, 5, 77, LIVE_DATA, 1), LIVE_OUTLIVED);
    assert_int_equal(hear(c, 6, 79, LIVE_DATA, 1), LIVE_OUTLIVED);
    assert_int_equal(c[1].life, 5);
    assert_int_equal(hear(c, 6, 78, LIVE_DATA, 1), LIVE_GOOD);
    assert_true(learn(&c[1], 6, 80, 0, 0));
    assert_int_equal(hear(c, 6, 78, LIVE_DATA, 1), LIVE_OUTLIVED);
    assert_int_equal(hear(c, 6, 80, LIVE_DATA, 1), LIVE_OUTLIVED);
    assert_int_equal(hear(c, 7, 81, LIVE_DATA, 1), LIVE_GOOD);
}

TEST(test_news_have_a_part_for_each_node)
{
    struct live_channel c[3];

    open_channels(c);
    version_less = 1;
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 96), LIVE_INFORMED);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 120), LIVE_ODD);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 64), LIVE_ODD);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 128), LIVE_ODD);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 95), LIVE_ODD);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 0), LIVE_ODD);
    c[1].told = false;
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 96), LIVE_UNPROVEN);
    version_less = 0;
}

/* From version 3 on they say of whom each part is: of any nodes. */
TEST(test_news_name_their_nodes)
{
    struct live_channel c[3];

    open_channels(c);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 40), LIVE_INFORMED);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 1200), LIVE_INFORMED);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 96), LIVE_ODD);
    assert_int_equal(hear(c, 5, 77, LIVE_NEWS, 0), LIVE_ODD);
}

/* Of 64 nodes in three datagrams, but for those that nobody has; and nobody
 * takes what is said of another node of the same id for the one that it
 * knows. */
TEST(test_news_of_many_are_split)
{
    static struct live_self a, b;
    static struct live_channel c[LIVE_NODES_MAX], at_b[LIVE_NODES_MAX];
    static struct live_opened opened;
    uint8_t wire[LIVE_WIRE_MAX];
    uint32_t next = 0, datagrams = 0, of;
    uint64_t told_of = 0;
    struct live_news news;
    size_t size;

    a = self_of(1, 9, 900);
    b = self_of(0, 1, 200);
    a.nodes_count = b.nodes_count = LIVE_NODES_MAX;
    a.absent = UINT64_C(1) << 10;
    memset(at_b, 0, sizeof at_b);
    for (uint32_t x = 0; x < LIVE_NODES_MAX; x++) {
        live_channel_open(&c[x], key, 1, x);
        live_channel_open(&at_b[x], key, 0, x);
        c[x].latest = (struct live_latest){x + 1, 44, NOW - 70};
        a.marks[x] = b.marks[x] = x < 3 ? 0 : UINT64_C(0x123456789a) << x % 8;
    }
    b.marks[20] ^= UINT64_C(1) << 40;
    at_b[1].told = true;
    c[0].salt = 200;
    c[0].version = LIVE_SPEAKS_CHANGES;
    while ((size = live_seal_news(&a, c, 0, NOW, &next, wire))) {
        datagrams++;
        assert_true(size <= LIVE_WIRE_MAX);
        assert_int_equal(live_open(&b, at_b, wire, size, &opened),
                         LIVE_INFORMED);
        for (uint32_t i = 0; i < live_news_count(&opened); i++)
            if (live_news_part(&b, &opened, i, &of, &news)) {
                assert_true(news.life == (of == 1 ? 9 : of + 1));
                told_of |= UINT64_C(1) << of;
            }
    }
    assert_int_equal(datagrams, 3);
    assert_true(told_of == ~(UINT64_C(1) << 10 | UINT64_C(1) << 20));
    next = 0; /* of the first list alone, to whom does not know others */
    c[0].version = LIVE_SPEAKS_KEYS;
    size = live_seal_news(&a, c, 0, NOW, &next, wire);
    assert_int_equal(size, LIVE_WIRE_MIN + 3 * LIVE_NEWS_BYTES);
    assert_int_equal(live_seal_news(&a, c, 0, NOW, &next, wire), 0);
}

static struct live_news part(const struct live_self *self,
                             const struct live_opened *opened, uint32_t x)
{
    struct live_news news;
    uint32_t of;

    assert_true(live_news_part(self, opened, x, &of, &news));
    assert_int_equal(of, x);
    return news;
}

TEST(test_news_say_what_is_known)
{
    struct live_self a = self_of(1, 9, 900);
    struct live_channel c[3], at_b[3];
    static struct live_opened opened;
    uint8_t wire[LIVE_WIRE_MAX];
    struct live_self b = self_of(0, 1, 200);
    struct live_news news;
    uint32_t next = 0;
    size_t size;

    open_channels(at_b);
    open_channels(c);
    live_channel_open(&c[0], key, 1, 0);
    a.began = NOW - 500;
    c[0].salt = 200;
    c[2].maxv = 640;
    c[2].latest = (struct live_latest){4, 44, NOW - 70};
    c[0].version = LIVE_LINK_VERSION;
    size = live_seal_news(&a, c, 0, NOW, &next, wire);
    assert_int_equal(live_open(&b, at_b, wire, size, &opened), LIVE_INFORMED);
    news = part(&b, &opened, 0);
    assert_int_equal(news.life, 0);
    news = part(&b, &opened, 1);
    assert_int_equal(news.life, 9);
    assert_int_equal(news.salt, 900);
    assert_int_equal(news.age, 500);
    news = part(&b, &opened, 2);
    assert_int_equal(news.life, 4);
    assert_int_equal(news.salt, 44);
    assert_int_equal(news.age, 70);
    assert_int_equal(news.maxv, 640);
}

/* ---- Between nodes ------------------------------------------------------- */

static struct {
    uint32_t tellings;
    struct live_known known;
} told;

static void on_told(void *whom, uint32_t peer, const struct live_known *known)
{
    (void)whom;
    (void)peer;
    if (known->life != 2)
        return; /* of before */
    told.tellings++;
    told.known = *known;
}

static struct {
    uint32_t calls;
    uint64_t life, began;
} last;

static uint32_t at_1; /* news of node 0 that node 1 was told */

static void on_life(void *whom, uint32_t peer, uint64_t life, uint64_t began)
{
    at_1 += whom == &inbox[1] && peer == 0;
    if (peer != 1)
        return;
    last.calls++;
    last.life = life;
    last.began = began;
}

static void watch_all(void)
{
    memset(&told, 0, sizeof told);
    memset(&last, 0, sizeof last);
    config.lease = 40000;
    for (uint32_t i = 0; i < NODES; i++)
        live_links_watch(node[i], on_life);
}

/* 0 has met node 1 in its first life, and hears from 2 that there is a second
 * one: it refuses the first, and tells it so. */
TEST(test_it_is_enough_that_somebody_meets_a_later_life)
{
    uint64_t before;

    for (uint32_t i = 0; i < NODES; i++)
        start(i, 1);
    watch_all();
    introduce(0, 1);
    introduce(0, 2);
    live_links_tell(node[1], on_told);
    node[2]->channels[1].latest =
        (struct live_latest){2, 4711, live_now() - 5000};
    for (int i = 0; i < 200 && !count(0, 1)->outlived; i++) {
        say(2, 0, 1);
        say(1, 0, 1);
        run_for(2);
    }
    before = count(0, 1)->received;
    assert_true(last.calls > 0);
    assert_int_equal(last.life, 2);
    assert_true(last.began <= live_now() - 5000);
    for (int i = 0; i < 200 && !told.tellings; i++) {
        say(1, 0, 1);
        run_for(2);
    }
    assert_true(told.tellings > 0);
    assert_int_equal(told.known.life, 2);
    assert_int_equal(count(0, 1)->received, before);
}

/* What news say of the node that receives them it is told, as by a hello. */
TEST(test_news_of_oneself)
{
    struct live_opened *o;

    start(0, 1);
    memset(&told, 0, sizeof told);
    live_links_tell(node[0], on_told);
    o = &node[0]->opened;
    memset(o, 0, sizeof *o);
    o->from = 1;
    o->size = (size_t)NODES * LIVE_NEWS_BYTES;
    fc_put64(o->bytes, 2);
    fc_put64(o->bytes + 8, 4711);
    fc_put64(o->bytes + 24, 640);
    links_on_news(node[0]);
    assert_int_equal(told.tellings, 1);
    assert_int_equal(told.known.life, 2);
    assert_int_equal(told.known.salt, 4711);
    assert_int_equal(told.known.maxv, 640);
}

/* Each is told what the others know of its votes: a record that was set back is
 * found by whoever is met. */
TEST(test_views_are_passed_on)
{
    for (uint32_t i = 0; i < NODES; i++)
        start(i, 1);
    watch_all();
    introduce(0, 1);
    introduce(0, 2);
    live_links_know(node[2], 1, 640);
    for (int i = 0; i < 200 && node[0]->channels[1].maxv < 640; i++) {
        say(2, 0, 1);
        run_for(2);
    }
    assert_int_equal(node[0]->channels[1].maxv, 640);
}

/* A program of before P7 takes no notice, and is sent none: to it they would be
 * odd. */
TEST(test_news_are_for_those_who_know_them)
{
    uint64_t before, odd;

    for (uint32_t i = 0; i < NODES; i++)
        start(i, 1);
    watch_all();
    introduce(0, 1);
    node[0]->channels[1].version = 0;
    run_for(50);
    at_1 = 0;
    before = count(1, 0)->received;
    odd = count(1, 0)->odd + count(1, 1)->odd;
    say(0, 1, 1);
    for (int i = 0; i < 1000 && count(1, 0)->received == before; i++)
        run_for(2);
    run_for(20); /* news would come right behind */
    assert_int_equal(at_1, 0);
    assert_int_equal(count(1, 0)->odd + count(1, 1)->odd, odd);
    node[0]->channels[1].version = LIVE_LINK_VERSION;
    for (int i = 0; i < 200 && !at_1; i++) {
        say(0, 1, 1);
        run_for(2);
    }
    assert_true(at_1 > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(test_latest_life_is_kept),
        LINK_TEST(test_two_of_one_number_are_both_refused),
        LINK_TEST(test_life_is_outlived_by_hearsay),
        LINK_TEST(test_news_have_a_part_for_each_node),
        LINK_TEST(test_news_name_their_nodes),
        LINK_TEST(test_news_of_many_are_split),
        LINK_TEST(test_news_say_what_is_known),
        LINK_TEST(test_it_is_enough_that_somebody_meets_a_later_life),
        LINK_TEST(test_news_of_oneself),
        LINK_TEST(test_views_are_passed_on),
        LINK_TEST(test_news_are_for_those_who_know_them),
    };

    return cmocka_run_group_tests_name("live_news", tests, NULL, NULL);
}
