/*
 * memory.h - the memory of one run, kept for the next.
 *
 * A thread that runs ten thousand small rings allocates once.  Buffers only
 * grow; nothing is freed before the end.  Memory that is handed out is
 * counted, so that bytes per node can be reported.
 */
#ifndef NET_MEMORY_H
#define NET_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* One buffer for each purpose. */
enum net_buffer {
    NET_BUFFER_NODES,
    NET_BUFFER_NAMES,
    NET_BUFFER_HASHES,
    NET_BUFFER_DUE,
    NET_BUFFER_DUE_ABOVE,
    NET_BUFFER_STREAM,
    NET_BUFFER_STREAM_NEXT,
    NET_BUFFER_EXPIRING,
    NET_BUFFER_MAIL,
    NET_BUFFER_QUEUE,
    NET_BUFFER_TIMERS,
    NET_BUFFER_HEAP,
    NET_BUFFER_WAKES,
    NET_BUFFER_GRAPH,
    NET_BUFFER_LINKS,
    NET_BUFFER_PORTS,
    NET_BUFFER_FAULTS,
    NET_BUFFER_CLIENTS,
    NET_BUFFER_BILLS,
    NET_BUFFER_ASKED,
    NET_BUFFER_CELLS,
    NET_BUFFER_BUSY,
    NET_BUFFERS,
};

struct net_memory {
    void *buffer[NET_BUFFERS];
    size_t size[NET_BUFFERS];
    struct net_segment *segments; /* of chunks, see sim/engine/wheel.inc */
    struct net_chunk *spare;      /* chunks that hold nothing now */
    size_t segment_bytes;
};

/* A buffer of at least `size` bytes; its contents are kept if it was large
 * enough, and undefined otherwise.  NULL: no memory. */
void *net_memory_get(struct net_memory *m, enum net_buffer which,
                     uint64_t size);

/* The same, all zero. */
void *net_memory_zero(struct net_memory *m, enum net_buffer which,
                      uint64_t size);

/* Grows a buffer and keeps its contents. */
void *net_memory_grow(struct net_memory *m, enum net_buffer which,
                      uint64_t size);

/* Adds chunks to the spare ones.  -1: no memory. */
int net_memory_more_chunks(struct net_memory *m);

/* Bytes held at present. */
size_t net_memory_bytes(const struct net_memory *m);

void net_memory_free(struct net_memory *m);

/* Holds the longest message, a token with arrays of FC_NODES_MAX;
 * sim/engine/wheel.inc sees to it that it does.  No power of two, because those
 * share cache sets. */
enum { NET_CHUNK_SIZE = 21 * 64 };

/* A packet of records of one list.  `bytes` is malloc'ed memory, written and
 * read as the records of its user. */
struct net_chunk {
    struct net_chunk *next;
    uint32_t count;
    uint32_t unused;
    uint8_t bytes[NET_CHUNK_SIZE - 16] __attribute__((aligned(8)));
};
_Static_assert(sizeof(struct net_chunk) == NET_CHUNK_SIZE, "no padding");

#endif
