/*
 * test_live_sane_courier.c - parcels and the numbers that were taken: each rule
 * broken once, and the right sentence.
 */
#include "live/wire/courier.c"

#include "tests/unit/kit/broken.h"

static void transmit_nothing(void *whom, uint32_t to, const uint8_t *bytes,
                             size_t size)
{
    (void)whom;
    (void)to;
    (void)bytes;
    (void)size;
}

#define BROKEN_COURIER(at, value, sentence)                                    \
    BROKEN(at, value, live_courier_sane(c), sentence)

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
    BROKEN_COURIER(second->number, 1,
                   "parcels are under way in the order of their numbers");
    BROKEN_COURIER(p->sent, 1,
                   "parcels are under way in the order of their numbers");
    BROKEN_COURIER(first->size, LIVE_COURIER_ROOM + 1,
                   "a parcel that is under way has messages, and fits");
    BROKEN_COURIER(first->size, 0,
                   "a parcel that is under way has messages, and fits");
    BROKEN_COURIER(first->answers, 1, "a parcel answers one that was taken");
    BROKEN_COURIER(p->sent, 1 + LIVE_WINDOW,
                   "no number is under way that the peer takes for an old one");
    BROKEN_COURIER(p->count, 3, "as many parcels are under way as are counted");
    BROKEN_COURIER(p->state, LIVE_PEER_DEAD,
                   "nothing is sent to a peer that is gone");
    BROKEN_COURIER(c->peers[0].sent, 1, "a node sends nothing to itself");
    BROKEN_COURIER(p->window.taken[3], 1,
                   "nothing is taken before the first number");
    BROKEN_COURIER(p->window.highest, 70, "the highest number was taken");
    live_courier_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_broken_courier_says_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
