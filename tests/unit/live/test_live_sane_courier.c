/*
 * test_live_sane_courier.c - parcels and the numbers that were taken: each rule
 * broken once, and the right sentence.
 */
#include "live/wire/courier.c"

#include "tests/unit/kit/test.h"

static void transmit_nothing(void *whom, uint32_t to, const uint8_t *bytes,
                             size_t size)
{
    (void)whom;
    (void)to;
    (void)bytes;
    (void)size;
}

#define BROKEN(at, value, sentence)                                            \
    do {                                                                       \
        __typeof__(at) was = (at);                                             \
        (at) = (value);                                                        \
        assert_non_null(live_courier_sane(c));                                 \
        assert_string_equal(live_courier_sane(c), sentence);                   \
        (at) = was;                                                            \
        assert_null(live_courier_sane(c));                                     \
    } while (0)

/* Two parcels are under way from node 0 to node 1. */
TEST(test_a_broken_courier_says_what_is_broken)
{
    static const struct live_courier_times times = {100, 10, 1000};
    static const struct live_courier_owner owner = {.transmit =
                                                        transmit_nothing};
    struct live_courier *c = live_courier_open(3, 0, &times, &owner);
    struct under_way *first, *second;
    struct peer *p;

    assert_non_null(c);
    assert_null(live_courier_sane(c));
    p = &c->peers[1];
    for (uint64_t i = 0; i < 2; i++) {
        (void)live_courier_put(c, 1, (const uint8_t *)"x", 1, i);
        live_courier_ship(c, i);
    }
    first = TAILQ_FIRST(&p->list);
    second = TAILQ_NEXT(first, in_peer);
    BROKEN(second->number, 1,
           "parcels are under way in the order of their numbers");
    BROKEN(p->sent, 1, "parcels are under way in the order of their numbers");
    BROKEN(first->size, LIVE_COURIER_ROOM + 1,
           "a parcel that is under way has messages, and fits");
    BROKEN(first->size, 0, "a parcel that is under way has messages, and fits");
    BROKEN(first->answers, 1, "a parcel answers one that was taken");
    BROKEN(p->sent, 1 + LIVE_WINDOW,
           "no number is under way that the peer takes for an old one");
    BROKEN(p->count, 3, "as many parcels are under way as are counted");
    BROKEN(p->state, LIVE_PEER_DEAD, "nothing is sent to a peer that is gone");
    BROKEN(c->peers[0].sent, 1, "a node sends nothing to itself");
    BROKEN(p->window.taken[3], 1, "nothing is taken before the first number");
    BROKEN(p->window.highest, 70, "the highest number was taken");
    live_courier_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_broken_courier_says_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
