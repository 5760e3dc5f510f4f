/*
 * validate.h - what the validator's parts share: values that show a tear, the
 * chaos between two statements, and what was counted.
 */
#ifndef RW_VALIDATE_H
#define RW_VALIDATE_H

#include <stdint.h>

/* With CHAOS the register stops at every RW_POINT; without it is the register
 * as shipped, wide copies included, and only signals come in between. */
#ifdef CHAOS
void chaos_point(int place);
#define RW_POINT(place) chaos_point(place)
#endif
#include "rw/fulcrum_rw.h"

enum { VALUE_MAX = 4096, READERS_MAX = 64 };

struct value {
    uint64_t word[VALUE_MAX / 8];
};

/* The value that write k publishes.  The words of two values differ in every
 * place, so that a mixture of two is not a value; value 0 is all zero. */
static inline void value_make(struct value *v, uint64_t k, size_t size)
{
    for (size_t i = 0; i < (size + 7) / 8; i++)
        v->word[i] = k * (2 * i + 1);
}

/* Is it one of them?  Its number is the first word. */
static inline bool value_whole(const struct value *v, size_t size)
{
    uint64_t k = v->word[0];
    uint64_t wrong = 0;

    for (size_t i = 0; i < size / 8; i++)
        wrong |= v->word[i] ^ k * (2 * i + 1);
    if (size % 8) {
        uint64_t last = k * (2 * (size / 8) + 1);

        wrong |= (uint64_t)memcmp(&last, &v->word[size / 8], size % 8);
    }
    return wrong == 0;
}

/* What a reader saw.  In shared memory, one line for each. */
struct tally {
    RW_ALIGN(64) rw_cell reads; /* consistent ones */
    rw_cell attempts;
    rw_cell attempts_max;
    rw_cell dead, late; /* answers RW_DEAD, RW_TIMEOUT */
    rw_cell torn;
    rw_cell stale;     /* older than a write known to have ended */
    rw_cell backwards; /* older than the value read before */
};

struct plan {
    size_t size;
    enum rw_scheme scheme;
    uint32_t readers;
    uint64_t reads; /* of each reader */
    uint64_t seed;
    double seconds; /* at most */
    bool processes, signals, paced;
    uint32_t kills;
};

/* What all processes of a run share. */
struct stage {
    rw_cell stop;
    rw_cell go; /* kill loop: the writer with this number may write */
    rw_cell opened;
    rw_cell took_over, repairs, refused;
    rw_cell writes;
    rw_cell done; /* readers that are */
    struct tally tally[READERS_MAX];
    RW_ALIGN(64) char memory[sizeof(struct rw_head) + VALUE_MAX];
};

/* One random word; the state is any number. */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Reads until `reads` are done or everything is over, and keeps the tally. */
void reader_run(const struct plan *plan, struct stage *stage, uint32_t i);

/* Kills the writer again and again; false if a rule was broken, and says so. */
bool kills_run(const struct plan *plan, struct stage *stage);

#endif
