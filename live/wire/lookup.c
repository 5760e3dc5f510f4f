/*
 * lookup.c - see lookup.h.
 */
#include "live/wire/lookup.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/bell.h"

enum { STACK_BYTES = 256 * 1024 };

struct live_lookup {
    struct live_bell ready;
    pthread_mutex_t mutex;
    int users;    /* the loop and the thread, as long as they know it */
    bool dropped; /* nobody waits any more */
    char host[256], port[16];
    struct addrinfo wished;
    struct addrinfo *found;
    int code;
    live_looked_up *done;
    void *whom;
};

static void leave(struct live_lookup *l)
{
    int users;

    (void)pthread_mutex_lock(&l->mutex);
    users = --l->users;
    (void)pthread_mutex_unlock(&l->mutex);
    if (users)
        return;
    if (l->found)
        freeaddrinfo(l->found);
    (void)pthread_mutex_destroy(&l->mutex);
    live_bell_close(&l->ready);
    free(l);
}

static void on_closed(uv_handle_t *handle)
{
    leave(handle->data);
}

static void on_ready(uv_poll_t *ready, int status, int events)
{
    struct live_lookup *l = ready->data;

    (void)status;
    (void)events;
    live_bell_hush(&l->ready);
    if (uv_is_closing((uv_handle_t *)ready))
        return;
    uv_close((uv_handle_t *)ready, on_closed);
    if (!l->dropped)
        l->done(l->whom, l->code, l->code ? NULL : l->found);
}

static void *look(void *whom)
{
    struct live_lookup *l = whom;
    struct addrinfo *found = NULL;
    int code = getaddrinfo(l->host, l->port, &l->wished, &found);

    (void)pthread_mutex_lock(&l->mutex);
    l->code = code;
    l->found = found;
    if (!l->dropped) /* the loop still has its handle */
        live_bell_ring(&l->ready);
    (void)pthread_mutex_unlock(&l->mutex);
    leave(l);
    return NULL;
}

/* False: there is no thread to be had. */
static bool begin(struct live_lookup *l)
{
    sigset_t all, before;
    pthread_attr_t how;
    pthread_t thread;
    bool good = pthread_attr_init(&how) == 0;

    if (!good)
        return false;
    (void)sigfillset(&all); /* signals are for the loop */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    good = pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED) == 0 &&
           pthread_attr_setstacksize(&how, STACK_BYTES) == 0 &&
           pthread_create(&thread, &how, look, l) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&how);
    return good;
}

struct live_lookup *live_lookup_start(uv_loop_t *loop, const char *host,
                                      const char *port, int family,
                                      live_looked_up *done, void *whom)
{
    struct live_lookup *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    if (live_bell_open(&l->ready, loop, on_ready, l) != 0) {
        free(l);
        return NULL;
    }
    (void)pthread_mutex_init(&l->mutex, NULL);
    l->users = 2;
    l->done = done;
    l->whom = whom;
    l->wished.ai_family = family;
    l->wished.ai_socktype = SOCK_DGRAM;
    if (family == AF_INET6)
        l->wished.ai_flags = AI_V4MAPPED;
    snprintf(l->host, sizeof l->host, "%s", host);
    snprintf(l->port, sizeof l->port, "%s", port);
    if (begin(l))
        return l;
    l->dropped = true;
    l->users = 1;
    uv_close((uv_handle_t *)&l->ready.poll, on_closed);
    return NULL;
}

void live_lookup_drop(struct live_lookup *l)
{
    (void)pthread_mutex_lock(&l->mutex);
    l->dropped = true;
    (void)pthread_mutex_unlock(&l->mutex);
    uv_close((uv_handle_t *)&l->ready.poll, on_closed);
}
