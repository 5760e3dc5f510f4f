/*
 * test_fact_runs.c - the greatest and the least amounts over all runs, beside
 * those of every run: of the networks that facts.txt of a protocol calls so
 * small that all runs can be enumerated (kit/every_run.h).
 */
#include "tests/unit/kit/every_run.h"
#include "tests/unit/kit/extremes.h"
#include "tests/unit/kit/facts.h"
#include "tests/unit/kit/rows.h"

static void compare(const struct check_setup *c, const struct every_run *e,
                    const char *name, uint32_t what)
{
    uint64_t most = extreme(c, name, true);
    uint64_t least = extreme(c, name, false);

    if (most != e->most[what] || least != e->least[what])
        fail_msg("%s, %s: %d to %d, but by every run %d to %d",
                 c->net.protocol->name, name, (int)least - 1, (int)most - 1,
                 (int)e->least[what] - 1, (int)e->most[what] - 1);
}

/* What nodes send, in the whole run or until a leader is elected. */
static void compare_sums(const struct check_setup *c, const struct every_run *e,
                         uint32_t from, const char *when)
{
    const struct fc_protocol *p = c->net.protocol;
    bool ring = p->topology == FC_RING || p->topology == FC_RING_BOTH;
    char name[64];

    snprintf(name, sizeof name, "messages%s", when);
    compare(c, e, name, from + EVERY_MESSAGES);
    snprintf(name, sizeof name, "paper-bits%s", when);
    compare(c, e, name, from + EVERY_BITS);
    for (uint32_t kind = 1; kind < p->kinds_count; kind++) {
        snprintf(name, sizeof name, "messages.%s%s", p->kinds[kind].name, when);
        compare(c, e, name, from + EVERY_KINDS + kind);
    }
    if (!ring || p->anonymous || strcmp(p->problem->name, "election") != 0)
        return;
    for (uint32_t n = 1; n <= c->net.world.nodes; n++) {
        snprintf(name, sizeof name, "passes.%u%s", (unsigned)n, when);
        compare(c, e, name, from + EVERY_PASSES + n);
    }
}

/* All other quantities, each by its own name. */
static void compare_rest(const struct check_setup *c, const struct every_run *e)
{
    static const struct {
        const char *name;
        uint32_t what;
    } known[] = {{"end", EVERY_END},
                 {"end-after", EVERY_END_AFTER},
                 {"elected-at", EVERY_GOAL},
                 {"elected-after", EVERY_GOAL_AFTER},
                 {"granting-delay", EVERY_GRANTING},
                 {"overtaken", EVERY_OVERTAKEN},
                 {"overtaken.one", EVERY_BY_ONE}};
    char names[CHECK_QUANTITIES_MAX][CHECK_QUANTITY_BYTES];
    uint32_t count = check_quantities(&c->net, names), own = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t what = UINT32_MAX;
        struct check_measure measure;

        if (strchr(names[i], '.') && strcmp(names[i], "overtaken.one") != 0)
            continue; /* by kinds and names */
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            if (strcmp(names[i], known[k].name) == 0)
                what = known[k].what;
        if (every_own(e->type, own) &&
            strcmp(names[i], every_own(e->type, own)->name) == 0)
            what = EVERY_OWNS + own++;
        if (what == UINT32_MAX)
            continue; /* messages, paper-bits */
        if (check_measure(c, names[i], &measure)) {
            assert_true(measure.of->timed && !e->timed);
            continue;
        }
        compare(c, e, names[i], what);
    }
    assert_null(every_own(e->type, own));
}

static void compare_amounts(const struct check_setup *c,
                            const struct every_rules *rules)
{
    struct every_run e = {.rules = *rules};

    every_run(&e, &c->net);
    assert_true(e.runs > 0);
    compare_sums(c, &e, 0, "");
    if (strcmp(e.type->protocol->problem->name, "election") == 0)
        compare_sums(c, &e, EVERY_ELECTED, "@elected");
    compare_rest(c, &e);
}

static uint32_t networks;

/* "-n 2 --time async", or "none: REASON". */
static void compare_with_runs(const char *protocol, const char *kind,
                              const char *text)
{
    char line[1024];
    struct row r;

    if (strncmp(text, "none: ", 6) == 0)
        return;
    if (networks++ % 8 != 0 && is_sanitized())
        return;
    print_message("%s %s %s\n", protocol, kind, text);
    snprintf(line, sizeof line, "holds %s %s", protocol, text);
    assert_true(row_open(&r, line));
    compare_amounts(&r.check, &(struct every_rules){
                                  .requests = r.check.entries,
                                  .any_start = r.check.waking == CHECK_WAKE_ANY,
                                  .any_order = r.check.net.any_order,
                                  .until = r.check.until,
                                  .crashes = (uint8_t)r.check.crashes,
                                  .losses = (uint8_t)r.check.losses,
                                  .copies = (uint8_t)r.check.copies,
                              });
    row_close(&r);
}

/* Every quantity that there is, at most and at least.  Each protocol has such a
 * network, or says why there is none. */
TEST(test_amounts_are_those_of_every_run)
{
    assert_int_not_equal(facts_each("runs", compare_with_runs), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts_are_those_of_every_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
