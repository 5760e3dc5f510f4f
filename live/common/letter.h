/*
 * letter.h - what a local client and its daemon say to each other, over a Unix
 * socket that keeps messages apart (SOCK_SEQPACKET).
 *
 * Every message is one struct live_letter, whole: another size, version or kind
 * ends the connection.  A grant carries a file descriptor: of the page with the
 * deadline, which the daemon moves forward, and never back except to 0.
 *
 * The process that the daemon is to kill is never named by its number, which
 * means another process in another PID namespace, or once it is reused: an ask
 * carries a pidfd.
 */
#ifndef LIVE_LETTER_H
#define LIVE_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif

enum {
    LIVE_LETTER_VERSION = 0x46434c33, /* "FCL3" */
    LIVE_LOCK_NAME_MAX = 128,         /* bytes, without its end */
    LIVE_LOCK_NAME_PLACE = LIVE_LOCK_NAME_MAX + 8,
    LIVE_REASON_MAX = 256,
    LIVE_FILES_MAX = 3, /* with one letter */
};

enum live_letter_kind {
    /* of a client */
    LIVE_ASK = 1, /* name, shared, wait, hold, grace_ms, time_ns; and with
                   * files: none; a pidfd of the command's process, leader of
                   * its group; or that, cgroup.kill and cgroup.events of its
                   * cgroup */
    LIVE_RELEASE, /* the command is gone */
    LIVE_STATUS,
    LIVE_ORDER, /* of root and of the node's user.  shared: which; name: what it
                 * is about; reason: more of that; `wait`: not before that time
                 * has passed; `hold`: 1: whatever follows, 2: only what would
                 * follow; and a file, if a key is added */
    LIVE_LETTERS_IN,
    /* of a daemon */
    LIVE_GRANTED = 16, /* token, now, and the page */
    LIVE_WAITING,      /* reason: why it takes so long */
    LIVE_REFUSED,      /* reason; `wait`: one of those below */
    LIVE_LOST,         /* the command has been killed */
    LIVE_RELEASED,
    LIVE_REPORT, /* and a file with the status in JSON */
    LIVE_ENDING, /* reason; `wait`: so soon the lock is taken away; a command
                  * gets SIGTERM from the daemon, which comes once */
    LIVE_DONE,   /* reason: what follows from the order */
};

/* What an operator can tell a node to do. */
enum live_order_kind {
    LIVE_KEY_ADD,     /* name: what its file is called */
    LIVE_KEY_USE,     /* name: a fingerprint, or "": the newest */
    LIVE_KEY_DROP,    /* name: a fingerprint, or "": the one that is not used */
    LIVE_NODE_ADD,    /* name: of a node; reason: "HOST PORT", perhaps "witness"
                    */
    LIVE_NODE_REMOVE, /* name: of a node */
    LIVE_NODE_REPLACE,  /* name: of a node; reason: "NAME HOST PORT", of the one
                        * that takes its place, perhaps with "witness" */
    LIVE_TIMES_SET,     /* reason: "LEASE TAU" in microseconds, 0: as it is */
    LIVE_CHANGE_CANCEL, /* a change that has not begun */
    LIVE_ORDERS,
};

/* As people give it: "key add". */
const char *live_order_words(enum live_order_kind kind);

/* Open files of the cgroup in which a command runs. */
struct live_cgroup {
    int kill, events; /* -1: there is no cgroup */
};

/* What it helps to do. */
enum live_refusal {
    LIVE_REFUSED_NOW,  /* something else */
    LIVE_REFUSED_LATE, /* the time is over, or it is too early: perhaps later */
    LIVE_REFUSED_STOPS, /* the node stops: ask another */
    LIVE_REFUSED_LEFT,  /* it stopped while you waited: ask its next life */
};

struct live_letter {
    uint32_t version;
    uint8_t kind;
    uint8_t shared;
    uint16_t grace_ms; /* between LIVE_ENDING and LIVE_LOST, if there is so
                        * much time; 0: the node's `kill` */
    uint64_t time_ns;  /* live_time_namespace() of the client */
    uint64_t now;      /* live_now() of the daemon */
    uint64_t wait;     /* microseconds; UINT64_MAX: for ever */
    uint64_t hold;     /* microseconds from the grant, at most; 0: any time */
    uint64_t token;    /* of an ask: the mark of its command */
    char name[LIVE_LOCK_NAME_PLACE]; /* ends with a zero */
    char reason[LIVE_REASON_MAX];    /* ends with a zero */
};

/* Whether it is text in UTF-8 that can be printed, of 1 to LIVE_LOCK_NAME_MAX
 * bytes.  No more than LIVE_LOCK_NAME_PLACE bytes are looked at. */
bool live_lock_name_is_good(const char *name);

/* Whether the bytes that came are a letter that a client may send, whatever
 * its turn: of this size, version and kind, and with a name if it asks. */
bool live_letter_of_client(const struct live_letter *letter, size_t size);

/* Whether they are one of a daemon, as far as its client looks; its texts end
 * within their places then. */
bool live_letter_of_daemon(struct live_letter *letter, size_t size);

/* Sends a letter as one of this program's version, with as many files.  -1 with
 * errno. */
int live_letter_send(int socket, const struct live_letter *letter,
                     const int *files, size_t count, int flags);

/* The files that came with a letter. */
struct live_enclosed {
    int files[LIVE_FILES_MAX]; /* -1: none */
    size_t count;              /* that were sent and taken; more are closed */
    bool lacks;                /* some were sent that could not be taken */
};

/* The size of what came, which need not be a letter; or -1 with errno. */
ssize_t live_letter_receive(int socket, struct live_letter *letter,
                            struct live_enclosed *enclosed, int flags);

/* Closes the files that nobody has taken over, which are not -1. */
void live_enclosed_drop(struct live_enclosed *enclosed);

/* The page of a grant.  The deadline is of live_now(): what the lock protects
 * must not be touched from then on.  0: the lock was taken away.  C++ has no
 * _Atomic, and programs need not look inside. */
#ifndef __cplusplus
struct live_page {
    _Atomic uint64_t deadline;
    uint64_t limit; /* it never moves beyond; set before the grant */
    uint64_t kill; /* the time from the deadline until others may have the lock;
                     * set before the grant */
};

/* What a process reads that has the page and is not the client: its guard. */
static inline uint64_t live_page_deadline(const struct live_page *page)
{
    /* Pairs with the release in the daemon's door_client_move(). */
    return atomic_load_explicit(&page->deadline, memory_order_acquire);
}
#endif

/* What time namespace this process and its children to come are in: a clock
 * that another one reads as well may show another time.  0: the kernel has
 * none; UINT64_MAX: this process and its children are not in the same. */
uint64_t live_time_namespace(void);

#endif
