/*
 * fuzz_live_config.c - any text as the file of a cluster: it is read, or
 * refused with a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "live/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct live_config config;
    char socket[LIVE_PATH_MAX];
    struct net_why error;

    if (!live_config_parse(&config, "etc/f", (const char *)data, size,
                           &error)) {
        must(strncmp(error.text, "etc/f:", 6) == 0);
        must(strchr(error.text, ';') != NULL);
        return 0;
    }
    must(config.nodes_count >= 2 && config.nodes_count <= LIVE_NODES_MAX);
    must(config.kill < config.lease && config.tau > 0);
    must(config.first_count >= 2 && config.first_count <= config.nodes_count);
    must(live_config_knows(&config, config.nodes_count - 1));
    for (uint32_t i = 0; i < config.nodes_count; i++) {
        if (!live_config_knows(&config, i)) {
            must(i >= config.first_count);
            continue;
        }
        must(config.nodes[i].port > 0 && config.nodes[i].host[0]);
        must(live_config_find(&config, config.nodes[i].name) == (int)i);
        live_config_socket(&config, i, socket);
        must(strlen(socket) < 108);
    }
    return 0;
}
