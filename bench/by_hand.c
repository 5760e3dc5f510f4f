/*
 * by_hand.c - the opponents: Chang and Roberts' election on a synchronous ring
 * as somebody would write it who wants that and nothing else.  No line of ours
 * is in here, and nothing is judged or counted but events.
 *
 * All start at tick 0, a message takes a tick, the least name wins and tells
 * all, as in `fulcrum sim chang-roberts`.  Names are given; each returns the
 * number of starts and of messages read, or 0: no memory.
 */
#include "bench/by_hand.h"

#include <stdbool.h>
#include <stdlib.h>

struct node {
    uint32_t name, least;
};

/* The word is twice a name, and one more if that node is elected. */
struct letter {
    uint32_t to, word;
};

/* The word that a node sends on when it has read one, or 0: none. */
static inline uint32_t reads(struct node *v, uint32_t word, uint32_t *leader)
{
    uint32_t name = word / 2;

    if (name > v->name && word % 2 == 0)
        return 0;
    if (name < v->least)
        v->least = name;
    if (name != v->name)
        return word;
    *leader = name;
    return word % 2 ? 0 : word + 1;
}

static inline struct letter to_next(uint32_t from, uint32_t n, uint32_t word)
{
    return (struct letter){from + 1 == n ? 0 : from + 1, word};
}

static struct node *make_ring(const uint32_t *names, uint32_t n)
{
    struct node *ring = malloc(n * sizeof *ring);

    for (uint32_t i = 0; ring && i < n; i++)
        ring[i] = (struct node){names[i], names[i]};
    return ring;
}

/* ---- A list of letters, read and written tick by tick ------------------- */

uint64_t by_hand_loop(const uint32_t *names, uint32_t n, uint32_t *leader)
{
    enum { AHEAD = 16 };
    struct node *ring = make_ring(names, n);
    struct letter *list = malloc(n * sizeof *list);
    uint64_t events = n;

    if (!ring || !list) {
        free(ring);
        free(list);
        return 0;
    }
    for (uint32_t v = n; v-- > 0;)
        list[n - 1 - v] = to_next(v, n, 2 * names[v]);
    for (uint32_t count = n; count > 0;) {
        uint32_t sent = 0;

        for (uint32_t i = 0; i < count; i++) {
            struct letter l = list[i];
            uint32_t word;

            if (i + AHEAD < count)
                __builtin_prefetch(&ring[list[i + AHEAD].to], 1);
            word = reads(&ring[l.to], l.word, leader);
            if (word)
                list[sent++] = to_next(l.to, n, word);
        }
        events += count;
        count = sent;
    }
    free(ring);
    free(list);
    return events;
}

/* ---- A binary heap ------------------------------------------------------ */

struct event {
    uint64_t tick, number;
    struct letter letter;
};

static inline bool before(const struct event *a, const struct event *b)
{
    return a->tick != b->tick ? a->tick < b->tick : a->number < b->number;
}

/* There is always room: no node has two letters under way. */
static inline void push(struct event *heap, uint32_t *count, struct event e)
{
    uint32_t i = (*count)++;

    for (; i && before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = e;
}

static inline struct event pop(struct event *heap, uint32_t *count)
{
    struct event top = heap[0], last = heap[--*count];
    uint32_t i = 0, child;

    for (; (child = 2 * i + 1) < *count; i = child) {
        if (child + 1 < *count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

uint64_t by_hand_heap(const uint32_t *names, uint32_t n, uint32_t *leader)
{
    struct node *ring = make_ring(names, n);
    struct event *heap = malloc((n + 1) * sizeof *heap);
    uint64_t number = 0;
    uint32_t count = 0;

    if (!ring || !heap) {
        free(ring);
        free(heap);
        return 0;
    }
    for (uint32_t v = 0; v < n; v++)
        push(heap, &count,
             (struct event){1, number++, to_next(v, n, 2 * names[v])});
    while (count) {
        struct event e = pop(heap, &count);
        struct letter l = e.letter;
        uint32_t word = reads(&ring[l.to], l.word, leader);

        if (word)
            push(heap, &count,
                 (struct event){e.tick + 1, number++, to_next(l.to, n, word)});
    }
    free(ring);
    free(heap);
    return n + number; /* all that was sent was read */
}

/* ---- Buckets, one for each tick of the longest delay -------------------- */

enum { CHUNK = 511 };

struct chunk {
    struct chunk *next;
    uint32_t count;
    struct letter letter[CHUNK];
};

struct wheel {
    struct chunk *bucket[2]; /* a delay is one tick */
    struct chunk *free;
    uint64_t sent;
    bool failed;
};

static inline void put(struct wheel *w, uint32_t bucket, struct letter l)
{
    struct chunk *c = w->bucket[bucket];

    if (!c || c->count == CHUNK) {
        struct chunk *more = w->free ? w->free : malloc(sizeof *more);

        if (!more) {
            w->failed = true;
            return;
        }
        if (w->free)
            w->free = w->free->next;
        more->next = c;
        more->count = 0;
        w->bucket[bucket] = c = more;
    }
    c->letter[c->count++] = l;
    w->sent++;
}

/* Reads all letters of a chunk. */
static void read_chunk(struct wheel *w, struct node *ring, uint32_t n,
                       uint32_t bucket, const struct chunk *c, uint32_t *leader)
{
    enum { AHEAD = 12 };

    for (uint32_t i = 0; i < c->count; i++) {
        struct letter l = c->letter[i];
        uint32_t word;

        if (i + AHEAD < c->count)
            __builtin_prefetch(&ring[c->letter[i + AHEAD].to], 1);
        word = reads(&ring[l.to], l.word, leader);
        if (word)
            put(w, bucket, to_next(l.to, n, word));
    }
}

uint64_t by_hand_wheel(const uint32_t *names, uint32_t n, uint32_t *leader)
{
    struct node *ring = make_ring(names, n);
    struct wheel w = {.failed = !ring};

    for (uint32_t v = 0; v < n && !w.failed; v++)
        put(&w, 1, to_next(v, n, 2 * names[v]));
    for (uint32_t now = 1; w.bucket[now] && !w.failed; now ^= 1) {
        struct chunk *c = w.bucket[now];

        w.bucket[now] = NULL;
        while (c) {
            struct chunk *next = c->next;

            read_chunk(&w, ring, n, now ^ 1, c, leader);
            c->next = w.free;
            w.free = c;
            c = next;
        }
    }
    while (w.free) {
        struct chunk *next = w.free->next;

        free(w.free);
        w.free = next;
    }
    free(ring);
    return w.failed ? 0 : n + w.sent;
}
