/*
 * guest.c - see guest.h.  What a node says of itself:
 *
 *     0  id         4      7  size of the host  1
 *     4  port       2      8  name
 *     6  size of the name  1   host
 *
 * There is one way to write a node, so its hash is that of the node.
 */
#include "live/wire/guest.h"

#include <sodium.h>
#include <string.h>

#include "core/wire.h"

enum { AT_PORT = 4, AT_NAME_SIZE = 6, AT_HOST_SIZE = 7 };

_Static_assert(LIVE_HOST_MAX <= 256, "its size is a byte");

size_t live_card_pack(const struct live_config_node *node, uint32_t id,
                      uint8_t bytes[LIVE_CARD_MAX])
{
    size_t name = strlen(node->name), host = strlen(node->host);

    fc_put32(bytes, id);
    fc_put16(bytes + AT_PORT, node->port);
    bytes[AT_NAME_SIZE] = (uint8_t)name;
    bytes[AT_HOST_SIZE] = (uint8_t)host;
    memcpy(bytes + LIVE_CARD_HEAD, node->name, name);
    memcpy(bytes + LIVE_CARD_HEAD + name, node->host, host);
    return LIVE_CARD_HEAD + name + host;
}

bool live_card_unpack(struct live_config_node *node, uint32_t id,
                      const uint8_t *bytes, size_t size)
{
    size_t name, host;

    *node = (struct live_config_node){0};
    if (size < LIVE_CARD_MIN || fc_get32(bytes) != id)
        return false;
    name = bytes[AT_NAME_SIZE];
    host = bytes[AT_HOST_SIZE];
    if (name >= LIVE_NAME_MAX || host >= LIVE_HOST_MAX ||
        size != LIVE_CARD_HEAD + name + host)
        return false;
    node->port = fc_get16(bytes + AT_PORT);
    memcpy(node->name, bytes + LIVE_CARD_HEAD, name);
    memcpy(node->host, bytes + LIVE_CARD_HEAD + name, host);
    if (strlen(node->name) == name && strlen(node->host) == host &&
        live_config_fits(node))
        return true;
    *node = (struct live_config_node){0};
    return false;
}

uint64_t live_card_mark(const uint8_t *bytes, size_t size)
{
    static const uint8_t what[] = "fulcrum node 1";
    uint8_t digest[crypto_generichash_BYTES_MIN];
    crypto_generichash_state state;
    uint64_t mark;

    crypto_generichash_init(&state, NULL, 0, sizeof digest);
    crypto_generichash_update(&state, what, sizeof what - 1);
    crypto_generichash_update(&state, bytes, size);
    crypto_generichash_final(&state, digest, sizeof digest);
    mark = fc_get64(digest);
    return mark ? mark : 1; /* 0 is of the first list */
}

uint64_t live_node_mark(const struct live_config *config, uint32_t id)
{
    uint8_t bytes[LIVE_CARD_MAX];

    if (id < config->first_count || !live_config_knows(config, id))
        return 0;
    return live_card_mark(bytes, live_card_pack(&config->nodes[id], id, bytes));
}
