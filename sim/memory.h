/*
 * memory.h - the memory of one run, kept for the next.
 *
 * A thread that runs ten thousand small rings allocates once.  Buffers only
 * grow; nothing is freed before the end.  What is handed out is counted, so
 * that bytes per node can be reported.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* One buffer for each purpose. */
enum sim_buffer {
    SIM_BUFFER_NODES,
    SIM_BUFFER_NAMES,
    SIM_BUFFER_DUE,
    SIM_BUFFER_INBOX,
    SIM_BUFFER_LIST,
    SIM_BUFFER_SOON,
    SIM_BUFFER_SOON_NEXT,
    SIM_BUFFER_MAIL,
    SIM_BUFFER_QUEUE,
    SIM_BUFFER_TIMERS,
    SIM_BUFFER_HEAP,
    SIM_BUFFER_WAKES,
    SIM_BUFFER_GRAPH,
    SIM_BUFFER_LINKS,
    SIM_BUFFER_PORTS,
    SIM_BUFFER_FAULTS,
    SIM_BUFFER_CLIENTS,
    SIM_BUFFER_CELLS,
    SIM_BUFFERS,
};

struct sim_memory {
    void *buffer[SIM_BUFFERS];
    size_t size[SIM_BUFFERS];
    struct sim_segment *segments; /* of chunks, see wheel.h */
    struct sim_chunk *spare;      /* chunks that hold nothing now */
    size_t segment_bytes;
};

/* A buffer of at least `size` bytes; its contents are kept if it was large
 * enough, and undefined otherwise.  NULL: no memory. */
void *sim_memory_get(struct sim_memory *m, enum sim_buffer which, size_t size);

/* The same, all zero. */
void *sim_memory_zero(struct sim_memory *m, enum sim_buffer which, size_t size);

/* Grows a buffer and keeps its contents. */
void *sim_memory_grow(struct sim_memory *m, enum sim_buffer which, size_t size);

/* Adds chunks to the spare ones.  -1: no memory. */
int sim_memory_more_chunks(struct sim_memory *m);

/* Bytes held at present. */
size_t sim_memory_bytes(const struct sim_memory *m);

void sim_memory_free(struct sim_memory *m);

/* Holds the longest message, a token with arrays of FC_NODES_MAX; wheel.h sees
 * to it that it does.  No power of two, for those share cache sets. */
enum { SIM_CHUNK_SIZE = 21 * 64 };

/* A packet of records of one list.  `bytes` is malloc'ed memory, written and
 * read as the records of whoever uses it. */
struct sim_chunk {
    struct sim_chunk *next;
    uint32_t count;
    uint32_t unused;
    _Alignas(8) uint8_t bytes[SIM_CHUNK_SIZE - 16];
};
_Static_assert(sizeof(struct sim_chunk) == SIM_CHUNK_SIZE, "no padding");

#endif
