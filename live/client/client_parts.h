/*
 * client_parts.h - what the files of the client share: client.c (connection and
 * letters), claim.c (what its threads share) and find.c (the node of this
 * machine).
 */
#ifndef LIVE_CLIENT_PARTS_H
#define LIVE_CLIENT_PARTS_H

#include "live/client/client.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * What the threads of a process share of a connection: a page of memory that
 * the kernel wipes in a forked child (rule K10).  So a child finds that it
 * holds nothing, without a call of the system at each look, and whatever its
 * number is: in a PID namespace of its own it may have that of its parent.
 *
 * A thread that looks at the deadline takes no lock, and never waits: a look
 * may come from a signal handler, or from a thread that must not be held up.
 * So a page that somebody looks at must not be unmapped.  There are two places
 * for pages; a grant goes to the place of the grant before the last one, when
 * nobody looks there any more.
 */
struct live_claim {
    _Atomic uint32_t place;      /* of the page that counts, from 1; 0: none */
    _Atomic uint32_t readers[2]; /* readers of the page of each place */
    bool here;                   /* false: this is a forked child */
    uint64_t time_ns;            /* live_time_namespace(), when it was opened */
    pthread_mutex_t lock;        /* of all below; held for moments */
    pthread_cond_t turn;         /* to read has been somebody else's */
    bool reading;                /* somebody waits for a letter */
    bool asked;                  /* and has neither been refused nor released */
    bool releasing;              /* the node was told, and has not answered */
    _Atomic bool gone;           /* the node is */
};

/* -1 with errno and a sentence. */
int claim_open(struct live_client *client, struct net_why *error);
void claim_close(struct live_client *client);

/* Refuses in a forked child: -1 with EPERM and a sentence. */
int claim_check(const struct live_client *client, struct net_why *error);

/* The page of a new grant, which it takes over. */
void claim_take(struct live_client *client, struct live_page *page);

/* From now on nothing is held. */
void claim_drop(struct live_client *client);

/* Waits until no other thread reads, and is the reader then; until `until`, if
 * that is not 0: -1 with EAGAIN.  With `releasing`: until the release has been
 * answered, too, and 1 if it has. */
int claim_begin_turn(struct live_claim *claim, uint64_t until, bool releasing);
void claim_end_turn(struct live_claim *claim);

enum { LIVE_SOCKET_PATH = 256 }; /* bytes: the system takes fewer */

/* Where the node of this machine listens, and the user that may serve there
 * besides root and this one.  -1 with errno and a sentence. */
int find_socket(char path[LIVE_SOCKET_PATH], uid_t *owner,
                struct net_why *error);

#endif
