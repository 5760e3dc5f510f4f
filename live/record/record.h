/*
 * record.h - what a node may not forget: the number of its starts, their
 * configuration, and a payload of its mode.
 *
 * A payload is bytes that only their mode understands: the highest view that
 * the node voted for, or the floor of its numbers.  When the mode changes, the
 * record keeps the payload of the mode before, untouched, beside that of the
 * new one.  So a node that comes back to mode proven still knows what it
 * promised there.  A change of mode has to raise the generation like any other
 * (P5), which alone keeps tokens growing; but what was promised is never
 * forgotten for being of no use at the moment.
 *
 * One file per node in the state directory, NAME.record, of two slots that are
 * written in turn, so that a write cut short leaves the other one.  A write is
 * on disk before the call returns (rule P1).  The running daemon locks the
 * file.
 *
 * A node is created once, by live_record_create().  A record that is missing or
 * bad later is never taken for a new node's (rule P3).
 */
#ifndef LIVE_RECORD_H
#define LIVE_RECORD_H

#include "live/config/config.h"

/* Whose bytes a payload is, in the file: a number is never given to another. */
enum live_payload_mode { LIVE_PAYLOAD_PROVEN = 1, LIVE_PAYLOAD_SILENCE = 2 };

enum { LIVE_PAYLOAD_MAX = 3072 }; /* bytes; more would be another format */

/* How a mode writes its payload: in `least` to `most` bytes, which may be as
 * many at one write and others at the next.  The least, all zero, are a new
 * node's. */
struct live_payload {
    uint16_t mode; /* enum live_payload_mode */
    uint16_t version;
    uint32_t least, most;
    /* Whether nothing is forgotten that stood there before. */
    bool (*follows)(const uint8_t *next, uint32_t next_size,
                    const uint8_t *before, uint32_t before_size);
};

/* What a mode hands over to be kept, and finds when it starts. */
struct live_kept {
    uint32_t starts; /* of the node, whatever its mode: its lives are counted */
    uint32_t size;   /* of the bytes that count */
    uint64_t quiet;  /* the longest time for which a lease of this generation
                      * must be outwaited, in microseconds; 0: as long as the
                      * configuration says.  It never gets shorter again */
    uint8_t bytes[LIVE_PAYLOAD_MAX];
};

enum live_record_found {
    LIVE_RECORD_FINE,      /* open, locked, and read */
    LIVE_RECORD_MISSING,   /* no file: never created, or lost */
    LIVE_RECORD_BAD,       /* no slot of it is whole, or it is another node's */
    LIVE_RECORD_OTHER,     /* written under another configuration that is not of
                          * an earlier generation (P5) */
    LIVE_RECORD_LATER,     /* a later version of this program wrote it */
    LIVE_RECORD_SET_BACK,  /* other nodes knew more of this one (P4) */
    LIVE_RECORD_OUTDATED,  /* a node of a higher generation was met (P6) */
    LIVE_RECORD_ELSEWHERE, /* it was last used at another place (P7) */
    LIVE_RECORD_LOCKED,    /* a daemon of this node is running, and stays */
    LIVE_RECORD_REFUSED,   /* by the system */
};

struct live_record;

/* What a record that was opened owes to an earlier configuration. */
struct live_record_change {
    bool changed;
    uint32_t generation; /* before; 0: a record of an earlier program */
    uint64_t wait;       /* microseconds by which old leases outlast new ones */
    uint64_t quiet;      /* P6: the longest Wfull of any generation so far */
    uint8_t stays_from;  /* P6: a generation that was a mistake, or 0 */
};

/* Creates the record of a new node: no payload, never started.  Returns false
 * with a sentence if there is one already, or if the system refuses; then
 * nothing is there that was not there before. */
bool live_record_create(const struct live_config *config, uint32_t self,
                        struct net_why *error);

/* Removes it again, for a node whose first start failed before it could send
 * anything. */
void live_record_discard(const struct live_config *config, uint32_t self);

/* Opens, locks and reads, for a mode that writes such a payload.  Anything
 * except LIVE_RECORD_FINE leaves *record NULL and a sentence.
 *
 * P5: a record of an earlier generation is taken over: with the first write it
 * is of the new one.  Before that as much time must pass as the change says. */
enum live_record_found live_record_open(struct live_record **record,
                                        const struct live_config *config,
                                        uint32_t self,
                                        const struct live_payload *payload,
                                        struct net_why *error);

/* The same, by the operator's word, for a record that has been moved here: it
 * belongs here from its next write on. */
enum live_record_found live_record_move(struct live_record **record,
                                        const struct live_config *config,
                                        uint32_t self,
                                        const struct live_payload *payload,
                                        struct net_why *error);

/* Whether it was damaged since the node stopped in order, without harm: what
 * was in one of its slots is in the other. */
bool live_record_damaged(const struct live_record *record);

struct live_record_change live_record_change(const struct live_record *record);

/* P4: writes down that this record is not to be trusted any more.  Only
 * live_record_repair() helps then. */
bool live_record_distrust(struct live_record *record, struct net_why *error);

/* The node stops in order: what it must not forget is in both slots from now
 * on. */
bool live_record_stop(struct live_record *record, struct net_why *error);

/* Whether a record that was found so may be replaced by the next call. */
bool live_record_repairable(enum live_record_found found);

/* P6: writes down that a node of a higher generation was met.  The node starts
 * again with a configuration of that, or after live_record_stay(). */
bool live_record_outdate(struct live_record *record, uint32_t generation,
                         struct net_why *error);

/* P6: the operator says that the generation for which this node has stopped was
 * a mistake.  False with a sentence, also if the node did not stop for one. */
bool live_record_stay(const struct live_config *config, uint32_t self,
                      const struct live_payload *payload,
                      struct net_why *error);

/* Rule P3: puts a record in the place of one that is missing, bad, was set back
 * or belongs elsewhere, by what all other nodes said; the caller has asked
 * every one of them and has waited. `starts` must be above every life of this
 * node that one of them has seen.  Refuses if there is a good one, or one that
 * is in use.  Payloads of other modes are gone with the record that is
 * replaced: they are of earlier generations, whose tokens are below all that
 * follow. */
bool live_record_repair(const struct live_config *config, uint32_t self,
                        const struct live_payload *payload,
                        const struct live_kept *kept, struct net_why *error);

/* In a cluster of that size, the number of other nodes that may be off while a
 * record is repaired.  A view was made by the votes of a majority.  One of them
 * may be this node's, and nodes that are off are not asked about theirs: one at
 * least must be left that knows the view. */
uint32_t live_record_may_lack(uint32_t nodes);

/* As last written. */
struct live_kept live_record_kept(const struct live_record *record);

/* On disk when it returns true.  Else there is a sentence, and nothing may be
 * sent that rests on it; the record is as it was, and the call can be tried
 * again.  Neither starts nor payload ever go back. */
bool live_record_write(struct live_record *record, const struct live_kept *kept,
                       struct net_why *error);

/* Unlocks; NULL is fine. */
void live_record_close(struct live_record *record);

#endif
