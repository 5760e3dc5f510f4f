/*
 * mode.h - how the nodes of a cluster agree, as the desk and the daemon see it:
 * they do not know which mode they serve.
 *
 * A mode has its links, its timers and its protocol.  It calls the desk only by
 * struct live_listener, and the desk learns everything from here.
 */
#ifndef LIVE_MODE_H
#define LIVE_MODE_H

#include <jansson.h>

#include "live/client/letter.h"
#include "live/host/lock.h"
#include "live/wire/link.h"

struct live_engine;
struct live_mode;
struct live_record;

struct live_mode_kind {
    const char *name;
    /* False if it was ignored: there is no room for one more lock. */
    bool (*command)(struct live_mode *mode, enum live_command command,
                    uint64_t lock);
    struct live_lock_view (*look)(const struct live_mode *mode, uint64_t lock);
    /* Until when whatever is held may be held, as far as is known. */
    uint64_t (*until)(const struct live_mode *mode);
    /* What the others need to hear of a stop. */
    uint64_t (*farewell)(const struct live_mode *mode);
    /* Why nothing will be granted any more, until a restart; or NULL.  Not in a
     * mode that rests on nothing which can be seen to break. */
    const char *(*over)(const struct live_mode *mode);
    /* This node's clock does not run at a rate that can be relied on, or does
     * again: meanwhile the node promises nothing, and relies on no promise. */
    void (*unfit)(struct live_mode *mode, bool unfit);
    /* Why somebody waits for a lock. */
    void (*reason)(const struct live_mode *mode, uint64_t lock,
                   char text[LIVE_REASON_MAX]);
    /* For status: of the node, and of one of its peers or itself. */
    void (*describe)(const struct live_mode *mode, json_t *into);
    void (*describe_peer)(const struct live_mode *mode, uint32_t peer,
                          json_t *into);
    /* For the log: what it rests on, once; then what has changed. */
    void (*log_start)(struct live_mode *mode);
    void (*log_changes)(struct live_mode *mode);
    void (*close)(struct live_mode *mode);
};

/* Each kind's own struct begins with it. */
struct live_mode {
    const struct live_mode_kind *kind;
    const struct live_config *config;
    uint32_t self;
    struct live_links *links;
    uint64_t patience; /* what a try takes at least */
};

/* Starts a life of the node in the mode that its configuration names.  Takes
 * over neither config nor record.  NULL with a sentence on failure. */
struct live_mode *live_mode_open(uv_loop_t *loop,
                                 const struct live_config *config,
                                 uint32_t self, struct live_record *record,
                                 const struct live_listener *listener,
                                 char error[LIVE_ERROR_SIZE]);

/* The two.  The first takes over an engine that runs. */
struct live_mode *live_mode_proven(const struct live_config *config,
                                   uint32_t self, struct live_engine *engine);
struct live_mode *live_mode_silence(uv_loop_t *loop,
                                    const struct live_config *config,
                                    uint32_t self, struct live_record *record,
                                    const struct live_listener *listener,
                                    char error[LIVE_ERROR_SIZE]);

/* ---- What modes share ---------------------------------------------------- */

#define LIVE_HAS_IT "another client of this node has the lock"

/* The names of a set of nodes: "a, b"; and as a list. */
const char *live_mode_names(const struct live_config *config, uint16_t set,
                            char text[LIVE_REASON_MAX]);
json_t *live_mode_list(const struct live_config *config, uint16_t set);

/* Adds numbers to an object, or to a new one if that is NULL; returns it. */
struct live_number {
    const char *name; /* NULL: the list is over */
    uint64_t value;
};
json_t *live_numbers(json_t *into, const struct live_number *list);
#define LIVE_NUMBERS(into, ...)                                                \
    live_numbers(into, (const struct live_number[]){__VA_ARGS__, {NULL, 0}})

/* How long nothing came of a peer that was heard at a time, or 0: never. */
uint64_t live_mode_silent(const struct live_mode *mode, uint32_t peer,
                          uint64_t heard_at);

#endif
