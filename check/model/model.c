/*
 * model.c - the network, its local states, and results that are computed once
 * (see model.h).
 */
#include "check/model/model.h"

#include <stdlib.h>

#include "check/model/expand.h"
#include "check/model/step.h"
#include "check/model/symmetry.h"
#include "net/asked.h"
#include "net/route.h"

/* ---- The network --------------------------------------------------------- */

static void add_links_of(struct check_model *m, uint32_t i)
{
    enum fc_topology topology = m->type->protocol->topology;
    uint32_t ports = net_ports(topology, &m->graph, m->nodes, i);

    for (uint32_t port = 0; port < ports; port++) {
        struct net_route way =
            net_route(topology, &m->graph, m->nodes, i, (uint16_t)port);

        if (way.to != i) /* no link has its own index */
            m->links[m->links_count++] = (struct check_link){
                (uint16_t)i, (uint16_t)way.to, (uint16_t)port, way.comes_by};
    }
}

static int by_receiver(const void *a, const void *b)
{
    const struct check_link *x = a, *y = b;

    if (x->to != y->to)
        return (x->to > y->to) - (x->to < y->to);
    return (x->comes_by > y->comes_by) - (x->comes_by < y->comes_by);
}

/* Numbers the links by receiver, and lays out the vector: each node's local
 * state, then the links to it. */
static void lay_out(struct check_model *m)
{
    uint32_t link = 0;

    for (uint32_t i = 0; i < m->nodes; i++)
        add_links_of(m, i);
    qsort(m->links, m->links_count, sizeof m->links[0], by_receiver);
    m->left_nodes = m->nodes / 2;
    for (uint32_t i = 0; i < m->nodes; i++) {
        if (i == m->left_nodes)
            m->left_places = m->places;
        m->local_at[i] = (uint16_t)m->places++;
        m->first_in[i] = (uint16_t)link;
        for (; link < m->links_count && m->links[link].to == i; link++) {
            m->out[m->links[link].from][m->links[link].leaves_by] =
                (uint16_t)link;
            m->link_at[link] = (uint16_t)m->places++;
        }
    }
    m->first_in[m->nodes] = (uint16_t)link;
    m->cells_at = m->places;
    m->places += m->cells_count > 0;
    m->budget_at = m->places;
    m->places += m->budgeted;
}

static void set_time(struct check_model *m)
{
    const struct net *s = &m->setup->net;
    const struct fc_bounds *b = &s->world.bounds;

    m->timed = s->time != NET_ASYNC;
    m->any_order = s->any_order;
    m->uniform =
        m->timed && (b->rmin == b->rmax || s->clock != NET_CLOCK_DRIFT);
    m->dmin = b->dmin ? b->dmin : 1;
    m->dmax = b->dmax ? b->dmax : 1;
}

/* Where nodes read clocks. */
static const char *misfit_of_clocks(const struct check_setup *setup)
{
    const struct net *s = &setup->net;
    const struct fc_bounds *b = &s->world.bounds;

    if (s->time == NET_ASYNC)
        return "its nodes read clocks, and without time there are none: use "
               "--time sync or --bounds";
    if (s->clock == NET_CLOCK_DRIFT && b->rmin != b->rmax)
        return "its nodes read clocks, and drifting ones are not tried: use "
               "--clock fixed, which tries every rate";
    if (!setup->until)
        return "its nodes read clocks, so states never repeat: give the last "
               "tick to try with --until";
    return NULL;
}

/* Options that are meaningful only with time, or only without a last tick. */
static const char *misfit_of_time(const struct check_setup *setup)
{
    const struct net *s = &setup->net;
    const struct fc_bounds *b = &s->world.bounds;
    bool timed = s->time != NET_ASYNC;
    bool drifts = s->clock == NET_CLOCK_DRIFT && b->rmin != b->rmax;

    if (setup->until && !timed)
        return "without time there is no tick at which to stop: --until needs "
               "--time sync or --bounds";
    if (setup->faults_from && !setup->until)
        return "without --until a state has no tick: --faults-from needs "
               "--until";
    if (setup->pauses && !timed)
        return "without time every node takes as long as it likes: pauses are "
               "tried already";
    if (setup->pauses && !setup->pause_max && !setup->until)
        return "an endless pause is a crash: limit pauses with --pause-max, or "
               "give the last tick to try with --until";
    if (setup->cuts && timed && !setup->cut_max && !setup->until)
        return "an endless cut is not a partition: limit cuts with --cut-max, "
               "or give the last tick to try with --until";
    if (timed && (b->rmax > (drifts ? 30 : UINT8_MAX) || b->dmax > INT16_MAX))
        return "every tick is tried: with drifting clocks a step can have 30 "
               "ticks at most, else 255; scale the bounds down";
    return NULL;
}

const char *check_misfit(const struct check_setup *setup)
{
    const struct net *s = &setup->net;
    const struct net_type *type = net_type_of(s);
    const char *misfit = type->clocked ? misfit_of_clocks(setup) : NULL;

    if (s->world.nodes > CHECK_NODES_MAX)
        return "16 nodes at most can be checked";
    if (s->world.nodes > type->nodes_max)
        return type->crowded;
    if (setup->entries == CHECK_ENTRIES_ANY && type->repeats &&
        !(type->protocol->wraps && type->protocol->wraps(s->params)))
        return "its numbers grow with every request, so that --entries any "
               "has no end; give a number, or a modulus where it has one";
    if (type->protocol->cells &&
        type->protocol->cells(s->params) > CHECK_CELLS_MAX)
        return "64 shared cells at most can be checked";
    return misfit ? misfit : misfit_of_time(setup);
}

/* How local states are laid out. */
static void size_up(struct check_model *m)
{
    const struct check_setup *s = m->setup;

    m->local_size = sizeof(struct check_head) + m->type->state_size;
    if (m->type->record_size && s->crashes && s->back == CHECK_RETURN_BLANK) {
        m->record_at = m->local_size;
        m->local_size += m->type->record_size;
    }
    if (m->type->inside) {
        m->told_at = m->local_size;
        m->local_size += NET_VIEW_SIZE;
    }
}

static bool is_budgeted(const struct check_model *m)
{
    const struct check_setup *s = m->setup;

    return s->crashes || s->losses || s->copies || s->late_ticks || s->pauses ||
           s->cuts || s->changes || s->until || s->given_draw ||
           m->type->remembers;
}

bool check_model_begin(struct check_model *m, const struct check_setup *setup)
{
    static const uint32_t no_cells[CHECK_CELLS_MAX];
    const struct net *s = &setup->net;

    memset(m, 0, sizeof *m);
    m->setup = setup;
    m->type = net_type_of(s);
    m->memory.limit = setup->memory_max;
    m->nodes = s->world.nodes;
    if (m->type->protocol->cells)
        m->cells_count = m->type->protocol->cells(s->params);
    m->refusal = check_misfit(setup);
    size_up(m);
    if (!m->refusal && (m->local_size > CHECK_LOCAL_MAX ||
                        m->nodes * (m->local_size + 7) > CHECK_LOCALS_MAX))
        m->refusal = "its local states are too large";
    if (m->refusal)
        return false;
    set_time(m);
    m->alike = m->type->protocol->anonymous && !m->type->protocol->marked;
    m->remembers = m->type->remembers;
    m->judged = net_asked(&m->setup->net) && net_asked(&m->setup->net)->steps
                    ? 2
                : net_asked(&m->setup->net) || m->setup->net.predicates ? 1
                                                                        : 0;
    m->budgeted = is_budgeted(m);
    m->halved = !m->budgeted && !setup->symmetry && !m->cells_count;
    if (net_names_begin(&m->names, s, 1, true, &m->net_memory) != 0 ||
        (m->type->protocol->topology == FC_TREE &&
         net_graph_begin(&m->graph, s, 1, &m->net_memory) != 0))
        return false;
    if (!check_symmetry_begin(m))
        return false;
    lay_out(m);
    m->buffer = check_grow(&m->memory, NULL, 0, m->type->out_size);
    if (!m->buffer || m->places > CHECK_PLACES_MAX)
        return false;
    /* Content 0 is a link with nothing on it. */
    (void)check_intern(&m->contents, &m->memory, "", 0);
    (void)check_intern(&m->cells, &m->memory, no_cells,
                       m->cells_count * sizeof no_cells[0]);
    return check_tree_begin(&m->tree, &m->memory, m->places, m->left_places) &&
           !m->memory.failed;
}

void check_model_free(struct check_model *m)
{
    for (uint32_t i = 0; i < m->nodes && i < CHECK_NODES_MAX; i++) {
        struct check_locals *l = &m->locals[i];

        check_intern_free(&l->packed, &m->memory);
        check_memo_free(&l->steps, &m->memory);
        check_release(&m->memory, l->info, l->info_room * sizeof *l->info);
    }
    check_intern_free(&m->messages, &m->memory);
    check_intern_free(&m->contents, &m->memory);
    check_intern_free(&m->budgets, &m->memory);
    check_intern_free(&m->views, &m->memory);
    check_intern_free(&m->cells, &m->memory);
    check_memo_free(&m->content_memo, &m->memory);
    check_memo_free(&m->budget_memo, &m->memory);
    check_memo_free(&m->naming_memo, &m->memory);
    check_release(&m->memory, m->outcomes,
                  m->outcomes_room * sizeof *m->outcomes);
    check_release(&m->memory, m->sends, m->sends_room * sizeof *m->sends);
    check_release(&m->memory, m->buffer, m->type ? m->type->out_size : 0);
    check_halves_free(m);
    check_tree_free(&m->tree);
    net_memory_free(&m->net_memory);
}

/* ---- Local states -------------------------------------------------------- */

static void describe(struct check_model *m, uint32_t node, const uint8_t *bytes,
                     struct check_info *info)
{
    struct net_place place = {&m->setup->net, &m->names, &m->graph, node};
    uint8_t view[NET_VIEW_SIZE];
    enum fc_phase phase;

    memset(info, 0, sizeof *info);
    memcpy(&info->head, bytes, sizeof info->head);
    m->type->view(&place, bytes + sizeof info->head, view, &phase);
    if (m->told_at)
        memcpy(view, bytes + m->told_at, sizeof view);
    info->view = check_intern(&m->views, &m->memory, view, sizeof view);
    info->phase = (uint8_t)phase;
    info->insane = m->type->sane(&place, bytes + sizeof info->head) != NULL;
    for (uint32_t t = 0; t < m->type->timers; t++)
        if (info->head.timer[t])
            info->armed |= (uint8_t)(1u << t);
    info->counts = info->armed || info->head.section;
}

static bool room_for_info(struct check_model *m, struct check_locals *l)
{
    uint32_t room = (uint32_t)check_more(l->info_room);
    struct check_info *info;

    if (l->packed.count < l->info_room)
        return true;
    info = check_grow(&m->memory, l->info, l->info_room * sizeof *info,
                      room * sizeof *info);
    if (!info)
        return false;
    l->info = info;
    l->info_room = room;
    return true;
}

/* All that can fail comes before the string is added: a number without its info
 * must not stay. */
uint32_t check_local(struct check_model *m, uint32_t node, const uint8_t *bytes)
{
    uint8_t packed[CHECK_PACKED_MAX(CHECK_LOCAL_MAX)];
    size_t size = check_pack(bytes, m->local_size, packed);
    struct check_locals *l = check_locals_of(m, node);
    struct check_info info;
    uint32_t number;

    if (check_intern_find(&l->packed, packed, size, &number)) {
        check_fit(m, number, CHECK_LOCAL_BITS);
        return number;
    }
    describe(m, node, bytes, &info);
    if (m->memory.failed || !room_for_info(m, l))
        return 0;
    number = check_intern(&l->packed, &m->memory, packed, size);
    if (!m->memory.failed)
        l->info[number] = info;
    check_fit(m, number, CHECK_LOCAL_BITS);
    return number;
}

/* ---- Results that are computed once -------------------------------------- */

uint32_t check_memoised(struct check_model *m, const struct check_memo *memo,
                        uint64_t question,
                        uint32_t (*compute)(struct check_model *home,
                                            const void *asked),
                        const void *asked)
{
    size_t at = (size_t)((const char *)memo - (const char *)m);
    struct check_model *home = check_model_enter(m);
    struct check_memo *there = (struct check_memo *)(void *)((char *)home + at);
    const uint32_t *known = check_recall(there, question);
    uint32_t answer = known ? *known : compute(home, asked);

    if (!known && check_sound(home))
        check_remember(there, &home->memory, question, answer);
    check_model_leave(m);
    return answer;
}
