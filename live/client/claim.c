/*
 * claim.c - see client_parts.h: what the threads of a client share among
 * themselves: the holder, the readers, and the state of the connection.
 */
#include "live/client/client_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "live/common/clock.h"
#include "net/why.h"

/* ---- Looking at the deadline --------------------------------------------- */

/* The page that counts, which stays until leave(); NULL: there is none. */
static const struct live_page *enter(const struct live_client *client,
                                     uint32_t *place)
{
    struct live_claim *claim = client->claim;

    while (claim && (*place = atomic_load(&claim->place)) != 0) {
        atomic_fetch_add(&claim->readers[*place - 1], 1);
        /* Pairs with claim_take(), which empties a place only while another
         * counts: a reader that finds this one counting has been counted
         * before. */
        if (atomic_load(&claim->place) == *place)
            return client->pages[*place - 1];
        atomic_fetch_sub(&claim->readers[*place - 1], 1);
    }
    return NULL;
}

static void leave(const struct live_client *client, uint32_t place)
{
    atomic_fetch_sub(&client->claim->readers[place - 1], 1);
}

uint64_t live_client_deadline(const struct live_client *client)
{
    uint32_t place;
    const struct live_page *page = enter(client, &place);
    uint64_t deadline;

    if (!page)
        return 0;
    deadline = live_page_deadline(page);
    leave(client, place);
    return deadline;
}

bool live_client_holds(const struct live_client *client)
{
    return live_now() < live_client_deadline(client);
}

bool live_client_spent(const struct live_client *client)
{
    uint32_t place;
    const struct live_page *page = enter(client, &place);
    bool spent;

    if (!page)
        return false;
    spent = live_now() >= page->limit;
    leave(client, place);
    return spent;
}

/* A look is over in an instant, unless the machine has other work. */
static void wait_for_readers(struct live_claim *claim, uint32_t place)
{
    const struct timespec moment = {.tv_nsec = 20000};

    while (atomic_load(&claim->readers[place - 1]) != 0)
        (void)nanosleep(&moment, NULL);
}

void claim_take(struct live_client *client, struct live_page *page)
{
    uint32_t place = client->page && client->page == client->pages[0] ? 2 : 1;
    struct live_page **at = &client->pages[place - 1];

    claim_drop(client);
    wait_for_readers(client->claim, place);
    if (*at)
        (void)munmap(*at, sizeof **at);
    *at = client->page = page;
    atomic_store(&client->claim->place, place);
}

void claim_drop(struct live_client *client)
{
    if (client->claim)
        atomic_store(&client->claim->place, 0);
}

/* ---- Reading in turn ----------------------------------------------------- */

/* False when the time is over. */
static bool wait_for_turn(struct live_claim *claim, uint64_t until)
{
    uint64_t now = live_now(), ns;
    struct timespec end;

    if (until == 0)
        return pthread_cond_wait(&claim->turn, &claim->lock) == 0;
    if (now >= until)
        return false;
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    ns = (uint64_t)end.tv_nsec + (until - now) * 1000;
    end.tv_sec += (time_t)(ns / 1000000000);
    end.tv_nsec = (long)(ns % 1000000000);
    (void)pthread_cond_timedwait(&claim->turn, &claim->lock, &end);
    return true;
}

int claim_begin_turn(struct live_claim *claim, uint64_t until, bool releasing)
{
    int result = 0;

    (void)pthread_mutex_lock(&claim->lock);
    while (claim->reading && (!releasing || claim->releasing) && result == 0)
        result = wait_for_turn(claim, until) ? 0 : -1;
    if (releasing && !claim->releasing)
        result = 1;
    else if (result == 0)
        claim->reading = true;
    (void)pthread_mutex_unlock(&claim->lock);
    if (result < 0)
        errno = EAGAIN;
    return result;
}

void claim_end_turn(struct live_claim *claim)
{
    (void)pthread_mutex_lock(&claim->lock);
    claim->reading = false;
    (void)pthread_cond_broadcast(&claim->turn);
    (void)pthread_mutex_unlock(&claim->lock);
}

/* ---- Beginning and end --------------------------------------------------- */

/* Waits by a clock that nobody sets. */
static void make_turn(pthread_cond_t *turn)
{
    pthread_condattr_t how;

    (void)pthread_condattr_init(&how);
    (void)pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    (void)pthread_cond_init(turn, &how);
    (void)pthread_condattr_destroy(&how);
}

int claim_open(struct live_client *client, struct net_why *error)
{
    struct live_claim *claim = mmap(NULL, sizeof *claim, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (claim == MAP_FAILED) {
        net_no_memory(error, "a connection");
        return -1;
    }
    client->claim = claim;
    if (madvise(claim, sizeof *claim, MADV_WIPEONFORK)) {
        net_fail(error,
                 "a forked child could not be kept from using "
                 "the lock of its parent: %s; take Linux 4.14 "
                 "or later",
                 strerror(errno));
        return -1;
    }
    claim->here = true;
    claim->time_ns = live_time_namespace();
    (void)pthread_mutex_init(&claim->lock, NULL);
    make_turn(&claim->turn);
    return 0;
}

int claim_check(const struct live_client *client, struct net_why *error)
{
    if (client->claim && client->claim->here)
        return 0;
    net_refuse(error,
               client->claim
                   ? "this connection belongs to the process that opened "
                     "it, and this one is a child that it has forked; "
                     "open another connection here"
                   : "this connection is not open");
    errno = client->claim ? EPERM : EBADF;
    return -1;
}

void claim_close(struct live_client *client)
{
    struct live_claim *claim = client->claim;

    for (int i = 0; i < 2; i++) {
        if (client->pages[i])
            (void)munmap(client->pages[i], sizeof *client->pages[i]);
        client->pages[i] = NULL;
    }
    client->page = NULL;
    client->claim = NULL;
    if (!claim)
        return;
    if (claim->here) {
        (void)pthread_cond_destroy(&claim->turn);
        (void)pthread_mutex_destroy(&claim->lock);
    }
    (void)munmap(claim, sizeof *claim);
}
