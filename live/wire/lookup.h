/*
 * lookup.h - the address of a host, looked up beside the loop.
 *
 * In a thread of its own and not in the pool of libuv: a name server that does
 * not answer keeps neither the loop from going on nor the process from ending.
 */
#ifndef LIVE_LOOKUP_H
#define LIVE_LOOKUP_H

#include <netdb.h>
#include <uv.h>

struct live_lookup;

/* `found` is NULL if there is none; `code` says why (gai_strerror). */
typedef void live_looked_up(void *whom, int code, const struct addrinfo *found);

/* Begins; the callback comes from the loop, once.  NULL: no memory or
 * thread. */
struct live_lookup *live_lookup_start(uv_loop_t *loop, const char *host,
                                      const char *port, int family,
                                      live_looked_up *done, void *whom);

/* The callback will not come; not after it came. */
void live_lookup_drop(struct live_lookup *lookup);

#endif
