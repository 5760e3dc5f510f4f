/*
 * record.h - what a node may not forget: the highest view that it voted for,
 * how often it was started, and in mode silence the floor of its numbers.
 *
 * One file per node in the state directory, NAME.record, of two slots that are
 * written in turn, so that a write cut short leaves the other one.  A write is
 * on disk before the call returns (rule P1).  The running daemon locks the
 * file.
 *
 * A node is created once, by live_record_create().  A record that is missing or
 * bad later is never taken for that of a new node (rule P3).
 */
#ifndef LIVE_RECORD_H
#define LIVE_RECORD_H

#include "live/config/config.h"
#include "protocols/mutex/view_lock.h"

enum live_record_found {
    LIVE_RECORD_FINE,     /* open, locked, and read */
    LIVE_RECORD_MISSING,  /* no file: never created, or lost */
    LIVE_RECORD_BAD,      /* no slot of it is whole, or it is another node's */
    LIVE_RECORD_OTHER,    /* written under another configuration that is not of
                          * an earlier generation (P5) */
    LIVE_RECORD_SET_BACK, /* other nodes knew more of this one (P4) */
    LIVE_RECORD_LOCKED,   /* a daemon of this node is running */
    LIVE_RECORD_REFUSED,  /* by the system */
};

struct live_record;

/* What a record that was opened owes to an earlier configuration. */
struct live_record_change {
    bool changed;
    uint32_t generation; /* before; 0: a record of an earlier program */
    uint64_t wait;       /* microseconds by which old leases outlast new ones */
};

/* Creates the record of a new node: nothing voted, never started.  Returns -1
 * with a sentence if there is one already, or if the system refuses; then
 * nothing is there that was not there before. */
int live_record_create(const struct live_config *config, uint32_t self,
                       char error[LIVE_ERROR_SIZE]);

/* Removes it again, for a node whose first start failed before it could send
 * anything. */
void live_record_discard(const struct live_config *config, uint32_t self);

/* Opens, locks and reads.  Anything except LIVE_RECORD_FINE leaves *record NULL
 * and a sentence.
 *
 * P5: a record of an earlier generation is taken over: with the first write it
 * is of the new one.  Before that as much time must pass as the change says. */
enum live_record_found live_record_open(struct live_record **record,
                                        const struct live_config *config,
                                        uint32_t self,
                                        char error[LIVE_ERROR_SIZE]);

struct live_record_change live_record_change(const struct live_record *record);

/* P4: writes down that this record is not to be trusted any more.  Only
 * live_record_repair() helps then. */
int live_record_distrust(struct live_record *record,
                         char error[LIVE_ERROR_SIZE]);

/* Rule P3: puts a record in the place of one that is missing, bad or was
 * set back, by what all other nodes said; the caller has asked every one of
 * them and has waited. `starts` must be above every life of this node that
 * one of them has seen.  Refuses if there is a good one, or one that is in
 * use. */
int live_record_repair(const struct live_config *config, uint32_t self,
                       const struct view_lock_record *values,
                       char error[LIVE_ERROR_SIZE]);

/* As last written. */
struct view_lock_record live_record_values(const struct live_record *record);

/* On disk when it returns 0.  On -1 there is a sentence, and nothing may be
 * sent that rests on these values; the record is as it was, and the call can
 * be tried again.  Values never go down. */
int live_record_write(struct live_record *record,
                      const struct view_lock_record *values,
                      char error[LIVE_ERROR_SIZE]);

/* The same for the floor: no own number was above it. */
uint64_t live_record_floor(const struct live_record *record);
int live_record_write_floor(struct live_record *record, uint64_t floor,
                            char error[LIVE_ERROR_SIZE]);

/* Unlocks; NULL is fine. */
void live_record_close(struct live_record *record);

#endif
