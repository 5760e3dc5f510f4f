/*
 * typed.c - the engines of one protocol.  The build compiles this file once
 * for every line of protocols/all.h, with P and P_SOURCE set; and again, with
 * FC_WIDE, for a protocol that has states for few nodes and for many.
 */
#ifndef P_ONCE /* else P_SOURCE is a header, and all is called */
#define FC_TYPED
#endif
#include P_SOURCE

/* A page has no room for a second engine that gives the same results. */
#ifdef FULCRUM_WEB
#include "sim/engine/engine.inc"
#else
#include "sim/engine/lockstep.inc"
#endif

#include "sim/engine/course.inc"

#ifdef FC_WIDE
#define TYPED_SIM _wide_sim
#else
#define TYPED_SIM _sim
#endif
#ifdef FC_WIDE_ABOVE
extern const struct sim_type FC_PASTE(P, _wide_sim);
#endif

const struct sim_type FC_PASTE(P, TYPED_SIM) = {
    .protocol = &FC_PASTE(P, _protocol),
    .run = engine_run,
#ifndef FULCRUM_WEB
    .lockstep = lockstep_run,
    .lockstep_node = lockstep_node,
#endif
    .pieces = &course_pieces,
    .node_bytes = ENGINE_NODE,
#if defined FC_WIDE_ABOVE && !defined FULCRUM_WEB
    .most = FC_WIDE_ABOVE,
    .wide = &FC_PASTE(P, _wide_sim),
#endif
};
