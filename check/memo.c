/*
 * memo.c - see memo.h.
 */
#include "check/memo.h"

static void put(struct check_memo *m, struct check_memo_entry entry)
{
    uint64_t at = check_memo_place(entry.question - 1) & (m->room - 1);

    while (m->entries[at].question)
        at = (at + 1) & (m->room - 1);
    m->entries[at] = entry;
    m->count++;
}

void check_remember(struct check_memo *m, struct check_memory *memory,
                    uint64_t question, uint32_t answer)
{
    if (m->count >= m->room / 2) {
        struct check_memo old = *m;
        uint32_t room = old.room ? 2 * old.room : 256;
        struct check_memo_entry *entries =
            check_grow(memory, NULL, 0, room * sizeof *entries);

        if (!entries)
            return;
        *m = (struct check_memo){.entries = entries, .room = room};
        for (uint32_t i = 0; i < old.room; i++)
            if (old.entries[i].question)
                put(m, old.entries[i]);
        check_release(memory, old.entries, old.room * sizeof *entries);
    }
    put(m, (struct check_memo_entry){question + 1, answer, 0});
}

void check_memo_free(struct check_memo *m, struct check_memory *memory)
{
    check_release(memory, m->entries, m->room * sizeof *m->entries);
    *m = (struct check_memo){.entries = NULL};
}
