/*
 * lookup.c - see lookup.h.
 */
#include "live/wire/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/bell.h"
#include "live/thread.h"

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

struct live_lookup *live_lookup_start(uv_loop_t *loop, const char *host,
                                      const char *port, int family,
                                      live_looked_up *done, void *whom)
{
    struct live_lookup *l = calloc(1, sizeof *l);
    pthread_t thread;

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
    if (live_thread_start(&thread, STACK_BYTES, false, look, l)) {
        (void)pthread_detach(thread);
        return l;
    }
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
