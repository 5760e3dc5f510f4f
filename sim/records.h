/*
 * records.h - what happened in a run, as tables of numbers: a row for the run
 * itself, for each entry, each name of a ring, each phase of an election.
 *
 * The engine tells it what happens (the functions of the second part); when the
 * run is over the tables are complete.  Nothing is kept of the run before.  A
 * simulation without records has none of this.
 */
#ifndef SIM_RECORDS_H
#define SIM_RECORDS_H

#include "net/names.h"
#include "sim/sim.h"

enum sim_table_kind {
    SIM_TABLE_RUN,
    SIM_TABLE_ENTRY,
    SIM_TABLE_NAME,
    SIM_TABLE_PHASE,
    SIM_TABLES,
};
extern const char *const sim_table_words[SIM_TABLES];

/* In place of a number that there is not. */
#define SIM_ABSENT UINT64_MAX

/* The columns of a table; columns for kinds of messages follow the others. */
enum { SIM_COLUMNS_MAX = 20 + 3 * FC_KINDS_MAX, SIM_COLUMN_SIZE = 40 };
struct sim_columns {
    uint32_t count; /* 0: runs of this protocol have no such table */
    char name[SIM_COLUMNS_MAX][SIM_COLUMN_SIZE];
};
void sim_columns(struct sim_columns *out, const struct fc_protocol *p,
                 enum sim_table_kind which);

struct sim_rows {
    uint64_t *cell; /* `width` for each row */
    uint32_t width;
    size_t count, room;
};

/* An entry, from the wish to the exit. */
struct sim_entry {
    uint64_t want, wake, ask, enter, leave; /* ticks, or SIM_ABSENT */
    uint64_t awake;                         /* others that were, when it woke */
    uint64_t handoff;   /* ticks from the last exit, if it waited then */
    uint64_t attempts;  /* of an operation that needs no permission */
    size_t since, upto; /* entries of all before it wanted, and it entered */
    uint32_t node, number;
    uint32_t bill; /* of the engine; or SIM_NO_BILL */
    bool shared, over;
    uint64_t messages, refusals;
};
#define SIM_NO_BILL UINT32_MAX

struct sim_records {
    struct sim_rows table[SIM_TABLES];

    /* The rest is of the run in progress. */
    const struct sim_setup *setup;
    uint32_t nodes;
    uint32_t phase_note; /* with which a phase begins; 0: there are none */
    bool ring;           /* messages carry names */
    struct sim_entry *entries;
    size_t entries_count, entries_room;
    uint32_t *entered; /* nodes, in the order in which they did */
    size_t entered_count, entered_room;
    struct sim_recorded *node; /* of each */
    size_t node_room;
    struct sim_called *called; /* nodes by name */
    size_t called_room;
    struct sim_phase *phases;
    size_t phases_count, phases_room;
    uint32_t *phase_of; /* of each message */
    size_t phase_of_room;
    uint32_t cause; /* the phase of the message that is being read, or 0 */
    uint32_t phase; /* of the message that is being sent */
    uint32_t awake;
    bool failed; /* no memory */
};

/* All zero is one that can be used. */
void sim_records_free(struct sim_records *r);

/* By which others the entry of a row was overtaken: calls for each, in the
 * order in which they entered. */
void sim_records_overtakers(const struct sim_records *r, size_t row,
                            void (*tell)(void *whom, uint64_t id), void *whom);

/* ---- Told by the engine -------------------------------------------------- */

bool sim_records_begin(struct sim_records *r, const struct sim_setup *setup,
                       const struct net_names *names, uint64_t seed);

/* A message leaves now; `name` is that which it carries, or FC_NOBODY.  Then
 * its number, of which there are several if it is copied. */
void sim_records_send(struct sim_records *r, uint32_t from, uint32_t kind,
                      uint32_t bits, uint64_t name, uint64_t now);
void sim_records_number(struct sim_records *r, uint64_t id);

/* A message is read: messages sent then belong to its phase, or to the node's
 * if that is later.  Or a node acts on its own. */
void sim_records_read(struct sim_records *r, uint64_t id);
void sim_records_own(struct sim_records *r);

/* A node begins its next phase; a node draws a number from 0 on. */
void sim_records_phase(struct sim_records *r, uint32_t node, uint64_t now);
void sim_records_draw(struct sim_records *r, uint32_t node, uint32_t drawn);

/* A site wants to enter; sleeps no more; enters; has left; or gives up. */
void sim_records_want(struct sim_records *r, uint32_t node, uint64_t now,
                      bool shared, uint32_t bill);
void sim_records_wake(struct sim_records *r, uint32_t node, uint64_t now);
void sim_records_ask(struct sim_records *r, uint32_t node, uint64_t now);
void sim_records_enter(struct sim_records *r, uint32_t node, uint64_t now,
                       uint64_t left_at);
void sim_records_leave(struct sim_records *r, uint32_t node, uint64_t now,
                       uint64_t attempts);
void sim_records_drop(struct sim_records *r, uint32_t node);

/* NULL, or the rule that the records of a run break between two events. */
const char *sim_records_sane(const struct sim_records *r);

/* The run is over, and the bills of its entries are in place. */
bool sim_records_end(struct sim_records *r, const struct sim_result *result);

#endif
