/*
 * test_fact_costs.c - what runs cost, beside the formulas that facts.txt of a
 * protocol gives: over all the runs of a line, the least, the mean and the most
 * are as it says, in whole numbers, for each number of initiators apart.
 */
#include <inttypes.h>

#include "lab/formula/letters.h"
#include "lab/formula/measure.h"
#include "net/make.h"
#include "sim/cases.h"
#include "tests/unit/kit/facts.h"

enum { NODES_MAX = 65536, SETTINGS_MAX = 8 };

/* Of runs with the same number of nodes and initiators. */
struct tally {
    uint64_t runs, least, most, sum;
};

struct cost {
    const char *protocol;
    char text[1024]; /* the line */
    char *extreme;   /* least, mean, most; or NULL: of each run */
    char *quantity, *relation, *formula;
    const char *nodes; /* "2..64,1000" */
    struct net_words words;
    const char *settings[SETTINGS_MAX];
    bool placements, starters;
    uint64_t runs;
    uint32_t entries;
};

/* ---- Its line ------------------------------------------------------------ */

static void read_option(struct cost *c, const char *option, const char *value)
{
    if (strcmp(option, "-n") == 0)
        c->nodes = value;
    else if (strcmp(option, "--names") == 0 && strcmp(value, "all") == 0)
        c->placements = true;
    else if (strcmp(option, "--names") == 0)
        c->words.names = value;
    else if (strcmp(option, "--wake") == 0 && strcmp(value, "sets") == 0)
        c->starters = true;
    else if (strcmp(option, "--wake") == 0)
        c->words.wake = value;
    else if (strcmp(option, "--topology") == 0)
        c->words.topology = value;
    else if (strcmp(option, "--set") == 0)
        c->settings[c->words.settings_count++] = value;
    else if (strcmp(option, "--entries") == 0)
        c->entries = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(option, "--runs") == 0)
        c->runs = strtoull(value, NULL, 10);
    else
        fail_msg("%s: costs know no %s", c->protocol, option);
}

/* "most messages.token == k*N - k*(k-1)/2  -n 2..8 --names all" */
static void read_cost(struct cost *c, const char *protocol, const char *text)
{
    static const char *const extremes[] = {"least", "mean", "most"};
    char *rest = c->text, *options, *word;

    *c = (struct cost){.protocol = protocol, .runs = 1, .entries = 1};
    snprintf(c->text, sizeof c->text, "%s", text);
    options = strstr(c->text, "  -");
    if (!options) {
        fail_msg("%s: %s: two blanks and options come last", protocol, text);
        return;
    }
    *options = '\0';
    options += strspn(options + 1, " ") + 1;
    c->quantity = strsep(&rest, " ");
    for (size_t i = 0; i < COUNT(extremes); i++)
        if (strcmp(c->quantity, extremes[i]) == 0)
            c->extreme = c->quantity;
    if (c->extreme)
        c->quantity = strsep(&rest, " ");
    c->relation = strsep(&rest, " ");
    c->formula = rest;
    while ((word = strsep(&options, " ")))
        if (*word)
            read_option(c, word, strsep(&options, " "));
    c->words.protocol = protocol;
    c->words.settings = c->settings;
    if (!c->formula || !c->nodes)
        fail_msg("%s: %s is no cost", protocol, text);
}

/* ---- Its runs ------------------------------------------------------------ */

static void add(struct tally *t, uint64_t value)
{
    if (t->runs == 0 || value < t->least)
        t->least = value;
    if (value > t->most)
        t->most = value;
    t->sum += value;
    t->runs++;
}

static void compare(const struct cost *c, const struct lab_number *is,
                    const struct lab_number *told, const char *what)
{
    int order = lab_compare(is, told);

    if (strcmp(c->relation, "==") == 0   ? order != 0
        : strcmp(c->relation, "<=") == 0 ? order > 0
                                         : true)
        fail_msg("%s: %s %s %s %s: it is %g, and should be %g", c->protocol,
                 what, c->quantity, c->relation, c->formula, is->value,
                 told->value);
}

static void judge(const struct cost *c, const struct sim_setup *setup,
                  uint32_t initiators, const struct tally *t)
{
    struct lab_number least = lab_whole((int64_t)t->least),
                      most = lab_whole((int64_t)t->most),
                      mean = lab_quotient((int64_t)t->sum, (int64_t)t->runs),
                      told;
    struct lab_letter letters[LAB_LETTERS_MAX];
    struct net net = setup->net;
    struct lab_scope scope;
    struct net_why why = {0};
    uint32_t count;

    net.world.initiators = initiators;
    count = lab_letters(&net, letters);
    letters[count++] = (struct lab_letter){"entries", lab_whole(c->entries)};
    letters[count].name = NULL;
    scope = lab_scope_of(&net, letters);
    if (!lab_evaluate_in(&scope, c->formula, &told, &why))
        fail_msg("%s: %s: %s", c->protocol, c->formula, why.text);
    if (!c->extreme || strcmp(c->extreme, "least") == 0)
        compare(c, &least, &told, "the least of");
    if (!c->extreme || strcmp(c->extreme, "most") == 0)
        compare(c, &most, &told, "the most of");
    if (c->extreme && strcmp(c->extreme, "mean") == 0)
        compare(c, &mean, &told, "the mean of");
}

/* All runs of a network: of each case of it, one for each seed. */
static void run_all(const struct cost *c, const struct sim_setup *setup,
                    const struct lab_measure *measure, struct tally *by_k)
{
    struct net_memory memory = {.segment_bytes = 0};
    fc_name names[SIM_PLACED_MAX];
    struct sim_cases cases = {.names = names,
                              .nodes = setup->net.world.nodes,
                              .placements = c->placements,
                              .starters = c->starters,
                              .runs = c->runs};
    uint64_t all = sim_placements_count(&cases) * sim_starters_count(&cases);

    for (uint32_t i = 0; i < SIM_PLACED_MAX; i++)
        names[i] = i + 1;
    for (uint64_t run = 0; run < all * c->runs; run++) {
        struct sim_setup one = *setup;
        struct sim_result r;
        struct sim_case which;
        struct sim_job job = {.seed = run % c->runs + 1, .memory = &memory};
        uint64_t value;

        if (c->placements || c->starters) {
            sim_case_find(&which, &cases, run / c->runs);
            sim_case_use(&which, &cases, &one);
        }
        assert_int_equal(sim_run(&one, &job, &r), SIM_OK);
        assert_int_equal(r.broken, 0);
        assert_false(r.cut);
        assert_true(measure->of->of(&r, NULL, measure->kind, &value));
        add(&by_k[r.initiators], value);
    }
    net_memory_free(&memory);
}

static void check_network(const struct cost *c, uint32_t nodes)
{
    struct sim_setup setup = {.until = 0};
    struct net_words words = c->words;
    struct net_why why = {0};
    struct net_made made;
    struct lab_measure measure;
    struct tally *by_k = calloc(nodes + 1, sizeof *by_k);
    char count[16];

    snprintf(count, sizeof count, "%" PRIu32, nodes);
    words.nodes = count;
    if (c->placements)
        words.names = "asc";
    if (!net_make(&made, &words, &why))
        fail_msg("%s: %s", c->protocol, why.text);
    setup.net = made.net;
    sim_use(&setup, sim_find(c->protocol));
    setup.work.entries = c->entries;
    sim_describe(&setup);
    if (!net_prepare(&made, &setup.net, &why))
        fail_msg("%s: %s", c->protocol, why.text);
    if (!lab_measure(setup.net.protocol, c->quantity, &measure, &why) ||
        measure.of->tallied)
        fail_msg("%s: %s: %s", c->protocol, c->quantity, why.text);
    run_all(c, &setup, &measure, by_k);
    for (uint32_t k = 0; k <= nodes; k++)
        if (by_k[k].runs)
            judge(c, &setup, k, &by_k[k]);
    free(by_k);
    net_unmake(&made);
}

/* Numbers beyond this, or more placements, do nothing to memory that smaller
 * ones do not do. */
static bool too_many(const struct cost *c, uint32_t nodes)
{
    return is_sanitized() && nodes > (c->placements ? 4 : 20);
}

/* "2..64,1000": each of them. */
static void check_cost(const char *protocol, const char *kind, const char *text)
{
    struct cost c;

    print_message("%s %s %s\n", protocol, kind, text);
    read_cost(&c, protocol, text);
    for (const char *at = c.nodes; at; at = strchr(at, ',')) {
        char *end;
        uint32_t n, last;

        at += *at == ',';
        n = last = (uint32_t)strtoul(at, &end, 10);
        if (strncmp(end, "..", 2) == 0)
            last = (uint32_t)strtoul(end + 2, NULL, 10);
        if (n < 2 || last < n || last > NODES_MAX)
            fail_msg("%s: -n %s", protocol, c.nodes);
        for (; n <= last; n++)
            if (!too_many(&c, n))
                check_network(&c, n);
    }
}

TEST(test_costs_are_those_of_the_formulas)
{
    (void)facts_each("costs", check_cost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_are_those_of_the_formulas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
