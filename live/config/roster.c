/*
 * roster.c - see roster.h.
 */
#include "live/config/roster.h"

#include <sodium.h>
#include <string.h>

#include "core/wire.h"
#include "net/why.h"

enum { FORM = 1, HEAD_BYTES = 8, NODE_BYTES = 5 };

static uint64_t hash_of(const struct live_roster *roster)
{
    uint8_t digest[crypto_generichash_BYTES_MIN];
    uint64_t hash;

    crypto_generichash(digest, sizeof digest, roster->bytes, roster->size, NULL,
                       0);
    hash = fc_get64(digest);
    return hash ? hash : 1;
}

/* ---- Writing ------------------------------------------------------------- */

static void put_byte(struct live_roster *r, size_t value)
{
    r->bytes[r->size++] = (uint8_t)value;
}

static void put_text(struct live_roster *r, const char *text)
{
    size_t size = strlen(text);

    put_byte(r, size);
    memcpy(r->bytes + r->size, text, size);
    r->size += (uint32_t)size;
}

static bool put_node(struct live_roster *r, uint32_t id,
                     const struct live_config_node *node, struct net_why *error)
{
    size_t size = NODE_BYTES + strlen(node->name) + strlen(node->host);

    if (r->size + size > LIVE_ROSTER_MAX)
        return net_refuse(error,
                          "the names and addresses of the nodes that have "
                          "joined are longer than a record has room for; give "
                          "them shorter ones, such as numeric addresses");
    put_byte(r, id);
    put_byte(r, node->port >> 8);
    put_byte(r, node->port & 0xff);
    put_text(r, node->name);
    put_text(r, node->host);
    return true;
}

bool live_roster_make(struct live_roster *roster,
                      const struct live_config *config, live_node_set nodes,
                      uint32_t next, uint64_t tau, struct net_why *error)
{
    *roster = (struct live_roster){.size = HEAD_BYTES};
    roster->bytes[0] = FORM;
    roster->bytes[1] = (uint8_t)next;
    fc_put32(roster->bytes + 4, (uint32_t)tau);
    for (uint32_t id = config->first_count; id < LIVE_NODES_MAX; id++) {
        if (!live_has(nodes, id))
            continue;
        if (!live_config_knows(config, id))
            return net_refuse(error, "nobody here knows node number %u", id);
        if (!put_node(roster, id, &config->nodes[id], error))
            return false;
    }
    roster->hash = hash_of(roster);
    return true;
}

/* ---- Reading ------------------------------------------------------------- */

/* A text with its size before it; false: it is none, or too long. */
static bool take_text(const struct live_roster *r, size_t *at, char *to,
                      size_t room)
{
    size_t size;

    if (*at >= r->size)
        return false;
    size = r->bytes[(*at)++];
    if (size == 0 || size >= room || size > r->size - *at ||
        memchr(r->bytes + *at, 0, size))
        return false;
    memcpy(to, r->bytes + *at, size);
    to[size] = '\0';
    *at += size;
    return true;
}

/* The next node, from `at` on; false: these bytes are none. */
static bool take_node(const struct live_roster *r, size_t *at, uint32_t *id,
                      struct live_config_node *node)
{
    *node = (struct live_config_node){.port = 0};
    if (r->size - *at < NODE_BYTES)
        return false;
    *id = r->bytes[*at];
    node->port = (uint16_t)(r->bytes[*at + 1] << 8 | r->bytes[*at + 2]);
    *at += 3;
    return take_text(r, at, node->name, sizeof node->name) &&
           take_text(r, at, node->host, sizeof node->host);
}

static bool is_roster(const struct live_roster *r)
{
    size_t at = HEAD_BYTES;
    uint32_t least = 0;

    if (r->size < HEAD_BYTES || r->bytes[0] != FORM ||
        r->bytes[1] > LIVE_NODES_MAX || r->bytes[2] || r->bytes[3] ||
        !live_roster_tau(r))
        return false;
    while (at < r->size) {
        struct live_config_node node;
        uint32_t id;

        if (!take_node(r, &at, &id, &node) || id < least || id >= r->bytes[1] ||
            !live_config_is_name(node.name) ||
            !live_config_is_host(node.host) || !node.port)
            return false;
        least = id + 1;
    }
    return true;
}

bool live_roster_read(struct live_roster *roster, const uint8_t *bytes,
                      size_t size)
{
    *roster = (struct live_roster){.hash = 0};
    if (size > LIVE_ROSTER_MAX)
        return false;
    roster->size = (uint32_t)size;
    memcpy(roster->bytes, bytes, size);
    if (!is_roster(roster))
        return false;
    roster->hash = hash_of(roster);
    return true;
}

/* ---- What it says -------------------------------------------------------- */

uint32_t live_roster_next(const struct live_roster *roster)
{
    return roster->bytes[1];
}

uint64_t live_roster_tau(const struct live_roster *roster)
{
    return fc_get32(roster->bytes + 4);
}

bool live_roster_find(const struct live_roster *roster, uint32_t id,
                      struct live_config_node *node)
{
    size_t at = HEAD_BYTES;
    uint32_t found;

    while (at < roster->size && take_node(roster, &at, &found, node))
        if (found == id)
            return true;
    return false;
}

live_node_set live_roster_nodes(const struct live_roster *roster)
{
    struct live_config_node node;
    live_node_set nodes = 0;
    size_t at = HEAD_BYTES;
    uint32_t id;

    while (at < roster->size && take_node(roster, &at, &id, &node))
        nodes |= live_only(id);
    return nodes;
}
