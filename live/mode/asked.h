/*
 * asked.h - the requests of other nodes to this one in its view, for people:
 * which of the nodes whose consent is lacking has the lock, and which is only
 * ahead in line.
 *
 * No message says that.  But requests are numbered, and consent is given in the
 * order of the numbers: of the nodes ahead, the least has the lock, or is about
 * to.  A node that holds it since before this view, or by consents that it has
 * kept, has asked nobody: it counts as the least.  This is a hint, not a proof.
 */
#ifndef LIVE_ASKED_H
#define LIVE_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "live/common/node_set.h"

struct live_asked;

/* NULL: no memory is left, and that is well. */
struct live_asked *live_asked_open(void);
void live_asked_close(struct live_asked *asked);

struct live_asked_request {
    uint64_t lock;
    uint32_t view, number;
    uint32_t from;
    bool shared;
};
void live_asked_note(struct live_asked *asked,
                     const struct live_asked_request *request);

/* The nodes of a set that have the lock as far as is known: one, or several
 * readers; or none. */
live_node_set live_asked_first(const struct live_asked *asked, uint64_t lock,
                               uint32_t view, live_node_set set);

#endif
