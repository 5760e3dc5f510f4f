/*
 * memory.c - see memory.h.
 */
#include "net/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct net_segment {
    struct net_segment *next;
    size_t chunks;
    struct net_chunk chunk[];
};

/* Where pointers have 32 bits, more can be asked for than there is. */
static bool is_too_much(uint64_t size)
{
    return size > SIZE_MAX;
}

void *net_memory_get(struct net_memory *m, enum net_buffer which, uint64_t size)
{
    if (is_too_much(size))
        return NULL;
    if (size > m->size[which]) {
        free(m->buffer[which]);
        m->buffer[which] = malloc((size_t)size);
        m->size[which] = m->buffer[which] ? (size_t)size : 0;
    }
    return m->buffer[which];
}

void *net_memory_zero(struct net_memory *m, enum net_buffer which,
                      uint64_t size)
{
    if (is_too_much(size))
        return NULL;
    if (size > m->size[which]) {
        /* Fresh pages are zero already: calloc need not touch them. */
        free(m->buffer[which]);
        m->buffer[which] = calloc(1, (size_t)size);
        m->size[which] = m->buffer[which] ? (size_t)size : 0;
    } else if (m->buffer[which]) {
        memset(m->buffer[which], 0, (size_t)size);
    }
    return m->buffer[which];
}

void *net_memory_grow(struct net_memory *m, enum net_buffer which,
                      uint64_t size)
{
    void *grown;

    if (is_too_much(size))
        return NULL;
    if (size <= m->size[which])
        return m->buffer[which];
    grown = realloc(m->buffer[which], (size_t)size);
    if (!grown)
        return NULL;
    m->buffer[which] = grown;
    m->size[which] = (size_t)size;
    return grown;
}

int net_memory_more_chunks(struct net_memory *m)
{
    /* Small at first, for small rings; then an eighth more each time. */
    size_t chunks = 16 + m->segment_bytes / NET_CHUNK_SIZE / 8;
    size_t size = sizeof(struct net_segment) + chunks * NET_CHUNK_SIZE;
    struct net_segment *s = malloc(size);

    if (!s)
        return -1;
    s->next = m->segments;
    s->chunks = chunks;
    m->segments = s;
    m->segment_bytes += size;
    for (size_t i = chunks; i-- > 0;) {
        s->chunk[i].next = m->spare;
        m->spare = &s->chunk[i];
    }
    return 0;
}

size_t net_memory_bytes(const struct net_memory *m)
{
    size_t sum = m->segment_bytes;

    for (int i = 0; i < NET_BUFFERS; i++)
        sum += m->size[i];
    return sum;
}

void net_memory_free(struct net_memory *m)
{
    while (m->segments) {
        struct net_segment *next = m->segments->next;

        free(m->segments);
        m->segments = next;
    }
    for (int i = 0; i < NET_BUFFERS; i++)
        free(m->buffer[i]);
    memset(m, 0, sizeof *m);
}
