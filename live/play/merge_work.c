/*
 * merge_work.c - the costs of entries, by the rules of the simulator
 * (sim/engine/work.inc), which says why.
 */
#include "live/play/merge_parts.h"
#include "net/grow.h"

uint32_t merge_open_bill(struct merge *m)
{
    struct live_result *r = m->result;

    m->failed |= !net_grow(&r->bills, r->bills_count, sizeof *r->bills);
    if (m->failed)
        return 0;
    r->bills[r->bills_count] = (struct live_bill){0};
    return r->bills_count++;
}

static enum fc_meaning meaning_of(const struct merge *m, uint32_t kind)
{
    return m->type->protocol->kinds[kind].meaning;
}

/* Only in complete networks are grants and refusals sent; and where a site
 * awaits all replies, none is late. */
static bool replies_late(const struct merge *m)
{
    const struct fc_protocol *p = m->type->protocol;

    return p->topology == FC_COMPLETE &&
           (!p->awaits_all || net_faults_any(m->play->faults));
}

void merge_bill_send(struct merge *m, struct message *s)
{
    enum fc_meaning meaning = meaning_of(m, s->kind);
    bool replies = meaning == FC_GRANTS || meaning == FC_REFUSES;
    bool sender_pays = !replies && meaning != FC_TOKEN;
    uint32_t to = s->send->to, bill = m->bill[sender_pays ? s->from : to];
    uint32_t asked = m->asked[s->from * m->nodes + to];

    s->bill = m->bill[s->from];
    if (!m->type->repeats || meaning == FC_FRAME)
        return;
    if (replies && asked && replies_late(m))
        bill = asked - 1;
    m->result->bills[bill].messages++;
    m->result->bills[bill].refusals += meaning == FC_REFUSES;
}

void merge_bill_read(struct merge *m, uint32_t node, const struct message *s)
{
    if (meaning_of(m, s->kind) == FC_ASKS && replies_late(m))
        m->asked[node * m->nodes + s->from] = s->bill + 1;
}

static struct live_entry *new_entry(struct merge *m, uint32_t node)
{
    struct live_result *r = m->result;

    m->failed |= !net_grow(&r->entries, r->entries_count, sizeof *r->entries);
    if (m->failed)
        return NULL;
    r->entries[r->entries_count] =
        (struct live_entry){.granting = m->tick - m->wanted_at[node],
                            .overtaken = m->entries - m->entries_then[node],
                            .handoff = FC_NEVER};
    m->entries++;
    return &r->entries[r->entries_count++];
}

static void complete(struct merge *m, uint32_t node)
{
    m->left_at = m->tick;
    m->result->entries_done++;
    m->bill[node] = merge_open_bill(m);
}

void merge_follow_work(struct merge *m, uint32_t node,
                       const struct live_act *act)
{
    struct live_host *h = m->hosts[node];
    uint8_t view[NET_VIEW_SIZE];
    struct live_entry *e;
    enum fc_phase phase;

    if (act->kind == LIVE_ACT_COMMAND && !m->wanted[node] &&
        act->command != m->type->farewell()) {
        m->wanted[node] = true;
        m->wanted_at[node] = m->tick;
        m->entries_then[node] = m->entries;
    }
    if (act->kind == LIVE_ACT_BOOT)
        m->wanted[node] = live_host_app(h)->wants;
    switch (live_host_came(h)) {
    case LIVE_CAME_NOTHING:
        break;
    case LIVE_CAME_IN:
        m->wanted[node] = false;
        e = new_entry(m, node);
        if (e && m->left_at != FC_NEVER && m->wanted_at[node] <= m->left_at)
            e->handoff = m->tick - m->left_at;
        break;
    case LIVE_CAME_OUT:
        complete(m, node);
        break;
    case LIVE_CAME_AWAY:
        m->wanted[node] = false;
        m->result->abandoned++;
        break;
    case LIVE_CAME_DONE:
        m->wanted[node] = false;
        e = new_entry(m, node);
        live_host_view(h, view, &phase);
        if (e)
            e->attempts = m->type->attempts(view, &e->torn);
        m->result->end = m->tick;
        complete(m, node);
        break;
    }
}

/* Entries that were never made are on no bill. */
void merge_settle(struct merge *m)
{
    struct live_result *r = m->result;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < m->nodes; i++)
        r->bills[m->bill[i]].messages = UINT32_MAX;
    for (uint32_t i = 0; i < r->bills_count; i++)
        if (r->bills[i].messages != UINT32_MAX)
            r->bills[kept++] = r->bills[i];
    r->bills_count = m->type->repeats ? kept : 0;
}
