/*
 * views.c - threads with a view of the model each: beginning, errands, end (see
 * explore.h, batch.h).
 */
#include <assert.h>
#include <stdlib.h>

#include "check/search/batch.h"
#include "net/sane.h"

enum {
    STATES_EACH = 1024,
    STATES_MAX = 1 << 15,
    SUCCESSORS = 10, /* of a state; if there are more, the batch is smaller */
    CHUNKS_EACH = 16,
};

void check_batch_refresh(struct check_batch *b)
{
    struct check_model *home = &b->search->model;

    if (b->moves == home->memory.moves)
        return;
    b->moves = home->memory.moves;
    for (uint32_t i = 0; i < b->members_count; i++) {
        struct check_model *view = &b->members[i].view;
        struct check_memory own = view->memory;

        *view = *home;
        view->home = home;
        view->memory = own;
        view->tree.memory = &view->memory;
    }
}

void check_batch_limit(struct check_batch *b)
{
    const struct check_memory *home = &b->search->model.memory;
    uint64_t left = home->limit > home->used ? home->limit - home->used : 0;
    uint64_t each = left / b->members_count;

    for (uint32_t i = 0; i < b->members_count; i++) {
        struct check_memory *own = &b->members[i].view.memory;
        uint64_t most = own->used + each;

        /* A limit of 0 would mean no limit; one byte leaves no room either. */
        own->limit = home->limit && !most ? 1 : home->limit ? most : 0;
    }
}

void check_batch_count(struct check_batch *b)
{
    struct check_memory *home = &b->search->model.memory;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < b->members_count; i++)
        bytes += b->members[i].view.memory.used;
    home->used += bytes - b->own_bytes;
    b->own_bytes = bytes;
    if (home->used > home->most)
        home->most = home->used;
    NET_ASSERT_SANE("the memory of the search", check_memory_sane(home));
}

static bool make_room(struct check_batch *b, uint32_t states)
{
    struct check_memory *m = &b->search->model.memory;
    uint32_t members = b->members_count;
    uint32_t each = 1 + states / (members * CHUNKS_EACH);

    b->states_room = states;
    b->chunk_states = each;
    b->block = 64;
    b->found_room = states * SUCCESSORS + members * b->block + 1024;
    b->found = check_grow_own(m, NULL, 0, b->found_room * sizeof *b->found);
    b->states = check_grow_own(m, NULL, 0, states * sizeof *b->states);
    b->chunks = check_grow_own(m, NULL, 0, states * sizeof *b->chunks);
    b->members = check_grow_own(m, NULL, 0, members * sizeof *b->members);
    for (uint32_t i = 0; b->members && i < members; i++)
        b->members[i].view.memory.home = m;
    return b->found && b->states && b->chunks && b->members;
}

bool check_batch_open(struct check_search *s)
{
    struct check_batch *b = calloc(1, sizeof *b);
    uint32_t states;

    s->batch = b;
    s->alone_until = UINT32_MAX; /* unless everything goes well */
    if (!b)
        return false;
    b->search = s;
    pthread_mutex_init(&b->lock, NULL);
    s->model.memory.lock = &b->lock;
    b->barrier = check_barrier_open(s->setup->threads);
    if (!b->barrier)
        return false;
    b->members_count = check_barrier_count(b->barrier);
    states = b->members_count * STATES_EACH;
    if (states > STATES_MAX)
        states = STATES_MAX;
    if (s->setup->batch)
        states = s->setup->batch;
    b->successors = SUCCESSORS / 2;
    b->moves = UINT64_MAX;
    if (make_room(b, states))
        s->alone_until = 0;
    s->model.memory.failed = false;
    return s->alone_until == 0;
}

struct errand {
    struct check_batch *batch;
    void (*work)(void *whom, uint32_t member, struct check_model *view,
                 struct check_nexts *nexts);
    void *whom;
};

static void run_errand(void *whom, uint32_t index)
{
    struct errand *e = whom;
    struct check_member *m = &e->batch->members[index];

    e->work(e->whom, index, &m->view, &m->nexts);
}

void check_together(struct check_search *s,
                    void (*work)(void *whom, uint32_t member,
                                 struct check_model *view,
                                 struct check_nexts *nexts),
                    void *whom)
{
    struct errand errand = {s->batch, work, whom};

    if (!s->batch || !s->batch->members) {
        work(whom, 0, &s->model, &s->nexts);
        return;
    }
    check_batch_limit(s->batch);
    check_batch_refresh(s->batch);
    s->model.memory.steady = true;
    check_barrier_run(s->batch->barrier, run_errand, &errand);
    s->model.memory.steady = false;
    check_batch_count(s->batch);
}

uint32_t check_batch_threads(const struct check_search *s)
{
    return s->batch && s->batch->barrier
               ? check_barrier_count(s->batch->barrier)
               : 1;
}

double check_batch_seconds(const struct check_search *s)
{
    return s->batch && s->batch->barrier
               ? check_barrier_seconds(s->batch->barrier)
               : 0;
}

void check_batch_close(struct check_search *s)
{
    struct check_batch *b = s->batch;
    struct check_memory *m = &s->model.memory;

    if (!b)
        return;
    check_barrier_close(b->barrier);
    for (uint32_t i = 0; i < b->members_count && b->members; i++) {
        struct check_member *one = &b->members[i];

        check_release(&one->view.memory, one->nexts.list,
                      one->nexts.room * sizeof *one->nexts.list);
        assert(one->view.memory.used == 0);
    }
    assert(b->own_bytes <= m->used);
    m->used -= b->own_bytes;
    check_release(m, b->members, b->members_count * sizeof *b->members);
    check_release(m, b->found, b->found_room * sizeof *b->found);
    check_release(m, b->states, b->states_room * sizeof *b->states);
    check_release(m, b->chunks, b->states_room * sizeof *b->chunks);
    m->lock = NULL;
    pthread_mutex_destroy(&b->lock);
    free(b);
    s->batch = NULL;
}
