/*
 * news.c - see news.h.
 *
 *     0  life  8      16  age   8
 *     8  salt  8      24  maxv  8
 *
 * for each node of the first list, in its order.  From version 3 on for any
 * nodes, in several datagrams if need be; before each stands in 8 bytes who it
 * is: the id in the lowest, and above it as much of its mark as there is room
 * for.
 */
#include "live/wire/news.h"

#include "core/wire.h"

enum {
    MOST = LIVE_DATAGRAM_MAX / LIVE_NEWS_BYTES, /* in one datagram */
    MOST_NAMED = LIVE_DATAGRAM_MAX / LIVE_NAMED_BYTES,
    ID_BITS = 8,
};

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

static uint64_t whom(const struct live_self *self, uint32_t id)
{
    return self->marks[id] >> ID_BITS << ID_BITS | id;
}

static void put_news(const struct live_self *self,
                     const struct live_channel *channels, uint32_t x,
                     uint64_t now, uint8_t at[LIVE_NEWS_BYTES])
{
    const struct live_latest own = {self->life, self->salt, self->began};
    struct live_news news =
        x == self->id ? news_of(&own, 0, now)
                      : news_of(&channels[x].latest, channels[x].maxv, now);

    fc_put64(at, news.life);
    fc_put64(at + 8, news.salt);
    fc_put64(at + 16, news.age);
    fc_put64(at + 24, news.maxv);
}

/* The first list, whole; one that is too long for that is of nobody who speaks
 * so. */
static size_t put_first(const struct live_self *self,
                        const struct live_channel *channels, uint64_t now,
                        uint32_t *next, uint8_t bytes[LIVE_DATAGRAM_MAX])
{
    size_t size = 0;

    if (*next || self->first_count > MOST)
        return 0;
    for (; *next < self->first_count; ++*next, size += LIVE_NEWS_BYTES)
        put_news(self, channels, *next, now, bytes + size);
    return size;
}

static size_t put_named(const struct live_self *self,
                        const struct live_channel *channels, uint64_t now,
                        uint32_t *next, uint8_t bytes[LIVE_DATAGRAM_MAX])
{
    size_t size = 0;

    for (; *next < self->nodes_count &&
           size < (size_t)MOST_NAMED * LIVE_NAMED_BYTES;
         ++*next) {
        if (!live_self_knows(self, *next))
            continue;
        fc_put64(bytes + size, whom(self, *next));
        put_news(self, channels, *next, now, bytes + size + 8);
        size += LIVE_NAMED_BYTES;
    }
    return size;
}

size_t live_seal_news(const struct live_self *self,
                      struct live_channel *channels, uint32_t to, uint64_t now,
                      uint32_t *next, uint8_t wire[LIVE_WIRE_MAX])
{
    uint8_t bytes[LIVE_DATAGRAM_MAX];
    size_t size = channels[to].version >= LIVE_SPEAKS_CHANGES
                      ? put_named(self, channels, now, next, bytes)
                      : put_first(self, channels, now, next, bytes);

    if (!size)
        return 0;
    return live_seal(self, &channels[to], to, LIVE_NEWS, channels[to].salt,
                     bytes, size, wire);
}

uint32_t live_news_count(const struct live_opened *opened)
{
    return (uint32_t)(opened->size /
                      (opened->named ? LIVE_NAMED_BYTES : LIVE_NEWS_BYTES));
}

bool live_news_part(const struct live_self *self,
                    const struct live_opened *opened, uint32_t part,
                    uint32_t *node, struct live_news *news)
{
    const uint8_t *at =
        opened->bytes +
        (size_t)part * (opened->named ? LIVE_NAMED_BYTES : LIVE_NEWS_BYTES);
    uint64_t who = opened->named ? fc_get64(at) : part;

    *node = who & ((1u << ID_BITS) - 1);
    if (!live_self_knows(self, *node) ||
        (opened->named && who != whom(self, *node)))
        return false;
    at += opened->named ? 8 : 0;
    *news = (struct live_news){.life = fc_get64(at),
                               .salt = fc_get64(at + 8),
                               .age = fc_get64(at + 16),
                               .maxv = fc_get64(at + 24)};
    return true;
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
