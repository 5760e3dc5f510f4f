/*
 * engine_work.h - the part of engine.h that plays the applications: each wants
 * the resource, keeps it for a while, leaves, thinks, and wants it again.
 *
 * What is counted of an entry goes to job->tally, which may be none.  A message
 * is sent on behalf of one site: whoever asks or tells pays for it; a grant, a
 * refusal or a token is paid by whom it is for.
 */

struct run_client {
    uint64_t wanted_at;    /* tick of the request under way */
    uint64_t entries_then; /* of all sites, at that tick */
    uint32_t left;         /* entries still to make */
    uint32_t queue;        /* local clients whose turn has not come */
    uint32_t drawn;        /* counter of its random stream */
    uint32_t spent;        /* messages on its behalf since its last entry */
    uint32_t refused;      /* refusals among them */
    uint8_t phase;         /* of enum fc_phase, when last seen */
    bool wants, shared;    /* a request under way; of which kind */
    bool leaves;           /* it was told to */
    bool lost;             /* with its site, which is down */
};

static bool run_command(struct run *r, uint32_t node, uint8_t what);

static bool run_begin_clients(struct run *r)
{
    const struct fc_protocol *p = r->setup->type->protocol;

    r->work_key = sim_key(r->job->seed, SIM_STREAM_WORK);
    r->left_at = FC_NEVER;
    r->restless = p->restless && p->restless(r->setup->params);
    r->clients = sim_memory_zero(r->job->memory, SIM_BUFFER_CLIENTS,
                                 r->nodes_count * sizeof *r->clients);
    return r->clients != NULL;
}

static uint64_t run_draw_work(struct run *r, uint32_t node)
{
    return sim_draw(r->work_key, node, r->clients[node].drawn++);
}

/* The application acts in so many steps. */
static void run_work_in(struct run *r, uint32_t node, uint64_t steps)
{
    struct run_node *n = &r->nodes[node];

    n->due[WORK] = fc_add(r->now, fc_times(steps, n->step_ticks));
    run_schedule_clock(r, node, WORK);
}

static void run_think(struct run *r, uint32_t node)
{
    run_work_in(
        r, node,
        sim_duration_draw(&r->setup->work.think, run_draw_work(r, node)));
}

static void run_account(struct run *r, uint32_t from, uint32_t to,
                        uint32_t kind)
{
    switch (r->setup->type->protocol->kinds[kind].meaning) {
    case FC_REFUSES:
        r->clients[to].refused++;
        r->clients[to].spent++;
        break;
    case FC_GRANTS:
    case FC_TOKEN:
        r->clients[to].spent++;
        break;
    case FC_FRAME:
        break;
    default:
        r->clients[from].spent++;
        break;
    }
}

/* ---- The course of an entry ---------------------------------------------- */

static void run_enter(struct run *r, uint32_t node)
{
    struct run_client *c = &r->clients[node];
    struct sim_tally *t = r->job->tally;

    if (t) {
        sim_scale_add(&t->granting, r->now - c->wanted_at);
        sim_stat_add(&t->overtaken, r->entries - c->entries_then);
        if (r->left_at != FC_NEVER && c->wanted_at <= r->left_at)
            sim_scale_add(&t->handoff, r->now - r->left_at);
    }
    r->entries++;
    c->wants = c->leaves = false;
    run_work_in(
        r, node,
        sim_duration_draw(&r->setup->work.section, run_draw_work(r, node)));
}

static void run_complete(struct run *r, uint32_t node)
{
    struct run_client *c = &r->clients[node];
    struct sim_tally *t = r->job->tally;

    r->left_at = r->now;
    r->result->entries++;
    if (t) {
        sim_stat_add(&t->messages, c->spent);
        sim_stat_add(&t->refusals, c->refused);
    }
    c->spent = c->refused = 0;
    r->nodes[node].due[WORK] = FC_NEVER;
    r->at_work -= --c->left == 0;
    if (c->queue > 0)
        run_work_in(r, node, 1);
    else if (c->left > 0)
        run_think(r, node);
}

/* The site gave up by itself, waiting or inside: the application tries again
 * later. */
static void run_abandon(struct run *r, uint32_t node)
{
    struct run_client *c = &r->clients[node];

    if (r->job->tally)
        r->job->tally->abandoned++;
    c->wants = false;
    c->queue++;
    run_think(r, node);
}

#if PROBLEM(_momentary)
/* The site has done what it was asked for. */
static void run_accomplish(struct run *r, uint32_t node,
                           const struct PROBLEM(_view) * view)
{
    struct run_client *c = &r->clients[node];
    struct sim_tally *t = r->job->tally;

    if (t) {
        sim_scale_add(&t->granting, r->now - c->wanted_at);
        if (PROBLEM(_attempts)(view))
            sim_scale_add(&t->attempts, PROBLEM(_attempts)(view));
        t->torn += PROBLEM(_wrong)(view);
    }
    c->wants = false;
    r->entries++;
    r->result->end = r->now;
    run_complete(r, node);
}
#endif

/* What others see of a site has changed. */
static void run_follow(struct run *r, uint32_t node)
{
    struct run_client *c = &r->clients[node];
    struct PROBLEM(_view) view;
    enum fc_phase before = (enum fc_phase)c->phase, after;

    if (c->lost)
        return;
    run_view_of(r, node, &view);
    after = PROBLEM(_phase)(&view);
    c->phase = (uint8_t)after;
    if (before == after)
        return;
#if PROBLEM(_momentary)
    if (after == FC_IDLE) {
        run_accomplish(r, node, &view);
        return;
    }
#endif
    if (after == FC_INSIDE)
        run_enter(r, node);
    else if (before == FC_INSIDE && c->leaves)
        run_complete(r, node);
    else if (after == FC_IDLE)
        run_abandon(r, node);
}

/* ---- The application acts ------------------------------------------------ */

/* Its clock has run off. */
static void run_go_on_working(struct run *r, uint32_t node)
{
    struct run_client *c = &r->clients[node];
    const struct sim_work *work = &r->setup->work;

    r->nodes[node].due[WORK] = FC_NEVER;
    if (c->phase == FC_INSIDE) {
        c->leaves = true;
        /* It may have been stopped in this very step. */
        if (!run_command(r, node, PROBLEM(_farewell)()) &&
            c->phase == FC_INSIDE)
            run_work_in(r, node, 1);
        return;
    }
    if (!c->wants) {
        uint32_t burst = work->burst ? work->burst : 1;

        if (c->queue == 0)
            c->queue = c->left < burst ? c->left : burst;
        c->queue--;
        c->wants = true;
        c->wanted_at = r->now;
        c->entries_then = r->entries;
        c->shared = run_draw_work(r, node) >> 32 < work->shared;
    }
    if (!run_command(r, node, PROBLEM(_request)(c->shared)))
        run_work_in(r, node, 1); /* not yet ready to take part: ask again */
}

/* A site begins. */
static void run_begin_work(struct run *r, uint32_t node)
{
    struct run_node *n = &r->nodes[node];
    struct run_client *c = &r->clients[node];

    r->at_work -= c->left > 0 || n->down; /* twice told, or not yet */
    c->left = r->setup->work.entries ? r->setup->work.entries : 1;
    if (n->down)
        return; /* when it is back */
    n->due[WORK] = run_step_end(n, r->now);
    if (n->due[WORK] == r->now)
        run_go_on_working(r, node);
    else
        run_schedule_clock(r, node, WORK);
}

static void run_lose_client(struct run *r, uint32_t node)
{
    r->at_work -= r->clients[node].left > 0;
    r->clients[node].lost = true;
}

/* The site is back: its application goes on where the site stands. */
static void run_resume_client(struct run *r, uint32_t node)
{
    struct run_client *c = &r->clients[node];
    bool had_begun = c->wants || c->phase == FC_INSIDE;
    struct PROBLEM(_view) view;

    run_view_of(r, node, &view);
    c->phase = (uint8_t)PROBLEM(_phase)(&view);
    c->lost = false;
    r->at_work += c->left > 0;
    if (c->left == 0 || c->phase == FC_WAITING)
        return;
    c->wants = c->leaves = false;
    if (c->phase == FC_INSIDE) {
        run_work_in(r, node, 1);
    } else {
        c->queue += had_begun; /* all over again */
        run_think(r, node);
    }
}
