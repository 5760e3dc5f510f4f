/*
 * lock.c - what taking a lock at its own node costs: for a program with a
 * connection, and for a command, beside flock(1).
 *
 *     lock SOCKET FILE RUNS FULCRUM...
 *
 * SOCKET is of a node, FILE for flock.  Each FULCRUM is a command whose
 * `fulcrum lock` is measured, in turn with the others and with flock, so that
 * whatever else the machine does is shared: look at the ratios.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "live/client/client.h"
#include "net/seconds.h"

enum { RUNS_MAX = 100000, WAYS_MAX = 8 };

extern char **environ;

/* Microseconds of each run. */
struct times {
    const char *name;
    double wall[RUNS_MAX], processor[RUNS_MAX];
};

static void give_up(const char *why)
{
    fprintf(stderr, "lock: %s\n", why);
    exit(3);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *of, size_t count)
{
    qsort(of, count, sizeof *of, by_size);
    return of[count / 2];
}

/* ---- A connection -------------------------------------------------------- */

static void take(struct live_client *client)
{
    struct live_letter letter;
    struct net_why error;

    if (live_client_ask(client, "bench", false, -1, UINT64_MAX, &error))
        give_up(error.text);
    do {
        if (live_client_next(client, &letter, &error))
            give_up(error.text);
    } while (letter.kind == LIVE_WAITING);
    if (letter.kind != LIVE_GRANTED)
        give_up(letter.reason);
    if (live_client_release(client, &error))
        give_up(error.text);
}

static void measure_connection(const char *path, struct times *t, size_t runs)
{
    struct live_client client;
    struct net_why error;

    if (live_client_open(&client, path, &error))
        give_up(error.text);
    for (size_t i = 0; i < runs; i++) {
        double from = net_seconds();

        take(&client);
        t->wall[i] = 1e6 * (net_seconds() - from);
    }
    live_client_close(&client);
    printf("ask, grant and release on one connection: %.1f us\n",
           median(t->wall, runs));
}

/* ---- A command ----------------------------------------------------------- */

static double in_us(struct timeval time)
{
    return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

static void run(char *const command[], double *wall, double *processor)
{
    double from = net_seconds();
    struct rusage usage;
    pid_t child;
    int status;

    if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) ||
        wait4(child, &status, 0, &usage) != child || status != 0)
        give_up(command[0]);
    *wall = 1e6 * (net_seconds() - from);
    *processor = in_us(usage.ru_utime) + in_us(usage.ru_stime);
}

static void print(const struct times *t, double wall, double processor)
{
    printf("%-40s %8.0f us (%.2f)   %8.0f us (%.2f)\n", t->name, t->wall[0],
           t->wall[0] / wall, t->processor[0], t->processor[0] / processor);
}

int main(int argc, char **argv)
{
    size_t runs = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    struct times *of;
    int ways = argc - 3;

    if (runs < 1 || runs > RUNS_MAX || ways > WAYS_MAX)
        give_up("usage: lock SOCKET FILE RUNS FULCRUM...");
    of = calloc((size_t)ways, sizeof *of);
    if (!of)
        give_up("no memory");
    measure_connection(argv[1], &of[0], runs);
    for (size_t i = 0; i < runs; i++)
        for (int way = 0; way < ways; way++) {
            char *locked[] = {argv[way + 3], "lock", "--socket", argv[1],
                              "bench",       "--",   "true",     NULL};
            char *flocked[] = {"flock", argv[2], "true", NULL};

            run(way ? locked : flocked, &of[way].wall[i],
                &of[way].processor[i]);
        }
    printf("%-40s %s\n", "a command, and its ratio to flock(1):",
           "from start to end     processor");
    for (int way = 0; way < ways; way++) {
        of[way].name = way ? argv[way + 3] : "flock";
        of[way].wall[0] = median(of[way].wall, runs);
        of[way].processor[0] = median(of[way].processor, runs);
        print(&of[way], of[0].wall[0], of[0].processor[0]);
    }
    free(of);
    return 0;
}
