/*
 * links.h - nodes with links over loopback, all in one loop: what the tests of
 * links share.
 */
#ifndef TEST_LINKS_H
#define TEST_LINKS_H

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "live/wire/link.h"
#include "tests/unit/kit/testing.h"

enum { NODES = 3, HEARD_MAX = 4096 };

struct inbox {
    uint32_t count;
    uint32_t from[HEARD_MAX];
    uint32_t number[HEARD_MAX]; /* the first four bytes */
    size_t size[HEARD_MAX];
};

static struct live_config config;
static uv_loop_t loop;
static struct live_links *node[NODES];
static struct inbox inbox[NODES];
static struct net_why error;

static inline uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline void on_receive(void *whom, uint32_t from, const uint8_t *bytes,
                              size_t size)
{
    struct inbox *in = whom;

    if (in->count == HEARD_MAX)
        return;
    in->from[in->count] = from;
    in->size[in->count] = size;
    in->number[in->count] = 0;
    memcpy(&in->number[in->count++], bytes, size < 4 ? size : 4);
}

/* ---- Nodes --------------------------------------------------------------- */

/* A socket on loopback at any free port. */
static inline int stranger(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int file = socket(AF_INET, SOCK_DGRAM, 0);

    assert_true(file >= 0);
    assert_int_equal(bind(file, (struct sockaddr *)&at, size), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return file;
}

static inline void throw_at(int file, uint16_t port, const uint8_t *bytes,
                            size_t size)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    (void)sendto(file, bytes, size, 0, (struct sockaddr *)&at, sizeof at);
}

static inline int begin(void **state)
{
    int files[NODES];

    (void)state;
    memset(&config, 0, sizeof config);
    memset(inbox, 0, sizeof inbox);
    config.nodes_count = config.first_count = NODES;
    config.hash = 5;
    memset(config.key, 9, sizeof config.key);
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(config.nodes[i].name, sizeof config.nodes[i].name, "n%u", i);
        strcpy(config.nodes[i].host, "127.0.0.1");
        files[i] = stranger(&config.nodes[i].port);
    }
    for (uint32_t i = 0; i < NODES; i++)
        close(files[i]);
    return uv_loop_init(&loop);
}

static inline void start(uint32_t i, uint64_t life)
{
    node[i] =
        live_links_open(&loop, &config, i, life, on_receive, &inbox[i], &error);
    if (!node[i])
        fail_msg("%s", error.text);
}

static inline void stop(uint32_t i)
{
    live_links_close(node[i]);
    node[i] = NULL;
}

/* At least so long, and enough turns of the loop if the machine is slow. */
static inline void run_for(uint64_t ms)
{
    uint64_t until = now_ms() + ms;

    for (uint32_t turn = 0; turn < 8 || now_ms() < until; turn++) {
        uv_run(&loop, UV_RUN_NOWAIT);
        usleep(200);
    }
}

static inline int end(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < NODES; i++)
        if (node[i])
            stop(i);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop);
}

static inline void say(uint32_t from, uint32_t to, uint32_t number)
{
    live_links_send(node[from], to, (const uint8_t *)&number, sizeof number);
}

/* Lets two nodes introduce themselves; what they said is forgotten. */
static inline void introduce(uint32_t a, uint32_t b)
{
    for (uint32_t tries = 0; tries < 500; tries++) {
        uint32_t before_a = inbox[a].count, before_b = inbox[b].count;

        say(a, b, 0);
        say(b, a, 0);
        run_for(2);
        if (inbox[a].count > before_a && inbox[b].count > before_b) {
            inbox[a].count = inbox[b].count = 0;
            return;
        }
    }
    fail_msg("nodes %u and %u never met", a, b);
}

static inline const struct live_link_counts *count(uint32_t at, uint32_t of)
{
    return live_links_counts(node[at], of);
}

static inline bool has_heard(uint32_t at, uint32_t number)
{
    for (uint32_t i = 0; i < inbox[at].count; i++)
        if (inbox[at].number[i] == number)
            return true;
    return false;
}

static inline void wait_for(const uint64_t *counter, uint64_t least)
{
    for (uint32_t tries = 0; tries < 2000 && *counter < least; tries++)
        run_for(1);
    assert_true(*counter >= least);
}

#define LINK_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
