/*
 * test_chaos.c - every protocol while everything goes wrong at once: runs end,
 * can be repeated, and say in their counters what stands in their traces.
 */
#include "tests/unit/kit/sent.h"

enum { NODES_MAX = 12, LISTED_MAX = 12, PARAMS_SIZE = 1 << 17 };

/* A setup of any protocol, with all it points to. */
struct chaos {
    struct sim_setup setup;
    struct net_fault list[LISTED_MAX];
    _Alignas(16) uint8_t params[PARAMS_SIZE];
    struct dice dice;
};

static uint32_t below(struct chaos *c, uint32_t sides)
{
    return throw_below(&c->dice, sides);
}

/* Half of the time none. */
static net_chance some_chance(struct chaos *c, double most)
{
    return below(c, 2) ? 0 : (net_chance)(most * (double)below(c, UINT32_MAX));
}

static int by_name(const void *a, const void *b)
{
    const struct net_fault *x = a, *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->tick != y->tick)
        return x->tick < y->tick ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void plan_faults(struct chaos *c)
{
    struct net_faults *f = &c->setup.faults;
    uint32_t span = 1 + below(c, 200);

    *f = (struct net_faults){
        .list = c->list,
        .count = below(c, LISTED_MAX + 1),
        .loss = some_chance(c, 0.3),
        .duplicate = some_chance(c, 0.125),
        .reorder = some_chance(c, 0.3),
        .late = some_chance(c, 0.3),
        .late_ticks = 1 + below(c, 50),
        .crashes = below(c, 4),
        .blank = below(c, 2),
    };
    for (uint32_t i = 0; i < f->count; i++)
        c->list[i] = (struct net_fault){
            .kind = (enum net_fault_kind)below(c, NET_FAULT_JOINED + 1),
            .name = 1 + below(c, c->setup.net.world.nodes),
            .tick = below(c, span),
            .ticks = 1 + below(c, 30),
        };
    qsort(c->list, f->count, sizeof c->list[0], by_name);
}

/* Fills in what follows from the setup; false: the protocol refuses it. */
static bool is_fit(struct chaos *c)
{
    const struct fc_protocol *p = c->setup.net.protocol;

    assert_true(p->params_size <= sizeof c->params);
    memset(c->params, 0, p->params_size);
    fc_params_default(p, c->params);
    sim_describe(&c->setup);
    return !p->prepare || !p->prepare(c->params, &c->setup.net.world);
}

/* A network that depends on the seed, without faults. */
static void plan_network(struct chaos *c, const struct sim_type *type,
                         uint64_t seed)
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0}, {1, 3, 0, 0}, {2, 3, 1, 4}, {1, 9, 1, 20}};
    bool named =
        !type->protocol->anonymous && type->protocol->topology != FC_COMPLETE;

    c->dice.state = seed * 977;
    c->setup = (struct sim_setup){
        .type = type,
        .net.protocol = type->protocol,
        .net.params = c->params,
        .net.world = {.nodes = 2 + below(c, NODES_MAX - 1),
                      .bounds = bounds[below(c, COUNT(bounds))]},
        .net.time = (enum net_time)below(c, 3),
        .net.clock = (enum net_clock)below(c, NET_CLOCK_LIST),
        .net.any_order = below(c, 4) == 0,
        .net.naming = named ? NET_NAMES_RANDOM : NET_NAMES_ASCENDING,
        .net.first_name = 1,
        .net.waking = (enum net_waking)below(c, NET_WAKE_SOME),
        .net.tree = (enum net_tree)below(c, NET_TREE_LIST),
        .general = true,
    };
    if (is_fit(c))
        return;
    c->setup.net.time = NET_ARCHIMEDEAN; /* most need bounds */
    c->setup.net.world.bounds = bounds[2];
    if (is_fit(c))
        return;
    c->setup.net.time = NET_SYNC; /* a token ring of few needs narrow ones */
    assert_true(is_fit(c));
}

/* With faults; and not for ever, though some would.  Where copies are answered
 * by messages that are copied, their number grows like that of rabbits. */
static void plan_chaos(struct chaos *c, const struct sim_type *type,
                       uint64_t seed)
{
    uint32_t longest;

    plan_network(c, type, seed);
    plan_faults(c);
    longest = c->setup.faults.duplicate ? 60 : 1500;
    if (sim_last_tick(&c->setup) > longest)
        c->setup.until = 1 + below(c, longest);
}

static void check_same(const struct sim_result *a, const struct sim_result *b)
{
    struct sim_result x = *a, y = *b;

    x.bytes = y.bytes = x.hash = y.hash = 0;
    x.lockstep = y.lockstep = false;
    assert_memory_equal(x.by_kind, y.by_kind, sizeof x.by_kind);
    assert_true(x.events == y.events && x.end == y.end);
    assert_true(x.reached_at == y.reached_at && x.queue_max == y.queue_max);
    assert_true(x.lost == y.lost && x.copied == y.copied);
    assert_true(x.reordered == y.reordered && x.late == y.late);
    assert_true(x.crashes == y.crashes && x.pauses == y.pauses);
    assert_true(x.cuts == y.cuts && x.initiators == y.initiators);
    assert_true(x.broken == y.broken && x.leader == y.leader);
    assert_true(x.cut == y.cut && x.paper_bits == y.paper_bits);
    assert_true(x.messages == y.messages && x.wire_bits == y.wire_bits);
}

/* ---- Counters and traces ------------------------------------------------- */

/* What is known of the nodes while a trace is read, by what it calls them. */
struct audit {
    bool down[NODES_MAX + 1], apart[NODES_MAX + 1];
    uint32_t crashes, pauses, cuts, lost, checked;
    uint64_t last; /* tick */
    bool reliable; /* nothing is lost by chance */
};

/* What waits at a node that crashes is never read. */
static void on_crash(struct audit *a, uint64_t tick, uint32_t node)
{
    a->down[node] = true;
    a->crashes++;
    for (uint32_t i = 0; i < sent_count; i++)
        if (sent[i].to == node && sent[i].arrives < tick)
            sent[i].open = false;
}

/* Messages since the last line: the sides may change with this one. */
static void check_sends(struct audit *a)
{
    for (; a->checked < sent_count; a->checked++) {
        const struct sent *m = &sent[a->checked];

        if (a->apart[m->from] != a->apart[m->to])
            assert_true(m->lost);
        else if (a->reliable)
            assert_false(m->lost);
        a->lost += m->lost;
    }
}

static void on_line(void *whom, uint64_t tick, uint32_t node, const char *what)
{
    struct audit *a = whom;
    bool misses = strncmp(what, "misses #", 8) == 0;
    bool back = strncmp(what, "restart", 7) == 0;
    bool cut = strncmp(what, "cut", 3) == 0;
    bool joined = strncmp(what, "joined", 6) == 0;

    check_sends(a);
    assert_true(tick >= a->last);
    a->last = tick;
    assert_in_range(node, 0, NODES_MAX);
    assert_int_equal(a->down[node],
                     misses || back || (a->down[node] && (cut || joined)));
    if (misses) {
        const char *text = what + 8;
        uint64_t id = number(&text);

        assert_true(sent[id].open && sent[id].to == node);
        assert_true(sent[id].arrives == tick);
        sent[id].open = false;
    }
    if (strncmp(what, "crash", 5) == 0)
        on_crash(a, tick, node);
    a->pauses += strncmp(what, "pause ", 6) == 0;
    a->cuts += cut;
    if (back)
        a->down[node] = false;
    if (cut || joined)
        a->apart[node] = cut;
}

static void check_counters(const struct chaos *c, const struct sim_result *r,
                           char *text)
{
    struct audit a = {.reliable = c->setup.faults.loss == 0};
    uint64_t copies = 0, least = c->setup.net.world.bounds.dmin;
    const char *stop = each_line(text, &a, on_line) + 4;

    check_sends(&a);
    assert_true(number(&stop) == a.last);
    assert_true(a.last <= sim_last_tick(&c->setup));
    assert_int_equal(strncmp(stop, " quiet", 6) == 0, !r->cut);
    for (uint32_t i = 0; i < sent_count; i++) {
        copies += sent[i].copy;
        if (sent[i].lost)
            continue;
        assert_true(sent[i].arrives >= sent[i].tick + (least ? least : 1));
        /* Where sites send for ever, a run is over when the work is. */
        if (!r->cut && !c->setup.net.protocol->restless)
            assert_false(sent[i].open);
    }
    assert_int_equal(r->copied, copies);
    assert_int_equal(r->messages + r->frames, sent_count - copies);
    assert_int_equal(r->lost, a.lost);
    assert_int_equal(r->crashes, a.crashes);
    assert_int_equal(r->pauses, a.pauses);
    assert_int_equal(r->cuts, a.cuts);
}

/* ---- The tests ----------------------------------------------------------- */

static void check_chaos(const struct sim_type *type, uint64_t seed,
                        struct net_memory *worn)
{
    struct sim_result once, again, untraced;
    struct net_memory fresh = {0};
    struct sim_job job = {.seed = seed, .memory = worn};
    struct chaos c;
    char *text;

    plan_chaos(&c, type, seed);
    once = traced_run(&c.setup, seed, worn, &text);
    check_counters(&c, &once, text);
    free(text);
    again = traced_run(&c.setup, seed, &fresh, NULL);
    net_memory_free(&fresh);
    assert_int_equal(sim_run(&c.setup, &job, &untraced), SIM_OK);
    check_same(&once, &again);
    check_same(&once, &untraced);
    assert_true(once.hash == again.hash);
}

/* Whatever happens, a run ends, is the same again, in memory that has seen all
 * others, with and without a trace; and its counters are those of its trace. */
TEST(test_runs_survive_all_faults_at_once)
{
    struct net_memory worn = {0};

    for (uint64_t seed = 0; seed < rounds(1000); seed++)
        for (uint32_t i = 0; sim_types[i]; i++)
            check_chaos(sim_types[i], seed, &worn);
    net_memory_free(&worn);
}

/* The hash of the run of docs/trace.md, which is older than faults. */
TEST(test_no_faults_no_difference_to_former_times)
{
    static const fc_name names[] = {1, 3, 2};
    struct lab lab;

    lab_open(&lab, "vitanyi", 3);
    lab.setup.net.naming = NET_NAMES_LIST;
    lab.setup.net.names = names;
    lab_prepare(&lab);
    lab.trace = trace_writer_new(NULL);
    assert_true(lab_run(&lab, 1).hash == UINT64_C(0xb05fbf800607d38c));
    trace_writer_free(lab.trace);
    lab_close(&lab);
}

/* Neither what is left unset, nor that faults are looked for at all. */
TEST(test_faults_that_never_happen_change_nothing)
{
    struct net_memory memory = {0};

    for (uint64_t seed = 0; seed < rounds(300); seed++)
        for (uint32_t i = 0; sim_types[i]; i++) {
            const struct net_fault idle = {.kind = NET_FAULT_JOINED, .name = 1};
            struct sim_result none, unused, watched;
            struct chaos c;

            plan_network(&c, sim_types[i], seed);
            c.setup.until = 2000;
            none = traced_run(&c.setup, seed, &memory, NULL);
            c.setup.faults = (struct net_faults){
                .list = c.list, .late_ticks = 9, .blank = true};
            unused = traced_run(&c.setup, seed, &memory, NULL);
            assert_true(none.hash == unused.hash);
            check_same(&none, &unused);
            c.setup.faults = (struct net_faults){.list = &idle, .count = 1};
            watched = traced_run(&c.setup, seed, &memory, NULL);
            check_same(&none, &watched);
        }
    net_memory_free(&memory);
}

/* Chance is drawn from the seed. */
TEST(test_same_seed_same_faults)
{
    struct net_memory memory = {0};
    uint32_t differ = 0;

    for (uint32_t i = 0; sim_types[i]; i++)
        for (uint64_t seed = 0; seed < rounds(50); seed++) {
            struct sim_result once, again, other;
            struct chaos c;

            plan_network(&c, sim_types[i], seed);
            c.setup.net.world.nodes = NODES_MAX;
            c.setup.net.time =
                NET_SYNC; /* only names, choices, faults differ */
            c.setup.net.naming = NET_NAMES_ASCENDING;
            c.setup.net.waking = NET_WAKE_ALL;
            c.setup.until = 1000;
            if (!is_fit(&c))
                continue;
            c.setup.faults = (struct net_faults){
                .loss = 1u << 29, .duplicate = 1u << 29, .crashes = 2};
            once = traced_run(&c.setup, seed, &memory, NULL);
            again = traced_run(&c.setup, seed, &memory, NULL);
            other = traced_run(&c.setup, seed + 1000, &memory, NULL);
            assert_true(once.hash == again.hash);
            assert_true(once.hash != other.hash);
            differ += once.lost != other.lost;
        }
    assert_true(differ > rounds(100));
    net_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_survive_all_faults_at_once),
        cmocka_unit_test(test_no_faults_no_difference_to_former_times),
        cmocka_unit_test(test_faults_that_never_happen_change_nothing),
        cmocka_unit_test(test_same_seed_same_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
