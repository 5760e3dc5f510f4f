/*
 * claims.c - fulcrum claims [ID]: what the papers claim, and how it is tried.
 */
#include "cli/claims.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/paragraph.h"
#include "core/params.h"
#include "lab/claim/plan.h"
#include "net/make.h"
#include "net/outside.h"

/* ---- Reading ------------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_ini(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".ini") == 0;
}

static int read_file(struct lab_claims *claims, const char *directory,
                     const char *name)
{
    struct net_why why = {0};
    char path[4096];
    size_t size;
    char *text;
    int code = 0;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    text = outside_text(path, OUTSIDE_HAND_MAX, &size, &why);
    if (!text)
        return cli_fail("cannot read %s: %s", path, why.text);
    if (!lab_claims_read(claims, path, text, &why))
        code = cli_refused(&why);
    free(text);
    return code;
}

int cli_claims_read(struct lab_claims *claims, const char *directory)
{
    struct net_why why = {0};
    struct dirent **names;
    int count, code = 0;

    *claims = (struct lab_claims){0};
    for (uint32_t i = 0; !directory && lab_claims_files[i].name; i++)
        if (!lab_claims_read(claims, lab_claims_files[i].name,
                             lab_claims_files[i].text, &why))
            return cli_refused(&why);
    if (!directory)
        return 0;
    count = scandir(directory, &names, is_ini, by_name);
    if (count < 0)
        return cli_fail("cannot read %s: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!code)
            code = read_file(claims, directory, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    if (!code && !claims->count)
        code = cli_refuse("there are no claims in %s: it has no section in a "
                          "file called *.ini",
                          directory);
    return code;
}

bool cli_claims_option(const char *verb, const char *name)
{
    struct cli_table table;

    for (uint32_t i = 0; cli_verbs[i]; i++) {
        if (strcmp(cli_verbs[i]->name, verb) != 0)
            continue;
        cli_options_collect(cli_verbs[i], &table);
        for (uint32_t k = 0; k < table.count; k++)
            if (table.rows[k].name && strcmp(table.rows[k].name, name) == 0)
                return true;
    }
    return false;
}

bool cli_claims_wanted(const struct lab_claim *claim, int count, char **ids)
{
    const struct lab_name whole = lab_name_of(claim->id, claim->part);

    for (int i = 0; i < count; i++)
        if (strncmp(whole.text, ids[i], strlen(ids[i])) == 0)
            return true;
    return count == 0;
}

/* How a statement is tried, in one of its ways. */
static struct lab_planning planning_of(const struct lab_claim *c,
                                       const struct lab_stated *s,
                                       const struct lab_try *how)
{
    return (struct lab_planning){
        .claim = c,
        .stated = s,
        .how = how,
        .quantity = s->relation.quantity,
        .is_option = cli_claims_option,
    };
}

/* ---- Checking ------------------------------------------------------------ */

static int wrong(const struct lab_claim *c, uint32_t line, const char *what,
                 const char *where)
{
    return cli_refuse("%s, line %u: %s%s", c->file, line, what, where);
}

/* Whether it is a parameter of the protocol, or of one of those that the words
 * name instead; NULL: one of these does not exist. */
static const char *parameter_of(const struct lab_words *w,
                                const struct fc_protocol *p, const char *key,
                                bool *known)
{
    const char *names = lab_words_get(w, "protocol");
    char name[64];

    *known |= fc_params_find(p, key) != NULL;
    while (names && *(names += strspn(names, "{,}"))) {
        size_t length = strcspn(names, "{,}");
        const struct fc_protocol *of;

        snprintf(name, sizeof name, "%.*s", (int)length, names);
        of = net_protocol(name);
        if (!of)
            return NULL;
        *known |= fc_params_find(of, key) != NULL;
        names += length;
    }
    return key;
}

/* NULL: of any verb that tries claims. */
static bool is_option_of(const char *verb, const char *key)
{
    return verb ? cli_claims_option(verb, key)
                : cli_claims_option("sim", key) ||
                      cli_claims_option("check", key) ||
                      cli_claims_option("worst", key);
}

static bool may_stand(const char *key)
{
    char option[64];

    snprintf(option, sizeof option, "--%s", key);
    return lab_option_takes_no_file(option) || strcmp(key, "twin") == 0;
}

/* Each key is an option of a verb that takes no file, or a parameter of the
 * protocol. */
static int check_words(const struct lab_claim *c, const struct lab_words *w,
                       const struct fc_protocol *p, const char *verb,
                       uint32_t line)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const char *key = w->word[i].key;
        bool known = strcmp(key, "n") == 0 || strcmp(key, "protocol") == 0 ||
                     strncmp(key, "let.", 4) == 0;

        if (!parameter_of(w, p, key, &known))
            return wrong(c, line, "there is no protocol ",
                         lab_words_get(w, "protocol"));
        if (!known && !is_option_of(verb, key))
            return cli_refuse("%s, line %u: %s is neither an option%s%s nor a "
                              "parameter of %s",
                              c->file, line, key, verb ? " of " : "",
                              verb ? verb : "", p->name);
        if (!known && !may_stand(key))
            return wrong(c, line,
                         "a claim, which may come from anywhere, "
                         "reads and writes no files: without ",
                         key);
    }
    return 0;
}

static int check_variants(const struct lab_claim *c,
                          const struct lab_variants *v,
                          const struct fc_protocol *p)
{
    int code = 0;

    for (uint32_t i = 0; i < v->count && !code; i++) {
        const struct fc_protocol *of =
            v->of[i].protocol ? net_protocol(v->of[i].protocol) : p;

        if (!of)
            return wrong(c, v->of[i].line, "there is no protocol ",
                         v->of[i].protocol);
        code = check_words(c, &v->of[i].words, of, NULL, v->of[i].line);
    }
    return code;
}

static int check_stated(const struct lab_claim *c, const struct lab_stated *s,
                        const struct fc_protocol *p)
{
    struct net_why why = {0};
    int code = 0;

    if (!s->tries_count && !c->undecided)
        return wrong(c, s->line, "nothing is tried", "");
    for (uint32_t i = 0; i < s->tries_count && !code; i++) {
        const struct lab_planning planning = planning_of(c, s, &s->tries[i]);
        struct lab_plan plan;

        code = check_words(c, &s->tries[i].words, p,
                           lab_kind_verb(s->tries[i].kind), s->tries[i].line);
        if (!code && !lab_plan_make(&plan, &planning, &why))
            code = wrong(c, s->tries[i].line, why.text, "");
        if (!code)
            lab_plan_free(&plan);
    }
    return code;
}

static bool has_variant(const struct lab_variants *v, const char *name)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (strcmp(v->of[i].name, name) == 0)
            return true;
    return false;
}

static int check_judged(const struct lab_claim *c, const struct lab_variants *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        bool any = false;

        for (uint32_t k = 0; k < c->stated_count; k++)
            any = any || lab_stated_of(&c->stated[k], v->of[i].name);
        if (!any)
            return wrong(c, v->of[i].line, "nothing is claimed of ",
                         v->of[i].name);
    }
    return 0;
}

/* Relations of one reading or repair: that it exists, and that each has one. */
static int check_share(const struct lab_claim *c)
{
    bool any = c->readings.count > 0;
    int code;

    for (uint32_t i = 0; i < c->stated_count; i++) {
        const char *name = c->stated[i].variant;

        any = any || !name;
        if (name && !has_variant(&c->readings, name) &&
            !has_variant(&c->repairs, name))
            return wrong(c, c->stated[i].line, "there is no reading or repair ",
                         name);
    }
    code = any ? check_judged(c, &c->readings)
               : wrong(c, c->line, "nothing is claimed of the print: ", c->id);
    return code ? code : check_judged(c, &c->repairs);
}

int cli_claims_check(const struct lab_claim *c)
{
    const struct fc_protocol *p =
        c->on.protocol ? net_protocol(c->on.protocol) : NULL;
    int code;

    if (!c->says || !c->place)
        return wrong(c, c->line, "it needs a place and says: ", c->id);
    if (!c->stated_count)
        return c->undecided ? 0
                            : wrong(c, c->line,
                                    "it needs a claim, or undecided: ", c->id);
    if (!c->on.protocol)
        return wrong(c, c->line, "it is on no protocol: ", c->id);
    if (!p)
        return wrong(c, c->on.line, "there is no protocol ", c->on.protocol);
    code = check_words(c, &c->on.words, p, NULL, c->on.line);
    if (!code)
        code = check_variants(c, &c->readings, p);
    if (!code)
        code = check_variants(c, &c->repairs, p);
    if (!code)
        code = check_variants(c, &c->others, p);
    for (uint32_t i = 0; i < c->stated_count && !code; i++)
        code = check_stated(c, &c->stated[i], p);
    return code ? code : check_share(c);
}

/* ---- Showing ------------------------------------------------------------- */

struct wishes {
    const char *claims;
    bool check;
};

#define WISHES struct wishes

static const struct cli_option options[] = {
    {.group = "claims"},
    {"claims", 0, "DIR", "those of the .ini files there, not those built in",
     AT(claims), "@files"},
    {"check", 0, NULL, "only say what is wrong with them", AT(check)},
    {0},
};

static void say_variants(const char *what, const struct lab_variants *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        printf("  %-9s %s: %s\n", what, v->of[i].name,
               v->of[i].protocol ? v->of[i].protocol : "");
}

static void say_tries(const struct lab_claim *c, const struct lab_stated *s)
{
    for (uint32_t i = 0; i < s->tries_count; i++) {
        struct lab_planning planning = planning_of(c, s, &s->tries[i]);
        struct lab_plan plan;

        planning.seed = 1;
        if (lab_plan_make(&plan, &planning, NULL) && plan.count) {
            printf("  %-9s %s\n", s->tries[i].full ? "more" : "try",
                   plan.cell[0].command);
            if (plan.count > 1)
                printf("  %-9s and %u more like it\n", "", plan.count - 1);
        }
        lab_plan_free(&plan);
    }
}

static void show(const struct lab_claim *c)
{
    printf("%s\n", lab_name_of(c->id, c->part).text);
    printf("  %-9s %s\n  %-9s %s\n", "place", c->place, "says", c->says);
    say_variants("reading", &c->readings);
    say_variants("repair", &c->repairs);
    say_variants("other", &c->others);
    for (uint32_t i = 0; i < c->stated_count; i++) {
        printf("  %-9s %s%s%s\n", "claim",
               c->stated[i].variant ? c->stated[i].variant : "",
               c->stated[i].variant ? ": " : "", c->stated[i].relation.text);
        say_tries(c, &c->stated[i]);
    }
    if (c->argument)
        printf("  %-9s %s\n", "argument", c->argument);
    if (c->undecided)
        printf("  %-9s %s\n", "undecided", c->undecided);
}

static int show_wanted(const struct lab_claims *claims, int count, char **ids)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; i < claims->count; i++) {
        const struct lab_claim *c = &claims->claim[i];

        if (!cli_claims_wanted(c, count, ids))
            continue;
        if (count == 0) {
            printf("%s\n", lab_name_of(c->id, c->part).text);
        } else {
            if (shown)
                putchar('\n');
            show(c);
        }
        shown++;
    }
    return shown ? CLI_FINE
                 : cli_refuse("no claim begins with '%s'; 'fulcrum claims' "
                              "lists them",
                              ids[0]);
}

static int run_claims(int argc, char **argv)
{
    struct wishes w = {0};
    struct lab_claims claims = {0};
    int code = cli_options_read(&cli_claims, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    code = cli_claims_read(&claims, w.claims);
    for (uint32_t i = 0; i < claims.count && !code; i++)
        code = cli_claims_check(&claims.claim[i]);
    if (!code && w.check)
        printf("%u parts of claims, nothing is wrong with them\n",
               claims.count);
    else if (!code)
        code = show_wanted(&claims, argc - optind, argv + optind);
    lab_claims_free(&claims);
    return code;
}

const struct cli_verb cli_claims = {
    .name = "claims",
    .summary = "what the papers claim, and how each claim is tried",
    .run = run_claims,
    .usage = "[ID|PREFIX...] [OPTIONS]",
    .about =
        "Lists the claims of the papers by their ids, or shows those whose "
        "id begins with what is given: where it is claimed, what, and the "
        "experiments that decide, as commands.",
    .exits = "0 done, 2 wrong usage, or something is wrong with a claim.",
    .examples = "fulcrum claims v84-linear\n"
                "fulcrum claims --check --claims lab/claims",
    .options = {options},
    .reports = true,
};
