/*
 * model_sane.c - the rules that a model keeps when nothing is being expanded:
 * its tables find their entries, and entries have numbers that exist.
 */
#include "check/model/step.h"

/* Outcomes are runs of ways, of which the last is marked: whether one begins
 * here. */
static bool begins_here(const struct check_model *m, uint32_t outcome)
{
    return outcome < m->outcomes_count &&
           (outcome == 0 || m->outcomes[outcome - 1].last);
}

static const char *sane_outcomes(const struct check_model *m)
{
    if (m->outcomes_count && !m->outcomes[m->outcomes_count - 1].last)
        return "one of the ways that an event can go is the last";
    for (uint32_t i = 0; i < m->outcomes_count; i++) {
        const struct check_outcome *o = &m->outcomes[i];

        if (o->sends > m->sends_count ||
            o->sends_count > m->sends_count - o->sends)
            return "an outcome sends messages that there are";
    }
    for (uint32_t i = 0; i < m->sends_count; i++)
        if (m->sends[i].msg >= m->messages.count)
            return "an outcome sends messages that there are";
    return NULL;
}

/* What was remembered of the steps of a node: outcomes, or how it is a tick
 * later. */
static const char *sane_steps(const struct check_model *m,
                              const struct check_locals *l)
{
    for (uint32_t i = 0; i < l->steps.room; i++) {
        /* Relaxed: nobody adds an answer. */
        uint64_t question = atomic_load_explicit(&l->steps.entries[i].question,
                                                 memory_order_relaxed);
        uint32_t answer = l->steps.entries[i].answer;

        if (!question)
            continue;
        if (((question - 1) >> 32 & 0xf) == CHECK_TICK
                ? answer >= l->packed.count
                : answer != CHECK_NO_OUTCOME && !begins_here(m, answer))
            return "a step leads to where it was found to lead";
    }
    return NULL;
}

static const char *sane_locals(const struct check_model *m)
{
    const char *broken = NULL;

    for (uint32_t i = 0; i < (m->alike ? 1 : m->nodes) && !broken; i++) {
        const struct check_locals *l = &m->locals[i];

        if (l->packed.count > l->info_room)
            return "what a search needs is known of every local state";
        for (uint32_t k = 0; k < l->packed.count; k++)
            if (l->info[k].view >= m->views.count)
                return "others see something of every local state";
        broken = check_intern_sane(&l->packed);
        if (!broken)
            broken = check_memo_sane(&l->steps);
        if (!broken)
            broken = sane_steps(m, l);
    }
    return broken;
}

static const char *sane_namings(const struct check_model *m)
{
    for (uint32_t i = 0; i < m->namings_count; i++)
        for (uint32_t k = 0; k < m->nodes; k++) {
            const struct check_naming *n = &m->namings[i];

            if (n->to[k] >= m->nodes || n->from[n->to[k]] != k)
                return "whoever is renamed can be named back";
            if (i == 0 && n->to[k] != k)
                return "the first naming is as it is";
        }
    return NULL;
}

static const char *sane_tables(const struct check_model *m)
{
    const struct check_intern *tables[] = {&m->messages, &m->contents,
                                           &m->budgets, &m->views, &m->cells};
    const struct check_memo *memos[] = {&m->content_memo, &m->budget_memo,
                                        &m->naming_memo};
    const char *broken = NULL;

    for (uint32_t i = 0; i < FC_COUNT(tables) && !broken; i++)
        broken = check_intern_sane(tables[i]);
    for (uint32_t i = 0; i < FC_COUNT(memos) && !broken; i++)
        broken = check_memo_sane(memos[i]);
    return broken;
}

const char *check_model_sane(const struct check_model *m)
{
    uint32_t numbers[CHECK_PLACES_MAX] = {0};
    const char *broken = check_memory_sane(&m->memory);

    for (uint32_t i = 0; i < m->nodes; i++)
        numbers[m->local_at[i]] = m->locals[m->alike ? 0 : i].packed.count;
    for (uint32_t i = 0; i < m->links_count; i++)
        numbers[m->link_at[i]] = m->contents.count;
    if (m->cells_count)
        numbers[m->cells_at] = m->cells.count;
    if (m->budgeted)
        numbers[m->budget_at] = m->budgets.count;
    if (!broken)
        broken = sane_tables(m);
    if (!broken)
        broken = sane_outcomes(m);
    if (!broken)
        broken = sane_locals(m);
    if (!broken)
        broken = sane_namings(m);
    return broken ? broken : check_tree_sane(&m->tree, numbers);
}
