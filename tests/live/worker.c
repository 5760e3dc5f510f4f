/*
 * worker.c - a client that takes a lock again and again, for tests, and writes
 * down when it was the holder.
 *
 *     worker --socket PATH --lock NAME --log FILE --who NAME
 *            [--entries N] [--seconds S] [--shared PERCENT] [--hold US]
 *            [--long US] [--counter FILE] [--seed S]
 *     worker --command --log FILE --who NAME [--shared 100] [--hold US]
 *            [--counter FILE]
 *
 * The first form uses the client library, the second is run by `fulcrum lock`.
 * One entry in 16 is held for --long, if that is given.
 * A line of the log is "TIME TOKEN KIND WHO WHAT [COUNT]": microseconds of
 * CLOCK_BOOTTIME read before the lock was found to be held, x or s, a name for
 * this one entry, and one of in, at, out, torn.  A counter is read and written
 * without any protection but the lock; readers look whether it moves.
 * live_intervals.awk judges all that.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/client/client.h"

enum {
    COUNT_BYTES = 20,
    WAIT_US = 1000000,
    RETRY_US = 20000,
    STAMP_US = 500,
    LONG_ONES = 16
};

struct worker {
    const char *socket, *lock, *log, *counter, *who;
    uint64_t entries, seconds, shared, hold, longest, seed;
    bool command;
    int log_file, counter_file;
    struct live_client client;
    bool open; /* the client */
    uint64_t done, refused, lost, gone;
};

/* One entry. */
struct entry {
    uint64_t number, token, hold;
    bool shared;
};

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void rest(uint64_t us)
{
    struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                            .tv_nsec = (long)(us % 1000000) * 1000};

    (void)nanosleep(&time, NULL);
}

static void refuse(const char *what, const char *why)
{
    fprintf(stderr, "worker: %s: %s\n", what, why);
    exit(2);
}

static uint64_t draw(struct worker *w)
{
    uint64_t x = w->seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 32) * UINT64_C(0xe9846af9b1a615d);
    return x ^ x >> 29;
}

/* ---- What the lock protects ---------------------------------------------- */

/* A command is the holder as long as it lives: that is what is tested. */
static bool holds(const struct worker *w, uint64_t at)
{
    return w->command || at < live_client_deadline(&w->client);
}

/* False if the lock is not held any more: then nothing is written. */
static bool stamp(struct worker *w, const struct entry *e, const char *what,
                  const uint64_t *count)
{
    uint64_t at = now_us();
    char line[256], number[24] = "";
    int size;

    if (!holds(w, at))
        return false;
    if (count)
        snprintf(number, sizeof number, " %" PRIu64, *count);
    size = snprintf(
        line, sizeof line, "%" PRIu64 " %" PRIu64 " %c %s.%" PRIu64 " %s%s\n",
        at, e->token, e->shared ? 's' : 'x', w->who, e->number, what, number);
    if (write(w->log_file, line, (size_t)size) != size)
        refuse(w->log, "cannot be written");
    return true;
}

static uint64_t read_counter(const struct worker *w)
{
    char text[COUNT_BYTES + 1] = "";

    if (pread(w->counter_file, text, COUNT_BYTES, 0) < 0)
        refuse(w->counter, strerror(errno));
    return strtoull(text, NULL, 10);
}

static void write_counter(const struct worker *w, uint64_t count)
{
    char text[COUNT_BYTES + 1];

    snprintf(text, sizeof text, "%0*" PRIu64, COUNT_BYTES, count);
    if (pwrite(w->counter_file, text, COUNT_BYTES, 0) != COUNT_BYTES)
        refuse(w->counter, strerror(errno));
}

/* Stamps until the time is over; false if the lock was lost before. */
static bool stay(struct worker *w, const struct entry *e)
{
    uint64_t until = now_us() + e->hold;

    while (now_us() < until) {
        if (!stamp(w, e, "at", NULL))
            return false;
        rest(STAMP_US);
    }
    return true;
}

static bool work_alone(struct worker *w, const struct entry *e)
{
    uint64_t count;

    if (w->counter_file < 0)
        return stamp(w, e, "in", NULL) && stay(w, e) &&
               stamp(w, e, "out", NULL);
    if (!stamp(w, e, "in", NULL))
        return false;
    count = read_counter(w) + 1;
    if (!stay(w, e) || !holds(w, now_us()))
        return false;
    write_counter(w, count);
    return stamp(w, e, "at", &count) && stamp(w, e, "out", NULL);
}

static bool work_beside_readers(struct worker *w, const struct entry *e)
{
    uint64_t before = 0, after = 0;

    if (!stamp(w, e, "in", NULL))
        return false;
    if (w->counter_file >= 0)
        before = read_counter(w);
    if (!stay(w, e))
        return false;
    if (w->counter_file >= 0)
        after = read_counter(w);
    if (after != before && !stamp(w, e, "torn", NULL))
        return false;
    return stamp(w, e, "out", NULL);
}

static bool work(struct worker *w, const struct entry *e)
{
    return e->shared ? work_beside_readers(w, e) : work_alone(w, e);
}

/* ---- Getting the lock ---------------------------------------------------- */

static void hang_up(struct worker *w)
{
    if (w->open)
        live_client_close(&w->client);
    w->open = false;
    w->gone++;
    rest(RETRY_US);
}

static bool connected(struct worker *w)
{
    struct net_why error;

    if (!w->open)
        w->open = live_client_open(&w->client, w->socket, &error) == 0;
    if (!w->open)
        rest(RETRY_US);
    return w->open;
}

/* 1: granted; 0: refused; -1: the node is gone. */
static int ask(struct worker *w, bool shared)
{
    struct live_letter letter;
    struct net_why error;

    if (live_client_ask(&w->client, w->lock, shared, -1, WAIT_US, &error))
        return -1;
    for (;;) {
        struct pollfd answer = {w->client.socket, POLLIN, 0};

        /* A node that is stopped says nothing: try again with another. */
        if (poll(&answer, 1, 3 * WAIT_US / 1000) <= 0 ||
            live_client_next(&w->client, &letter, &error))
            return -1;
        if (letter.kind == LIVE_GRANTED)
            return 1;
        if (letter.kind == LIVE_REFUSED)
            return 0;
    }
}

static void take_turn(struct worker *w, uint64_t number)
{
    struct entry e = {
        .number = number, .shared = draw(w) % 100 < w->shared, .hold = w->hold};
    struct net_why error;
    int code;

    if (w->longest && draw(w) % LONG_ONES == 0)
        e.hold = w->longest;
    if (!connected(w))
        return;
    code = ask(w, e.shared);
    if (code < 0) {
        hang_up(w);
        return;
    }
    if (code == 0) {
        w->refused++;
        return;
    }
    e.token = w->client.token;
    if (work(w, &e))
        w->done++;
    else
        w->lost++;
    if (live_client_release(&w->client, &error))
        hang_up(w);
}

static void run(struct worker *w)
{
    uint64_t end = now_us() + 1000000 * w->seconds;

    for (uint64_t number = 0; w->done < w->entries && now_us() < end; number++)
        take_turn(w, number);
    if (w->open)
        live_client_close(&w->client);
    printf("%s done=%" PRIu64 " refused=%" PRIu64 " lost=%" PRIu64
           " gone=%" PRIu64 "\n",
           w->who, w->done, w->refused, w->lost, w->gone);
}

static int run_as_command(struct worker *w)
{
    const char *token = getenv("FULCRUM_TOKEN");
    struct entry e = {
        .number = (uint64_t)getpid(), .shared = w->shared > 0, .hold = w->hold};

    if (!token)
        refuse("FULCRUM_TOKEN", "is not there; run it by 'fulcrum lock'");
    e.token = strtoull(token, NULL, 10);
    return work(w, &e) ? 0 : 1;
}

/* ---- Options ------------------------------------------------------------- */

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*end || end == text)
        refuse(text, "is no number");
    return value;
}

static void read_options(struct worker *w, int argc, char **argv)
{
    static const struct option options[] = {
        {"socket", required_argument, NULL, 'S'},
        {"lock", required_argument, NULL, 'l'},
        {"log", required_argument, NULL, 'o'},
        {"who", required_argument, NULL, 'w'},
        {"counter", required_argument, NULL, 'c'},
        {"entries", required_argument, NULL, 'e'},
        {"seconds", required_argument, NULL, 't'},
        {"shared", required_argument, NULL, 's'},
        {"hold", required_argument, NULL, 'h'},
        {"long", required_argument, NULL, 'L'},
        {"seed", required_argument, NULL, 'r'},
        {"command", no_argument, NULL, 'C'},
        {0}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        const char **text = option == 'S'   ? &w->socket
                            : option == 'l' ? &w->lock
                            : option == 'o' ? &w->log
                            : option == 'w' ? &w->who
                            : option == 'c' ? &w->counter
                                            : NULL;
        uint64_t *value = option == 'e'   ? &w->entries
                          : option == 't' ? &w->seconds
                          : option == 's' ? &w->shared
                          : option == 'h' ? &w->hold
                          : option == 'L' ? &w->longest
                          : option == 'r' ? &w->seed
                                          : NULL;

        if (text)
            *text = optarg;
        else if (value)
            *value = number(optarg);
        else if (option == 'C')
            w->command = true;
        else
            refuse("usage", "see the head of tests/live/worker.c");
    }
    if (!w->log || !w->who || (!w->command && (!w->socket || !w->lock)))
        refuse("usage", "see the head of tests/live/worker.c");
}

int main(int argc, char **argv)
{
    struct worker w = {
        .entries = UINT64_MAX, .seconds = 3600, .seed = 1, .counter_file = -1};

    read_options(&w, argc, argv);
    w.log_file = open(w.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (w.log_file < 0)
        refuse(w.log, strerror(errno));
    if (w.counter)
        w.counter_file = open(w.counter, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (w.counter && w.counter_file < 0)
        refuse(w.counter, strerror(errno));
    if (w.command)
        return run_as_command(&w);
    run(&w);
    return 0;
}
