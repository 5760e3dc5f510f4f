/*
 * versions.c - see versions.h.
 */
#include "live/wire/versions.h"

#include <stddef.h>

#include "live/wire/datagram.h"

static const char *const words[LIVE_VERSIONS] = {
    [LIVE_SPEAKS_FRAMES] = "what nodes of 0.4.0 speak",
    [LIVE_SPEAKS_NEWS] = "news of the lives of all nodes",
    [LIVE_SPEAKS_KEYS] = "which keys a node can read",
    [LIVE_SPEAKS_CHANGES] = "a list of nodes that changes",
};

const char *live_version_words(uint32_t version)
{
    return version < LIVE_VERSIONS ? words[version] : NULL;
}

/* Of one that was never heard all is 0. */
uint32_t live_spoken_with(const struct live_channel *channel)
{
    return channel->version < LIVE_LINK_VERSION ? channel->version
                                                : LIVE_LINK_VERSION;
}

uint32_t live_spoken(const struct live_self *self,
                     const struct live_channel *channels, uint64_t among,
                     uint64_t *least)
{
    uint32_t lowest = LIVE_LINK_VERSION;
    uint64_t those = 0;

    for (uint32_t x = 0; x < self->nodes_count; x++) {
        uint32_t one =
            x == self->id ? LIVE_LINK_VERSION : live_spoken_with(&channels[x]);

        if (!(among >> x & 1) || !live_self_knows(self, x))
            continue;
        if (one < lowest) {
            lowest = one;
            those = 0;
        }
        if (one == lowest && one < LIVE_LINK_VERSION)
            those |= UINT64_C(1) << x;
    }
    if (least)
        *least = those;
    return lowest;
}
