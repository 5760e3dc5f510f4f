/*
 * world.h - simulated boards on a simulated bus: world.c is the hardware,
 * trial.c makes the faults.
 */
#ifndef BUS_WORLD_H
#define BUS_WORLD_H

#include "node.h"

enum {
    BOARDS = 3,
    TICKS = 10, /* of a tenth of a millisecond, in a step of a right clock */
    QUEUE = 64, /* frames; a power of two */
};

struct frame {
    uint8_t from, size, bytes[BUS_FRAME];
};

struct queue {
    struct frame frame[QUEUE];
    uint32_t first, count;
};

struct board {
    struct bus_node node; /* zero after each start, as its memory is */
    struct world *world;
    struct queue in, out;
    uint64_t clock; /* since the start, in ten-thousandths of a step */
    uint32_t wraps; /* steps from the counter's beginning until it wraps */
    bool powered, on, tears; /* on: the actuator */
    uint32_t until;          /* of the guard */
    uint64_t back_at, cut_until, stuck_until;
    struct frame late; /* overtaken by the next */
    uint8_t flash[BOARD_SLOTS][32];
};

struct world {
    struct board board[BOARDS];
    struct view_lock_params params;
    uint64_t tick, bus_free;
    uint64_t seed;
    uint64_t token; /* the greatest so far */
    uint32_t entries, beside, tokens_back, guarded, broken;
    uint32_t frames, letters, writes, torn, starts, repaired;
};

uint32_t world_draw(struct world *w, uint32_t below);

void world_cut_power(struct board *b, uint32_t steps);

/* One tick: clocks, guards, the bus, and starts. */
void world_tick(struct world *w);

#endif
