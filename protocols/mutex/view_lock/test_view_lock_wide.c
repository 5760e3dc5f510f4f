/*
 * test_view_lock_wide.c - the lock of the live runtime where a set of nodes is
 * a word of eight bytes: sets, messages, and a cluster of 64 nodes by hand.
 */
#include "tests/unit/kit/testing.h"

#define VIEW_LOCK_NODES 64
#define FC_TYPED
#include "protocols/mutex/view_lock/view_lock.c"

enum { NODES = VIEW_LOCK_NODES, LAST = NODES - 1 };

/* ---- Sets ---------------------------------------------------------------- */

TEST(test_sets_reach_the_last_node)
{
    const struct fc_member first = {0, NODES}, last = {LAST, NODES};
    struct turn t = {.me = &first};

    assert_int_equal(only(LAST), UINT64_C(1) << 63);
    assert_true(has(only(LAST), LAST));
    assert_false(has(only(LAST), LAST - 32));
    assert_int_equal(size_of(first_nodes(NODES)), NODES);
    assert_int_equal(first_nodes(33), (UINT64_C(1) << 33) - 1);
    assert_int_equal(first_nodes(1), 1);
    assert_int_equal(least_of(only(LAST) | only(40)), 40);
    assert_int_equal(others(&t), UINT64_MAX - 1);
    t.me = &last;
    assert_int_equal(others(&t), UINT64_MAX >> 1);
    assert_int_equal(majority_of(first_nodes(NODES)), 33);
    assert_false(has_majority(first_nodes(NODES), first_nodes(32)));
    assert_true(has_majority(first_nodes(NODES), ~first_nodes(31)));
}

/* ---- Messages ------------------------------------------------------------ */

static struct view_lock_conf conf_of(view_lock_set list)
{
    return (struct view_lock_conf){.quiet = 200,
                                   .k = 2,
                                   .born = 64,
                                   .at = 64,
                                   .lease = 100,
                                   .names = UINT64_MAX - 1,
                                   .old = 7,
                                   .list = list,
                                   .witnesses = list & ~(list - 1)};
}

/* It is packed into so many bytes, and is the same again. */
static void check_form(const struct view_lock_msg *m, size_t bytes)
{
    uint8_t wire[view_lock_wire];
    struct view_lock_msg got;

    assert_int_equal(view_lock_pack(m, wire), bytes);
    assert_int_equal(view_lock_wire_bytes(m), bytes);
    assert_int_equal(view_lock_unpack(&got, wire, bytes), 0);
    assert_memory_equal(&got, m, sizeof got);
    assert_int_equal(view_lock_unpack(&got, wire, bytes - 1), -1);
}

TEST(test_only_sets_beyond_sixteen_nodes_take_more_room)
{
    struct view_lock_msg frame = {.kind = VIEW_LOCK_FRAME,
                                  .inc = 1,
                                  .view = 64,
                                  .members = 0xffff,
                                  .heard = 0x8001};
    struct view_lock_msg vote = {
        .kind = VIEW_LOCK_VOTE, .view = 64, .count = NODES};

    check_form(&frame, 58);
    frame.heard |= only(16);
    check_form(&frame, 58 + 12);
    frame.conf = (struct view_lock_conf){.k = 2, .born = 64};
    check_form(&frame, 58 + 12 + 8);
    vote.each[LAST] = 5;
    check_form(&vote, 27 + 8 * NODES);
    vote.conf = conf_of(0xffff);
    check_form(&vote, 27 + 8 * NODES + 50);
    vote.conf = conf_of(only(LAST) | only(LAST - 1) | only(1));
    check_form(&vote, 27 + 8 * NODES + 68);
    vote.kind = VIEW_LOCK_NEWVIEW;
    vote.members = only(LAST);
    check_form(&vote, view_lock_wire);
}

/* So that one message has one form. */
TEST(test_more_room_than_is_needed_is_refused)
{
    struct view_lock_msg m = {
        .kind = VIEW_LOCK_PROPOSE, .view = 64, .members = only(LAST)};
    uint8_t wire[view_lock_wire];
    size_t size = view_lock_pack(&m, wire);

    assert_int_equal(view_lock_unpack(&m, wire, size), 0);
    wire[size - 1] = 0; /* of the highest nodes */
    wire[size - 8] = 3;
    assert_int_equal(view_lock_unpack(&m, wire, size), -1);
    m = (struct view_lock_msg){.kind = VIEW_LOCK_REQUEST, .number = 1};
    size = view_lock_pack(&m, wire);
    wire[0] |= HAS_WIDE;
    assert_int_equal(view_lock_unpack(&m, wire, size), -1);
}

/* ---- Names --------------------------------------------------------------- */

/* Those of a plan are of the joint configuration that it makes, and of the
 * stable one after that. */
TEST(test_names_follow_the_list)
{
    const struct view_lock_params params = {.tau = 1};
    const struct view_lock_plan plan = {.quiet = 2, .names = 9, .list = 6};
    const struct fc_member me = {1, NODES};
    struct view_lock s = {.record.conf = {.k = 2, .names = 5, .list = 7}};
    struct turn t = {.s = &s, .p = &params, .me = &me};

    s.record.conf = joint_conf(&t, &plan);
    assert_int_equal(s.record.conf.names, 9);
    assert_int_equal(stable_conf(&t).names, 9);
    assert_int_equal(first_conf(&t).names, 0);
}

/* ---- A cluster ----------------------------------------------------------- */

enum { TAU_STEPS = 10, LEASE = 100, QUIET = 126 };

static const struct view_lock_params params = {.tau = TAU_STEPS,
                                               .lease = LEASE,
                                               .silence = QUIET,
                                               .delta = 20,
                                               .quiet = QUIET,
                                               .idle = 3 * TAU_STEPS};

struct letter {
    uint32_t from, to;
    struct view_lock_msg m;
};

/* Letters are read at the time that they are sent, in that order. */
static struct {
    struct view_lock s[NODES];
    bool down[NODES];
    uint64_t now, wakes[NODES];
    struct letter *queue;
    size_t first, end, room;
} world;

static void post(uint32_t from, uint32_t to, const struct view_lock_msg *m)
{
    if (world.end == world.room) {
        world.room = world.room ? 2 * world.room : 1024;
        world.queue = realloc(world.queue, world.room * sizeof *world.queue);
        assert_non_null(world.queue);
    }
    world.queue[world.end++] = (struct letter){from, to, *m};
}

static void step(uint32_t node, struct view_lock_in in)
{
    const struct fc_member me = {node, NODES};

    for (;;) {
        struct view_lock_out out = {0};

        in.event.now = world.now;
        view_lock_step(&world.s[node], &params, &me, &in, &out);
        assert_null(view_lock_sane(&world.s[node], &params, &me));
        for (uint32_t i = 0; i < out.fx.sends; i++)
            post(node, out.fx.to[i], &out.send[i]);
        if (out.fx.arm)
            world.wakes[node] = world.now + out.fx.steps[0];
        if (!out.fx.choose && !out.fx.go_on)
            return;
        in = (struct view_lock_in){
            .event = {.kind = out.fx.choose ? FC_CHOICE : FC_GO_ON}};
    }
}

static void read_all(void)
{
    for (; world.first < world.end; world.first++) {
        struct letter l = world.queue[world.first];

        if (!world.down[l.from] && !world.down[l.to])
            step(l.to,
                 (struct view_lock_in){
                     .event = {.kind = FC_MESSAGE, .port = (uint16_t)l.from},
                     .msg = l.m});
    }
    world.first = world.end = 0;
}

static void run_for(uint64_t steps)
{
    for (uint64_t end = world.now + steps; world.now < end; world.now++) {
        for (uint32_t x = 0; x < NODES; x++)
            if (!world.down[x] && world.wakes[x] <= world.now)
                step(x, (struct view_lock_in){.event = {.kind = FC_TIMEOUT}});
        read_all();
    }
}

static void command(uint32_t node, uint8_t what)
{
    step(node,
         (struct view_lock_in){.event = {.kind = FC_COMMAND, .command = what}});
    read_all();
}

static bool is_view_of(view_lock_set members)
{
    for (uint32_t x = 0; x < NODES; x++)
        if (!world.down[x] && world.s[x].members != members)
            return false;
    return true;
}

static void run_to_view_of(view_lock_set members)
{
    for (uint32_t i = 0; i < 100 && !is_view_of(members); i++)
        run_for(TAU_STEPS);
    assert_true(is_view_of(members));
}

static bool is_inside(uint32_t node)
{
    return world.s[node].lock[0].role == MUTEX_INSIDE;
}

TEST(test_a_cluster_of_64_nodes)
{
    uint64_t token;

    world.now = 1;
    for (uint32_t x = 0; x < NODES; x++) {
        world.wakes[x] = UINT64_MAX;
        step(x, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    }
    run_to_view_of(UINT64_MAX);
    run_for(TAU_STEPS);
    command(LAST, MUTEX_WANT);
    assert_true(is_inside(LAST));
    token = world.s[LAST].lock[0].token;
    command(40, MUTEX_WANT);
    command(0, MUTEX_WANT);
    assert_false(is_inside(40) || is_inside(0));
    command(LAST, MUTEX_LEAVE);
    assert_true(is_inside(40) && !is_inside(0));
    assert_true(world.s[40].lock[0].token > token);
    command(40, MUTEX_LEAVE);
    assert_true(is_inside(0));
    command(0, MUTEX_LEAVE);
    for (uint32_t x = 0; x < 31; x++) /* a minority dies */
        world.down[x] = true;
    run_to_view_of(~first_nodes(31));
    command(32, MUTEX_WANT);
    run_for(3 * TAU_STEPS);
    assert_true(is_inside(32));
    command(32, MUTEX_LEAVE);
    world.down[31] = true; /* and with one more, half of them are gone */
    command(LAST, MUTEX_WANT);
    run_for(2 * QUIET);
    assert_false(is_inside(LAST));
    free(world.queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_reach_the_last_node),
        cmocka_unit_test(test_only_sets_beyond_sixteen_nodes_take_more_room),
        cmocka_unit_test(test_more_room_than_is_needed_is_refused),
        cmocka_unit_test(test_names_follow_the_list),
        cmocka_unit_test(test_a_cluster_of_64_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
