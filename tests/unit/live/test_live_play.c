/*
 * test_live_play.c - protocols as live nodes, without sockets and clocks: a
 * network of hosts in virtual time does what the simulator does, every act can
 * be made again, and the merged run is counted and judged alike.
 */
#include <stdlib.h>

#include "live/play/merge.h"
#include "net/make.h"
#include "sim/sim.h"
#include "sim/tally.h"
#include "sim/typed.h"
#include "tests/unit/kit/testing.h"

enum { NODES_MAX = 8, TICK_US = 1000 };

/* A message on its way. */
struct flight {
    struct live_mark mark;
    uint32_t to;
    uint16_t port;
    uint64_t tick;
    uint8_t msg[4096] __attribute__((aligned(8)));
};

static struct world {
    struct net_made made;
    struct net_memory memory;
    struct sim_setup sim;
    struct net_names names;
    struct net_graph graph;
    struct live_play play;
    struct live_host *hosts[NODES_MAX];
    struct flight *flying;
    uint32_t flying_count;
    struct live_log log;
    void *kept[40000];
    uint32_t kept_count;
    uint32_t cells[64];
    struct net_type strange; /* whose node is sane a few times */
    uint32_t sane, judged;
} w;

static void *keep(const void *bytes, size_t size)
{
    void *copy = malloc(size + 1);

    memcpy(copy, bytes, size);
    w.kept[w.kept_count++] = copy;
    return copy;
}

/* A network of these words, each application of which enters thrice; false: its
 * clocks do not suit the protocol. */
static bool begin_with(const struct net_words *words)
{
    struct net_why why = {0};
    struct sim_job job = {.seed = 1, .memory = &w.memory};
    bool failed = false;

    memset(&w, 0, sizeof w);
    assert_true(net_make(&w.made, words, &why));
    w.sim.net = w.made.net;
    sim_use(&w.sim, sim_find(words->protocol));
    w.sim.work.entries = 3;
    sim_describe(&w.sim);
    if (!net_prepare(&w.made, &w.sim.net, &why)) {
        net_unmake(&w.made);
        return false;
    }
    assert_int_equal(net_names_begin(&w.names, &w.sim.net, 1, true, &w.memory),
                     0);
    if (w.sim.net.protocol->topology == FC_TREE)
        assert_int_equal(net_graph_begin(&w.graph, &w.sim.net, 1, &w.memory),
                         0);
    w.play = (struct live_play){.net = &w.sim.net,
                                .type = net_find(w.sim.net.protocol),
                                .names = &w.names,
                                .graph = &w.graph,
                                .work = &w.sim.work,
                                .faults = &w.sim.faults,
                                .seed = 1,
                                .cells = w.cells};
    w.play.wakes =
        sim_wakes(&w.sim, &job, &w.names, &w.play.wakes_count, &failed);
    for (uint32_t i = 0; i < w.sim.net.world.nodes; i++)
        w.hosts[i] = live_host_new(&w.play, i);
    w.flying = calloc(20000, sizeof *w.flying);
    w.log.acts = calloc(20000, sizeof *w.log.acts);
    w.log.tick = TICK_US;
    return true;
}

static void begin(const char *protocol, const char *nodes)
{
    assert_true(
        begin_with(&(struct net_words){.protocol = protocol, .nodes = nodes}));
}

static void end(void)
{
    for (uint32_t i = 0; i < w.sim.net.world.nodes; i++)
        live_host_free(w.hosts[i]);
    for (uint32_t i = 0; i < w.kept_count; i++)
        free(w.kept[i]);
    free(w.flying);
    free(w.log.acts);
    net_memory_free(&w.memory);
    net_unmake(&w.made);
}

static void write_down(uint32_t node, struct live_act *act)
{
    size_t size = w.play.type->msg_size;
    struct live_logged *l = &w.log.acts[w.log.acts_count++];

    act->at = act->tick * TICK_US + w.log.acts_count % TICK_US;
    *l = (struct live_logged){.node = node, .life = 1, .act = *act};
    if (act->kind == LIVE_ACT_READ)
        l->msg = keep(live_host_read(w.hosts[node]), size);
    if (act->sends)
        l->sends = keep(live_host_sent(w.hosts[node], 0, NULL),
                        act->sends * sizeof *l->sends);
    for (uint32_t i = 0; i < act->sends; i++) {
        const void *msg;
        const struct live_send *s = live_host_sent(w.hosts[node], i, &msg);
        struct flight *f = &w.flying[w.flying_count++];

        *f = (struct flight){.mark = {node, 1, s->number},
                             .to = s->to,
                             .port = s->comes_by,
                             .tick = act->tick + 1};
        memcpy(f->msg, msg, size);
    }
}

/* All that arrive at a tick, in the order of sending. */
static void arrive(uint64_t tick)
{
    for (uint32_t i = 0; i < w.flying_count; i++) {
        struct flight *f = &w.flying[i];
        struct live_mail mail = {.mark = f->mark,
                                 .port = f->port,
                                 .arrived = tick * TICK_US,
                                 .tick = tick,
                                 .msg = f->msg};

        if (f->tick != tick)
            continue;
        f->tick = FC_NEVER;
        assert_true(live_host_arrive(w.hosts[f->to], &mail));
    }
}

static bool works(void)
{
    for (uint32_t i = 0; i < w.sim.net.world.nodes; i++)
        if (live_host_app(w.hosts[i])->left)
            return true;
    return false;
}

static bool is_quiet(void)
{
    for (uint32_t i = 0; i < w.sim.net.world.nodes; i++)
        if (live_host_next(w.hosts[i]) != FC_NEVER)
            return false;
    for (uint32_t i = 0; i < w.flying_count; i++)
        if (w.flying[i].tick != FC_NEVER)
            return false;
    return true;
}

/* All that a node does at a tick; its clock does not go back, whatever length
 * its steps get. */
static void act_at(uint32_t node, uint64_t tick)
{
    uint64_t clock = live_host_clock(w.hosts[node], tick);
    struct live_act act;

    while (live_host_step(w.hosts[node], tick, &act)) {
        write_down(node, &act);
        assert_true(live_host_clock(w.hosts[node], tick) >= clock);
    }
}

/* Plays in virtual time, every node on its steps. */
static void play(void)
{
    const struct fc_protocol *p = w.sim.net.protocol;
    bool restless = p->restless && p->restless(w.sim.net.params);
    uint64_t last = sim_last_tick(&w.sim), tick;

    for (tick = 0; tick <= last; tick++) {
        arrive(tick);
        for (uint32_t i = 0; i < w.sim.net.world.nodes; i++)
            act_at(i, tick);
        if (restless && tick > 0 && !works()) {
            w.log.done = true;
            break;
        }
        if (is_quiet()) {
            w.log.quiet = true;
            break;
        }
    }
    w.log.end = tick * TICK_US;
}

/* Which of two messages that arrive together is read first. */
static bool depends_on_order(const char *name)
{
    return strcmp(name, "view-lock") == 0;
}

static void compare(const struct live_result *r)
{
    struct sim_job job = {.seed = 1, .memory = &w.memory};
    struct sim_result s;

    w.sim.general = true;
    assert_int_equal(sim_run(&w.sim, &job, &s), SIM_OK);
    assert_false(r->differs);
    assert_int_equal(r->broken, s.broken);
    assert_int_equal(r->outcome.chosen, s.leader);
    assert_int_equal(r->outcome.answer, s.answer);
    assert_int_equal(r->entries_done, s.entries);
    assert_int_equal(r->cut, s.cut);
    assert_int_equal(r->steps.count + r->delays.count, 0);
    if (depends_on_order(w.sim.net.protocol->name))
        return;
    for (uint32_t k = 0; k < FC_KINDS_MAX; k++)
        assert_int_equal(r->by_kind[k], s.by_kind[k]);
    assert_int_equal(r->paper_bits, s.paper_bits);
    assert_int_equal(r->wire_bits, s.wire_bits);
}

/* The same names, steps, coins and work, and a message takes a tick. */
TEST(test_hosts_in_virtual_time_do_what_the_simulator_does)
{
    for (uint32_t i = 0; net_types[i]; i++) {
        struct live_result result;

        begin(net_types[i]->protocol->name, "4");
        play();
        assert_true(live_merge(&w.play, &w.log, NULL, &result));
        compare(&result);
        live_result_free(&result);
        end();
    }
}

/* The length of steps changes at each, and timers count steps. */
TEST(test_hosts_with_drifting_clocks_do_what_the_simulator_does)
{
    for (uint32_t i = 0; net_types[i]; i++) {
        const struct net_words words = {.protocol =
                                            net_types[i]->protocol->name,
                                        .nodes = "4",
                                        .bounds = "2:5:1:1",
                                        .clock = "drift"};
        struct live_result result;

        if (!begin_with(&words)) {
            assert_string_equal(words.protocol, "token-ring");
            continue;
        }
        play();
        assert_true(live_merge(&w.play, &w.log, NULL, &result));
        compare(&result);
        live_result_free(&result);
        end();
    }
}

/* So a node that was killed comes back with the state it had. */
TEST(test_every_act_can_be_made_again)
{
    for (uint32_t i = 0; net_types[i]; i++) {
        struct live_host *again[4];

        begin(net_types[i]->protocol->name, "4");
        play();
        for (uint32_t k = 0; k < 4; k++)
            again[k] = live_host_new(&w.play, k);
        for (uint32_t k = 0; k < w.log.acts_count; k++) {
            const struct live_logged *l = &w.log.acts[k];

            assert_true(live_host_redo(again[l->node], &l->act, l->msg));
        }
        for (uint32_t k = 0; k < 4; k++) {
            assert_memory_equal(live_host_state(again[k]),
                                live_host_state(w.hosts[k]),
                                w.play.type->state_size);
            live_host_free(again[k]);
        }
        end();
    }
}

/* A node that did something else than its protocol is found out. */
TEST(test_an_act_that_is_not_the_protocols_is_told)
{
    struct live_result result;

    begin("lelann", "4");
    play();
    w.log.acts[5].act.check ^= 1;
    assert_true(live_merge(&w.play, &w.log, NULL, &result));
    assert_true(result.differs);
    assert_int_equal(result.differs_node, w.log.acts[5].node);
    live_result_free(&result);
    end();
}

/* ---- Steps --------------------------------------------------------------- */

static struct live_mail mail_of(uint32_t flight, uint64_t tick)
{
    return (struct live_mail){.mark = w.flying[flight].mark,
                              .port = w.flying[flight].port,
                              .tick = tick,
                              .msg = w.flying[flight].msg};
}

TEST(test_one_message_is_read_in_a_step)
{
    struct live_mail mail;
    struct live_act act;

    begin("lelann", "4");
    assert_true(live_host_step(w.hosts[0], 0, &act)); /* it wakes */
    write_down(0, &act);
    assert_true(live_host_step(w.hosts[1], 0, &act));
    mail = mail_of(0, 0);
    assert_true(live_host_arrive(w.hosts[1], &mail));
    mail.mark.number++;
    assert_true(live_host_arrive(w.hosts[1], &mail));
    assert_false(live_host_step(w.hosts[1], 0, &act)); /* to wake was a step */
    assert_int_equal(live_host_next(w.hosts[1]), 1);
    assert_true(live_host_step(w.hosts[1], 1, &act));
    assert_int_equal(act.kind, LIVE_ACT_READ);
    assert_int_equal(act.late, 0);
    assert_false(live_host_step(w.hosts[1], 1, &act));
    assert_true(live_host_step(w.hosts[1], 2, &act));
    assert_int_equal(act.late, 0);
    end();
}

/* As after a pause in the simulator: its timer counts steps that it makes. */
TEST(test_a_late_step_is_told_and_moves_what_comes_after_it)
{
    struct live_mail mail;
    struct live_act act;

    begin("bully", "4");
    assert_true(live_host_step(w.hosts[0], 0, &act));
    write_down(0, &act);
    assert_true(live_host_step(w.hosts[3], 0, &act));
    assert_int_equal(live_host_next(w.hosts[3]), 2); /* its timer */
    mail = mail_of(2, 1);                            /* from the first */
    assert_true(live_host_arrive(w.hosts[3], &mail));
    assert_int_equal(live_host_next(w.hosts[3]), 1);
    assert_true(live_host_step(w.hosts[3], 6, &act));
    assert_int_equal(act.kind, LIVE_ACT_READ);
    assert_int_equal(act.tick, 6);
    assert_int_equal(act.late, 5);
    assert_int_equal(live_host_next(w.hosts[3]), 7);
    end();
}

TEST(test_a_message_that_meets_a_late_node_is_marked)
{
    struct live_mail mail;
    struct live_act act;

    begin("lelann", "4");
    assert_true(live_host_step(w.hosts[0], 0, &act));
    write_down(0, &act);
    mail = mail_of(0, 7); /* node 1 should have woken at 0 */
    assert_true(live_host_arrive(w.hosts[1], &mail));
    assert_true(live_host_step(w.hosts[1], 6, &act));
    assert_int_equal(act.late, 6);
    assert_true(live_host_step(w.hosts[1], 7, &act));
    assert_int_equal(act.kind, LIVE_ACT_READ);
    assert_true(act.overdue);
    end();
}

/* Without bounds nobody waits for the end of a step. */
TEST(test_in_async_time_a_message_is_read_at_once)
{
    struct live_mail mail;
    struct live_act act;

    begin("lelann", "4");
    for (uint32_t i = 0; i < 4; i++)
        live_host_free(w.hosts[i]);
    w.sim.net.time = NET_ASYNC;
    for (uint32_t i = 0; i < 4; i++) {
        w.hosts[i] = live_host_new(&w.play, i);
        assert_true(live_host_step(w.hosts[i], 0, &act));
        write_down(i, &act);
    }
    for (uint32_t i = 0; i < 3; i++) {
        mail = mail_of(0, 0);
        mail.mark.number += i;
        assert_true(live_host_arrive(w.hosts[1], &mail));
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_true(live_host_step(w.hosts[1], 0, &act));
    assert_int_equal(live_host_next(w.hosts[1]), FC_NEVER);
    end();
}

/* ---- Crashes and faults -------------------------------------------------- */

TEST(test_a_node_comes_back_with_its_state_or_without)
{
    struct live_act act;
    uint8_t before[64];

    begin("bully", "4");
    assert_true(live_host_step(w.hosts[3], 0, &act));
    assert_true(live_host_next(w.hosts[3]) != FC_NEVER); /* its timer runs */
    memcpy(before, live_host_state(w.hosts[3]), sizeof before / 8);
    live_host_crash(w.hosts[3]);
    assert_int_equal(live_host_next(w.hosts[3]), FC_NEVER);
    assert_memory_equal(before, live_host_state(w.hosts[3]), sizeof before / 8);
    live_host_boot(w.hosts[3], 9, true, &act);
    assert_int_equal(act.kind, LIVE_ACT_BOOT);
    assert_true(act.blank);
    assert_int_equal(act.tick, 9);
    end();
}

TEST(test_messages_across_a_partition_are_lost)
{
    struct live_act act;

    begin("ricart-agrawala", "4");
    w.sim.faults.crashes = 1; /* some fault may occur */
    live_host_apart(w.hosts[0], 0x6);
    assert_true(live_host_step(w.hosts[0], 0, &act));
    assert_int_equal(act.sends, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct live_send *s = live_host_sent(w.hosts[0], i, NULL);

        assert_int_equal(s->lost, s->to != 3);
    }
    end();
}

TEST(test_a_message_that_is_to_be_late_is_held_back)
{
    static const struct net_strike strikes[] = {
        {.name = 1, .number = 1, .delay = 5}, {.name = 1, .number = 2}};
    struct live_act act;

    begin("ricart-agrawala", "4");
    w.sim.faults.strikes = strikes;
    w.sim.faults.strikes_count = 2;
    assert_true(live_host_step(w.hosts[0], 0, &act));
    assert_int_equal(live_host_sent(w.hosts[0], 0, NULL)->hold, 4);
    assert_true(live_host_sent(w.hosts[0], 1, NULL)->lost);
    assert_false(live_host_sent(w.hosts[0], 2, NULL)->lost);
    end();
}

/* ---- States that cannot be ----------------------------------------------- */

static const char *is_sane_at_first(const struct net_place *place,
                                    const void *state)
{
    (void)place;
    (void)state;
    return w.judged++ < w.sane ? NULL : "a node is sane";
}

/* Node 0 is one whose state violates an invariant after so many parts of
 * acts. */
static void begin_strange(const char *protocol, uint32_t sane)
{
    begin(protocol, "4");
    w.strange = *w.play.type;
    w.strange.sane = is_sane_at_first;
    w.sane = sane;
    w.play.type = &w.strange;
    live_host_free(w.hosts[0]);
    w.hosts[0] = live_host_new(&w.play, 0);
}

/* Nobody hears of it, and it waits for nothing. */
TEST(test_an_insane_node_sends_nothing_and_starts_no_timer)
{
    struct live_act act;

    for (uint32_t sane = 0; sane < 2; sane++) {
        begin_strange("bully", sane);
        assert_true(live_host_step(w.hosts[0], 0, &act));
        assert_int_equal(act.insane, !sane);
        assert_int_equal(act.sends, sane ? 3 : 0);
        assert_int_equal(live_host_next(w.hosts[0]) != FC_NEVER, sane);
        end();
    }
}

static bool has_stored(void)
{
    for (size_t i = 0; i < COUNT(w.cells); i++)
        if (w.cells[i])
            return true;
    return false;
}

/* The writer acts until it has stored something, or is not sane. */
static void write_while_sane(uint32_t sane)
{
    struct live_act act = {0};

    begin_strange("rw-optimistic", sane);
    for (uint64_t tick = 0; tick < 100; tick++)
        while (!has_stored() && !act.insane)
            if (!live_host_step(w.hosts[0], tick, &act))
                break;
    assert_int_equal(act.insane, !has_stored());
}

/* The others read what the writer stores, even if it dies in that step. */
TEST(test_an_insane_node_stores_nothing)
{
    uint32_t judged;

    write_while_sane(UINT32_MAX);
    assert_true(has_stored());
    judged = w.judged;
    end();
    write_while_sane(judged - 1);
    assert_int_equal(w.judged, judged);
    assert_false(has_stored());
    end();
}

/* ---- Bounds -------------------------------------------------------------- */

TEST(test_a_delay_beyond_dmax_is_counted)
{
    struct live_result result;

    begin("lelann", "4");
    play();
    for (uint32_t i = 0; i < w.log.acts_count; i++) {
        struct live_act *act = &w.log.acts[i].act;

        if (act->kind == LIVE_ACT_READ && act->tick == 1) {
            act->arrived_tick = 4; /* sent at 0, and dmax is 1 */
            break;
        }
    }
    assert_true(live_merge(&w.play, &w.log, NULL, &result));
    assert_int_equal(result.delays.count, 1);
    assert_int_equal(result.delays.worst, 4);
    live_result_free(&result);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts_in_virtual_time_do_what_the_simulator_does),
        cmocka_unit_test(
            test_hosts_with_drifting_clocks_do_what_the_simulator_does),
        cmocka_unit_test(test_every_act_can_be_made_again),
        cmocka_unit_test(test_an_act_that_is_not_the_protocols_is_told),
        cmocka_unit_test(test_one_message_is_read_in_a_step),
        cmocka_unit_test(
            test_a_late_step_is_told_and_moves_what_comes_after_it),
        cmocka_unit_test(test_a_message_that_meets_a_late_node_is_marked),
        cmocka_unit_test(test_in_async_time_a_message_is_read_at_once),
        cmocka_unit_test(test_a_node_comes_back_with_its_state_or_without),
        cmocka_unit_test(test_messages_across_a_partition_are_lost),
        cmocka_unit_test(test_a_message_that_is_to_be_late_is_held_back),
        cmocka_unit_test(test_an_insane_node_sends_nothing_and_starts_no_timer),
        cmocka_unit_test(test_an_insane_node_stores_nothing),
        cmocka_unit_test(test_a_delay_beyond_dmax_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
