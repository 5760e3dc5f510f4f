/*
 * fence.h - a store of files that refuses former holders of a lock; see
 * fulcrum_fence(3).
 */
#ifndef FULCRUM_FENCE_H
#define FULCRUM_FENCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open store. */
struct fulcrum_fence;

enum {
    FULCRUM_FENCE_NAME_MAX = 128, /* bytes */
    FULCRUM_FENCE_SIZE_MAX = 16 << 20,
};

/* Tokens are from 1 to this. */
#define FULCRUM_FENCE_TOKEN_MAX ((uint64_t)INT64_MAX)

enum fulcrum_fence_answer {
    FULCRUM_FENCE_DONE,
    FULCRUM_FENCE_LOW,     /* the token is lower than the mark */
    FULCRUM_FENCE_NOTHING, /* there is nothing under this name */
    FULCRUM_FENCE_BAD,     /* an invalid name, token or size */
    FULCRUM_FENCE_DAMAGED, /* the contents were not written by a store */
    FULCRUM_FENCE_REFUSED, /* by the system */
};

/* The sentence of the last call of this thread that was not answered by
 * FULCRUM_FENCE_DONE; good until the thread's next call. */
const char *fulcrum_why(void);

/* Makes a store, once, in a folder that is new or empty. */
enum fulcrum_fence_answer fulcrum_fence_create(const char *path);

/* Opens a store; *fence is NULL unless the answer is FULCRUM_FENCE_DONE. */
enum fulcrum_fence_answer fulcrum_fence_open(const char *path,
                                             struct fulcrum_fence **fence);
void fulcrum_fence_close(struct fulcrum_fence *fence);

/* Writes under a token.  Nothing changes if that is too low, and *mark is the
 * highest seen; `mark` may be NULL. */
enum fulcrum_fence_answer fulcrum_fence_put(struct fulcrum_fence *fence,
                                            const char *name, uint64_t token,
                                            const void *bytes, size_t size,
                                            uint64_t *mark);

/* Opens what was written, for reading; later writes do not change it.  A
 * token above the mark raises it first, so that no earlier holder can change
 * what was read; 0 leaves it alone. */
enum fulcrum_fence_answer fulcrum_fence_get(struct fulcrum_fence *fence,
                                            const char *name, uint64_t token,
                                            int *file);

/* Tells each name in its order, with its mark and size, and in which state it
 * is: FULCRUM_FENCE_DONE; FULCRUM_FENCE_NOTHING, it has a mark and no content;
 * FULCRUM_FENCE_DAMAGED. */
typedef void (*fulcrum_fence_ear)(void *whom, const char *name,
                                  enum fulcrum_fence_answer state,
                                  uint64_t mark, uint64_t size);
enum fulcrum_fence_answer fulcrum_fence_list(struct fulcrum_fence *fence,
                                             fulcrum_fence_ear ear, void *whom);

#ifdef __cplusplus
}
#endif

#endif
