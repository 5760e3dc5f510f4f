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

/* "; left: a, b", or nothing. */
static void add(const struct live_config *config, const char *before,
                live_node_set set, char text[LIVE_VIEW_WORDS])
{
    size_t used = strlen(text);

    for (uint32_t x = 0; x < config->nodes_count; x++) {
        if (!live_has(set, x) || used >= LIVE_VIEW_WORDS)
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
    live_node_set out = 0; /* that could be members */
    uint32_t nodes = live_size(change->listed), count;
    size_t used;

    for (uint32_t x = 0; x < config->nodes_count; x++)
        if (live_has(change->listed & ~change->members, x) &&
            !config->nodes[x].witness)
            out |= live_only(x);
    count = live_size(change->members);
    text[0] = '\0';
    add(config, "", change->members, text);
    if (change->before) {
        add(config, "; joined: ", change->members & ~change->before, text);
        add(config, "; left: ", out & change->before, text);
    }
    add(config, "; heard, and not in it: ", out & change->heard, text);
    add(config, "; not heard: ", out & ~change->heard, text);
    used = strlen(text);
    if (count < nodes / 2 + 1 && used < LIVE_VIEW_WORDS)
        snprintf(text + used, LIVE_VIEW_WORDS - used,
                 "; a majority of the %u nodes voted for it", nodes);
    return text;
}
