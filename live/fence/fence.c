/*
 * fence.c - see fence.h: the decisions.
 *
 * A put looks at the last entry, and appends its own if the token allows it.
 * If somebody else appended one meanwhile it looks again.  Each time that
 * happens somebody has got on; so that a former holder that writes without end
 * does not hold up a new one, the new one shows its token first, by an entry
 * with the old content, and then only its equals and betters are left.
 */
#include "live/fence/fence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "live/fence/fence_parts.h"

/* ---- What may be asked for ----------------------------------------------- */

static enum live_fence_answer check_name(const char *name,
                                         struct net_why *error)
{
    if (fence_is_name(name))
        return LIVE_FENCE_DONE;
    return fence_answer(LIVE_FENCE_BAD, error,
                        "'%.40s' is not a valid name; use 1 to %d letters, "
                        "digits, '_', '-' and '.', not beginning with '.'",
                        name, LIVE_FENCE_NAME_MAX);
}

static enum live_fence_answer check_token(uint64_t token, struct net_why *error)
{
    if (token > 0 && token <= LIVE_FENCE_TOKEN_MAX)
        return LIVE_FENCE_DONE;
    return fence_answer(LIVE_FENCE_BAD, error,
                        "%" PRIu64 " is not a token; tokens are 1 to %" PRIu64,
                        token, LIVE_FENCE_TOKEN_MAX);
}

/* ---- What it is for ------------------------------------------------------ */

/* Appends the content of the last entry under a higher token. */
static enum live_fence_answer raise_mark(const struct live_fence *fence,
                                         const char *name,
                                         const struct fence_last *last,
                                         uint64_t token, bool *beaten,
                                         struct net_why *error)
{
    struct fence_text text = {.token = token};
    enum live_fence_answer result;
    char *bytes = NULL;

    if (last->size >= 0) {
        text.size = (size_t)last->size;
        text.bytes = bytes = malloc(text.size + 1);
        /* Where the file stands is the caller's. */
        if (!bytes ||
            pread(last->file, bytes, text.size,
                  lseek(last->file, 0, SEEK_CUR)) != (ssize_t)text.size) {
            free(bytes);
            return fence_refused(error, name);
        }
    }
    result = fence_append(fence, name, last, &text, beaten, error);
    free(bytes);
    return result;
}

/* Looks, decides, and tries to append; if *beaten, it has to be done again. */
static enum live_fence_answer try_put(const struct live_fence *fence,
                                      const char *name,
                                      const struct fence_text *text,
                                      uint64_t *mark, bool *beaten,
                                      struct net_why *error)
{
    struct fence_last last;
    enum live_fence_answer result = fence_find_last(fence, name, &last, error);
    bool held_up = *beaten;

    *beaten = false;
    if (result != LIVE_FENCE_DONE)
        return result;
    *mark = last.token;
    if (text->token < last.token) {
        result = fence_answer(
            LIVE_FENCE_LOW, error,
            "%s: token %" PRIu64 " is lower than %" PRIu64
            ", which was here before: its holder has lost the lock, "
            "and nothing was written",
            name, text->token, last.token);
    } else if (held_up && text->token > last.token) {
        result = raise_mark(fence, name, &last, text->token, beaten, error);
        *beaten = true; /* the content is still to come */
    } else {
        result = fence_append(fence, name, &last, text, beaten, error);
    }
    if (last.file >= 0)
        close(last.file);
    return result;
}

enum live_fence_answer live_fence_put(struct live_fence *fence,
                                      const char *name, uint64_t token,
                                      const void *bytes, size_t size,
                                      uint64_t *mark, struct net_why *error)
{
    const struct fence_text text = {token, bytes, size};
    enum live_fence_answer result = check_name(name, error);
    bool beaten = false;

    *mark = 0;
    if (result == LIVE_FENCE_DONE)
        result = check_token(token, error);
    if (result == LIVE_FENCE_DONE && size > LIVE_FENCE_SIZE_MAX)
        result =
            fence_answer(LIVE_FENCE_BAD, error,
                         "%s: %zu bytes are too many; a content has at most %d",
                         name, size, LIVE_FENCE_SIZE_MAX);
    if (result != LIVE_FENCE_DONE)
        return result;
    do
        result = try_put(fence, name, &text, mark, &beaten, error);
    while (result == LIVE_FENCE_DONE && beaten);
    if (result == LIVE_FENCE_DONE)
        *mark = token;
    return result;
}

/* Looks, and shows the token; if *beaten, it has to be done again. */
static enum live_fence_answer try_get(const struct live_fence *fence,
                                      const char *name, uint64_t token,
                                      struct fence_last *last, bool *beaten,
                                      struct net_why *error)
{
    enum live_fence_answer result = fence_find_last(fence, name, last, error);

    *beaten = false;
    if (result != LIVE_FENCE_DONE || token == 0)
        return result;
    /* The entry that is there need not be on disk: its writer may have died, or
     * been stopped, before that. */
    result = token > last->token
                 ? raise_mark(fence, name, last, token, beaten, error)
                 : fence_sync(fence, name, error);
    if ((result != LIVE_FENCE_DONE || *beaten) && last->file >= 0) {
        close(last->file);
        last->file = -1;
    }
    return result;
}

enum live_fence_answer live_fence_get(struct live_fence *fence,
                                      const char *name, uint64_t token,
                                      int *file, struct net_why *error)
{
    enum live_fence_answer result = check_name(name, error);
    struct fence_last last = {.file = -1};
    bool beaten = false;

    *file = -1;
    if (result == LIVE_FENCE_DONE && token > 0)
        result = check_token(token, error);
    if (result != LIVE_FENCE_DONE)
        return result;
    do
        result = try_get(fence, name, token, &last, &beaten, error);
    while (result == LIVE_FENCE_DONE && beaten);
    if (result != LIVE_FENCE_DONE)
        return result;
    if (last.size >= 0) {
        *file = last.file;
        return LIVE_FENCE_DONE;
    }
    if (last.file >= 0)
        close(last.file);
    return fence_answer(LIVE_FENCE_NOTHING, error,
                        "there is nothing under the name %s", name);
}
