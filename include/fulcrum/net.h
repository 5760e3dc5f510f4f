/*
 * net.h - a protocol and a network for it, described in words; see
 * fulcrum_net(3).
 */
#ifndef FULCRUM_NET_H
#define FULCRUM_NET_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fulcrum_net;

/* The name of a protocol, from 0 on; NULL: there are no more. */
const char *fulcrum_net_protocol(size_t number);

/* A network for this protocol; NULL: no memory.  To be freed. */
struct fulcrum_net *fulcrum_net_new(const char *protocol);
void fulcrum_net_free(struct fulcrum_net *net);

/* Says one thing about it, by the name of an option of fulcrum-sim(1) or
 * fulcrum-check(1); "set" may be said again for other parameters, and "fault"
 * for other faults.  0; or -1 with EINVAL or ENOMEM and a sentence.  Whether
 * all of it fits together is seen when it runs. */
int fulcrum_net_set(struct fulcrum_net *net, const char *key,
                    const char *value);

/* Why the last call with this network failed. */
const char *fulcrum_net_why(const struct fulcrum_net *net);

#ifdef __cplusplus
}
#endif

#endif
