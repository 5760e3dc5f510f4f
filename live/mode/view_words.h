/*
 * view_words.h - a view of mode proven in words, so that nobody takes it for
 * half of a cluster: the nodes that joined, that left, that are not in it, and
 * why not.
 */
#ifndef LIVE_VIEW_WORDS_H
#define LIVE_VIEW_WORDS_H

#include <stddef.h>

#include "live/common/node_set.h"
#include "live/config/config.h"

enum { LIVE_VIEW_WORDS = 6144 };

struct live_view_change {
    live_node_set listed;  /* nodes that may be in it, or vote for it */
    live_node_set members; /* of the view */
    live_node_set before; /* of the last view of this node; 0: there was none */
    live_node_set heard;  /* at this moment, with the node itself */
};

/* "a, b; left: c; not heard: c"; returns the text. */
const char *live_view_words(const struct live_config *config,
                            const struct live_view_change *change,
                            char text[LIVE_VIEW_WORDS]);

#endif
