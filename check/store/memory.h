/*
 * memory.h - the checker's memory: counted, and never more than allowed.
 *
 * A thread that runs out sets `failed` and goes on with nonsense; the explorer
 * checks the flag before it believes anything.  So the tables need no error
 * path, and a search that ran out of memory is incomplete, never wrong.
 *
 * The same flag serves threads.  While several threads expand states (batch.c),
 * blocks that all of them read must stay where they are: the memory is steady,
 * growing fails, and a thread that needs more leaves that state to be expanded
 * later, by one thread.  Each of them has a memory of its own for its lists,
 * with a `home`: what it finds missing is added there, one thread at a time.
 */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check_memory {
    uint64_t used, most, limit; /* bytes; limit 0: what the system gives */
    uint64_t moves;             /* how often a block was made or moved */
    struct check_memory *home;  /* of a thread among several: what they share */
    pthread_mutex_t *lock;      /* of a home: for adding to it */
    bool failed;
    bool steady; /* shared blocks stay where they are */
};

/* A block of `size` bytes with the contents of `old`; all zero if that is
 * NULL.  NULL if there is no memory: then `old` is as it was. */
void *check_grow(struct check_memory *m, void *old, size_t old_size,
                 size_t size);

/* The same for a list that one thread alone knows: it may move at any time. */
void *check_grow_own(struct check_memory *m, void *old, size_t old_size,
                     size_t size);

void check_release(struct check_memory *m, void *old, size_t old_size);

/* NULL, or the rule that the accounts break. */
const char *check_memory_sane(const struct check_memory *m);

/* Room for more than `count` elements in the list at `list`, a pointer to a
 * pointer; false, and `failed`, if there is none. */
bool check_make_room(struct check_memory *m, void *list, uint32_t *room,
                     uint32_t count, size_t size);

/* The next size beyond `room`: growing by an eighth wastes little, and large
 * blocks are moved by the system without copying. */
static inline size_t check_more(size_t room)
{
    return room + room / 8 + 64;
}

/* Something is missing in the tables and will be added: the memory to do that
 * with.  For a thread among several that is its home, and no other thread adds
 * anything until check_leave(). */
static inline struct check_memory *check_enter(struct check_memory *m)
{
    if (!m->home)
        return m;
    pthread_mutex_lock(m->home->lock);
    return m->home;
}

static inline void check_leave(struct check_memory *m)
{
    if (!m->home)
        return;
    m->failed |= m->home->failed;
    m->home->failed = false;
    pthread_mutex_unlock(m->home->lock);
}

#endif
