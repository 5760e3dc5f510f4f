/*
 * lock.h - hold a lock of the cluster; see fulcrum_lock(3).
 *
 *     struct fulcrum_lock *held;
 *
 *     if (fulcrum_take("backup", 2000000, &held) != 0)
 *         fprintf(stderr, "%s\n", fulcrum_why());
 *     else {
 *         for (int i = 0; i < 10 && fulcrum_holds(held); i++)
 *             printf("part %d\n", i);
 *         fulcrum_drop(held);
 *     }
 *
 * A function that returns int returns 0, or -1 with errno and a sentence.  All
 * times are in microseconds.
 */
#ifndef FULCRUM_LOCK_H
#define FULCRUM_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A connection to the node of this machine, and the lock that it holds. */
struct fulcrum_lock;

#define FULCRUM_FOREVER UINT64_MAX

/* The sentence of the last call of this thread that failed, or that returned a
 * letter with a reason; good until the thread's next call. */
const char *fulcrum_why(void);

/* ---- The simple way ------------------------------------------------------ */

/* Waits for the lock at the node of this machine, at most `wait`, and takes
 * it. ETIMEDOUT: another has it; EINTR: a signal was handled whose handler
 * does not restart calls.  Whenever it fails nothing is held, and *held is
 * NULL. */
int fulcrum_take(const char *name, uint64_t wait, struct fulcrum_lock **held);

/* Gives it back and frees it, whatever is returned; NULL is fine. */
int fulcrum_drop(struct fulcrum_lock *held);

/* Whether it is held now: to be asked before each use of what it protects. */
bool fulcrum_holds(const struct fulcrum_lock *lock);

/* Greater than the token of every earlier holder; 0: there was no grant. */
uint64_t fulcrum_token(const struct fulcrum_lock *lock);

/* When it will not be held any more, as far as is known, on CLOCK_BOOTTIME;
 * 0: it is not held. */
uint64_t fulcrum_deadline(const struct fulcrum_lock *lock);

/* ---- Letter by letter ---------------------------------------------------- */

/* Connects to the node with this socket; NULL: the node of this machine.  It
 * must be served by root, by this user or, in the second form, by `owner`.
 * Returns NULL with errno and a sentence. */
struct fulcrum_lock *fulcrum_lock_open(const char *path);
struct fulcrum_lock *fulcrum_lock_open_of(const char *path, uid_t owner);

/* Before asking: to hold it for at most `hold`; to have `grace` to end in when
 * told to; whether EINTR ends fulcrum_lock_next().  0: as without. */
void fulcrum_lock_set_hold(struct fulcrum_lock *lock, uint64_t hold);
void fulcrum_lock_set_grace(struct fulcrum_lock *lock, uint64_t grace);
void fulcrum_lock_set_interruptible(struct fulcrum_lock *lock, bool yes);

/* Asks for a lock, alone or shared; letters answer.  `pidfd` is of a child
 * that leads a process group, which the node kills at the deadline; or -1. */
int fulcrum_lock_ask(struct fulcrum_lock *lock, const char *name, bool shared,
                     int pidfd, uint64_t wait);

/* What a letter says.  There may be more kinds in later versions. */
enum fulcrum_letter {
    FULCRUM_FAILED = -1,
    FULCRUM_OTHER,    /* to be passed over */
    FULCRUM_GRANTED,  /* it is held */
    FULCRUM_WAITING,  /* with a reason: why it takes so long */
    FULCRUM_REFUSED,  /* with a reason, as the next three */
    FULCRUM_LATE,     /* the time is over: perhaps ask later */
    FULCRUM_STOPS,    /* the node stops: ask another */
    FULCRUM_LEFT,     /* it stopped while you waited: ask its next life */
    FULCRUM_ENDING,   /* with a reason: it is taken away in *within */
    FULCRUM_LOST,     /* it is not held any more: release it */
    FULCRUM_RELEASED, /* to another thread's release */
};

/* Waits for the next letter; `within` may be NULL. */
enum fulcrum_letter fulcrum_lock_next(struct fulcrum_lock *lock,
                                      uint64_t *within);

/* A file to be polled for the next letter; not to be read or closed. */
int fulcrum_lock_file(const struct fulcrum_lock *lock);

/* Whether it was held for as long as it may be. */
bool fulcrum_lock_spent(const struct fulcrum_lock *lock);

/* Gives it back, or stops waiting for it; the connection can ask again. */
int fulcrum_lock_release(struct fulcrum_lock *lock);

/* A file with the node's status in JSON, to be closed by the caller; or -1. */
int fulcrum_lock_status(struct fulcrum_lock *lock);

/* Closes and frees; a lock that is still held is given back by the node. */
void fulcrum_lock_close(struct fulcrum_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
