/*
 * merge.c - see merge.h.
 */
#include "live/play/merge.h"

#include <stdlib.h>
#include <string.h>

#include "live/play/merge_parts.h"

/* ---- Order --------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->at != y->at)
        return (x->at > y->at) - (x->at < y->at);
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static struct message *message_of(const struct merge *m,
                                  const struct live_mark *mark)
{
    uint32_t number = mark->number & ~LIVE_MARK_COPY;
    const struct sender *s = &m->senders[mark->from];
    struct message *found;

    if (number == 0 || number > s->count)
        return NULL;
    found = &s->list[number - 1];
    return mark->number & LIVE_MARK_COPY ? found + m->copies : found;
}

/* Every message that was sent, by sender and number; and which were read. */
static bool collect_messages(struct merge *m)
{
    for (uint32_t i = 0; i < m->log->acts_count; i++) {
        const struct live_logged *a = &m->log->acts[i];

        for (uint32_t k = 0; k < a->act.sends; k++)
            if (a->sends[k].number > m->senders[a->node].count)
                m->senders[a->node].count = a->sends[k].number;
    }
    m->copies = 0;
    for (uint32_t i = 0; i < m->nodes; i++)
        m->copies += m->senders[i].count;
    m->messages = calloc(2 * (size_t)m->copies + 1, sizeof *m->messages);
    if (!m->messages)
        return false;
    for (uint32_t i = 0, at = 0; i < m->nodes; i++) {
        m->senders[i].list = m->messages + at;
        at += m->senders[i].count;
    }
    for (uint32_t i = 0; i < m->log->acts_count; i++) {
        const struct live_logged *a = &m->log->acts[i];

        for (uint32_t k = 0; k < a->act.sends; k++) {
            struct message *s =
                &m->senders[a->node].list[a->sends[k].number - 1];

            *s = (struct message){.sent_by = a,
                                  .send = &a->sends[k],
                                  .from = a->node,
                                  .arrives = FC_NEVER};
            s[m->copies] = *s;
        }
    }
    for (uint32_t i = 0; i < m->log->acts_count; i++) {
        const struct live_logged *a = &m->log->acts[i];
        struct message *s =
            a->act.kind == LIVE_ACT_READ ? message_of(m, &a->act.mark) : NULL;

        if (a->act.kind != LIVE_ACT_READ)
            continue;
        if (!s || !s->sent_by) {
            m->result->differs = true; /* nobody has sent it */
            m->result->differs_node = a->node;
            return false;
        }
        s->read_by = a;
    }
    return true;
}

/* A message is read after it was sent, whatever two cores say of the time. */
static void put_in_order(struct merge *m)
{
    uint64_t last[LIVE_PEERS_MAX];
    bool moved = true;

    while (moved) {
        moved = false;
        memset(last, 0, sizeof last);
        for (uint32_t i = 0; i < m->items_count; i++) {
            struct item *it = &m->items[i];
            uint64_t least;

            if (!it->act)
                continue;
            least = last[it->act->node];
            if (it->act->act.kind == LIVE_ACT_READ) {
                struct message *s = message_of(m, &it->act->act.mark);
                uint64_t sent = m->items[s->sent_by - m->log->acts].at;

                if (sent >= least)
                    least = sent + 1;
            }
            if (it->at < least) {
                it->at = least;
                moved = true;
            }
            last[it->act->node] = it->at;
        }
    }
}

static bool collect_items(struct merge *m)
{
    const struct live_log *log = m->log;

    m->items = calloc((size_t)log->acts_count + log->blows_count + 1,
                      sizeof *m->items);
    if (!m->items)
        return false;
    for (uint32_t i = 0; i < log->acts_count; i++)
        m->items[m->items_count++] = (struct item){
            .at = log->acts[i].act.at, .rank = i, .act = &log->acts[i]};
    put_in_order(m);
    for (uint32_t i = 0; i < log->blows_count; i++)
        m->items[m->items_count++] = (struct item){.at = log->blows[i].at,
                                                   .rank = log->acts_count + i,
                                                   .blow = &log->blows[i]};
    qsort(m->items, m->items_count, sizeof *m->items, by_time);
    return true;
}

/* ---- What becomes of a message ------------------------------------------- */

/* The tick at which a node crashes next, after an item; or is back. */
static uint64_t next_turn(const struct merge *m, uint32_t node, bool crash)
{
    for (uint32_t i = m->at + 1; i < m->items_count; i++) {
        const struct item *it = &m->items[i];

        if (crash && it->blow && it->blow->node == node &&
            it->blow->kind == NET_FAULT_CRASH)
            return it->blow->at / m->log->tick;
        if (!crash && it->act && it->act->node == node &&
            it->act->act.kind == LIVE_ACT_BOOT)
            return it->act->act.tick;
    }
    return FC_NEVER;
}

static bool before(uint64_t a, uint64_t b)
{
    return a < b;
}

void merge_fate(struct merge *m, struct message *s)
{
    uint64_t soon = m->tick + (m->play->net->time != NET_ASYNC), turn;
    uint32_t to = s->send->to;

    s->arrives = FC_NEVER;
    if (s->send->lost)
        return;
    if (s->read_by) {
        s->arrives = s->read_by->act.arrived_tick;
        if (s->arrives < m->tick)
            s->arrives = m->tick;
    } else if (m->down[to]) {
        turn = next_turn(m, to, false);
        s->arrives = before(turn, soon) ? turn : soon;
        s->missed = true;
    } else if ((turn = next_turn(m, to, true)) != FC_NEVER) {
        s->arrives = before(turn, soon) ? turn : soon;
    } else if (next_turn(m, s->from, true) == FC_NEVER &&
               (!s->send->to_life || s->send->to_life == m->life[to])) {
        s->arrives = m->log->end / m->log->tick + 1; /* still under way */
        if (s->arrives < soon)
            s->arrives = soon;
    }
}

/* ---- All together -------------------------------------------------------- */

/* The whole network is judged by predicates. */
static bool begin_witness(struct merge *m)
{
    struct net_place place = {m->play->net, m->play->names, m->play->graph, 0};

    if (!m->play->net->predicates)
        return true;
    m->states = calloc(m->nodes, m->type->state_size);
    m->bytes = calloc(2 * (size_t)m->copies + 1, m->type->msg_size);
    if (m->states && m->bytes)
        m->witness = net_witness_new(&place, m->type->msg_size, m->states,
                                     m->type->state_size);
    return m->witness != NULL;
}

static uint32_t first_life(const struct merge *m, uint32_t node)
{
    for (uint32_t i = 0; i < m->log->acts_count; i++)
        if (m->log->acts[i].node == node)
            return m->log->acts[i].life;
    return 1;
}

static bool begin(struct merge *m)
{
    m->watch = calloc(1, m->type->watch_size);
    m->asked = calloc((size_t)m->nodes * m->nodes, sizeof *m->asked);
    if (!m->watch || !m->asked || !collect_messages(m) || !collect_items(m) ||
        !begin_witness(m))
        return false;
    m->type->watch_begin(m->watch, m->play->net);
    for (uint32_t i = 0; i < m->nodes; i++) {
        m->hosts[i] = live_host_new(m->play, i);
        if (!m->hosts[i])
            return false;
        m->life[i] = first_life(m, i);
        m->bill[i] = merge_open_bill(m);
        merge_watch(m, i);
    }
    if (!m->trace)
        return !m->failed;
    trace_tell_begin(m->trace, m->play->net, m->play->names, m->play->seed);
    for (uint32_t i = 0; i < m->nodes; i++)
        trace_tell_step(m->trace, i, live_host_step_ticks(m->hosts[i]),
                        live_host_phase(m->hosts[i]));
    trace_tell_body(m->trace);
    return !m->failed;
}

static void end(struct merge *m)
{
    struct live_result *r = m->result;
    uint32_t earlier = r->broken;

    r->cut = !m->log->quiet && !m->log->done;
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint8_t view[NET_VIEW_SIZE];
        enum fc_phase phase;
        struct net_sight sight = {
            .what = NET_SEEN_SETTLED, .id = merge_id(m, i), .view = view};

        if (m->down[i])
            continue;
        live_host_view(m->hosts[i], view, &phase);
        m->type->watch_see(m->watch, &sight);
    }
    r->broken |= m->type->watch_end(m->watch, !r->cut);
    m->type->watch_outcome(m->watch, &r->outcome);
    merge_settle(m);
    if (m->trace)
        r->hash =
            trace_tell_end(m->trace, m->tick, !r->cut, r->broken & ~earlier);
}

static void free_merge(struct merge *m)
{
    for (uint32_t i = 0; i < m->nodes; i++)
        live_host_free(m->hosts[i]);
    net_witness_free(m->witness);
    free(m->states);
    free(m->bytes);
    free(m->watch);
    free(m->asked);
    free(m->messages);
    free(m->items);
    free(m->letters);
    free(m);
}

bool live_merge(const struct live_play *play, const struct live_log *log,
                struct trace_listener *trace, struct live_result *result)
{
    struct merge *m = calloc(1, sizeof *m);
    bool fine;

    *result = (struct live_result){.end = 0};
    if (!m)
        return false;
    m->play = play;
    m->type = play->type;
    m->nodes = play->net->world.nodes;
    m->log = log;
    m->trace = trace;
    m->result = result;
    m->left_at = FC_NEVER;
    fine = begin(m);
    for (m->at = 0; fine && m->at < m->items_count && !m->failed; m->at++)
        merge_tell(m, &m->items[m->at]);
    if (fine && !m->failed) {
        merge_tell_misses(m, FC_NEVER, m->nodes);
        end(m);
    }
    fine = fine && !m->failed;
    free_merge(m);
    return fine;
}

void live_result_free(struct live_result *r)
{
    free(r->entries);
    free(r->bills);
}
