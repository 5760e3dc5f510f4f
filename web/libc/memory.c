/*
 * memory.c - malloc() and its friends.
 *
 * Blocks stand side by side, each with its size and the size of the one before
 * it, so that a block that is freed joins its free neighbours.  Free blocks are
 * in lists by size, four lists to an octave; the first that fits is taken.  The
 * last block of all grows in place, and so does any whose neighbour is free:
 * tables that double are not copied more often than they must.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 65536, ALIGN = 16, LISTS = 128 };

/* Before the bytes of a block. */
struct block {
    uint32_t size;   /* of the whole block, head included; bit 0: it is free */
    uint32_t before; /* of the one before it; 0: there is none */
    uint64_t unused; /* bytes are aligned for everything */
};
_Static_assert(sizeof(struct block) == ALIGN, "bytes behind it are aligned");

/* In the bytes of a free block. */
struct links {
    struct block *next, *previous;
};

static struct block *lists[LISTS];
static struct block *last_block; /* block of all */
static uintptr_t first_byte, heap_end;

#ifdef __wasm__
extern unsigned char __heap_base;

static bool grow_heap(size_t bytes)
{
    if (!first_byte)
        first_byte = heap_end =
            ((uintptr_t)&__heap_base + ALIGN - 1) / ALIGN * ALIGN;
    while (heap_end + bytes > __builtin_wasm_memory_size(0) * (size_t)PAGE) {
        size_t missing =
            heap_end + bytes - __builtin_wasm_memory_size(0) * (size_t)PAGE;

        if (heap_end + bytes < heap_end ||
            __builtin_wasm_memory_grow(0, (missing + PAGE - 1) / PAGE) ==
                SIZE_MAX)
            return false;
    }
    heap_end += bytes;
    return true;
}
#else
/* Elsewhere, for tests: a heap of fixed size. */
static _Alignas(ALIGN) unsigned char arena[1 << 24];

static bool grow_heap(size_t bytes)
{
    if (!first_byte)
        first_byte = heap_end = (uintptr_t)arena;
    if (bytes > sizeof arena - (heap_end - first_byte))
        return false;
    heap_end += bytes;
    return true;
}
#endif

static inline bool is_free(const struct block *b)
{
    return b->size & 1;
}

static inline uint32_t size_of(const struct block *b)
{
    return b->size & ~1u;
}

static inline struct block *after(const struct block *b)
{
    return (struct block *)(void *)((char *)b + size_of(b));
}

static inline struct links *links_of(struct block *b)
{
    return (struct links *)(void *)(b + 1);
}

/* The list of blocks of this size: the octave, and its quarter. */
static uint32_t list_of(uint32_t size)
{
    uint32_t octave = 31 - (uint32_t)__builtin_clz(size);

    return octave * 4 + (size >> (octave - 2) & 3);
}

static void put_in_list(struct block *b)
{
    struct block **list = &lists[list_of(size_of(b))];

    b->size |= 1;
    links_of(b)->next = *list;
    links_of(b)->previous = NULL;
    if (*list)
        links_of(*list)->previous = b;
    *list = b;
}

static void take_from_list(struct block *b)
{
    struct links *l = links_of(b);

    if (l->previous)
        links_of(l->previous)->next = l->next;
    else
        lists[list_of(size_of(b))] = l->next;
    if (l->next)
        links_of(l->next)->previous = l->previous;
    b->size &= ~1u;
}

static void set_size(struct block *b, uint32_t size)
{
    b->size = size | (b->size & 1);
    if (b == last_block || (uintptr_t)after(b) == heap_end)
        last_block = b;
    else
        after(b)->before = size;
}

/* Makes a block of the end of a used one, if there is enough of it. */
static void split(struct block *b, uint32_t size)
{
    uint32_t rest = size_of(b) - size;
    struct block *r;
    bool was_last = b == last_block;

    if (rest < sizeof *r + sizeof(struct links))
        return;
    b->size = size;
    r = after(b);
    r->size = rest;
    r->before = size;
    if (was_last)
        last_block = r;
    else
        after(r)->before = rest;
    free(r + 1);
}

static struct block *find(uint32_t size)
{
    for (uint32_t i = list_of(size); i < LISTS; i++)
        for (struct block *b = lists[i]; b; b = links_of(b)->next)
            if (size_of(b) >= size) {
                take_from_list(b);
                return b;
            }
    return NULL;
}

static struct block *extend(uint32_t size)
{
    uint32_t before = last_block ? size_of(last_block) : 0;
    struct block *b;

    if (!grow_heap(size))
        return NULL;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): memory is a number here */
    b = (struct block *)(heap_end - size);
    b->size = size;
    b->before = before;
    last_block = b;
    return b;
}

/* The size of a block that holds `bytes` bytes; 0: too many. */
static uint32_t block_for(size_t bytes)
{
    if (bytes > 0x7ffffff0u - sizeof(struct block))
        return 0;
    if (bytes < sizeof(struct links))
        bytes = sizeof(struct links);
    return (uint32_t)((bytes + sizeof(struct block) + ALIGN - 1) / ALIGN *
                      ALIGN);
}

void *malloc(size_t bytes)
{
    uint32_t size = block_for(bytes);
    struct block *b = size ? find(size) : NULL;

    if (b)
        split(b, size);
    else if (size)
        b = extend(size);
    return b ? b + 1 : NULL;
}

/* Takes the block after it in, if it is free. */
static void join_next(struct block *b)
{
    struct block *next = after(b);

    if (b == last_block || !is_free(next))
        return;
    take_from_list(next);
    if (next == last_block)
        last_block = b;
    set_size(b, size_of(b) + size_of(next));
}

void free(void *p)
{
    struct block *b = p, *previous;

    if (!p)
        return;
    b--;
    join_next(b);
    previous = (struct block *)(void *)((char *)b - b->before);
    if (b->before && is_free(previous)) {
        take_from_list(previous);
        if (b == last_block)
            last_block = previous;
        set_size(previous, size_of(previous) + size_of(b));
        b = previous;
    }
    put_in_list(b);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    void *p;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    p = malloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *realloc(void *old, size_t bytes)
{
    uint32_t size = block_for(bytes);
    struct block *b = old;
    void *p;

    if (!old)
        return malloc(bytes);
    b--;
    if (!size)
        return NULL;
    if (size_of(b) < size)
        join_next(b);
    if (size_of(b) < size && b == last_block && grow_heap(size - size_of(b)))
        set_size(b, size);
    if (size_of(b) >= size) {
        split(b, size);
        return old;
    }
    p = malloc(bytes);
    if (!p)
        return NULL;
    memcpy(p, old, size_of(b) - sizeof *b);
    free(old);
    return p;
}
