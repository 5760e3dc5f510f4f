/*
 * inquiry.c - see inquiry.h.
 */
#include "lab/run/inquiry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claim/plan.h"
#include "lab/run/judge.h"
#include "lab/verdict/interval.h"

const struct lab_answer *lab_ask(struct lab_inquiry *q, const char *command)
{
    const struct lab_answer *answer = lab_notebook_find(q->notebook, command);

    if (!answer) {
        q->waiting = true;
        q->ask(q->whom, command);
    }
    return answer;
}

/* ---- One try ------------------------------------------------------------- */

/* A try, with the cells of its protocol and of the others. */
struct trial {
    struct lab_question question;
    struct lab_plan plan, others[LAB_OTHERS_MAX];
};

static const struct lab_variant *find_other(const struct lab_claim *c,
                                            const char *name)
{
    for (uint32_t i = 0; i < c->others.count; i++)
        if (strcmp(c->others.of[i].name, name) == 0)
            return &c->others.of[i];
    return NULL;
}

static bool plan_trial(struct trial *t, const struct lab_inquiry *q,
                       struct net_why *why)
{
    const struct lab_statement *s = &t->question.stated->relation;
    struct lab_planning p = {
        .claim = t->question.claim,
        .stated = t->question.stated,
        .how = t->question.how,
        .variant = t->question.variant,
        .quantity = s->quantity,
        .seed = q->seed,
        .is_option = q->is_option,
    };

    if (!lab_plan_make(&t->plan, &p, why))
        return false;
    for (uint32_t i = 0; i < s->others_count; i++) {
        p.other = find_other(p.claim, s->others[i].other);
        p.quantity = s->others[i].quantity;
        if (!p.other)
            return net_refuse(why, "there is no other called %.60s",
                              s->others[i].other);
        if (!lab_plan_make(&t->others[i], &p, why))
            return false;
        if (t->others[i].count != t->plan.count)
            return net_refuse(why, "%.60s has other cells", s->others[i].other);
    }
    return true;
}

/* The command of a look: with more runs. */
static char *look_at(const char *command, uint32_t look)
{
    uint64_t runs;

    if (look == 0 || !lab_command_number(command, "--runs", &runs))
        return strdup(command);
    while (look--)
        runs *= LAB_LOOK_GROWS;
    return lab_command_with_number(command, "--runs", runs);
}

/* One look; false: waiting, or `why` names the mistake. */
static bool look(struct lab_cell *cell, struct trial *t, struct lab_inquiry *q,
                 uint32_t number, uint32_t which, struct net_why *why)
{
    const struct lab_statement *s = &t->question.stated->relation;
    const struct lab_answer *others[LAB_OTHERS_MAX], *answer;
    char *command = look_at(t->plan.cell[number].command, which);
    char field[LAB_FIELD_SIZE] = "";
    bool fine = command != NULL, all = true;

    answer = fine ? lab_ask(q, command) : NULL;
    for (uint32_t i = 0; i < s->others_count; i++) {
        char *other = look_at(t->others[i].cell[number].command, which);

        others[i] = other ? lab_ask(q, other) : NULL;
        all = all && others[i];
        free(other);
    }
    if (!answer || !all) {
        free(command);
        return false;
    }
    fine =
        lab_judge_cell(cell, &t->question, command, answer, others, field, why);
    if (!fine)
        *cell = (struct lab_cell){.measured = NAN, .bound = NAN, .x = NAN};
    cell->seconds = answer->seconds;
    cell->command = command;
    cell->field = strdup(field);
    cell->network = strdup(t->plan.cell[number].network);
    cell->from = (uint32_t)(t->question.how - t->question.stated->tries);
    return fine;
}

static void clear_cell(struct lab_cell *c)
{
    free(c->command);
    free(c->field);
    free(c->network);
    *c = (struct lab_cell){0};
}

/* Whether more runs say more: of amounts that are counted, and not found. */
static bool is_statistical(const struct lab_statement *s)
{
    return s->left == LAB_MEAN || s->left == LAB_CHANCE;
}

/* Looks again while the cell is not decided; an order is looked at as a whole,
 * beginning with this look. */
static bool settle(struct lab_cell *cell, struct trial *t,
                   struct lab_inquiry *q, uint32_t number, uint32_t first,
                   struct net_why *why)
{
    const struct lab_statement *s = &t->question.stated->relation;
    bool again = t->question.how->kind == LAB_TRY_RANDOM && !s->order &&
                 is_statistical(s);

    for (uint32_t i = first; i < (again ? q->looks : first + 1); i++) {
        clear_cell(cell);
        if (!look(cell, t, q, number, i, why))
            return false;
        if (cell->verdict != LAB_UNDECIDED)
            break;
    }
    return true;
}

/* ---- One statement ------------------------------------------------------- */

static void end_trial(struct trial *t)
{
    lab_plan_free(&t->plan);
    for (uint32_t i = 0; i < LAB_OTHERS_MAX; i++)
        lab_plan_free(&t->others[i]);
}

static void free_cells(struct lab_judgement *j)
{
    for (uint32_t i = 0; i < j->count; i++)
        clear_cell(&j->cells[i]);
    free(j->cells);
    j->cells = NULL;
    j->count = 0;
}

/* The cells of all tries; false: `why` names the mistake.  Some may be without
 * an answer: then the inquiry is waiting. */
static bool judge_trials(struct lab_judgement *j, struct trial *t,
                         uint32_t tries, struct lab_inquiry *q, uint32_t first,
                         struct net_why *why)
{
    uint32_t cells = 0;
    bool fine = true;

    for (uint32_t i = 0; i < tries; i++)
        cells += t[i].plan.count;
    free_cells(j);
    j->cells = calloc(cells ? cells : 1, sizeof *j->cells);
    if (!j->cells)
        return false;
    for (uint32_t i = 0; i < tries; i++) {
        t[i].question.error = lab_error(cells, LAB_LOOKS);
        for (uint32_t k = 0; k < t[i].plan.count; k++) {
            struct net_why reason = {0};

            if (!settle(&j->cells[j->count++], &t[i], q, k, first, &reason) &&
                *reason.text && fine) {
                fine = false;
                net_refuse(why, "%.90s: %.100s", t[i].plan.cell[k].command,
                           reason.text);
            }
        }
    }
    return fine;
}

/* How often the statement is looked at as a whole. */
static uint32_t looks_at(const struct lab_inquiry *q,
                         const struct lab_stated *s)
{
    return s->relation.order && is_statistical(&s->relation) ? q->looks : 1;
}

static bool judge_statement(struct lab_judgement *j, struct lab_inquiry *q,
                            const struct lab_claim *c,
                            const struct lab_stated *s,
                            const struct lab_variant *v, struct net_why *why)
{
    struct trial *t = calloc(LAB_TRIES_MAX, sizeof *t);
    uint32_t tries = 0;
    bool fine = t != NULL;

    *j = (struct lab_judgement){
        .reading = v ? v->name : "",
        .repair = "",
        .relation = s->relation.text,
        .factor = NAN,
    };
    for (uint32_t i = 0; i < s->tries_count && fine; i++) {
        if (s->tries[i].full && !q->full)
            continue;
        t[tries].question = (struct lab_question){
            .claim = c, .stated = s, .how = &s->tries[i], .variant = v};
        fine = plan_trial(&t[tries++], q, why);
    }
    for (uint32_t i = 0; i < looks_at(q, s) && fine; i++) {
        fine = judge_trials(j, t, tries, q, i, why);
        if (q->waiting || !fine)
            break;
        j->why = NULL;
        lab_judge_statement(j, s);
        if (j->verdict != LAB_UNDECIDED)
            break;
    }
    if (fine && !q->waiting && j->verdict == LAB_VIOLATED)
        lab_find_witness(j, q, c, s, v);
    /* A proof goes further than what was measured, which agrees with it. */
    if (c->argument && j->verdict == LAB_HOLDS)
        j->evidence = LAB_BY_ARGUMENT;
    for (uint32_t i = 0; i < tries; i++)
        end_trial(&t[i]);
    free(t);
    return fine;
}

/* ---- One part of a claim ------------------------------------------------- */

/* A verdict that is kinder to the paper is greater. */
static int kindness(enum lab_verdict v)
{
    static const int order[] = {[LAB_VIOLATED] = 0,
                                [LAB_UNDECIDED] = 1,
                                [LAB_LOOSE] = 2,
                                [LAB_HOLDS] = 3,
                                [LAB_REPAIRED] = 3};

    return order[v];
}

/* Whether it is tried now: without --full, lines for --full alone are left
 * out. */
static bool is_tried(const struct lab_stated *s, bool full)
{
    bool any = s->tries_count == 0;

    for (uint32_t i = 0; i < s->tries_count; i++)
        any |= full || !s->tries[i].full;
    return any;
}

/* All statements in one reading; `*worst` is the one that decides. */
static bool judge_variant(struct lab_ruling *r, struct lab_inquiry *q,
                          const struct lab_variant *v, uint32_t *worst,
                          struct net_why *why)
{
    const struct lab_claim *c = r->claim;

    *worst = r->count;
    for (uint32_t i = 0; i < c->stated_count; i++) {
        struct lab_judgement *j = &r->judgements[r->count];

        if (!lab_stated_of(&c->stated[i], v ? v->name : NULL) ||
            !is_tried(&c->stated[i], q->full))
            continue;
        if (!judge_statement(j, q, c, &c->stated[i], v, why)) {
            r->count++;
            return false;
        }
        if (kindness(j->verdict) < kindness(r->judgements[*worst].verdict))
            *worst = r->count;
        r->count++;
    }
    return true;
}

static bool judge_readings(struct lab_ruling *r, struct lab_inquiry *q,
                           struct net_why *why)
{
    const struct lab_variants *v = &r->claim->readings;
    uint32_t worst;

    for (uint32_t i = 0; i < (v->count ? v->count : 1); i++) {
        if (!judge_variant(r, q, v->count ? &v->of[i] : NULL, &worst, why))
            return false;
        if (i == 0 || kindness(r->judgements[worst].verdict) >
                          kindness(r->judgements[r->told].verdict))
            r->told = worst;
    }
    return true;
}

/* Tries the repairs in turn, until one holds. */
static bool judge_repairs(struct lab_ruling *r, struct lab_inquiry *q,
                          struct net_why *why)
{
    const struct lab_variants *v = &r->claim->repairs;
    uint32_t worst;

    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t first = r->count;

        if (!judge_variant(r, q, &v->of[i], &worst, why))
            return false;
        for (uint32_t k = first; k < r->count; k++) {
            r->judgements[k].repair = v->of[i].name;
            r->judgements[k].reading = "";
        }
        if (q->waiting)
            return true;
        if (kindness(r->judgements[worst].verdict) >= 2) {
            r->verdict = LAB_REPAIRED;
            r->repair = worst;
            return true;
        }
    }
    return true;
}

bool lab_rule(struct lab_ruling *r, struct lab_inquiry *q,
              const struct lab_claim *claim)
{
    uint32_t variants = claim->readings.count + claim->repairs.count + 1;
    struct net_why why = {0};
    bool fine;

    *r = (struct lab_ruling){.claim = claim};
    q->waiting = false;
    if (!claim->stated_count)
        return true;
    r->judgements =
        calloc((size_t)variants * claim->stated_count, sizeof *r->judgements);
    fine = r->judgements && judge_readings(r, q, &why);
    if (fine && !q->waiting) {
        r->verdict = r->judgements[r->told].verdict;
        if (r->verdict == LAB_VIOLATED)
            fine = judge_repairs(r, q, &why);
    }
    if (!fine)
        r->why = strdup(*why.text ? why.text : "no memory for the claim");
    for (uint32_t i = 0; r->judgements && i < r->count; i++)
        for (uint32_t k = 0; k < r->judgements[i].count; k++)
            r->seconds += r->judgements[i].cells[k].seconds;
    return !q->waiting;
}

void lab_ruling_free(struct lab_ruling *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct lab_judgement *j = &r->judgements[i];

        free_cells(j);
        free(j->growth);
        free(j->witness.command);
        free(j->witness.field);
        free(j->witness.value);
    }
    free(r->judgements);
    free(r->why);
    *r = (struct lab_ruling){0};
}
