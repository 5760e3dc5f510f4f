/*
 * mode.h - how the nodes of a cluster agree, as the desk and the driver of a
 * node see it: they do not know which mode they serve.
 *
 * A mode is pure: the time is given, and its actions are appended to a list of
 * effects.  The rest is for people: status and log.
 */
#ifndef LIVE_MODE_H
#define LIVE_MODE_H

#include <jansson.h>

#include "live/common/effect.h"
#include "live/common/letter.h"
#include "live/common/lock.h"
#include "live/record/record.h"
#include "live/wire/link.h"
#include "live/wire/parcel.h"

struct live_mode;

/* What a mode knows from earlier lives. */
struct live_past {
    struct live_kept kept;
    uint64_t seed; /* of choices: another one in every life */
};

struct live_mode_kind {
    const char *name;
    /* A node in this mode.  NULL with a sentence on failure. */
    struct live_mode *(*open)(const struct live_config *config, uint32_t self,
                              const struct live_past *past,
                              struct net_why *error);
    /* ---- What happens ---------------------------------------------------- */
    /* Its life begins.  LIVE_DO_WRITE must be carried out, and told of when
     * the links are open, before anything else. */
    void (*boot)(struct live_mode *mode, uint64_t now,
                 struct live_effects *out);
    /* A datagram of another node, in this life of that. */
    void (*take)(struct live_mode *mode, uint32_t from, uint64_t life,
                 struct live_unread bytes, uint64_t now,
                 struct live_effects *out);
    /* The time of wake() has come, and what had arrived was taken. */
    void (*due)(struct live_mode *mode, uint64_t now, struct live_effects *out);
    /* What LIVE_DO_WRITE asked for is on disk. */
    void (*written)(struct live_mode *mode, const struct live_kept *kept,
                    uint64_t now, struct live_effects *out);
    /* False if it was ignored: there is no room for one more lock. */
    bool (*command)(struct live_mode *mode, enum live_command command,
                    uint64_t lock, uint64_t now, struct live_effects *out);
    /* This node's clock does not run at a rate that can be relied on, or does
     * again: meanwhile the node promises nothing, and relies on no promise. */
    void (*unfit)(struct live_mode *mode, bool unfit, uint64_t now,
                  struct live_effects *out);
    /* P7: when this node last relied on a life of a peer other than this one,
     * as far as it still does; or 0; and gives up whatever may rest on that.
     * NULL in a mode in which nobody relies on what another keeps. */
    uint64_t (*relied)(const struct live_mode *mode, uint32_t peer,
                       uint64_t life, uint64_t now);
    void (*renounce)(struct live_mode *mode, uint64_t now,
                     struct live_effects *out);
    /* ---- What can be seen ------------------------------------------------ */
    uint64_t (*wake)(const struct live_mode *mode); /* UINT64_MAX: never */
    struct live_lock_view (*look)(const struct live_mode *mode, uint64_t lock);
    /* Until when whatever is held may be held, as far as is known. */
    uint64_t (*until)(const struct live_mode *mode);
    /* What the others need to hear of a stop, at most; and whether they have
     * gone on without this node, as far as it hears them.  The latter is NULL
     * in a mode of which the nodes do not say so. */
    uint64_t (*farewell)(const struct live_mode *mode);
    bool (*parted)(const struct live_mode *mode);
    /* Why nothing will be granted any more, until a restart; or NULL.  Not in a
     * mode that rests on nothing which can be seen to break. */
    const char *(*over)(const struct live_mode *mode);
    /* After every event: NULL, or the rule that its parts break, besides the
     * states of its protocol, which are judged at every step.  The function is
     * NULL in a mode that has no other parts. */
    const char *(*sane)(const struct live_mode *mode);
    /* ---- Its record ------------------------------------------------------ */
    struct live_payload payload;
    /* As it is to be, and the highest view that it has for certain, UINT64_MAX
     * if it has none. */
    struct live_kept (*record)(const struct live_mode *mode);
    uint64_t (*promised)(const struct live_mode *mode);
    /* What a peer has shown of its record: a view, or 0. */
    uint64_t (*shown)(const struct live_mode *mode, uint32_t peer);
    /* P3, for a record that was lost: the view that a datagram shows, false: it
     * shows none; and a payload that has not forgotten a view.  NULL in a mode
     * of which nobody knows what another one has forgotten. */
    bool (*shows)(struct live_unread datagram, uint64_t *view);
    void (*remind)(struct live_kept *kept, uint64_t view);
    /* W9: what writing takes, as measured; or NULL. */
    void (*disk)(struct live_mode *mode, uint64_t slowest);
    /* ---- For people ------------------------------------------------------ */
    /* Why somebody waits for a lock. */
    void (*reason)(const struct live_mode *mode, uint64_t lock, uint64_t now,
                   char text[LIVE_REASON_MAX]);
    /* The nodes at which others hold it, as far as is known here: a hint, not a
     * proof.  NULL in a mode that knows nothing of that. */
    uint16_t (*held_at)(const struct live_mode *mode, uint64_t lock,
                        uint64_t now);
    /* For status: of the node, and of one of its peers or itself. */
    void (*describe)(const struct live_mode *mode, uint64_t now, json_t *into);
    void (*describe_peer)(const struct live_mode *mode, uint32_t peer,
                          uint64_t now, json_t *into);
    /* For the log: what it rests on, once; then what has changed. */
    void (*log_start)(struct live_mode *mode);
    void (*log_changes)(struct live_mode *mode, uint64_t now);
    void (*close)(struct live_mode *mode);
};

/* Each kind's own struct begins with it. */
struct live_mode {
    const struct live_mode_kind *kind;
    const struct live_config *config;
    uint32_t self;
    const struct live_links *links; /* for people to be told of; or NULL */
    uint64_t patience;              /* what a try takes at least */
};

/* The two, and the one that a configuration names. */
extern const struct live_mode_kind live_mode_proven, live_mode_silence;
const struct live_mode_kind *live_mode_of(const struct live_config *config);

/* The engine of mode proven, or NULL. */
struct live_engine;
struct live_engine *live_mode_engine(const struct live_mode *mode);

/* A rule of mode silence that is left out, to see what it is for: before its
 * life begins. */
enum live_silence_without {
    LIVE_SILENCE_WHOLE,
    LIVE_SILENCE_WITHOUT_ACKS,  /* silence is consent, whether or not the
                                 * request was read */
    LIVE_SILENCE_WITHOUT_MUTE,  /* a started node takes part at once */
    LIVE_SILENCE_WITHOUT_LEASE, /* a silent node is dead while its command may
                                 * live */
    LIVE_SILENCE_WITHOUT_PAUSE, /* a node that stood still goes on */
    LIVE_SILENCE_WITHOUT_LEAVE, /* a mute node that stops says that it leaves */
};
void live_silence_leave_out(struct live_mode *mode, uint8_t rule);

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

/* K9: numbers that name something - tokens, views, lives - are text.  They are
 * above 2^53, and most readers of JSON would round them: a former holder's
 * rounded token may be above the next holder's. */
json_t *live_names(json_t *into, const struct live_number *list);
#define LIVE_NAMES(into, ...)                                                  \
    live_names(into, (const struct live_number[]){__VA_ARGS__, {NULL, 0}})

/* How long nothing came of a peer that was heard at a time, or 0: never. */
uint64_t live_mode_silent(const struct live_mode *mode, uint32_t peer,
                          uint64_t heard_at, uint64_t now);

#endif
