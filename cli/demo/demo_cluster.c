/*
 * demo_cluster.c - see demo_cluster.h.
 */
#include "cli/demo/demo_cluster.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "live/client/client.h"
#include "live/common/clock.h"
#include "live/config/config.h"
#include "live/fence/fence.h"

const char *const demo_names[DEMO_NODES] = {"north", "east", "south", "west",
                                            "centre"};

enum { PATIENCE_US = 3000000 };

/* ---- Files --------------------------------------------------------------- */

/* Ports that are free just now: all are held until all are known.  -1 with
 * errno. */
static int find_ports(uint16_t ports[DEMO_NODES])
{
    int sockets[DEMO_NODES], made = 0, code = 0;

    for (; made < DEMO_NODES && !code; made++) {
        struct sockaddr_in at = {.sin_family = AF_INET};
        socklen_t size = sizeof at;

        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockets[made] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (sockets[made] < 0 ||
            bind(sockets[made], (struct sockaddr *)&at, size) != 0 ||
            getsockname(sockets[made], (struct sockaddr *)&at, &size) != 0)
            code = -1;
        ports[made] = ntohs(at.sin_port);
    }
    while (made-- > 0)
        if (sockets[made] >= 0)
            close(sockets[made]);
    return code;
}

static int write_config(const struct demo_cluster *c)
{
    uint16_t ports[DEMO_NODES] = {0};
    char path[DEMO_PATH];
    FILE *file;

    if (find_ports(ports) != 0)
        return cli_fail("no free ports on loopback: %s", strerror(errno));
    demo_path(c->folder, DEMO_CONFIG, path);
    file = fopen(path, "we");
    if (!file)
        return cli_fail("%s: %s", path, strerror(errno));
    fprintf(file,
            "[cluster]\ntau = 20ms\nlease = %dms\nkill = 40ms\ndelay = 10ms\n"
            "key = cluster.key\nstate = state\nsocket = %%i.socket\n",
            DEMO_LEASE_MS);
    for (uint32_t i = 0; i < DEMO_NODES; i++)
        fprintf(file, "\n[node %s]\nhost = 127.0.0.1\nport = %u\n",
                demo_names[i], (unsigned)ports[i]);
    if (fclose(file) != 0)
        return cli_fail("%s: %s", path, strerror(errno));
    return 0;
}

int demo_cluster_make(struct demo_cluster *c, const char *folder)
{
    char path[DEMO_PATH];
    struct net_why error;
    ssize_t size =
        readlink("/proc/self/exe", c->program, sizeof c->program - 1);

    if (size < 0)
        return cli_fail("no /proc: %s", strerror(errno));
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come to us */
    snprintf(c->folder, sizeof c->folder, "%s", folder);
    if (demo_folder_make(c->folder))
        return CLI_SYSTEM;
    demo_path(c->folder, "state", path);
    if (mkdir(path, 0777) != 0)
        return cli_fail("cannot make the folder %s: %s", path, strerror(errno));
    demo_path(c->folder, "cluster.key", path);
    if (!live_key_create(path, &error))
        return cli_fail("%s", error.text);
    demo_path(c->folder, DEMO_STORE, path);
    if (live_fence_create(path, &error) != LIVE_FENCE_DONE)
        return cli_fail("%s", error.text);
    return write_config(c);
}

/* ---- Processes ----------------------------------------------------------- */

/* In the child: a group of its own, our death is its death, words to a file. */
static void settle(const struct demo_cluster *c, const char *log, pid_t parent)
{
    int null = open("/dev/null", O_RDONLY), words;
    sigset_t none;

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || chdir(c->folder) != 0)
        _exit(127);
    words = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (null < 0 || words < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(words, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0)
        _exit(127);
    (void)close(null);
    (void)close(words);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The process, or -1 with errno. */
static pid_t start(const struct demo_cluster *c, const char *log,
                   const char *const argv[])
{
    pid_t parent = getpid(), child;

    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
        settle(c, log, parent);
        (void)execv(c->program, (char *const *)argv);
        _exit(127);
    }
    return child;
}

int demo_node_start(struct demo_cluster *c, uint32_t node, bool first)
{
    const char *const argv[] = {"fulcrum",
                                "node",
                                "-c",
                                DEMO_CONFIG,
                                "-i",
                                demo_names[node],
                                first ? "--init" : NULL,
                                NULL};
    char log[64];
    pid_t child;

    snprintf(log, sizeof log, "%s.log", demo_names[node]);
    child = start(c, log, argv);
    c->node[node] = child > 0 ? child : 0;
    return child > 0 ? 0 : -1;
}

int demo_client_start(struct demo_cluster *c, uint32_t node, const char *lock,
                      uint32_t stay_ms)
{
    char stay[16];
    const char *const argv[] = {
        "fulcrum",        "lock", lock,       "-c",   DEMO_CONFIG, "-i",
        demo_names[node], "--",   c->program, "demo", "holder",    lock,
        demo_names[node], stay,   NULL};
    pid_t child;

    snprintf(stay, sizeof stay, "%u", (unsigned)stay_ms);
    child = start(c, "clients.log", argv);
    c->client[node] = child > 0 ? child : 0;
    return child > 0 ? 0 : -1;
}

pid_t demo_reap(struct demo_cluster *c, int *status)
{
    pid_t child = waitpid(-1, status, WNOHANG);

    if (child <= 0)
        return 0;
    for (uint32_t i = 0; i < DEMO_NODES; i++) {
        if (c->node[i] == child)
            c->node[i] = 0;
        if (c->client[i] == child)
            c->client[i] = 0;
    }
    return child;
}

/* The state of a process, as ps shows it, and its parent; 0 if it is gone. */
static char state_of(pid_t process, pid_t *parent)
{
    char path[64], line[512];
    const char *name_end = NULL;
    FILE *file;

    *parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    file = fopen(path, "re");
    if (!file)
        return 0;
    /* "PID (NAME) STATE PARENT ...", and a name may have anything in it. */
    if (fgets(line, sizeof line, file))
        name_end = strrchr(line, ')');
    (void)fclose(file);
    if (!name_end || strlen(name_end) < 5)
        return 0;
    *parent = (pid_t)strtol(name_end + 4, NULL, 10);
    return name_end[2];
}

bool demo_is_stopped(pid_t process)
{
    pid_t parent;

    return state_of(process, &parent) == 'T';
}

/* Sends a signal to all that a process has started: the guard of a client, then
 * its command. */
static void signal_below(pid_t of, int signal)
{
    DIR *list = opendir("/proc");
    const struct dirent *entry;

    if (!list)
        return;
    while ((entry = readdir(list))) {
        pid_t parent, process = (pid_t)strtol(entry->d_name, NULL, 10);

        if (process > 0 && state_of(process, &parent) && parent == of) {
            (void)kill(process, signal);
            signal_below(process, signal);
        }
    }
    closedir(list);
}

/* Sends a signal to all processes of a node that are there. */
static void signal_node(const struct demo_cluster *c, uint32_t node, bool all,
                        int signal)
{
    if (c->node[node])
        (void)kill(c->node[node], signal);
    if (!c->client[node])
        return;
    (void)kill(c->client[node], signal);
    if (all)
        signal_below(c->client[node], signal);
}

void demo_freeze(struct demo_cluster *c, uint32_t node, bool all)
{
    c->frozen[node] = true;
    signal_node(c, node, all, SIGSTOP);
}

void demo_thaw(struct demo_cluster *c, uint32_t node)
{
    c->frozen[node] = false;
    signal_node(c, node, true, SIGCONT);
}

static bool any_node(const struct demo_cluster *c)
{
    for (uint32_t i = 0; i < DEMO_NODES; i++)
        if (c->node[i])
            return true;
    return false;
}

/* Waits until no node is left, or for a while. */
static void await_nodes(struct demo_cluster *c)
{
    const struct timespec pause = {0, 5000000};
    uint64_t until = live_now() + PATIENCE_US;
    int status;

    while (any_node(c) && live_now() < until)
        if (!demo_reap(c, &status))
            (void)nanosleep(&pause, NULL);
}

void demo_cluster_stop(struct demo_cluster *c)
{
    for (uint32_t i = 0; i < DEMO_NODES; i++) {
        demo_thaw(c, i); /* a frozen node could not end in order */
        if (c->client[i])
            (void)kill(c->client[i], SIGKILL); /* its guard kills the rest */
        if (c->node[i])
            (void)kill(c->node[i], SIGTERM);
    }
    await_nodes(c);
    /* Late nodes, and whatever has lost its parent and came to us. */
    do {
        signal_below(getpid(), SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    } while (waitpid(-1, NULL, 0) > 0);
    memset(c->node, 0, sizeof c->node);
    memset(c->client, 0, sizeof c->client);
}

/* ---- What a node knows --------------------------------------------------- */

uint32_t demo_members(const struct demo_cluster *c, uint32_t node)
{
    struct live_client client;
    char path[DEMO_PATH], name[64];
    struct net_why error;
    json_t *report;
    uint32_t members = 0;
    int file;

    snprintf(name, sizeof name, "%s.socket", demo_names[node]);
    demo_path(c->folder, name, path);
    if (live_client_open(&client, path, &error) != 0)
        return 0;
    file = live_client_status(&client, &error);
    live_client_close(&client);
    if (file < 0)
        return 0;
    report = json_loadfd(file, 0, NULL);
    if (json_is_true(json_object_get(report, "leased")))
        members = (uint32_t)json_array_size(json_object_get(report, "members"));
    json_decref(report);
    close(file);
    return members;
}
