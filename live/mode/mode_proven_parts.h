/*
 * mode_proven_parts.h - what the parts of mode proven share: mode_proven.c
 * (desk, driver, record) and mode_proven_tell.c (people).
 */
#ifndef LIVE_MODE_PROVEN_PARTS_H
#define LIVE_MODE_PROVEN_PARTS_H

#include "live/mode/mode_proven_engine.h"

#include "live/mode/mode.h"

struct proven {
    struct live_mode mode;
    struct live_engine *engine;
    uint64_t worst;        /* wake-up, as last logged */
    uint32_t view;         /* as last logged */
    live_node_set members; /* of that; 0: there was none */
    bool leased;           /* as last logged */
    bool few_views;        /* it was told that few view numbers are left */
};

static inline struct live_engine *proven_engine(const struct live_mode *mode)
{
    return ((const struct proven *)mode)->engine;
}

static inline const struct view_lock *proven_state(const struct live_mode *mode)
{
    return &proven_engine(mode)->state;
}

static inline bool proven_in_view(const struct view_lock *s)
{
    return s->view && s->view == s->record.maxv;
}

/* ---- mode_proven.c ------------------------------------------------------- */

struct live_lock_view live_proven_look(const struct live_mode *mode,
                                       uint64_t lock);
void live_proven_lists(const struct live_mode *mode, uint64_t now,
                       struct live_lists_view *view);

/* ---- mode_proven_tell.c -------------------------------------------------- */

/* Nodes that were heard within the silence, and this one. */
live_node_set live_proven_heard(const struct live_mode *mode, uint64_t now);

/* For struct live_mode_kind. */
void live_proven_reason(const struct live_mode *mode, uint64_t lock,
                        uint64_t now, char text[LIVE_REASON_MAX]);
live_node_set live_proven_held_at(const struct live_mode *mode, uint64_t lock,
                                  uint64_t now);
void live_proven_describe(const struct live_mode *mode, uint64_t now,
                          json_t *into);
void live_proven_describe_peer(const struct live_mode *mode, uint32_t peer,
                               uint64_t now, json_t *into);
void live_proven_log_start(struct live_mode *mode);
void live_proven_log_changes(struct live_mode *mode, uint64_t now);

#endif
