/*
 * make.h - from words to a network: the one constructor for the command line,
 * the checker and replays.
 *
 * Words come from people.  Whatever they are, the result is a complete network
 * or one sentence that names the mistake and what to write instead.
 */
#ifndef NET_MAKE_H
#define NET_MAKE_H

#include "net/type.h"
#include "net/word.h"

/* As typed after --names, --topology and so on; NULL: not typed. */
struct net_words {
    const char *protocol, *nodes, *names, *topology, *time, *bounds, *clock,
        *phases, *delays, *links, *wake;
    const char *const *settings; /* KEY=VALUE */
    uint32_t settings_count;
    bool returns; /* nodes that crash may come back */
};

enum { NET_TABLES_MAX = 4 };

/* Bounds of --time archimedean, where none are typed. */
extern const char net_default_bounds[];

/* Bounds beyond this would let ticks overflow. */
#define NET_TICKS_MAX (UINT64_C(1) << 40)

/* A network and what it owns. */
struct net_made {
    struct net net;
    void *params;
    fc_name *names;
    uint64_t *steps, *phases, *delays;
    struct net_wake *wakes;
    uint32_t *parents;
    struct net_fault *faults; /* of runs on it: see fault_words.h */
    struct net_strike *strikes;
    uint64_t *tables[NET_TABLES_MAX];
    uint32_t tables_count;
    char set[512]; /* parameters, "key=value key=value" */
};

/* Makes the network of these words; false: refused.  Free it in either case.
 * Describe and prepare it before anything runs on it. */
bool net_make(struct net_made *made, const struct net_words *words,
              struct net_why *why);

/* Prepares the parameters that were made for this network, or for one that
 * came of it, once it is described. */
bool net_prepare(const struct net_made *made, const struct net *net,
                 struct net_why *why);

void net_unmake(struct net_made *made);

/* A parameter as it was typed, in made->set, and where it ends; "" if there is
 * none of that name. */
const char *net_value_of(const struct net_made *made, const char *key,
                         const char **end);

/* The lists that the protocol's parameter says will be asked for. */
uint32_t net_lists_planned(const struct net_made *made);

/* Sets a parameter once more, before the network is prepared; false: refused,
 * and all is as before. */
bool net_set_again(struct net_made *made, const char *key, const char *value,
                   struct net_why *why);

/* The protocol of this name; NULL: refused, with what may have been meant. */
const struct fc_protocol *net_choose(const char *name, struct net_why *why);

/* Whether a node is called that. */
bool net_is_name(const struct net *net, uint64_t name);

/* "nobody is called 99; the names are 1 to 8" */
void net_say_nobody(const struct net *net, const char *name, char *out,
                    size_t size);

#endif
