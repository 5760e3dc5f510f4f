/*
 * node_check.c - fulcrum node --check: judges the file of a cluster without
 * starting anything, and says what it means.
 */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/node/node.h"
#include "live/mode/mode.h"

struct checking {
    struct live_config config;
    const char *path;
    int self; /* or -1: no node of this machine is known */
    int wrong;
};

static void complain(struct checking *c, const char *what)
{
    cli_note("%s", what);
    c->wrong++;
}

/* ---- The nodes ----------------------------------------------------------- */

int cli_is_here(const struct live_config_node *node, bool resolve)
{
    struct addrinfo *found = NULL,
                    wished = {.ai_socktype = SOCK_DGRAM,
                              .ai_flags = resolve ? 0 : AI_NUMERICHOST};
    int here, file;

    if (getaddrinfo(node->host, NULL, &wished, &found) != 0)
        return -1;
    file = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    here = file >= 0 && bind(file, found->ai_addr, found->ai_addrlen) == 0;
    if (file >= 0)
        close(file);
    freeaddrinfo(found);
    return here;
}

static void print_nodes(struct checking *c)
{
    uint32_t here = 0;

    for (uint32_t i = 0; i < c->config.nodes_count; i++) {
        const struct live_config_node *node = &c->config.nodes[i];
        int where;

        if (!live_config_knows(&c->config, i))
            continue;
        where = cli_is_here(node, true);
        if (where == 1 && c->self < 0 && here++ == 0)
            c->self = (int)i;
        printf("  %-12s %s port %u%s%s\n", node->name, node->host, node->port,
               node->witness ? ", a witness" : "",
               where == 1   ? ", this machine"
               : where == 0 ? ""
                            : ", whose host has no address yet");
    }
    if (here > 1)
        c->self = -1; /* several: -i says which */
}

/* ---- What it means ------------------------------------------------------- */

static void print_ms(const char *name, uint64_t us)
{
    printf("%s %" PRIu64 ".%" PRIu64 " ms", name, us / 1000, us % 1000 / 100);
}

static uint64_t packets(const struct live_config *c, uint64_t every)
{
    uint32_t nodes = live_config_count(c);

    return nodes * (nodes - 1) * UINT64_C(1000000) / every;
}

static void print_times(const struct live_config *c)
{
    uint64_t quiet = live_config_quiet(c);
    uint64_t silence = c->silence ? c->silence : quiet;
    uint64_t idle = live_config_idle(c);
    uint64_t news = packets(c, c->lease); /* P7: what each knows of all */

    print_ms("lease", c->lease);
    print_ms(", kill", c->kill);
    if (c->mode == LIVE_SILENCE) {
        print_ms(", dmax", c->dmax);
        print_ms(", step", c->step);
        printf(", spread %" PRIu32 " ppm\n", c->spread_ppm);
        printf("idle nodes send nothing\n");
        return;
    }
    print_ms(", tau", c->tau);
    print_ms(", delay", c->delay);
    printf(", spread %" PRIu32 " ppm\n", c->spread_ppm);
    print_ms("after a crash another may hold the lock in about",
             silence + 6 * c->delay);
    printf("\npackets a second, in all: %" PRIu64 " idle, %" PRIu64
           " while locks are held or waited for\n",
           packets(c, idle) + news, packets(c, c->tau) + news);
    printf("locks go on with up to %u of %u nodes gone\n",
           (live_config_count(c) - 1) / 2, live_config_count(c));
    if (c->nodes_count > c->first_count)
        printf("nodes with an id joined while others ran, and which are in the "
               "list now the nodes know: 'fulcrum cluster members'\n");
}

/* ---- This machine -------------------------------------------------------- */

static void check_key(struct checking *c)
{
    uint8_t key[LIVE_KEY_BYTES];
    struct net_why error;

    if (!live_key_read(key, c->config.key_file, &error))
        complain(c, error.text);
    else
        printf("key: %s\n", c->config.key_file);
    memset(key, 0, sizeof key);
}

/* A directory that is there, or can be made. */
static void check_folder(struct checking *c, const char *what, const char *path)
{
    char above[LIVE_PATH_MAX], text[NET_WHY_SIZE];
    char *slash;

    snprintf(above, sizeof above, "%s", path);
    slash = strrchr(above, '/');
    if (slash && slash != above)
        *slash = '\0';
    if (access(path, W_OK) == 0) {
        printf("%s: %s\n", what, path);
    } else if (errno == ENOENT && slash && access(above, W_OK) == 0) {
        printf("%s: %s, which will be made\n", what, path);
    } else {
        snprintf(text, sizeof text,
                 "%s: %.250s cannot be written (%s); make it for the daemon's "
                 "user",
                 what, path, strerror(errno));
        complain(c, text);
    }
}

/* The users that may be clients. */
static void check_clients(struct checking *c)
{
    const char *group = c->config.group;
    char text[NET_WHY_SIZE];

    if (group[0] && !getgrnam(group)) {
        snprintf(text, sizeof text,
                 "group: there is no group '%s' here; add it, or take another",
                 group);
        complain(c, text);
        return;
    }
    printf("clients: ");
    if (c->config.permissions == 0666)
        printf("everybody on this machine\n");
    else
        printf("root%s%s%s%s\n", c->config.user[0] ? ", user " : "",
               c->config.user, group[0] ? ", members of group " : "", group);
}

static void check_record(struct checking *c)
{
    struct live_record *record = NULL;
    struct net_why error;

    switch (live_record_open(&record, &c->config, (uint32_t)c->self,
                             &live_mode_of(&c->config)->payload, &error)) {
    case LIVE_RECORD_FINE:
        printf("record: start number %" PRIu32 "%s\n",
               live_record_kept(record).starts,
               live_record_change(record).changed
                   ? ", of an earlier generation: it will be taken over"
                   : "");
        break;
    case LIVE_RECORD_MISSING:
        printf("record: none yet; the very first start needs --init\n");
        break;
    case LIVE_RECORD_LOCKED:
        printf("record: in use, the node is running\n");
        break;
    default:
        complain(c, error.text);
    }
    live_record_close(record);
}

static void check_here(struct checking *c)
{
    char path[LIVE_PATH_MAX], *slash;

    if (c->self < 0) {
        printf("\nno node was checked; say with -i which one this is\n");
        return;
    }
    printf("\nnode %s\n", c->config.nodes[c->self].name);
    check_key(c);
    check_folder(c, "state", c->config.state);
    live_config_socket(&c->config, (uint32_t)c->self, path);
    slash = strrchr(path, '/');
    if (slash && slash != path) {
        *slash = '\0';
        check_folder(c, "socket", path);
    }
    check_clients(c);
    check_record(c);
}

int cli_node_check(const char *path, const char *name)
{
    static struct checking c;
    struct net_why error;

    c = (struct checking){.path = path, .self = -1};
    if (!live_config_load(&c.config, path, &error))
        return cli_refuse("%s", error.text);
    if (name && (c.self = live_config_find(&c.config, name)) < 0)
        return cli_refuse("%s has no node '%s'", path, name);
    printf("%s: %" PRIu32 " nodes, mode %s, generation %" PRIu32 "\n", path,
           live_config_count(&c.config),
           c.config.mode == LIVE_SILENCE ? "silence" : "proven",
           c.config.generation);
    print_nodes(&c);
    print_times(&c.config);
    check_here(&c);
    printf("%s\n",
           c.wrong ? "the cluster cannot work with this file" : "all is well");
    return c.wrong ? CLI_USAGE : CLI_FINE;
}
