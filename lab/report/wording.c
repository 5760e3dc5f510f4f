/*
 * wording.c - verdicts and numbers in words (see report.h).
 */
#include "lab/report/report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "lab/claim/statement.h"

void lab_word_count(char *out, size_t size, uint32_t count, bool capital)
{
    static const char *const words[] = {
        "none",  "one",   "two",  "three", "four",   "five",  "six",
        "seven", "eight", "nine", "ten",   "eleven", "twelve"};

    if (count < sizeof words / sizeof words[0])
        snprintf(out, size, "%s", words[count]);
    else
        snprintf(out, size, "%u", count);
    if (capital)
        out[0] = (char)toupper((unsigned char)out[0]);
}

/* Whole numbers in groups of three, from five figures on; others with four
 * figures. */
void lab_word_number(char *out, size_t size, double number)
{
    char plain[32];
    size_t length;

    *out = '\0';
    if (isnan(number))
        return;
    if (isinf(number)) {
        snprintf(out, size, "without bound");
        return;
    }
    if (fabs(number) >= 1e4)
        number = round(number);
    if (floor(number) != number || fabs(number) >= 1e15) {
        snprintf(out, size, "%.4g", number);
        return;
    }
    snprintf(plain, sizeof plain, "%.0f", number);
    length = strlen(plain);
    for (size_t i = 0; i < length; i++) {
        bool apart =
            length > 4 && i > 0 && (length - i) % 3 == 0 && plain[i - 1] != '-';

        pen_add(out, size, "%s%c", apart ? "\u202f" : "", plain[i]);
    }
}

const char *lab_word_verdict(enum lab_verdict verdict)
{
    static const char *const words[] = {"not decided", "holds", "holds, loose",
                                        "violated", "holds after repair"};

    return words[verdict];
}

static const char *relation_words(enum lab_relation op)
{
    static const char *const words[] = {"less than", "at most", "exactly",
                                        "at least", "more than"};

    return words[op];
}

/* ---- What a statement is about ------------------------------------------- */

/* The subject of a statement: "messages", "mean of messages", "exclusion". */
static void add_subject(char *out, size_t size, const struct lab_statement *s)
{
    static const char *const before[] = {
        [LAB_EACH] = "",
        [LAB_MOST] = "greatest ",
        [LAB_LEAST] = "least ",
        [LAB_MEAN] = "mean of ",
        [LAB_CHANCE] = "runs that violate ",
    };
    bool property = s->left >= LAB_CHANCE;

    if (s->left <= LAB_CHANCE)
        pen_add(out, size, "%s", before[s->left]);
    pen_add(out, size, "%s",
            *s->quantity ? s->quantity
            : property   ? "a property"
                         : "it");
}

/* The formula as it is written; in the one that was read, means of others are
 * numbered. */
static const char *formula_of(const struct lab_statement *s)
{
    const char *sign = s->others_count > 0 && !s->order
                           ? strstr(s->text, lab_relation_sign(s->op))
                           : NULL;

    if (!sign)
        return s->formula;
    sign += strlen(lab_relation_sign(s->op));
    return sign + strspn(sign, " ");
}

static void add_number(char *out, size_t size, double number)
{
    char text[64];

    lab_word_number(text, sizeof text, number);
    pen_add(out, size, "%s", text);
}

/* Shares as such. */
static void add_value(char *out, size_t size, const struct lab_statement *s,
                      double value)
{
    if (s->left == LAB_CHANCE && isfinite(value))
        pen_add(out, size, "%.3g %%", 100 * value);
    else
        add_number(out, size, value);
}

static const struct lab_cell *told_cell(const struct lab_judgement *j)
{
    return j->count > 0 ? &j->cells[j->worst] : NULL;
}

static void add_networks(char *out, size_t size, uint32_t count)
{
    if (count == 1)
        pen_add(out, size, "in the network tried");
    else
        pen_add(out, size, "in all %u networks", count);
}

void lab_word_claimed(char *out, size_t size, const struct lab_judgement *j)
{
    struct lab_statement s;

    *out = '\0';
    if (!lab_statement_read(&s, j->relation, NULL))
        pen_add(out, size, "%s", j->relation);
    else if (s.order)
        pen_add(out, size, "%s(%s)", s.order == LAB_O ? "O" : "Θ",
                formula_of(&s));
    else if (s.formula)
        pen_add(out, size, "%s %s", relation_words(s.op), formula_of(&s));
    else
        pen_add(out, size, "%s%s%s", s.quantity, *s.quantity ? " " : "",
                s.left == LAB_FAILS ? "fails" : "always");
    lab_statement_free(&s);
}

void lab_word_measured(char *out, size_t size, const struct lab_judgement *j)
{
    const struct lab_cell *c = told_cell(j);
    struct lab_statement s;
    bool read = lab_statement_read(&s, j->relation, NULL);

    *out = '\0';
    if (j->growth) {
        pen_add(out, size, "%s", j->growth);
    } else if (c && read && s.left >= LAB_PROPERTY) {
        bool fails = (j->verdict == LAB_HOLDS) == (s.left == LAB_FAILS);

        if (j->verdict == LAB_UNDECIDED)
            pen_add(out, size, "%u networks", j->count);
        else if (fails)
            pen_add(out, size, "fails at %s", c->network);
        else
            add_networks(out, size, j->count);
    } else if (c && read && s.op == LAB_EQUAL && s.left != LAB_MEAN &&
               j->verdict == LAB_HOLDS) {
        add_networks(out, size, j->count);
    } else if (c && read && !isnan(c->measured)) {
        add_value(out, size, &s, c->measured);
        if (c->low < c->high && isfinite(c->low) && isfinite(c->high)) {
            pen_add(out, size, " (");
            add_value(out, size, &s, c->low);
            pen_add(out, size, " to ");
            add_value(out, size, &s, c->high);
            pen_add(out, size, ")");
        }
        if (*c->network)
            pen_add(out, size, " at %s", c->network);
    }
    lab_statement_free(&s);
}

/* ---- Findings ------------------------------------------------------------ */

static void add_violated(char *out, size_t size, const struct lab_judgement *j,
                         const struct lab_statement *s)
{
    const struct lab_cell *c = told_cell(j);

    add_subject(out, size, s);
    if (s->order)
        pen_add(out, size, " not in %s(%s): %s", s->order == LAB_O ? "O" : "Θ",
                formula_of(s), j->growth ? j->growth : "");
    else if (s->left == LAB_FAILS)
        pen_add(out, size, " is never violated");
    else if (!c || !s->formula)
        pen_add(out, size, " is violated at %s", c ? c->network : "");
    else {
        pen_add(out, size, ": ");
        add_value(out, size, s, c->measured);
        pen_add(out, size, " at %s; claimed: %s ", c->network,
                relation_words(s->op));
        add_value(out, size, s, c->bound);
    }
}

static void add_holds(char *out, size_t size, const struct lab_judgement *j,
                      const struct lab_statement *s)
{
    const struct lab_cell *c = told_cell(j);

    if (!s->formula && s->left == LAB_PROPERTY && !*s->quantity)
        pen_add(out, size, "all properties");
    else
        add_subject(out, size, s);
    if (s->order) {
        pen_add(out, size, " in %s(%s): %s", s->order == LAB_O ? "O" : "Θ",
                formula_of(s), j->growth ? j->growth : "");
    } else if (s->left == LAB_FAILS) {
        pen_add(out, size, " is violated at %s, as claimed",
                c ? c->network : "");
    } else if (!s->formula) {
        pen_add(out, size, *s->quantity ? " holds " : " hold ");
        add_networks(out, size, j->count);
    } else {
        pen_add(out, size, ": %s %s ", relation_words(s->op), formula_of(s));
        add_networks(out, size, j->count);
    }
    if (j->verdict == LAB_LOOSE && isfinite(j->factor)) {
        pen_add(out, size, "; loose by a factor of ");
        add_number(out, size, round(j->factor * 100) / 100);
    } else if (c && s->formula && !s->order && s->op != LAB_EQUAL &&
               j->count > 1) {
        pen_add(out, size, "; closest at %s: ", c->network);
        add_value(out, size, s, c->measured);
        pen_add(out, size, " against ");
        add_value(out, size, s, c->bound);
    }
}

void lab_word_finding(char *out, size_t size, const struct lab_reported *r)
{
    const struct lab_judgement *j = r->count ? &r->judgements[r->told] : NULL;
    struct lab_statement s;

    *out = '\0';
    if (!j || r->verdict == LAB_UNDECIDED) {
        pen_add(out, size, "Not decided: %s",
                r->why        ? r->why
                : j && j->why ? j->why
                              : "nothing was tried");
        return;
    }
    if (!lab_statement_read(&s, j->relation, NULL))
        pen_add(out, size, "%s: %s", j->relation, lab_word_verdict(j->verdict));
    else if (j->verdict == LAB_VIOLATED)
        add_violated(out, size, j, &s);
    else
        add_holds(out, size, j, &s);
    lab_statement_free(&s);
    if (r->verdict == LAB_REPAIRED && r->repair < r->count)
        pen_add(out, size, "; with %s it holds",
                r->judgements[r->repair].repair);
    *out = (char)toupper((unsigned char)*out);
}
