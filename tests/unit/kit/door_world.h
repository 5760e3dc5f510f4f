/*
 * door_world.h - a cluster in this process whose first node has a desk, and
 * clients of that: what the tests of the desk share.
 */
#ifndef DOOR_WORLD_H
#define DOOR_WORLD_H

#include "live/mode/mode_proven_engine.h"

#include "tests/unit/kit/own_clock.h"
#include "tests/unit/kit/testing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/client/client.h"
#include "live/common/clock.h"
#include "live/daemon/driver.h"
#include "live/process/cgroup.h"
#include "live/process/proc.h"

struct world {
    char folder[32], path[64];
    struct net_why error;
    struct live_config config;
    struct live_record *record, *other_record;
    uv_loop_t loop;
    struct live_engine *engine;
    struct live_door *door;
    struct live_driver *driver, *other;
};

static inline void broken(void *whom, const char *why)
{
    (void)whom;
    fail_msg("%s", why);
}

static inline void heard(void *whom, struct live_desk_in *in)
{
    struct world *w = whom;

    live_driver_heard(w->driver, in);
}

static inline void describe(void *whom, uint64_t now, json_t *into)
{
    (void)whom;
    (void)now;
    json_object_set_new(into, "node", json_string("one"));
}

/* Says what it was told. */
static inline enum live_ordered obey(void *whom, const struct live_order *order,
                                     char answer[LIVE_REASON_MAX])
{
    (void)whom;
    snprintf(answer, LIVE_REASON_MAX, "%d %s %d %d", (int)order->kind,
             order->name, order->file >= 0, (int)order->forced);
    return order->forced ? LIVE_ORDER_DONE : LIVE_ORDER_EARLY;
}

/* Lets the loop run for some milliseconds, and enough turns if the machine is
 * slow. */
static inline void run(struct world *w, uint64_t ms)
{
    uint64_t until = live_now() + 1000 * ms;

    for (uint32_t turn = 0; turn < 8 || live_now() < until; turn++) {
        (void)uv_run(&w->loop, UV_RUN_NOWAIT);
        (void)usleep(200);
    }
}

/* The loop does not run for some milliseconds. */
static inline void stand_still(uint64_t ms)
{
    uint64_t until = live_now() + 1000 * ms;

    while (live_now() < until)
        (void)usleep(1000);
}

/* Nodes one and two of as many as are configured. */
static inline void open_world_of(struct world *w, uint32_t nodes,
                                 uint64_t lease, uint64_t kill_time,
                                 uint64_t delay)
{
    const struct live_door_owner owner = {describe, heard, obey, w};
    /* Three of its own: tests run beside each other. */
    uint16_t port = (uint16_t)(20000 + getpid() % 3000 * 3);

    memset(w, 0, sizeof *w);
    strcpy(w->folder, "/tmp/fulcrum-desk-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    snprintf(w->path, sizeof w->path, "%s/socket", w->folder);
    w->config = (struct live_config){
        .first_count = nodes,
        .nodes_count = nodes,
        .nodes = {{.name = "one", .host = "127.0.0.1", .port = port},
                  {.name = "two",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 1)},
                  {.name = "three",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 2)}},
        .tau = 5000,
        .lease = lease,
        .kill = kill_time,
        .delay = delay,
    };
    snprintf(w->config.state, sizeof w->config.state, "%s", w->folder);
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_true(live_record_create(&w->config, 0, &w->error));
    assert_int_equal(live_record_open(&w->record, &w->config, 0,
                                      &live_mode_proven.payload, &w->error),
                     LIVE_RECORD_FINE);
    w->door = live_door_open(&w->loop, &w->config, 0, w->path, NULL, &owner,
                             &w->error);
    assert_non_null(w->door);
    w->driver = live_driver_open(
        &(struct live_driver_parts){
            .loop = &w->loop,
            .config = &w->config,
            .record = w->record,
            .door = w->door,
            .owner = &(struct live_driver_owner){.broken = broken}},
        &w->error);
    assert_non_null(w->driver);
    w->engine = live_mode_engine(w->driver->node.mode);
    assert_true(live_record_create(&w->config, 1, &w->error));
    assert_int_equal(live_record_open(&w->other_record, &w->config, 1,
                                      &live_mode_proven.payload, &w->error),
                     LIVE_RECORD_FINE);
    w->other = live_driver_open(
        &(struct live_driver_parts){
            .loop = &w->loop,
            .config = &w->config,
            .self = 1,
            .record = w->other_record,
            .owner = &(struct live_driver_owner){.broken = broken}},
        &w->error);
    assert_non_null(w->other);
}

static inline void open_world_with(struct world *w, uint64_t lease,
                                   uint64_t kill_time, uint64_t delay)
{
    open_world_of(w, 2, lease, kill_time, delay);
}

static inline void open_world(struct world *w)
{
    open_world_with(w, 1000000, 50000, 1000);
}

static inline void close_world(struct world *w)
{
    char path[128];

    live_door_close(w->door);
    live_driver_close(w->driver);
    if (w->other)
        live_driver_close(w->other);
    (void)uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    live_record_close(w->record);
    live_record_close(w->other_record);
    for (uint32_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.record", w->folder,
                 w->config.nodes[i].name);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(w->folder), 0); /* the socket is gone */
}

static inline struct live_client client_of(struct world *w)
{
    struct live_client c;

    assert_int_equal(live_client_open(&c, w->path, &w->error), 0);
    return c;
}

/* The next letter, or 0 if none has come. */
static inline uint8_t next(struct world *w, struct live_client *c, uint64_t ms)
{
    struct live_letter letter = {0};
    uint64_t until = live_now() + 1000 * ms;
    char byte;

    while (live_now() < until) {
        run(w, 2);
        if (recv(c->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
            return live_client_next(c, &letter, &w->error) ? 255 : letter.kind;
    }
    return 0;
}

static inline void ask(struct world *w, struct live_client *c, const char *name,
                       bool shared)
{
    assert_int_equal(
        live_client_ask(c, name, shared, -1, UINT64_MAX, &w->error), 0);
}

/* The same for a client that is told why it waits. */
static inline uint8_t granted(struct world *w, struct live_client *c)
{
    uint8_t kind = next(w, c, 9000);

    return kind == LIVE_WAITING ? next(w, c, 9000) : kind;
}

static inline void release(struct world *w, struct live_client *c)
{
    struct live_letter letter = {.version = LIVE_LETTER_VERSION,
                                 .kind = LIVE_RELEASE};

    assert_int_equal(send(c->socket, &letter, sizeof letter, 0),
                     (int)sizeof letter);
    assert_int_equal(next(w, c, 1000), LIVE_RELEASED);
}

/* Asks for a lock with a process that is killed when its time is over. */
static inline void ask_for(struct world *w, struct live_client *c,
                           const char *name, pid_t group)
{
    int pidfd = live_pidfd_open(group);

    assert_true(pidfd >= 0);
    assert_int_equal(
        live_client_ask(c, name, false, pidfd, UINT64_MAX, &w->error), 0);
    close(pidfd);
}

/* A process in a group of its own that waits, and does not outlive the test. */
static inline pid_t idle_group(void)
{
    pid_t child = fork();

    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setpgid(0, 0);
        for (;;)
            pause();
    }
    (void)setpgid(child, child);
    return child;
}

#endif
