/*
 * judge_statement.c - see judge.h.
 */
#include "lab/run/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a cell, by its network: "n=8 ..."; 0: not known. */
static uint64_t nodes_of(const struct lab_cell *c)
{
    const char *at = strncmp(c->network, "n=", 2) == 0
                         ? c->network
                         : strstr(c->network, " n=");

    return at ? strtoull(at + strcspn(at, "=") + 1, NULL, 10) : 0;
}

/* How far a cell stays from its bound: 1 is at it. */
static double distance(const struct lab_cell *c, enum lab_relation op)
{
    bool above = op == LAB_AT_LEAST || op == LAB_MORE;
    double part = above ? c->measured / c->bound : c->bound / c->measured;

    return isfinite(part) ? part : INFINITY;
}

/* Of violated cells the one with the fewest nodes, and of those the one with
 * the strongest evidence. */
static bool better_witness(const struct lab_cell *a, const struct lab_cell *b)
{
    uint64_t x = nodes_of(a), y = nodes_of(b);

    return x != y ? x < y : a->evidence > b->evidence;
}

/* The cell that decides, if one has this verdict. */
static bool find_cell(struct lab_judgement *j, enum lab_verdict verdict)
{
    bool any = false;

    for (uint32_t i = 0; i < j->count; i++)
        if (j->cells[i].verdict == verdict &&
            (!any || better_witness(&j->cells[i], &j->cells[j->worst]))) {
            any = true;
            j->worst = i;
        }
    if (any) {
        j->verdict = verdict;
        j->evidence = j->cells[j->worst].evidence;
    }
    return any;
}

static void take_strongest(struct lab_judgement *j)
{
    for (uint32_t i = 0; i < j->count; i++)
        if (j->cells[i].evidence > j->evidence)
            j->evidence = j->cells[i].evidence;
}

/* It holds in all cells: how close does it come to the bound? */
static void find_closest(struct lab_judgement *j, enum lab_relation op)
{
    double closest = INFINITY;

    for (uint32_t i = 0; i < j->count; i++)
        if (distance(&j->cells[i], op) < closest) {
            closest = distance(&j->cells[i], op);
            j->worst = i;
        }
    if (isfinite(closest))
        j->factor = closest;
}

void lab_judge_statement(struct lab_judgement *j, const struct lab_stated *s)
{
    const struct lab_statement *r = &s->relation;

    if (j->count == 0) {
        j->why = "nothing was tried";
        return;
    }
    if (r->order) {
        lab_judge_order(j, s);
        return;
    }
    /* That something can fail is shown by one cell. */
    if (r->left == LAB_FAILS && find_cell(j, LAB_HOLDS))
        return;
    if (find_cell(j, LAB_VIOLATED)) {
        if (!r->order && r->formula)
            j->factor = 1 / distance(&j->cells[j->worst], r->op);
        return;
    }
    if (find_cell(j, LAB_UNDECIDED)) {
        j->why = r->left == LAB_MEAN || r->left == LAB_CHANCE
                     ? "the interval straddles the bound"
                     : "the tries did not decide";
        return;
    }
    j->verdict = LAB_HOLDS;
    take_strongest(j);
    if (!r->formula || r->order || r->op == LAB_EQUAL)
        return;
    find_closest(j, r->op);
    /* A comparison is not a bound: with another protocol, or written as < or
     * >, "fewer than". */
    if (j->factor >= LAB_LOOSE_FROM && !r->others_count &&
        (r->op == LAB_AT_MOST || r->op == LAB_AT_LEAST))
        j->verdict = LAB_LOOSE;
}
