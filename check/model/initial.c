/*
 * initial.c - how runs begin (see expand.h): every node in the middle of a
 * step, of every length and age that the bounds allow.
 */
#include "check/model/expand.h"

#include "check/model/symmetry.h"
#include "net/clock.h"

static void begin_node(const struct check_model *m, uint32_t node,
                       struct check_head *head)
{
    const struct check_setup *s = m->setup;
    const struct fc_bounds *b = &s->net.world.bounds;

    memset(head, 0, sizeof *head);
    if (m->type->repeats && (s->listed >> node & 1))
        head->left = s->entries == CHECK_ENTRIES_ANY ? 1 : (uint8_t)s->entries;
    if (m->type->clocked) {
        head->flags = CHECK_STARTS;
        head->clock = 1;
    } else if (m->type->repeats) {
        head->flags = 0; /* it takes part from the beginning */
    } else if (s->waking == CHECK_WAKE_ANY) {
        head->flags = CHECK_MAY_START;
    } else if (s->listed >> node & 1) {
        head->flags = CHECK_STARTS;
    }
    if (m->timed && !m->uniform) /* any age from 1 to rmax */
        head->ages = (UINT32_C(2) << b->rmax) - 2;
}

void check_lengths(const struct check_model *m, uint32_t node, uint64_t *least,
                   uint64_t *greatest)
{
    const struct net *s = &m->setup->net;
    struct net_clocks clocks;

    *least = s->world.bounds.rmin;
    *greatest = s->world.bounds.rmax;
    if (s->time != NET_ARCHIMEDEAN || s->clock < NET_CLOCK_ADVERSARY)
        return;
    net_clocks_begin(&clocks, s, &m->names, 1);
    *least = *greatest = net_step_ticks(&clocks, node, 0);
}

static void store(struct check_model *m, struct check_spread *s)
{
    uint64_t pair;
    bool fresh;

    check_tree_touch(&m->tree, s);
    check_finish(m, s);
    pair = check_pair(&m->tree, s);
    (void)check_tree_put(&m->tree, pair, check_pair_hash(pair), &fresh);
}

/* All clocks of the nodes from `node` on. */
static void begin_from(struct check_model *m, uint32_t node,
                       struct check_spread *s)
{
    const struct net *net = &m->setup->net;
    uint64_t least, greatest;
    uint8_t *local;
    size_t size = m->local_size;

    if (node == m->nodes) {
        struct check_spread copy = *s;

        store(m, &copy);
        return;
    }
    local = check_grow(&m->memory, NULL, 0, size);
    if (!local)
        return;
    begin_node(m, node, (struct check_head *)(void *)local);
    if (!m->timed || !m->uniform) {
        s->id[m->local_at[node]] = check_local(m, node, local);
        begin_from(m, node + 1, s);
        check_release(&m->memory, local, size);
        return;
    }
    check_lengths(m, node, &least, &greatest);
    for (uint64_t length = least; length <= greatest; length++) {
        bool in_phase =
            net->time == NET_SYNC || net->clock >= NET_CLOCK_ADVERSARY;

        for (uint64_t age = in_phase ? length : 1; age <= length; age++) {
            struct check_head *head = (struct check_head *)(void *)local;

            head->length = (uint8_t)length;
            head->age = (uint8_t)age;
            s->id[m->local_at[node]] = check_local(m, node, local);
            begin_from(m, node + 1, s);
        }
    }
    check_release(&m->memory, local, size);
}

void check_initial(struct check_model *m)
{
    const struct check_setup *setup = m->setup;
    struct check_budget budget = {
        .crashes = (uint8_t)setup->crashes,
        .losses = (uint8_t)setup->losses,
        .copies = (uint8_t)setup->copies,
        .late = setup->late_ticks != 0,
        .pauses = (uint8_t)setup->pauses,
        .cuts = (uint8_t)setup->cuts,
        .changes = (uint8_t)setup->changes,
    };
    struct check_spread s;

    memset(&s, 0, sizeof s);
    if (m->budgeted)
        s.id[m->budget_at] =
            check_intern(&m->budgets, &m->memory, &budget, sizeof budget);
    begin_from(m, 0, &s);
}
