/*
 * typed.c - the engines of one protocol.  The build compiles this file once
 * for every line of protocols/all.h, with P and P_SOURCE set.
 */
#ifndef P_ONCE /* else P_SOURCE is a header, and all is called */
#define FC_TYPED
#endif
#include P_SOURCE

/* A page has no room for a second engine that gives the same results. */
#ifdef FULCRUM_WEB
#include "sim/engine/engine.inc"
#define lockstep_run  NULL
#define lockstep_node NULL
#else
#include "sim/engine/lockstep.inc"
#endif

#include "sim/engine/course.inc"

const struct sim_type FC_PASTE(P, _sim) = {
    .protocol = &FC_PASTE(P, _protocol),
    .run = engine_run,
    .lockstep = lockstep_run,
    .pieces = &course_pieces,
    .node_bytes = ENGINE_NODE,
    .lockstep_node = lockstep_node,
};
