/*
 * asked.h - properties that were typed, not written in C: what a driver needs
 * in order to judge them.
 *
 * A property is about one state (it holds in all of them), about a step (two
 * states, one right after the other), or about what comes later (whenever p, at
 * last q).  Who has read its text gives the functions here; a driver asks them,
 * and knows nothing of texts.
 *
 * A step is an event: a node is told something, reads a message, returns or
 * crashes; a message is lost, copied or missed.  Time that passes is none, nor
 * is what only the clockwork of a driver knows: a pause, a cut, a delay.
 */
#ifndef NET_ASKED_H
#define NET_ASKED_H

#include "core/network.h"
#include "net/type.h"

enum { NET_ASKED_MAX = 8, NET_ASKED_NAME = 32, NET_ASKED_INSTANCES = 4096 };

/* As properties they come right before the predicates. */
enum { NET_ASKED_BIT = (int)FC_PREDICATE_BIT - (int)NET_ASKED_MAX };

/* A network at one moment, as properties see it. */
struct net_moment {
    const struct fc_network *all;
    const struct net_type *type;
    const struct fc_field *fields; /* of its states, in the type's order */
    /* What others see of a node that is up; NULL: by the type, of its state. */
    const uint8_t (*views)[NET_VIEW_SIZE];
    bool over; /* nothing has to happen any more */
};

enum net_asked_form {
    NET_OF_STATES, /* holds in every state */
    NET_OF_STEPS,  /* of every step */
    NET_LEADS_TO,  /* for each instance: whenever it wants, it gets at last */
};

/* Which runs without end count (docs/properties.md). */
enum net_fairness {
    NET_FAIR,      /* a cycle that can be left by what must happen is left */
    NET_BY_CHANCE, /* one is left if a coin falls in it */
    NET_UNFAIR,    /* none need be left */
};

struct net_property {
    char name[NET_ASKED_NAME];
    const char *says; /* the text */
    enum net_asked_form form;
    enum net_fairness fairness; /* NET_LEADS_TO */
    uint32_t instances;         /* the same: of the nodes it is bound to */
    bool at_start;  /* it wants at the start of a run, and then no more */
    bool sees_end;  /* it asks whether a run is over */
    bool symmetric; /* nodes that are alike are alike to it */
    const void *of; /* for these two; either is false if there is no value */
    bool (*holds)(const struct net_property *p, const struct net_moment *now,
                  const struct net_moment *next, bool *holds);
    bool (*stands)(const struct net_property *p, uint32_t instance,
                   const struct net_moment *now, bool *wants, bool *gets);
};

struct net_asked {
    uint32_t count;
    bool steps, leads; /* some property is of steps; of what comes later */
    bool sees_end;
    struct net_property property[NET_ASKED_MAX];
};

/* What is said of a property without a value. */
extern const char net_no_value[];

/* The properties of states that `next` breaks, and of steps if it comes after
 * `now`, which may be NULL; a bit each.  Where a run is over, only of states
 * that ask for that.  Sets `*failed` if one has no value. */
uint32_t net_asked_broken(const struct net_asked *asked,
                          const struct net_moment *now,
                          const struct net_moment *next, bool *failed);

/* The name of a property by its bit, or NULL. */
const char *net_property_name(const struct fc_protocol *p,
                              const struct net_asked *asked, uint32_t bit);
static inline const char *net_property(const struct net *net, uint32_t bit)
{
    return net_property_name(net->protocol, net->asked, bit);
}

/* The view of a node. */
void net_moment_view(const struct net_moment *m, uint32_t node,
                     uint8_t view[NET_VIEW_SIZE]);

#endif
