/*
 * course.c - see course.h.
 *
 * The run itself, its buffers and the contents of the queue are copied as they
 * are: chunks of the queue by their records, because of all the slots of the
 * wheel few have any.  Buffers that have grown since a snapshot was taken stay
 * where they are; nothing that a snapshot holds points into them.
 */
#include "sim/course.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/engine/wheel.h"
#include "sim/tally.h"
#include "sim/typed.h"
#include "trace/listen.h"

struct sim_course {
    const struct sim_pieces *pieces;
    struct sim_job job;
    struct net_memory memory; /* if the job has none */
    struct sim_result result;
    enum sim_status status; /* SIM_PAUSED: it can go on */
    void *run;
};

struct sim_saved {
    const struct sim_course *of;
    uint64_t rows;
    size_t size; /* of the bytes */
    unsigned char bytes[];
};

struct sim_hash {
    XXH64_state_t state;
};

struct sim_course *sim_course_open(const struct sim_setup *setup,
                                   const struct sim_job *job)
{
    struct sim_course *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->pieces = sim_engines(setup)->pieces;
    c->job = *job;
    if (!c->job.memory)
        c->job.memory = &c->memory;
    c->status = SIM_PAUSED;
    c->run = calloc(1, c->pieces->run_size);
    if (c->run && c->pieces->begin(c->run, setup, &c->job, &c->result))
        return c;
    sim_course_close(c);
    return NULL;
}

void sim_course_close(struct sim_course *c)
{
    if (!c)
        return;
    if (c->run)
        c->pieces->drop(c->run);
    free(c->run);
    net_memory_free(&c->memory);
    free(c);
}

enum sim_status sim_course_go(struct sim_course *c, uint64_t lines)
{
    if (c->status == SIM_PAUSED && lines > 0)
        c->status = c->pieces->go(c->run, lines);
    return c->status;
}

const struct sim_result *sim_course_result(const struct sim_course *c)
{
    return &c->result;
}

static struct sim_insides insides(const struct sim_course *c)
{
    struct sim_insides in;

    c->pieces->insides(c->run, &in);
    return in;
}

uint64_t sim_course_tick(const struct sim_course *c)
{
    return insides(c).tick;
}

uint64_t sim_course_lines(const struct sim_course *c)
{
    return insides(c).rows;
}

const void *sim_course_state(const struct sim_course *c, uint32_t node)
{
    return c->pieces->state(c->run, node);
}

void sim_course_view(const struct sim_course *c, uint32_t node,
                     struct fc_shown *out)
{
    c->pieces->view(c->run, node, out);
}

/* ---- The queue ----------------------------------------------------------- */

/* The rest of the list that is being popped has no place among the others. */
#define POPPED UINT32_MAX

/* What comes before the records of a list in a snapshot. */
struct list_head {
    uint32_t list; /* its index, or POPPED */
    uint32_t records;
};

/* The next list that is not empty, from index `from` on, or POPPED. */
static uint32_t next_list(const struct sim_queue *q, uint32_t from)
{
    for (uint32_t i = from; i < WHEEL_LEVELS * WHEEL_SLOTS * q->classes; i++) {
        uint32_t slot = i / q->classes;

        if (q->set[slot / 64] == 0)
            i = (slot / 64 + 1) * 64 * q->classes - 1; /* the last of these */
        else if (q->set[slot / 64] >> slot % 64 & 1 && q->lists[i].head)
            return i;
    }
    return POPPED;
}

static bool is_near(const struct sim_queue *q, uint32_t list)
{
    return list == POPPED || list < WHEEL_SLOTS * q->classes;
}

static size_t record_size(const struct sim_queue *q, uint32_t list)
{
    return is_near(q, list) ? q->near_size : q->far_size;
}

static void release(struct sim_queue *q, struct net_chunk *chunk)
{
    while (chunk) {
        struct net_chunk *next = chunk->next;

        chunk->next = q->memory->spare;
        q->memory->spare = chunk;
        chunk = next;
    }
}

static void empty_queue(struct sim_queue *q)
{
    for (uint32_t i = next_list(q, 0); i != POPPED; i = next_list(q, i + 1)) {
        release(q, q->lists[i].head);
        q->lists[i] = (struct wheel_list){NULL, NULL};
    }
    release(q, *q->chunk);
    *q->chunk = NULL;
}

/* Writes `count` records into fresh chunks.  The list is empty: no memory. */
static struct wheel_list fill_list(struct sim_queue *q,
                                   const unsigned char *records, uint32_t count,
                                   size_t size)
{
    uint32_t per_chunk = (uint32_t)(sizeof q->memory->spare->bytes / size);
    struct wheel_list list = {NULL, NULL};

    while (count > 0) {
        uint32_t some = count < per_chunk ? count : per_chunk;
        struct net_chunk *chunk;

        if (!q->memory->spare && net_memory_more_chunks(q->memory) != 0) {
            release(q, list.head);
            return (struct wheel_list){NULL, NULL};
        }
        chunk = q->memory->spare;
        q->memory->spare = chunk->next;
        memcpy(chunk->bytes, records, some * size);
        chunk->count = some;
        chunk->next = NULL;
        *(list.tail ? &list.tail->next : &list.head) = chunk;
        list.tail = chunk;
        records += some * size;
        count -= some;
    }
    return list;
}

/* ---- Saving -------------------------------------------------------------- */

/* Counts bytes, and writes them if there is a place for them. */
struct pen {
    unsigned char *at;
    size_t size;
};

static void put(struct pen *p, const void *bytes, size_t size)
{
    if (p->at)
        memcpy(p->at + p->size, bytes, size);
    p->size += size;
}

static void put_list(struct pen *p, uint32_t list,
                     const struct net_chunk *chunk, uint32_t from, size_t size)
{
    struct list_head head = {.list = list};

    for (const struct net_chunk *c = chunk; c; c = c->next)
        head.records += c->count;
    head.records -= from;
    put(p, &head, sizeof head);
    for (; chunk; chunk = chunk->next, from = 0)
        put(p, chunk->bytes + from * size, (chunk->count - from) * size);
}

static void put_queue(struct pen *p, const struct sim_queue *q)
{
    put(p, q->now, sizeof *q->now);
    put(p, q->count, sizeof *q->count);
    put(p, q->rank, sizeof *q->rank);
    put(p, q->set, WHEEL_LEVELS * WHEEL_WORDS * sizeof *q->set);
    for (uint32_t i = next_list(q, 0); i != POPPED; i = next_list(q, i + 1))
        put_list(p, i, q->lists[i].head, 0, record_size(q, i));
    put_list(p, POPPED, *q->chunk, *q->chunk ? *q->index : 0, q->near_size);
}

static void put_all(struct pen *p, const struct sim_course *c,
                    const struct sim_insides *in)
{
    put(p, &c->result, sizeof c->result);
    if (c->job.tally)
        put(p, c->job.tally, sizeof *c->job.tally);
    for (uint32_t i = 0; i < in->parts; i++)
        put(p, in->part[i].at, in->part[i].size);
    put_queue(p, &in->queue);
}

static bool can_go_back(const struct sim_course *c)
{
    return !c->job.records && (!c->job.trace || c->job.trace->callbacks->cut);
}

struct sim_saved *sim_course_save(struct sim_course *c)
{
    struct sim_insides in = insides(c);
    struct sim_saved *saved;
    struct pen pen = {NULL, 0};

    if (c->status != SIM_PAUSED || !can_go_back(c))
        return NULL;
    put_all(&pen, c, &in);
    saved = malloc(sizeof *saved + pen.size);
    if (!saved)
        return NULL;
    *saved = (struct sim_saved){.of = c, .rows = in.rows, .size = pen.size};
    pen = (struct pen){saved->bytes, 0};
    put_all(&pen, c, &in);
    return saved;
}

void sim_saved_free(struct sim_saved *saved)
{
    free(saved);
}

size_t sim_saved_size(const struct sim_saved *saved)
{
    return sizeof *saved + saved->size;
}

/* ---- Loading ------------------------------------------------------------- */

static void take(const unsigned char **from, void *to, size_t size)
{
    if (size) /* `to` may be NULL otherwise */
        memcpy(to, *from, size);
    *from += size;
}

/* False: no memory. */
static bool take_queue(const unsigned char **from, struct sim_queue *q)
{
    struct list_head head;

    empty_queue(q);
    take(from, q->now, sizeof *q->now);
    take(from, q->count, sizeof *q->count);
    take(from, q->rank, sizeof *q->rank);
    take(from, q->set, WHEEL_LEVELS * WHEEL_WORDS * sizeof *q->set);
    do {
        size_t size;
        struct wheel_list list;

        take(from, &head, sizeof head);
        size = record_size(q, head.list);
        list = fill_list(q, *from, head.records, size);
        if (head.records && !list.head)
            return false;
        *from += head.records * size;
        if (head.list != POPPED)
            q->lists[head.list] = list;
        else
            *q->chunk = list.head;
    } while (head.list != POPPED);
    *q->index = 0;
    return true;
}

bool sim_course_load(struct sim_course *c, const struct sim_saved *saved)
{
    const unsigned char *from = saved->bytes;
    struct sim_insides in;

    assert(saved->of == c);
    /* A listener can forget lines, and must hear those it does not know. */
    if (c->job.trace && sim_course_lines(c) < saved->rows)
        return sim_course_go(c, saved->rows - sim_course_lines(c)) ==
               SIM_PAUSED;
    take(&from, &c->result, sizeof c->result);
    if (c->job.tally)
        take(&from, c->job.tally, sizeof *c->job.tally);
    c->pieces->restore(c->run, from);
    from += c->pieces->run_size;
    in = insides(c);
    for (uint32_t i = 1; i < in.parts; i++)
        take(&from, in.part[i].at, in.part[i].size);
    c->status = SIM_NO_MEMORY;
    if (!take_queue(&from, &in.queue))
        return false;
    assert(from == saved->bytes + saved->size);
    if (c->job.trace)
        c->job.trace->callbacks->cut(c->job.trace, (uint32_t)saved->rows);
    c->status = SIM_PAUSED;
    return true;
}

/* ---- The hash ------------------------------------------------------------ */

/* Not inlined into sim_hash_number(): gcc would warn of what xxHash does with
 * more than 8 bytes. */
__attribute__((noinline)) void sim_hash_bytes(struct sim_hash *h,
                                              const void *bytes, size_t size)
{
    XXH64_update(&h->state, bytes, size);
}

void sim_hash_number(struct sim_hash *h, uint64_t number)
{
    sim_hash_bytes(h, &number, sizeof number);
}

/* A record in a coarse slot has its tick before it. */
static void hash_list(const struct sim_course *c, const struct sim_queue *q,
                      uint32_t list, const struct net_chunk *chunk,
                      uint32_t from, struct sim_hash *h)
{
    size_t size = record_size(q, list);
    uint32_t rank = list == POPPED ? *q->rank : list % q->classes;

    sim_hash_number(h, list);
    for (; chunk; chunk = chunk->next, from = 0)
        for (uint32_t i = from; i < chunk->count; i++) {
            const unsigned char *at = chunk->bytes + i * size;

            if (!is_near(q, list)) {
                sim_hash_bytes(h, at, sizeof(uint64_t));
                at += sizeof(uint64_t);
            }
            c->pieces->hash_record(c->run, rank, at, h);
        }
}

uint64_t sim_course_hash(const struct sim_course *c)
{
    struct sim_insides in = insides(c);
    const struct sim_queue *q = &in.queue;
    struct sim_hash h;

    XXH64_reset(&h.state, 0);
    c->pieces->hash(c->run, &h);
    sim_hash_number(&h, *q->now);
    hash_list(c, q, POPPED, *q->chunk, *q->chunk ? *q->index : 0, &h);
    for (uint32_t i = next_list(q, 0); i != POPPED; i = next_list(q, i + 1))
        hash_list(c, q, i, q->lists[i].head, 0, &h);
    return XXH64_digest(&h.state);
}
