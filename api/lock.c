/*
 * lock.c - <fulcrum/lock.h>: what live/client does, without its structures.
 */
#include "include/fulcrum/lock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/why.h"
#include "live/client/client.h"

struct fulcrum_lock {
    struct live_client client;
};

/* ---- The connection ------------------------------------------------------ */

struct fulcrum_lock *fulcrum_lock_open_of(const char *path, uid_t owner)
{
    struct fulcrum_lock *lock = calloc(1, sizeof *lock);
    int why;

    if (!lock) {
        net_no_memory(api_why(), "a connection");
        errno = ENOMEM;
        return NULL;
    }
    if (live_client_open_of(&lock->client, path, owner, api_why()) == 0)
        return lock;
    why = errno;
    free(lock);
    errno = why;
    return NULL;
}

struct fulcrum_lock *fulcrum_lock_open(const char *path)
{
    return fulcrum_lock_open_of(path, geteuid());
}

void fulcrum_lock_close(struct fulcrum_lock *lock)
{
    if (lock)
        live_client_close(&lock->client);
    free(lock);
}

int fulcrum_lock_file(const struct fulcrum_lock *lock)
{
    return lock->client.socket;
}

int fulcrum_lock_status(struct fulcrum_lock *lock)
{
    return live_client_status(&lock->client, api_why());
}

/* ---- Asking -------------------------------------------------------------- */

void fulcrum_lock_set_hold(struct fulcrum_lock *lock, uint64_t hold)
{
    lock->client.hold = hold;
}

void fulcrum_lock_set_grace(struct fulcrum_lock *lock, uint64_t grace)
{
    lock->client.grace = grace;
}

void fulcrum_lock_set_interruptible(struct fulcrum_lock *lock, bool yes)
{
    lock->client.interruptible = yes;
}

int fulcrum_lock_ask(struct fulcrum_lock *lock, const char *name, bool shared,
                     int pidfd, uint64_t wait)
{
    return live_client_ask(&lock->client, name, shared, pidfd, wait, api_why());
}

/* A later version of the node may know more of them. */
static enum fulcrum_letter refusal_of(uint64_t wait)
{
    switch (wait) {
    case LIVE_REFUSED_LATE:
        return FULCRUM_LATE;
    case LIVE_REFUSED_STOPS:
        return FULCRUM_STOPS;
    case LIVE_REFUSED_LEFT:
        return FULCRUM_LEFT;
    default:
        return FULCRUM_REFUSED;
    }
}

static enum fulcrum_letter kind_of(const struct live_letter *letter)
{
    switch (letter->kind) {
    case LIVE_GRANTED:
        return FULCRUM_GRANTED;
    case LIVE_WAITING:
        return FULCRUM_WAITING;
    case LIVE_REFUSED:
        return refusal_of(letter->wait);
    case LIVE_ENDING:
        return FULCRUM_ENDING;
    case LIVE_LOST:
        return FULCRUM_LOST;
    case LIVE_RELEASED:
        return FULCRUM_RELEASED;
    default:
        return FULCRUM_OTHER;
    }
}

enum fulcrum_letter fulcrum_lock_next(struct fulcrum_lock *lock,
                                      uint64_t *within)
{
    struct live_letter letter;

    if (live_client_next(&lock->client, &letter, api_why()))
        return FULCRUM_FAILED;
    net_refuse(api_why(), "%s", letter.reason);
    if (within && letter.kind == LIVE_ENDING)
        *within = letter.wait;
    return kind_of(&letter);
}

/* ---- The lock that is held ----------------------------------------------- */

bool fulcrum_holds(const struct fulcrum_lock *lock)
{
    return live_client_holds(&lock->client);
}

uint64_t fulcrum_token(const struct fulcrum_lock *lock)
{
    return lock->client.token;
}

uint64_t fulcrum_deadline(const struct fulcrum_lock *lock)
{
    return live_client_deadline(&lock->client);
}

bool fulcrum_lock_spent(const struct fulcrum_lock *lock)
{
    return live_client_spent(&lock->client);
}

int fulcrum_lock_release(struct fulcrum_lock *lock)
{
    return live_client_release(&lock->client, api_why());
}

/* ---- The simple way ------------------------------------------------------ */

/* Reads letters until it is decided. */
static int wait_for_grant(struct fulcrum_lock *lock)
{
    enum fulcrum_letter kind;

    do
        kind = fulcrum_lock_next(lock, NULL);
    while (kind == FULCRUM_WAITING || kind == FULCRUM_OTHER);
    if (kind == FULCRUM_GRANTED)
        return 0;
    if (kind == FULCRUM_LATE)
        errno = ETIMEDOUT;
    else if (kind == FULCRUM_STOPS || kind == FULCRUM_LEFT)
        errno = ESHUTDOWN;
    else if (kind != FULCRUM_FAILED)
        errno = ECANCELED;
    return -1;
}

int fulcrum_take(const char *name, uint64_t wait, struct fulcrum_lock **held)
{
    struct fulcrum_lock *lock = fulcrum_lock_open(NULL);
    int why;

    *held = NULL;
    if (!lock)
        return -1;
    fulcrum_lock_set_interruptible(lock, true);
    if (fulcrum_lock_ask(lock, name, false, -1, wait) == 0 &&
        wait_for_grant(lock) == 0) {
        *held = lock;
        return 0;
    }
    why = errno;
    fulcrum_lock_close(lock);
    errno = why;
    return -1;
}

int fulcrum_drop(struct fulcrum_lock *held)
{
    int failed = held ? fulcrum_lock_release(held) : 0, why = errno;

    fulcrum_lock_close(held);
    errno = why;
    return failed;
}
