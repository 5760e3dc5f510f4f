/*
 * test_live_guests.c - nodes that join while others run: who is taken for whom,
 * first without sockets, byte by byte, and then over loopback.
 */
#include "live/wire/link_parts.h"

#include "core/wire.h"
#include "live/wire/guest.h"
#include "live/wire/news.h"
#include "tests/unit/kit/links.h"

enum { LATE = 3, LATER = 63, CONFIGS = 5 };

static const struct live_config_node late = {"late", "127.0.0.1", 7003, false},
                                     alias = {"alias", "127.0.0.1", 7004,
                                              false},
                                     later = {"later", "::1", 7063, false};

/* ---- Cards --------------------------------------------------------------- */

TEST(test_card_says_who_a_node_is)
{
    uint8_t bytes[LIVE_CARD_MAX], other[LIVE_CARD_MAX];
    struct live_config_node longest = {.port = 65535}, one;
    size_t size = live_card_pack(&late, LATE, bytes), more;

    assert_true(live_card_unpack(&one, LATE, bytes, size));
    assert_memory_equal(&one, &late, sizeof one);
    assert_false(live_card_unpack(&one, LATE + 1, bytes, size));
    assert_string_equal(one.name, "");
    memset(longest.name, 'n', LIVE_NAME_MAX - 1);
    memset(longest.host, 'h', LIVE_HOST_MAX - 1);
    more = live_card_pack(&longest, LATER, other);
    assert_int_equal(more, LIVE_CARD_MAX);
    assert_true(live_card_unpack(&one, LATER, other, more));
    assert_memory_equal(&one, &longest, sizeof one);
    for (size_t cut = 0; cut < size; cut++)
        assert_false(live_card_unpack(&one, LATE, bytes, cut));
}

/* Of everything that it says; and no two ways to write it. */
TEST(test_marks_differ_if_anything_does)
{
    uint8_t bytes[LIVE_CARD_MAX], other[LIVE_CARD_MAX];
    size_t size = live_card_pack(&late, LATE, bytes);
    uint64_t mark = live_card_mark(bytes, size);
    struct live_config_node one = late;

    assert_true(mark != 0);
    memcpy(other, bytes, size);
    for (size_t at = 0; at < size; at++) {
        other[at] ^= 1;
        assert_true(live_card_mark(other, size) != mark);
        other[at] ^= 1;
    }
    strcpy(one.name, "late1"); /* what is moved from the one to the other */
    strcpy(one.host, "27.0.0.1");
    size = live_card_pack(&one, LATE, other);
    assert_true(live_card_mark(other, size) != mark);
    config.nodes[LATE] = late;
    config.nodes_count = LATE + 1;
    assert_true(live_node_mark(&config, LATE) == mark);
    assert_true(live_node_mark(&config, 0) == 0);
    assert_true(live_node_mark(&config, LATER) == 0);
}

TEST(test_what_no_file_may_have_is_no_card)
{
    static const struct live_config_node wrong[] = {
        {"", "h", 1, false},    {".a", "h", 1, false},
        {"a/b", "h", 1, false}, {"a\nb", "h", 1, false},
        {"a b", "h", 1, false}, {"a", "", 1, false},
        {"a", "h h", 1, false}, {"a", "h\033[1m", 1, false},
        {"a", "h\n", 1, false}, {"a", "h;x", 1, false},
        {"a", "h", 0, false},   {"-a", "h", 1, false},
    };
    uint8_t bytes[LIVE_CARD_MAX];
    struct live_config_node one;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        size_t size = live_card_pack(&wrong[i], LATE, bytes);

        assert_false(live_card_unpack(&one, LATE, bytes, size));
        assert_string_equal(one.name, "");
    }
    live_card_pack(&late, LATE, bytes);
    bytes[LIVE_CARD_HEAD + 1] = 0; /* a name that ends early */
    assert_false(live_card_unpack(&one, LATE, bytes,
                                  live_card_pack(&late, LATE, bytes) + 1));
}

/* ---- Datagrams ----------------------------------------------------------- */

struct party {
    struct live_self self;
    struct live_keys keys;
    struct live_channel channels[LIVE_NODES_MAX];
};

static const uint8_t key[LIVE_KEY_BYTES] = "a key that everybody knows here";
static struct party first, guest;
static struct live_opened opened;

/* A node of a list of three, which knows nobody else. */
static void open_party(struct party *p, uint32_t id, uint64_t salt)
{
    memset(p, 0, sizeof *p);
    p->self = (struct live_self){.hash = 11,
                                 .life = 1,
                                 .salt = salt,
                                 .id = id,
                                 .nodes_count = 3,
                                 .first_count = 3,
                                 .generation = 2,
                                 .keys = &p->keys};
    live_keys_open(&p->keys, key);
    for (uint32_t x = 0; x < LIVE_NODES_MAX; x++)
        live_channel_open(&p->channels[x], key, id, x);
}

static uint64_t mark_of(const struct live_config_node *one, uint32_t id)
{
    uint8_t bytes[LIVE_CARD_MAX];

    return live_card_mark(bytes, live_card_pack(one, id, bytes));
}

static void know(struct party *p, uint32_t id,
                 const struct live_config_node *one)
{
    for (; p->self.nodes_count <= id; p->self.nodes_count++)
        p->self.absent |= UINT64_C(1) << p->self.nodes_count;
    p->self.absent &= ~(UINT64_C(1) << id);
    p->self.marks[id] = mark_of(one, id);
}

static struct sealed {
    uint8_t wire[LIVE_WIRE_MAX];
    size_t size;
} sealed;

static enum live_verdict open_at(struct party *p)
{
    return live_open(&p->self, p->channels, sealed.wire, sealed.size, &opened);
}

/* What the guest says of a node to another; judged, nothing may change. */
static enum live_verdict joins(struct party *from, uint32_t to, uint32_t as,
                               const struct live_config_node *one,
                               struct party *at)
{
    struct party before = *at;
    uint8_t card[LIVE_CARD_MAX];
    size_t size = live_card_pack(one, as, card);
    enum live_verdict verdict;

    sealed.size = live_seal(&from->self, &from->channels[to], to, LIVE_JOINS, 0,
                            card, size, sealed.wire);
    verdict = open_at(at);
    assert_memory_equal(&before, at, sizeof before);
    return verdict;
}

static void begin_pair(void)
{
    open_party(&first, 0, 200);
    open_party(&guest, LATE, 300);
    know(&guest, LATE, &late);
}

TEST(test_guest_introduces_itself)
{
    begin_pair();
    assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_JOINING);
    assert_int_equal(opened.from, LATE);
    assert_int_equal(opened.salt, 300);
    assert_memory_equal(&opened.guest, &late, sizeof late);
    know(&first, LATE, &late); /* from then on it is as any other */
    assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_UNPROVEN);
    know(&first, LATE, &alias);
    assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_JOINING);
}

TEST(test_guest_of_the_last_id)
{
    open_party(&first, 0, 200);
    open_party(&guest, LATER, 300);
    know(&guest, LATER, &later);
    assert_int_equal(joins(&guest, 0, LATER, &later, &first), LIVE_JOINING);
    assert_int_equal(opened.from, LATER);
}

TEST(test_introductions_that_are_none)
{
    begin_pair();
    /* Another node than its hash is of; an id that is not its own. */
    assert_int_equal(joins(&guest, 0, LATE, &alias, &first), LIVE_FOREIGN);
    assert_int_equal(joins(&guest, 0, LATE + 1, &late, &first), LIVE_ODD);
    guest.self.hash++; /* another configuration */
    assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_FOREIGN);
    guest.self.hash--;
    guest.self.salt = 0;
    assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_ODD);
    /* For another one; of this one's own id; of the first list. */
    begin_pair();
    assert_int_equal(joins(&guest, 1, LATE, &late, &first), LIVE_ODD);
    open_party(&first, LATE, 200);
    assert_int_equal(joins(&guest, LATE, LATE, &late, &first), LIVE_ODD);
    begin_pair();
    open_party(&guest, 1, 300);
    assert_int_equal(joins(&guest, 0, 1, &late, &first), LIVE_ODD);
}

/* Any byte that was changed, any length, and an id that there cannot be. */
TEST(test_introduction_is_sealed)
{
    struct party before;

    begin_pair();
    assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_JOINING);
    before = first;
    for (size_t at = 0; at < sealed.size; at++) {
        enum live_verdict verdict;

        sealed.wire[at] ^= 4;
        verdict = open_at(&first);
        sealed.wire[at] ^= 4;
        assert_true(verdict == LIVE_ODD || verdict == LIVE_FORGED);
    }
    for (size_t size = sealed.size; sealed.size-- > 0;)
        assert_true(size && open_at(&first) == LIVE_ODD);
    assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_JOINING);
    sealed.wire[LIVE_AT_FROM] = 64;
    assert_int_equal(open_at(&first), LIVE_ODD);
    assert_memory_equal(&before, &first, sizeof before);
}

/* Whatever else it sends is not believed before it is known; nor is anything of
 * another node with its id. */
TEST(test_two_nodes_of_one_id_are_never_taken_for_each_other)
{
    begin_pair();
    sealed.size =
        live_seal_hello(&guest.self, &guest.channels[0], 0, 200, sealed.wire);
    assert_int_equal(open_at(&first), LIVE_UNKNOWN);
    know(&first, LATE, &alias);
    sealed.size =
        live_seal_hello(&guest.self, &guest.channels[0], 0, 200, sealed.wire);
    assert_int_equal(open_at(&first), LIVE_FOREIGN);
    assert_int_equal(first.channels[LATE].salt, 0);
    sealed.size = live_seal_hello(&first.self, &first.channels[LATE], LATE, 300,
                                  sealed.wire);
    assert_int_equal(open_at(&guest), LIVE_FOREIGN);
    know(&first, LATE, &late);
    sealed.size =
        live_seal_hello(&guest.self, &guest.channels[0], 0, 200, sealed.wire);
    assert_int_equal(open_at(&first), LIVE_GREETED);
    assert_int_equal(first.channels[LATE].life, 1);
}

/* Between two that both joined later. */
TEST(test_two_guests)
{
    begin_pair();
    open_party(&first, LATER, 200);
    know(&first, LATER, &later);
    assert_int_equal(joins(&guest, LATER, LATE, &late, &first), LIVE_FOREIGN);
    know(&guest, LATER, &later);
    assert_int_equal(joins(&guest, LATER, LATE, &late, &first), LIVE_JOINING);
    know(&first, LATE, &late);
    sealed.size = live_seal_hello(&first.self, &first.channels[LATE], LATE, 300,
                                  sealed.wire);
    assert_int_equal(open_at(&guest), LIVE_GREETED);
}

/* P6: a guest of another generation proves that it runs, and is told. */
TEST(test_guest_of_another_generation)
{
    uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX];
    struct live_met met = {0};

    for (uint32_t known = 0; known < 2; known++) {
        begin_pair();
        if (known)
            know(&first, LATE, &late);
        first.self.generation = 3;
        first.self.hash = 12;
        assert_int_equal(joins(&guest, 0, LATE, &late, &first), LIVE_FOREIGN);
        assert_false(opened.stranger.proven);
        assert_int_equal(
            live_answer_stranger(&first.self, &opened.stranger, wires), 2);
        memcpy(sealed.wire, wires[0], LIVE_HELLO_BYTES);
        sealed.size = LIVE_HELLO_BYTES;
        assert_int_equal(open_at(&guest), LIVE_FOREIGN);
        assert_true(opened.stranger.proven);
        assert_int_equal(live_meet(&guest.self, &met, &opened.stranger),
                         LIVE_OUTDATED);
        memset(&met, 0, sizeof met);
        memcpy(sealed.wire, wires[1], LIVE_HELLO_BYTES);
        assert_int_equal(open_at(&guest), LIVE_UNPROVEN); /* it answers that */
        sealed.size = live_seal_hello(&guest.self, &guest.channels[0], 0,
                                      opened.salt, sealed.wire);
        assert_int_equal(open_at(&first), LIVE_FOREIGN);
        assert_true(opened.stranger.proven);
        assert_int_equal(live_meet(&first.self, &met, &opened.stranger),
                         LIVE_AHEAD);
        memset(&met, 0, sizeof met);
    }
}

/* ---- Between nodes ------------------------------------------------------- */

static struct live_config at[CONFIGS]; /* as each has it */
static struct live_links *extra;       /* the node that joins */
static struct live_links *second;      /* another one with its id */
static struct inbox extra_inbox;
static uint32_t asked;
static bool welcome;

static bool on_guest(void *whom, uint32_t id,
                     const struct live_config_node *one)
{
    struct live_config *own = whom;

    asked++;
    if (!welcome)
        return false;
    own->nodes[id] = *one;
    if (own->nodes_count <= id)
        own->nodes_count = id + 1;
    return true;
}

static void on_life(void *whom, uint32_t peer, uint64_t life, uint64_t began)
{
    (void)whom;
    (void)peer;
    (void)life;
    (void)began;
}

static void start_all(void)
{
    config.lease = 40000;
    asked = 0;
    welcome = true;
    memset(&extra_inbox, 0, sizeof extra_inbox);
    for (uint32_t i = 0; i < CONFIGS; i++)
        at[i] = config;
    for (uint32_t i = 0; i < NODES; i++) {
        node[i] =
            live_links_open(&loop, &at[i], i, 1, on_receive, &inbox[i], &error);
        assert_non_null(node[i]);
        live_links_guests(node[i], on_guest, &at[i]);
        live_links_watch(node[i], on_life);
    }
}

/* A node with an id that none of the others has heard of. */
static struct live_links *join(uint32_t which, const char *name, uint64_t life)
{
    struct live_config *own = &at[which];
    struct live_links *links;
    uint16_t port;

    if (!own->nodes[LATE].name[0]) {
        close(stranger(&port));
        strcpy(own->nodes[LATE].name, name);
        strcpy(own->nodes[LATE].host, "127.0.0.1");
        own->nodes[LATE].port = port;
        own->nodes_count = LATE + 1;
    }
    links = live_links_open(&loop, own, LATE, life, on_receive, &extra_inbox,
                            &error);
    assert_non_null(links);
    live_links_watch(links, on_life);
    return links;
}

static void leave(void)
{
    live_links_close(extra);
    extra = NULL;
}

static int end_all(void **state)
{
    if (extra)
        leave();
    if (second)
        live_links_close(second);
    second = NULL;
    return end(state);
}

static void speak(struct live_links *from, uint32_t to, uint32_t number)
{
    live_links_send(from, to, (const uint8_t *)&number, sizeof number);
}

/* Both hear each other. */
static void meet(struct live_links *links, uint32_t x)
{
    inbox[x].count = extra_inbox.count = 0;
    for (uint32_t tries = 0; tries < 2000; tries++) {
        speak(links, x, 1);
        if (live_self_knows(&node[x]->self, LATE))
            speak(node[x], LATE, 1);
        run_for(1);
        if (inbox[x].count && extra_inbox.count)
            return;
    }
    fail_msg("the guest and node %u never met", x);
}

TEST(test_node_joins_and_leaves)
{
    uint64_t before;

    start_all();
    introduce(0, 1);
    extra = join(3, "late", 1);
    for (uint32_t x = 0; x < NODES; x++)
        meet(extra, x);
    assert_int_equal(inbox[2].from[0], LATE);
    assert_int_equal(asked, NODES);
    assert_string_equal(at[1].nodes[LATE].name, "late");
    introduce(0, 1); /* as before */
    live_links_remove(node[0], LATE);
    before = count(0, LATE)->received;
    inbox[0].count = 0;
    extra_inbox.count = 0;
    for (uint32_t i = 0; i < 20; i++) {
        speak(extra, 0, 2);
        speak(node[0], LATE, 2);
        run_for(1);
    }
    assert_int_equal(inbox[0].count, 0);
    assert_int_equal(extra_inbox.count, 0);
    assert_true(count(0, LATE)->received == before);
    meet(extra, 1);
    assert_true(live_links_add(node[0], LATE, &error));
    meet(extra, 0); /* it goes on where it was */
    assert_int_equal(count(0, LATE)->replayed, 0);
    leave();
}

/* Two operators gave one id to two nodes. */
TEST(test_alias_is_refused_by_those_who_know_the_other)
{
    start_all();
    extra = join(3, "late", 1);
    meet(extra, 0);
    assert_int_equal(asked, 3);
    for (uint32_t i = 0; i < NODES; i++)
        node[i]->asked_at[LATE] = 0; /* long ago */
    second = join(4, "alias", 9);
    for (uint32_t i = 0; i < 200 && count(0, LATE)->old < 3; i++) {
        second->joins.timer_cb(&second->joins);
        speak(second, 0, 7);
        run_for(1);
    }
    assert_true(count(0, LATE)->old >= 3);
    assert_true(live_links_life(second, 0) == 0);
    assert_int_equal(live_links_life(node[0], LATE), 1);
    assert_false(has_heard(0, 7));
    assert_int_equal(asked, 3); /* somebody of that id is heard */
    meet(extra, 0);
    leave();
    /* Nobody is there any more, and the owner has another list. */
    for (uint32_t i = 0; i < NODES; i++)
        node[i]->troubles[LATE].good_at = 0;
    second->joins.timer_cb(&second->joins);
    meet(second, 0);
    assert_string_equal(at[0].nodes[LATE].name, "alias");
    assert_int_equal(live_links_life(node[0], LATE), 9);
}

/* Whoever is not welcome is asked about once in a while, and not heard. */
TEST(test_owner_is_asked_seldom)
{
    start_all();
    welcome = false;
    extra = join(3, "late", 1);
    for (uint32_t i = 0; i < 50; i++) {
        extra->joins.timer_cb(&extra->joins);
        speak(extra, 0, 1);
        run_for(1);
    }
    assert_in_range(asked, NODES, 3 * NODES); /* in some 100 ms */
    assert_false(live_self_knows(&node[0]->self, LATE));
    assert_int_equal(inbox[0].count, 0);
    assert_true(count(0, 0)->unproven > 0);
    assert_true(count(0, 0)->odd == 0);
    leave();
}

/* R8: it joins with either of two keys, and stays when one is dropped. */
TEST(test_guest_joins_while_a_key_is_exchanged)
{
    uint8_t next[LIVE_KEY_BYTES] = "the next key of all the nodes";

    start_all();
    introduce(0, 1);
    for (uint32_t i = 0; i < NODES; i++)
        assert_true(live_links_key_add(node[i], next, &error));
    extra = join(3, "late", 1); /* its file has the old one */
    meet(extra, 0);
    assert_true(live_links_key_lacks(node[0]) >> LATE & 1);
    assert_true(live_links_key_add(extra, next, &error));
    for (uint32_t i = 0; i < 2000 && live_links_key_lacks(node[0]) >> LATE & 1;
         i++) {
        speak(extra, 0, 1);
        speak(node[0], LATE, 1);
        run_for(1);
    }
    assert_false(live_links_key_lacks(node[0]) >> LATE & 1);
    live_links_key_drop(node[0]);
    live_links_key_drop(extra);
    meet(extra, 0);
    live_links_remove(node[0], LATE); /* it is not waited for any more */
    assert_false(live_links_key_lacks(node[0]) >> LATE & 1);
    leave();
}

/* It is somewhere else now, and the same node: the file says where. */
TEST(test_peer_of_the_first_list_moves)
{
    uint16_t port;

    start_all();
    introduce(0, 1);
    stop(1);
    close(stranger(&port));
    at[0].nodes[1].port = at[1].nodes[1].port = port;
    node[1] =
        live_links_open(&loop, &at[1], 1, 2, on_receive, &inbox[1], &error);
    assert_true(live_links_add(node[0], 1, &error));
    introduce(0, 1);
    assert_int_equal(live_links_life(node[0], 1), 2);
    strcpy(at[0].nodes[1].host, "::1"); /* not of this node's family */
    assert_false(live_links_add(node[0], 1, &error));
    assert_non_null(strstr(error.text, "IPv4"));
    introduce(0, 1);
}

#define GUEST_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end_all)

/* Said again of one that is where it was: nothing sent to it is lost. */
TEST(test_place_that_stays_is_kept)
{
    start_all();
    strcpy(at[0].nodes[1].host, "localhost");
    assert_true(live_links_add(node[0], 1, &error));
    assert_false(node[0]->places[1].known); /* it is looked up */
    introduce(0, 1);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(live_links_add(node[0], 1, &error));
        assert_true(live_links_add(node[0], 2, &error));
        assert_true(node[0]->places[1].known && !node[0]->places[1].look);
        assert_true(node[0]->is_direct[2] && !node[0]->places[2].closing);
    }
    at[0].nodes[2].port++;
    assert_true(live_links_add(node[0], 2, &error));
    assert_true(node[0]->places[2].closing);
    introduce(0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(test_card_says_who_a_node_is),
        GUEST_TEST(test_marks_differ_if_anything_does),
        GUEST_TEST(test_what_no_file_may_have_is_no_card),
        GUEST_TEST(test_guest_introduces_itself),
        GUEST_TEST(test_guest_of_the_last_id),
        GUEST_TEST(test_introductions_that_are_none),
        GUEST_TEST(test_introduction_is_sealed),
        GUEST_TEST(test_two_nodes_of_one_id_are_never_taken_for_each_other),
        GUEST_TEST(test_two_guests),
        GUEST_TEST(test_guest_of_another_generation),
        GUEST_TEST(test_node_joins_and_leaves),
        GUEST_TEST(test_alias_is_refused_by_those_who_know_the_other),
        GUEST_TEST(test_owner_is_asked_seldom),
        GUEST_TEST(test_guest_joins_while_a_key_is_exchanged),
        GUEST_TEST(test_peer_of_the_first_list_moves),
        GUEST_TEST(test_place_that_stays_is_kept),
    };

    return cmocka_run_group_tests_name("live_guests", tests, NULL, NULL);
}
