/*
 * check_odds.c - fulcrum check --worst, --expect, --given, --strategy: what
 * chance makes of it (see check.h, docs/check-numbers.md).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/odds/given.h"
#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/paragraph.h"
#include "core/text.h"

/* ---- The condition ------------------------------------------------------- */

static int refuse_given(const struct cli_check *c)
{
    const struct fc_lot *lot = &c->check.net.protocol->lot;

    return cli_refuse(
        "--given %s: say %s%sdraws.V=C: of the first draws of all nodes, C are "
        "V (they count from 1)",
        c->given, lot->draw ? lot->called : "", lot->draw ? "=C, or " : "");
}

/* "candidates=2", "draws.1=2". */
int cli_check_set_given(struct cli_check *c)
{
    static const char draws[] = "draws.";
    const struct fc_lot *lot = &c->check.net.protocol->lot;
    const char *sign;
    uint64_t draw = 0, count;
    char name[32];

    if (!c->given)
        return 0;
    sign = strchr(c->given, '=');
    if (!sign || (size_t)(sign - c->given) >= sizeof name ||
        !fc_read_number(sign + 1, &count))
        return refuse_given(c);
    snprintf(name, sizeof name, "%.*s", (int)(sign - c->given), c->given);
    if (lot->draw && strcmp(name, lot->called) == 0)
        draw = lot->draw;
    else if (strncmp(name, draws, strlen(draws)) != 0 ||
             !fc_read_number(name + strlen(draws), &draw))
        draw = 0;
    if (draw == 0 || draw > UINT32_MAX)
        return refuse_given(c);
    if (count > c->check.net.world.nodes)
        return cli_refuse("--given %s: there are %" PRIu32 " nodes", c->given,
                          c->check.net.world.nodes);
    if (c->check.reduce)
        return cli_refuse("--given needs all orders of events: leave out "
                          "--reduce");
    c->check.given_draw = (uint32_t)draw;
    c->check.given_count = (uint32_t)count;
    return 0;
}

int cli_check_is_given(const struct cli_check *c)
{
    const char *why = NULL;
    enum check_limit limit =
        c->given ? check_given(&c->check, &why) : CHECK_NO_LIMIT;

    if (limit == CHECK_REFUSED)
        return cli_refuse("--given %s: %s", c->given, why);
    if (limit != CHECK_NO_LIMIT)
        return cli_complain(
            limit == CHECK_STOPPED ? CLI_INTERRUPTED : CLI_SYSTEM,
            "--given %s: whether it means anything was not found: %s", c->given,
            cli_check_limit(limit, why));
    return 0;
}

/* ---- The request --------------------------------------------------------- */

int cli_check_set_expect(struct cli_check *c)
{
    const char *why;

    if (c->strategy && !c->worst && !c->expect)
        return cli_refuse("--strategy writes down what attains --worst or "
                          "--expect: ask for one of them");
    if (c->strategy && c->worst && c->expect)
        return cli_refuse("--strategy is for --worst or for --expect, one at a "
                          "time");
    if (c->strategy && c->check.symmetry)
        return cli_refuse("--strategy needs the states as they are: leave out "
                          "--symmetry");
    if (!c->expect)
        return 0;
    if (c->all_names)
        return cli_refuse("--expect is for one placement of names at a time");
    why = check_measure(&c->check, c->expect, &c->expected_of);
    if (!why)
        why = check_no_expectation(&c->check, &c->expected_of);
    return why ? cli_check_refuse_quantity(c, "--expect", c->expect, why) : 0;
}

/* Writes the schedulers to a file, which is there as a whole or not at all. */
static int write_strategy(struct cli_check *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool good;

    if (!file)
        return cli_no_memory("the strategy");
    snprintf(c->plan->command, sizeof c->plan->command, "%s", c->command);
    check_strategy_write(c->plan, file);
    (void)fclose(file);
    file = fopen(c->strategy, "w");
    good = file && fwrite(text, 1, size, file) == size;
    if (file)
        good = fclose(file) == 0 && good;
    free(text);
    return good ? 0
                : cli_fail("cannot write %s: %s", c->strategy, strerror(errno));
}

int cli_check_odds(struct cli_check *c)
{
    struct check_scheduler *schedulers = NULL;
    bool found;

    if (c->strategy) {
        c->plan = calloc(1, sizeof *c->plan);
        if (!c->plan)
            return cli_no_memory("the strategy");
        schedulers = c->plan->scheduler;
    }
    if (c->worst)
        check_expect(&c->check, NULL, &c->odds, schedulers);
    if (c->expect)
        check_expect(&c->check, &c->expected_of, &c->expected, schedulers);
    found =
        c->plan && (c->plan->scheduler[0].known || c->plan->scheduler[1].known);
    return found ? write_strategy(c) : 0;
}

void cli_check_odds_free(struct cli_check *c)
{
    if (c->plan)
        check_strategy_free(c->plan);
    free(c->plan);
}

/* ---- Reporting ----------------------------------------------------------- */

void cli_report_chance(const char *word, const struct check_chance *c)
{
    if (c->under == 1)
        printf("  %-12s %14" PRIu64 "\n", word, c->over);
    else if (c->under)
        printf("  %-12s %14.10f  exactly %" PRIu64 "/%" PRIu64 "\n", word,
               (double)c->over / (double)c->under, c->over, c->under);
    else if (isinf(c->most))
        printf("  %-12s %14.10f  or more: no bound from above was found\n",
               word, c->least);
    else
        printf("  %-12s %14.10f  to %.10f\n", word, c->least, c->most);
}

static void report_limit(const char *what, enum check_limit limit,
                         const char *refusal)
{
    printf("? %s was not found: %s\n\n", what,
           refusal                  ? refusal
           : limit == CHECK_STOPPED ? "stopped"
                                    : "the limits do not suffice");
}

void cli_report_failing(const struct cli_check *c, bool endless)
{
    const struct fc_protocol *p = c->check.net.protocol;
    struct paragraph text = paragraph_begin(0, 2);
    const char *comma = "";

    paragraph_say(&text, "probability of failing:");
    for (uint32_t i = 0; i < FC_SANE_BIT + (c->only ? 1u : 0u); i++) {
        bool judged = i < FC_PREDICATE_BIT || i == FC_SANE_BIT ||
                      (c->check.net.predicates >> (i - FC_PREDICATE_BIT) & 1);

        if (!(c->check.properties >> i & 1) || !fc_property(p, i) || !judged ||
            (p->problem->ends == 1u << i && !endless))
            continue;
        paragraph_say(&text, "%s %s", comma, fc_property(p, i));
        comma = ",";
    }
    if (c->given)
        paragraph_say(&text, "; given %s", c->given);
    paragraph_end(&text);
}

static void report_worst(const struct cli_check *c)
{
    const struct check_expect *odds = &c->odds;

    if (odds->limit != CHECK_NO_LIMIT) {
        report_limit("the probability", odds->limit, odds->refusal);
        return;
    }
    cli_report_failing(c, odds->endless);
    cli_report_chance("at most", &odds->most.value);
    cli_report_chance("at least", &odds->least.value);
    printf("\n");
}

static void report_expected(const char *word, const struct check_expected *e)
{
    if (e->infinite)
        printf("  %-12s %14s\n", word, "infinite");
    else
        cli_report_chance(word, &e->value);
}

static void report_expect(const struct cli_check *c)
{
    const struct check_expect *e = &c->expected;

    if (e->limit != CHECK_NO_LIMIT) {
        report_limit("the expected amount", e->limit, e->refusal);
        return;
    }
    printf("expected %s%s%s\n", c->expected_of.name, c->given ? "; given " : "",
           c->given ? c->given : "");
    report_expected("at most", &e->most);
    report_expected("at least", &e->least);
    printf("\n");
}

/* What was written down, or why not. */
static void report_strategy(const struct cli_check *c)
{
    static const char *const words[] = {"at most", "at least"};

    for (uint32_t i = 0; i < 2; i++) {
        const struct check_scheduler *s = &c->plan->scheduler[i];

        if (s->known)
            printf("  %-12s %14" PRIu32 "  acts in %s\n", words[i],
                   s->acts_count, c->strategy);
        else
            printf("  %-12s %14s  no scheduler is written down\n", words[i],
                   "-");
    }
    printf("\n");
}

void cli_check_report_odds(const struct cli_check *c)
{
    if (c->worst)
        report_worst(c);
    if (c->expect)
        report_expect(c);
    if (c->plan)
        report_strategy(c);
}

json_t *cli_chance_json(const struct check_chance *c)
{
    json_t *json = json_pack("{s:f}", "least", c->least);
    char text[64];

    if (!isinf(c->most))
        json_object_set_new(json, "most", json_real(c->most));
    if (c->under) {
        snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64, c->over, c->under);
        json_object_set_new(json, "exact", json_string(text));
    }
    return json;
}

json_t *cli_expected_json(const struct check_expected *e)
{
    return e->infinite ? json_pack("{s:b}", "infinite", true)
                       : cli_chance_json(&e->value);
}

/* Adds what was given. */
static json_t *under(const struct cli_check *c, json_t *json)
{
    if (c->given)
        json_object_set_new(json, "given", json_string(c->given));
    return json;
}

void cli_check_add_odds(const struct cli_check *c, json_t *json)
{
    const struct check_expect *odds = &c->odds;
    const struct check_expect *e = &c->expected;

    if (c->worst && !odds->limit && odds->states > 0) {
        json_object_set_new(json, "worst",
                            under(c, cli_chance_json(&odds->most.value)));
        json_object_set_new(json, "best",
                            under(c, cli_chance_json(&odds->least.value)));
        json_object_set_new(json, "endless_counts",
                            json_boolean(odds->endless));
    }
    if (c->expect && !e->limit && e->states > 0)
        json_object_set_new(
            json, "expect",
            json_pack("{s:s, s:o, s:o}", "name", c->expected_of.name, "max",
                      under(c, cli_expected_json(&e->most)), "min",
                      under(c, cli_expected_json(&e->least))));
    if (c->plan)
        json_object_set_new(json, "strategy", json_string(c->strategy));
}

int cli_check_odds_code(const struct cli_check *c)
{
    enum check_limit limit = c->expected.limit;

    return limit == CHECK_NO_LIMIT  ? 0
           : limit == CHECK_STOPPED ? CLI_INTERRUPTED
                                    : CLI_SYSTEM;
}
