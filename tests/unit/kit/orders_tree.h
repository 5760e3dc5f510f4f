/*
 * orders_tree.h - for orders.h: node 0 is the root, and all others hang on it
 * (a path of two, a star of three).
 */
static inline struct fc_rooted orders_site(uint32_t nodes, uint32_t node)
{
    return (struct fc_rooted){node == 0, node == 0 ? nodes - 1 : 1};
}

static inline uint32_t orders_leads(uint32_t nodes, uint32_t from,
                                    uint16_t port, uint16_t *comes_by)
{
    assert_true(port < (from == 0 ? nodes - 1 : 1));
    *comes_by = (uint16_t)(from == 0 ? 0 : from - 1);
    return from == 0 ? port + 1u : 0;
}
