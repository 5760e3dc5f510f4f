/*
 * orders_ring.h - for orders.h: a ring of one direction, whose sites know
 * their place.
 */
static inline struct fc_member orders_site(uint32_t nodes, uint32_t node)
{
    return (struct fc_member){node, nodes};
}

static inline uint32_t orders_leads(uint32_t nodes, uint32_t from,
                                    uint16_t port, uint16_t *comes_by)
{
    (void)port;
    *comes_by = FC_PREVIOUS;
    return (from + 1) % nodes;
}
