/*
 * reproduce_report.c - the verdicts, for people and for programs.
 */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/reproduce/reproduce.h"
#include "lab/report/report.h"

struct cli_told cli_told_of(const struct lab_ruling *r)
{
    struct cli_told t = {0};

    if (r->count)
        t.j = &r->judgements[r->told];
    if (t.j && t.j->count)
        t.cell = &t.j->cells[t.j->worst];
    return t;
}

static const char *reason(const struct lab_ruling *r, const struct cli_told *t)
{
    if (r->why)
        return r->why;
    if (r->verdict != LAB_UNDECIDED)
        return "";
    if (r->claim->undecided)
        return r->claim->undecided;
    return t->j && t->j->why ? t->j->why : "nothing was tried";
}

/* ---- For people ---------------------------------------------------------- */

static const char *sign_of(enum lab_verdict v)
{
    static const char *const wide[] = {"?", "✓", "~", "✗", "+"};
    static const char *const plain[] = {"?", "ok", "~", "X", "+"};

    return (cli_is_utf8() ? wide : plain)[v];
}

static const char *colour_of(enum lab_verdict v)
{
    static const char *const colours[] = {"\033[2m", "\033[32m", "\033[32m",
                                          "\033[31m", "\033[33m"};

    return cli_has_colour(stdout) ? colours[v] : "";
}

static void print_verdict(const struct lab_ruling *r, const struct cli_told *t)
{
    static const char *const words[] = {"not decided", "holds", "loose",
                                        "violated", "repaired"};
    bool factor = t->j && isfinite(t->j->factor) &&
                  (r->verdict == LAB_LOOSE || r->verdict == LAB_VIOLATED);

    printf("%s%s %s", colour_of(r->verdict), sign_of(r->verdict),
           words[r->verdict]);
    if (factor)
        printf(" %s%.3g", cli_is_utf8() ? "×" : "x", t->j->factor);
    if (r->verdict == LAB_REPAIRED)
        printf(" by %s", r->judgements[r->repair].repair);
    printf("%s\n", cli_has_colour(stdout) ? "\033[0m" : "");
}

static void print_number(double number)
{
    if (!isfinite(number))
        printf(" %11s", isinf(number) ? "no bound" : "");
    else if (fabs(number) < 1e15 && floor(number) == number)
        printf(" %11.0f", number);
    else
        printf(" %11.5g", number);
}

static void print_line(const struct lab_ruling *r)
{
    struct cli_told t = cli_told_of(r);

    printf("%-30.30s", lab_name_of(r->claim->id, r->claim->part).text);
    if (t.cell && !isnan(t.cell->bound)) {
        print_number(t.cell->measured);
        print_number(t.cell->bound);
    } else {
        printf(" %11s %11s", "", "");
    }
    printf("  ");
    print_verdict(r, &t);
}

static void print_cell(const struct lab_cell *c)
{
    printf("    %s", *c->network ? c->network : "one network");
    if (isfinite(c->bound))
        printf(": measured %g, paper %g", c->measured, c->bound);
    putchar('\n');
}

/* One claim that was asked for by its name is told whole. */
static void print_whole(const struct lab_ruling *r)
{
    struct cli_told t = cli_told_of(r);

    printf("\n%s: %s\n", lab_name_of(r->claim->id, r->claim->part).text,
           r->claim->says);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct lab_judgement *j = &r->judgements[i];
        const char *variant = *j->repair ? j->repair : j->reading;

        printf("  %s %-9s %s%s%s, %s\n", sign_of(j->verdict),
               lab_verdict_word(j->verdict), j->relation, *variant ? ", " : "",
               variant, lab_evidence_word(j->evidence));
        if (j->growth)
            printf("    %s\n", j->growth);
        if (j->count && j->verdict != LAB_HOLDS)
            print_cell(&j->cells[j->worst]);
        if (j->witness.command)
            printf("    again: %s --json\n           %s = %s\n",
                   j->witness.command, j->witness.field, j->witness.value);
    }
    if (*reason(r, &t))
        printf("  %s\n", reason(r, &t));
}

void cli_reproduce_print(const struct cli_rulings *r)
{
    uint32_t counts[5] = {0};

    printf("%-30s %11s %11s  %s\n", "claim", "measured", "paper", "verdict");
    for (uint32_t i = 0; i < r->count; i++) {
        counts[r->ruling[i].verdict]++;
        print_line(&r->ruling[i]);
    }
    for (uint32_t i = 0; i < r->count && r->count <= 12; i++)
        print_whole(&r->ruling[i]);
    printf(
        "\n%u part%s: %u hold, %u loose, %u violated, %u hold after a repair, "
        "%u not decided\n",
        r->count, r->count == 1 ? "" : "s", counts[LAB_HOLDS],
        counts[LAB_LOOSE], counts[LAB_VIOLATED], counts[LAB_REPAIRED],
        counts[LAB_UNDECIDED]);
}

/* ---- For programs -------------------------------------------------------- */

static json_t *json_of_number(double number)
{
    if (!isfinite(number))
        return isnan(number) ? json_null() : json_string("unbounded");
    return floor(number) == number && fabs(number) < 1e15
               ? json_integer((json_int_t)number)
               : json_real(number);
}

static json_t *json_of_text(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

static json_t *json_of_witness(const struct lab_witness *w)
{
    if (!w->command)
        return json_null();
    return json_pack("{s:s,s:s,s:o}", "command", w->command, "field", w->field,
                     "value", json_loads(w->value, JSON_DECODE_ANY, NULL));
}

/* The cells that hold, of a statement that is violated. */
static json_t *json_of_where(const struct lab_judgement *j)
{
    json_t *list = json_array();

    for (uint32_t i = 0; j->verdict == LAB_VIOLATED && i < j->count; i++)
        if (j->cells[i].verdict == LAB_HOLDS)
            json_array_append_new(list, json_string(j->cells[i].network));
    return list;
}

static json_t *json_of_judgement(const struct lab_judgement *j)
{
    const struct lab_cell *c = j->count ? &j->cells[j->worst] : NULL;
    json_t *o = json_object();

    json_object_set_new(o, "verdict",
                        json_string(lab_verdict_word(j->verdict)));
    json_object_set_new(o, "evidence",
                        json_string(lab_evidence_word(j->evidence)));
    json_object_set_new(o, "reading", json_of_text(j->reading));
    json_object_set_new(o, "repair", json_of_text(j->repair));
    json_object_set_new(o, "relation", json_string(j->relation));
    json_object_set_new(o, "measured", json_of_number(c ? c->measured : NAN));
    json_object_set_new(o, "bound", json_of_number(c ? c->bound : NAN));
    json_object_set_new(o, "factor", json_of_number(j->factor));
    json_object_set_new(o, "interval",
                        c && c->low != c->high
                            ? json_pack("[o,o]", json_of_number(c->low),
                                        json_of_number(c->high))
                            : json_null());
    json_object_set_new(o, "runs", cli_json_number(c ? c->runs : 0));
    json_object_set_new(o, "growth", json_of_text(j->growth));
    json_object_set_new(o, "where", json_of_where(j));
    json_object_set_new(o, "witness", json_of_witness(&j->witness));
    return o;
}

/* Adds names that are written NAME or {NAME,NAME}, unless they are there. */
static void add_protocols(json_t *list, const char *names)
{
    while (names && *(names += strspn(names, "{,}"))) {
        size_t length = strcspn(names, "{,}");
        json_t *name = json_stringn(names, length);
        bool known = false;

        for (size_t i = 0; i < json_array_size(list); i++)
            known |= json_equal(json_array_get(list, i), name) != 0;
        if (!known)
            json_array_append(list, name);
        json_decref(name);
        names += length;
    }
}

/* All protocols that a claim is about: its own, and those it is tried on. */
static json_t *json_of_protocols(const struct lab_claim *c)
{
    json_t *list = json_array();

    add_protocols(list, c->on.protocol);
    for (uint32_t i = 0; i < c->others.count; i++)
        add_protocols(list, c->others.of[i].protocol);
    for (uint32_t i = 0; i < c->stated_count; i++)
        for (uint32_t k = 0; k < c->stated[i].tries_count; k++)
            add_protocols(
                list, lab_words_get(&c->stated[i].tries[k].words, "protocol"));
    return list;
}

static json_t *json_of_part(const struct lab_ruling *r)
{
    const struct lab_reported reported = cli_reproduce_part(r);
    struct cli_told t = cli_told_of(r);
    json_t *all = json_array();
    json_t *o = t.j ? json_of_judgement(t.j) : json_object();
    char finding[LAB_WORDING_SIZE];

    lab_word_finding(finding, sizeof finding, &reported);
    json_object_set_new(o, "part", json_string(r->claim->part));
    json_object_set_new(o, "says", json_string(r->claim->says));
    json_object_set_new(o, "protocols", json_of_protocols(r->claim));
    json_object_set_new(o, "finding", json_string(finding));
    json_object_set_new(o, "verdict",
                        json_string(lab_verdict_word(r->verdict)));
    if (r->verdict == LAB_REPAIRED)
        json_object_set_new(o, "repair",
                            json_string(r->judgements[r->repair].repair));
    if (r->verdict == LAB_UNDECIDED)
        json_object_set_new(o, "why", json_string(reason(r, &t)));
    for (uint32_t i = 0; i < r->count; i++)
        json_array_append_new(all, json_of_judgement(&r->judgements[i]));
    json_object_set_new(o, "judgements", all);
    json_object_set_new(o, "seconds", json_real(r->seconds));
    return o;
}

void cli_reproduce_json(const struct cli_rulings *r)
{
    json_t *claims = json_array(), *claim = NULL;
    const char *id = "";

    for (uint32_t i = 0; i < r->count; i++) {
        const struct lab_claim *c = r->ruling[i].claim;

        if (strcmp(c->id, id) != 0) {
            id = c->id;
            claim = json_pack("{s:s,s:[]}", "id", id, "parts");
            json_array_append_new(claims, claim);
        }
        json_array_append_new(json_object_get(claim, "parts"),
                              json_of_part(&r->ruling[i]));
    }
    cli_json_print(json_pack("{s:s,s:o,s:s,s:f,s:o}", "version",
                             FULCRUM_VERSION, "seed",
                             cli_json_name(r->wishes->seed), "mode", r->mode,
                             "seconds", r->seconds, "claims", claims),
                   0);
}

/* ---- What changed -------------------------------------------------------- */

struct old {
    const struct cli_rulings *now;
    uint32_t changed, same, gone;
};

static bool differ(double a, double b)
{
    return isnan(a) != isnan(b) || fabs(a - b) > 1e-9 * fmax(fabs(a), fabs(b));
}

/* For lab_notebook_tell. */
static void compare(void *whom, const struct lab_noted *was)
{
    struct old *o = whom;

    for (uint32_t i = 0; i < o->now->count; i++) {
        const struct lab_ruling *r = &o->now->ruling[i];
        struct cli_told t = cli_told_of(r);
        double measured = t.cell ? t.cell->measured : 0;
        const char *word = lab_verdict_word(r->verdict);

        if (strcmp(r->claim->id, was->claim) != 0 ||
            strcmp(r->claim->part, was->part) != 0)
            continue;
        if (strcmp(word, was->verdict) == 0 &&
            !differ(measured, was->measured)) {
            o->same++;
            return;
        }
        o->changed++;
        printf("  %s: %s, measured %g; was %s, %g\n",
               lab_name_of(was->claim, was->part).text, word, measured,
               was->verdict, was->measured);
        return;
    }
    o->gone++;
    printf("  %s: not judged now; was %s, %g\n",
           lab_name_of(was->claim, was->part).text, was->verdict,
           was->measured);
}

int cli_reproduce_diff(const struct cli_rulings *r, const char *path)
{
    struct old o = {.now = r};
    struct net_why why = {0};

    printf("\nagainst %s:\n", path);
    if (!lab_notebook_tell(path, compare, &o, &why))
        return cli_refused(&why);
    printf("  %u differ, %u are the same, %u are new, %u are only there\n",
           o.changed, o.same, r->count - o.changed - o.same, o.gone);
    return 0;
}
