/*
 * state.c - the contents of a state, for people (see browse.h).
 */
#include "check/browse/browsing.h"
#include "check/model/links.h"
#include "check/search/explore.h"
#include "check/tell/words.h"

static uint32_t steps_left(const struct check_model *m, uint32_t counter)
{
    if (counter == 0)
        return CHECK_TIMER_OFF;
    return m->timed ? counter - 1 : 0;
}

static void show_node(struct check_browse *b, const uint32_t *vector,
                      const struct check_budget *budget, uint32_t i)
{
    struct check_model *m = &b->model;
    struct net_place place = {&m->setup->net, &m->names, &m->graph, i};
    uint32_t local = vector[m->local_at[i]];
    const struct check_info *info = check_info_of(m, i, local);
    uint8_t *bytes = b->locals + i * (b->locals_size / m->nodes);
    struct check_node_now *n = &b->node[i];

    check_local_load(m, i, local, bytes);
    *n = (struct check_node_now){
        .name = check_name_of(m, i),
        .state = bytes + sizeof(struct check_head),
        .flags = info->head.flags,
        .phase = info->phase,
        .paused = info->head.paused != 0,
        .apart = budget->apart >> i & 1,
        .left = info->head.left,
        .section = steps_left(m, info->head.section),
        .length = info->head.length,
        .age = info->head.age,
        .ages = info->head.ages,
        .clock = info->head.clock,
    };
    for (uint32_t t = 0; t < FC_TIMERS; t++)
        n->timer[t] = steps_left(m, info->head.timer[t]);
    m->type->show(check_bytes(&m->views, info->view, NULL), &n->shown);
    if (info->insane)
        n->insane = m->type->sane(&place, n->state);
}

static bool show_link(struct check_browse *b, const uint32_t *vector,
                      uint32_t link, uint32_t *mails)
{
    struct check_model *m = &b->model;
    uint32_t count;
    const struct check_mail *mail =
        check_mails(m, vector[m->link_at[link]], &count);

    for (uint32_t i = 0; i < count; i++) {
        const void *msg = check_bytes(&m->messages, mail[i].msg, NULL);
        struct check_mail_now *now;

        if (!check_make_room(&m->memory, &b->mail, &b->mail_room, *mails,
                             sizeof *b->mail))
            return false;
        now = &b->mail[(*mails)++];
        *now = (struct check_mail_now){
            .from = m->links[link].from,
            .to = m->links[link].to,
            .link = (uint16_t)link,
            .place = (uint16_t)i,
            .age = mail[i].age,
            .late = mail[i].late,
            .kind = m->type->kind(msg),
            .msg = msg,
        };
        now->fields_count = m->type->fields(msg, now->field);
    }
    return true;
}

static bool room_for_locals(struct check_browse *b)
{
    struct check_model *m = &b->model;
    size_t size = m->nodes * ((m->local_size + 7) & ~(size_t)7);

    if (b->locals)
        return true;
    b->locals = check_grow(&m->memory, NULL, 0, size);
    b->locals_size = b->locals ? size : 0;
    return b->locals != NULL;
}

bool check_browse_look(struct check_browse *b, uint32_t state,
                       struct check_state_now *out)
{
    struct check_model *m = &b->model;
    struct check_spread base;
    uint32_t word;

    m->memory.limit = 0;
    if (!check_browse_visit(b, state))
        return false;
    if (!room_for_locals(b))
        return check_browse_sound(b);
    check_tree_load(&m->tree, state, &base);
    word = b->edges.list[b->at[state]];
    *out = (struct check_state_now){
        .nodes = m->nodes,
        .node = b->node,
        .cells = m->cells_count,
        .budget = check_budget_of(m, base.id),
        .quiet = word & CHECK_QUIET,
        .last = word & CHECK_LAST,
        .broken = m->setup->net.predicates ? b->predicates[state] : 0,
    };
    if (out->quiet)
        out->broken_at_end = check_broken_at_end(m, state);
    if (m->cells_count)
        out->cell = (const uint32_t *)(const void *)check_bytes(
            &m->cells, base.id[m->cells_at], NULL);
    for (uint32_t i = 0; i < m->nodes; i++)
        show_node(b, base.id, &out->budget, i);
    for (uint32_t l = 0; l < m->links_count; l++)
        if (!show_link(b, base.id, l, &out->mails))
            return check_browse_sound(b);
    out->mail = b->mail;
    return true;
}
