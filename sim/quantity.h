/*
 * quantity.h - the numbers that are measured of every run.
 *
 * A row begins with KIND, FIELD, KEY: FIELD is its name in struct sim_result
 * and in struct sim_summary, KEY in JSON and in the table of runs.  KIND says
 * what a summary keeps of many runs:
 *
 *     MESSAGES, STAT   struct sim_stat: mean, spread and extremes
 *     GOAL             the same, of the runs that come to it
 *     SUM, MOST        the sum, the greatest
 *
 * What papers speak of goes on with LABEL, COST, NAME, NOUN: LABEL in the
 * report; the enum fc_cost that papers state, or SIM_NO_COST; NAME for fulcrum
 * worst, and the NOUN that says what it is.  A number more is a row here, and a
 * line where it is counted.
 */
#ifndef SIM_QUANTITY_H
#define SIM_QUANTITY_H

#define SIM_NO_COST (-1)

/* Messages and bits. */
#define SIM_COSTS(ROW)                                                         \
    ROW(MESSAGES, messages, "messages", "messages", FC_COST_MESSAGES,          \
        "messages", "messages")                                                \
    ROW(STAT, frames, "frames", "heartbeats", SIM_NO_COST, NULL, NULL)         \
    ROW(STAT, paper_bits, "paper_bits", "paper bits", FC_COST_PAPER_BITS,      \
        "paper-bits", "bits, as the paper counts")                             \
    ROW(STAT, wire_bits, "wire_bits", "wire bits", SIM_NO_COST, "wire-bits",   \
        "bits on the wire")

/* Times; problems have words of their own for the goal. */
#define SIM_TIMES(ROW)                                                         \
    ROW(STAT, end, "end", "ticks", FC_COST_TICKS, "end",                       \
        "ticks to the last message read")                                      \
    ROW(GOAL, reached_at, "reached", NULL, SIM_NO_COST, "elected-at",          \
        "ticks to the election")

#define SIM_COUNTS(ROW)                                                        \
    ROW(STAT, initiators, "initiators")                                        \
    ROW(SUM, entries, "entries")   /* complete ones */                         \
    ROW(SUM, overlaps, "overlaps") /* pairs inside that are forbidden */       \
    ROW(MOST, queue_max, "queue")  /* messages that waited at one node */

/* Messages, then nodes and links. */
#define SIM_MISHAPS(ROW)                                                       \
    ROW(SUM, lost, "lost")                                                     \
    ROW(SUM, copied, "copied")                                                 \
    ROW(SUM, reordered, "reordered")                                           \
    ROW(SUM, late, "late")                                                     \
    ROW(SUM, crashes, "crashes")                                               \
    ROW(SUM, pauses, "pauses")                                                 \
    ROW(SUM, cuts, "cuts")

#define SIM_QUANTITIES(ROW)                                                    \
    SIM_COSTS(ROW)                                                             \
    SIM_TIMES(ROW)                                                             \
    SIM_COUNTS(ROW)                                                            \
    SIM_MISHAPS(ROW)                                                           \
    ROW(STAT, answer, "answer") /* the leader's, used for something */         \
    ROW(SUM, events, "events")  /* wake-ups, messages read, timers expired */  \
    ROW(MOST, bytes, "bytes")   /* memory of the run, all in */

#endif
