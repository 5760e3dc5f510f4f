/*
 * fence.c - <fulcrum/fence.h>: what live/fence does, without its structures.
 */
#include "include/fulcrum/fence.h"

#include <stdlib.h>

#include "api/why.h"
#include "live/fence/fence.h"

struct fulcrum_fence {
    struct live_fence store;
};

_Static_assert((int)FULCRUM_FENCE_DONE == LIVE_FENCE_DONE &&
                   (int)FULCRUM_FENCE_REFUSED == LIVE_FENCE_REFUSED,
               "answers are passed on as they are");
_Static_assert((int)FULCRUM_FENCE_NAME_MAX == LIVE_FENCE_NAME_MAX &&
                   (int)FULCRUM_FENCE_SIZE_MAX == LIVE_FENCE_SIZE_MAX,
               "and so are limits");

static enum fulcrum_fence_answer pass_on(enum live_fence_answer answer)
{
    return (enum fulcrum_fence_answer)answer;
}

enum fulcrum_fence_answer fulcrum_fence_create(const char *path)
{
    return pass_on(live_fence_create(path, api_why()));
}

enum fulcrum_fence_answer fulcrum_fence_open(const char *path,
                                             struct fulcrum_fence **fence)
{
    struct fulcrum_fence *f = calloc(1, sizeof *f);
    enum live_fence_answer answer;

    *fence = NULL;
    if (!f) {
        net_no_memory(api_why(), "a store");
        return FULCRUM_FENCE_REFUSED;
    }
    answer = live_fence_open(&f->store, path, api_why());
    if (answer == LIVE_FENCE_DONE)
        *fence = f;
    else
        free(f);
    return pass_on(answer);
}

void fulcrum_fence_close(struct fulcrum_fence *fence)
{
    if (fence)
        live_fence_close(&fence->store);
    free(fence);
}

enum fulcrum_fence_answer fulcrum_fence_put(struct fulcrum_fence *fence,
                                            const char *name, uint64_t token,
                                            const void *bytes, size_t size,
                                            uint64_t *mark)
{
    uint64_t seen;

    return pass_on(live_fence_put(&fence->store, name, token, bytes, size,
                                  mark ? mark : &seen, api_why()));
}

enum fulcrum_fence_answer fulcrum_fence_get(struct fulcrum_fence *fence,
                                            const char *name, uint64_t token,
                                            int *file)
{
    return pass_on(live_fence_get(&fence->store, name, token, file, api_why()));
}

static enum fulcrum_fence_answer state_of(const struct live_fence_entry *e)
{
    return e->damaged    ? FULCRUM_FENCE_DAMAGED
           : e->size < 0 ? FULCRUM_FENCE_NOTHING
                         : FULCRUM_FENCE_DONE;
}

enum fulcrum_fence_answer fulcrum_fence_list(struct fulcrum_fence *fence,
                                             fulcrum_fence_ear ear, void *whom)
{
    struct live_fence_entry *list = NULL;
    size_t count = 0;
    enum live_fence_answer answer =
        live_fence_list(&fence->store, &list, &count, api_why());

    for (size_t i = 0; answer == LIVE_FENCE_DONE && i < count; i++)
        ear(whom, list[i].name, state_of(&list[i]), list[i].mark,
            list[i].size > 0 ? (uint64_t)list[i].size : 0);
    free(list);
    return pass_on(answer);
}
