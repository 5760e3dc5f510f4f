/*
 * link_news.c - see link.h: what nodes tell each other of the lives of all
 * (P7).
 *
 * News are told at once when there is something new, and again for a while,
 * because datagrams are lost; and once in a lease while there is nothing new.
 * They travel behind datagrams that are sent anyway.
 */
#include "live/wire/link_parts.h"

#include "live/common/clock.h"
#include "live/wire/news.h"

enum {
    NEWS_MS_MIN = 80, /* between news, while there is nothing new */
    FRESH = 8,        /* times as often when there is, for as long as that */
};

void live_links_watch(struct live_links *links, live_lives *lives)
{
    uint64_t ms = links->config->lease / 1000;

    links->lives = lives;
    links->news_ms = ms < NEWS_MS_MIN ? NEWS_MS_MIN : ms;
}

/* Peers of version 0 would not know what it is. */
static void say_news(struct live_links *links, uint32_t to)
{
    const struct live_channel *channel = &links->channels[to];
    uint8_t wire[LIVE_WIRE_MAX];
    uint64_t now = live_now();
    uint32_t next = 0;
    size_t size;

    if (!links->lives || to == links->self.id || !channel->salt ||
        channel->version < LIVE_SPEAKS_NEWS || !links->places[to].known)
        return;
    links->news_at[to] = uv_now(links->udp.loop);
    while ((size = live_seal_news(&links->self, links->channels, to, now, &next,
                                  wire)))
        links_post(links, to, wire, size);
}

void links_tell_news(struct live_links *links, uint32_t to)
{
    uint64_t now = uv_now(links->udp.loop);
    bool fresh = now - links->fresh_at < links->news_ms;

    uint64_t pause = links->news_ms / (fresh ? FRESH : 1);

    if (now - links->news_at[to] >= pause)
        say_news(links, to);
    if (now - links->keys_at[to] >= pause)
        links_show_keys(links, to);
}

static void tell_all(struct live_links *links)
{
    links->fresh_at = uv_now(links->udp.loop);
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        say_news(links, i);
}

void links_on_meeting(struct live_links *links, bool greeting)
{
    const struct live_opened *o = &links->opened;
    struct live_latest *latest = &links->channels[o->from].latest;

    if (!latest->began)
        latest->began = live_now();
    if (o->new_life)
        tell_all(links);
    else if (greeting)
        say_news(links, o->from);
    if (o->new_life || greeting)
        links_show_keys(links, o->from);
}

/* Of itself a node is told as by a hello. */
static void hear_of(struct live_links *links, uint32_t from, uint32_t node,
                    const struct live_news *news, bool *changed)
{
    struct live_channel *channel = &links->channels[node];
    const struct live_latest *latest = &channel->latest;
    const struct live_known known = {news->life, news->salt, news->maxv};
    uint64_t maxv = channel->maxv;

    if (node == links->self.id) {
        if (links->told && news->life)
            links->told(links->whom, from, &known);
        return;
    }
    *changed |= live_news_learn(channel, news, live_now());
    if (channel->maxv > maxv) /* before it makes that view once more */
        say_news(links, node);
    if (links->lives && latest->life)
        links->lives(links->whom, node, latest->salt ? latest->life : 0,
                     latest->began);
}

void links_on_news(struct live_links *links)
{
    const struct live_opened *o = &links->opened;
    bool changed = o->new_life;
    struct live_news news;
    uint32_t x;

    links->troubles[o->from].good_at = uv_now(links->udp.loop);
    for (uint32_t i = 0; i < live_news_count(o); i++)
        if (live_news_part(&links->self, o, i, &x, &news))
            hear_of(links, o->from, x, &news, &changed);
    if (changed)
        tell_all(links);
}
