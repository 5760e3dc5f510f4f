/*
 * news.c - see news.h.
 *
 *     0  life  8      16  age   8
 *     8  salt  8      24  maxv  8
 *
 * for each node of the list, in its order.
 */
#include "live/wire/news.h"

#include <assert.h>

#include "core/wire.h"

_Static_assert((int)LIVE_NODES_MAX *LIVE_NEWS_BYTES <= (int)LIVE_DATAGRAM_MAX,
               "news of all nodes fit in a datagram");

/* By which a life must be older than it was known to be for others to hear of
 * it at once: microseconds.  Clocks that run at different rates are less apart
 * between two news. */
enum { OLDER = 1000 };

static struct live_news news_of(const struct live_latest *latest, uint64_t maxv,
                                uint64_t now)
{
    return (struct live_news){
        .life = latest->life,
        .salt = latest->salt,
        .age = latest->began && latest->began < now ? now - latest->began : 0,
        .maxv = maxv};
}

size_t live_seal_news(const struct live_self *self,
                      struct live_channel *channels, uint32_t to, uint64_t now,
                      uint8_t wire[LIVE_WIRE_MAX])
{
    const struct live_latest own = {self->life, self->salt, self->began};
    uint8_t bytes[LIVE_NODES_MAX * LIVE_NEWS_BYTES];

    assert(self->nodes_count <= LIVE_NODES_MAX);
    for (uint32_t x = 0; x < self->nodes_count; x++) {
        uint8_t *at = bytes + (size_t)LIVE_NEWS_BYTES * x;
        struct live_news news =
            x == self->id ? news_of(&own, 0, now)
                          : news_of(&channels[x].latest, channels[x].maxv, now);

        fc_put64(at, news.life);
        fc_put64(at + 8, news.salt);
        fc_put64(at + 16, news.age);
        fc_put64(at + 24, news.maxv);
    }
    return live_seal(self, &channels[to], to, LIVE_NEWS, channels[to].salt,
                     bytes, (size_t)LIVE_NEWS_BYTES * self->nodes_count, wire);
}

struct live_news live_news_of(const uint8_t *bytes, uint32_t node)
{
    const uint8_t *at = bytes + (size_t)LIVE_NEWS_BYTES * node;

    return (struct live_news){.life = fc_get64(at),
                              .salt = fc_get64(at + 8),
                              .age = fc_get64(at + 16),
                              .maxv = fc_get64(at + 24)};
}

/* Two starts have counted the same number, of one record: neither is believed
 * from now on. */
static bool is_disputed(const struct live_latest *latest,
                        const struct live_news *news)
{
    return news->life == latest->life && news->salt != latest->salt;
}

bool live_news_learn(struct live_channel *channel, const struct live_news *news,
                     uint64_t now)
{
    struct live_latest *latest = &channel->latest;
    uint64_t began = news->age < now ? now - news->age : 1;
    bool changed = false;

    if (channel->maxv < news->maxv)
        channel->maxv = news->maxv;
    if (news->life == 0 || news->life < latest->life)
        return false;
    if (news->life > latest->life) {
        *latest = (struct live_latest){news->life, news->salt, began};
        return true;
    }
    if (is_disputed(latest, news)) {
        changed = latest->salt != 0;
        latest->salt = 0;
    }
    if (!latest->began || began < latest->began) {
        changed |= !latest->began || latest->began - began >= OLDER;
        latest->began = began;
    }
    return changed;
}
