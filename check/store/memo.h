/*
 * memo.h - results computed once: from a 64-bit question to a 32-bit answer.
 *
 * Any number of threads may ask while one adds an answer.
 */
#ifndef CHECK_MEMO_H
#define CHECK_MEMO_H

#include <stdatomic.h>

#include "check/store/memory.h"

struct check_memo {
    struct check_memo_entry {
        _Atomic uint64_t question; /* 1 + it; 0: empty */
        uint32_t answer, unused;
    } * entries;
    uint32_t count, room; /* room is a power of two, or 0 */
};

/* A multiplication spreads the bits upwards, the high half is used. */
static inline uint64_t check_memo_place(uint64_t question)
{
    return (question * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
}

/* The answer's place, or NULL if it is not known. */
static inline const uint32_t *check_recall(const struct check_memo *m,
                                           uint64_t question)
{
    uint64_t at, found;

    if (!m->room)
        return NULL;
    /* Acquire: the answer was written before; pairs with put() in memo.c. */
    for (at = check_memo_place(question) & (m->room - 1);
         (found = atomic_load_explicit(&m->entries[at].question,
                                       memory_order_acquire)) != 0;
         at = (at + 1) & (m->room - 1))
        if (found == question + 1)
            return &m->entries[at].answer;
    return NULL;
}

/* Keeps an answer that was not known. */
void check_remember(struct check_memo *m, struct check_memory *memory,
                    uint64_t question, uint32_t answer);

/* NULL, or the rule that a memo breaks to which nobody adds now. */
const char *check_memo_sane(const struct check_memo *m);

void check_memo_free(struct check_memo *m, struct check_memory *memory);

#endif
