/*
 * judge_cell.c - see judge.h.
 */
#include "lab/run/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/wait.h"
#include "lab/formula/letters.h"
#include "lab/verdict/interval.h"

/* ---- The formula --------------------------------------------------------- */

static const struct lab_letter *letter(const struct lab_letter *letters,
                                       const char *name)
{
    for (; letters->name; letters++)
        if (strcmp(letters->name, name) == 0)
            return letters;
    return NULL;
}

static int64_t whole(const struct lab_letter *letters, const char *name)
{
    const struct lab_letter *l = letter(letters, name);

    return l ? l->is.top : 0;
}

/* f of the command: what follows "--set f=". */
static bool read_wait(struct fc_wait *f, const char *command,
                      const struct lab_letter *letters)
{
    const char *at = strstr(command, " --set f=");
    const struct fc_world world = {
        .bounded = letter(letters, "rmin") != NULL,
        .bounds = {.rmin = (uint64_t)whole(letters, "rmin"),
                   .rmax = (uint64_t)whole(letters, "rmax"),
                   .dmin = (uint64_t)whole(letters, "dmin"),
                   .dmax = (uint64_t)whole(letters, "dmax")},
    };
    char text[64];

    if (!at)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at + 9, " "), at + 9);
    return fc_wait_parse(f, text) && !fc_wait_prepare(f, &world);
}

/* The interval of a mean of another protocol. */
static bool other_mean(const struct lab_question *q, uint32_t which,
                       const struct lab_answer *answer,
                       struct lab_interval *out, struct net_why *why)
{
    bool chance = q->stated->relation.left == LAB_CHANCE;
    const struct lab_statement mean = {.left = chance ? LAB_CHANCE : LAB_MEAN};
    struct lab_measured m;

    if (!lab_measured_read(&m, answer, q->how->kind, &mean,
                           q->stated->relation.others[which].quantity, why))
        return false;
    if (m.computed && m.mean.any) {
        *out = (struct lab_interval){m.mean.is, m.mean.is};
    } else if (chance) {
        *out = lab_share_interval(m.hits, m.runs, q->error);
    } else {
        const struct lab_sample sample = {m.runs, m.mean.is, m.sd, m.low,
                                          m.high};

        *out = lab_mean_interval(&sample, q->error);
    }
    return true;
}

/* Letters that a reading gives a value: let.a=2. */
static uint32_t take_let(const struct lab_words *w, struct lab_letter *letters,
                         uint32_t count)
{
    static const struct lab_letter none = {0};

    for (uint32_t i = 0; w && i < w->count && count < LAB_LETTERS_ROOM - 1; i++)
        if (strncmp(w->word[i].key, "let.", 4) == 0 && w->word[i].value &&
            lab_evaluate(w->word[i].value, &none, &letters[count].is, NULL))
            letters[count++].name = w->word[i].key + 4;
    letters[count].name = NULL;
    return count;
}

/* The formula between its least and its greatest value, as the means in it go
 * through their intervals: taken at the corners. */
static bool bound_of(const struct lab_question *q, const char *command,
                     const struct lab_answer *answer,
                     const struct lab_answer *const *others,
                     struct lab_interval *out, struct lab_letter *letters,
                     struct net_why *why)
{
    static const char *const names[LAB_OTHERS_MAX] = {"@0", "@1", "@2", "@3"};
    const struct lab_statement *r = &q->stated->relation;
    uint32_t count = take_let(q->variant ? &q->variant->words : NULL, letters,
                              lab_measured_letters(answer, letters));
    struct lab_interval means[LAB_OTHERS_MAX] = {{0}};
    struct fc_wait *f = calloc(1, sizeof *f);
    bool fine = f != NULL;
    const struct lab_scope scope = lab_scope_with(
        letters, f && read_wait(f, command, letters) ? f : NULL,
        whole(letters, "l"), whole(letters, "L"), whole(letters, "N"));

    for (uint32_t i = 0; i < r->others_count && fine; i++)
        fine = count + r->others_count < LAB_LETTERS_ROOM &&
               other_mean(q, i, others[i], &means[i], why);
    *out = (struct lab_interval){INFINITY, -INFINITY};
    for (uint32_t corner = 0; corner < 1U << r->others_count && fine;
         corner++) {
        struct lab_number value;

        for (uint32_t i = 0; i < r->others_count; i++) {
            letters[count + i].name = names[i];
            letters[count + i].is = (struct lab_number){
                .value = corner >> i & 1 ? means[i].high : means[i].low};
        }
        letters[count + r->others_count].name = NULL;
        fine = lab_evaluate_in(&scope, r->formula, &value, why);
        out->low = fmin(out->low, value.value);
        out->high = fmax(out->high, value.value);
    }
    free(f);
    return fine;
}

/* ---- Judging ------------------------------------------------------------- */

static enum lab_verdict against(enum lab_relation op, struct lab_interval is,
                                struct lab_interval bound)
{
    enum lab_verdict a = lab_judge(op, is, bound.low);
    enum lab_verdict b = lab_judge(op, is, bound.high);

    return a == b ? a : LAB_UNDECIDED;
}

static void take(struct lab_cell *c, const struct lab_found *f, char *field)
{
    c->measured = c->low = c->high = f->is;
    snprintf(field, LAB_FIELD_SIZE, "%s", f->field);
}

/* The greatest or the least of it, which must or may be reached. */
static bool judge_extreme(struct lab_cell *c, const struct lab_question *q,
                          const struct lab_measured *m,
                          struct lab_interval bound, char *field)
{
    const struct lab_statement *r = &q->stated->relation;
    bool least =
        r->left == LAB_LEAST ||
        (r->left == LAB_EACH && (r->op == LAB_AT_LEAST || r->op == LAB_MORE));
    const struct lab_found *f = least ? &m->least : &m->most;
    /* Whether more cases could bring it further this way. */
    bool open = !m->exhaustive || m->unfinished;
    double beyond;

    if (!f->any)
        return false;
    take(c, f, field);
    c->verdict = against(r->op, (struct lab_interval){f->is, f->is}, bound);
    if (r->left == LAB_EACH && r->op == LAB_EQUAL && m->least.any &&
        c->verdict == LAB_HOLDS) {
        c->verdict = against(
            r->op, (struct lab_interval){m->least.is, m->least.is}, bound);
        if (c->verdict != LAB_HOLDS)
            take(c, &m->least, field);
    }
    if (r->left == LAB_EACH) {
        if (m->unfinished && c->verdict == LAB_HOLDS)
            c->verdict = LAB_UNDECIDED;
        return true;
    }
    /* max(X) == E: what was not found may still exist. */
    beyond = least ? bound.low - f->is : f->is - bound.high;
    if (open && c->verdict == LAB_VIOLATED && beyond < 0)
        c->verdict = LAB_UNDECIDED;
    return true;
}

static void judge_mean(struct lab_cell *c, const struct lab_question *q,
                       const struct lab_measured *m, struct lab_interval bound,
                       char *field)
{
    const struct lab_statement *r = &q->stated->relation;
    struct lab_interval is = {m->mean.is, m->mean.is};

    take(c, &m->mean, field);
    if (q->how->kind == LAB_TRY_EXACT) {
        is = (struct lab_interval){m->least.any ? m->least.is : m->most.is,
                                   m->most.is};
        if (r->op == LAB_AT_LEAST || r->op == LAB_MORE)
            take(c, &m->least, field);
    } else if (!m->computed) {
        const struct lab_sample sample = {m->runs, m->mean.is, m->sd, m->low,
                                          m->high};

        is = lab_mean_interval(&sample, q->error);
    }
    c->low = is.low;
    c->high = is.high;
    c->verdict = against(r->op, is, bound);
    /* A scheduler may choose: it holds if it holds at both ends. */
    if (q->how->kind == LAB_TRY_EXACT && c->verdict == LAB_UNDECIDED)
        c->verdict = LAB_VIOLATED;
}

static void judge_chance(struct lab_cell *c, const struct lab_question *q,
                         const struct lab_measured *m,
                         struct lab_interval bound, char *field)
{
    struct lab_interval is;

    if (q->how->kind == LAB_TRY_EXACT) {
        judge_mean(c, q, m, bound, field);
        return;
    }
    take(c, &m->violated, field);
    is = m->computed ? (struct lab_interval){(double)m->hits / (double)m->runs,
                                             (double)m->hits / (double)m->runs}
                     : lab_share_interval(m->hits, m->runs, q->error);
    c->measured = (double)m->hits / (double)m->runs;
    c->low = is.low;
    c->high = is.high;
    c->verdict = against(q->stated->relation.op, is, bound);
}

static void judge_property(struct lab_cell *c, bool fails,
                           const struct lab_measured *m, char *field)
{
    take(c, &m->violated, field);
    if (m->hits)
        c->verdict = fails ? LAB_HOLDS : LAB_VIOLATED;
    else if (m->unfinished || (fails && !m->exhaustive))
        c->verdict = LAB_UNDECIDED;
    else
        c->verdict = fails ? LAB_VIOLATED : LAB_HOLDS;
}

static enum lab_evidence evidence_of(const struct lab_question *q,
                                     const struct lab_measured *m)
{
    static const enum lab_evidence by[LAB_TRIES] = {
        [LAB_TRY_CHECK] = LAB_BY_EXHAUSTION, [LAB_TRY_EXACT] = LAB_BY_EXACT,
        [LAB_TRY_ALL] = LAB_BY_EXHAUSTION,   [LAB_TRY_COUNT] = LAB_BY_EXACT,
        [LAB_TRY_SEARCH] = LAB_BY_SEARCH,    [LAB_TRY_RANDOM] = LAB_BY_RANDOM,
    };

    if (q->how->kind == LAB_TRY_SEARCH && m->exhaustive)
        return LAB_BY_EXHAUSTION;
    /* One run of which something was drawn is one of many. */
    if ((q->how->kind == LAB_TRY_ALL || q->how->kind == LAB_TRY_COUNT) &&
        !m->exhaustive)
        return LAB_BY_RANDOM;
    return by[q->how->kind];
}

/* An order: the quotient, which the growth is judged by. */
static void take_quotient(struct lab_cell *c, const struct lab_question *q,
                          const struct lab_measured *m, char *field)
{
    const struct lab_sample sample = {m->runs, m->mean.is, m->sd, m->low,
                                      m->high};
    struct lab_interval is;

    c->verdict = LAB_HOLDS;
    if (q->stated->relation.left == LAB_EACH) {
        take(c, &m->most, field);
        return;
    }
    take(c, &m->mean, field);
    if (m->computed)
        return;
    is = lab_mean_interval(&sample, q->error);
    c->low = is.low;
    c->high = is.high;
}

bool lab_judge_cell(struct lab_cell *cell, const struct lab_question *q,
                    const char *command, const struct lab_answer *answer,
                    const struct lab_answer *const *others,
                    char field[LAB_FIELD_SIZE], struct net_why *why)
{
    const struct lab_statement *r = &q->stated->relation;
    struct lab_letter letters[LAB_LETTERS_ROOM];
    struct lab_interval bound = {NAN, NAN};
    const struct lab_letter *along;
    struct lab_measured m;

    *cell = (struct lab_cell){.x = NAN, .bound = NAN};
    if (!lab_measured_read(&m, answer, q->how->kind, r, r->quantity, why))
        return false;
    cell->evidence = evidence_of(q, &m);
    cell->runs = m.runs;
    (void)lab_measured_letters(answer, letters);
    if (r->formula &&
        !bound_of(q, command, answer, others, &bound, letters, why))
        return false;
    along = letter(letters, q->stated->along);
    cell->x = along ? along->is.value : NAN;
    cell->bound =
        r->op == LAB_AT_LEAST || r->op == LAB_MORE ? bound.high : bound.low;
    if (r->order)
        take_quotient(cell, q, &m, field);
    else if (r->left == LAB_PROPERTY || r->left == LAB_FAILS)
        judge_property(cell, r->left == LAB_FAILS, &m, field);
    else if (r->left == LAB_CHANCE)
        judge_chance(cell, q, &m, bound, field);
    else if (r->left == LAB_MEAN)
        judge_mean(cell, q, &m, bound, field);
    else if (!judge_extreme(cell, q, &m, bound, field))
        return net_refuse(why, "its JSON has no extreme of %.80s", r->quantity);
    if (r->left == LAB_MEAN && !m.mean.any)
        return net_refuse(why, "its JSON has no mean of %.80s", r->quantity);
    return true;
}
