/*
 * judge_order.c - see judge.h.
 */
#include "lab/run/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/verdict/growth.h"

/* A cell, by the network without the word that varies along the line. */
struct place {
    uint32_t cell;
    enum lab_kind kind;
    char *rest;
    double x;
};

/* A copy of the network without the word that begins with this key. */
static char *without(const char *network, const char *key, size_t length)
{
    char *out = malloc(strlen(network) + 1), *to = out;

    while (out && *network) {
        size_t word = strcspn(network, " ");

        if (strncmp(network, key, length) != 0 || network[length] != '=') {
            memcpy(to, network, word);
            to += word;
            *to++ = ' ';
        }
        network += word;
        network += *network == ' ';
    }
    if (out)
        *to = '\0';
    return out;
}

static int by_line(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int order = (p->kind > q->kind) - (p->kind < q->kind);

    if (order == 0)
        order = strcmp(p->rest, q->rest);
    return order ? order : (p->x > q->x) - (p->x < q->x);
}

static bool same_line(const struct place *p, const struct place *q)
{
    return p->kind == q->kind && strcmp(p->rest, q->rest) == 0;
}

static void free_places(struct place *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(p[i].rest);
}

/* The cells in lines that vary in one word; false: along none of them does x
 * grow. */
static bool place_along(struct place *p, const struct lab_judgement *j,
                        const struct lab_stated *s, const char *key,
                        size_t length)
{
    bool grows = false;

    for (uint32_t i = 0; i < j->count; i++) {
        p[i] = (struct place){i, s->tries[j->cells[i].from].kind,
                              without(j->cells[i].network, key, length),
                              j->cells[i].x};
        if (!p[i].rest) {
            free_places(p, i);
            return false;
        }
    }
    qsort(p, j->count, sizeof *p, by_line);
    for (uint32_t i = 1; i < j->count; i++)
        grows |= same_line(&p[i - 1], &p[i]) && p[i].x > p[i - 1].x;
    if (!grows)
        free_places(p, j->count);
    return grows;
}

/* The first word of the networks along which x grows. */
static bool place_cells(struct place *p, const struct lab_judgement *j,
                        const struct lab_stated *s)
{
    for (uint32_t i = 0; i < j->count; i++)
        for (const char *at = j->cells[i].network; *at;) {
            size_t length = strcspn(at, "= ");

            if (place_along(p, j, s, at, length))
                return true;
            at += strcspn(at, " ");
            at += *at == ' ';
        }
    return false;
}

/* ---- One line ------------------------------------------------------------ */

static enum lab_verdict judge_growth(const struct lab_growth *g,
                                     enum lab_order order)
{
    if (g->kind == LAB_GROWTH_CONSTANT)
        return LAB_HOLDS;
    if (g->kind == LAB_GROWTH_FALLS)
        return order == LAB_O ? LAB_HOLDS : LAB_VIOLATED;
    if (g->kind == LAB_GROWTH_UNCLEAR)
        return g->bounded && order == LAB_O ? LAB_HOLDS : LAB_UNDECIDED;
    return LAB_VIOLATED;
}

/* What a line says; `count` of its cells are there. */
static enum lab_verdict judge_line(const struct lab_judgement *j,
                                   const struct lab_stated *s,
                                   const struct place *p, uint32_t count,
                                   char words[LAB_GROWTH_SIZE])
{
    struct lab_point *points = calloc(count, sizeof *points);
    struct lab_growth growth;
    bool exact = true;

    for (uint32_t i = 0; i < count && points; i++) {
        const struct lab_cell *c = &j->cells[p[i].cell];

        points[i] =
            (struct lab_point){c->x, c->low / c->bound, c->measured / c->bound,
                               c->high / c->bound};
        exact &= c->evidence >= LAB_BY_EXHAUSTION;
    }
    if (!points)
        return LAB_UNDECIDED;
    growth = lab_growth_of(points, count, exact);
    lab_growth_words(&growth, s->along, words);
    free(points);
    return judge_growth(&growth, s->relation.order);
}

/* Fewer sizes than an order needs: it says nothing beside lines that do. */
static bool is_short(const struct place *p, uint32_t count)
{
    return count < 3 || p[count - 1].x < 1000 * p[0].x;
}

static void take_line(struct lab_judgement *j, enum lab_verdict verdict,
                      uint32_t cell, const char *words)
{
    char *growth = strdup(words);

    free(j->growth);
    j->growth = growth;
    j->verdict = verdict;
    j->evidence = j->cells[cell].evidence;
    j->worst = cell;
}

void lab_judge_order(struct lab_judgement *j, const struct lab_stated *s)
{
    struct place *p = calloc(j->count, sizeof *p);
    uint32_t first = 0;
    bool any = false;

    if (!p || !place_cells(p, j, s)) {
        j->why = "its cells are not of several sizes";
        free(p);
        return;
    }
    for (uint32_t i = 1; i <= j->count; i++) {
        char words[LAB_GROWTH_SIZE] = "";
        enum lab_verdict verdict;

        if (i < j->count && same_line(&p[first], &p[i]))
            continue;
        verdict = judge_line(j, s, &p[first], i - first, words);
        if (verdict == LAB_UNDECIDED && is_short(&p[first], i - first) && any) {
            first = i;
            continue;
        }
        /* Violated before undecided before held. */
        if (!any || verdict == LAB_VIOLATED ||
            (verdict == LAB_UNDECIDED && j->verdict == LAB_HOLDS) ||
            (j->verdict == LAB_UNDECIDED && j->why))
            take_line(j, verdict, p[i - 1].cell, words);
        /* A short line gives way to any other. */
        j->why = verdict == LAB_UNDECIDED && is_short(&p[first], i - first)
                     ? "too few sizes"
                     : NULL;
        any = true;
        first = i;
        if (j->verdict == LAB_VIOLATED)
            break;
    }
    if (j->verdict == LAB_UNDECIDED && !j->why)
        j->why = "how it grows is unclear";
    free_places(p, j->count);
    free(p);
}
