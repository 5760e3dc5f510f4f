/*
 * test_live_sane_post.c - messages that came too early: each rule broken once,
 * and the right sentence.
 */
#include "live/play/post.c"

#include "tests/unit/kit/test.h"

TEST(test_a_broken_post_says_what_is_broken)
{
    static const struct live_post_owner owner = {.whom = NULL};
    struct live_post *p = live_post_open(2, 0, 1, &owner);
    const struct early like = {.order = 5, .mark = {.from = 1, .life = 3}};
    struct peer *peer;

    assert_non_null(p);
    assert_null(live_post_sane(p));
    peer = &p->peers[1];
    peer->life = 3;
    peer->taken = 3;
    keep(p, peer, &like, (const uint8_t *)"");
    assert_null(live_post_sane(p));
    peer->taken = 4;
    assert_string_equal(live_post_sane(p),
                        "what came early waits for something");
    peer->taken = 3;
    peer->life = 4;
    assert_string_equal(live_post_sane(p),
                        "what came early is of the present life of its sender");
    peer->life = 3;
    keep(p, peer, &like, (const uint8_t *)"");
    assert_string_equal(live_post_sane(p), "a message comes once");
    live_post_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_broken_post_says_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
