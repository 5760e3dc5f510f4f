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
#include "live/config/roster.h"
#include "live/record/record.h"
#include "live/wire/link.h"
#include "live/wire/parcel.h"

struct live_mode;

/* What a mode knows from earlier lives. */
struct live_past {
    struct live_kept kept;
    uint64_t seed; /* of choices: another one in every life */
};

/* The configuration that is in force at a node, and how far it can be left. */
struct live_lists_view {
    uint32_t number;
    uint32_t proposer; /* the node that has first proposed it */
    bool joint;
    live_node_set old,
        list; /* stable: the one that was left last, or the same */
    live_node_set witnesses;
    live_node_set heard; /* now; always this node */
    live_node_set joins; /* of those: they have not joined yet (R6) */
    uint64_t lease, next_lease, tau; /* next: joint, of the one that follows */
    uint64_t ripe_in; /* until the next one may be proposed; UINT64_MAX: no view
                       * of this one was leased yet */
    bool asked;       /* a change was asked for here, and has not begun */
    const struct live_roster *roster; /* NULL: all nodes are in the file */
};

/* The nodes that count now. */
static inline live_node_set live_lists_now(const struct live_lists_view *view)
{
    return view->joint ? view->old | view->list : view->list;
}

/* R7: the nodes of a list that run and could vote now, as far as this node
 * hears; and whether they are a majority of it, without which nobody could
 * enter while the list changes. */
static inline live_node_set live_lists_up(const struct live_lists_view *view,
                                          live_node_set list)
{
    return list & view->heard & ~view->joins;
}

static inline bool live_lists_can_end(const struct live_lists_view *view,
                                      live_node_set list)
{
    return live_size(live_lists_up(view, list)) >= live_size(list) / 2 + 1;
}

/* The first id that no node has ever had. */
static inline uint32_t live_lists_next(const struct live_lists_view *view,
                                       const struct live_config *config)
{
    return view->roster ? live_roster_next(view->roster) : config->first_count;
}

/* R6: whether a node is in no list, and never will be: an id that has left, or
 * was passed by, is not given again. */
static inline bool live_lists_left(const struct live_lists_view *view,
                                   const struct live_config *config,
                                   uint32_t self)
{
    return view->number && !live_has(live_lists_now(view), self) &&
           self < live_lists_next(view, config);
}

/* R4: a change that is asked for. */
struct live_change {
    live_node_set list, witnesses;
    uint64_t lease, quiet;
    const struct live_roster *roster;
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
    /* ---- The list of nodes ----------------------------------------------- */
    /* All NULL in a mode that has one list.  A change, and that it is not
     * wished any more; false: not now. */
    bool (*change)(struct live_mode *mode, const struct live_change *change,
                   uint64_t now, struct live_effects *out);
    void (*withdraw)(struct live_mode *mode);
    /* A node of that id may send something. */
    void (*meet)(struct live_mode *mode, uint32_t id);
    void (*lists)(const struct live_mode *mode, uint64_t now,
                  struct live_lists_view *view);
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
    /* As it is to be, and what it has for certain (live_promise()), UINT64_MAX
     * if it has none. */
    struct live_kept (*record)(const struct live_mode *mode);
    uint64_t (*promised)(const struct live_mode *mode);
    /* What a peer has shown of its record: a live_promise(), or 0. */
    uint64_t (*shown)(const struct live_mode *mode, uint32_t peer);
    /* P3, for a record that was lost: the view that a datagram shows, and
     * whether its sender has another list than that of the file, false: it
     * shows none; and a payload that has not forgotten a view.  NULL in a mode
     * of which nobody knows what another one has forgotten. */
    bool (*shows)(struct live_unread datagram, uint64_t *view, bool *changed);
    void (*remind)(struct live_kept *kept, uint64_t view);
    /* R6a: it asks the others itself when it runs, by the newest list. */
    void (*rejoin)(struct live_kept *kept, const struct live_config *config);
    /* W9: what writing takes, as measured; or NULL. */
    void (*disk)(struct live_mode *mode, uint64_t slowest);
    /* ---- For people ------------------------------------------------------ */
    /* Why somebody waits for a lock. */
    void (*reason)(const struct live_mode *mode, uint64_t lock, uint64_t now,
                   char text[LIVE_REASON_MAX]);
    /* The nodes at which others hold it, as far as is known here: a hint, not a
     * proof.  NULL in a mode that knows nothing of that. */
    live_node_set (*held_at)(const struct live_mode *mode, uint64_t lock,
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
const char *live_mode_names(const struct live_config *config, live_node_set set,
                            char text[LIVE_REASON_MAX]);
json_t *live_mode_list(const struct live_config *config, live_node_set set);

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
