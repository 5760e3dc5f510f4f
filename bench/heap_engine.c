/*
 * heap_engine.c - the general engine of one protocol over a heap.  Compiled
 * like sim/typed.c, once per protocol, with P and P_SOURCE set.
 */
#define FC_TYPED
#include P_SOURCE

#define SIM_QUEUE_HEADER "bench/heap.h"
#include "sim/engine/engine.inc"

extern const struct sim_type FC_PASTE(P, _heap);

/* Never run in lockstep: setup.general must be set. */
const struct sim_type FC_PASTE(P, _heap) = {
    .protocol = &FC_PASTE(P, _protocol),
    .run = engine_run,
};
