/*
 * mode.c - see mode.h: which mode, and what both share.
 */
#include "live/mode/mode.h"

#include <inttypes.h>
#include <stdio.h>

const struct live_mode_kind *live_mode_of(const struct live_config *config)
{
    return config->mode == LIVE_SILENCE ? &live_mode_silence
                                        : &live_mode_proven;
}

const char *live_mode_names(const struct live_config *config, live_node_set set,
                            char text[LIVE_REASON_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t x = 0; x < config->nodes_count; x++)
        if (live_has(set, x) && used < LIVE_REASON_MAX)
            used +=
                (size_t)snprintf(text + used, LIVE_REASON_MAX - used, "%s%s",
                                 used ? ", " : "", config->nodes[x].name);
    return text;
}

json_t *live_mode_list(const struct live_config *config, live_node_set set)
{
    json_t *list = json_array();

    for (uint32_t x = 0; x < config->nodes_count; x++)
        if (live_has(set, x))
            json_array_append_new(list, json_string(config->nodes[x].name));
    return list;
}

json_t *live_numbers(json_t *into, const struct live_number *list)
{
    json_t *o = into ? into : json_object();

    for (; list->name; list++)
        json_object_set_new(o, list->name,
                            json_integer((json_int_t)list->value));
    return o;
}

json_t *live_names(json_t *into, const struct live_number *list)
{
    json_t *o = into ? into : json_object();
    char text[24];

    for (; list->name; list++) {
        snprintf(text, sizeof text, "%" PRIu64, list->value);
        json_object_set_new(o, list->name, json_string(text));
    }
    return o;
}

uint64_t live_mode_silent(const struct live_mode *mode, uint32_t peer,
                          uint64_t heard_at, uint64_t now)
{
    if (peer == mode->self)
        return 0;
    return heard_at ? now - heard_at : UINT64_MAX; /* as a number: -1 */
}
