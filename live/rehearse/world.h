/*
 * world.h - what the files of the rehearsal share: rehearse.c (time, and the
 * whole), daemon.c (a node's process), people.c (clients, guards, commands),
 * network.c (datagrams), faults.c and judge.c.
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
    struct live_kept before; /* what the daemon waits for was written */
    uint64_t sure_at;        /* when that is over */
    uint64_t write_max;
    bool disk_full;
    bool set_back;  /* and others know better */
    bool repaired;  /* a vote of its last life may be known too late */
    bool may_break; /* something was done to it that stops it */
    struct person people[PEOPLE_MAX];
};

struct lock_judge {
    uint64_t greatest, greatest_exclusive; /* tokens */
};

struct world {
    const struct live_rehearsal *setup;
    const struct live_config *config;
    struct live_rehearsed *result;
    uint64_t now, seed;
    uint32_t nodes;
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
    uint16_t cut[LIVE_NODES_MAX]; /* nodes that do not hear this one */
    bool flaps;                   /* and it changes again */
    uint32_t loss, copies, late;  /* chances in a thousand */
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
 * served, and end. */
void world_begin(struct world *w);
bool world_step(struct world *w); /* false: it is over */
void world_judge(struct world *w);
void world_end(struct world *w);

/* NULL, or the rule that it breaks between two steps. */
const char *world_sane(const struct world *w);

/* ---- daemon.c ------------------------------------------------------------ */

void daemon_start(struct world *w, struct machine *m);
/* A node with the rules that are wanted, which takes over the mode. */
void daemon_open(struct world *w, struct machine *m, struct live_mode *mode);
void daemon_die(struct world *w, struct machine *m, const char *how);
void daemon_event(struct world *w, struct machine *m, struct event *e);
void daemon_stop(struct world *w, struct machine *m);
void daemon_freeze(struct world *w, struct machine *m, uint64_t until);

/* ---- network.c ----------------------------------------------------------- */

void network_send(struct world *w, struct machine *from, uint32_t to,
                  const uint8_t *bytes, size_t size);
void network_hello(struct world *w, struct machine *from, uint32_t to,
                   uint64_t echo);

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
