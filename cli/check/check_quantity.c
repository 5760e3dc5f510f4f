/*
 * check_quantity.c - fulcrum check --max, --min: the extremes of quantities
 * (see check.h, docs/check-numbers.md).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"

static const char *const options[] = {"--max", "--min"};

/* ---- The request --------------------------------------------------------- */

static void list_quantities(const struct net *net, char *out, size_t size)
{
    char names[CHECK_QUANTITIES_MAX][CHECK_QUANTITY_BYTES];
    uint32_t count = check_quantities(net, names);

    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        cli_append(out, size, "%s%s", i ? ", " : "", names[i]);
}

int cli_check_refuse_quantity(const struct cli_check *c, const char *option,
                              const char *name, const char *why)
{
    char known[512];

    list_quantities(&c->check.net, known, sizeof known);
    return cli_refuse("%s %s: %s; of %s there are %s", option, name, why,
                      c->words.net.protocol, known);
}

/* Whether it is wanted already. */
static bool is_wanted(const struct cli_check *c, const char *name,
                      bool greatest)
{
    for (uint32_t i = 0; i < c->wanted_count; i++)
        if (c->wanted[i].greatest == greatest &&
            strcmp(c->wanted[i].measure.name, name) == 0)
            return true;
    return false;
}

static int want(struct cli_check *c, const char *name, uint32_t which)
{
    struct check_wanted *w = &c->wanted[c->wanted_count];
    const char *why = check_measure(&c->check, name, &w->measure);

    if (!why) {
        w->greatest = which == CLI_MOST;
        c->wanted_count += !is_wanted(c, name, w->greatest);
        return 0;
    }
    return cli_check_refuse_quantity(c, options[which], name, why);
}

/* Whether a quantity is asked for by this option. */
static bool is_typed(const struct cli_check *c, uint32_t which,
                     const char *name)
{
    for (uint32_t i = 0; i < c->quantity_count[which]; i++)
        if (strcmp(c->quantity[which][i], name) == 0)
            return true;
    return false;
}

/* In the order in which they were typed, the extremes of one quantity one after
 * the other. */
int cli_check_set_quantity(struct cli_check *c)
{
    int code = 0;

    for (uint32_t which = 0; which < CLI_EXTREMES; which++)
        for (uint32_t i = 0; !code && i < c->quantity_count[which]; i++) {
            const char *name = c->quantity[which][i];

            code = want(c, name, which);
            if (!code && which == CLI_MOST && is_typed(c, CLI_LEAST, name))
                code = want(c, name, CLI_LEAST);
        }
    return code;
}

/* ---- Searching ----------------------------------------------------------- */

/* Over all placements of names that are to be tried. */
static void find_extremes(struct cli_check *c)
{
    size_t size = c->check.net.world.nodes * sizeof c->extreme[0].names[0];
    bool limited = false;

    for (uint32_t i = 0; c->all_names && i < c->check.net.world.nodes; i++)
        c->made.names[i] = i + 1;
    if (c->all_names)
        (void)cli_check_place(c);
    do {
        check_extremes(&c->check, c->wanted, c->wanted_count);
        cli_check_placed(c, c->wanted[0].found.states);
        for (uint32_t i = 0; i < c->wanted_count; i++) {
            limited |= c->wanted[i].found.limit != CHECK_NO_LIMIT;
            if (c->all_names && c->wanted[i].improved)
                memcpy(c->extreme[i].names, c->made.names, size);
        }
    } while (!limited && cli_check_next_placement(c));
}

static bool has_run(const struct check_wanted *w)
{
    return !w->found.limit && !w->found.none;
}

/* The extreme whose run is written down: the first that has one. */
static uint32_t shown(const struct cli_check *c)
{
    uint32_t i = 0;

    while (i < c->wanted_count && !has_run(&c->wanted[i]))
        i++;
    return i;
}

/* The run of an extreme, told and written down with the names as they are
 * there. */
static int keep_run(struct cli_check *c, uint32_t i)
{
    struct cli_extreme *e = &c->extreme[i];

    if (!has_run(&c->wanted[i]))
        return 0;
    if (c->all_names) {
        memcpy(c->made.names, e->names,
               c->check.net.world.nodes * sizeof e->names[0]);
        (void)cli_check_place(c);
    }
    e->story = cli_check_tell(c, &c->wanted[i].found.run);
    if (!e->story)
        return cli_no_memory("the run in words");
    return i == shown(c) ? cli_check_write(c, &c->wanted[i].found.run) : 0;
}

int cli_check_measure(struct cli_check *c)
{
    size_t size = c->check.net.world.nodes * sizeof *c->made.names;
    fc_name names[CHECK_NODES_MAX];
    int code = 0;

    if (c->all_names)
        memcpy(names, c->made.names, size);
    find_extremes(c);
    for (uint32_t i = 0; i < c->wanted_count && !code; i++)
        code = keep_run(c, i);
    if (c->all_names) { /* a violation is told with its own */
        memcpy(c->made.names, names, size);
        (void)cli_check_place(c);
    }
    if ((c->trace || c->svg) && shown(c) == c->wanted_count)
        cli_note("nothing was written to %s%s%s: there is no such run",
                 c->trace ? c->trace : "", c->trace && c->svg ? " and " : "",
                 c->svg ? c->svg : "");
    return code;
}

void cli_check_measure_free(struct cli_check *c)
{
    for (uint32_t i = 0; i < c->wanted_count; i++) {
        check_free(&c->wanted[i].found.run);
        free(c->extreme[i].story);
    }
}

/* ---- Reporting ----------------------------------------------------------- */

static void report_amount(const struct check_wanted *w)
{
    const struct check_extreme *e = &w->found;
    const char *word = w->greatest ? "at most" : "at least";
    char text[32];

    if (e->limit)
        printf("  %-12s %14s  not found: %s\n", word, "?",
               cli_check_limit(e->limit, e->refusal));
    else if (e->none)
        printf("  %-12s %14s  no run comes to that\n", word, "-");
    else if (e->unbounded)
        printf("  %-12s %14s\n", word, "unbounded");
    else
        printf("  %-12s %14s  %s\n", word,
               cli_grouped(e->value, text, sizeof text), w->measure.what);
}

static void report_run(const struct cli_check *c, uint32_t i)
{
    const struct check_wanted *w = &c->wanted[i];
    const char *comma = ", names ";

    if (!c->extreme[i].story)
        return;
    printf("\na run %s", w->found.unbounded ? "without bound"
                         : w->greatest      ? "with the most"
                                            : "with the least");
    for (uint32_t k = 0; c->all_names && k < c->check.net.world.nodes; k++) {
        printf("%s%" PRIu64, comma, (uint64_t)c->extreme[i].names[k]);
        comma = " ";
    }
    printf(":\n\n");
    cli_check_print(c->extreme[i].story);
}

/* The number of extremes of one quantity that follow each other from here
 * on. */
static uint32_t extremes_of(const struct cli_check *c, uint32_t i)
{
    bool both =
        i + 1 < c->wanted_count &&
        strcmp(c->wanted[i].measure.name, c->wanted[i + 1].measure.name) == 0;

    return both ? 2 : 1;
}

void cli_check_report_quantity(const struct cli_check *c)
{
    for (uint32_t i = 0, last; i < c->wanted_count; i = last) {
        last = i + extremes_of(c, i);
        printf("%s, over all runs", c->wanted[i].measure.name);
        if (c->wanted[i].found.cut_off)
            printf(" of up to %" PRIu32 " ticks", c->check.until);
        printf("\n");
        for (uint32_t k = i; k < last; k++)
            report_amount(&c->wanted[k]);
        for (uint32_t k = i; k < last; k++)
            report_run(c, k);
        printf("\n");
    }
}

static json_t *extreme_json(const struct cli_check *c, uint32_t i)
{
    const struct check_extreme *e = &c->wanted[i].found;
    json_t *json = json_object(), *witness, *names;

    if (e->limit) {
        json_object_set_new(json, "limit",
                            json_string(cli_check_limit(e->limit, e->refusal)));
        return json;
    }
    if (e->unbounded)
        json_object_set_new(json, "unbounded", json_true());
    else
        json_object_set_new(json, "value",
                            e->none ? json_null() : cli_json_number(e->value));
    if (e->none)
        return json;
    witness = json_pack("{s:o}", "steps", cli_json_number(e->run.moves_count));
    if (e->unbounded)
        json_object_set_new(witness, "repeats_from",
                            cli_json_number(e->run.loop_at));
    if (c->all_names) {
        names = json_array();
        for (uint32_t k = 0; k < c->check.net.world.nodes; k++)
            json_array_append_new(names,
                                  cli_json_number(c->extreme[i].names[k]));
        json_object_set_new(witness, "names", names);
    }
    if (c->trace && i == shown(c))
        json_object_set_new(witness, "trace", json_string(c->trace));
    json_object_set_new(json, "witness", witness);
    if (c->given)
        json_object_set_new(json, "given", json_string(c->given));
    return json;
}

/* `quantity`, or `quantities` if there are several. */
void cli_check_add_quantity(const struct cli_check *c, json_t *json)
{
    json_t *list = json_array();

    for (uint32_t i = 0, last; i < c->wanted_count; i = last) {
        json_t *one = json_pack("{s:s}", "name", c->wanted[i].measure.name);

        last = i + extremes_of(c, i);
        for (uint32_t k = i; k < last; k++)
            json_object_set_new(one, c->wanted[k].greatest ? "max" : "min",
                                extreme_json(c, k));
        json_array_append_new(list, one);
    }
    if (json_array_size(list) == 1)
        json_object_set(json, "quantity", json_array_get(list, 0));
    else
        json_object_set(json, "quantities", list);
    json_decref(list);
}

int cli_check_quantity_code(const struct cli_check *c)
{
    for (uint32_t i = 0; i < c->wanted_count; i++)
        if (c->wanted[i].found.limit)
            return c->wanted[i].found.limit == CHECK_STOPPED ? CLI_INTERRUPTED
                                                             : CLI_SYSTEM;
    return 0;
}
