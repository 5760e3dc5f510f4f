/*
 * world.h - what the files of the rehearsal share: rehearse.c (time, and the
 * whole), daemon.c and life.c (a node's process), people.c (clients, guards,
 * commands), network.c (datagrams), lists.c and operators.c (changes of the
 * list), keys.c, upgrade.c, faults.c and judge.c.
 */
#ifndef LIVE_WORLD_H
#define LIVE_WORLD_H

#include "live/rehearse/plain.h" /* before the other names are known */

#include "live/mode/mode_proven_engine.h"

#include "live/node/node.h"
#include "live/process/watch.h"
#include "live/rehearse/rehearse.h"

enum { PEOPLE_MAX = 8, LOCKS_MAX = 8, SEATS = 64 };

enum event_kind {
    EV_NONE,
    EV_BEGIN, /* a client's command: when a machine wakes up it may begin before
               * its killers have run, and must look at the time itself */
    /* For a daemon; those before come first if they are due together (K1). */
    EV_GO_ON,    /* with what it was about to do */
    EV_DESK_DUE, /* the desk's timer */
    EV_DATAGRAM,
    EV_LETTER, /* of a client */
    EV_WRITTEN,
    EV_LOOK, /* whether the killed are dead */
    EV_HOST_DUE,
    EV_LEFT, /* an orderly stop is over */
    /* For a client and what belongs to it */
    EV_ANSWER, /* of the daemon */
    EV_DEAD,   /* its command, which was killed */
    EV_END,    /* of its command's work */
    EV_WATCH,  /* the client's timer */
    EV_GUARD,  /* the guard's timer */
    EV_THAW,   /* its command, which is looked at after the killers */
    EV_ASK,
    /* Of the world */
    EV_START, /* a daemon */
    EV_FAULT,
    EV_HEAL,
    EV_FLAP,
    EV_CALM, /* from now on everybody must be served */
};

struct event {
    uint64_t at;
    uint32_t order; /* of those at one time: by kind, then as they came */
    uint8_t kind;
    uint8_t node;
    uint8_t who;   /* a client of the node */
    uint8_t what;  /* enum letter, enum live_fault */
    uint64_t life; /* of the daemon, or of the client: stale if it is another */
    uint64_t token;
    uint8_t *bytes;
    size_t size;
};

/* Between a client and its daemon. */
enum letter {
    ASK,
    RELEASE,
    HANG_UP,
    GRANTED,
    REFUSED,
    LOST,
    RELEASED,
};

/* What a process writes and others read at once. */
struct page {
    uint64_t deadline;
    uint64_t promised; /* the last one that was not 0 */
};

/* A connection, as the daemon sees it. */
struct seat {
    bool used, killed;
    uint8_t who;
    uint64_t life; /* of the client */
};

/* A running process; frozen until a time of the world. */
struct process {
    bool alive;
    uint64_t frozen; /* 0: it runs */
};

enum person_state {
    AWAY,     /* thinks */
    ASKS,     /* waits for its lock */
    STARTS,   /* has it, and its command begins */
    WORKS,    /* its command is inside */
    RELEASES, /* its command is dead, the daemon is told */
};

/* A client, its guard, its command: as `fulcrum lock` makes them; or a program
 * that looks at its deadline itself (alone). */
struct person {
    enum person_state state;
    uint32_t lock;
    bool shared, alone;
    uint64_t patience, hold, grace;
    bool heeds;         /* that it is told to end */
    uint64_t life;      /* of its present try: events of others are stale */
    uint64_t connected; /* the life of the daemon; 0: to none */
    uint32_t seat;
    struct process client, guard, command;
    struct page page;
    struct live_watch watch;
    struct live_watcher by_client, by_guard;
    uint64_t token, start_deadline;
    uint64_t ends_at; /* the world's time, when its work is done */
    bool inside;      /* its command works */
    bool lost;        /* it was killed */
    uint64_t served_at;
};

struct machine {
    uint32_t id;
    /* Its clock: local = base_local + (t - base) * rate */
    uint64_t base, base_local;
    int64_t ppm;
    /* Its daemon */
    struct process daemon;
    uint64_t asleep; /* the whole machine, until then */
    uint64_t life;   /* of the process: grows with every start */
    struct live_node node;
    struct live_effects effects;
    size_t next; /* that is carried out; effects.count: none is left */
    struct live_self self;
    struct live_met met;            /* P6 */
    const struct live_config *file; /* that its next start reads */
    uint32_t outdated_by;           /* in its record */
    struct live_channel channels[LIVE_NODES_MAX];
    uint64_t hello_at[LIVE_NODES_MAX];
    uint64_t host_at, desk_at; /* local times that its timers are set to */
    struct seat seats[SEATS];
    uint64_t slowest; /* write */
    uint64_t stop_at; /* when it was told to stop; or 0 */
    bool told;        /* the others, of that */
    bool promises;    /* what it does now waited for the record */
    /* Its disk */
    struct live_kept disk, writing, old;
    bool writes, missing;
    bool overtaken; /* a write that the daemon wants to hear of, by another */
    struct live_kept before; /* what the daemon waits for was written */
    uint64_t sure_at;        /* when that is over */
    uint64_t written_at;     /* and when what it does not wait for is */
    uint64_t write_max;
    bool disk_full;
    bool set_back;  /* and others know better */
    bool repaired;  /* a vote of its last life may be known too late */
    bool may_break; /* something was done to it that stops it */
    /* Where the list changes while nodes run (lists.c) */
    bool began; /* there is such a node */
    bool gone;  /* and no more, with its disk */
    bool left;  /* it has found that it is in no list any more */
    /* Where the key is exchanged (keys.c): numbers of those in its file */
    uint32_t key, spare_key;          /* the same: it has one */
    uint64_t keys_at[LIVE_NODES_MAX]; /* it has shown them to that node */
    uint64_t keys_fresh;              /* until then it shows them more often */
    /* Where nodes are upgraded (upgrade.c) */
    uint8_t speaks, speaks_next; /* versions: now, and at its next start */
    struct person people[PEOPLE_MAX];
};

struct lock_judge {
    uint64_t greatest, greatest_exclusive; /* tokens */
};

struct world {
    const struct live_rehearsal *setup;
    const struct live_config *config; /* with all nodes that there may be */
    struct live_rehearsed *result;
    uint64_t now, seed;
    uint32_t nodes;
    struct live_config *wide; /* if the list changes while nodes run, or NULL */
    struct live_config *known; /* and what each machine knows of the others */
    uint64_t restless;         /* a change is under way, or was, until then */
    struct live_ring *rings;   /* of all nodes, if the key is exchanged */
    uint32_t newest_key;
    struct event *queue;
    size_t queued;
    uint32_t order;
    uint32_t still; /* events at this time */
    bool failed;    /* no memory */
    bool calm;
    uint64_t calm_at;
    struct machine *machines;
    struct live_config *files; /* of changes of the list, or NULL */
    uint32_t files_count;
    bool earlier; /* nodes with the first file run a program without P6 */
    const struct live_config *file; /* the latest */
    struct live_keys keys;          /* of all: P6 */
    /* The network */
    live_node_set cut[LIVE_NODES_MAX]; /* nodes that do not hear this one */
    bool flaps;                        /* and it changes again */
    uint32_t loss, copies, late;       /* chances in a thousand */
    uint64_t late_max;
    uint8_t missed[LIVE_NODES_MAX][LIVE_NODES_MAX]; /* lost in a row, between
                                                     * two: in mode silence */
    uint32_t stall; /* chance in a million, before each thing that is done */
    uint32_t stall_promise; /* the same, if that follows from a record */
    struct lock_judge locks[LOCKS_MAX];
    struct live_opened
        opened; /* the datagram that is read: large, and used at once */
    struct choices *choices; /* made by an explorer, not by chance; or NULL */
};

/* ---- rehearse.c ---------------------------------------------------------- */

uint64_t world_draw(struct world *w);
uint64_t world_draw_below(struct world *w, uint64_t count);
uint64_t world_draw_between(struct world *w, uint64_t least, uint64_t most);
/* From least to most, each order of magnitude as likely. */
uint64_t world_draw_span(struct world *w, uint64_t least, uint64_t most);
bool world_chance(struct world *w, uint32_t of, uint32_t out_of);
bool world_is_silent(const struct world *w); /* mode silence */

void world_post(struct world *w, uint64_t at, struct event e);
/* What a clock shows, now or at a time of the world. */
uint64_t world_local_now(const struct world *w, const struct machine *m);
uint64_t world_local_at(const struct machine *m, uint64_t at);
/* The first time of the world, not before now, at which a clock shows it. */
uint64_t world_time(const struct world *w, const struct machine *m,
                    uint64_t local);
/* A clock goes on at another rate. */
void world_clock_change(struct world *w, struct machine *m);
__attribute__((format(printf, 2, 3))) void world_story(const struct world *w,
                                                       const char *format, ...);

bool world_sooner(const struct event *a, const struct event *b);

/* A whole run: begin, then steps until there is none, then judge that all were
 * served, and end.  -1: there is no memory, and nothing has begun. */
int world_begin(struct world *w);
bool world_step(struct world *w); /* false: it is over */
void world_judge(struct world *w);
void world_end(struct world *w);

/* NULL, or the rule that it breaks between two steps. */
const char *world_sane(const struct world *w);

/* ---- daemon.c and life.c ------------------------------------------------- */

void daemon_start(struct world *w, struct machine *m);
/* A node with the rules that are wanted, which takes over the mode. */
void daemon_open(struct world *w, struct machine *m, struct live_mode *mode);
void daemon_die(struct world *w, struct machine *m, const char *how);
void daemon_event(struct world *w, struct machine *m, struct event *e);
void daemon_stop(struct world *w, struct machine *m);
/* With what it was about to do. */
void daemon_go_on(struct world *w, struct machine *m);
void daemon_freeze(struct world *w, struct machine *m, uint64_t until);
/* R4: an operator asks its node for another list.  False: it does not hear, or
 * does not do it. */
bool daemon_change(struct world *w, struct machine *m,
                   const struct live_change *change);

/* ---- network.c ----------------------------------------------------------- */

void network_send(struct world *w, struct machine *from, uint32_t to,
                  const uint8_t *bytes, size_t size);
/* In answer to what came by the key of that slot. */
void network_hello(struct world *w, struct machine *from, uint32_t to,
                   uint64_t echo, enum live_slot slot);
/* What was sealed for a node of the same list. */
void network_post(struct world *w, const struct machine *from, uint32_t to,
                  uint8_t *wire, size_t size);

/* A datagram to a node of another list, or from one. */
void network_leave(struct world *w, uint32_t from, uint32_t to,
                   const uint8_t *wire, size_t size);

/* ---- change.c ------------------------------------------------------------ */

/* The machine's node gets the latest file, or one of the next generation if all
 * have that.  False: nothing is to be done. */
bool change_strike(struct world *w, struct machine *m);
/* Everybody gets it. */
void change_finish(struct world *w);
/* A datagram of another generation. */
void change_meet(struct world *w, struct machine *m, uint32_t from,
                 const struct live_stranger *stranger);
/* Whether the node may start with its file. */
bool change_allows(const struct machine *m);

/* ---- lists.c ------------------------------------------------------------- */

/* The last machines have no node: nothing that counts on them can begin. */
enum { LISTS_GHOSTS = 4 };

/* Before a run: machines for nodes that join.  -1: there is no memory. */
int lists_open(struct world *w);
void lists_close(struct world *w);
/* Whether a node of this machine may start; then what it knows of others is
 * what its file says. */
bool lists_start(struct world *w, struct machine *m);
/* R1: what its configuration says of others, too.  False: it is in no list any
 * more. */
bool lists_apply(struct world *w, struct machine *m,
                 const struct live_mode *mode);
/* The first node of a machine beyond the first list. */
void lists_begin(struct world *w, struct machine *m);
/* What it has learned, again: besides its times, a set of nodes. */
void lists_know(struct world *w, struct machine *m, live_node_set set);
/* Whether a machine knows another, so that packets can be sent there; and
 * whether it reads those of another, perhaps one that joins. */
bool lists_knows(const struct world *w, const struct machine *m, uint32_t id);
bool lists_admits(struct world *w, struct machine *m, uint32_t from);

/* What the node of a machine says of lists; false: it does not run. */
bool lists_look(const struct world *w, const struct machine *m,
                struct live_lists_view *view);
bool lists_in_use(const struct machine *m);
/* Nodes that are in a list somewhere, or may soon be; and of those, and of
 * those that are wished, the ones without a good record: R6a bears one at a
 * time. */
live_node_set lists_listed(const struct world *w);
live_node_set lists_troubled(const struct world *w, live_node_set wished);
/* Whether it is the only one in such a list. */
bool lists_alone(const struct world *w, uint32_t id);

/* Whether a list can never be. */
bool lists_is_dream(const struct world *w, live_node_set list);

/* Whether no change is under way, or wished. */
bool lists_at_rest(const struct world *w);
/* After everything that happens to a node; and at the end. */
void lists_judge_node(struct world *w, struct machine *m);
void lists_judge(struct world *w);
/* Nodes whose clients must be served in the end. */
live_node_set lists_served(const struct world *w);

/* ---- operators.c --------------------------------------------------------- */

/* An operator at the machine does something about the list.  False: there is
 * nothing to be done. */
bool operators_strike(struct world *w, struct machine *m);
/* The same where all runs are looked at: the changes that can be asked for
 * there, and one of them. */
enum operators_change {
    OPERATORS_REPLACE, /* the witness by another */
    OPERATORS_REMOVE,  /* the other node that is none */
    OPERATORS_RETIME,
};
bool operators_may(const struct world *w, const struct machine *m,
                   enum operators_change what);
void operators_do(struct world *w, struct machine *m,
                  enum operators_change what);

/* ---- keys.c -------------------------------------------------------------- */

int keys_open(struct world *w);
/* Of a node that is new, and of one that starts. */
void keys_begin(struct world *w, struct machine *m);
void keys_start(struct world *w, struct machine *m);
/* Shows a node the keys, if it is time or at once; and hears of its. */
void keys_tell(struct world *w, struct machine *m, uint32_t to, bool at_once);
void keys_hear(struct world *w, struct machine *m);
bool keys_strike(struct world *w, struct machine *m);

/* ---- upgrade.c ----------------------------------------------------------- */

void upgrade_open(struct world *w);
bool upgrade_strike(struct world *w, struct machine *m);
/* What a datagram shows of its sender's version. */
void upgrade_stamp(const struct machine *m, uint8_t *wire);
/* R9: whether all of a set can speak of changes, as far as the node knows. */
bool upgrade_allows(const struct world *w, const struct machine *m,
                    live_node_set set);
void upgrade_judge(struct world *w, struct machine *m);

/* ---- people.c ------------------------------------------------------------ */

void people_event(struct world *w, struct machine *m, struct event *e);
/* What the daemon's effects do to it. */
void people_told(struct world *w, struct machine *m,
                 const struct live_effect *e);
/* The daemon died. */
void people_hung_up(struct world *w, struct machine *m, uint32_t who);
void people_die(struct world *w, struct machine *m, uint32_t who);
void people_kill_command(struct world *w, struct machine *m, struct person *p,
                         const char *by);
void people_ask_later(struct world *w, struct machine *m, uint32_t who,
                      uint64_t least);
void people_freeze(struct world *w, struct machine *m, uint32_t who,
                   struct process *p, uint64_t until);

/* ---- faults.c ------------------------------------------------------------ */

void faults_next(struct world *w);
void faults_flap(struct world *w);
void faults_end(struct world *w, const struct event *e);
void faults_heal(struct world *w); /* all of them, for good */
uint64_t faults_standstill(struct world *w, const struct machine *m,
                           uint64_t most);
/* Whether somebody could still stop each command of the machine in time, if
 * that process did nothing. */
bool faults_may_rest(const struct world *w, const struct machine *m,
                     const struct process *victim);
/* One of them, now.  False: it would break an assumption. */
bool faults_strike(struct world *w, enum live_fault what, struct machine *m);

/* ---- choice.c ------------------------------------------------------------ */

/* In place of chance, if there are choices (choice.h). */
uint64_t choice_span(const struct world *w, uint64_t least, uint64_t most);
/* Before a daemon does something; it may be dead or stopped then. */
void choice_act(struct world *w, struct machine *m);
/* Of a datagram: how late it comes; false: it is lost. */
bool choice_datagram(struct world *w, uint32_t from, uint32_t to,
                     uint64_t *late);
void choice_start(struct world *w, struct machine *m);
void choice_granted(struct world *w, struct machine *m);
uint64_t choice_write(struct world *w, const struct machine *m);
/* A write that its daemon waits for; false: the daemon dies before it has come
 * through. */
bool choice_write_here(struct world *w, struct machine *m);
/* How long its command works. */
uint64_t choice_hold(struct world *w, struct machine *m, struct person *p);
/* How long a killed command lives. */
uint64_t choice_death(struct world *w, const struct machine *m);

/* ---- judge.c ------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) void
judge(struct world *w, enum live_broken_promise what, const char *format, ...);
void judge_begins(struct world *w, struct machine *m, struct person *p);
void judge_goes_on(struct world *w, struct machine *m, struct person *p);
void judge_node(struct world *w, struct machine *m);
void judge_over(struct world *w, struct machine *m);
void judge_killed(struct world *w, struct machine *m, struct person *p);
void judge_calm(struct world *w);
bool judge_is_running(const struct world *w, const struct process *p);

#endif
