/*
 * mode_proven_record.h - what mode proven keeps: the highest view that the node
 * voted for, and, when the list of nodes has changed or the node has joined
 * later, its configuration and who that names (R1).
 *
 *      0  maxv 4        8  k 4          28  quiet 8          68  names 8
 *      4  generation 1  12  born 4      36  next quiet 8     76  the roster
 *      5  joins 1       16  at 4        44  old 8
 *      6  zero 2        20  lease 4     52  list 8
 *                       24  next lease  60  witnesses 8
 *
 * or maxv alone.  A configuration is of the generation in which it was agreed
 * on: in a later one the file says who the nodes are.
 */
#ifndef LIVE_MODE_PROVEN_RECORD_H
#define LIVE_MODE_PROVEN_RECORD_H

#include "live/mode/mode_proven_engine.h"

#include "live/record/record.h"

/* Of what the engine has now. */
struct live_kept live_proven_pack(const struct live_engine *engine);

/* What was kept, for this node of this configuration; a node that was never in
 * a list and has kept nothing joins (R6).  False: these bytes are none. */
bool live_proven_unpack(const struct live_kept *kept,
                        const struct live_config *config, uint32_t self,
                        struct live_engine_past *past);

/* The highest view alone, for a record that is repaired. */
uint32_t live_proven_maxv(const struct live_kept *kept);

/* R6a: turns it into that of a node that asks the others. */
void live_proven_rejoin(struct live_kept *kept,
                        const struct live_config *config);

/* Whether nothing is forgotten. */
bool live_proven_follows(const uint8_t *next, uint32_t next_size,
                         const uint8_t *before, uint32_t before_size);

/* The sizes that it may have. */
enum {
    LIVE_PROVEN_LEAST = 4,
    LIVE_PROVEN_HEAD = 76,
    LIVE_PROVEN_MOST = LIVE_PROVEN_HEAD + LIVE_ROSTER_MAX,
};

#endif
