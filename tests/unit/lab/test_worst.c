/*
 * test_worst.c - the worst case: all cases against an enumeration of its own, a
 * search against all cases, and the same result on any number of threads.
 */
#include "lab/search/worst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/make.h"
#include "net/route.h"
#include "tests/unit/kit/test.h"

enum { NODES_MAX = 24, LINKS_MAX = 64 };

/* Networks of one protocol. */
struct field {
    struct net_made made;
    struct sim_setup setup;
    fc_name names[NODES_MAX];
    uint32_t ranks[NODES_MAX];
    struct lab_families families;
    struct lab_space space;
    struct lab_quest quest;
};

static void field_open(struct field *f, const char *protocol, uint32_t n,
                       const char *bounds, const char *of)
{
    char nodes[16];
    struct net_words words = {
        .protocol = protocol, .nodes = nodes, .bounds = bounds};
    const struct fc_protocol *p = net_protocol(protocol);
    struct net_why why;

    memset(f, 0, sizeof *f);
    snprintf(nodes, sizeof nodes, "%u", n);
    if (!p->anonymous && p->topology != FC_COMPLETE)
        words.names = "asc";
    assert_true(net_make(&f->made, &words, &why));
    f->setup.net = f->made.net;
    sim_use(&f->setup, sim_find(protocol));
    sim_describe(&f->setup);
    assert_true(net_prepare(&f->made, &f->setup.net, &why));
    for (uint32_t i = 0; i < n; i++) {
        f->names[i] = i + 1;
        f->ranks[i] = i;
    }
    assert_true(lab_families_read(&f->families, lab_families_text, &why));
    f->space = (struct lab_space){
        .setups = &f->setup,
        .nodes = n,
        .seed = 1,
        .names = f->names,
        .ranks = f->ranks,
    };
    f->quest = (struct lab_quest){
        .space = &f->space,
        .budget = UINT64_C(1) << 40,
        .seed = 1,
        .threads = 2,
        .families = &f->families,
    };
    assert_true(lab_measure(p, of, &f->quest.measure, &why));
}

static void vary(struct field *f, enum lab_part part, uint64_t count,
                 uint64_t least, uint64_t greatest)
{
    f->space.part[part] = (struct lab_range){
        .count = (uint32_t)count, .least = least, .greatest = greatest};
    lab_space_arrange(&f->space);
}

static void field_close(struct field *f)
{
    lab_families_free(&f->families);
    net_unmake(&f->made);
}

static void search(struct field *f, struct lab_found *found)
{
    assert_int_equal(lab_worst(&f->quest, found), 0);
    assert_false(found->stopped);
    assert_false(found->no_memory);
}

/* ---- All cases, tried in another way ------------------------------------- */

/* Extremes of every quantity that is a number of the result. */
struct extremes {
    uint64_t runs, messages[2], end[2];
};

struct enumeration {
    struct sim_setup setup;
    struct net_memory memory;
    fc_name names[NODES_MAX];
    bool taken[NODES_MAX];
    struct net_wake wakes[NODES_MAX];
    uint64_t steps[NODES_MAX], delays[LINKS_MAX];
    uint64_t links;
    uint32_t last_tick;
    struct extremes found;
};

static void widen(uint64_t range[2], uint64_t value, bool first)
{
    range[0] = first || value < range[0] ? value : range[0];
    range[1] = first || value > range[1] ? value : range[1];
}

static void run_one(struct enumeration *e)
{
    struct sim_job job = {.seed = 1, .memory = &e->memory};
    struct sim_result r;

    assert_int_equal(sim_run(&e->setup, &job, &r), SIM_OK);
    widen(e->found.messages, r.messages, e->found.runs == 0);
    widen(e->found.end, r.end, e->found.runs == 0);
    e->found.runs++;
}

/* Every delay of link i and of those that follow. */
static void each_delay(struct enumeration *e, uint64_t i)
{
    const struct fc_bounds *b = &e->setup.net.world.bounds;

    if (i == e->links || b->dmin == b->dmax) {
        run_one(e);
        return;
    }
    for (e->delays[i] = b->dmin; e->delays[i] <= b->dmax; e->delays[i]++)
        each_delay(e, i + 1);
}

static void each_step(struct enumeration *e, uint32_t i)
{
    const struct fc_bounds *b = &e->setup.net.world.bounds;

    if (i == e->setup.net.world.nodes || b->rmin == b->rmax) {
        each_delay(e, 0);
        return;
    }
    for (e->steps[i] = b->rmin; e->steps[i] <= b->rmax; e->steps[i]++)
        each_step(e, i + 1);
}

/* The node of name i + 1 does not start, or starts at some tick. */
static void each_wake(struct enumeration *e, uint32_t i, uint32_t count,
                      bool at_once)
{
    if (i == e->setup.net.world.nodes) {
        e->setup.net.wake_count = count;
        if (at_once)
            each_step(e, 0);
        return;
    }
    each_wake(e, i + 1, count, at_once);
    for (uint64_t tick = 0; tick <= e->last_tick; tick++) {
        e->wakes[count] = (struct net_wake){.name = i + 1, .tick = tick};
        each_wake(e, i + 1, count + 1, at_once || tick == 0);
    }
}

static void each_name(struct enumeration *e, uint32_t place)
{
    uint32_t n = e->setup.net.world.nodes;

    if (place == n || e->setup.net.naming != NET_NAMES_LIST) {
        each_wake(e, 0, 0, false);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (e->taken[i])
            continue;
        e->taken[i] = true;
        e->names[place] = i + 1;
        each_name(e, place + 1);
        e->taken[i] = false;
    }
}

static struct extremes enumerate(const struct field *f, uint32_t last_tick)
{
    static struct enumeration e;
    struct net *net = &e.setup.net;

    memset(&e, 0, sizeof e);
    e.setup = f->setup;
    e.last_tick = last_tick;
    e.links = net_links(net->protocol->topology, net->world.nodes);
    if (f->space.part[LAB_NAMES].count) {
        net->naming = NET_NAMES_LIST;
        net->names = e.names;
    }
    net->waking = NET_WAKE_LIST;
    net->wakes = e.wakes;
    if (net->time == NET_ARCHIMEDEAN) {
        net->clock = NET_CLOCK_LIST;
        net->steps = e.steps;
        net->delays = e.delays;
        for (uint32_t i = 0; i < NODES_MAX; i++)
            e.steps[i] = net->world.bounds.rmin;
        for (uint32_t i = 0; i < LINKS_MAX; i++)
            e.delays[i] = net->world.bounds.dmin;
    }
    each_name(&e, 0);
    net_memory_free(&e.memory);
    return e.found;
}

/* Turned rings are left out by one and tried by the other: the extremes are the
 * same. */
TEST(test_all_cases_are_all_cases)
{
    static const struct {
        const char *protocol;
        uint32_t nodes;
        const char *bounds;
        uint32_t last_tick;
        uint64_t turns; /* how many cases of the enumeration are one */
    } cases[] = {
        {"vitanyi", 4, NULL, 1, 4},         {"vitanyi", 3, "1:2:0:0", 1, 3},
        {"vitanyi", 3, "1:1:0:2", 0, 3},    {"chang-roberts", 4, NULL, 0, 4},
        {"lelann", 3, NULL, 2, 3},          {"franklin", 3, NULL, 1, 1},
        {"franklin", 2, "1:2:0:1", 1, 1},   {"tree", 3, "1:1:0:1", 0, 1},
        {"itai-rodeh", 3, "1:2:0:0", 0, 1}, {"bully", 3, "1:1:1:2", 0, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const of[] = {"messages", "end"};
        struct field f;
        struct extremes all;

        for (uint32_t which = 0; which < 4; which++) {
            bool least = which % 2 == 0;
            const struct fc_bounds *b;
            struct lab_found found;
            uint64_t *range;

            field_open(&f, cases[i].protocol, cases[i].nodes, cases[i].bounds,
                       of[which / 2]);
            b = &f.setup.net.world.bounds;
            if (!f.setup.net.protocol->anonymous &&
                f.setup.net.protocol->topology != FC_COMPLETE)
                vary(&f, LAB_NAMES, cases[i].nodes, 0, cases[i].nodes - 1);
            vary(&f, LAB_WAKES, cases[i].nodes, 0, cases[i].last_tick + 1);
            if (cases[i].bounds) {
                vary(&f, LAB_STEPS, cases[i].nodes, b->rmin, b->rmax);
                vary(&f, LAB_DELAYS,
                     net_links(f.setup.net.protocol->topology, cases[i].nodes),
                     b->dmin, b->dmax);
            }
            if (which == 0)
                all = enumerate(&f, cases[i].last_tick);
            f.quest.least = least;
            search(&f, &found);
            range = which < 2 ? all.messages : all.end;
            assert_true(found.exhaustive);
            assert_int_equal(found.tried, lab_space_count(&f.space));
            if (found.tried * cases[i].turns != all.runs)
                fail_msg("%s: %llu of %llu", cases[i].protocol,
                         (unsigned long long)found.tried,
                         (unsigned long long)all.runs);
            assert_int_equal(least ? -found.score : found.score, range[!least]);
            free(found.genes);
            field_close(&f);
        }
    }
}

/* ---- Searching ----------------------------------------------------------- */

static void open_ring(struct field *f, uint32_t n, uint64_t budget)
{
    field_open(f, "vitanyi", n, NULL, "passes");
    vary(f, LAB_NAMES, n, 0, n - 1);
    vary(f, LAB_WAKES, n, 0, n);
    f->quest.budget = budget;
}

/* 21 is the most of all 111 624 cases (docs/worst.md). */
TEST(test_a_search_finds_the_worst_of_five)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct lab_found found;
        struct field f;

        open_ring(&f, 5, 4000);
        f.quest.seed = seed;
        f.families.count = 0;
        search(&f, &found);
        assert_false(found.exhaustive);
        assert_true(found.tried <= 4000);
        assert_int_equal(found.score, 21);
        free(found.genes);
        field_close(&f);
    }
}

LONG_TEST(test_threads_do_not_matter)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    struct lab_found found[COUNT(threads)];

    for (uint32_t all = 0; all < 2; all++) {
        struct field f;

        open_ring(&f, all ? 4 : 12, 3000);
        for (size_t i = 0; i < COUNT(threads); i++) {
            f.quest.threads = threads[i];
            search(&f, &found[i]);
            assert_int_equal(found[i].exhaustive, all);
            assert_int_equal(found[i].score, found[0].score);
            assert_int_equal(found[i].tried, found[0].tried);
            assert_memory_equal(found[i].genes, found[0].genes,
                                f.space.genes * sizeof(uint64_t));
        }
        for (size_t i = 0; i < COUNT(threads); i++)
            free(found[i].genes);
        field_close(&f);
    }
}

/* Another seed looks elsewhere. */
TEST(test_seeds_matter)
{
    struct lab_found a, b;
    struct field f;

    open_ring(&f, 12, 600);
    f.families.count = 0;
    search(&f, &a);
    f.quest.seed = 2;
    search(&f, &b);
    assert_memory_not_equal(a.genes, b.genes, f.space.genes * sizeof *a.genes);
    free(a.genes);
    free(b.genes);
    field_close(&f);
}

/* What is given to begin with is never lost, and a goal ends the search. */
LONG_TEST(test_starts_and_goals)
{
    struct lab_found first, next;
    struct field f;
    uint64_t tried;

    open_ring(&f, 10, 20000);
    search(&f, &first);
    f.quest.starts = first.genes;
    f.quest.starts_count = 1;
    f.quest.budget = 100;
    search(&f, &next);
    assert_true(next.score >= first.score);
    free(next.genes);
    f.quest.has_goal = true;
    f.quest.goal = first.score - 1;
    f.quest.budget = 1000000;
    search(&f, &next);
    tried = next.tried;
    assert_true(next.score > f.quest.goal);
    assert_true(tried < 2000);
    free(next.genes);
    free(first.genes);
    field_close(&f);
}

/* No starter can be left out, and no tick is larger than it need be. */
LONG_TEST(test_what_is_found_is_simple)
{
    struct lab_found found;
    struct lab_trial trial;
    struct field f;
    int64_t score;

    open_ring(&f, 8, 20000);
    search(&f, &found);
    assert_true(lab_trial_begin(&trial, &f.space, &f.quest.measure, false));
    assert_int_equal(lab_trial_run(&trial, found.genes, &score), SIM_OK);
    assert_int_equal(score, found.score);
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t *wake = &found.genes[f.space.part[LAB_WAKES].at + i];
        uint64_t before = *wake;

        if (before < 2) /* it may be the only one at tick 0 */
            continue;
        *wake = 0;
        assert_int_equal(lab_trial_run(&trial, found.genes, &score), SIM_OK);
        assert_true(score < found.score);
        *wake = 1;
        assert_int_equal(lab_trial_run(&trial, found.genes, &score), SIM_OK);
        assert_true(score < found.score);
        *wake = before;
    }
    lab_trial_end(&trial);
    free(found.genes);
    field_close(&f);
}

TEST(test_stop)
{
    atomic_bool stop = true;
    struct lab_found found;
    struct field f;

    open_ring(&f, 12, 1000000);
    f.quest.stop = &stop;
    assert_int_equal(lab_worst(&f.quest, &found), 0);
    assert_true(found.stopped);
    assert_false(found.exhaustive);
    assert_int_equal(found.tried, 0);
    free(found.genes);
    field_close(&f);
}

/* ---- Cases --------------------------------------------------------------- */

static void assert_is_case(const struct lab_space *s, const uint64_t *genes)
{
    uint32_t seen = 0;
    bool starts = false;

    for (uint32_t i = 0; i < s->part[LAB_NAMES].count; i++)
        seen |= 1u << genes[i];
    assert_int_equal(seen, (1u << s->part[LAB_NAMES].count) - 1);
    if (s->rotates)
        assert_int_equal(genes[0], 0);
    for (uint32_t part = LAB_WAKES; part < LAB_PARTS; part++)
        for (uint32_t i = 0; i < s->part[part].count; i++) {
            uint64_t gene = genes[s->part[part].at + i];

            assert_in_range(gene, s->part[part].least, s->part[part].greatest);
            starts |= part == LAB_WAKES && gene == 1;
        }
    assert_true(starts);
}

/* Whatever happens to a case, it stays one. */
TEST(test_changes_make_cases)
{
    struct lab_random r = {5};
    struct field f, smaller;
    uint64_t genes[100], less[100];
    struct net_why why = {0};

    field_open(&f, "vitanyi", 7, "2:5:1:4", "passes");
    field_open(&smaller, "vitanyi", 6, "2:5:1:4", "passes");
    for (uint32_t i = 0; i < 2; i++) {
        struct field *g = i ? &smaller : &f;
        uint32_t n = g->space.nodes;

        vary(g, LAB_NAMES, n, 0, n - 1);
        vary(g, LAB_WAKES, n, 0, n);
        vary(g, LAB_STEPS, n, 2, 5);
        vary(g, LAB_PHASES, n, 0, 4);
        vary(g, LAB_DELAYS, n, 1, 4);
        vary(g, LAB_SEED, 1, 3, 9);
    }
    for (uint32_t round = 0; round < rounds(3000); round++) {
        lab_space_random(&f.space, &r, genes);
        assert_is_case(&f.space, genes);
        for (uint32_t i = 0; i < 10; i++) {
            lab_space_mutate(&f.space, &r, genes);
            assert_is_case(&f.space, genes);
        }
        lab_space_without(&smaller.space, round % 7, &f.space, genes, less);
        assert_is_case(&smaller.space, less);
    }
    for (uint32_t i = 0; i < f.families.count; i++) {
        assert_true(
            lab_space_family(&f.space, &f.families.family[i], genes, &why));
        assert_is_case(&f.space, genes);
    }
    field_close(&f);
    field_close(&smaller);
}

/* A trial is the run that its genes say; whole steps of a phase do not
 * count. */
TEST(test_a_trial_is_the_run)
{
    static const uint64_t genes[] = {0, 2, 1, /* */ 1, 0, 3, /* */
                                     4, 5, 4, /* */ 5, 4, 3, /* */ 2, 0, 6};
    static const fc_name names[] = {1, 3, 2};
    static const struct net_wake wakes[] = {{{.name = 1}, 0}, {{.name = 2}, 2}};
    static const uint64_t phases[] = {1, 4, 3};
    struct net_memory memory = {0};
    struct sim_job job = {.seed = 1, .memory = &memory};
    struct sim_result result, other;
    struct lab_trial trial;
    struct field f;
    int64_t score;

    field_open(&f, "vitanyi", 3, "4:5:0:6", "end");
    vary(&f, LAB_NAMES, 3, 0, 2);
    vary(&f, LAB_WAKES, 3, 0, 3);
    vary(&f, LAB_STEPS, 3, 4, 5);
    vary(&f, LAB_PHASES, 3, 0, 5);
    vary(&f, LAB_DELAYS, 3, 0, 6);
    assert_true(lab_trial_begin(&trial, &f.space, &f.quest.measure, false));
    assert_int_equal(lab_trial_run(&trial, genes, &score), SIM_OK);
    f.setup.net.naming = NET_NAMES_LIST;
    f.setup.net.names = names;
    f.setup.net.waking = NET_WAKE_LIST;
    f.setup.net.wakes = wakes;
    f.setup.net.wake_count = 2;
    f.setup.net.clock = NET_CLOCK_LIST;
    f.setup.net.steps = genes + 6;
    f.setup.net.delays = genes + 12;
    assert_int_equal(sim_run(&f.setup, &job, &other), SIM_OK);
    f.setup.net.phases = phases;
    assert_int_equal(sim_run(&f.setup, &job, &result), SIM_OK);
    assert_int_not_equal(result.end, other.end);
    assert_int_equal(score, result.end);
    assert_int_equal(trial.result.messages, result.messages);
    assert_int_equal(trial.result.events, result.events);
    lab_trial_end(&trial);
    net_memory_free(&memory);
    field_close(&f);
}

/* The node in the middle leaves, with its tick and its name; ranks close up. */
TEST(test_a_ring_without_a_node)
{
    static const uint64_t genes[] = {0, 3, 1, 2, /* */ 0, 1, 5, 2};
    static const uint64_t wanted[] = {0, 2, 1, /* */ 0, 1, 2};
    struct field f, smaller;
    uint64_t less[6];

    open_ring(&f, 4, 1);
    open_ring(&smaller, 3, 1);
    lab_space_without(&smaller.space, 2, &f.space, genes, less);
    assert_memory_equal(less, wanted, sizeof wanted);
    field_close(&f);
    field_close(&smaller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_cases_are_all_cases),
        cmocka_unit_test(test_a_search_finds_the_worst_of_five),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_seeds_matter),
        cmocka_unit_test(test_starts_and_goals),
        cmocka_unit_test(test_what_is_found_is_simple),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_changes_make_cases),
        cmocka_unit_test(test_a_trial_is_the_run),
        cmocka_unit_test(test_a_ring_without_a_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
