/*
 * cast.c - the processes of a run (see stage_parts.h).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/play/stage_parts.h"
#include "net/why.h"

enum { PINGS_CALIBRATING = 12, PINGS_MEETING = 2 };

/* ---- Addresses ----------------------------------------------------------- */

/* A port that is free at this address; 0 with errno: there is none. */
static uint16_t free_port(const char *host)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    uint16_t port = 0;

    (void)inet_pton(AF_INET, host, &at.sin_addr);
    if (s >= 0 && bind(s, (struct sockaddr *)&at, sizeof at) == 0 &&
        getsockname(s, (struct sockaddr *)&at, &size) == 0)
        port = ntohs(at.sin_port);
    if (s >= 0)
        close(s);
    return port;
}

/* Each run has an address of its own in 127/8, by the number of this process:
 * so a port that was found free stays free. */
static void choose_host(char host[LIVE_HOST_MAX])
{
    unsigned id = (unsigned)getpid() & 0x3fffffu;

    snprintf(host, LIVE_HOST_MAX, "127.%u.%u.%u", 64 + (id >> 16),
             id >> 8 & 255, id & 255);
    if (free_port(host) == 0)
        snprintf(host, LIVE_HOST_MAX, "127.0.0.1");
}

static bool make_config(struct cast *c)
{
    char host[LIVE_HOST_MAX];

    if (sodium_init() < 0)
        return net_refuse(c->error, "the system gives no random numbers");
    if (c->stage->config &&
        c->stage->config->nodes_count > c->stage->config->first_count)
        return net_refuse(c->error, "the file has nodes that joined later, and "
                                    "a run has none: remove those with an id");
    if (c->stage->config) {
        c->config = *c->stage->config;
        return true;
    }
    choose_host(host);
    c->config = (struct live_config){
        .first_count = c->nodes, .nodes_count = c->nodes, .generation = 1};
    randombytes_buf(c->config.key, sizeof c->config.key);
    randombytes_buf(&c->config.hash, sizeof c->config.hash);
    for (uint32_t i = 0; i < c->nodes; i++) {
        struct live_config_node *n = &c->config.nodes[i];

        snprintf(n->name, sizeof n->name, "%u", i);
        snprintf(n->host, sizeof n->host, "%s", host);
        n->port = free_port(host);
        for (uint32_t k = 0; k < i; k++)
            if (c->config.nodes[k].port == n->port)
                n->port = free_port(host);
        if (n->port == 0)
            return net_fail(c->error, "no socket for a node: %s",
                            strerror(errno));
    }
    return true;
}

/* ---- Shared memory ------------------------------------------------------- */

static bool make_common(struct cast *c)
{
    const struct fc_protocol *p = c->play.net->protocol;
    uint32_t cells = p->cells ? p->cells(c->play.net->params) : 0;
    pthread_mutexattr_t shared;
    void *at;

    if (!cells)
        return true;
    c->common_size = sizeof *c->common + cells * sizeof c->common->cells[0];
    at = mmap(NULL, c->common_size, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return net_no_memory(c->error, "what processes share");
    c->common = at;
    c->play.cells = c->common->cells;
    (void)pthread_mutexattr_init(&shared);
    (void)pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    (void)pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutex_init(&c->common->lock, &shared);
    (void)pthread_mutexattr_destroy(&shared);
    return true;
}

bool cast_begin(struct cast *c)
{
    for (uint32_t i = 0; i < LIVE_PEERS_MAX; i++)
        c->actors[i].socket = -1;
    c->packet_size = live_note_max(&c->play);
    c->packet = malloc(c->packet_size);
    if (!c->packet)
        return net_no_memory(c->error, "what nodes say");
    return make_config(c) && make_common(c);
}

/* ---- Starting ------------------------------------------------------------ */

/* Grows from start to start of a node on a machine of its own, unless its clock
 * is set back: tenths of seconds. */
static uint32_t life_of_now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (uint32_t)((uint64_t)(t.tv_sec - 1600000000) * 10 +
                      (uint64_t)t.tv_nsec / 100000000);
}

/* A node as its acts have left it; NULL: no memory. */
static struct live_host *host_of(const struct cast *c, uint32_t node)
{
    struct live_host *h = live_host_new(&c->play, node);

    for (uint32_t i = 0; h && i < c->log->acts_count; i++) {
        const struct live_logged *a = &c->log->acts[i];

        if (a->node == node && !live_host_redo(h, &a->act, a->msg)) {
            live_host_free(h);
            return NULL;
        }
    }
    return h;
}

/* In the new process: nothing of the stage is left but this node's end. */
_Noreturn static void play(struct cast *c, uint32_t node, int socket,
                           struct live_host *host, bool back, bool blank)
{
    struct live_player player = {
        .play = &c->play,
        .config = &c->config,
        .common = c->common,
        .host = host,
        .node = node,
        .life = c->actors[node].life,
        .stage = socket,
        .pings = c->stage->tick || back ? PINGS_MEETING : PINGS_CALIBRATING,
        .start = c->start,
        .tick = c->tick,
        .down = c->down,
        .apart = c->apart,
        .until = c->stage->until,
        .patience = c->stage->patience,
        .boots = back,
        .blank = blank,
        .spread = c->stage->config != NULL,
    };

    for (uint32_t i = 0; i < c->nodes; i++)
        if (c->actors[i].socket >= 0)
            close(c->actors[i].socket);
    live_player_run(&player);
}

/* No child of a parent that is dead by now, nor one that Ctrl-C stops: that is
 * for the stage to do. */
static void become_child(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_DFL);
}

bool cast_start(struct cast *c, uint32_t node, bool back, bool blank)
{
    struct actor *a = &c->actors[node];
    struct live_host *host = host_of(c, node);
    pid_t parent = getpid();
    int ends[2] = {-1, -1};

    if (!host)
        return net_fail(c->error, "no memory for a node, or what it did "
                                  "cannot be done again");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                   ends) != 0) {
        live_host_free(host);
        return net_fail(c->error, "cannot start a node: %s", strerror(errno));
    }
    a->life = c->stage->config ? life_of_now() : a->life + 1;
    a->waits = back || live_host_next(host) != FC_NEVER;
    a->left = a->waits && c->play.type->repeats;
    a->boots = back;
    memset(a->out, 0, sizeof a->out);
    fflush(NULL);
    a->pid = fork();
    if (a->pid == 0) {
        become_child(parent);
        close(ends[0]);
        play(c, node, ends[1], host, back, blank);
    }
    live_host_free(host);
    close(ends[1]);
    if (a->pid < 0) {
        close(ends[0]);
        a->pid = 0;
        return net_fail(c->error, "cannot start a node: %s; take fewer nodes",
                        strerror(errno));
    }
    a->socket = ends[0];
    return true;
}

/* ---- Ending -------------------------------------------------------------- */

static void reap(struct cast *c, struct actor *a)
{
    struct rusage used = {.ru_nswap = 0};

    while (wait4(a->pid, NULL, 0, &used) < 0 && errno == EINTR)
        ;
    c->log->cpu_us += (uint64_t)used.ru_utime.tv_sec * 1000000 +
                      (uint64_t)used.ru_utime.tv_usec +
                      (uint64_t)used.ru_stime.tv_sec * 1000000 +
                      (uint64_t)used.ru_stime.tv_usec;
    a->pid = 0;
}

void cast_kill(struct cast *c, uint32_t node)
{
    struct actor *a = &c->actors[node];

    if (a->pid == 0)
        return;
    (void)kill(a->pid, SIGKILL);
    reap(c, a);
}

void cast_order(struct cast *c, enum live_order_kind kind)
{
    struct live_order order = {.kind = (uint32_t)kind,
                               .start = c->start,
                               .tick = c->tick,
                               .down = c->down,
                               .apart = c->apart};

    for (uint32_t i = 0; i < c->nodes; i++)
        if (c->actors[i].socket >= 0)
            (void)send(c->actors[i].socket, &order, sizeof order, MSG_NOSIGNAL);
}

void cast_end(struct cast *c)
{
    for (uint32_t i = 0; i < c->nodes; i++) {
        cast_kill(c, i);
        if (c->actors[i].socket >= 0)
            close(c->actors[i].socket);
    }
    if (c->common)
        (void)munmap(c->common, c->common_size);
    sodium_memzero(c->config.key, sizeof c->config.key);
    free(c->packet);
}
