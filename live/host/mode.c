/*
 * mode.c - see mode.h: which mode, and what both share.
 */
#include "live/host/mode.h"
#include "live/host/engine.h"

#include <stdio.h>

struct live_mode *live_mode_open(uv_loop_t *loop,
                                 const struct live_config *config,
                                 uint32_t self, struct live_record *record,
                                 const struct live_listener *listener,
                                 char error[LIVE_ERROR_SIZE])
{
    struct live_engine *engine;
    struct live_mode *mode;

    if (config->mode == LIVE_SILENCE)
        return live_mode_silence(loop, config, self, record, listener, error);
    engine = live_engine_open(loop, config, self, record, listener, error);
    if (!engine)
        return NULL;
    mode = live_mode_proven(config, self, engine);
    if (!mode) {
        snprintf(error, LIVE_ERROR_SIZE, "no memory is left");
        live_engine_close(engine);
    }
    return mode;
}

const char *live_mode_names(const struct live_config *config, uint16_t set,
                            char text[LIVE_REASON_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t x = 0; x < config->nodes_count; x++)
        if (((uint32_t)set >> x & 1u) && used < LIVE_REASON_MAX)
            used +=
                (size_t)snprintf(text + used, LIVE_REASON_MAX - used, "%s%s",
                                 used ? ", " : "", config->nodes[x].name);
    return text;
}

json_t *live_mode_list(const struct live_config *config, uint16_t set)
{
    json_t *list = json_array();

    for (uint32_t x = 0; x < config->nodes_count; x++)
        if ((uint32_t)set >> x & 1u)
            json_array_append_new(list, json_string(config->nodes[x].name));
    return list;
}

json_t *live_mode_link(const struct live_link_counts *c)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "sent",
        (json_int_t)c->sent, "received", (json_int_t)c->received, "forged",
        (json_int_t)c->forged, "replayed", (json_int_t)c->replayed, "odd",
        (json_int_t)c->odd, "old", (json_int_t)c->old, "dropped",
        (json_int_t)c->dropped, "greeted", (json_int_t)c->greeted, "outlived",
        (json_int_t)c->outlived, "unproven", (json_int_t)c->unproven);
}
