/*
 * type.h - a protocol as a table of functions, for drivers that need not be
 * fast.
 *
 * The checker works out each step of each local state once and then only
 * handles numbers; a replay makes as many steps as its trace has lines.  So
 * these calls are rare, and nothing else need be compiled for every protocol.
 */
#ifndef NET_TYPE_H
#define NET_TYPE_H

#include "core/field.h"
#include "net/site.h"
#include "problems/problem.h"

enum {
    NET_SCENE_MAX = 16, /* nodes that are judged together */
    NET_VIEW_SIZE = 32, /* the views of all problems fit */
    NET_SITE_SIZE = 8,  /* and what any node may know of its place */
};

/* What all nodes see of one node, and what the driver knows of it. */
struct net_actor {
    fc_name id;
    bool started, down, returns; /* returns: it is up again just now */
    uint8_t view[NET_VIEW_SIZE];
};

/* All nodes at one moment. */
struct net_scene {
    const struct net *net;
    uint32_t nodes;
    struct net_actor actor[NET_SCENE_MAX];
    uint64_t memory; /* what the problem must remember of the past, or 0 */
    int64_t flying;  /* tokens under way */
    bool crashed;    /* a node is down, or was */
};

/* What became of a scene when one view changed. */
struct net_news {
    uint32_t broken; /* properties */
    uint64_t memory; /* from now on */
    bool reached;    /* what the problem is about has happened */
};

/* What the judge of a run is told, besides changes of views. */
enum net_seen {
    NET_SEEN_START,   /* the node obeyed the command to start */
    NET_SEEN_CRASH,   /* it is down, and had this view */
    NET_SEEN_RESTART, /* it is up again, with this view */
    NET_SEEN_RETURN,  /* and has made its first step */
    NET_SEEN_FLYING,  /* the number of tokens under way */
    NET_SEEN_SETTLED, /* in the end: what a node thinks, in their order */
};

struct net_sight {
    enum net_seen what;
    fc_name id;
    const uint8_t *view; /* NET_VIEW_SIZE bytes */
    int64_t flying;
    uint64_t now;
};

struct net_type {
    const struct fc_protocol *protocol;
    size_t state_size, msg_size, out_size;
    size_t wire_size; /* the most bytes of a packed message */
    uint32_t timers;
    uint32_t nodes_max;  /* that its states have room for */
    const char *crowded; /* what the checker says of more, if that is few */
    bool reads_all, repeats, counts_flying, remembers;
    bool momentary;     /* FC_MOMENTARY: an application is never inside */
    bool clocked;       /* as fc.h has it */
    size_t record_size; /* of what survives a loss of memory, or 0 */
    const struct fc_quantity *quantities; /* of its own */
    uint32_t quantities_count;
    const struct fc_field *state_fields; /* see net/field.h */
    uint32_t state_fields_count;

    /* One event: changes the state, which is aligned, and fills the effects and
     * as many messages as they count. */
    void (*step)(const struct net_place *place, void *state,
                 const struct fc_event *event, const void *msg,
                 struct fc_effects *fx, void *sends);
    /* The same, with `dirt` in all bytes of the outbox, which the step must not
     * read. */
    void (*step_over)(const struct net_place *place, void *state,
                      const struct fc_event *event, const void *msg,
                      struct fc_effects *fx, void *sends, int dirt);
    /* NULL, or the sentence of the protocol's author that the state
     * contradicts. */
    const char *(*sane)(const struct net_place *place, const void *state);
    /* Takes out of a state what decides nothing.  NULL: all of it may. */
    void (*forget)(void *state);
    /* What others see, and where the application stands. */
    void (*view)(const struct net_place *place, const void *state,
                 uint8_t view[NET_VIEW_SIZE], enum fc_phase *phase);
    /* Whether it is inside by this view, and when its guard stops it by its
     * own clock, or 0: never.  NULL: there is no guard. */
    bool (*inside)(const uint8_t view[NET_VIEW_SIZE], uint64_t *until);
    /* One actor's view becomes another; the scene is from before. */
    void (*change)(const struct net_scene *scene, uint32_t actor,
                   const uint8_t after[NET_VIEW_SIZE], struct net_news *news);
    /* Whether a change of one actor's view can break anything, or keep
     * something from being broken, before the end. */
    bool (*matters)(const uint8_t before[NET_VIEW_SIZE],
                    const uint8_t after[NET_VIEW_SIZE]);
    /* The properties that are broken if this is the end. */
    uint32_t (*end)(const struct net_scene *scene);
    /* A run that is judged as it goes, from its beginning to its end and with
     * any number of nodes: by an aligned watch of `watch_size` bytes.  A change
     * returns the properties that it broke, the end all that were broken. */
    size_t watch_size;
    void (*watch_begin)(void *watch, const struct net *net);
    uint32_t (*watch_change)(void *watch, fc_name id,
                             const uint8_t before[NET_VIEW_SIZE],
                             const uint8_t after[NET_VIEW_SIZE], uint64_t now);
    void (*watch_see)(void *watch, const struct net_sight *sight);
    uint32_t (*watch_end)(void *watch, bool quiet);
    void (*watch_outcome)(const void *watch, struct fc_outcome *out);
    /* Of a momentary operation: the number of attempts, or 0, and whether it
     * came out wrong. */
    uint64_t (*attempts)(const uint8_t view[NET_VIEW_SIZE], bool *wrong);
    /* What the application asks first, and when it has enough. */
    uint8_t (*request)(bool shared);
    uint8_t (*farewell)(void);

    /* A state, a message and the problem's memory if each node i is called
     * to[i].  NULL: indices are more than names. */
    void (*relabel)(void *state, const uint16_t *to, uint32_t nodes);
    void (*relabel_msg)(void *msg, const uint16_t *to, uint32_t nodes);
    uint64_t (*relabel_memory)(uint64_t memory, const uint16_t *to);

    /* Fills in the P_site of a node. */
    void (*site)(const struct net_place *place, uint8_t out[NET_SITE_SIZE]);

    /* For people. */
    void (*show)(const uint8_t view[NET_VIEW_SIZE], struct fc_shown *out);
    uint32_t (*kind)(const void *msg);
    uint32_t (*fields)(const void *msg, uint64_t out[FC_FIELDS_MAX]);

    /* On the wire; unpack: -1 if no node can have sent this. */
    uint32_t (*paper_bits)(const void *msg);
    uint32_t (*wire_bytes)(const void *msg);
    size_t (*pack)(const void *msg, uint8_t wire[FC_WIRE_MAX]);
    int (*unpack)(void *msg, const uint8_t *wire, size_t size);
};

/* All protocols; ends with a null pointer. */
extern const struct net_type *const net_types[];

const struct net_type *net_find(const struct fc_protocol *protocol);

/* The type of a network's protocol, which may be the user's own. */
static inline const struct net_type *net_type_of(const struct net *net)
{
    return net->type ? net->type : net_find(net->protocol);
}

/* The protocol of this name, or NULL. */
const struct fc_protocol *net_protocol(const char *name);

#endif
