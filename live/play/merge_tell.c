/*
 * merge_tell.c - tells a merged run, and judges it (see merge_parts.h).
 */
#include <string.h>

#include "live/play/merge_parts.h"
#include "net/grow.h"

fc_name merge_id(const struct merge *m, uint32_t node)
{
    return m->type->protocol->anonymous ? node + 1
                                        : net_name(m->play->names, node);
}

static void see(struct merge *m, enum net_seen what, uint32_t node,
                const uint8_t *view)
{
    struct net_sight sight = {.what = what,
                              .id = merge_id(m, node),
                              .view = view,
                              .flying = m->tokens,
                              .now = m->tick};

    m->type->watch_see(m->watch, &sight);
}

static void note(struct merge *m, uint32_t broken)
{
    m->result->broken |= broken;
    if (m->trace && broken)
        trace_tell_broken(m->trace, broken);
}

/* ---- Guards -------------------------------------------------------------- */

/* What the watch knows of a guarded node: it is inside until it leaves or until
 * its time is over, whether it lives or not. */
static void change_guarded(struct merge *m, uint32_t node, const uint8_t *view)
{
    uint8_t *now = m->effective[node], before[NET_VIEW_SIZE];
    uint64_t until;

    memcpy(before, now, sizeof before);
    memcpy(now, view, NET_VIEW_SIZE);
    if (m->type->inside(now, &until) && until &&
        live_host_clock(m->hosts[node], m->tick) >= until)
        memset(now, 0, NET_VIEW_SIZE);
    note(m, m->type->watch_change(m->watch, merge_id(m, node), before, now,
                                  m->tick));
}

/* The guards of all whose time is over by a tick act. */
static void let_guards_act(struct merge *m, uint64_t tick)
{
    static const uint8_t outside[NET_VIEW_SIZE];
    uint64_t until, at;

    for (uint32_t i = 0; m->type->inside && i < m->nodes; i++) {
        if (!m->type->inside(m->effective[i], &until) || !until)
            continue;
        at = live_host_tick_of(m->hosts[i], until);
        if (at > tick)
            continue;
        m->tick = at > m->tick ? at : m->tick;
        if (m->trace && !m->down[i])
            trace_tell_stopped(m->trace, m->tick, i);
        change_guarded(m, i, outside);
    }
}

/* ---- Messages ------------------------------------------------------------ */

static void count_token(struct merge *m, const struct message *s, int by)
{
    if (m->type->counts_flying &&
        m->type->protocol->kinds[s->kind].meaning == FC_TOKEN)
        m->tokens += by;
}

static uint8_t *bytes_of(const struct merge *m, const struct message *s)
{
    return m->bytes + (size_t)(s - m->messages) * m->type->msg_size;
}

static void land(struct merge *m, struct message *s)
{
    if (s->flies)
        count_token(m, s, -1);
    if (s->flies && m->witness)
        net_witness_take(m->witness, s->send->to, s->send->comes_by,
                         bytes_of(m, s));
    m->misses -= s->flies && s->missed;
    s->flies = false;
}

static struct trace_content content_of(const struct message *s)
{
    return (struct trace_content){s->id, s->kind, s->fields, s->fields_count};
}

/* One message on its way, or one copy of it. */
static void launch(struct merge *m, struct message *s, const void *msg,
                   bool copy, uint32_t *count)
{
    s->told = true;
    s->id = m->messages_sent++;
    s->kind = m->type->kind(msg);
    s->fields_count = m->type->fields(msg, s->fields);
    s->sent = m->tick;
    merge_fate(m, s);
    s->flies = s->arrives != FC_NEVER;
    m->misses += s->flies && s->missed;
    if (s->flies)
        count_token(m, s, 1);
    if (m->witness)
        memcpy(bytes_of(m, s), msg, m->type->msg_size);
    if (s->flies && m->witness)
        net_witness_send(m->witness, s->from, s->send->to, s->send->comes_by,
                         msg);
    m->failed |= !net_grow(&m->letters, *count, sizeof *m->letters);
    if (m->failed)
        return;
    m->letters[(*count)++] = (struct trace_letter){.id = s->id,
                                                   .from = s->from,
                                                   .to = s->send->to,
                                                   .msg = msg,
                                                   .arrives = s->arrives,
                                                   .copy = copy};
}

static void send_one(struct merge *m, uint32_t node, uint32_t i,
                     uint32_t *count)
{
    struct live_result *r = m->result;
    const void *msg;
    const struct live_send *send = live_host_sent(m->hosts[node], i, &msg);
    struct message *s = &m->senders[node].list[send->number - 1];

    if (send->number > m->senders[node].count || !s->sent_by || s->told) {
        m->failed = true; /* it was not told of this one */
        return;
    }
    r->by_kind[m->type->kind(msg)]++;
    r->paper_bits += m->type->paper_bits(msg);
    r->wire_bits += 8 * (uint64_t)m->type->wire_bytes(msg);
    r->copied += s->send->copied;
    launch(m, s, msg, false, count);
    merge_bill_send(m, s);
    r->lost += s->arrives == FC_NEVER;
    if (s->send->copied && !m->failed)
        launch(m, s + m->copies, msg, true, count);
}

/* Messages that were in a node's inbox when it went down. */
static void lose_mail(struct merge *m, uint32_t node)
{
    for (uint32_t i = 0; i < 2 * m->copies; i++) {
        struct message *s = &m->messages[i];

        if (s->told && s->send->to == node && !s->missed &&
            s->arrives <= m->tick && s->flies)
            land(m, s);
    }
}

void merge_tell_misses(struct merge *m, uint64_t before, uint32_t node)
{
    struct message *next;

    do {
        next = NULL;
        for (uint32_t i = 0; m->misses && i < 2 * m->copies; i++) {
            struct message *s = &m->messages[i];

            if (s->told && s->missed && s->flies &&
                (s->arrives < before || s->send->to == node) &&
                (!next || s->arrives < next->arrives ||
                 (s->arrives == next->arrives && s->id < next->id)))
                next = s;
        }
        if (next) {
            struct trace_content content = content_of(next);

            if (next->arrives > m->tick)
                m->tick = next->arrives;
            land(m, next);
            if (m->trace)
                trace_tell_read(m->trace, m->tick, next->send->to, true,
                                &content);
            see(m, NET_SEEN_FLYING, next->send->to, NULL);
        }
    } while (next);
}

/* ---- Parts of an act ----------------------------------------------------- */

static void on_part(void *whom, const struct trace_part *told)
{
    struct watched *w = whom;
    struct merge *m = w->m;
    struct trace_part part = *told;
    uint32_t count = 0;

    if (m->boots && !m->type->inside)
        see(m, NET_SEEN_RESTART, w->node, part.before);
    m->boots = false;
    for (uint32_t i = 0; i < told->letters_count && !m->failed; i++)
        send_one(m, w->node, told->letters + i, &count);
    part.letters = 0;
    part.letters_count = count;
    m->result->coins |= part.range > 1;
    if (m->trace)
        trace_tell_part(m->trace, m->type, &part, m->letters);
    if (part.fx.notes & FC_NOTE_STARTED)
        see(m, NET_SEEN_START, w->node, NULL);
    if (!(part.fx.notes & FC_NOTE_VIEW))
        return;
    if (!m->type->inside)
        note(m, m->type->watch_change(m->watch, merge_id(m, w->node),
                                      part.before, part.after, m->tick));
    else if (memcmp(part.before, part.after, sizeof part.after) != 0)
        change_guarded(m, w->node, part.after);
}

void merge_watch(struct merge *m, uint32_t node)
{
    uint8_t *view = m->effective[node];
    enum fc_phase phase;

    m->watched[node] = (struct watched){m, node};
    live_host_watch(m->hosts[node], on_part, &m->watched[node]);
    live_host_view(m->hosts[node], view, &phase);
}

/* ---- Acts ---------------------------------------------------------------- */

static void break_bound(struct live_bound *b, uint64_t ticks, uint32_t node)
{
    b->count++;
    if (ticks <= b->worst)
        return;
    b->worst = ticks;
    b->node = node;
}

static void judge_bounds(struct merge *m, uint32_t node,
                         const struct live_act *act, const struct message *s)
{
    const struct fc_bounds *b = &m->play->net->world.bounds;
    uint64_t most = b->dmax > 1 ? b->dmax : 1, delay;

    if (!m->play->net->world.bounded)
        return;
    if (act->late)
        break_bound(&m->result->steps, act->late, node);
    /* A reader that was paused, or late itself, is to blame, not the link. */
    if (!s || act->overdue || s->sent < m->paused_until[node])
        return;
    delay = s->arrives - s->sent;
    if (delay > most)
        break_bound(&m->result->delays, delay, s->from);
}

static void tell_event(struct merge *m, uint32_t node,
                       const struct live_act *act, struct message *s)
{
    struct trace_content content;

    switch ((enum live_act_kind)act->kind) {
    case LIVE_ACT_START:
        trace_tell_start(m->trace, m->tick, node);
        break;
    case LIVE_ACT_COMMAND:
        trace_tell_command(m->trace, m->tick, node, act->command);
        break;
    case LIVE_ACT_READ:
        content = content_of(s);
        trace_tell_read(m->trace, m->tick, node, false, &content);
        break;
    case LIVE_ACT_TIMEOUT:
        trace_tell_timeout(m->trace, m->tick, node, act->timer);
        break;
    case LIVE_ACT_BOOT:
        trace_tell_fault(
            m->trace, m->tick, node,
            act->blank ? NET_FAULT_RESTART_BLANK : NET_FAULT_RESTART, 0);
        break;
    }
}

static struct message *read_by(const struct merge *m,
                               const struct live_act *act)
{
    struct message *s = &m->senders[act->mark.from]
                             .list[(act->mark.number & ~LIVE_MARK_COPY) - 1];

    return act->mark.number & LIVE_MARK_COPY ? s + m->copies : s;
}

static void come_back(struct merge *m, const struct live_logged *l)
{
    merge_tell_misses(m, 0, l->node);
    m->down[l->node] = false;
    m->life[l->node] = l->life;
    m->boots = true;
}

static void tell_act(struct merge *m, const struct live_logged *l)
{
    const struct live_act *act = &l->act;
    struct live_host *h = m->hosts[l->node];
    struct message *s = NULL;
    uint8_t view[NET_VIEW_SIZE];
    enum fc_phase phase;

    if (act->kind == LIVE_ACT_BOOT)
        come_back(m, l);
    if (act->kind == LIVE_ACT_READ) {
        s = read_by(m, act);
        land(m, s);
        m->result->end = m->tick;
        merge_bill_read(m, l->node, s);
    }
    judge_bounds(m, l->node, act, s);
    if (m->trace)
        tell_event(m, l->node, act, s);
    m->result->events++;
    live_host_apart(h, 0);
    if (!live_host_redo(h, act, l->msg) && !m->result->differs) {
        m->result->differs = true;
        m->result->differs_node = l->node;
    }
    see(m, NET_SEEN_FLYING, l->node, NULL);
    if (act->kind == LIVE_ACT_BOOT && !m->type->inside) {
        live_host_view(h, view, &phase);
        see(m, NET_SEEN_RETURN, l->node, view);
    }
    if (act->insane)
        note(m, FC_SANE);
    if (m->type->repeats)
        merge_follow_work(m, l->node, act);
}

/* ---- Blows --------------------------------------------------------------- */

static void go_down(struct merge *m, uint32_t node)
{
    static const uint8_t outside[NET_VIEW_SIZE];
    uint8_t view[NET_VIEW_SIZE];
    enum fc_phase phase;
    uint64_t until;

    live_host_view(m->hosts[node], view, &phase);
    if (!m->type->inside)
        see(m, NET_SEEN_CRASH, node, view);
    else if (!m->type->inside(m->effective[node], &until))
        change_guarded(m, node, outside);
    m->down[node] = true;
    live_host_crash(m->hosts[node]);
    lose_mail(m, node);
    see(m, NET_SEEN_FLYING, node, NULL);
}

static void tell_blow(struct merge *m, const struct live_blow *b)
{
    struct live_result *r = m->result;

    if (m->down[b->node] && b->kind <= NET_FAULT_PAUSE)
        return;
    if (m->trace)
        trace_tell_fault(m->trace, m->tick, b->node, b->kind, b->ticks);
    r->pauses += b->kind == NET_FAULT_PAUSE;
    if (b->kind == NET_FAULT_PAUSE)
        m->paused_until[b->node] = m->tick + b->ticks;
    r->cuts += b->kind == NET_FAULT_CUT;
    if (b->kind != NET_FAULT_CRASH)
        return;
    r->crashes++;
    r->unasked += b->unasked;
    go_down(m, b->node);
}

/* The predicates that do not hold now, each once. */
static void judge_all(struct merge *m, uint32_t node)
{
    size_t size = m->type->state_size;
    uint32_t broken;

    if (!m->witness)
        return;
    memcpy(m->states + node * size, live_host_state(m->hosts[node]), size);
    m->witness->down[node] = m->down[node];
    broken = net_witness_judge(m->witness);
    m->failed |= m->witness->failed;
    note(m, broken & ~m->result->broken);
}

void merge_tell(struct merge *m, const struct item *item)
{
    uint64_t tick =
        item->act ? item->act->act.tick : item->blow->at / m->log->tick;

    merge_tell_misses(m, tick, m->nodes);
    let_guards_act(m, tick);
    if (tick > m->tick)
        m->tick = tick;
    if (item->act)
        tell_act(m, item->act);
    else
        tell_blow(m, item->blow);
    judge_all(m, item->act ? item->act->node : item->blow->node);
}
