/*
 * state.c - the contents of a state, for people (see browse.h).
 */
#include <inttypes.h>

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

/* ---- What people call a move ---------------------------------------------
 *
 * No two moves of a state are called the same. */

/* Which of several messages that look alike. */
static void say_which(const struct check_browse *b, const uint32_t *vector,
                      const struct check_move *move, char *out, size_t size,
                      size_t *used)
{
    const struct check_model *m = &b->model;
    uint32_t count, alike = 0;
    const struct check_mail *mail =
        check_mails(m, vector[m->link_at[move->link]], &count);

    for (uint32_t i = 0; i < count; i++)
        alike += mail[i].msg == mail[move->place].msg;
    if (alike < 2)
        return;
    check_add_words(out, size, used, ", number %d on its link",
                    move->place + 1);
    if (m->timed)
        check_add_words(out, size, used, ", %d tick%s old",
                        mail[move->place].age,
                        mail[move->place].age == 1 ? "" : "s");
}

/* Which outcome of its choices. */
static void say_choices(struct check_browse *b, const uint32_t *vector,
                        const struct check_move *move, const void *msg,
                        char *out, size_t size, size_t *used)
{
    uint32_t parts;

    check_making_begin(&b->making, &b->model, vector, move, msg);
    parts = check_find_parts(&b->making, move->branch, b->part);
    for (uint32_t i = 0; i < parts; i++)
        if (b->part[i].range > 1)
            check_add_words(out, size, used,
                            ", chooses %" PRIu32 " of %" PRIu32,
                            b->part[i].value, b->part[i].range);
}

size_t check_browse_label(struct check_browse *b, uint32_t state,
                          uint32_t index, char *out, size_t size)
{
    struct check_model *m = &b->model;
    const struct check_move *move;
    const void *msg = NULL;
    struct check_spread base;
    uint32_t count;
    size_t used;

    if (!check_browse_expand(b, state) || index >= b->nexts.count)
        return 0;
    move = &b->nexts.list[index].move;
    check_tree_load(&m->tree, state, &base);
    if (check_takes_mail((enum check_move_kind)move->kind)) {
        uint32_t content = base.id[m->link_at[move->link]];

        msg =
            check_bytes(&m->messages,
                        check_mails(m, content, &count)[move->place].msg, NULL);
    }
    used = check_say_move(m, move, msg, "P", out, size);
    if (msg)
        say_which(b, base.id, move, out, size, &used);
    if (b->nexts.list[index].coin)
        say_choices(b, base.id, move, msg, out, size, &used);
    return used;
}
