/*
 * effect.c - see effect.h.
 */
#include "live/common/effect.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 64, BYTES_MIN = 4096 };

/* A list that cannot grow gives a place that is never read. */
static struct live_effect nowhere;

static bool has_room(struct live_effects *e)
{
    size_t room = e->room ? 2 * e->room : ROOM_MIN;
    struct live_effect *list;

    if (e->count < e->room)
        return true;
    list = realloc(e->list, room * sizeof *list);
    if (!list)
        return false;
    e->list = list;
    e->room = room;
    return true;
}

static bool has_bytes(struct live_effects *e, size_t size)
{
    size_t room = e->bytes_room ? e->bytes_room : BYTES_MIN;
    uint8_t *bytes;

    while (room - e->used < size)
        room *= 2;
    if (room == e->bytes_room)
        return true;
    bytes = realloc(e->bytes, room);
    if (!bytes)
        return false;
    e->bytes = bytes;
    e->bytes_room = room;
    return true;
}

struct live_effect *live_effect_add(struct live_effects *e,
                                    enum live_effect_kind kind)
{
    struct live_effect *one = &nowhere;

    if (has_room(e))
        one = &e->list[e->count++];
    else
        e->lost = true;
    *one = (struct live_effect){.kind = (uint8_t)kind};
    return one;
}

static void keep(struct live_effects *e, struct live_effect *one,
                 const void *bytes, size_t size)
{
    if (!has_bytes(e, size)) {
        e->lost = true;
        return;
    }
    one->at = e->used;
    one->size = size;
    memcpy(e->bytes + e->used, bytes, size);
    e->used += size;
}

void live_effect_send(struct live_effects *e, uint32_t to, const uint8_t *bytes,
                      size_t size)
{
    struct live_effect *one = live_effect_add(e, LIVE_DO_SEND);

    one->whom = to;
    keep(e, one, bytes, size);
}

void live_effect_words(struct live_effects *e, size_t i, const char *words)
{
    keep(e, &e->list[i], words, strlen(words) + 1);
}

void live_effects_clear(struct live_effects *e)
{
    e->count = e->used = 0;
    e->lost = false;
}

void live_effects_free(struct live_effects *e)
{
    free(e->list);
    free(e->bytes);
    *e = (struct live_effects){0};
}
