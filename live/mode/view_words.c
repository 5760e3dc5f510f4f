/*
 * view_words.c - see view_words.h.
 */
#include "live/mode/view_words.h"

#include <stdio.h>
#include <string.h>

/* A member may have joined; another may have left, and be heard or not. */
enum { TIMES_NAMED = 2, WORDS_BETWEEN = 200 };
_Static_assert((int)LIVE_VIEW_WORDS >
                   TIMES_NAMED * LIVE_NODES_MAX * (LIVE_NAME_MAX + 1) +
                       WORDS_BETWEEN,
               "all of it fits");

static bool has(uint16_t set, uint32_t x)
{
    return (uint32_t)set >> x & 1u;
}

/* "; left: a, b", or nothing. */
static void add(const struct live_config *config, const char *before,
                uint16_t set, char text[LIVE_VIEW_WORDS])
{
    size_t used = strlen(text);

    for (uint32_t x = 0; x < config->nodes_count; x++) {
        if (!has(set, x) || used >= LIVE_VIEW_WORDS)
            continue;
        used += (size_t)snprintf(text + used, LIVE_VIEW_WORDS - used, "%s%s",
                                 before, config->nodes[x].name);
        before = ", ";
    }
}

const char *live_view_words(const struct live_config *config,
                            const struct live_view_change *change,
                            char text[LIVE_VIEW_WORDS])
{
    uint16_t out = 0; /* that could be members */
    uint32_t nodes = config->nodes_count, count;
    size_t used;

    for (uint32_t x = 0; x < nodes; x++)
        if (!has(change->members, x) && !config->nodes[x].witness)
            out |= (uint16_t)(1u << x);
    count = (uint32_t)__builtin_popcount(change->members);
    text[0] = '\0';
    add(config, "", change->members, text);
    if (change->before) {
        add(config, "; joined: ", (uint16_t)(change->members & ~change->before),
            text);
        add(config, "; left: ", (uint16_t)(out & change->before), text);
    }
    add(config, "; heard, and not in it: ", (uint16_t)(out & change->heard),
        text);
    add(config, "; not heard: ", (uint16_t)(out & ~change->heard), text);
    used = strlen(text);
    if (count < nodes / 2 + 1 && used < LIVE_VIEW_WORDS)
        snprintf(text + used, LIVE_VIEW_WORDS - used,
                 "; a majority of the %u nodes voted for it", nodes);
    return text;
}
