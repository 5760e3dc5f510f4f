/*
 * network.c - predicates over the whole network, in a state of the checker (see
 * model.h, core/network.h).
 */
#include "check/model/model.h"
#include "net/judge.h"

enum { FLYING_MAX = 1024 }; /* messages in flight that fit on the stack */

/* What is in flight, and in a complete network the first message of each link;
 * returns how many messages that are. */
static uint32_t add_flying(struct check_model *m, const uint32_t *vector,
                           struct fc_flying out[FLYING_MAX], uint32_t *first)
{
    uint32_t count = 0, pair = 0;

    for (uint32_t l = 0; l < m->links_count; l++) {
        const struct check_link *link = &m->links[l];
        uint32_t mails;
        const struct check_mail *mail =
            check_mails(m, vector[m->link_at[l]], &mails);

        while (pair <= link->to * m->nodes + link->from)
            first[pair++] = count;
        if (count + mails > FLYING_MAX) {
            m->refusal = "more than 1024 messages are in flight, too many for "
                         "its predicates: leave them out with --only";
            return 0;
        }
        for (uint32_t i = 0; i < mails; i++)
            out[count++] = (struct fc_flying){
                link->from, link->to, link->comes_by,
                check_bytes(&m->messages, mail[i].msg, NULL)};
    }
    while (pair <= m->nodes * m->nodes)
        first[pair++] = count;
    return count;
}

uint32_t check_judge_network(struct check_model *m, const uint32_t *vector)
{
    struct net_place place = {&m->setup->net, &m->names, &m->graph, 0};
    _Alignas(8) uint8_t locals[CHECK_NODES_MAX * CHECK_LOCAL_MAX];
    struct fc_flying flying[FLYING_MAX];
    const void *states[CHECK_NODES_MAX];
    fc_name names[CHECK_NODES_MAX];
    bool down[CHECK_NODES_MAX];
    uint32_t first[CHECK_LINKS_MAX + 1];
    struct fc_network all = net_network(&place);
    size_t size = (m->local_size + 7) & ~(size_t)7;

    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t local = vector[m->local_at[i]];

        names[i] = net_name(&m->names, i);
        down[i] = check_info_of(m, i, local)->head.flags & CHECK_DOWN;
        states[i] = locals + i * size + sizeof(struct check_head);
        if (down[i])
            memset(locals + i * size, 0, size);
        else
            check_local_load(m, i, local, locals + i * size);
    }
    all.state = states;
    all.name = names;
    all.down = down;
    all.together &= m->setup->waking == CHECK_WAKE_LISTED;
    all.flying = flying;
    all.flying_count = add_flying(m, vector, flying, first);
    if (m->type->protocol->topology == FC_COMPLETE)
        all.first = first;
    return net_judge(m->setup->net.predicates, m->type->protocol, &all);
}
