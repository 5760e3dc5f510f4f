/*
 * list.c - fulcrum list [PROTOCOL]: what there is to run.
 */
#include <getopt.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/setup/setup.h"

static const char *const topologies[] = {
    [FC_RING] = "ring, one direction",
    [FC_RING_BOTH] = "ring, both directions",
    [FC_COMPLETE] = "complete network",
    [FC_TREE] = "tree",
};

struct wishes {
    bool json;
};

#define WISHES struct wishes

static const struct cli_option options[] = {
    {"json", 0, NULL, "as JSON", AT(json)}, {0}};

/* Text after a label. */
static void print_wrapped(const char *label, const char *text)
{
    enum { INDENT = 12 };
    struct paragraph p = paragraph_begin(2, INDENT);

    paragraph_say(&p, "%s", label);
    paragraph_go_to(&p, INDENT);
    paragraph_say(&p, "%s", text);
    paragraph_end(&p);
}

static void print_line(const struct fc_protocol *p)
{
    enum { PROBLEM = 20, TITLE = 29 };
    struct paragraph line = paragraph_begin(0, TITLE);

    paragraph_say(&line, "%s", p->name);
    paragraph_go_to(&line, PROBLEM);
    paragraph_say(&line, "%s", p->problem->name);
    paragraph_go_to(&line, TITLE);
    paragraph_say(&line, "%s", p->title);
    paragraph_end(&line);
}

static void print_param(const struct fc_param *param)
{
    struct paragraph p = paragraph_begin(2, 6);

    paragraph_say(&p, "%s=%s [%s]", param->key, param->form, param->fallback);
    paragraph_end(&p);
    p = paragraph_begin(6, 6);
    paragraph_say(&p, "%s", param->help);
    paragraph_end(&p);
}

static void print_properties(const struct fc_problem *p)
{
    char names[256] = "";

    for (uint32_t i = 0; i < p->properties_count; i++)
        cli_append(names, sizeof names, "%s%s", i ? ", " : "",
                   p->properties[i]);
    print_wrapped("checked", names);
}

static void print_one(const struct fc_protocol *p)
{
    printf("%s - %s\n\n", p->name, p->title);
    print_wrapped("idea", p->idea);
    print_wrapped("problem", p->problem->name);
    print_wrapped("topology", topologies[p->topology]);
    print_wrapped("assumes", p->assumes);
    print_wrapped("source", p->source);
    printf("  %-10s", "messages");
    for (uint32_t k = 1; k < p->kinds_count; k++)
        printf("%s%s", k > 1 ? ", " : "", p->kinds[k].name);
    printf("\n  %-10s%zu bytes a node, %zu a message\n", "state", p->state_size,
           p->msg_size);
    print_properties(p->problem);
    if (p->predicates_count)
        printf("\nof the whole network (check --only NAME, sim --judge)\n");
    for (uint32_t i = 0; i < p->predicates_count; i++) {
        struct paragraph line = paragraph_begin(2, 6);

        paragraph_say(&line, "%s: %s", p->predicates[i].name,
                      p->predicates[i].says);
        paragraph_end(&line);
    }
    if (p->params_count)
        printf("\nparameters (--set KEY=VALUE; the default in brackets)\n");
    for (uint32_t i = 0; i < p->params_count; i++)
        print_param(&p->params[i]);
}

static json_t *json_of(const struct fc_protocol *p)
{
    json_t *params = json_array(), *kinds = json_array();
    json_t *predicates = json_array();

    for (uint32_t i = 0; i < p->params_count; i++)
        json_array_append_new(params, json_pack("{s:s,s:s,s:s,s:s}", "key",
                                                p->params[i].key, "form",
                                                p->params[i].form, "default",
                                                p->params[i].fallback, "help",
                                                p->params[i].help));
    for (uint32_t k = 1; k < p->kinds_count; k++)
        json_array_append_new(kinds, json_string(p->kinds[k].name));
    for (uint32_t i = 0; i < p->predicates_count; i++)
        json_array_append_new(
            predicates, json_pack("{s:s,s:s}", "name", p->predicates[i].name,
                                  "says", p->predicates[i].says));
    return json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:o,s:o,s:o,s:o}", "protocol",
        p->name, "title", p->title, "idea", p->idea, "problem",
        p->problem->name, "topology", topologies[p->topology], "assumes",
        p->assumes, "source", p->source, "state_bytes",
        (json_int_t)p->state_size, "message_bytes", (json_int_t)p->msg_size,
        "messages", kinds, "parameters", params, "properties",
        cli_json_list(p->problem->properties, p->problem->properties_count),
        "predicates", predicates);
}

static void print_all(bool json)
{
    json_t *all = json ? json_array() : NULL;

    for (uint32_t i = 0; sim_types[i]; i++) {
        const struct fc_protocol *p = sim_types[i]->protocol;

        if (json)
            json_array_append_new(all, json_of(p));
        else
            print_line(p);
    }
    if (json)
        cli_json_print(all, 0);
    else
        printf("\n'fulcrum list PROTOCOL' tells all about one.\n");
}

static int run_list(int argc, char **argv)
{
    const struct fc_protocol *protocol;
    struct net_why why = {0};
    struct wishes w = {.json = false};
    int code = cli_options_read(&cli_list, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (argc - optind > 1)
        return cli_refuse("takes one protocol at most");
    if (optind == argc) {
        print_all(w.json);
        return CLI_FINE;
    }
    protocol = net_choose(argv[optind], &why);
    if (!protocol)
        return cli_refused(&why);
    if (w.json)
        cli_json_print(json_of(protocol), 0);
    else
        print_one(protocol);
    return CLI_FINE;
}

const struct cli_verb cli_list = {
    .name = "list",
    .summary = "the protocols, what they assume, their parameters",
    .run = run_list,
    .usage = "[PROTOCOL] [--json]",
    .about = "Lists the protocols; or all about one of them: problem, "
             "topology, assumptions, source, parameters with their defaults.",
    .examples = "fulcrum list vitanyi",
    .options = {options},
    .reports = true,
    .operands = {"@protocol"},
};
