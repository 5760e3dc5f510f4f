/*
 * test_live_ring.c - two keys of a cluster, and what versions nodes speak: no
 * socket here, every byte is ours to change.
 */
#include <sodium.h>

#include "core/wire.h"
#include "live/wire/ring.h"
#include "tests/unit/kit/testing.h"

enum { PARTIES = 3 };

struct party {
    struct live_self self;
    struct live_channel channels[LIVE_NODES_MAX];
    struct live_ring ring;
};

static const uint8_t old[LIVE_KEY_BYTES] = "the key that may have leaked",
                     new[LIVE_KEY_BYTES] = "the key that nobody else has",
                     third[LIVE_KEY_BYTES] = "one key too many";

static struct party all[PARTIES];
static struct net_why error;
static struct live_opened opened;

static void open_party(struct party *p, uint32_t id, uint64_t life)
{
    memset(p, 0, sizeof *p);
    p->self = (struct live_self){.hash = 11,
                                 .life = life,
                                 .salt = 100 * id + life,
                                 .id = id,
                                 .generation = 1,
                                 .nodes_count = PARTIES,
                                 .first_count = PARTIES};
    live_ring_open(&p->ring, old);
    p->self.keys = &p->ring.keys[LIVE_MAIN];
    for (uint32_t i = 0; i < PARTIES; i++) {
        live_channel_open(&p->channels[i], old, id, i);
        p->channels[i].told = true; /* what this test is not about */
    }
}

struct sealed {
    uint8_t wire[LIVE_WIRE_MAX];
    size_t size;
};

static struct sealed seal(struct party *from, const struct party *to)
{
    struct live_channel *channel = &from->channels[to->self.id];
    struct sealed s;

    s.size = live_seal(&from->self, channel, to->self.id, LIVE_DATA,
                       to->self.salt, (const uint8_t *)"x", 1, s.wire);
    return s;
}

static enum live_verdict opens(struct party *p, const struct sealed *s)
{
    return live_open(&p->self, p->channels, s->wire, s->size, &opened);
}

/* The slot of the reader by which a frame is read; -1: it is not. */
static int reads(struct party *from, struct party *to)
{
    struct sealed s = seal(from, to);

    return opens(to, &s) == LIVE_GOOD ? (int)opened.slot : -1;
}

static void show(struct party *from, struct party *to)
{
    struct live_channel *channel = &from->channels[to->self.id];
    uint8_t bytes[LIVE_SHOWN_BYTES];
    struct sealed s;

    live_ring_say(&from->ring, channel, bytes);
    s.size = live_seal(&from->self, channel, to->self.id, LIVE_SHOWS,
                       to->self.salt, bytes, sizeof bytes, s.wire);
    assert_int_equal(opens(to, &s), LIVE_SHOWN);
    (void)live_ring_hear(&to->ring, &to->channels[from->self.id], opened.slot,
                         opened.bytes);
}

static bool add(struct party *p, const uint8_t *key)
{
    return live_ring_add(&p->ring, &p->self, p->channels, key, &error);
}

static void swap(struct party *p)
{
    live_ring_swap(&p->ring, &p->self, p->channels);
}

static void drop(struct party *p)
{
    live_ring_drop(&p->ring, &p->self, p->channels);
}

static uint64_t lacks(const struct party *p)
{
    return live_ring_lacks(&p->self, p->channels);
}

/* All have met. */
static int begin(void **state)
{
    (void)state;
    if (sodium_init() < 0)
        return -1;
    for (uint32_t i = 0; i < PARTIES; i++)
        open_party(&all[i], i, 1);
    for (uint32_t i = 0; i < PARTIES; i++)
        for (uint32_t j = 0; j < PARTIES; j++)
            if (i != j)
                assert_int_equal(reads(&all[i], &all[j]), LIVE_MAIN);
    return 0;
}

/* ---- Fingerprints -------------------------------------------------------- */

/* Pinned: nodes of all versions must call a key the same. */
TEST(test_fingerprint_is_a_hash_of_the_key)
{
    char text[LIVE_PRINT_TEXT];

    assert_true(live_key_print(old) == UINT64_C(0xcc841e0584b883d9));
    assert_string_equal(live_print_text(live_key_print(old), text), "84b883d9");
    assert_true(live_key_print(old) != live_key_print(new));
    assert_true(live_key_print(old) != fc_get64(old));
}

/* ---- An exchange --------------------------------------------------------- */

/* Whatever is done in whatever order, and whichever showings are lost: what a
 * node sends, its receiver reads, as long as keys are dropped by the rule. */
TEST(test_exchange_has_no_gap)
{
    uint64_t seed = 7, drops = 0, whole = 0;

    for (uint32_t run = 0; run < 300; run++) {
        begin(NULL);
        for (uint32_t step = 0; step < 200; step++) {
            struct party *p, *q;

            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            p = &all[(seed >> 33) % PARTIES];
            q = &all[((seed >> 33) + 1 + (seed >> 40) % 2) % PARTIES];
            switch ((seed >> 50) % 8) {
            case 0:
                if (p->ring.print[LIVE_MAIN] == live_key_print(old))
                    (void)add(p, new);
                break;
            case 1:
                if (p->ring.print[LIVE_SPARE] && p->ring.spare_newer)
                    swap(p);
                break;
            case 2:
                if (p->ring.print[LIVE_SPARE] == live_key_print(old) &&
                    !lacks(p)) {
                    drop(p);
                    drops++;
                }
                break;
            case 3:
            case 4:
                show(p, q);
                break;
            default:
                assert_true(reads(p, q) >= 0);
            }
        }
        whole += !all[0].ring.print[1] && !all[1].ring.print[1] &&
                 !all[2].ring.print[1] && all[0].ring.dropped_count;
    }
    assert_true(drops > 800);
    assert_true(whole > 250);
}

TEST(test_newest_key_that_was_shown_is_sent_with)
{
    begin(NULL);
    assert_true(add(&all[0], new));
    assert_int_equal(reads(&all[0], &all[1]), LIVE_MAIN); /* the old one */
    assert_int_equal(live_channel_slot(&all[0].channels[1]), LIVE_SPARE);
    show(&all[0], &all[1]);
    assert_true(add(&all[1], new));
    /* It has shown that it has both, before this one had them. */
    assert_int_equal(live_channel_slot(&all[1].channels[0]), LIVE_MAIN);
    assert_int_equal(reads(&all[1], &all[0]), LIVE_MAIN);
    assert_int_equal(live_channel_slot(&all[0].channels[1]), LIVE_MAIN);
    assert_int_equal(live_channel_slot(&all[0].channels[2]), LIVE_SPARE);
}

/* One that has shown nothing yet: all can read the older key until it is
 * dropped, also where the other one is preferred no more. */
TEST(test_older_key_is_for_those_that_have_shown_nothing)
{
    open_party(&all[0], 0, 1);
    assert_true(add(&all[0], new));
    assert_int_equal(live_channel_slot(&all[0].channels[1]), LIVE_SPARE);
    assert_int_equal(lacks(&all[0]), 6);
    swap(&all[0]);
    assert_int_equal(live_channel_slot(&all[0].channels[1]), LIVE_MAIN);
    assert_int_equal(lacks(&all[0]), 6);
}

TEST(test_drop_waits_for_all)
{
    begin(NULL);
    assert_true(add(&all[0], new));
    assert_int_equal(lacks(&all[0]), 6);
    assert_true(add(&all[1], new));
    show(&all[1], &all[0]);
    assert_int_equal(lacks(&all[0]), 6); /* it says so, but sends otherwise */
    show(&all[0], &all[1]);
    assert_true(reads(&all[1], &all[0]) >= 0);
    assert_int_equal(lacks(&all[0]), 4);
    assert_true(add(&all[2], new));
    show(&all[0], &all[2]);
    assert_true(reads(&all[2], &all[0]) >= 0);
    assert_int_equal(lacks(&all[0]), 0);
    swap(&all[0]);
    assert_int_equal(lacks(&all[0]), 6); /* the others send with the new one */
}

TEST(test_nothing_is_shown_while_there_is_one_key)
{
    struct live_channel *c = &all[1].channels[0];
    uint8_t bytes[LIVE_SHOWN_BYTES];

    begin(NULL);
    assert_false(live_ring_speaks(&all[1].ring, c));
    assert_true(add(&all[0], new));
    assert_true(live_ring_speaks(&all[0].ring, &all[0].channels[1]));
    show(&all[0], &all[1]);
    assert_true(live_ring_speaks(&all[1].ring, c));
    live_ring_say(&all[1].ring, c, bytes);
    assert_true(
        live_ring_hear(&all[0].ring, &all[0].channels[1], 0, bytes).asks);
    drop(&all[0]);
    live_ring_say(&all[0].ring, &all[0].channels[1], bytes);
    assert_false(live_ring_hear(&all[1].ring, c, 0, bytes).asks);
    assert_false(live_ring_speaks(&all[1].ring, c));
}

/* ---- Refused keys -------------------------------------------------------- */

TEST(test_ring_refuses_keys)
{
    begin(NULL);
    assert_false(add(&all[0], old));
    assert_non_null(strstr(error.text, "already"));
    assert_true(add(&all[0], new));
    assert_false(add(&all[0], new));
    assert_false(add(&all[0], third));
    assert_non_null(strstr(error.text, "two keys"));
    drop(&all[0]);
    assert_false(add(&all[0], old));
    assert_non_null(strstr(error.text, "not taken again"));
    for (uint8_t i = 1; i < LIVE_DROPPED_MAX; i++) {
        uint8_t key[LIVE_KEY_BYTES] = {i};

        assert_true(add(&all[0], key));
        drop(&all[0]);
    }
    assert_false(add(&all[0], third));
    assert_non_null(strstr(error.text, "restart"));
}

/* ---- Attacks ------------------------------------------------------------- */

/* Who has the old key gives numbers that are far ahead: they shut out what is
 * sealed with the same key, which he could forge anyway, and nothing else. */
TEST(test_old_key_does_not_move_the_window_of_the_new_one)
{
    struct party thief;

    begin(NULL);
    assert_true(add(&all[0], new));
    assert_true(add(&all[1], new));
    show(&all[0], &all[1]);
    assert_true(reads(&all[1], &all[0]) >= 0);
    open_party(&thief, 1, 1);
    thief.channels[0].sent = UINT64_C(1) << 38;
    assert_int_equal(reads(&thief, &all[0]), LIVE_SPARE);
    assert_int_equal(reads(&all[1], &all[0]), LIVE_MAIN);
    drop(&all[0]);
    assert_int_equal(reads(&all[1], &all[0]), LIVE_MAIN);
}

TEST(test_dropped_key_opens_nothing)
{
    struct sealed s, odd;
    struct party thief;

    begin(NULL);
    open_party(&thief, 1, 1);
    thief.channels[0].sent = 50;
    assert_true(add(&all[0], new));
    s = seal(&thief, &all[0]);
    drop(&all[0]);
    assert_int_equal(opens(&all[0], &s), LIVE_FORGED);
    assert_true(opened.dropped);
    odd = s;
    odd.wire[odd.size - 1] ^= 1;
    assert_int_equal(opens(&all[0], &odd), LIVE_FORGED);
    assert_false(opened.dropped);
}

/* Numbers are taken once, whichever key comes and goes. */
TEST(test_replays_are_refused_under_either_key)
{
    struct sealed first, second;

    begin(NULL);
    first = seal(&all[1], &all[0]);
    assert_int_equal(opens(&all[0], &first), LIVE_GOOD);
    assert_true(add(&all[0], new));
    assert_int_equal(opens(&all[0], &first), LIVE_REPLAYED);
    assert_true(add(&all[1], new));
    show(&all[0], &all[1]);
    second = seal(&all[1], &all[0]);
    assert_int_equal(opens(&all[0], &second), LIVE_GOOD);
    assert_int_equal(opened.slot, LIVE_MAIN);
    assert_int_equal(opens(&all[0], &second), LIVE_REPLAYED);
    swap(&all[0]);
    assert_int_equal(opens(&all[0], &first), LIVE_REPLAYED);
    assert_int_equal(opens(&all[0], &second), LIVE_REPLAYED);
    swap(&all[0]);
    drop(&all[0]);
    assert_int_equal(opens(&all[0], &second), LIVE_REPLAYED);
}

/* A number is given once, whatever it is sealed with: so no nonce is used
 * twice. */
TEST(test_numbers_are_counted_over_both_keys)
{
    struct sealed a, b;

    begin(NULL);
    a = seal(&all[0], &all[1]);
    assert_true(add(&all[0], new));
    b = seal(&all[0], &all[1]);
    assert_int_equal(fc_get64(b.wire + LIVE_AT_NUMBER),
                     fc_get64(a.wire + LIVE_AT_NUMBER) + 1);
    swap(&all[0]);
    swap(&all[0]);
    a = seal(&all[0], &all[1]);
    assert_int_equal(fc_get64(a.wire + LIVE_AT_NUMBER),
                     fc_get64(b.wire + LIVE_AT_NUMBER) + 1);
}

/* ---- Restarts ------------------------------------------------------------ */

/* A node that has restarted with one key alone: it shows by what it sends which
 * one, and is answered by that. */
TEST(test_restarted_node_is_answered_by_its_key)
{
    struct sealed s;
    uint64_t echo;

    begin(NULL);
    assert_true(add(&all[0], new));
    assert_true(add(&all[1], new));
    show(&all[0], &all[1]);
    assert_true(reads(&all[1], &all[0]) >= 0);
    assert_int_equal(live_channel_slot(&all[0].channels[1]), LIVE_MAIN);
    open_party(&all[1], 1, 2); /* with the old one */
    all[1].channels[0].told = false;
    s.size = live_seal_hello(&all[1].self, &all[1].channels[0], 0, 0, s.wire);
    assert_int_equal(opens(&all[0], &s), LIVE_UNPROVEN);
    assert_true(
        live_greets_back(LIVE_UNPROVEN, &opened, all[0].channels, &echo));
    s.size = live_seal_answer(&all[0].self, &all[0].channels[1], 1, echo,
                              opened.slot, s.wire);
    assert_int_equal(opens(&all[1], &s), LIVE_GREETED);
    s.size = live_seal_hello(&all[1].self, &all[1].channels[0], 0,
                             all[0].self.salt, s.wire);
    assert_int_equal(opens(&all[0], &s), LIVE_GREETED);
    assert_true(opened.new_life);
    /* What its earlier life could read is forgotten. */
    assert_int_equal(live_channel_slot(&all[0].channels[1]), LIVE_SPARE);
    assert_int_equal(reads(&all[0], &all[1]), LIVE_MAIN);
    assert_int_equal(lacks(&all[0]) & 2, 2);
}

/* ---- Other generations --------------------------------------------------- */

/* It is heard with either key, and answered by the one that it has (P6). */
TEST(test_strangers_are_met_with_either_key)
{
    uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX];
    struct sealed s;
    struct party stranger;

    begin(NULL);
    open_party(&stranger, 1, 1);
    stranger.self.generation = 2;
    stranger.self.hash = 12;
    assert_true(add(&all[0], new));
    s = seal(&stranger, &all[0]);
    assert_int_equal(opens(&all[0], &s), LIVE_FOREIGN);
    assert_int_equal(opened.stranger.slot, LIVE_SPARE);
    opened.stranger.proven = false;
    assert_int_equal(
        live_answer_stranger(&all[0].self, &opened.stranger, wires), 2);
    s.size = LIVE_HELLO_BYTES;
    memcpy(s.wire, wires[0], s.size);
    assert_int_equal(opens(&stranger, &s), LIVE_FOREIGN);
    drop(&all[0]);
    assert_null(all[0].self.keys->spare);
    s = seal(&stranger, &all[0]);
    assert_int_equal(opens(&all[0], &s), LIVE_FORGED);
}

/* ---- Versions ------------------------------------------------------------ */

/* As a node of another version seals: 0.4.0 wrote no range. */
static struct sealed seal_as(uint32_t least, uint32_t most)
{
    struct party *p = &all[1];
    uint64_t own = ((uint64_t)LIVE_LINK_LEAST << LIVE_LEAST_BITS) +
                   ((uint64_t)LIVE_LINK_VERSION << LIVE_NUMBER_BITS);
    struct sealed s;

    open_party(p, 1, 2);
    p->channels[0].sent = ((uint64_t)least << LIVE_LEAST_BITS) +
                          ((uint64_t)most << LIVE_NUMBER_BITS) - own + 5;
    s = seal(p, &all[0]);
    assert_int_equal(fc_get64(s.wire + LIVE_AT_NUMBER) >> LIVE_NUMBER_BITS,
                     least << 8 | most);
    return s;
}

TEST(test_lowest_common_version_is_spoken)
{
    struct live_channel *c = all[0].channels;
    uint64_t least = 9;
    struct sealed s;

    begin(NULL);
    assert_int_equal(live_spoken(&all[0].self, c, UINT64_MAX, &least),
                     LIVE_LINK_VERSION);
    assert_int_equal(least, 0);
    s = seal_as(0, 0);
    assert_int_equal(opens(&all[0], &s), LIVE_GOOD);
    assert_int_equal(live_spoken(&all[0].self, c, UINT64_MAX, &least), 0);
    assert_int_equal(least, 2);
    assert_int_equal(live_spoken(&all[0].self, c, 5, &least),
                     LIVE_LINK_VERSION); /* not of whom the list has not */
    assert_int_equal(least, 0);
    all[0].self.absent = 2;
    assert_int_equal(live_spoken(&all[0].self, c, UINT64_MAX, NULL),
                     LIVE_LINK_VERSION);
    all[0].self.absent = 0;
    assert_int_equal(live_spoken_with(&c[1]), 0);
    assert_int_equal(live_spoken_with(&c[2]), LIVE_LINK_VERSION);
    s = seal_as(LIVE_LINK_VERSION, LIVE_LINK_VERSION + 3);
    all[1].self.life = 3;
    s = seal(&all[1], &all[0]);
    assert_int_equal(opens(&all[0], &s), LIVE_GOOD);
    assert_int_equal(live_spoken(&all[0].self, c, UINT64_MAX, NULL),
                     LIVE_LINK_VERSION);
}

/* One that was never heard may be of any version. */
TEST(test_unheard_node_speaks_the_least)
{
    uint64_t least;

    open_party(&all[0], 0, 1);
    assert_int_equal(
        live_spoken(&all[0].self, all[0].channels, UINT64_MAX, &least),
        LIVE_LINK_LEAST);
    assert_int_equal(least, 6);
}

TEST(test_no_common_version_is_refused)
{
    struct sealed s;

    begin(NULL);
    s = seal_as(LIVE_LINK_VERSION + 1, LIVE_LINK_VERSION + 1);
    assert_int_equal(opens(&all[0], &s), LIVE_UNSPOKEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fingerprint_is_a_hash_of_the_key),
        cmocka_unit_test(test_exchange_has_no_gap),
        cmocka_unit_test(test_newest_key_that_was_shown_is_sent_with),
        cmocka_unit_test(test_older_key_is_for_those_that_have_shown_nothing),
        cmocka_unit_test(test_drop_waits_for_all),
        cmocka_unit_test(test_nothing_is_shown_while_there_is_one_key),
        cmocka_unit_test(test_ring_refuses_keys),
        cmocka_unit_test(test_old_key_does_not_move_the_window_of_the_new_one),
        cmocka_unit_test(test_dropped_key_opens_nothing),
        cmocka_unit_test(test_replays_are_refused_under_either_key),
        cmocka_unit_test(test_numbers_are_counted_over_both_keys),
        cmocka_unit_test(test_restarted_node_is_answered_by_its_key),
        cmocka_unit_test(test_strangers_are_met_with_either_key),
        cmocka_unit_test(test_lowest_common_version_is_spoken),
        cmocka_unit_test(test_unheard_node_speaks_the_least),
        cmocka_unit_test(test_no_common_version_is_refused),
    };

    return cmocka_run_group_tests(tests, begin, NULL);
}
