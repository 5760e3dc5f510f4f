/*
 * driver.h - for the author of a driver: a simulator, a checker, a daemon or
 * any other program that runs protocols.
 *
 * All it takes to embed a protocol P, given the functions that obey.inc asks
 * for:
 *
 *     struct P_in in = {.event = {.kind = FC_MESSAGE, .port = port}, .msg = m};
 *
 *     for (;;) {
 *         struct P_out out = {0};
 *
 *         in.event.now = my_clock();
 *         P_step(&state, &params, &me, &in, &out);
 *         driver.out = &out;
 *         switch (my_obey(&driver, &out.fx)) {
 *         case FC_THEN_DONE:   return;
 *         case FC_THEN_FAILED: return stop_this_node();
 *         case FC_THEN_LOAD:   in = loaded(cells[out.fx.cell]); break;
 *         case FC_THEN_CHOOSE: in = chosen(draw_below(out.fx.choose)); break;
 *         case FC_THEN_GO_ON:  in = go_on(); break;
 *         }
 *     }
 *
 * The events of one node come one at a time: a step is finished, with
 * everything it goes on to, before the next.  A message arrives later than it
 * was sent, even to the sender itself.  A timer that is started again forgets
 * when it would have expired.
 */
#ifndef FC_DRIVER_H
#define FC_DRIVER_H

#include "core/entry.h"

/* How a step goes on when its effects have been carried out. */
enum fc_then {
    FC_THEN_DONE,
    FC_THEN_LOAD,   /* next event: FC_LOADED */
    FC_THEN_CHOOSE, /* next event: FC_CHOICE */
    FC_THEN_GO_ON,  /* next event: FC_GO_ON */
    FC_THEN_FAILED, /* the state could not be saved: nothing was done */
};

/* Makes an outbox ready for a step. */
static inline void fc_empty(struct fc_effects *fx)
{
    fx->sends = 0;
    fx->go_on = fx->unused = 0;
    fx->notes = fx->choose = 0;
    fx->arm = fx->disarm = 0;
    fx->save = fx->access = 0;
}

#endif
