/*
 * fence.h - a resource that checks tokens: a store of files that refuses a
 * former holder.
 *
 * For every name it keeps a mark, the highest token that it has seen.  A lower
 * one is refused: it belongs to a holder that was frozen, or cut off, while
 * somebody else took over.  An equal one is the same holder again.
 *
 *     STORE/names/NAME/NUMBER   an entry: a mark and the content under it
 *
 * The entry with the highest number is the one that counts.  A writer appends
 * the next number, by a call that fails if another has: so a decision and the
 * write that follows from it are one step, and no writer waits for another.  A
 * writer that is stopped in the middle, or whose disk is slow, is passed by
 * others; when it goes on it finds its number taken, looks again, and is
 * refused.
 *
 * A mark and its content are one file, which is on disk before it has its name:
 * a crash at any point leaves the old content or the new one, each under its
 * mark.  How that is done is told in fence_chain.c.
 */
#ifndef LIVE_FENCE_H
#define LIVE_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/why.h"

enum {
    LIVE_FENCE_NAME_MAX = 128, /* bytes, without the zero at the end */
    LIVE_FENCE_SIZE_MAX = 16 << 20,
};

/* Tokens are positive and fit a signed number of 64 bits. */
#define LIVE_FENCE_TOKEN_MAX ((uint64_t)INT64_MAX)

/* Every answer except LIVE_FENCE_DONE comes with a sentence. */
enum live_fence_answer {
    LIVE_FENCE_DONE,
    LIVE_FENCE_LOW,     /* the token is lower than the mark */
    LIVE_FENCE_NOTHING, /* there is nothing under this name */
    LIVE_FENCE_BAD,     /* an invalid name, token or size */
    LIVE_FENCE_DAMAGED, /* the contents were not written by a store */
    LIVE_FENCE_REFUSED, /* by the system */
};

struct live_fence {
    int folder, names;
};

/* Makes a store, in a folder that is not there or empty.  Once: a store that
 * was lost and created again has forgotten the tokens it saw. */
enum live_fence_answer live_fence_create(const char *path,
                                         struct net_why *error);

/* Opens a store; nothing is open unless the answer is LIVE_FENCE_DONE. */
enum live_fence_answer live_fence_open(struct live_fence *fence,
                                       const char *path, struct net_why *error);
void live_fence_close(struct live_fence *fence);

/* Writes a content under a token.  If the token is low nothing changes, and
 * *mark is the highest seen.  If the system refuses, the content may be the old
 * one or the new one, whole. */
enum live_fence_answer live_fence_put(struct live_fence *fence,
                                      const char *name, uint64_t token,
                                      const void *bytes, size_t size,
                                      uint64_t *mark, struct net_why *error);

/* Opens a content for reading, from where the file stands to its end; it stays
 * as it is, whatever is written later.  A token above the mark raises it first,
 * which writes the content once more: what a holder has read no earlier holder
 * can change any more.  A low token is not refused: reading changes nothing,
 * and concurrent readers have different tokens. */
enum live_fence_answer live_fence_get(struct live_fence *fence,
                                      const char *name, uint64_t token,
                                      int *file, struct net_why *error);

/* One name of a store. */
struct live_fence_entry {
    char name[LIVE_FENCE_NAME_MAX + 1];
    uint64_t mark;
    int64_t size; /* of the content; -1: there is none yet */
    bool damaged; /* no entry can be read; nobody can write under this name */
};

/* All names in their order, to be freed by the caller. */
enum live_fence_answer live_fence_list(struct live_fence *fence,
                                       struct live_fence_entry **list,
                                       size_t *count, struct net_why *error);

#endif
