/*
 * check_report.c - what a search found (see check.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/tell/telling.h"
#include "cli/assume.h"
#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/picture.h"

const char *cli_check_verdict(enum check_verdict verdict)
{
    static const char *const words[] = {"holds", "violated", "incomplete"};

    return words[verdict];
}

const char *cli_check_limit(enum check_limit limit, const char *refusal)
{
    static const char *const limits[] = {
        [CHECK_STATES] = "the limit on states is reached",
        [CHECK_DEPTH] = "the limit on depth is reached",
        [CHECK_MEMORY] = "memory is exhausted",
        [CHECK_STOPPED] = "stopped",
    };

    return limit == CHECK_REFUSED ? refusal : limits[limit];
}

/* What a property says, if more than its name; or NULL. */
static const char *sentence_of(const struct cli_check *c, uint32_t bit)
{
    const struct fc_protocol *p = c->check.net.protocol;
    const struct net_asked *asked = c->check.net.asked;

    if (bit >= FC_PREDICATE_BIT && bit - FC_PREDICATE_BIT < p->predicates_count)
        return p->predicates[bit - FC_PREDICATE_BIT].says;
    return asked && bit >= NET_ASKED_BIT && bit - NET_ASKED_BIT < asked->count
               ? asked->property[bit - NET_ASKED_BIT].says
               : NULL;
}

/* The properties that are broken, each with its sentence if it has one. */
static json_t *broken_json(const struct cli_check *c,
                           const struct check_result *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i <= FC_SANE_BIT; i++) {
        const char *says = i == FC_SANE_BIT ? r->insane : sentence_of(c, i);

        if (r->broken >> i & 1)
            json_array_append_new(list,
                                  json_pack("{s:s,s:s*}", "name",
                                            net_property(&c->check.net, i),
                                            "sentence", says));
    }
    return list;
}

static void name_broken(const struct cli_check *c, const struct check_result *r,
                        char *out, size_t size)
{
    out[0] = '\0';
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (r->broken >> i & 1)
            cli_append(out, size, "%s%s", *out ? ", " : "",
                       net_property(&c->check.net, i));
    for (uint32_t i = 0; i < FC_SANE_BIT && !r->insane; i++)
        if ((r->broken >> i & 1) && sentence_of(c, i))
            cli_append(out, size, " (\"%s\" does not hold)", sentence_of(c, i));
    if (r->insane)
        cli_append(out, size, " (\"%s\" does not hold)", r->insane);
}

uint32_t cli_check_outside(const struct cli_check *c,
                           const char *broken[CLI_BROKEN_MAX])
{
    const struct check_setup *s = &c->check;
    const uint64_t counts[CLI_WRONGS] = {
        [CLI_LOST] = s->losses,     [CLI_COPIED] = s->copies,
        [CLI_LATE] = s->late_ticks, [CLI_PAUSED] = s->pauses,
        [CLI_CRASHED] = s->crashes, [CLI_CUT] = s->cuts,
    };

    return cli_broken(&s->net, counts, broken);
}

static int exit_code(const struct check_result *r)
{
    if (r->verdict == CHECK_VIOLATED)
        return CLI_VIOLATED;
    if (r->limit == CHECK_STOPPED)
        return CLI_INTERRUPTED;
    return r->verdict == CHECK_HOLDS ? CLI_FINE : CLI_SYSTEM;
}

static double per_second(const struct cli_check_sum *sum)
{
    return sum->seconds > 0 ? (double)sum->states / sum->seconds : 0;
}

static double per_state(const struct check_result *r)
{
    return r->states ? (double)r->bytes / (double)r->states : 0;
}

static void report_json(const struct cli_check *c,
                        const struct cli_check_sum *sum,
                        const struct check_result *r)
{
    char broken[1024];
    const char *outside[CLI_BROKEN_MAX];
    uint32_t outside_count = cli_check_outside(c, outside);
    json_t *json;

    name_broken(c, r, broken, sizeof broken);
    json = json_pack(
        "{s:s, s:s, s:s*, s:i, s:I, s:I, s:I, s:i, s:i, s:f, s:f, s:i, s:f, "
        "s:f, "
        "s:I, "
        "s:b, s:s, s:s*, s:s*, s:s}",
        "protocol", c->words.net.protocol, "verdict",
        cli_check_verdict(r->verdict), "property", *broken ? broken : NULL,
        "nodes", (int)c->check.net.world.nodes, "states",
        (json_int_t)sum->states, "transitions", (json_int_t)sum->transitions,
        "terminal", (json_int_t)sum->terminal, "depth", (int)sum->depth,
        "placements", (int)sum->placements, "seconds", sum->seconds,
        "wall_seconds", sum->wall_seconds, "threads", (int)sum->threads,
        "states_per_s", per_second(sum), "bytes_per_state", per_state(r),
        "bytes", (json_int_t)sum->bytes, "reached", sum->reached, "cycles",
        !sum->cycles_known ? "unknown"
        : sum->acyclic     ? "none"
                           : "some",
        "limit", r->limit ? cli_check_limit(r->limit, r->refusal) : NULL,
        "trace", c->trace, "command", c->command);
    json_object_set_new(json, "letters", cli_json_letters(&c->check.net));
    json_object_set_new(json, "assumptions_broken",
                        cli_json_list(outside, outside_count));
    if (c->check.reduce) {
        json_object_set_new(json, "reduced", cli_json_number(sum->partly));
        if (r->verdict == CHECK_VIOLATED)
            json_object_set_new(json, "shortest", json_boolean(!r->longer));
    }
    if (r->verdict != CHECK_INCOMPLETE)
        cli_check_add_odds(c, json);
    if (c->wanted_count && r->verdict != CHECK_INCOMPLETE)
        cli_check_add_quantity(c, json);
    if (sum->cut_off)
        json_object_set_new(json, "until", cli_json_number(c->check.until));
    if (r->verdict == CHECK_VIOLATED) {
        json_object_set_new(json, "violated", broken_json(c, r));
        json_object_set_new(json, "steps", cli_json_number(r->moves_count));
    }
    cli_json_print(json, 0);
}

static void print_count(const char *label, uint64_t count, const char *note)
{
    char text[32];

    printf("  %-12s %14s%s\n", label, cli_grouped(count, text, sizeof text),
           note);
}

static void report_numbers(const struct cli_check *c,
                           const struct cli_check_sum *sum,
                           const struct check_result *r)
{
    if (sum->placements > 1)
        print_count("placements", sum->placements, "");
    print_count("states", sum->states, "");
    if (c->check.reduce)
        print_count("reduced", sum->partly,
                    "  states at which not every order was tried");
    print_count("transitions", sum->transitions, "");
    print_count("terminal", sum->terminal, "");
    print_count("depth", sum->depth, "");
    printf("  %-12s %14.2f  %.1f M states/s of CPU time\n", "seconds",
           sum->seconds, per_second(sum) / 1e6);
    if (sum->threads > 1)
        printf("  %-12s %14.2f  %.1f M states/s, %" PRIu32 " threads\n", "wall",
               sum->wall_seconds, (double)sum->states / sum->wall_seconds / 1e6,
               sum->threads);
    printf("  %-12s %14.1f  bytes a state\n\n", "memory", per_state(r));
}

static void say_times(struct paragraph *p, uint32_t times, const char *what,
                      const char *plural, uint32_t ticks)
{
    if (!times)
        return;
    paragraph_say(p, ", up to %" PRIu32 " %s%s", times, what,
                  times > 1 ? plural : "");
    if (ticks)
        paragraph_say(p, " of up to %" PRIu32 " tick%s", ticks,
                      ticks > 1 ? "s" : "");
}

static void say_faults(struct paragraph *p, const struct cli_check *c)
{
    say_times(p, c->check.crashes, "crash", "es", 0);
    if (c->restarts)
        paragraph_say(p, " with restarts (%s)", c->restarts);
    if (c->check.notice)
        paragraph_say(p, " and a notice of the last");
    say_times(p, c->check.losses, "lost", "", 0);
    say_times(p, c->check.copies, "copied", "", 0);
    if (c->check.late_ticks)
        paragraph_say(p, ", one message up to %" PRIu32 " ticks late",
                      c->check.late_ticks);
    say_times(p, c->check.pauses, "pause", "s", c->check.pause_max);
    say_times(p, c->check.cuts, "cut", "s", c->check.cut_max);
    say_times(p, c->check.changes, "change", "s", 0);
    if (c->victims)
        paragraph_say(p, ", only to %s", c->victims);
    if (c->check.faults_from)
        paragraph_say(p, ", no faults before tick %" PRIu32,
                      c->check.faults_from);
}

static void say_starts(struct paragraph *p, const struct cli_check *c)
{
    const char *wake = c->words.net.wake;
    bool one = wake && !strchr(wake, ',') && strcmp(wake, "all") != 0;

    if (c->check.net.protocol->problem->repeats &&
        c->check.entries == CHECK_ENTRIES_ANY)
        paragraph_say(p, ", %s%s asks again and again",
                      wake ? "each of " : "each", wake ? wake : "");
    else if (c->check.net.protocol->problem->repeats)
        paragraph_say(p, ", %s%s asks up to %" PRIu32 " time%s",
                      wake ? "each of " : "each", wake ? wake : "",
                      c->check.entries, c->check.entries > 1 ? "s" : "");
    else if (c->check.waking == CHECK_WAKE_ANY)
        paragraph_say(p, ", any set of nodes starts, at any moments");
    else
        paragraph_say(p, ", %s%s start%s", wake ? wake : "all",
                      wake ? "" : " of them", one ? "s" : "");
}

void cli_check_describe(const struct cli_check *c)
{
    const struct net *s = &c->check.net;
    struct paragraph p = paragraph_begin(0, 2);

    paragraph_say(&p, "%s, %" PRIu32 " processors", c->words.net.protocol,
                  s->world.nodes);
    cli_say_time(&p, s);
    if (c->all_names)
        paragraph_say(&p, ", all placements of names");
    if (s->any_order)
        paragraph_say(&p, ", links in any order");
    say_starts(&p, c);
    say_faults(&p, c);
    if (c->given)
        paragraph_say(&p, ", given %s", c->given);
    paragraph_end(&p);
    printf("\n");
}

/* What was typed of what comes later is judged in runs that were followed to
 * their end. */
static bool is_open(const struct cli_check *c, const struct cli_check_sum *sum,
                    uint32_t bit)
{
    const struct net_asked *asked = c->check.net.asked;

    return asked && bit >= NET_ASKED_BIT &&
           bit - NET_ASKED_BIT < asked->count &&
           asked->property[bit - NET_ASKED_BIT].form == NET_LEADS_TO &&
           (c->no_cycles || sum->cut_off);
}

/* Which runs these properties are about, of those that were typed. */
static void report_fairness(const struct cli_check *c,
                            const struct cli_check_sum *sum, uint32_t which)
{
    const struct net_asked *asked = c->check.net.asked;

    for (uint32_t i = 0; asked && i < asked->count; i++) {
        const struct net_property *p = &asked->property[i];
        struct paragraph text;

        if (p->form != NET_LEADS_TO || !(which >> (NET_ASKED_BIT + i) & 1) ||
            is_open(c, sum, NET_ASKED_BIT + i))
            continue;
        text = paragraph_begin(2, 4);
        paragraph_say(&text, "%s is %s", p->name, cli_fairness(p));
        paragraph_end(&text);
    }
}

/* Reductions that were asked for, and that a typed property ruled out. */
static void report_left_out(const struct cli_check *c)
{
    if (c->unreduced)
        printf("  without --reduce: %s\n", c->unreduced);
    if (c->unmerged)
        printf("  without --symmetry: %s\n", c->unmerged);
    if (c->unreduced || c->unmerged)
        printf("\n");
}

/* What holds, and what was not checked. */
static void report_holds(const struct cli_check *c,
                         const struct cli_check_sum *sum)
{
    const struct fc_protocol *protocol = c->check.net.protocol;
    const struct fc_problem *p = protocol->problem;
    struct paragraph text = paragraph_begin(0, 2);
    const char *comma = "";

    paragraph_say(&text, "%s holds", cli_tick());
    if (sum->cut_off)
        paragraph_say(&text, " for all runs of up to %" PRIu32 " ticks",
                      c->check.until);
    paragraph_say(&text, ":");
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++) {
        bool left_out = (p->ends == 1u << i && !sum->cycles_known) ||
                        !(c->check.properties >> i & 1) ||
                        (sum->cut_off && sum->open >> i & 1) ||
                        (i == FC_SANE_BIT && !c->only) || is_open(c, sum, i);

        if (left_out || !net_property(&c->check.net, i))
            continue;
        paragraph_say(&text, "%s %s", comma, net_property(&c->check.net, i));
        comma = ",";
    }
    paragraph_end(&text);
    report_fairness(c, sum, UINT32_MAX);
    if (sum->cut_off)
        printf("  longer runs were not tried\n");
    else if (!sum->cycles_known)
        printf("  endless runs were not searched for (--no-cycles)\n");
    else if (!sum->acyclic)
        printf("  a run may take arbitrarily long, but can always end\n");
    if (!sum->reached)
        printf(
            "  warning: no run reached \"%.*s\", so this result is vacuous\n",
            (int)strlen(p->reached) - (int)strlen(" at"), p->reached);
}

char *cli_check_tell(const struct cli_check *c, const struct check_result *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *story = open_memstream(&text, &size);

    if (story) {
        (void)check_story(&c->check, r, story);
        (void)fclose(story);
    }
    return text;
}

void cli_check_print(char *story)
{
    char *line, *rest = story;

    while (rest && *rest && (line = strsep(&rest, "\n"))) {
        uint32_t indent = (uint32_t)strspn(line, " ");
        struct paragraph p;

        if (strlen(line) <= paragraph_columns()) {
            printf("%s\n", line);
            continue;
        }
        p = paragraph_begin(indent, 6);
        paragraph_say(&p, "%s", line + indent);
        paragraph_end(&p);
    }
}

/* The broken properties, whether the protocol is to blame, and the run. */
static void report_violated(const struct cli_check *c,
                            const struct cli_check_sum *sum,
                            const struct check_result *r, char *story)
{
    const struct fc_protocol *p = c->check.net.protocol;
    const char *outside[CLI_BROKEN_MAX];
    uint32_t count = cli_check_outside(c, outside);
    struct paragraph line = paragraph_begin(0, 2);
    char broken[1024];

    name_broken(c, r, broken, sizeof broken);
    paragraph_say(&line, "%s violated%s: %s", cli_cross(),
                  count ? " outside its assumptions" : "", broken);
    paragraph_end(&line);
    report_fairness(c, sum, r->broken);
    for (uint32_t i = 0; i < count; i++)
        printf("%s%s%s", i ? ", " : "  it assumes ", outside[i],
               i + 1 == count ? "\n" : "");
    if (!count && p->errs)
        printf("  %s errs %s%s\n", p->name, p->errs,
               c->worst || check_no_odds(&c->check) ? ""
                                                    : "; --worst computes it");
    printf("\n");
    cli_check_print(story);
    if (r->longer)
        printf("\nthere may be a shorter run; without --reduce the "
               "shortest is shown\n");
    printf("\n");
}

static void report_table(const struct cli_check *c,
                         const struct cli_check_sum *sum,
                         const struct check_result *r, char *story)
{
    cli_check_describe(c);
    report_numbers(c, sum, r);
    report_left_out(c);
    if (r->verdict == CHECK_VIOLATED)
        report_violated(c, sum, r, story);
    else if (r->verdict == CHECK_HOLDS)
        report_holds(c, sum);
    else
        printf("? incomplete: %s\n", cli_check_limit(r->limit, r->refusal));
    if ((c->worst || c->expect || c->wanted_count) && r->verdict == CHECK_HOLDS)
        printf("\n");
    if (r->verdict != CHECK_INCOMPLETE)
        cli_check_report_odds(c);
    if (c->wanted_count && r->verdict != CHECK_INCOMPLETE)
        cli_check_report_quantity(c);
    printf("again: %s%s\n", c->command,
           (r->verdict == CHECK_VIOLATED || c->wanted_count) && !c->trace
               ? " --trace run.trace"
               : "");
}

int cli_check_write(const struct cli_check *c, const struct check_result *r)
{
    struct cli_picture picture;
    int code;

    if (!c->trace && !c->svg)
        return 0;
    code =
        cli_picture_begin(&picture, c->trace, c->svg, c->made.set, c->command);
    if (code)
        return code;
    if (check_trace(&c->check, r, picture.trace))
        return cli_picture_end(&picture);
    cli_picture_abort(&picture);
    return cli_no_memory("the trace");
}

/* The trace and the picture of the run that shows a violation. */
static int write_files(const struct cli_check *c, const struct check_result *r)
{
    if (c->wanted_count || (!c->trace && !c->svg))
        return 0; /* they are about the quantity */
    if (r->verdict == CHECK_VIOLATED)
        return cli_check_write(c, r);
    cli_note("nothing was written to %s%s%s: %s", c->trace ? c->trace : "",
             c->trace && c->svg ? " and " : "", c->svg ? c->svg : "",
             r->verdict == CHECK_HOLDS
                 ? "a run is written down if it shows a violation, and "
                   "there is none"
                 : "no violation was found before the search stopped");
    return 0;
}

int cli_check_report(const struct cli_check *c, const struct cli_check_sum *sum,
                     const struct check_result *r)
{
    bool told = r->verdict == CHECK_VIOLATED && !c->json;
    int code = write_files(c, r);
    char *story = told && !code ? cli_check_tell(c, r) : NULL;

    if (code)
        return code;
    if (told && !story)
        return cli_no_memory("the run in words");
    if (c->json)
        report_json(c, sum, r);
    else
        report_table(c, sum, r, story);
    free(story);
    code = exit_code(r);
    if (!code)
        code = cli_check_odds_code(c);
    return code ? code : cli_check_quantity_code(c);
}
