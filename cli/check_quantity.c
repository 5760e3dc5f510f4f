/*
 * check_quantity.c - fulcrum check --max, --min: the extremes of a quantity
 * (see check.h, docs/check.md).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "cli/cli.h"

static const char *const options[] = {"--max", "--min"};

/* ---- What is asked for --------------------------------------------------- */

static void list_quantities(const struct net *net, char *out, size_t size)
{
    size_t used = 0;

    for (const struct check_quantity *q = check_quantities; q->name; q++)
        if (check_quantity_fits(q, net) && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s",
                                     used ? ", " : "", q->name);
}

int cli_check_refuse_quantity(const struct cli_check *c, const char *option,
                              const char *name, const char *why)
{
    char known[256];

    list_quantities(&c->check.net, known, sizeof known);
    return cli_refuse("%s %s: %s; of %s there are %s", option, name, why,
                      c->words.protocol, known);
}

int cli_check_set_quantity(struct cli_check *c)
{
    const char *most = c->quantity[CLI_MOST], *least = c->quantity[CLI_LEAST];
    const char *name = most ? most : least, *why;

    if (!name)
        return 0;
    if (most && least && strcmp(most, least) != 0)
        return cli_refuse("--max %s --min %s: one quantity at a time", most,
                          least);
    why = check_measure(&c->check, name, &c->measure);
    return why ? cli_check_refuse_quantity(
                     c, options[most ? CLI_MOST : CLI_LEAST], name, why)
               : 0;
}

/* ---- Searching ----------------------------------------------------------- */

/* Whether a says more than b, which was found before. */
static bool exceeds(const struct check_extreme *a,
                    const struct check_extreme *b, bool greatest)
{
    if (a->limit || a->none || b->none || a->unbounded || b->unbounded)
        return a->limit || (b->none ? !a->none : a->unbounded && !b->unbounded);
    return greatest ? a->value > b->value : a->value < b->value;
}

/* One extreme, over all placements of names that are to be tried. */
static void find_extreme(struct cli_check *c, uint32_t which)
{
    struct cli_extreme *best = &c->extreme[which];
    size_t size = c->check.net.world.nodes * sizeof best->names[0];
    bool first = true;

    for (uint32_t i = 0; c->all_names && i < c->check.net.world.nodes; i++)
        c->made.names[i] = i + 1;
    if (c->all_names)
        (void)cli_check_place(c);
    do {
        struct check_extreme found;

        check_extreme(&c->check, &c->measure, which == CLI_MOST, &found);
        if (first || exceeds(&found, &best->found, which == CLI_MOST)) {
            check_free(&best->found.run);
            best->found = found;
            if (c->all_names)
                memcpy(best->names, c->made.names, size);
        } else {
            check_free(&found.run);
        }
        first = false;
    } while (best->found.limit == CHECK_NO_LIMIT &&
             cli_check_next_placement(c));
}

/* The run of an extreme, told and written down with the names as they are
 * there. */
static int keep_run(struct cli_check *c, uint32_t which)
{
    struct cli_extreme *e = &c->extreme[which];
    bool other = which == CLI_LEAST && c->quantity[CLI_MOST];

    if (e->found.limit || e->found.none)
        return 0;
    if (c->all_names) {
        memcpy(c->made.names, e->names,
               c->check.net.world.nodes * sizeof e->names[0]);
        (void)cli_check_place(c);
    }
    e->story = cli_check_tell(c, &e->found.run);
    return other ? 0 : cli_check_write(c, &e->found.run);
}

int cli_check_measure(struct cli_check *c)
{
    size_t size = c->check.net.world.nodes * sizeof *c->made.names;
    fc_name names[CHECK_NODES_MAX];
    int code = 0;

    if (c->all_names)
        memcpy(names, c->made.names, size);
    for (uint32_t i = 0; i < CLI_EXTREMES && !code; i++)
        if (c->quantity[i]) {
            find_extreme(c, i);
            code = keep_run(c, i);
        }
    if (c->all_names) { /* a violation is told with its own */
        memcpy(c->made.names, names, size);
        (void)cli_check_place(c);
    }
    return code;
}

void cli_check_measure_free(struct cli_check *c)
{
    for (uint32_t i = 0; i < CLI_EXTREMES; i++) {
        check_free(&c->extreme[i].found.run);
        free(c->extreme[i].story);
    }
}

/* ---- Reporting ----------------------------------------------------------- */

static void report_amount(const struct cli_check *c, uint32_t which)
{
    const struct check_extreme *e = &c->extreme[which].found;
    const char *word = which == CLI_MOST ? "at most" : "at least";
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
               cli_grouped(e->value, text, sizeof text), c->measure.of->what);
}

static void report_run(const struct cli_check *c, uint32_t which)
{
    const struct cli_extreme *e = &c->extreme[which];
    const char *comma = ", names ";

    if (!e->story)
        return;
    printf("\na run %s", e->found.unbounded  ? "without bound"
                         : which == CLI_MOST ? "with the most"
                                             : "with the least");
    for (uint32_t i = 0; c->all_names && i < c->check.net.world.nodes; i++) {
        printf("%s%" PRIu64, comma, (uint64_t)e->names[i]);
        comma = " ";
    }
    printf(":\n\n");
    cli_check_print(e->story);
}

void cli_check_report_quantity(const struct cli_check *c)
{
    bool cut_off = false;

    printf("%s, over all runs", c->measure.name);
    for (uint32_t i = 0; i < CLI_EXTREMES; i++)
        cut_off |= c->extreme[i].found.cut_off;
    if (cut_off)
        printf(" of up to %" PRIu32 " ticks", c->check.until);
    printf("\n");
    for (uint32_t i = 0; i < CLI_EXTREMES; i++)
        if (c->quantity[i])
            report_amount(c, i);
    for (uint32_t i = 0; i < CLI_EXTREMES; i++)
        report_run(c, i);
    printf("\n");
}

static json_t *extreme_json(const struct cli_check *c, uint32_t which)
{
    const struct cli_extreme *e = &c->extreme[which];
    json_t *json = json_object(), *witness, *names;

    if (e->found.limit) {
        json_object_set_new(
            json, "limit",
            json_string(cli_check_limit(e->found.limit, e->found.refusal)));
        return json;
    }
    if (e->found.unbounded)
        json_object_set_new(json, "unbounded", json_true());
    else
        json_object_set_new(json, "value",
                            e->found.none ? json_null()
                                          : cli_json_number(e->found.value));
    if (e->found.none)
        return json;
    witness =
        json_pack("{s:o}", "steps", cli_json_number(e->found.run.moves_count));
    if (e->found.unbounded)
        json_object_set_new(witness, "repeats_from",
                            cli_json_number(e->found.run.loop_at));
    if (c->all_names) {
        names = json_array();
        for (uint32_t i = 0; i < c->check.net.world.nodes; i++)
            json_array_append_new(names, cli_json_number(e->names[i]));
        json_object_set_new(witness, "names", names);
    }
    if (c->trace && (which == CLI_MOST || !c->quantity[CLI_MOST]))
        json_object_set_new(witness, "trace", json_string(c->trace));
    json_object_set_new(json, "witness", witness);
    if (c->given)
        json_object_set_new(json, "given", json_string(c->given));
    return json;
}

void cli_check_add_quantity(const struct cli_check *c, json_t *json)
{
    json_t *quantity = json_pack("{s:s}", "name", c->measure.name);

    for (uint32_t i = 0; i < CLI_EXTREMES; i++)
        if (c->quantity[i])
            json_object_set_new(quantity, options[i] + strlen("--"),
                                extreme_json(c, i));
    json_object_set_new(json, "quantity", quantity);
}

int cli_check_quantity_code(const struct cli_check *c)
{
    for (uint32_t i = 0; i < CLI_EXTREMES; i++)
        if (c->extreme[i].found.limit)
            return c->extreme[i].found.limit == CHECK_STOPPED ? CLI_INTERRUPTED
                                                              : CLI_SYSTEM;
    return 0;
}
