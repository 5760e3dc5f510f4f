/*
 * match.c - from a trace back to the moves of the run (see browse.h).
 *
 * Depth first.  A line of the trace is one of the moves of a state, known by
 * its node, what happens, the message and the choices.  Between lines come
 * moves that no line tells: ticks, steps in which a node only counts, and what
 * the network does to messages.  Ticks follow from the lines; a loss is made as
 * soon as it can be, since a message that is gone hinders nothing; when a
 * message is copied or delayed is tried in all ways.  What was tried in vain is
 * remembered: a state, with so much of the trace behind it at this tick.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/browse/browsing.h"
#include "check/model/links.h"
#include "check/model/step.h"
#include "trace/rows.h"

enum { TRIED_MAX = 200000 };

/* A state on the way, and the lines behind it. */
struct standing {
    uint32_t state, line;
    uint64_t tick;
    uint32_t candidates; /* where its moves begin in the list of them */
};

struct matching {
    struct check_browse *b;
    const struct trace *t;
    struct standing *way;
    uint32_t way_count, way_room;
    struct check_numbers candidates; /* moves that are still to be tried */
    struct check_numbers chosen;     /* the move from each state of the way */
    struct check_table tried;
    struct check_numbers lost, copied; /* messages, as they were sent */
    uint32_t furthest;                 /* line */
    struct check_spread base;
};

/* ---- Messages ------------------------------------------------------------ */

/* Whether a message in flight may be one that the trace tells of. */
static bool is_message(const struct matching *w, const struct check_link *link,
                       const struct check_mail *mail,
                       const struct trace_message *told, uint64_t tick)
{
    const struct check_model *m = &w->b->model;
    const void *msg = check_bytes(&m->messages, mail->msg, NULL);
    uint64_t field[FC_FIELDS_MAX];
    uint32_t count = m->type->fields(msg, field);

    if (link->from != told->from || link->to != told->to ||
        told->kind >= w->t->head.kinds_count || count != told->fields ||
        strcmp(m->type->protocol->kinds[m->type->kind(msg)].name,
               w->t->head.kinds[told->kind].word) != 0)
        return false;
    for (uint32_t i = 0; i < count && i < TRACE_FIELDS_MAX; i++)
        if (field[i] != told->field[i])
            return false;
    return !m->timed || (told->flags & TRACE_COPY) ||
           told->sent + mail->age == tick;
}

/* The number of messages sent before a line. */
static uint32_t sent_before(const struct trace *t, uint32_t line)
{
    return t->event.sent[line];
}

/* Whether the message of a move is one of these, was sent before, and there are
 * more of them than such moves were made. */
static bool is_among(const struct matching *w, const struct standing *s,
                     const struct check_move *move,
                     const struct check_numbers *these, uint32_t made)
{
    const struct check_model *m = &w->b->model;
    uint32_t sent = sent_before(w->t, s->line), before = 0, count;
    const struct check_mail *mail = &check_mails(
        m, w->base.id[m->link_at[move->link]], &count)[move->place];
    bool found = false;

    for (; before < these->count && these->list[before] < sent; before++) {
        struct trace_message told = trace_message_at(w->t, these->list[before]);

        if (these == &w->copied) /* the original is copied */
            told.flags &= (uint8_t)~TRACE_COPY;
        found |= is_message(w, &m->links[move->link], mail, &told, s->tick);
    }
    return found && before > made;
}

/* Which messages the network has lost and copied.  For those that it does not
 * carry across a partition there is no move. */
static bool list_faults(struct matching *w)
{
    const struct trace *t = w->t;
    uint32_t apart = 0;

    for (uint32_t line = 0; line < t->events_count; line++) {
        struct trace_event e = trace_event_at(t, line);

        if (e.what == TRACE_CUT || e.what == TRACE_JOINED)
            apart ^= UINT32_C(1) << e.lane;
        for (uint32_t i = e.sent; i < e.sent + e.sends; i++) {
            struct trace_message told = trace_message_at(t, i);
            bool across = (apart >> told.from & 1) != (apart >> told.to & 1);

            if ((told.flags & TRACE_STRAY) && !across &&
                !check_browse_add(w->b, &w->lost, i))
                return false;
            if ((told.flags & TRACE_COPY) &&
                !check_browse_add(w->b, &w->copied, i))
                return false;
        }
    }
    return true;
}

/* ---- Lines --------------------------------------------------------------- */

/* What the protocol does, as the line tells it: its choices... */
static bool chooses_so(struct matching *w, uint32_t line,
                       const struct check_next *next, const void *msg)
{
    struct check_browse *b = w->b;
    const struct trace *t = w->t;
    uint32_t parts, at = 0;

    if (!next->coin)
        return true;
    check_making_begin(&b->making, &b->model, w->base.id, &next->move, msg);
    parts = check_find_parts(&b->making, next->move.branch, b->part);
    while (at < t->choices_count && t->choices[at].event < line)
        at++;
    for (uint32_t i = 0; i < parts; i++) {
        if (b->part[i].range <= 1)
            continue;
        if (at == t->choices_count || t->choices[at].event != line ||
            t->choices[at].value != b->part[i].value)
            return false;
        at++;
    }
    return true;
}

/* ...and what it sends. */
static bool sends_so(struct matching *w, const struct trace_event *e,
                     const struct check_move *move)
{
    struct check_model *m = &w->b->model;
    const struct check_outcome *o = check_outcome_of(m, &w->base, move);
    uint32_t sent = 0;

    for (uint32_t i = 0; o && i < e->sends; i++) {
        struct trace_message told = trace_message_at(w->t, e->sent + i);
        const struct check_send *send = &m->sends[o->sends + sent];
        struct check_mail mail;

        if (told.flags & TRACE_COPY)
            continue;
        if (sent++ == o->sends_count)
            return false;
        mail = (struct check_mail){.msg = send->msg};
        if (!is_message(w, &m->links[m->out[move->node][send->port]], &mail,
                        &told, told.sent))
            return false;
    }
    return o && sent == o->sends_count;
}

static bool is_command(const struct matching *w, const struct trace_event *e,
                       const struct check_move *move)
{
    const struct fc_protocol *p = w->b->model.type->protocol;
    const char *asks = trace_asked_word(&w->t->head, e->what, e->timer);

    if (asks == NULL)
        return false;
    return move->kind == CHECK_START
               ? e->what == TRACE_WAKE
               : strcmp(fc_command_word(p, move->what), asks) == 0;
}

/* Whether this message is the one that is read, or missed. */
static bool is_taken(const struct matching *w, const struct standing *s,
                     const struct trace_event *e, const struct check_move *move)
{
    const struct check_model *m = &w->b->model;
    struct trace_message told;
    uint32_t count;

    if (e->what != (move->kind == CHECK_READ ? TRACE_READ : TRACE_MISSES))
        return false;
    told = trace_message_at(w->t, e->message);
    return is_message(w, &m->links[move->link],
                      &check_mails(m, w->base.id[m->link_at[move->link]],
                                   &count)[move->place],
                      &told, s->tick);
}

static bool is_told(const struct matching *w, const struct standing *s,
                    const struct trace_event *e, const struct check_move *move)
{
    switch ((enum check_move_kind)move->kind) {
    case CHECK_READ:
    case CHECK_MISS:
        return is_taken(w, s, e, move);
    case CHECK_TIMEOUT:
        return e->what == TRACE_TIMEOUT && e->timer == move->what;
    case CHECK_COMMAND:
    case CHECK_START:
        return is_command(w, e, move);
    case CHECK_RESTART:
        return e->what == TRACE_RESTART;
    case CHECK_CRASH:
        return e->what == TRACE_CRASH;
    case CHECK_PAUSE:
        return e->what == TRACE_PAUSE;
    case CHECK_CUT:
        return e->what == TRACE_CUT;
    case CHECK_JOIN:
        return e->what == TRACE_JOINED;
    default:
        return false;
    }
}

static bool is_line(struct matching *w, const struct standing *s,
                    const struct check_next *next)
{
    const struct check_model *m = &w->b->model;
    const struct check_move *move = &next->move;
    uint32_t lane =
        move->kind == CHECK_MISS ? m->links[move->link].to : move->node;
    const void *msg = NULL;
    struct trace_event e;
    uint32_t count;

    if (s->line == w->t->events_count)
        return false;
    e = trace_event_at(w->t, s->line);
    if (e.lane != lane || (m->timed && e.tick != s->tick) ||
        !is_told(w, s, &e, move))
        return false;
    if (!check_is_event((enum check_move_kind)move->kind))
        return true;
    if (move->kind == CHECK_READ)
        msg = check_bytes(&m->messages,
                          check_mails(m, w->base.id[m->link_at[move->link]],
                                      &count)[move->place]
                              .msg,
                          NULL);
    return sends_so(w, &e, move) && chooses_so(w, s->line, next, msg);
}

/* ---- Moves --------------------------------------------------------------- */

/* Whether the trace lets this node pause when a tick ends. */
static bool is_paused(const struct matching *w, const struct standing *s,
                      uint32_t node)
{
    for (uint32_t i = 0; i < w->t->faults_count; i++) {
        const struct trace_fault *f = &w->t->faults[i];

        if (f->kind == TRACE_FAULT_PAUSE && f->lane == node &&
            f->begins < s->line && s->tick < f->from + f->ticks)
            return true;
    }
    return false;
}

static bool pauses_so(const struct matching *w, const struct standing *s,
                      const uint32_t *vector)
{
    const struct check_model *m = &w->b->model;

    for (uint32_t i = 0; w->b->setup.pauses && i < m->nodes; i++) {
        const struct check_info *info =
            check_info_of(m, i, vector[m->local_at[i]]);

        if ((info->head.paused != 0) != is_paused(w, s, i))
            return false;
    }
    return true;
}

/* When a move is tried, the first first; 0: never. */
static uint32_t urgency(struct matching *w, const struct standing *s,
                        const struct check_next *next)
{
    const struct check_setup *setup = &w->b->setup;
    struct check_budget budget = check_budget_of(&w->b->model, w->base.id);
    const struct trace *t = w->t;
    uint64_t until =
        s->line < t->events_count ? t->event.tick[s->line] : t->end_tick;

    switch ((enum check_move_kind)next->move.kind) {
    case CHECK_LOSE:
        return is_among(w, s, &next->move, &w->lost,
                        setup->losses - budget.losses)
                   ? 6
                   : 0;
    case CHECK_TICK:
        return s->tick < until && pauses_so(w, s, w->base.id) ? 4 : 0;
    case CHECK_STEP:
        return 3;
    case CHECK_COPY:
        return is_among(w, s, &next->move, &w->copied,
                        setup->copies - budget.copies)
                   ? 2
                   : 0;
    case CHECK_DELAY:
        return 1;
    default:
        return is_line(w, s, next) ? 5 : 0;
    }
}

/* The next line that is a move: guards stop their nodes as time passes. */
static uint32_t skip(const struct trace *t, uint32_t line)
{
    while (line < t->events_count && t->event.what[line] == TRACE_STOPPED)
        line++;
    return line;
}

static bool push(struct matching *w, uint32_t state, uint32_t line,
                 uint64_t tick)
{
    uint64_t key[2] = {state | (uint64_t)line << 32, tick};
    struct check_memory *m = &w->b->model.memory;
    bool fresh;

    (void)check_table_put(&w->tried, m, key, 2, check_table_hash(key, 2),
                          &fresh);
    if (!fresh || !check_make_room(m, &w->way, &w->way_room, w->way_count,
                                   sizeof *w->way))
        return false;
    if (line > w->furthest)
        w->furthest = line;
    w->way[w->way_count++] =
        (struct standing){state, line, tick, w->candidates.count};
    return true;
}

/* The moves that may follow, the most urgent last; false if that failed. */
static bool list_candidates(struct matching *w)
{
    struct check_browse *b = w->b;
    struct standing s = w->way[w->way_count - 1];

    if (!check_browse_visit(b, s.state) || !check_browse_expand(b, s.state))
        return false;
    check_tree_load(&b->model.tree, s.state, &w->base);
    for (uint32_t wanted = 1; wanted <= 6; wanted++)
        for (uint32_t i = b->nexts.count; i-- > 0;)
            if (urgency(w, &s, &b->nexts.list[i]) == wanted &&
                !check_browse_add(b, &w->candidates, i))
                return false;
    return true;
}

/* All lines are behind, and so is what they say of the network. */
static bool is_over(const struct matching *w)
{
    const struct standing *s = &w->way[w->way_count - 1];
    const struct check_model *m = &w->b->model;
    struct check_budget budget;
    struct check_spread base;

    if (s->line < w->t->events_count || (m->timed && s->tick < w->t->end_tick))
        return false;
    check_tree_load(&m->tree, s->state, &base);
    budget = check_budget_of(m, base.id);
    return pauses_so(w, s, base.id) &&
           budget.copies + w->copied.count <= m->setup->copies &&
           budget.losses + w->lost.count <= m->setup->losses;
}

/* Goes on with the next candidate of the last state, or back. */
static void go_on(struct matching *w)
{
    struct check_browse *b = w->b;
    struct standing s = w->way[w->way_count - 1];
    uint32_t count, index, to, line = s.line;
    uint64_t tick = s.tick;
    enum check_move_kind kind;

    if (w->candidates.count == s.candidates) {
        w->way_count--;
        if (w->chosen.count)
            w->chosen.count--;
        return;
    }
    index = w->candidates.list[--w->candidates.count];
    if (!check_browse_expand(b, s.state) ||
        !check_browse_add(b, &w->chosen, index))
        return;
    kind = (enum check_move_kind)b->nexts.list[index].move.kind;
    to = check_successors(b, s.state, &count)[index] & ~CHECK_BREAKS;
    if (kind == CHECK_TICK)
        tick++;
    else if (check_is_told(kind))
        line = skip(w->t, line + 1);
    if (!push(w, to, line, tick))
        w->chosen.count--;
    else if (!is_over(w))
        (void)list_candidates(w);
}

/* From one initial state. */
static bool search(struct matching *w, uint32_t first)
{
    w->way_count = w->candidates.count = w->chosen.count = 0;
    if (!push(w, first, skip(w->t, 0), 0) ||
        (!is_over(w) && !list_candidates(w)))
        return false;
    while (w->way_count && !is_over(w) && w->tried.count < TRIED_MAX &&
           check_sound(&w->b->model))
        go_on(w);
    return w->way_count && is_over(w);
}

/* ---- The network --------------------------------------------------------- */

/* Whether the steps of an initial state are as in the trace. */
static bool begins_so(const struct matching *w, uint32_t first)
{
    const struct check_model *m = &w->b->model;
    struct check_spread base;

    if (!m->timed || !m->uniform || !w->t->head.steps)
        return true;
    check_tree_load(&m->tree, first, &base);
    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_head *head =
            &check_info_of(m, i, base.id[m->local_at[i]])->head;

        if (head->length != w->t->head.steps[i].length ||
            head->length - head->age != (int)w->t->head.steps[i].phase)
            return false;
    }
    return true;
}

static bool search_all(struct matching *w, struct check_run_by_hand *run)
{
    for (run->first = 0; run->first < w->b->initial; run->first++)
        if (begins_so(w, run->first) && search(w, run->first))
            return true;
    return false;
}

static const char *misfit(const struct check_browse *b, const struct trace *t)
{
    const struct check_model *m = &b->model;

    if (strcmp(t->head.protocol, m->type->protocol->name) != 0)
        return "the trace is of another protocol";
    if (t->head.nodes != m->nodes)
        return "the trace is of another number of nodes";
    for (uint32_t i = 0; t->head.names && i < m->nodes; i++)
        if (t->head.names[i] != net_name(&m->names, i))
            return "the nodes of the trace have other names";
    return NULL;
}

bool check_browse_match(struct check_browse *b, const struct trace *t,
                        struct check_run_by_hand *run)
{
    struct matching w = {.b = b, .t = t};
    struct check_memory *m = &b->model.memory;
    bool found, tired;

    b->why = misfit(b, t);
    if (b->why)
        return false;
    m->limit = 0;
    found = list_faults(&w) && search_all(&w, run);
    tired = w.tried.count >= TRIED_MAX;
    b->run.count = 0;
    for (uint32_t i = 0; found && i < w.chosen.count; i++)
        found = check_browse_add(b, &b->run, w.chosen.list[i]);
    check_release(m, w.way, w.way_room * sizeof *w.way);
    check_browse_drop(b, &w.candidates);
    check_browse_drop(b, &w.chosen);
    check_browse_drop(b, &w.lost);
    check_browse_drop(b, &w.copied);
    check_table_free(&w.tried, m, 2);
    if (!check_browse_sound(b))
        return false;
    run->moves = b->run.list;
    run->moves_count = b->run.count;
    if (!found) {
        snprintf(b->sentence, sizeof b->sentence,
                 tired ? "the run was not found: it leaves too much open "
                         "before line %" PRIu32
                       : "no run of this search goes on as line %" PRIu32
                         " of the trace says",
                 t->body_line + w.furthest);
        b->why = b->sentence;
    }
    return found;
}
