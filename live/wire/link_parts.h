/*
 * link_parts.h - shared by the files of the links: link.c (datagrams that leave
 * and arrive), link_strangers.c (nodes of other generations), link_keys.c (two
 * keys, and versions), link_guests.c (nodes that join), link_open.c (sockets)
 * and link_names.c (addresses of the peers).
 */
#ifndef LIVE_LINK_PARTS_H
#define LIVE_LINK_PARTS_H

#include "live/wire/link.h"

#include "live/wire/link_keys.h"
#include "live/wire/ring.h"
#include "live/wire/trouble.h"

struct lookup;
struct waiting;

struct live_links {
    uv_udp_t udp;                    /* open to all, and all leaves by it */
    uv_udp_t direct[LIVE_PEERS_MAX]; /* what comes from a peer's address */
    bool is_direct[LIVE_PEERS_MAX];
    const struct live_config *config;
    struct live_self self;
    struct live_ring ring;
    struct live_met met;
    live_met_one *met_one;
    struct live_channel channels[LIVE_PEERS_MAX];
    struct sockaddr_storage addresses[LIVE_PEERS_MAX];
    struct live_link_counts counts[LIVE_PEERS_MAX];
    uint64_t hello_at[LIVE_PEERS_MAX]; /* last answer, of uv_now() */
    struct live_trouble troubles[LIVE_PEERS_MAX];
    struct place {                /* where a peer is */
        bool known, named;        /* it has an address; its host is a name */
        bool closing, again;      /* the socket for it is; and reopened then */
        struct lookup *look;      /* under way, or NULL */
        uint64_t looked_at;       /* of uv_now() */
        char host[LIVE_HOST_MAX]; /* what it is the place of */
        uint16_t port;
        struct live_links *links;
    } places[LIVE_PEERS_MAX];
    uv_timer_t names;             /* looks them up again */
    uv_timer_t joins;             /* this node introduces itself */
    struct live_config_node card; /* as what */
    live_guest *guest;
    void *guest_whom;
    uint64_t asked_at[LIVE_PEERS_MAX]; /* that was asked, of uv_now() */
    uint64_t alias_at[LIVE_PEERS_MAX]; /* another one of it was told of */
    uint64_t met_ids; /* of which there are channels, a bit each */
    bool closed;
    live_receive *receive;
    live_told *told;
    live_lives *lives;
    uint64_t news_at[LIVE_PEERS_MAX];  /* last told, of uv_now() */
    uint64_t keys_at[LIVE_PEERS_MAX];  /* keys were last shown */
    uint64_t shown_at[LIVE_PEERS_MAX]; /* a peer's were last logged */
    uint64_t news_ms;                  /* between two times */
    uint64_t fresh_at;                 /* there was something new */
    void *whom;
    struct live_mishaps mishaps;
    struct waiting *delayed;
    uint32_t waiting_count;
    uint32_t handles; /* that the loop still knows */
    struct live_opened opened;
    uint8_t in[LIVE_WIRE_MAX + 1];
};

/* ---- link.c -------------------------------------------------------------- */

/* One handle less that the loop knows: with the last one all is freed. */
void links_release(struct live_links *links);

/* A sealed datagram leaves, once or twice, as tests have it. */
void links_post(struct live_links *links, uint32_t to, uint8_t *wire,
                size_t sealed);

/* Counts a datagram that is refused, and tells of it in the log. */
void links_refuse(struct live_links *links, uint32_t of,
                  enum live_verdict verdict);

/* Whatever waits for its time is dropped. */
void links_drop_delayed(struct live_links *links);

/* Shows our salt to a peer that may not know it, with the key of a slot. */
void links_say_hello(struct live_links *links, uint32_t to, uint64_t echo,
                     enum live_slot slot);

/* For sockets that are to be read. */
void links_on_alloc(uv_handle_t *handle, size_t wished, uv_buf_t *buffer);
void links_on_read(uv_udp_t *udp, ssize_t size, const uv_buf_t *buffer,
                   const struct sockaddr *from, unsigned flags);

/* ---- link_strangers.c ---------------------------------------------------- */

/* A datagram of another configuration, which was opened. */
void links_on_stranger(struct live_links *links, const struct sockaddr *from);

/* ---- link_news.c --------------------------------------------------------- */

/* Tells a peer, if it is time to, the known lives of all nodes. */
void links_tell_news(struct live_links *links, uint32_t to);

/* What was opened is believed.  If it is of another life of its sender, all are
 * told; a peer that greets is, in any case: it believes us from now on. */
void links_on_meeting(struct live_links *links, bool greeting);

/* News that were opened. */
void links_on_news(struct live_links *links);

/* ---- link_keys.c --------------------------------------------------------- */

/* Shows a peer which keys are read here, if there is reason to (R8). */
void links_show_keys(struct live_links *links, uint32_t to);

/* The keys of a peer, which were opened. */
void links_on_keys(struct live_links *links);

/* ---- link_guests.c ------------------------------------------------------- */

/* A node that is not known has said who it is. */
void links_on_joining(struct live_links *links);

/* From the loop on this node says so, if it joined later. */
void links_begin_joining(struct live_links *links);

/* ---- link_open.c --------------------------------------------------------- */

/* A socket for what comes from the address that a peer has now. */
void links_direct(struct live_links *links, uint32_t peer);
void links_not_direct(struct live_links *links, uint32_t peer);

/* ---- link_names.c -------------------------------------------------------- */

/* This node's address and those that are written as numbers; names are looked
 * up beside the loop, in mode silence at once. False with a sentence. */
bool links_find_places(struct live_links *links, struct net_why *error);

/* The same for one peer that is new, or may have moved; false with a sentence:
 * it is where it was.  And it is nowhere any more. */
bool links_place(struct live_links *links, uint32_t peer,
                 struct net_why *error);
void links_no_place(struct live_links *links, uint32_t peer);

/* Begins to look up names, and ends it. */
void links_begin_names(struct live_links *links);
void links_end_names(struct live_links *links);

#endif
