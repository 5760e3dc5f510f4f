/*
 * timed.c - what can happen at a tick, and when time advances (see expand.h).
 *
 * A node acts at the ends of its steps.  At such an end it may be told
 * something by its application, then reads one message (or all that have come,
 * as the protocol says), then timers that are due expire: the simulator's
 * order.  Nodes that act at the same tick do so in every order; what they send
 * is read at a later tick.  When everything that must happen at this tick has
 * happened, time advances.
 *
 * When a message arrives is not decided before it is read.  One that is sent at
 * s arrives at some tick from s + dmin to s + dmax and is read at an end of a
 * step after that, in the order of arrival.  So, at the end of a step at t, a
 * node can read message a first if and only if a may have arrived, s + dmin <=
 * t, and no other message is certain to have come before it: no b that waits
 * has s_b + dmax < s_a + dmin.  And a node that can read must do so if some
 * message is certain to have come, s + dmax <= t.  Every sequence of reads that
 * this allows has ticks of arrival that explain it: a arrives at the least of
 * t, its own s + dmax and the s + dmax of all that still wait.
 *
 * Nor is it decided when a step ends in which nothing is done, if clocks drift:
 * the set of ages that the present step can have is kept instead.  That is
 * exact: a run with given ages exists if and only if they are in the sets.  A
 * node with a timer counts its steps, and each is a transition.
 */
#include "check/model/expand.h"

#include "check/model/links.h"
#include "check/model/step.h"

/* What a node can do at this tick, and what it cannot leave undone. */
struct chance {
    struct check_info info;
    bool down, paused;
    bool acted;   /* it is at the end of a step and has begun to act */
    bool ends;    /* its step may end now */
    bool reads;   /* it may read */
    bool must;    /* some message is certain to have come */
    bool leaves;  /* its application must leave at the end of this step */
    uint32_t due; /* timers, a bit each */
};

static bool has_come(const struct check_model *m, const struct check_mail *mail)
{
    return mail->age >= m->dmax + mail->late;
}

static void weigh(const struct check_model *m, const struct check_spread *base,
                  uint32_t node, struct chance *c)
{
    const struct fc_bounds *b = &m->setup->net.world.bounds;
    const struct check_head *head = &c->info.head;

    c->info = *check_info_of(m, node, base->id[m->local_at[node]]);
    c->down = (head->flags & CHECK_DOWN) != 0;
    c->paused = head->paused != 0;
    c->acted = m->uniform ? head->age == 0 : head->ages == 1;
    c->ends =
        m->uniform ? head->age == head->length : head->ages >> b->rmin != 0;
    c->ends = c->ends && !c->acted;
    c->leaves = !c->acted && head->section == 2;
    c->reads = c->acted
                   ? !(head->flags & CHECK_CLOSED)
                   : c->ends && !(head->flags & CHECK_STARTS) && !c->leaves;
    c->must = false;
    c->due = 0;
    if (c->down) {
        c->acted = c->ends = c->reads = c->leaves = false;
        return;
    }
    for (uint32_t t = 0; t < m->type->timers; t++)
        if (head->timer[t] == (c->acted ? 1 : 2))
            c->due |= 1u << t;
    for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++) {
        uint32_t count;
        const struct check_mail *mail =
            check_mails(m, base->id[m->link_at[l]], &count);

        for (uint32_t i = 0; i < count && !c->must; i++)
            c->must = has_come(m, &mail[i]);
    }
}

/* ---- Time ---------------------------------------------------------------- */

/* Whether the node may let this tick pass without acting. */
static bool lets_pass(const struct check_model *m, const struct chance *c)
{
    const struct fc_bounds *b = &m->setup->net.world.bounds;
    bool urges = c->must || (c->info.head.flags & CHECK_STARTS);

    if (c->down || c->paused)
        return true;
    if (c->acted)
        return !c->due && !(c->must && c->reads);
    if (m->uniform)
        return !c->ends || !(urges || c->due || c->leaves);
    /* Some age at which the step need not end, or nothing to do at its end. */
    return (c->info.head.ages & ~(UINT32_C(1) << b->rmax)) != 0 ||
           !(urges || c->info.counts);
}

bool check_lets_pass(const struct check_model *m,
                     const struct check_spread *base, uint32_t node)
{
    struct chance c;

    weigh(m, base, node, &c);
    return lets_pass(m, &c);
}

static uint32_t age(struct check_model *m, uint32_t content, bool down)
{
    if (content == 0)
        return 0;
    return check_changed(m, content,
                         down ? CHECK_MAIL_AGE_AND_DROP : CHECK_MAIL_AGE, 0);
}

bool check_tick(struct check_model *m, const struct check_spread *base,
                uint32_t first_node, uint32_t last_node,
                struct check_spread *out)
{
    for (uint32_t i = first_node; i < last_node; i++) {
        uint32_t local = base->id[m->local_at[i]];
        struct chance c;

        weigh(m, base, i, &c);
        if (!lets_pass(m, &c))
            return false;
        if (!c.down || m->type->clocked) {
            bool idle = !c.info.counts && !c.must &&
                        !(c.info.head.flags & CHECK_STARTS);

            local = check_grown_older(m, i, local, idle);
        }
        check_set(&m->tree, out, m->local_at[i], local);
        for (uint32_t l = m->first_in[i]; l < m->first_in[i + 1]; l++)
            check_set(&m->tree, out, m->link_at[l],
                      age(m, base->id[m->link_at[l]], c.down));
    }
    return true;
}

/* ---- Acting -------------------------------------------------------------- */

/* Whether message `a` can have come before all others that wait. */
static bool comes_first(const struct check_model *m,
                        const struct check_spread *base, uint32_t node,
                        struct check_mail a)
{
    for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++) {
        uint32_t count;
        const struct check_mail *mail =
            check_mails(m, base->id[m->link_at[l]], &count);

        for (uint32_t i = 0; i < count; i++)
            if (mail[i].age + m->dmin > a.age + m->dmax + mail[i].late)
                return false;
    }
    return true;
}

static void expand_reads(struct check_expansion *x, uint32_t node)
{
    struct check_model *m = x->model;

    for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++) {
        uint32_t content = x->base->id[m->link_at[l]], count;

        (void)check_mails(m, content, &count);
        for (uint32_t i = 0; i < (m->any_order ? count : count > 0); i++) {
            const struct check_mail *mail = check_mails(m, content, &count);

            if (check_may_be_next(m, mail, i) && mail[i].age >= m->dmin &&
                comes_first(m, x->base, node, mail[i]))
                check_read(x, l, i);
        }
    }
}

void check_expand_timed(struct check_expansion *x, uint32_t node)
{
    struct check_model *m = x->model;
    const struct fc_bounds *b = &m->setup->net.world.bounds;
    struct chance c;

    if (m->budgeted)
        check_go_wrong(x, node);
    weigh(m, x->base, node, &c);
    if (c.down)
        return;
    if (c.ends && !c.paused && x->budget.pauses &&
        (m->setup->victims >> node & 1))
        (void)check_act(x, node, CHECK_PAUSE, 0);
    if (c.ends || (c.info.head.flags & CHECK_FRESH))
        check_ask(x, node, &c.info);
    if ((c.info.head.flags & CHECK_STARTS) || (c.leaves && c.ends))
        return; /* that comes first */
    if (c.reads)
        expand_reads(x, node);
    if (!c.acted && !c.ends)
        return;
    if (c.reads && c.must)
        return; /* before that, no timer is tested */
    for (uint32_t due = c.due; due; due &= due - 1)
        (void)check_act(x, node, CHECK_TIMEOUT, (uint32_t)__builtin_ctz(due));
    /* Where a step is longer than a tick, a pause may end and nothing be done
     * before the next step. */
    if (c.ends && !c.due &&
        (c.paused ? b->rmax > 1 : !m->uniform && c.info.counts))
        (void)check_act(x, node, CHECK_STEP, 0);
}

/* Whether something will happen on its own, and whether it may be made to. */
void check_foresee(struct check_expansion *x)
{
    const struct check_model *m = x->model;

    x->busy = x->budget.apart != 0;
    x->open = x->budget.crashes > 0 || x->budget.changes > 0;
    for (uint32_t i = x->first_node; i < x->last_node; i++) {
        const struct check_info *info =
            check_info_of(m, i, x->base->id[m->local_at[i]]);
        bool down = (info->head.flags & CHECK_DOWN) != 0;

        for (uint32_t l = m->first_in[i]; l < m->first_in[i + 1]; l++)
            x->busy |= x->base->id[m->link_at[l]] != 0;
        x->busy |= info->armed || info->head.paused ||
                   (info->head.flags & CHECK_STARTS) ||
                   (!down && m->type->repeats && info->phase == FC_INSIDE);
        x->open |= (info->head.flags & CHECK_MAY_START) ||
                   (m->type->repeats && info->head.left) ||
                   (down && m->setup->back != CHECK_RETURN_NEVER);
    }
}
