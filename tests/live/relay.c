/*
 * relay.c - a bad network, for tests: takes datagrams at ports and sends each
 * on to another port, late, twice, out of order, or not at all.
 *
 *     fulcrum-relay --seed 7 --delay 1000:20000 --loss 5 7501:7401 7502:7402
 *
 * The delay is that of the whole path, a number of microseconds drawn for each
 * datagram.  What is drawn depends on the seed and on the order of arrival.
 * SIGUSR1 cuts all paths, SIGUSR2 heals them; SIGTERM ends it with its counts.
 *
 * With --control it reads lines from standard input: "cut FROM...", "heal",
 * "loss %", "duplicate %", "reorder %", "delay MIN:MAX".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATHS_MAX = 256, QUEUE_MAX = 8192, BYTES_MAX = 2048, TURN_US = 50000 };
enum { LINE_MAX_BYTES = 1024 };

struct path {
    int file;
    uint64_t port;
    bool cut;
    struct sockaddr_storage to;
    socklen_t to_size;
};

struct datagram {
    uint64_t due, order; /* equal times: as they came */
    uint32_t path;
    uint32_t size;
    uint8_t bytes[BYTES_MAX];
};

struct relay {
    const char *host;
    uint64_t seed, state;
    uint64_t delay_min, delay_max;
    uint64_t loss, duplicate, reorder; /* millionths */
    uint32_t paths_count, queued;
    uint64_t order, sent, lost, doubled, reordered, overflowed;
    struct path paths[PATHS_MAX];
    struct pollfd polled[PATHS_MAX + 1]; /* the last one: standard input */
    bool control;
    size_t line_size;
    char line[LINE_MAX_BYTES];
    struct datagram *queue[QUEUE_MAX]; /* a heap, the next to leave on top */
};

static volatile sig_atomic_t cut, ended;

static void on_signal(int number)
{
    if (number == SIGUSR1)
        cut = 1;
    else if (number == SIGUSR2)
        cut = 0;
    else
        ended = 1;
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t draw(struct relay *r)
{
    uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 32) * UINT64_C(0xe9846af9b1a615d);
    x = (x ^ x >> 32) * UINT64_C(0xe9846af9b1a615d);
    return x ^ x >> 28;
}

/* ---- The queue ----------------------------------------------------------- */

static bool leaves_before(const struct datagram *a, const struct datagram *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void push(struct relay *r, struct datagram *d)
{
    uint32_t at = r->queued++;

    while (at > 0) {
        uint32_t above = (at - 1) / 2;

        if (!leaves_before(d, r->queue[above]))
            break;
        r->queue[at] = r->queue[above];
        at = above;
    }
    r->queue[at] = d;
}

static struct datagram *pop(struct relay *r)
{
    struct datagram *top = r->queue[0], *last = r->queue[--r->queued];
    uint32_t at = 0, child;

    while ((child = 2 * at + 1) < r->queued) {
        if (child + 1 < r->queued &&
            leaves_before(r->queue[child + 1], r->queue[child]))
            child++;
        if (!leaves_before(r->queue[child], last))
            break;
        r->queue[at] = r->queue[child];
        at = child;
    }
    r->queue[at] = last;
    return top;
}

/* ---- Datagrams ----------------------------------------------------------- */

/* One copy, with its own delay. */
static void put_on_the_way(struct relay *r, uint32_t path, const uint8_t *bytes,
                           size_t size)
{
    struct datagram *d;
    uint64_t delay = r->delay_min;

    if (r->delay_max > r->delay_min)
        delay += draw(r) % (r->delay_max - r->delay_min + 1);
    if (draw(r) % 1000000 < r->reorder) {
        delay += 1000 + draw(r) % 10000;
        r->reordered++;
    }
    d = r->queued < QUEUE_MAX ? malloc(sizeof *d) : NULL;
    if (!d) {
        r->overflowed++;
        return;
    }
    d->due = now_us() + delay;
    d->order = r->order++;
    d->path = path;
    d->size = (uint32_t)size;
    memcpy(d->bytes, bytes, size);
    push(r, d);
}

static void take(struct relay *r, uint32_t path)
{
    uint8_t bytes[BYTES_MAX];
    ssize_t size;

    while ((size = recv(r->paths[path].file, bytes, sizeof bytes,
                        MSG_DONTWAIT)) >= 0) {
        if (cut || r->paths[path].cut || draw(r) % 1000000 < r->loss) {
            r->lost++;
            continue;
        }
        if (draw(r) % 1000000 < r->duplicate) {
            r->doubled++;
            put_on_the_way(r, path, bytes, (size_t)size);
        }
        put_on_the_way(r, path, bytes, (size_t)size);
    }
}

static void send_what_is_due(struct relay *r)
{
    while (r->queued && r->queue[0]->due <= now_us()) {
        struct datagram *d = pop(r);
        const struct path *p = &r->paths[d->path];

        if (sendto(p->file, d->bytes, d->size, MSG_DONTWAIT,
                   (const struct sockaddr *)&p->to, p->to_size) >= 0)
            r->sent++;
        else
            r->overflowed++;
        free(d);
    }
}

/* ---- Setting up ---------------------------------------------------------- */

static void refuse(const char *what, const char *why)
{
    fprintf(stderr, "fulcrum-relay: %s: %s\n", what, why);
    exit(2);
}

static uint64_t number(const char *text, char **end)
{
    errno = 0;
    if (*text < '0' || *text > '9')
        refuse(text, "is no number");
    return strtoull(text, end, 10);
}

static uint64_t millionths(const char *text)
{
    char *end;
    double percent = strtod(text, &end);

    if (*end || end == text || !(percent >= 0 && percent <= 100))
        refuse(text, "is no percentage; write a number in 0..100");
    return (uint64_t)(percent * 10000);
}

static void set_delay(struct relay *r, const char *text)
{
    char *end;

    r->delay_min = r->delay_max = number(text, &end);
    if (*end == ':')
        r->delay_max = number(end + 1, &end);
    if (*end || r->delay_max < r->delay_min || r->delay_max > 3600000000)
        refuse(text, "is no delay; write MIN:MAX in microseconds");
}

static socklen_t resolve(const char *host, uint64_t port,
                         struct sockaddr_storage *to)
{
    struct addrinfo *found = NULL, wished = {.ai_socktype = SOCK_DGRAM};
    char text[24];
    socklen_t size;
    int code;

    snprintf(text, sizeof text, "%" PRIu64, port);
    code = getaddrinfo(host, text, &wished, &found);
    if (code != 0 || port < 1 || port > 65535)
        refuse(text, code ? gai_strerror(code) : "is no port");
    memcpy(to, found->ai_addr, found->ai_addrlen);
    size = found->ai_addrlen;
    freeaddrinfo(found);
    return size;
}

static void add_path(struct relay *r, const char *text)
{
    struct path *p = &r->paths[r->paths_count];
    struct sockaddr_storage at;
    socklen_t size;
    char *end;
    uint64_t from = number(text, &end);

    if (r->paths_count == PATHS_MAX || *end != ':')
        refuse(text, "is no path, or one too many; write PORT:PORT");
    p->to_size = resolve(r->host, number(end + 1, &end), &p->to);
    size = resolve(r->host, from, &at);
    p->port = from;
    p->file = socket(at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (*end || p->file < 0 ||
        bind(p->file, (const struct sockaddr *)&at, size) != 0)
        refuse(text, *end ? "has more than two ports" : strerror(errno));
    r->polled[r->paths_count++] =
        (struct pollfd){.fd = p->file, .events = POLLIN};
}

/* ---- Control ------------------------------------------------------------- */

static void cut_path(struct relay *r, const char *text)
{
    char *end;
    uint64_t port = number(text, &end);

    for (uint32_t i = 0; i < r->paths_count; i++)
        if (!*end && r->paths[i].port == port) {
            r->paths[i].cut = true;
            return;
        }
    refuse(text, "is no port of a path");
}

static void obey(struct relay *r, char *line)
{
    char *left = NULL, *verb = strtok_r(line, " ", &left), *word;

    if (!verb)
        return;
    word = strtok_r(NULL, " ", &left);
    if (strcmp(verb, "cut") == 0) {
        for (; word; word = strtok_r(NULL, " ", &left))
            cut_path(r, word);
    } else if (strcmp(verb, "heal") == 0) {
        for (uint32_t i = 0; i < r->paths_count; i++)
            r->paths[i].cut = false;
    } else if (!word) {
        refuse(verb, "is no command, or lacks a number");
    } else if (strcmp(verb, "loss") == 0) {
        r->loss = millionths(word);
    } else if (strcmp(verb, "duplicate") == 0) {
        r->duplicate = millionths(word);
    } else if (strcmp(verb, "reorder") == 0) {
        r->reorder = millionths(word);
    } else if (strcmp(verb, "delay") == 0) {
        set_delay(r, word);
    } else {
        refuse(verb, "is no command");
    }
}

/* Whole lines; what is left waits for its end. */
static void listen_to_control(struct relay *r)
{
    size_t room = sizeof r->line - 1 - r->line_size;
    ssize_t got = read(STDIN_FILENO, r->line + r->line_size, room);
    char *end;

    if (got <= 0) {
        r->control = false; /* nobody speaks any more */
        return;
    }
    r->line_size += (size_t)got;
    r->line[r->line_size] = '\0';
    while ((end = strchr(r->line, '\n'))) {
        *end = '\0';
        obey(r, r->line);
        r->line_size -= (size_t)(end + 1 - r->line);
        memmove(r->line, end + 1, r->line_size + 1);
    }
    if (r->line_size == sizeof r->line - 1)
        refuse(r->line, "is too long a line");
}

static void run(struct relay *r)
{
    while (!ended) {
        uint64_t now = now_us(), left = TURN_US; /* a signal may come before */
        struct timespec wait;

        if (r->queued && r->queue[0]->due < now + left)
            left = r->queue[0]->due > now ? r->queue[0]->due - now : 0;
        wait = (struct timespec){.tv_nsec = (long)left * 1000};
        if (ppoll(r->polled, r->paths_count + r->control, &wait, NULL) > 0) {
            for (uint32_t i = 0; i < r->paths_count; i++)
                if (r->polled[i].revents)
                    take(r, i);
            if (r->control && r->polled[r->paths_count].revents)
                listen_to_control(r);
        }
        send_what_is_due(r);
    }
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT};
    struct sigaction action = {.sa_handler = on_signal};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

static void read_options(struct relay *r, int argc, char **argv)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},
        {"delay", required_argument, NULL, 'd'},
        {"loss", required_argument, NULL, 'l'},
        {"duplicate", required_argument, NULL, 'c'},
        {"reorder", required_argument, NULL, 'r'},
        {"host", required_argument, NULL, 'H'},
        {"control", no_argument, NULL, 'C'},
        {0}};
    int option;
    char *end;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 's':
            r->seed = number(optarg, &end);
            break;
        case 'd':
            set_delay(r, optarg);
            break;
        case 'l':
            r->loss = millionths(optarg);
            break;
        case 'c':
            r->duplicate = millionths(optarg);
            break;
        case 'r':
            r->reorder = millionths(optarg);
            break;
        case 'H':
            r->host = optarg;
            break;
        case 'C':
            r->control = true;
            break;
        default:
            refuse("usage",
                   "fulcrum-relay [--seed S] [--delay MIN:MAX] [--loss %] "
                   "[--duplicate %] [--reorder %] [--host HOST] [--control] "
                   "FROM:TO...");
        }
    }
    for (; optind < argc; optind++)
        add_path(r, argv[optind]);
    if (!r->paths_count)
        refuse("usage", "name the ports, such as 7501:7401");
    r->polled[r->paths_count] =
        (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
}

int main(int argc, char **argv)
{
    static struct relay r = {.host = "127.0.0.1", .seed = 1};

    catch_signals();
    read_options(&r, argc, argv);
    r.state = r.seed;
    printf("seed=%" PRIu64 " delay=%" PRIu64 ":%" PRIu64 " paths=%" PRIu32 "\n",
           r.seed, r.delay_min, r.delay_max, r.paths_count);
    (void)fflush(stdout);
    run(&r);
    printf("sent=%" PRIu64 " lost=%" PRIu64 " doubled=%" PRIu64
           " reordered=%" PRIu64 " overflowed=%" PRIu64 "\n",
           r.sent, r.lost, r.doubled, r.reordered, r.overflowed);
    while (r.queued)
        free(pop(&r));
    return 0;
}
