/*
 * memo.c - see memo.h.
 */
#include "check/store/memo.h"

#include <assert.h>

#include "net/sane.h"

static uint64_t question_at(const struct check_memo *m, uint64_t at)
{
    /* Relaxed: only the thread that holds the memo's memory adds, and asks
     * here. */
    return atomic_load_explicit(&m->entries[at].question, memory_order_relaxed);
}

static void put(struct check_memo *m, uint64_t question, uint32_t answer)
{
    uint64_t at = check_memo_place(question) & (m->room - 1);

    while (question_at(m, at))
        at = (at + 1) & (m->room - 1);
    m->entries[at].answer = answer;
    /* Release: a thread that sees the question sees its answer, and all that
     * was written about it; pairs with check_recall(). */
    atomic_store_explicit(&m->entries[at].question, question + 1,
                          memory_order_release);
    m->count++;
}

static bool more_room(struct check_memo *m, struct check_memory *memory)
{
    struct check_memo old = *m;
    uint32_t room = old.room ? 2 * old.room : 256;
    struct check_memo_entry *entries =
        check_grow(memory, NULL, 0, room * sizeof *entries);

    if (!entries)
        return false;
    *m = (struct check_memo){.entries = entries, .room = room};
    for (uint32_t i = 0; i < old.room; i++)
        if (question_at(&old, i))
            put(m, question_at(&old, i) - 1, old.entries[i].answer);
    check_release(memory, old.entries, old.room * sizeof *entries);
    NET_ASSERT_SANE("a memo that has grown", check_memo_sane(m));
    return true;
}

void check_remember(struct check_memo *m, struct check_memory *memory,
                    uint64_t question, uint32_t answer)
{
    assert(question != UINT64_MAX); /* it would look like an empty place */
    if (memory->home) /* a copy of the memo: the answer belongs there */
        memory->failed = true;
    else if (m->count < m->room / 2 || more_room(m, memory))
        put(m, question, answer);
}

void check_memo_free(struct check_memo *m, struct check_memory *memory)
{
    check_release(memory, m->entries, m->room * sizeof *m->entries);
    *m = (struct check_memo){.entries = NULL};
}

const char *check_memo_sane(const struct check_memo *m)
{
    uint32_t count = 0;

    if (m->room & (m->room - 1))
        return "the places of a memo are a power of two";
    for (uint32_t i = 0; i < m->room; i++) {
        uint64_t question = question_at(m, i);

        if (!question)
            continue;
        count++;
        if (2 * (uint64_t)m->count <= m->room &&
            check_recall(m, question - 1) != &m->entries[i].answer)
            return "every question that has an answer is found again, once";
    }
    return count == m->count && 2 * (uint64_t)count <= m->room
               ? NULL
               : "every answer is counted, and as many places are free";
}
