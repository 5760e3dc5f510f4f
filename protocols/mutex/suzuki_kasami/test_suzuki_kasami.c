/*
 * test_suzuki_kasami.c - the rules of the token that is sent to whoever asks,
 * its exact costs, and all orders of a few entries.
 *
 * The site of the rules is number 1 of 4.
 */
#define MUTEX        suzuki_kasami
#define MUTEX_SOURCE "protocols/mutex/suzuki_kasami/suzuki_kasami.c"
#include "tests/unit/kit/mutexes.h"

static const struct suzuki_kasami_params none;
static const struct fc_member me = {1, 4}, first = {0, 4};

static struct suzuki_kasami_msg request(uint64_t number)
{
    return (struct suzuki_kasami_msg){.kind = SUZUKI_KASAMI_REQUEST,
                                      .number = number};
}

static struct suzuki_kasami_msg token(uint64_t number)
{
    return (struct suzuki_kasami_msg){
        .kind = SUZUKI_KASAMI_TOKEN, .number = number, .nodes = 4};
}

/* A site that has the token, and under it made entry number `number`. */
static struct suzuki_kasami holder(enum mutex_role role, uint64_t number)
{
    return (struct suzuki_kasami){
        .moved = 1, .number = number, .role = (uint8_t)role};
}

static struct suzuki_kasami_out step(struct suzuki_kasami *s,
                                     struct suzuki_kasami_in in)
{
    return try_event(s, &none, &me, in);
}

static void check_state(const struct suzuki_kasami *is,
                        const struct suzuki_kasami *wanted)
{
    assert_memory_equal(is, wanted, sizeof *is);
}

/* Exactly one message left: this one. */
static void check_send(const struct suzuki_kasami_out *out, uint32_t to,
                       const struct suzuki_kasami_msg *m)
{
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], to);
    assert_memory_equal(&out->send[0], m, sizeof *m);
}

/* ---- Rules --------------------------------------------------------------- */

/* A driver's memory begins as zeroes: the token is at site 0. */
TEST(test_first_site_has_the_token_at_first)
{
    struct suzuki_kasami s = {0}, inside = {.number = 1, .role = MUTEX_INSIDE};
    struct suzuki_kasami_out out = try_event(&s, &none, &first, app_wants());
    struct mutex_view view = look_at(&s, &first);

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    check_state(&s, &inside);
    assert_int_equal(view.role, MUTEX_INSIDE);
    assert_true(view.token == mutex_token(1, 0));
}

/* Its requests are numbered; nobody else's are changed. */
TEST(test_others_ask_everybody)
{
    struct suzuki_kasami s = {.asked = {0, 6, 2}};
    struct suzuki_kasami_msg asks = request(7);
    struct suzuki_kasami_out out = step(&s, app_wants());

    check_send(&out, FC_EVERYONE, &asks);
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    check_state(
        &s, &(struct suzuki_kasami){.asked = {0, 7, 2}, .role = MUTEX_WAITS});
    check_ignored(s, &none, &me, app_wants(), 0);
    check_ignored(s, &none, &me, app_leaves(), 0);
}

/* No message, and no number. */
TEST(test_holder_enters_at_once)
{
    struct suzuki_kasami s = holder(MUTEX_IDLE, 8),
                         in = holder(MUTEX_INSIDE, 9);
    struct suzuki_kasami_out out = step(&s, app_wants());

    assert_int_equal(out.fx.sends, 0);
    check_state(&s, &in);
    check_ignored(s, &none, &me, app_wants(), 0);
}

/* It has no need of it. */
TEST(test_idle_holder_sends_the_token)
{
    struct suzuki_kasami s = holder(MUTEX_IDLE, 8);
    struct suzuki_kasami_msg m = token(8);
    struct suzuki_kasami_out out;

    s.token.served[2] = m.token.served[2] = 4;
    s.asked[2] = 4;
    out = step(&s, hears(2, request(5)));
    check_send(&out, 2, &m);
    assert_int_equal(out.fx.notes, 0);
    check_state(&s, &(struct suzuki_kasami){.number = 8, .asked = {0, 0, 5}});
}

/* One that was answered long ago, or came twice. */
TEST(test_old_requests_move_nothing)
{
    struct suzuki_kasami s = holder(MUTEX_IDLE, 8);

    s.token.served[2] = s.asked[2] = 5;
    check_ignored(s, &none, &me, hears(2, request(5)), 0);
    check_ignored(s, &none, &me, hears(2, request(3)), 0);
}

/* Inside, waiting, or idle without the token: remembered, no more. */
TEST(test_others_remember_requests)
{
    struct suzuki_kasami states[] = {
        holder(MUTEX_INSIDE, 3), {.role = MUTEX_WAITS}, {.role = MUTEX_IDLE}};

    for (size_t i = 0; i < COUNT(states); i++) {
        struct suzuki_kasami wanted = states[i];
        struct suzuki_kasami_out out = step(&states[i], hears(3, request(2)));

        wanted.asked[3] = 2;
        check_state(&states[i], &wanted);
        assert_int_equal(out.fx.sends, 0);
        assert_int_equal(out.fx.notes, 0);
    }
}

/* Under the next number. */
TEST(test_token_lets_in_who_waits)
{
    struct suzuki_kasami s = {.role = MUTEX_WAITS, .asked = {0, 1}};
    struct suzuki_kasami in = holder(MUTEX_INSIDE, 42);
    struct suzuki_kasami_msg m = token(41);
    struct suzuki_kasami_out out;

    m.token.served[3] = 9;
    m.token.queue[0] = 2;
    m.queued = 1;
    in.asked[1] = 1;
    in.token = m.token;
    in.queued = 1;
    out = step(&s, hears(0, m));
    check_state(&s, &in);
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_true(look_at(&s, &me).token == mutex_token(42, 1));
}

/* Those in the queue first, then those who asked since, by index; and nobody
 * twice. */
TEST(test_leaving_passes_the_token_on)
{
    struct suzuki_kasami s = holder(MUTEX_INSIDE, 5);
    struct suzuki_kasami_msg m = token(5);
    struct suzuki_kasami_out out;

    s.token = (struct suzuki_kasami_token){{2, 6, 0, 0}, {3}};
    s.queued = 1;
    memcpy(s.asked, (uint32_t[]){3, 7, 1, 1}, 4 * sizeof s.asked[0]);
    m.token = (struct suzuki_kasami_token){{2, 7, 0, 0}, {0, 2}};
    m.queued = 2;
    out = step(&s, app_leaves());
    check_send(&out, 3, &m);
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    check_state(&s,
                &(struct suzuki_kasami){.number = 5, .asked = {3, 7, 1, 1}});
}

/* The token stays, and its own request is answered. */
TEST(test_leaving_keeps_the_token_if_nobody_asks)
{
    struct suzuki_kasami s = holder(MUTEX_INSIDE, 5), idle;
    struct suzuki_kasami_out out;

    s.asked[1] = 4;
    idle = s;
    idle.role = MUTEX_IDLE;
    idle.token.served[1] = 4;
    out = step(&s, app_leaves());
    assert_int_equal(out.fx.sends, 0);
    check_state(&s, &idle);
    check_ignored(s, &none, &me, app_leaves(), 0);
}

/* A token that comes a second time has counted fewer entries. */
TEST(test_doubled_token_dies)
{
    check_ignored(holder(MUTEX_INSIDE, 5), &none, &me, hears(0, token(4)),
                  FC_NOTE_DIES);
    check_ignored((struct suzuki_kasami){.number = 5, .role = MUTEX_WAITS},
                  &none, &me, hears(0, token(4)), FC_NOTE_DIES);
}

/* A site that forgot that it asked keeps it, or gives it to who asks. */
TEST(test_token_for_the_forgetful_is_kept)
{
    struct suzuki_kasami s = {0}, kept = holder(MUTEX_IDLE, 4);
    struct suzuki_kasami_msg m = token(4);
    struct suzuki_kasami_out out = step(&s, hears(0, m));

    check_state(&s, &kept);
    assert_int_equal(out.fx.sends, 0);
    s = (struct suzuki_kasami){.asked = {0, 0, 0, 1}};
    out = step(&s, hears(0, m));
    check_send(&out, 3, &m);
}

/* Or there would be two of them. */
TEST(test_restart_without_memory_is_without_token)
{
    struct suzuki_kasami_in boot = {.event = {.kind = FC_BOOT}};
    struct suzuki_kasami s = {0};

    (void)try_event(&s, &none, &first, boot);
    (void)try_event(&s, &none, &first, app_wants());
    assert_int_equal(s.role, MUTEX_WAITS);
    check_ignored(holder(MUTEX_INSIDE, 4), &none, &me, boot, 0);
    check_ignored((struct suzuki_kasami){0}, &none, &me, boot, 0);
}

/* ---- Messages ------------------------------------------------------------ */

/* What goes over the wire comes back as it was, in the size that was said, and
 * neither shorter nor longer. */
static void check_wire(const struct suzuki_kasami_msg *m, size_t size)
{
    uint8_t wire[FC_WIRE_MAX];
    struct suzuki_kasami_msg back;

    memset(&back, 0xaa, sizeof back);
    assert_int_equal(suzuki_kasami_pack(m, wire), size);
    assert_int_equal(suzuki_kasami_wire_bytes(m), size);
    assert_true(suzuki_kasami_paper_bits(m) >= 1);
    assert_int_equal(suzuki_kasami_unpack(&back, wire, size), 0);
    assert_memory_equal(&back, m, sizeof back);
    assert_int_equal(suzuki_kasami_unpack(&back, wire, size - 1), -1);
    assert_int_equal(suzuki_kasami_unpack(&back, wire, size + 1), -1);
}

/* A request of five bytes; a token of 13, four a site, one for each that is in
 * the queue. */
TEST(test_messages_pack_and_unpack)
{
    struct suzuki_kasami_msg m = request(0x12345678);
    struct dice dice = {1};
    uint64_t fields[FC_FIELDS_MAX];

    check_wire(&m, 5);
    assert_int_equal(suzuki_kasami_paper_bits(&m), 30);
    for (uint16_t n = 2; n <= MUTEX_NODES; n++)
        for (uint16_t queued = 0; queued < n; queued++) {
            m = (struct suzuki_kasami_msg){.kind = SUZUKI_KASAMI_TOKEN,
                                           .number = throw_dice(&dice),
                                           .nodes = n,
                                           .queued = queued};
            for (uint32_t j = 0; j < n; j++)
                m.token.served[j] = (uint32_t)throw_dice(&dice);
            for (uint32_t i = 0; i < queued; i++)
                m.token.queue[i] = (uint8_t)(n - 1 - i);
            check_wire(&m, 13u + 4u * n + queued);
            assert_int_equal(suzuki_kasami_fields(&m, fields), 2);
            assert_true(fields[0] == m.number && fields[1] == queued);
        }
}

/* Numbers from 1, sites that there are, and nobody twice. */
TEST(test_foreign_bytes_are_refused)
{
    uint8_t wire[FC_WIRE_MAX];
    struct suzuki_kasami_msg m = token(3), back;
    size_t size;

    m.queued = 2;
    m.token.queue[0] = 3;
    m.token.queue[1] = 0;
    size = suzuki_kasami_pack(&m, wire);
    assert_int_equal(suzuki_kasami_unpack(&back, wire, size), 0);
    wire[size - 1] = 3;
    assert_int_equal(suzuki_kasami_unpack(&back, wire, size), -1);
    wire[size - 1] = 4;
    assert_int_equal(suzuki_kasami_unpack(&back, wire, size), -1);
    fc_put16(wire + 9, MUTEX_NODES + 1);
    assert_int_equal(suzuki_kasami_unpack(&back, wire, 15 + 4 * 17), -1);
    m = request(0);
    size = suzuki_kasami_pack(&m, wire);
    assert_int_equal(suzuki_kasami_unpack(&back, wire, size), -1);
    assert_int_equal(suzuki_kasami_unpack(&back, wire, 0), -1);
}

/* ---- Runs ---------------------------------------------------------------- */

/* One alone: n messages the first time, none after, for the token stays.
 * Site 0 pays nothing at all. */
TEST(test_one_alone_pays_n_once)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n++)
        for (uint32_t who = 0; who<n; who += n> 20 ? n - 1 : 1) {
            struct net_wake wake = {.name = who + 1};
            struct sim_result r;

            mutex_open(&lab, "suzuki-kasami", n);
            lab.setup.net.waking = NET_WAKE_LIST;
            lab.setup.net.wakes = &wake;
            lab.setup.net.wake_count = 1;
            lab.setup.work.entries = 3;
            r = mutex_run(&lab, n);
            assert_int_equal(r.broken, 0);
            assert_true(r.entries == 3);
            assert_true(r.messages == (who ? n : 0));
            assert_true(r.by_kind[SUZUKI_KASAMI_TOKEN] == (who > 0));
            mutex_close(&lab);
        }
}

/* All at once: site 0 has the token, all others pay n. */
LONG_TEST(test_all_at_once_pay_n_or_nothing)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n += n < 40 ? 1 : 16) {
        struct sim_result r;

        mutex_open(&lab, "suzuki-kasami", n);
        r = mutex_run(&lab, n);
        assert_int_equal(r.broken, 0);
        assert_true(r.entries == n);
        assert_true(r.messages == (uint64_t)n * (n - 1));
        assert_true(lab.tally.messages.min == 0);
        assert_true(lab.tally.messages.max == n);
        assert_true(r.wire_bits / 8 >=
                    (n - 1) * (5 * ((uint64_t)n - 1) + 13 + 4 * n));
        mutex_close(&lab);
    }
}

/* Every entry of every run costs n or nothing: a token for each n-1 requests,
 * and all else is free. */
TEST(test_every_entry_costs_n_or_nothing)
{
    static const struct storm storms[] = {
        {.protocol = "suzuki-kasami", .time = NET_SYNC},
        {.protocol = "suzuki-kasami", .time = NET_ARCHIMEDEAN},
        {.protocol = "suzuki-kasami",
         .time = NET_ARCHIMEDEAN,
         .any_order = true},
        {.protocol = "suzuki-kasami", .time = NET_ASYNC, .any_order = true},
    };
    static struct mutex_lab lab;

    for (size_t i = 0; i < COUNT(storms); i++)
        for (uint64_t seed = 1; seed <= rounds(1500); seed++) {
            struct sim_result r;
            uint32_t n;

            storm_open(&lab, &storms[i], seed);
            n = lab.setup.net.world.nodes;
            r = mutex_run(&lab, seed);
            assert_int_equal(r.broken, 0);
            assert_true(r.overlaps == 0);
            assert_true(lab.tally.messages.max <= n);
            assert_true(r.by_kind[SUZUKI_KASAMI_REQUEST] ==
                        (n - 1) * r.by_kind[SUZUKI_KASAMI_TOKEN]);
            assert_true(r.messages % n == 0);
            mutex_close(&lab);
        }
}

/* Doubled messages do no harm, and lost ones no worse than to starve. */
TEST(test_faults_never_let_two_in)
{
    static struct mutex_lab lab;
    static const struct storm storm = {.protocol = "suzuki-kasami",
                                       .time = NET_ARCHIMEDEAN};
    uint32_t starved = 0;

    for (uint64_t seed = 1; seed <= rounds(1500); seed++) {
        struct sim_result r;

        storm_open(&lab, &storm, seed);
        lab.setup.net.any_order = seed % 2;
        lab.setup.faults.duplicate = UINT64_C(1) << 30;
        r = mutex_run(&lab, seed);
        assert_int_equal(r.broken, 0);
        lab.setup.faults.crashes = 1;
        lab.setup.faults.blank = seed % 3 == 0;
        lab.setup.faults.loss = UINT64_C(1) << 26;
        r = mutex_run(&lab, seed);
        assert_true(r.overlaps == 0);
        assert_int_equal(r.broken & MUTEX_TOKEN_GROWS, 0);
        starved += r.broken != 0;
        mutex_close(&lab);
    }
    assert_true(starved > 0);
}

/* ---- All orders ---------------------------------------------------------- */

TEST(test_all_orders)
{
    static const struct orders all[] = {
        {2, {3, 3}, false, 259},     {2, {3, 3}, true, 277},
        {3, {1, 1, 1}, false, 591},  {3, {1, 1, 1}, true, 729},
        {3, {0, 2, 1}, true, 185},   {3, {2, 2, 2}, false, 17956},
        {3, {2, 2, 2}, true, 74923},
    };

    for (size_t i = 0; i < COUNT(all); i++)
        check_orders(&none, 1, &all[i]);
}

TEST(test_worlds_that_do_not_fit_are_refused)
{
    const struct fc_protocol *p = sim_find("suzuki-kasami")->protocol;
    struct fc_world world = {.nodes = 256};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_null(p->prepare(NULL, &world));
    assert_int_equal(p->claims(NULL, &world, claims), 1);
    assert_true(claims[0].value == 256);
    world.nodes = 257;
    assert_non_null(p->prepare(NULL, &world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_site_has_the_token_at_first),
        cmocka_unit_test(test_others_ask_everybody),
        cmocka_unit_test(test_holder_enters_at_once),
        cmocka_unit_test(test_idle_holder_sends_the_token),
        cmocka_unit_test(test_old_requests_move_nothing),
        cmocka_unit_test(test_others_remember_requests),
        cmocka_unit_test(test_token_lets_in_who_waits),
        cmocka_unit_test(test_leaving_passes_the_token_on),
        cmocka_unit_test(test_leaving_keeps_the_token_if_nobody_asks),
        cmocka_unit_test(test_doubled_token_dies),
        cmocka_unit_test(test_token_for_the_forgetful_is_kept),
        cmocka_unit_test(test_restart_without_memory_is_without_token),
        cmocka_unit_test(test_messages_pack_and_unpack),
        cmocka_unit_test(test_foreign_bytes_are_refused),
        cmocka_unit_test(test_one_alone_pays_n_once),
        cmocka_unit_test(test_all_at_once_pay_n_or_nothing),
        cmocka_unit_test(test_every_entry_costs_n_or_nothing),
        cmocka_unit_test(test_faults_never_let_two_in),
        cmocka_unit_test(test_all_orders),
        cmocka_unit_test(test_worlds_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
