/*
 * trial.c - three boards share an actuator that only one may drive, while the
 * bus loses frames, boards lose power in the midst of a write, are cut off, and
 * hang; and every clock wraps.  Prints what it saw.
 *
 * It runs on a host, and on the board of mps2.c, where the numbers are the
 * same.
 */
#include "core/params.h"
#include "world.h"

#ifndef SECONDS
#define SECONDS 1800
#endif

/* ---- The application ----------------------------------------------------- */

/* What the application of a board is about to do, in ticks. */
struct application {
    uint64_t asks_at, leaves_at; /* leaves_at: 0 while it is not inside */
    bool asked;
};

static void leaves(struct world *w, struct board *b, struct application *a)
{
    bus_node_leave(&b->node);
    *a = (struct application){.asks_at = w->tick +
                                         (uint64_t)TICKS * world_draw(w, 200)};
}

static void apply(struct world *w, struct board *b, struct application *a)
{
    if (!a->asked && w->tick >= a->asks_at) {
        bus_node_want(&b->node);
        a->asked = true;
        a->asks_at = w->tick + (uint64_t)TICKS * 2000; /* then it gives up */
    }
    if (b->on && !a->leaves_at)
        a->leaves_at = w->tick + (uint64_t)TICKS * (10 + world_draw(w, 200));
    else if (a->leaves_at ? !b->on || w->tick >= a->leaves_at
                          : a->asked && w->tick >= a->asks_at)
        leaves(w, b, a);
}

/* The main loop of a board: all that has come, then the clock. */
static void run(struct world *w, struct board *b, struct application *a)
{
    if (!b->powered) {
        *a = (struct application){.asks_at = w->tick};
        return;
    }
    if (w->tick < b->stuck_until)
        return;
    while (b->in.count && b->powered) {
        struct frame *f = &b->in.frame[b->in.first++ % QUEUE];

        b->in.count--;
        bus_node_take(&b->node, f->from, f->bytes, f->size);
    }
    if (b->powered)
        bus_node_run(&b->node);
    if (b->powered)
        apply(w, b, a);
    w->broken += b->powered && b->node.standing == BUS_BROKEN;
}

/* ---- Faults of the boards ------------------------------------------------ */

enum { POWER, CUT, STUCK, TEAR, FAULTS };

static void strike(struct world *w, uint32_t number)
{
    struct board *b = &w->board[world_draw(w, BOARDS)];

    switch (number % 16 == 0 ? (uint32_t)FAULTS : world_draw(w, FAULTS)) {
    case POWER:
        world_cut_power(b, world_draw(w, 2000));
        break;
    case CUT:
        b->cut_until = w->tick + (uint64_t)TICKS * (200 + world_draw(w, 3000));
        break;
    case STUCK:
        b->stuck_until = w->tick + (uint64_t)TICKS * world_draw(w, 500);
        break;
    case TEAR:
        b->tears = true;
        break;
    default: /* both slots are lost */
        for (uint32_t i = 0; i < BOARD_SLOTS; i++)
            b->flash[i][0] = 0xff;
        world_cut_power(b, 50);
        break;
    }
}

/* ---- What people read ---------------------------------------------------- */

#if __STDC_HOSTED__
#include <stdio.h>
static void board_say(char letter)
{
    putchar(letter);
}
#else
void board_say(char letter); /* mps2.c */
#endif

static void say(const char *text)
{
    while (*text)
        board_say(*text++);
}

static void say_number(uint32_t number)
{
    if (number > 9)
        say_number(number / 10);
    board_say((char)('0' + number % 10));
}

static void line(const char *what, uint32_t number)
{
    say_number(number);
    say(what);
}

static void tell(const struct world *w)
{
    line(" seconds, ", SECONDS);
    line(" faults, ", SECONDS / 2);
    line(" starts, ", w->starts);
    line(" of them without a record, ", w->repaired);
    line(" torn writes\n", w->torn);
    line(" letters in ", w->letters);
    line(" frames, ", w->frames);
    line(" record writes\n", w->writes);
    line(" entries, ", w->entries);
    line(" ended by the guard\n", w->guarded);
    line(" beside a holder, ", w->beside);
    line(" with a token that is not greater\n", w->tokens_back);
    for (uint32_t i = 0; i < BOARDS; i++)
        if (w->board[i].node.broken) {
            say(w->board[i].node.broken);
            say("\n");
        }
}

/* Milliseconds are steps: a clock may be off by a thousandth and more, and a
 * letter is read within 20 ms. */
static const struct fc_world bounds = {
    .nodes = BOARDS,
    .initiators = BOARDS,
    .least = 1,
    .greatest = BOARDS,
    .bounds = {.rmin = 998, .rmax = 1002, .dmin = 0, .dmax = 20000},
    .bounded = true,
};

int main(void)
{
    static struct world w;
    static struct application application[BOARDS];
    const char *why;

    w.seed = 1;
    fc_params_default(&view_lock_protocol, &w.params);
    w.params.tau = 20;
    w.params.kill = 2; /* the guard's interrupt, and the actuator */
    w.params.sync = 2; /* writing flash */
    why = view_lock_protocol.prepare(&w.params, &bounds);
    if (why) {
        say(why);
        return 1;
    }
    for (uint32_t i = 0; i < BOARDS; i++) {
        struct board *b = &w.board[i];

        b->world = &w;
        (void)bus_node_begin_flash(b);
    }
    for (uint32_t second = 1; second <= SECONDS; second++) {
        for (uint32_t tick = 0; tick < 1000 * TICKS; tick++) {
            world_tick(&w);
            for (uint32_t i = 0; i < BOARDS; i++)
                run(&w, &w.board[i], &application[i]);
        }
        if (second % 2 == 0)
            strike(&w, second / 2);
    }
    tell(&w);
    return w.beside || w.tokens_back || w.broken;
}
