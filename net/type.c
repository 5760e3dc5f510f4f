/*
 * type.c - see type.h: all protocols, by their names.
 */
#include "net/type.h"

#include "core/text.h"
#include "protocols/all.h"

#define DECLARE(P) extern const struct net_type P##_type;
FC_PROTOCOLS(DECLARE)

#define ENTRY(P) &P##_type,
const struct net_type *const net_types[] = {FC_PROTOCOLS(ENTRY) NULL};

const struct net_type *net_find(const struct fc_protocol *protocol)
{
    for (uint32_t i = 0; net_types[i]; i++)
        if (net_types[i]->protocol == protocol)
            return net_types[i];
    return NULL;
}

const struct fc_protocol *net_protocol(const char *name)
{
    for (uint32_t i = 0; net_types[i]; i++)
        if (fc_same(net_types[i]->protocol->name, name))
            return net_types[i]->protocol;
    return NULL;
}
