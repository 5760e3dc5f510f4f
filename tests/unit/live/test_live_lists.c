/*
 * test_live_lists.c - whom configurations name: rosters (live/config/roster.h),
 * how nodes get them from each other (live/mode/lists.h), and nodes of mode
 * proven that change their list in virtual time, with what they keep.
 */
#include "live/mode/mode_proven_record.h"

#include "tests/unit/kit/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/wire.h"
#include "live/mode/mode.h"

enum { NODES = 6, FIRST = 3, MS = 1000 };

static struct live_config config;
static struct net_why error;

/* Nodes 0 to 2 in the first list; the others have joined later. */
static void configure(void)
{
    char text[2048] = "[cluster]\ntau = 5ms\nlease = 200ms\ndelay = 2ms\n";

    for (uint32_t i = 0; i < NODES; i++) {
        char node[96];

        snprintf(node, sizeof node, "[node n%u]\nhost = h%u\nport = %u\n", i, i,
                 7000 + i);
        strcat(text, node);
        if (i >= FIRST) {
            snprintf(node, sizeof node, "id = %u\n", i);
            strcat(text, node);
        }
    }
    if (!live_config_parse(&config, "x", text, strlen(text), &error))
        fail_msg("%s", error.text);
    assert_int_equal(config.first_count, FIRST);
}

/* ---- Rosters ------------------------------------------------------------- */

TEST(test_roster_has_the_nodes_that_joined)
{
    struct live_roster made, read;
    struct live_config_node node;

    configure();
    assert_true(
        live_roster_make(&made, &config, live_first(5), 5, 100 * MS, &error));
    assert_true(live_roster_read(&read, made.bytes, made.size));
    assert_true(read.hash == made.hash && read.hash != 0);
    assert_int_equal(live_roster_next(&read), 5);
    assert_int_equal(live_roster_tau(&read), 100 * MS);
    assert_true(live_roster_nodes(&read) == (live_only(3) | live_only(4)));
    assert_true(live_roster_find(&read, 4, &node));
    assert_string_equal(node.name, "n4");
    assert_string_equal(node.host, "h4");
    assert_int_equal(node.port, 7004);
    assert_false(live_roster_find(&read, 2, &node)); /* it is in the file */
    assert_false(live_roster_find(&read, 5, &node));
}

TEST(test_roster_names_nobody_unknown)
{
    struct live_roster roster;

    configure();
    assert_false(
        live_roster_make(&roster, &config, live_only(9), 10, MS, &error));
}

/* Its place in a record is limited. */
TEST(test_long_names_are_refused)
{
    static struct live_config many;
    struct live_roster roster;
    live_node_set set = 0;
    uint32_t fits = 0;

    configure();
    many = config;
    many.nodes_count = LIVE_NODES_MAX;
    for (uint32_t i = FIRST; i < LIVE_NODES_MAX; i++) {
        memset(many.nodes[i].name, 'a', 20);
        memset(many.nodes[i].host, 'b', 100);
        many.nodes[i].port = 1;
        set |= live_only(i);
        fits += live_roster_make(&roster, &many, set, i + 1, MS, &error);
    }
    assert_int_equal(fits, (LIVE_ROSTER_MAX - 8) / 125);
    assert_non_null(strstr(error.text, "shorter"));
}

/* Whatever the bytes are, nothing is read beyond them, and what is taken is in
 * the one form that it has. */
TEST(test_damaged_rosters_are_refused)
{
    struct live_roster made, read;
    uint32_t taken = 0;

    configure();
    assert_true(live_roster_make(&made, &config, live_first(6), 6, MS, &error));
    for (uint32_t size = 0; size < made.size; size++)
        taken += live_roster_read(&read, made.bytes, size);
    assert_int_equal(taken, 3); /* with none, one or two of its three nodes */
    for (uint32_t i = 0; i < made.size; i++) {
        uint8_t bytes[LIVE_ROSTER_MAX];

        memcpy(bytes, made.bytes, made.size);
        for (uint32_t value = 0; value < 256; value++) {
            bytes[i] = (uint8_t)value;
            if (live_roster_read(&read, bytes, made.size))
                assert_true(read.hash == made.hash || value != made.bytes[i]);
        }
    }
    made.bytes[8] = 5; /* not in the order of ids */
    assert_false(live_roster_read(&read, made.bytes, made.size));
}

/* ---- In parts ------------------------------------------------------------ */

static struct live_unread unread(const uint8_t *bytes, size_t size)
{
    return (struct live_unread){bytes, size};
}

TEST(test_roster_comes_in_parts)
{
    static struct live_lists here;
    uint8_t part[3][LIVE_LISTS_MESSAGE], ask[LIVE_LISTS_MESSAGE];
    size_t size[3];
    struct live_roster long_one, whole;
    static struct live_config many;

    configure();
    many = config;
    many.nodes_count = LIVE_NODES_MAX;
    for (uint32_t i = FIRST; i < 23; i++) {
        memset(many.nodes[i].name, 'a', 20);
        memset(many.nodes[i].host, 'b', 100);
        many.nodes[i].port = (uint16_t)i;
    }
    assert_true(
        live_roster_make(&long_one, &many, live_first(23), 23, MS, &error));
    for (uint32_t i = 0; i < 3; i++)
        size[i] = live_lists_part(&long_one, i, part[i]);
    assert_int_equal(live_lists_part(&long_one, 3, ask), 0);
    assert_int_equal(size[2], LIVE_LISTS_HEAD + long_one.size - 2000);
    assert_false(live_lists_gather(&here, unread(part[2], size[2]), &whole));
    assert_false(live_lists_gather(&here, unread(part[0], size[0]), &whole));
    assert_false(live_lists_gather(&here, unread(part[0], size[0]), &whole));
    assert_true(live_lists_gather(&here, unread(part[1], size[1]), &whole));
    assert_true(whole.hash == long_one.hash);
    assert_int_equal(whole.size, long_one.size);
    /* One byte is another: it is not the one that was named. */
    part[1][500] ^= 1;
    assert_false(live_lists_gather(&here, unread(part[0], size[0]), &whole));
    assert_false(live_lists_gather(&here, unread(part[1], size[1]), &whole));
    assert_false(live_lists_gather(&here, unread(part[2], size[2]), &whole));
    assert_true(
        live_lists_is_message(unread(ask, live_lists_ask(long_one.hash, ask))));
    assert_true(live_lists_asked(unread(ask, 12)) == long_one.hash);
}

TEST(test_odd_parts_are_refused)
{
    static struct live_lists here;
    uint8_t part[LIVE_LISTS_MESSAGE] = {LIVE_LISTS_PART, 0, 1};
    struct live_roster whole;

    assert_false(live_lists_is_message(unread(part, LIVE_LISTS_HEAD - 1)));
    assert_false(
        live_lists_gather(&here, unread(part, LIVE_LISTS_HEAD), &whole));
    part[2] = 4; /* more than there can be */
    assert_false(
        live_lists_gather(&here, unread(part, LIVE_LISTS_MESSAGE), &whole));
    part[2] = 2; /* the first of two is not full */
    assert_false(
        live_lists_gather(&here, unread(part, LIVE_LISTS_MESSAGE - 1), &whole));
    part[1] = 2; /* the third of two */
    assert_false(
        live_lists_gather(&here, unread(part, LIVE_LISTS_MESSAGE), &whole));
    part[0] = LIVE_LISTS_ASK;
    assert_false(
        live_lists_gather(&here, unread(part, LIVE_LISTS_MESSAGE), &whole));
}

/* What is needed is not forgotten for something new. */
TEST(test_needed_rosters_are_kept)
{
    static struct live_lists here;
    struct live_roster roster = {.size = 1};
    uint64_t needed[] = {1, 3};

    for (uint64_t hash = 1; hash <= 40; hash++) {
        roster.hash = hash;
        live_lists_keep(&here, &roster, needed, COUNT(needed));
        assert_non_null(live_lists_find(&here, hash));
    }
    assert_non_null(live_lists_find(&here, 1));
    assert_non_null(live_lists_find(&here, 3));
    assert_null(live_lists_find(&here, 0));
}

/* ---- Nodes in virtual time ----------------------------------------------- */

struct letter {
    uint64_t at;
    uint32_t from, to;
    size_t size;
    uint8_t bytes[LIVE_DATAGRAM_MAX];
};

static struct member {
    struct live_mode *mode;
    struct live_effects effects;
    struct live_kept disk, writing;
    uint64_t written_at; /* what is being written; 0: nothing is */
    uint32_t lists;      /* how often another one was in force */
    bool broke;
    bool hasty; /* it has shown what is not on its disk */
} members[NODES];
static struct letter *letters;
static size_t letters_count;
static uint64_t now;
static live_node_set cut; /* nodes that hear nobody, and are not heard */

static uint32_t list_on_disk(const struct member *m)
{
    return m->disk.size >= LIVE_PROVEN_HEAD ? fc_get32(m->disk.bytes + 8) : 0;
}

/* R1: whoever shows a configuration has it on disk; those that are proposed are
 * not shown as one's own. */
static void judge(struct member *m, struct live_unread datagram)
{
    struct live_unread message;

    while (live_parcel_next(&datagram, &message) == LIVE_PARCEL_MESSAGE) {
        struct view_lock_msg said;

        if (!live_lists_is_message(message) &&
            live_engine_unpack(&said, message) &&
            (said.kind == VIEW_LOCK_FRAME || said.kind == VIEW_LOCK_VOTE ||
             said.kind == VIEW_LOCK_REFUSE))
            m->hasty |= said.conf.k > list_on_disk(m);
    }
}

static void obey(uint32_t x)
{
    struct member *m = &members[x];

    for (size_t i = 0; i < m->effects.count; i++) {
        const struct live_effect *e = &m->effects.list[i];
        struct letter *l;

        m->broke |= e->kind == LIVE_DO_BREAK;
        m->lists += e->kind == LIVE_DO_LISTS;
        if (e->kind == LIVE_DO_WRITE) {
            m->writing = m->mode->kind->record(m->mode);
            m->written_at = now + 3 * MS;
        }
        if (e->kind == LIVE_DO_WRITE_HERE) {
            m->disk = m->mode->kind->record(m->mode);
            if (m->written_at) /* as the driver does it */
                m->mode->kind->written(m->mode, &m->disk, now, &m->effects);
            m->written_at = 0;
        }
        e = &m->effects.list[i];
        if (e->kind != LIVE_DO_SEND)
            continue;
        judge(m, unread(live_effect_bytes(&m->effects, e), e->size));
        if (live_has(cut, x) || live_has(cut, e->whom))
            continue;
        letters = realloc(letters, (letters_count + 1) * sizeof *letters);
        l = &letters[letters_count++];
        *l = (struct letter){
            .at = now + MS, .from = x, .to = e->whom, .size = e->size};
        memcpy(l->bytes, live_effect_bytes(&m->effects, e), e->size);
    }
    live_effects_clear(&m->effects);
}

static void start(uint32_t x)
{
    struct live_past past = {.kept = members[x].disk, .seed = 7 + x};
    struct member *m = &members[x];

    m->mode = live_mode_proven.open(&config, x, &past, &error);
    if (!m->mode)
        fail_msg("%s", error.text);
    m->written_at = 0;
    m->mode->kind->boot(m->mode, now, &m->effects);
    m->disk = m->mode->kind->record(m->mode); /* before anything is sent */
    live_effects_clear(&m->effects);
    m->mode->kind->written(m->mode, &m->disk, now, &m->effects);
    obey(x);
}

static void stop(uint32_t x)
{
    live_mode_proven.close(members[x].mode);
    members[x].mode = NULL;
}

static void deliver(void)
{
    for (size_t i = 0; i < letters_count;) {
        struct letter l = letters[i];
        struct member *m = &members[l.to];

        if (l.at > now) {
            i++;
            continue;
        }
        letters[i] = letters[--letters_count];
        if (!m->mode || live_has(cut, l.to))
            continue;
        m->mode->kind->take(m->mode, l.from, 0, unread(l.bytes, l.size), now,
                            &m->effects);
        obey(l.to);
    }
}

static void run(uint64_t ms)
{
    for (uint64_t end = now + ms * MS; now < end; now += MS / 2) {
        deliver();
        for (uint32_t x = 0; x < NODES; x++) {
            struct member *m = &members[x];

            if (m->mode && m->written_at && now >= m->written_at) {
                m->written_at = 0;
                m->disk = m->writing;
                m->mode->kind->written(m->mode, &m->disk, now, &m->effects);
                obey(x);
            }
            if (!m->mode || m->mode->kind->wake(m->mode) > now)
                continue;
            m->mode->kind->due(m->mode, now, &m->effects);
            obey(x);
        }
    }
}

static struct live_lists_view look(uint32_t x)
{
    struct live_lists_view v;

    members[x].mode->kind->lists(members[x].mode, now, &v);
    return v;
}

static bool leased(uint32_t x)
{
    return members[x].mode->kind->until(members[x].mode) > now;
}

static bool ask(uint32_t at, live_node_set list, uint32_t next)
{
    static struct live_roster roster;
    struct live_change change = {.list = list,
                                 .lease = config.lease,
                                 .quiet = live_config_quiet(&config),
                                 .roster = &roster};
    struct member *m = &members[at];
    bool done;

    assert_true(live_roster_make(&roster, &config, look(at).list | list, next,
                                 config.tau, &error));
    done = m->mode->kind->change(m->mode, &change, now, &m->effects);
    obey(at);
    return done;
}

static int begin(void **state)
{
    (void)state;
    configure();
    memset(members, 0, sizeof members);
    now = 1000 * MS;
    cut = 0;
    for (uint32_t x = 0; x < FIRST; x++)
        start(x);
    run(1000);
    for (uint32_t x = 0; x < FIRST; x++)
        assert_true(leased(x));
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (uint32_t x = 0; x < NODES; x++) {
        assert_false(members[x].broke);
        assert_false(members[x].hasty);
        if (members[x].mode)
            stop(x);
        live_effects_free(&members[x].effects);
    }
    free(letters);
    letters = NULL;
    letters_count = 0;
    return 0;
}

TEST(test_a_node_joins)
{
    struct live_config_node node;

    start(3);
    run(500);
    assert_int_equal(look(3).number, 0);
    assert_true(look(3).joins == 0); /* it has asked */
    assert_true(live_has(look(0).heard & ~look(0).joins, 3));
    assert_false(leased(3));
    assert_true(ask(1, live_first(4), 4));
    run(3000);
    for (uint32_t x = 0; x < 4; x++) {
        assert_int_equal(look(x).number, 2);
        assert_true(look(x).list == live_first(4));
        assert_true(leased(x));
        assert_int_equal(members[x].lists, 2);
        assert_true(live_roster_find(look(x).roster, 3, &node));
        assert_string_equal(node.name, "n3");
    }
}

/* It adopts configurations in which it is not, and goes on to be heard: else
 * nobody could be added after the first change. */
TEST(test_a_node_joins_after_a_change)
{
    struct live_lists_view v;

    start(3);
    run(500);
    assert_true(ask(1, live_first(4), 4));
    run(3000);
    start(4);
    run(1000);
    v = look(0);
    assert_int_equal(look(4).number, 2);
    assert_true(live_has(live_lists_up(&v, live_first(5)), 4));
    assert_true(live_lists_can_end(&v, live_first(5)));
    assert_false(live_lists_can_end(&v, live_only(4) | live_only(5)));
    stop(4);
    run(1000);
    start(4); /* its record says that it has joined */
    run(1000);
    assert_true(ask(0, live_first(5), 5));
    run(3000);
    assert_int_equal(look(4).number, 4);
    assert_true(leased(4));
}

/* A node that is in no list any more says nothing, and may stop: also if it
 * hears of that in the middle of the next change.  One that may still be put
 * into a list has not left. */
TEST(test_who_has_left)
{
    struct live_lists_view v;

    start(3);
    run(500);
    assert_true(ask(0, live_only(0) | live_only(1) | live_only(3), 4));
    run(3000);
    v = look(0);
    assert_true(live_lists_left(&v, &config, 2));
    assert_false(live_lists_left(&v, &config, 3));
    assert_false(live_lists_left(&v, &config, 4));
    assert_int_equal(live_lists_next(&v, &config), 4);
    assert_false(live_has(v.heard, 2));
    v.joint = true;
    v.old = v.list | live_only(2);
    assert_false(live_lists_left(&v, &config, 2));
    v.old = v.list;
    assert_true(live_lists_left(&v, &config, 2));
    v.number = 0;
    assert_false(live_lists_left(&v, &config, 2));
}

/* P4: a record that is set back may lack a configuration alone. */
TEST(test_others_remember_the_configuration)
{
    const struct live_mode_kind *kind = &live_mode_proven;
    uint64_t before = kind->promised(members[1].mode), now_promised;
    struct live_known known = {.life = 1};
    const struct live_self self = {.life = 2};

    start(3);
    run(500);
    assert_int_equal(live_promised_list(before), 0);
    assert_true(ask(0, live_first(4), 4));
    run(3000);
    now_promised = kind->promised(members[1].mode);
    assert_int_equal(live_promised_list(now_promised), 2);
    assert_true(live_promised_view(now_promised) >= live_promised_view(before));
    known.maxv = kind->shown(members[3].mode, 1);
    assert_true(known.maxv == now_promised);
    assert_int_equal(live_known_more(&self, &known, now_promised),
                     LIVE_NO_MORE);
    assert_int_equal(
        live_known_more(&self, &known,
                        live_promise(0, live_promised_view(now_promised))),
        LIVE_LATER_VIEW);
}

/* All that is agreed on is in the records. */
TEST(test_list_survives_restarts)
{
    start(3);
    run(500);
    assert_true(ask(0, live_only(0) | live_only(1) | live_only(3), 4));
    run(3000);
    assert_int_equal(look(2).number, 2); /* it has been told */
    assert_false(leased(2));
    for (uint32_t x = 0; x < 4; x++)
        stop(x);
    run(500);
    for (uint32_t x = 0; x < 4; x++)
        start(x);
    run(1500);
    for (uint32_t x = 0; x < 4; x++) {
        assert_int_equal(look(x).number, 2);
        assert_int_equal(live_roster_next(look(x).roster), 4);
        assert_true(leased(x) == (x != 2));
    }
}

/* Who was not there is told when it comes back, also who the others are. */
TEST(test_absent_node_is_told)
{
    start(3);
    start(4);
    run(500);
    cut = live_only(2);
    assert_true(ask(0, live_first(5), 5));
    run(3000);
    assert_int_equal(look(0).number, 2);
    assert_int_equal(look(2).number, 0);
    cut = 0;
    run(3000);
    assert_int_equal(look(2).number, 2);
    assert_true(live_roster_nodes(look(2).roster) ==
                (live_only(3) | live_only(4)));
    assert_true(leased(2));
}

/* A change that has not begun can be taken back, and one that has cannot. */
TEST(test_change_is_withdrawn)
{
    struct live_mode *mode = members[0].mode;

    assert_true(ask(0, live_first(4), 4)); /* 3 of 4 are there */
    assert_true(look(0).asked);
    assert_false(ask(0, live_first(4), 4));
    mode->kind->withdraw(mode);
    assert_false(look(0).asked);
    run(2000);
    assert_int_equal(look(0).number, 0);
    assert_true(ask(0, live_only(3) | live_only(4), 5)); /* nobody is */
    run(2000);
    assert_true(look(0).asked);
    assert_int_equal(look(0).number, 0);
    assert_true(leased(0) && leased(1) && leased(2));
}

/* The times of a list are those of the engine. */
TEST(test_times_change)
{
    static struct live_roster roster;
    struct live_change change = {
        .list = live_first(3), .lease = 400 * MS, .roster = &roster};
    struct member *m = &members[0];
    uint64_t most = 0;

    change.quiet = live_config_stretch(&config, change.lease) + 2;
    assert_true(live_roster_make(&roster, &config, 0, 3, 10 * MS, &error));
    assert_true(m->mode->kind->change(m->mode, &change, now, &m->effects));
    obey(0);
    run(3000);
    for (int i = 0; i < 100; i++) {
        uint64_t until = members[1].mode->kind->until(members[1].mode);

        most = until > now && until - now > most ? until - now : most;
        run(5);
    }
    assert_int_equal(look(1).number, 2);
    assert_int_equal(look(1).tau, 10 * MS);
    assert_int_equal(look(1).lease, 400 * MS);
    assert_in_range(most, 300 * MS, 400 * MS);
    assert_true(members[2].disk.quiet == change.quiet);
}

/* ---- The record ---------------------------------------------------------- */

TEST(test_record_of_another_generation_names_nobody)
{
    static struct live_engine_past past;
    struct live_kept kept, before;

    start(3);
    run(500);
    assert_true(ask(0, live_first(4), 4));
    run(3000);
    kept = members[3].disk;
    assert_true(live_proven_unpack(&kept, &config, 3, &past));
    assert_int_equal(past.record.conf.k, 2);
    assert_int_equal(past.record.joins, 0);
    assert_true(past.long_record);
    config.generation++;
    assert_true(live_proven_unpack(&kept, &config, 3, &past));
    assert_int_equal(past.record.conf.k, 0);
    assert_int_equal(past.record.joins, 1); /* unless the new file has it */
    assert_true(live_proven_unpack(&kept, &config, 0, &past));
    assert_int_equal(past.record.joins, 0);
    config.generation--;
    before = kept;
    before.bytes[8] = 1; /* configuration 1 */
    assert_true(
        live_proven_follows(kept.bytes, kept.size, before.bytes, before.size));
    assert_false(
        live_proven_follows(before.bytes, before.size, kept.bytes, kept.size));
    assert_false(live_proven_follows(kept.bytes, LIVE_PROVEN_LEAST, kept.bytes,
                                     kept.size));
    for (uint32_t size = LIVE_PROVEN_LEAST + 1; size < kept.size; size++) {
        kept.size = size;
        assert_false(live_proven_unpack(&kept, &config, 3, &past));
        kept.size = before.size;
    }
}

/* R6a: by the newest list of all, which may have nobody of the file. */
TEST(test_lost_record_is_asked_for)
{
    struct live_kept kept = {.starts = 70000};

    start(3);
    start(4);
    run(500);
    assert_true(ask(0, live_only(0) | live_only(3) | live_only(4), 5));
    run(3000);
    assert_true(leased(3) && leased(4));
    stop(0);
    live_mode_proven.remind(&kept, 64);
    live_mode_proven.rejoin(&kept, &config);
    members[0].disk = kept;
    cut = live_only(3); /* one of two does not answer */
    start(0);
    run(3000);
    assert_int_equal(look(0).joins & live_only(0), live_only(0));
    assert_false(leased(0));
    cut = 0;
    run(3000);
    assert_int_equal(look(0).joins, 0);
    assert_int_equal(look(0).number, 2);
    assert_true(leased(0));
}

#define NODE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roster_has_the_nodes_that_joined),
        cmocka_unit_test(test_roster_names_nobody_unknown),
        cmocka_unit_test(test_long_names_are_refused),
        cmocka_unit_test(test_damaged_rosters_are_refused),
        cmocka_unit_test(test_roster_comes_in_parts),
        cmocka_unit_test(test_odd_parts_are_refused),
        cmocka_unit_test(test_needed_rosters_are_kept),
        NODE_TEST(test_a_node_joins),
        NODE_TEST(test_a_node_joins_after_a_change),
        NODE_TEST(test_who_has_left),
        NODE_TEST(test_others_remember_the_configuration),
        NODE_TEST(test_list_survives_restarts),
        NODE_TEST(test_absent_node_is_told),
        NODE_TEST(test_change_is_withdrawn),
        NODE_TEST(test_times_change),
        NODE_TEST(test_lost_record_is_asked_for),
        NODE_TEST(test_record_of_another_generation_names_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
