/*
 * suzuki_kasami.h - the types of suzuki_kasami.c; the story is in README.md.
 */
#ifndef SUZUKI_KASAMI_H
#define SUZUKI_KASAMI_H

#include "core/wire.h"
#include "problems/mutex.h"

enum suzuki_kasami_kind {
    SUZUKI_KASAMI_REQUEST = 1, /* numbered by the site that asks */
    SUZUKI_KASAMI_TOKEN,       /* its number counts the entries so far */
    SUZUKI_KASAMI_KINDS,
};

/* Sites stand in the queue as one byte each; rounded up, so that nothing is
 * padded. */
enum { SUZUKI_KASAMI_QUEUE = (FC_NODES_MAX + 7) / 8 * 8 };
_Static_assert(FC_NODES_MAX <= 256, "a site is a byte");

/* What the token carries: LN and Q of the paper. */
struct suzuki_kasami_token {
    uint32_t served[SUZUKI_KASAMI_QUEUE]; /* LN: the last request, by site */
    uint8_t queue[SUZUKI_KASAMI_QUEUE];   /* Q: next sites, in order */
};

struct suzuki_kasami {
    uint64_t number; /* entries up to this site's last one */
    uint32_t asked[SUZUKI_KASAMI_QUEUE]; /* RN: the last heard of, by site */
    struct suzuki_kasami_token token;    /* zeroes, if it is elsewhere */
    uint16_t queued;                     /* sites in its queue */
    uint8_t moved; /* whether the token is here has changed since the start */
    uint8_t role;  /* enum mutex_role: idle, waits, inside */
    uint8_t unused[4];
};

struct suzuki_kasami_msg {
    uint64_t number;
    struct suzuki_kasami_token token;
    uint16_t nodes; /* of a token: the sites that it knows */
    uint16_t queued;
    uint8_t kind; /* 0: no message */
    uint8_t unused[3];
};
enum { suzuki_kasami_msg_wire = 13 + 5 * FC_NODES_MAX };

struct suzuki_kasami_params {
    uint8_t holders; /* enum mutex_holders */
};

#define suzuki_kasami_site     fc_member
#define suzuki_kasami_problem  mutex
#define suzuki_kasami_topology FC_COMPLETE
#define suzuki_kasami_timers   0
#define suzuki_kasami_traits   FC_MEASURED

FC_PROTOCOL(suzuki_kasami);

#endif
