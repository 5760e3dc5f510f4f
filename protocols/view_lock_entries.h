/*
 * view_lock_entries.h - the part of view_lock.c that finds a lock by its number
 * and makes room for it.
 */

/* Nothing in it: it need not be there. */
static inline bool is_void(const struct view_lock_one *lock)
{
    return lock->role == MUTEX_IDLE && !lock->wants &&
           !(lock->cache | lock->request | lock->clear);
}

FC_API const struct view_lock_one *view_lock_find(const struct view_lock *s,
                                                  uint64_t id)
{
    for (uint32_t i = 0; i < s->used; i++)
        if (s->lock[i].id == id)
            return &s->lock[i];
    return NULL;
}

static inline struct view_lock_one *find(struct turn *t, uint64_t id)
{
    const struct view_lock_one *found = view_lock_find(t->s, id);

    return found ? &t->s->lock[found - t->s->lock] : NULL;
}

/* The entry of a lock, made if it is not there: of one that is void, or of one
 * that is idle and keeps consents, which then must be asked for again.  NULL if
 * all are in use. */
static inline struct view_lock_one *entry(struct turn *t, uint64_t id)
{
    struct view_lock *s = t->s;
    struct view_lock_one *lock = find(t, id), *idle = NULL;

    if (lock)
        return lock;
    for (uint32_t i = 0; i < s->used && !(idle && is_void(idle)); i++) {
        lock = &s->lock[i];
        if (is_void(lock) || (!idle && lock->role == MUTEX_IDLE &&
                              !lock->wants && !(lock->request | lock->clear)))
            idle = lock;
    }
    if (!(idle && is_void(idle)) && s->used < VIEW_LOCK_LOCKS)
        idle = &s->lock[s->used++];
    if (idle)
        *idle = (struct view_lock_one){.id = id};
    return idle;
}

/* Entries at the end that are void are no longer looked at. */
static inline void forget_void(struct view_lock *s)
{
    while (s->used > 1 && is_void(&s->lock[s->used - 1]))
        s->lock[--s->used] = (struct view_lock_one){0};
}
