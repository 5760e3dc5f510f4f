/*
 * load.c - a run from the file of a trace.  The states of its nodes come from
 * replaying it, once, and keeping the state of the node of each event.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/read.h"
#include "trace/replay.h"
#include "web/libc/host.h"
#include "web/module/cite.h"
#include "web/module/run.h"
#include "web/module/say.h"

/* More bytes of states than this are not kept. */
enum { STATES_MAX = 256 << 20 };

static struct {
    struct net_made made;
    size_t size;     /* of a state */
    uint8_t *states; /* of its node after each event; NULL: not replayed */
    uint8_t *blank;  /* before the first */
    uint32_t *last;  /* the event of its lane before an event */
    uint32_t told; /* while it is replayed: events up to the one that happens */
} loaded;

/* Of each event, the one before it in its lane; false: no memory. */
static bool find_last(void)
{
    const struct trace *t = &web_run.trace;
    uint32_t *newest = malloc(t->head.nodes * sizeof *newest);

    loaded.last = malloc((t->events_count + 1u) * sizeof *loaded.last);
    if (!newest || !loaded.last) {
        free(newest);
        return false;
    }
    for (uint32_t i = 0; i < t->head.nodes; i++)
        newest[i] = TRACE_NONE;
    for (uint32_t i = 0; i < t->events_count; i++) {
        loaded.last[i] = newest[t->event.lane[i]];
        newest[t->event.lane[i]] = i;
    }
    free(newest);
    return true;
}

static void keep(void *self, const struct trace_visit *at)
{
    size_t i = at->event->row;

    (void)self;
    memcpy(loaded.states + i * loaded.size, at->after, loaded.size);
    loaded.told = (uint32_t)i + 2;
}

static bool replay(void)
{
    struct trace_visitor visitor = {.visit = keep};
    struct trace_replay result;
    uint64_t size;

    if (loaded.states)
        return true;
    loaded.size = net_type_of(web_run.net)->state_size;
    size = (uint64_t)web_run.trace.events_count * loaded.size;
    if (web_run.trace.head.nodes > NET_SCENE_MAX || size > STATES_MAX ||
        !find_last())
        return false;
    loaded.blank = calloc(1, loaded.size);
    loaded.states = calloc(1, (size_t)size + 1);
    if (!loaded.blank || !loaded.states)
        return false;
    loaded.told = 1;
    web_cited.told = &loaded.told;
    if (trace_replay_to(web_run.net, &web_run.trace, &visitor, &result) ==
        TRACE_REPLAY_DIFFERS) {
        free(result.then);
        free(result.now);
    }
    web_cited.told = NULL;
    return true;
}

static const void *after(uint32_t event)
{
    return event == TRACE_NONE ? loaded.blank
                               : loaded.states + event * loaded.size;
}

static bool state(uint32_t event, uint32_t lane, const void **before,
                  const void **now)
{
    uint32_t at = event;

    if (!replay())
        return false;
    while (at != TRACE_NONE && web_run.trace.event.lane[at] != lane)
        at = at ? at - 1 : TRACE_NONE;
    *now = after(at);
    *before = at != TRACE_NONE && at == event ? after(loaded.last[at]) : NULL;
    return true;
}

/* Reads the trace in a file; answers with its head, or refuses. */
WEB_EXPORT(run_load)
const char *web_run_load(const char *path)
{
    struct net_why why = {0};

    if (!trace_read(&web_run.trace, path, &why))
        return web_refuse("%s", why.text);
    if (trace_network(&web_run.trace, &loaded.made, &why)) {
        web_run.net = &loaded.made.net;
        web_run.state = state;
        if (!web_run_place(web_run.trace.head.seed))
            return web_refuse("there is no memory for the network");
        (void)replay(); /* without it there are no states and no rules */
    }
    return web_run_say();
}
