/*
 * node.c - see node.h.
 */
#include "live/node/node.h"

#include <stdio.h>
#include <string.h>

static void desk_step(struct live_node *n, struct live_desk_in in, uint64_t now,
                      struct live_effects *out)
{
    in.now = now;
    live_desk_step(&n->desk, &in, out);
}

/* ---- What the desk hears of the protocol --------------------------------- */

static bool same(const struct live_lock_view *a, const struct live_lock_view *b)
{
    return a->phase == b->phase && a->shared == b->shared &&
           a->token == b->token && a->lacks == b->lacks &&
           a->wanted == b->wanted;
}

static void tell_desk(struct live_node *n, uint64_t now,
                      struct live_effects *out)
{
    struct live_mode *mode = n->mode;
    uint64_t end = mode->kind->until(mode);
    const char *over = mode->kind->over ? mode->kind->over(mode) : NULL;

    if (over && !n->over) {
        n->over = true;
        desk_step(n, (struct live_desk_in){.event = LIVE_ENDS, .why = over},
                  now, out);
    }
    if (end != n->desk.end)
        desk_step(n, (struct live_desk_in){.event = LIVE_LEASED, .end = end},
                  now, out);
    for (uint32_t i = 0; i < n->desk.locks_used; i++) {
        const struct live_desk_lock *lock = &n->desk.locks[i];
        struct live_desk_in in = {.event = LIVE_CHANGED, .lock = lock->id};

        if (!lock->used)
            continue;
        in.view = mode->kind->look(mode, lock->id);
        if (!same(&in.view, &lock->seen))
            desk_step(n, in, now, out);
    }
}

/* ---- What both want of each other ---------------------------------------- */

static void obey(struct live_node *n, uint64_t lock, enum live_command what,
                 uint64_t now, struct live_effects *out)
{
    bool done = n->mode->kind->command(n->mode, what, lock, now, out);
    struct live_desk_in in = {
        .event = LIVE_OBEYED,
        .lock = lock,
        .full = !done && (what == LIVE_WANT || what == LIVE_WANT_SHARED),
        .view = n->mode->kind->look(n->mode, lock)};

    desk_step(n, in, now, out);
}

/* What a node promises must not leave it if it contradicts itself.  What it
 * wants to stop may be stopped. */
static void withhold(struct live_effects *out, size_t first)
{
    for (size_t i = first; i < out->count; i++)
        if (out->list[i].kind == LIVE_DO_SEND ||
            out->list[i].kind == LIVE_DO_GRANT ||
            out->list[i].kind == LIVE_DO_MOVE)
            out->list[i].kind = LIVE_DO_NOTHING;
}

static const char *insanity_of(const struct live_node *n,
                               const struct live_effects *out)
{
    const struct live_mode_kind *kind = n->mode->kind;
    const char *broken = out->lost ? "there is memory for what is to be done"
                                   : live_desk_sane(&n->desk);

    return broken || !kind->sane ? broken : kind->sane(n->mode);
}

/* A node that contradicts itself stops, before it does what it was about to. */
static void look_whether_sane(struct live_node *n, size_t first,
                              struct live_effects *out)
{
    const char *broken = insanity_of(n, out);

    if (!broken || n->dead)
        return;
    withhold(out, first);
    n->dead = true;
    snprintf(n->why, sizeof n->why, LIVE_INSANE, broken);
    live_effect_add(out, LIVE_DO_BREAK)->why = n->why;
}

/* Why a client waits, or has waited for nothing: the protocol knows it as long
 * as it was not told that nobody waits any more. */
static void explain(const struct live_node *n, size_t i, uint64_t now,
                    struct live_effects *out)
{
    char reason[LIVE_REASON_MAX];

    if (n->desk.held_up[0])
        snprintf(reason, sizeof reason, "%s", n->desk.held_up);
    else
        n->mode->kind->reason(n->mode, out->list[i].lock, now, reason);
    live_effect_words(out, i, reason);
}

static void obey_one(struct live_node *n, size_t i, uint64_t now,
                     struct live_effects *out)
{
    struct live_effect one = out->list[i]; /* the list may move */

    if (one.kind == LIVE_DO_EXPLAIN || (one.kind == LIVE_DO_REFUSE && !one.why))
        explain(n, i, now, out);
    if (one.kind != LIVE_DO_COMMAND && one.kind != LIVE_DO_VACATE)
        return;
    out->list[i].kind = LIVE_DO_NOTHING;
    if (one.kind == LIVE_DO_COMMAND)
        obey(n, one.lock, (enum live_command)one.how, now, out);
    else
        desk_step(
            n, (struct live_desk_in){.event = LIVE_VACATES, .lock = one.lock},
            now, out);
}

/* The list is its own queue: each effect is obeyed in its turn, and effects
 * that follow from it come behind. */
static void settle(struct live_node *n, size_t first, uint64_t now,
                   struct live_effects *out)
{
    size_t next = first, before;

    do {
        for (; next < out->count; next++) {
            n->dead = n->dead || out->list[next].kind == LIVE_DO_BREAK;
            obey_one(n, next, now, out);
        }
        before = out->count;
        tell_desk(n, now, out);
    } while (out->count > before);
    look_whether_sane(n, first, out);
}

/* K2: grants that are over end before anything else happens. */
static void expire(struct live_node *n, uint64_t now, struct live_effects *out)
{
    struct live_desk_in in = {.event = LIVE_TIME, .now = now};

    if (now >= n->desk.wake)
        live_node_serve(n, &in, out);
}

/* ---- What happens -------------------------------------------------------- */

void live_node_boot(struct live_node *n, uint64_t now, struct live_effects *out)
{
    size_t first = out->count;

    n->mode->kind->boot(n->mode, now, out);
    settle(n, first, now, out);
}

void live_node_take(struct live_node *n, uint32_t from, uint64_t life,
                    struct live_unread bytes, uint64_t now,
                    struct live_effects *out)
{
    size_t first = out->count;

    if (n->dead)
        return;
    expire(n, now, out);
    n->mode->kind->take(n->mode, from, life, bytes, now, out);
    settle(n, first, now, out);
}

void live_node_written(struct live_node *n, const struct live_kept *kept,
                       uint64_t now, struct live_effects *out)
{
    size_t first = out->count;

    if (n->dead)
        return;
    n->mode->kind->written(n->mode, kept, now, out);
    settle(n, first, now, out);
}

bool live_node_change(struct live_node *n, const struct live_change *change,
                      uint64_t now, struct live_effects *out)
{
    size_t first = out->count;
    bool done = !n->dead && n->mode->kind->change(n->mode, change, now, out);

    settle(n, first, now, out);
    return done;
}

void live_node_serve(struct live_node *n, const struct live_desk_in *in,
                     struct live_effects *out)
{
    size_t first = out->count;

    live_desk_step(&n->desk, in, out);
    if (!n->dead)
        settle(n, first, in->now, out);
}

/* It takes no part for one reason or the other, or does again. */
static void hold_up(struct live_node *n, bool before, uint64_t now,
                    struct live_effects *out)
{
    struct live_desk_in in = {.event = LIVE_HELD_UP, .now = now};
    bool held = n->unfit[0] || n->elder[0];

    if (held)
        in.why = n->unfit[0] ? n->unfit : n->elder;
    if (held != before)
        n->mode->kind->unfit(n->mode, held, now, out);
    live_node_serve(n, &in, out);
}

void live_node_unfit(struct live_node *n, const char *why, uint64_t now,
                     struct live_effects *out)
{
    bool before = n->unfit[0] || n->elder[0];

    if (n->dead)
        return;
    snprintf(n->unfit, sizeof n->unfit, "%s", why ? why : "");
    hold_up(n, before, now, out);
}

void live_node_defer(struct live_node *n, const char *why, uint64_t time,
                     uint64_t now, struct live_effects *out)
{
    bool before = n->unfit[0] || n->elder[0];
    bool same = strcmp(n->elder, why) == 0;

    if (n->dead || n->mode->config->mode == LIVE_SILENCE ||
        (!n->elder[0] && now < n->mode->kind->until(n->mode)))
        return;
    n->elder_for = time;
    n->elder_until = now + time;
    if (same)
        return;
    snprintf(n->elder, sizeof n->elder, "%s", why);
    hold_up(n, before, now, out);
}

/* P6: nothing was heard of a lower generation for long enough.  A node that
 * stood still meanwhile has not listened, and begins again. */
static void look_for_elders(struct live_node *n, uint64_t now,
                            struct live_effects *out)
{
    if (!n->elder[0] || now < n->elder_until)
        return;
    if (now - n->elder_until > n->mode->config->tau) {
        n->elder_until = now + n->elder_for;
        return;
    }
    n->elder[0] = '\0';
    hold_up(n, true, now, out);
}

void live_node_due(struct live_node *n, uint64_t now, struct live_effects *out)
{
    size_t first = out->count;

    if (n->dead)
        return;
    look_for_elders(n, now, out);
    expire(n, now, out);
    n->mode->kind->due(n->mode, now, out);
    settle(n, first, now, out);
}

uint64_t live_node_wake(const struct live_node *n)
{
    uint64_t at = n->mode->kind->wake(n->mode);

    return n->elder[0] && n->elder_until < at ? n->elder_until : at;
}

void live_node_leave(struct live_node *n, uint64_t now,
                     struct live_effects *out)
{
    size_t first = out->count;

    if (n->dead)
        return;
    (void)n->mode->kind->command(n->mode, LIVE_STOP, 0, now, out);
    settle(n, first, now, out);
}

/* ---- Beginning and end --------------------------------------------------- */

void live_node_open(struct live_node *n, struct live_mode *mode,
                    uint8_t without)
{
    const struct live_config *config = mode->config;
    struct live_desk_params params = {
        .kill = config->kill,
        .patience = mode->patience,
        .witness = config->nodes[mode->self].witness,
        .without = without,
    };

    n->mode = mode;
    n->over = n->dead = false;
    n->unfit[0] = n->elder[0] = '\0';
    n->elder_until = n->elder_for = 0;
    live_desk_open(&n->desk, &params);
}

void live_node_close(struct live_node *n)
{
    if (n->mode)
        n->mode->kind->close(n->mode);
    n->mode = NULL;
}
