/*
 * lock.h - what the files of 'fulcrum lock' share: lock.c (the options),
 * lock_run.c (the loop: clock and letters), lock_end.c (signals, losing the
 * lock, and giving it back) and lock_after.c (what --after runs).
 */
#ifndef CLI_LOCK_H
#define CLI_LOCK_H

#include "cli/cli.h"
#include "cli/node/node.h"
#include "live/process/command.h"

/* Besides the exit status of the command itself. */
enum {
    LOCK_SPENT = 123, /* stopped: held for as long as --hold allows */
    LOCK_LATE = 124,  /* not held within --wait */
    LOCK_LOST = 125,  /* stopped: the lock could not be held any longer */
};

struct lock_wishes {
    struct cli_place place; /* first: see node.h */
    const char *name;
    char **command;
    uint64_t wait, hold, grace; /* microseconds; hold 0: any time */
    uint64_t term_before;       /* the deadline; 0: no SIGTERM */
    uint32_t lost;              /* what to exit with instead of LOCK_LOST */
    const char *after; /* a line for the shell, when the command is dead */
    bool shared, once, verbose; /* once: wait is 0 */
};

/* Returns what to exit with, after a sentence if that is not the command's. */
int lock_run(const struct lock_wishes *wishes);

/* All of one run. */
struct lock_run {
    const struct lock_wishes *w;
    struct live_client client;
    struct live_command command;
    int signals, timer;
    bool connected;
    bool full;   /* its node takes no more clients */
    bool lonely; /* its node went away while it waited, and that was said */
    bool holds;  /* the command runs */
    bool lost;   /* and what it held is not ours any more */
    bool over;
    int code;            /* to exit with, once it is over */
    uint64_t wait_until; /* UINT64_MAX: for ever */
    uint64_t retry_at;   /* without a node */
    uint64_t term_at;    /* of --hold; UINT64_MAX: never, or sent already */
    bool spent;          /* that was sent */
    bool told;           /* to end: by --term-before, or by the node */
    char why[LIVE_REASON_MAX]; /* in the words of the node */
    uint64_t
        leave_by; /* and then it is killed; 0: it was not told by the node */
    bool busy;    /* it was said that this machine is */
    bool denied;  /* and that a signal was not allowed */
};

/* lock_end.c: only the first code counts. */
void lock_finish(struct lock_run *r, int code);
#define lock_stop(r, code, ...)                                                \
    lock_finish(r, cli_complain((int)(code), __VA_ARGS__))
void lock_lose(struct lock_run *r, const char *why);
void lock_lose_busy(struct lock_run *r, uint64_t margin);
void lock_say_busy(struct lock_run *r, uint64_t margin); /* once */
void lock_let_go(struct lock_run *r);
int lock_open_signals(void);
void lock_on_signal(struct lock_run *r);
/* What the daemon has to say, or says within so long: of the command's end. */
void lock_ask_why(struct lock_run *r, int ms);
enum { LOCK_LETTER_MS = 50 }; /* for a letter that explains a death */
void lock_send(struct lock_run *r, int signal); /* to the command */

/* lock_after.c: how long before the end of the lock the command is killed, so
 * that there is time for it; and running it, when the command is dead. */
uint64_t lock_reserve(const struct lock_run *r);
void lock_after(struct lock_run *r);

/* lock_run.c */
void lock_on_letter(struct lock_run *r);

#endif
