/*
 * net.h - what a struct fulcrum_net keeps: the words that were said of it.
 */
#ifndef API_NET_H
#define API_NET_H

#include "include/fulcrum/net.h"
#include "net/make.h"

/* Of the network and of both tools; of the simulator; of the checker. */
enum api_key {
    API_NODES,
    API_NAMES,
    API_TOPOLOGY,
    API_TIME,
    API_BOUNDS,
    API_CLOCK,
    API_PHASES,
    API_DELAYS,
    API_LINKS,
    API_WAKE,
    API_ENTRIES,
    API_SECTION,
    API_UNTIL,
    API_OF_SIM,
    API_THINK = API_OF_SIM,
    API_BURST,
    API_OF_CHECK,
    API_CRASHES = API_OF_CHECK,
    API_LOSS,
    API_DUPLICATE,
    API_RESTARTS,
    API_STATES,
    API_MEMORY,
    API_THREADS,
    API_SYMMETRY,
    API_REDUCE,
    API_KEYS,
};

struct fulcrum_net {
    char *protocol;
    char *said[API_KEYS]; /* NULL: nothing */
    struct api_list {     /* what may be said again */
        char **texts;
        uint32_t count;
    } settings, faults; /* KEY=VALUE; of the simulator, as --fault takes them */
    struct net_why why;
};

/* The words as net_make() takes them, with `nodes` where no number was
 * given. */
struct net_words api_words(const struct fulcrum_net *net, const char *nodes);

/* Refuses what was said that is for the other tool: keys from `first` to the
 * one before `end`. */
bool api_fits(struct fulcrum_net *net, enum api_key first, enum api_key end,
              const char *tool);

/* A whole number that was said, or *number as it is; false: refused. */
bool api_number(struct fulcrum_net *net, enum api_key key, uint64_t least,
                uint64_t most, uint64_t *number);

/* One of a table of numbers of a result, by its name. */
struct api_number {
    const char *name;
    size_t offset; /* of a uint64_t */
};
int api_find_number(const struct api_number *table, const void *result,
                    const char *name, double *value);

/* The number-th bit of a set, from 0 on; -1: there are no more. */
int api_bit(uint32_t set, size_t number);

#endif
