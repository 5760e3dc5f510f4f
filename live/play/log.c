/*
 * log.c - what the processes of a run did, in memory (see stage.h).
 */
#include <stdlib.h>
#include <string.h>

#include "live/play/stage_parts.h"

/* A piece of memory that is freed with the log. */
struct live_block {
    struct live_block *next;
    _Alignas(8) uint8_t bytes[];
};

static void *grow(void *list, uint32_t count, uint32_t *room, size_t size)
{
    uint32_t more = *room ? 2 * *room : 256;
    void *grown;

    if (count < *room)
        return list;
    grown = realloc(list, more * size);
    if (grown)
        *room = more;
    return grown;
}

static void *keep(struct live_log *log, const void *bytes, size_t size)
{
    struct live_block *b = size ? malloc(sizeof *b + size) : NULL;

    if (!b)
        return NULL;
    memcpy(b->bytes, bytes, size);
    b->next = log->blocks;
    log->blocks = b;
    return b->bytes;
}

bool log_act(struct live_log *log, const struct live_logged *a, size_t msg_size)
{
    size_t sends_size = a->act.sends * sizeof *a->sends;
    size_t read = a->act.kind == LIVE_ACT_READ ? msg_size : 0;
    struct live_logged *acts =
        grow(log->acts, log->acts_count, &log->acts_room, sizeof *acts);
    struct live_logged *at;

    if (!acts)
        return false;
    log->acts = acts;
    at = &acts[log->acts_count++];
    *at = *a;
    at->msg = keep(log, a->msg, read);
    at->sends = keep(log, a->sends, sends_size);
    return (at->msg || !read) && (at->sends || !sends_size);
}

bool log_blow(struct live_log *log, const struct live_blow *blow)
{
    struct live_blow *blows =
        grow(log->blows, log->blows_count, &log->blows_room, sizeof *blows);

    if (!blows)
        return false;
    log->blows = blows;
    blows[log->blows_count++] = *blow;
    return true;
}

void live_log_free(struct live_log *log)
{
    while (log->blocks) {
        struct live_block *b = log->blocks;

        log->blocks = b->next;
        free(b);
    }
    free(log->acts);
    free(log->blows);
    *log = (struct live_log){.tick = 0};
}
