/*
 * world.c - see world.h.
 */
#include "world.h"

enum { CLOCK_STEP = 10000, BUS_TICKS = 3 /* of a frame, at 500 kbit/s */ };
enum { WRITING = 2 * TICKS, WRAPS_WITHIN = 20000 };

/* SplitMix64. */
uint32_t world_draw(struct world *w, uint32_t below)
{
    uint64_t x = w->seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) >> 32) % below;
}

static bool one_in(struct world *w, uint32_t many)
{
    return world_draw(w, many) == 0;
}

/* ---- What board.h promises ----------------------------------------------- */

uint32_t board_clock(struct board *b)
{
    return (uint32_t)(b->clock / CLOCK_STEP) - b->wraps;
}

uint32_t board_draw(struct board *b, uint32_t below)
{
    return world_draw(b->world, below);
}

static void push(struct queue *q, const struct frame *f)
{
    if (q->count < QUEUE)
        q->frame[(q->first + q->count++) % QUEUE] = *f;
}

void board_send(struct board *b, const uint8_t *frame, uint8_t size)
{
    struct frame f = {.from = (uint8_t)b->node.me.index, .size = size};

    for (uint32_t i = 0; i < size; i++)
        f.bytes[i] = frame[i];
    if (!b->powered)
        return;
    b->world->letters += frame[1] == 0 || frame[1] == BUS_LAST;
    push(&b->out, &f);
}

static bool guard_fires(struct board *b)
{
    return (int32_t)(board_clock(b) - b->until) >= 0;
}

/* Whether another board does now what only one may do. */
static bool another_is_on(const struct board *b)
{
    for (uint32_t i = 0; i < BOARDS; i++)
        if (&b->world->board[i] != b && b->world->board[i].on)
            return true;
    return false;
}

void board_hold(struct board *b, uint32_t until, bool begins)
{
    struct world *w = b->world;

    b->until = until;
    if (!begins || !b->powered || guard_fires(b))
        return;
    b->on = true;
    w->entries++;
    w->beside += another_is_on(b);
    w->tokens_back += b->node.held <= w->token;
    if (w->token < b->node.held)
        w->token = b->node.held;
}

void board_let_go(struct board *b)
{
    b->on = false;
}

void board_read(struct board *b, uint32_t slot, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = b->flash[slot][i];
}

/* The power may fail in the midst of it. */
bool board_write(struct board *b, uint32_t slot, const uint8_t *bytes,
                 size_t size)
{
    struct world *w = b->world;
    size_t until = b->tears ? world_draw(w, (uint32_t)size) : size;

    for (size_t i = 0; i < sizeof b->flash[slot]; i++)
        b->flash[slot][i] = i < until ? bytes[i] : 0xff;
    w->writes++;
    b->stuck_until = w->tick + WRITING;
    if (!b->tears)
        return true;
    w->torn++;
    world_cut_power(b, 100);
    return false;
}

/* ---- Power --------------------------------------------------------------- */

void world_cut_power(struct board *b, uint32_t steps)
{
    b->powered = b->on = b->tears = false;
    b->in.count = b->out.count = 0;
    b->back_at = b->world->tick + (uint64_t)steps * TICKS;
}

static void start(struct world *w, struct board *b)
{
    struct fc_member me = {(uint32_t)(b - w->board), BOARDS};

    b->node = (struct bus_node){0};
    b->clock = 0;
    b->wraps = world_draw(w, WRAPS_WITHIN);
    b->powered = true;
    b->stuck_until = 0;
    b->late.size = 0;
    w->starts++;
    bus_node_start(&b->node, b, me, &w->params);
    w->repaired += b->node.standing == BUS_STRANGER;
}

/* ---- The bus ------------------------------------------------------------- */

/* A frame at a board that hears it: lost, doubled, late, or noise, now and
 * then. */
static void hear(struct world *w, struct board *b, struct frame f)
{
    if (one_in(w, 100))
        return;
    if (one_in(w, 1000))
        f.bytes[world_draw(w, f.size)] ^= (uint8_t)(1 + world_draw(w, 255));
    if (!b->late.size && one_in(w, 200)) {
        b->late = f;
        return;
    }
    push(&b->in, &f);
    if (one_in(w, 200))
        push(&b->in, &f);
    if (b->late.size)
        push(&b->in, &b->late);
    b->late.size = 0;
}

/* The least number of those that want to send goes first, as on CAN. */
static void run_bus(struct world *w)
{
    struct board *from = NULL;
    struct frame f;

    for (uint32_t i = 0; i < BOARDS && !from; i++)
        if (w->board[i].out.count && w->tick >= w->board[i].stuck_until)
            from = &w->board[i];
    if (!from || w->tick < w->bus_free)
        return;
    f = from->out.frame[from->out.first++ % QUEUE];
    from->out.count--;
    w->bus_free = w->tick + BUS_TICKS;
    w->frames++;
    for (uint32_t i = 0; i < BOARDS; i++) {
        struct board *b = &w->board[i];

        if (b != from && b->powered && w->tick >= b->cut_until &&
            w->tick >= from->cut_until)
            hear(w, b, f);
    }
}

/* Clocks of three boards: one is fast, one is slow. */
void world_tick(struct world *w)
{
    w->tick++;
    run_bus(w);
    for (uint32_t i = 0; i < BOARDS; i++) {
        struct board *b = &w->board[i];

        if (!b->powered && w->tick >= b->back_at)
            start(w, b);
        b->clock += CLOCK_STEP / TICKS + 1 - i;
        if (b->on && guard_fires(b)) {
            b->on = false;
            w->guarded++;
        }
    }
}
