/*
 * test_live_link.c - links over loopback: nodes in one loop, a listener between
 * them that keeps what it hears, and strangers that send what they like.
 */
#include "tests/unit/kit/links.h"

/* ---- Honest links -------------------------------------------------------- */

TEST(test_what_is_sent_arrives)
{
    for (uint32_t i = 0; i < NODES; i++)
        start(i, 1);
    introduce(0, 1);
    introduce(0, 2);
    introduce(1, 2);
    for (uint32_t from = 0; from < NODES; from++)
        for (uint32_t to = 0; to < NODES; to++)
            if (from != to)
                say(from, to, 10 * from + to);
    run_for(20);
    for (uint32_t to = 0; to < NODES; to++) {
        assert_int_equal(inbox[to].count, NODES - 1);
        for (uint32_t i = 0; i < inbox[to].count; i++)
            assert_int_equal(inbox[to].number[i], 10 * inbox[to].from[i] + to);
    }
}

TEST(test_longest_and_empty_payloads_arrive)
{
    uint8_t bytes[LIVE_DATAGRAM_MAX] = {7};

    start(0, 1);
    start(1, 1);
    introduce(0, 1);
    live_links_send(node[0], 1, bytes, sizeof bytes);
    live_links_send(node[0], 1, NULL, 0);
    run_for(20);
    assert_int_equal(inbox[1].count, 2);
    assert_int_equal(inbox[1].size[0] + inbox[1].size[1], LIVE_DATAGRAM_MAX);
}

TEST(test_links_speak_ipv6)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6,
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int file = socket(AF_INET6, SOCK_DGRAM, 0);
    bool here = file >= 0 && bind(file, (struct sockaddr *)&at, sizeof at) == 0;

    if (file >= 0)
        close(file);
    if (!here)
        skip();
    for (uint32_t i = 0; i < NODES; i++)
        strcpy(config.nodes[i].host, "::1");
    start(0, 1);
    start(1, 1);
    introduce(0, 1);
}

/* The first round trip introduces, and costs what was said in it. */
TEST(test_nodes_that_know_nothing_meet_within_a_round_trip)
{
    start(0, 1);
    start(1, 1);
    say(0, 1, 1);
    run_for(10);
    assert_int_equal(inbox[1].count, 0);
    assert_int_equal(count(1, 0)->unproven, 1);
    assert_in_range(count(0, 1)->greeted, 1, 2);
    assert_int_equal(count(1, 0)->greeted, 1); /* and greets back */
    say(0, 1, 2);
    say(1, 0, 3);
    run_for(10);
    assert_true(has_heard(1, 2));
    assert_true(has_heard(0, 3));
    assert_int_equal(live_links_life(node[0], 1), 1);
    assert_int_equal(live_links_life(node[0], 2), 0);
}

TEST(test_node_that_cannot_open_says_why)
{
    start(0, 1);
    assert_null(
        live_links_open(&loop, &config, 0, 2, on_receive, NULL, &error));
    assert_non_null(
        strstr(error.text, "node 'n0': cannot receive at 127.0.0.1"));
    assert_non_null(strchr(error.text, ';'));
    strcpy(config.nodes[2].host, "::1");
    assert_null(
        live_links_open(&loop, &config, 1, 2, on_receive, NULL, &error));
    assert_non_null(strstr(error.text, "node 'n2': host '::1' has no address"));
    strcpy(config.nodes[2].host, "127.0.0.1");
    strcpy(config.nodes[1].host, "256.1.1.1.");
    assert_null(
        live_links_open(&loop, &config, 1, 2, on_receive, NULL, &error));
    assert_non_null(strstr(error.text, "node 'n1'"));
}

/* ---- Lives --------------------------------------------------------------- */

TEST(test_restarted_node_comes_back)
{
    start(0, 1);
    start(1, 1);
    introduce(0, 1);
    stop(1);
    run_for(5);
    start(1, 2);
    introduce(0, 1);
    assert_int_equal(live_links_life(node[0], 1), 2);
}

static struct live_known told;
static uint32_t told_by, tellings;

static void on_told(void *whom, uint32_t peer, const struct live_known *known)
{
    (void)whom;
    told_by = peer;
    told = *known;
    tellings++;
}

/* A node set back to an earlier life is refused by all that knew it, and told
 * so (P4). */
TEST(test_node_set_back_is_refused_and_told)
{
    char words[LIVE_TROUBLE_WORDS];

    start(0, 1);
    start(1, 5);
    introduce(0, 1);
    live_links_know(node[0], 1, 640);
    live_links_know(node[0], 1, 576);
    stop(1);
    run_for(5);
    start(1, 4);
    live_links_tell(node[1], on_told);
    tellings = 0;
    for (uint32_t i = 0; i < 5; i++) {
        say(0, 1, 1);
        say(1, 0, 1);
        run_for(5);
    }
    assert_int_equal(inbox[0].count, 0);
    assert_true(count(0, 1)->outlived > 0);
    assert_int_equal(live_links_life(node[0], 1), 5);
    assert_non_null(strstr(live_links_trouble(node[0], 1, words), "earlier"));
    assert_true(tellings > 0);
    assert_int_equal(told.life, 5);
    assert_int_equal(told.maxv, 640);
    assert_true(live_links_set_back(node[1], 0, &told, UINT64_MAX, &error));
    assert_non_null(strstr(error.text, "start number 5"));
}

/* Lives that are fine, but a view that was voted for and is not on disk. */
TEST(test_lost_write_is_told)
{
    start(0, 1);
    start(1, 5);
    introduce(0, 1);
    live_links_know(node[0], 1, 640);
    stop(1);
    run_for(5);
    start(1, 6);
    live_links_tell(node[1], on_told);
    tellings = 0;
    introduce(0, 1);
    assert_true(tellings > 0);
    assert_false(live_links_set_back(node[1], 0, &told, 640, &error));
    assert_true(live_links_set_back(node[1], 0, &told, 639, &error));
    assert_non_null(strstr(error.text, "lost a write"));
    /* The same life twice. */
    told.life = 6;
    told.salt = 1;
    assert_true(live_links_set_back(node[1], 0, &told, 640, &error));
    assert_non_null(strstr(error.text, "copied"));
}

/* However many hellos are lost, nothing is delivered before one has told. */
TEST(test_told_before_anything_is_delivered)
{
    start(0, 1);
    start(1, 5);
    introduce(0, 1);
    live_links_know(node[0], 1, 640);
    for (uint64_t life = 6; life < 26; life++) {
        stop(1);
        run_for(2);
        start(1, life);
        live_links_tell(node[1], on_told);
        live_links_mishaps(
            node[0], &(struct live_mishaps){.loss = 600000, .seed = life});
        live_links_mishaps(
            node[1], &(struct live_mishaps){.loss = 600000, .seed = life + 1});
        tellings = inbox[1].count = 0;
        for (uint32_t i = 0; i < 300 && !inbox[1].count; i++) {
            say(0, 1, i);
            say(1, 0, i);
            run_for(1);
            if (inbox[1].count)
                assert_true(tellings > 0 && told.maxv == 640);
        }
        assert_true(inbox[1].count > 0);
    }
}

/* One that only listens asks until it is told. */
TEST(test_who_only_listens_is_told_too)
{
    start(0, 1);
    for (uint64_t life = 6; life < 26; life++) {
        start(1, life);
        live_links_mishaps(
            node[0], &(struct live_mishaps){.loss = 600000, .seed = life});
        inbox[1].count = 0;
        for (uint32_t i = 0; i < 1000 && !inbox[1].count; i++) {
            say(0, 1, i);
            run_for(1);
        }
        assert_true(inbox[1].count > 0);
        stop(1);
        run_for(2);
    }
}

/* ---- A listener in between ----------------------------------------------- */

static struct {
    int file;
    uint32_t count;
    uint8_t bytes[64][2048];
    size_t size[64];
} tap;

/* Node 0 believes that node 1 is where the listener is; it passes on. */
static uint16_t start_behind_tap(void)
{
    uint16_t real = config.nodes[1].port;

    start(1, 1);
    tap.count = 0;
    tap.file = stranger(&config.nodes[1].port);
    start(0, 1);
    config.nodes[1].port = real;
    return real;
}

static void pass_on(uint16_t port)
{
    ssize_t size;

    for (uint32_t i = 0; i < 20; i++) {
        run_for(1);
        while ((size = recv(tap.file, tap.bytes[tap.count], 2048,
                            MSG_DONTWAIT)) > 0) {
            tap.size[tap.count] = (size_t)size;
            throw_at(tap.file, port, tap.bytes[tap.count], (size_t)size);
            tap.count = (tap.count + 1) % 64;
        }
    }
}

TEST(test_recorded_datagrams_are_refused_now_and_after_a_restart)
{
    uint16_t port = start_behind_tap();
    uint32_t heard;

    for (uint32_t i = 0; i < 10; i++) {
        say(0, 1, i);
        pass_on(port);
    }
    heard = inbox[1].count;
    assert_true(heard >= 8);
    for (uint32_t i = 0; i < tap.count; i++)
        throw_at(tap.file, port, tap.bytes[i], tap.size[i]);
    run_for(20);
    assert_int_equal(inbox[1].count, heard);
    assert_true(count(1, 0)->replayed >= 8);

    stop(1);
    run_for(5);
    start(1, 2);
    for (uint32_t i = 0; i < tap.count; i++)
        throw_at(tap.file, port, tap.bytes[i], tap.size[i]);
    run_for(20);
    assert_int_equal(inbox[1].count, heard);
    assert_int_equal(count(1, 0)->unproven, tap.count);
    assert_int_equal(live_links_life(node[1], 0), 0);
    say(0, 1, 100);
    pass_on(port);
    say(0, 1, 101);
    pass_on(port);
    assert_true(has_heard(1, 101));
    close(tap.file);
}

TEST(test_changed_and_cut_datagrams_are_counted_and_nothing_else)
{
    uint16_t port = start_behind_tap();
    const struct live_link_counts *of;
    uint64_t forged, odd;
    uint32_t heard;
    uint8_t bytes[2048] = {0};
    size_t size;

    for (uint32_t i = 0; i < 4; i++) {
        say(0, 1, i);
        pass_on(port);
    }
    heard = inbox[1].count;
    of = count(1, 0);
    forged = of->forged;
    odd = count(1, 1)->odd;
    size = tap.size[tap.count - 1];
    memcpy(bytes, tap.bytes[tap.count - 1], size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        throw_at(tap.file, port, bytes, size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (bit % 16 == 0)
            run_for(1);
    }
    for (size_t cut = 0; cut < size; cut++) {
        throw_at(tap.file, port, bytes, cut);
        if (cut % 16 == 0)
            run_for(1);
    }
    throw_at(tap.file, port, bytes, LIVE_WIRE_MAX + 1);
    throw_at(tap.file, port, bytes, sizeof bytes);
    run_for(30);
    assert_int_equal(inbox[1].count, heard);
    /* The names in the header may be changed to others: count all. */
    assert_int_equal(of->forged - forged + count(1, 2)->forged +
                         count(1, 1)->odd - odd,
                     8 * size + size + 2);
    assert_int_equal(of->replayed, 0);
    say(0, 1, 77);
    pass_on(port);
    assert_true(has_heard(1, 77));
    close(tap.file);
}

/* ---- Strangers ----------------------------------------------------------- */

TEST(test_node_with_another_key_or_configuration_is_not_heard)
{
    char words[LIVE_TROUBLE_WORDS];

    config.generation = 4;
    start(0, 1);
    config.key[0] ^= 1;
    start(1, 1);
    config.key[0] ^= 1;
    config.hash++;
    config.generation = 5;
    start(2, 1);
    for (uint32_t i = 0; i < 10; i++) {
        say(1, 0, i);
        say(2, 0, i);
        say(0, 1, i);
        say(0, 2, i);
        run_for(2);
    }
    wait_for(&count(0, 1)->forged, 10);
    wait_for(&count(0, 2)->old, 10);
    wait_for(&count(1, 0)->forged, 10);
    wait_for(&count(2, 0)->old, 10);
    for (uint32_t i = 0; i < NODES; i++)
        assert_int_equal(inbox[i].count, 0);
    assert_string_equal(live_links_trouble(node[0], 1, words),
                        "has another key");
    assert_string_equal(live_links_trouble(node[0], 2, words),
                        "has generation 5 of the configuration, not 4");
}

/* ---- Mishaps ------------------------------------------------------------- */

static void start_pair(const struct live_mishaps *mishaps)
{
    start(0, 1);
    start(1, 1);
    introduce(0, 1);
    live_links_mishaps(node[0], mishaps);
}

static void say_many(uint32_t how_many, uint64_t wait_ms)
{
    for (uint32_t i = 0; i < how_many; i++) {
        say(0, 1, 1000 + i);
        if (i % 20 == 0)
            uv_run(&loop, UV_RUN_NOWAIT);
    }
    run_for(wait_ms);
}

/* On a machine that is busy what was sent is still on its way. */
static void hear(uint32_t least)
{
    for (uint32_t tries = 0; tries < 2000 && inbox[1].count < least; tries++)
        run_for(1);
}

TEST(test_loss_loses_its_share)
{
    start_pair(&(struct live_mishaps){.loss = 500000, .seed = 1});
    say_many(1000, 30);
    hear(400);
    assert_in_range(inbox[1].count, 400, 600);
}

TEST(test_duplicates_are_delivered_once)
{
    start_pair(&(struct live_mishaps){.duplicate = 1000000, .seed = 1});
    say_many(500, 30);
    wait_for(&count(1, 0)->replayed, 500);
    assert_int_equal(inbox[1].count, 500);
    assert_int_equal(count(1, 0)->replayed, 500);
}

TEST(test_reordered_datagrams_all_arrive)
{
    uint32_t backwards = 0;

    start_pair(&(struct live_mishaps){.reorder = 300000, .seed = 1});
    say_many(500, 60);
    hear(500);
    assert_int_equal(inbox[1].count, 500);
    for (uint32_t i = 1; i < inbox[1].count; i++)
        backwards += inbox[1].number[i] < inbox[1].number[i - 1];
    assert_true(backwards > 10);
}

TEST(test_delay_is_kept)
{
    uint64_t before;

    start_pair(&(struct live_mishaps){
        .delay_min = 30000, .delay_max = 40000, .seed = 1});
    before = now_ms();
    say(0, 1, 5);
    hear(1);
    assert_true(has_heard(1, 5));
    assert_true(now_ms() - before >= 29);
}

TEST(test_cuts_have_a_direction)
{
    start_pair(&(struct live_mishaps){.cut_to = 1u << 1});
    say(0, 1, 5);
    say(1, 0, 6);
    run_for(10);
    assert_int_equal(inbox[1].count, 0);
    assert_true(has_heard(0, 6));
    live_links_mishaps(node[0], &(struct live_mishaps){.cut_from = 1u << 1});
    inbox[0].count = 0;
    say(0, 1, 7);
    say(1, 0, 8);
    run_for(10);
    assert_true(has_heard(1, 7));
    assert_int_equal(inbox[0].count, 0);
    live_links_mishaps(node[0], &(struct live_mishaps){0});
    say(1, 0, 9);
    run_for(10);
    assert_true(has_heard(0, 9));
}

/* What waits is bounded, and given back when the links are closed. */
TEST(test_queue_is_bounded)
{
    start_pair(
        &(struct live_mishaps){.delay_min = 60000000, .delay_max = 60000000});
    say_many(LIVE_QUEUE_MAX + 300, 5);
    assert_int_equal(count(0, 1)->dropped, 300);
    assert_int_equal(inbox[1].count, 0);
    live_links_mishaps(node[0], &(struct live_mishaps){0});
    say(0, 1, 1);
    run_for(10);
    assert_true(has_heard(1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(test_what_is_sent_arrives),
        LINK_TEST(test_longest_and_empty_payloads_arrive),
        LINK_TEST(test_links_speak_ipv6),
        LINK_TEST(test_nodes_that_know_nothing_meet_within_a_round_trip),
        LINK_TEST(test_node_that_cannot_open_says_why),
        LINK_TEST(test_restarted_node_comes_back),
        LINK_TEST(test_node_set_back_is_refused_and_told),
        LINK_TEST(test_lost_write_is_told),
        LINK_TEST(test_told_before_anything_is_delivered),
        LINK_TEST(test_who_only_listens_is_told_too),
        LINK_TEST(test_recorded_datagrams_are_refused_now_and_after_a_restart),
        LINK_TEST(test_changed_and_cut_datagrams_are_counted_and_nothing_else),
        LINK_TEST(test_node_with_another_key_or_configuration_is_not_heard),
        LINK_TEST(test_loss_loses_its_share),
        LINK_TEST(test_duplicates_are_delivered_once),
        LINK_TEST(test_reordered_datagrams_all_arrive),
        LINK_TEST(test_delay_is_kept),
        LINK_TEST(test_cuts_have_a_direction),
        LINK_TEST(test_queue_is_bounded),
    };

    return cmocka_run_group_tests_name("live_link", tests, NULL, NULL);
}
