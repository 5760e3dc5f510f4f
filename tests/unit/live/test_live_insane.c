/*
 * test_live_insane.c - mode silence: a site whose state contradicts itself is
 * found at its next event, before anything is sent.
 */
#include "live/mode/sites.c"

#include "tests/unit/kit/test.h"

static struct {
    uint32_t sent, insane;
    const char *sentence;
} told;

static bool save_nothing(void *whom, uint64_t floor)
{
    (void)whom;
    (void)floor;
    return true;
}

static uint64_t count_sent_bytes(void *whom, uint32_t to, const uint8_t *bytes,
                                 size_t size)
{
    (void)whom;
    (void)to;
    (void)bytes;
    (void)size;
    return ++told.sent;
}

static bool settled(void *whom, uint32_t to, uint64_t sent)
{
    (void)whom;
    (void)to;
    (void)sent;
    return true;
}

static void insane(void *whom, const char *sentence)
{
    (void)whom;
    told.insane++;
    told.sentence = sentence;
}

TEST(test_a_contradiction_stops_the_node)
{
    static const struct live_sites_times times = {
        .window = 100, .mute = 10, .poll = 50, .block = 8};
    static const struct live_sites_owner owner = {
        save_nothing, count_sent_bytes, settled, insane, NULL};
    struct live_sites *all = live_sites_open(3, 0, &times, 1, 0, &owner, 1);

    assert_non_null(all);
    live_sites_tick(all, 1000);
    assert_true(told.sent > 0); /* it greets, and nobody answers */
    assert_int_equal(told.insane, 0);
    fc_set_add(&all->sites[0].state.pos, 0); /* its own consent */
    told.sent = 0;
    live_sites_tick(all, 2000);
    assert_int_equal(told.insane, 1);
    assert_string_equal(told.sentence, "a site does not deal with itself");
    assert_int_equal(told.sent, 0);
    live_sites_tick(all, 3000);
    assert_int_equal(told.sent, 0);
    assert_int_equal(told.insane, 1);
    live_sites_close(all);
}

/* What is true of all sites together. */
TEST(test_broken_sites_say_what_is_broken)
{
    static const struct live_sites_times times = {
        .window = 100, .mute = 10, .poll = 50, .block = 8};
    static const struct live_sites_owner owner = {
        save_nothing, count_sent_bytes, settled, insane, NULL};
    struct live_sites *all = live_sites_open(3, 0, &times, 1, 0, &owner, 1);
    struct site *site;

    assert_non_null(all);
    assert_true(
        live_sites_command(all, LIVE_WANT, 7, 2)); /* later: it is mute */
    site = find(all, 7);
    assert_true(site && site->wants);
    assert_null(live_sites_sane(all));
    site->state.mode = ARCHIMEDEAN_WINDOW;
    assert_string_equal(live_sites_sane(all),
                        "a site that is still to ask is idle");
    site->state.mode = ARCHIMEDEAN_IDLE;
    all->sites[0].state.mode = ARCHIMEDEAN_IDLE;
    assert_string_equal(live_sites_sane(all),
                        "a node that takes part has asked for what it wants");
    site->wants = false;
    site->lock = 0;
    assert_string_equal(live_sites_sane(all),
                        "any other site is that of a lock");
    all->sites[0].lock = 7;
    assert_string_equal(live_sites_sane(all),
                        "the first site is the node's own");
    live_sites_close(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_contradiction_stops_the_node),
        cmocka_unit_test(test_broken_sites_say_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
