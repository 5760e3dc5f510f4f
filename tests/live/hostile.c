/*
 * hostile.c - somebody on the path between two nodes, for tests: passes their
 * datagrams on, keeps copies, and on demand sends a node what it should refuse.
 *
 *     hostile --seed 7 --host 127.0.0.1 T:B U:A
 *
 * What comes to port T goes to port B, from port U; what comes to U goes to A,
 * from T.  So A is told that B is at T, and B that A is at U, and neither sees
 * a difference.  Then a line on standard input makes it send datagrams to B,
 * from another address, the next one:
 *
 *     send KIND N            that many, with pauses; answered "sent N"
 *     flood KIND SECONDS     as many as it can; answered "sent N" in the end
 *
 * of the kinds: replay (copies, as they were), flip (one bit of a copy), cut (a
 * copy's beginning), long (a copy with a tail), garbage (random bytes), nearly
 * (random bytes behind a true header), key (a true header, sealed with another
 * key).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "live/wire/datagram.h"

enum { COPIES = 256, BYTES_MAX = 2048, PAUSE_AFTER = 16, PAUSE_US = 2000 };

struct datagram {
    size_t size;
    uint8_t bytes[BYTES_MAX];
};

struct hostile {
    uint64_t seed;
    uint32_t host;
    int at[2]; /* T, U */
    struct sockaddr_in to[2];
    int elsewhere; /* the other address */
    struct datagram copies[COPIES];
    uint64_t kept;
};

static void refuse(const char *what, const char *why)
{
    fprintf(stderr, "hostile: %s: %s\n", what, why);
    exit(2);
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t draw(struct hostile *h)
{
    uint64_t x = h->seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 32) * UINT64_C(0xe9846af9b1a615d);
    x = (x ^ x >> 32) * UINT64_C(0xe9846af9b1a615d);
    return x ^ x >> 28;
}

/* ---- On the path --------------------------------------------------------- */

static void pass_on(struct hostile *h, int way)
{
    struct datagram d;
    ssize_t size;

    while ((size = recv(h->at[way], d.bytes, sizeof d.bytes, MSG_DONTWAIT)) >=
           0) {
        d.size = (size_t)size;
        (void)sendto(h->at[1 - way], d.bytes, d.size, 0,
                     (const struct sockaddr *)&h->to[way], sizeof h->to[way]);
        if (way == 0 && d.size > LIVE_WIRE_MIN)
            h->copies[h->kept++ % COPIES] = d;
    }
}

/* ---- What should be refused ---------------------------------------------- */

static void fill(struct hostile *h, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)draw(h);
}

static uint64_t number_at(const uint8_t *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

/* As if its sender had another key. */
static void seal_otherwise(struct datagram *d)
{
    static const uint8_t key[LIVE_KEY_BYTES] = "not the key of this cluster";
    const struct live_self self = {.hash = number_at(d->bytes + LIVE_AT_HASH),
                                   .life = number_at(d->bytes + LIVE_AT_LIFE),
                                   .salt = number_at(d->bytes + LIVE_AT_SALT),
                                   .id = d->bytes[LIVE_AT_FROM],
                                   .nodes_count = LIVE_NODES_MAX};
    uint64_t echo = number_at(d->bytes + LIVE_AT_ECHO);
    uint32_t to = d->bytes[LIVE_AT_TO];
    struct live_channel channel;
    uint8_t payload[16] = {0};

    live_channel_open(&channel, key, self.id, to);
    channel.sent = number_at(d->bytes + LIVE_AT_NUMBER);
    d->size = live_seal(&self, &channel, to, LIVE_DATA, echo, payload,
                        sizeof payload, d->bytes);
}

static void make(struct hostile *h, const char *kind, struct datagram *d)
{
    size_t size;

    if (strcmp(kind, "garbage") == 0) {
        d->size = draw(h) % 1500;
        fill(h, d->bytes, d->size);
        return;
    }
    if (!h->kept)
        refuse(kind, "nothing has passed yet");
    *d = h->copies[draw(h) % (h->kept < COPIES ? h->kept : COPIES)];
    size = d->size;
    if (strcmp(kind, "flip") == 0) {
        size_t bit = draw(h) % (8 * size);

        d->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    } else if (strcmp(kind, "cut") == 0) {
        d->size = draw(h) % size;
    } else if (strcmp(kind, "long") == 0) {
        d->size = LIVE_WIRE_MAX + 1 + draw(h) % 300;
        fill(h, d->bytes + size, d->size - size);
    } else if (strcmp(kind, "nearly") == 0) {
        fill(h, d->bytes + LIVE_HEADER_BYTES, size - LIVE_HEADER_BYTES);
    } else if (strcmp(kind, "key") == 0) {
        seal_otherwise(d);
    } else if (strcmp(kind, "replay") != 0) {
        refuse(kind, "is no kind");
    }
}

static void send_one(struct hostile *h, const struct datagram *d)
{
    (void)sendto(h->elsewhere, d->bytes, d->size, 0,
                 (const struct sockaddr *)&h->to[0], sizeof h->to[0]);
}

static void answer(uint64_t count)
{
    printf("sent %" PRIu64 "\n", count);
    (void)fflush(stdout);
}

static void send_some(struct hostile *h, const char *kind, uint64_t count)
{
    struct datagram d;

    for (uint64_t i = 0; i < count; i++) {
        make(h, kind, &d);
        send_one(h, &d);
        if (i % PAUSE_AFTER == PAUSE_AFTER - 1) {
            usleep(PAUSE_US);
            pass_on(h, 0);
            pass_on(h, 1);
        }
    }
    answer(count);
}

/* In a process of its own, while this one passes on. */
static void flood(struct hostile *h, const char *kind, uint64_t seconds)
{
    static struct datagram made[COPIES];
    uint64_t end = now_us() + 1000000 * seconds, count = 0;
    pid_t child = fork();

    if (child < 0)
        refuse("fork", strerror(errno));
    if (child > 0)
        return;
    for (int i = 0; i < COPIES; i++)
        make(h, kind, &made[i]);
    while (count % COPIES || now_us() < end)
        send_one(h, &made[count++ % COPIES]);
    answer(count);
    _exit(0);
}

/* False at the end of the commands. */
static bool obey(struct hostile *h)
{
    char line[128], *left = NULL;
    const char *verb, *kind, *number;

    if (!fgets(line, sizeof line, stdin))
        return false;
    verb = strtok_r(line, " \n", &left);
    kind = strtok_r(NULL, " \n", &left);
    number = strtok_r(NULL, " \n", &left);
    if (!number)
        refuse("command", "write send or flood, a kind and a number");
    if (strcmp(verb, "send") == 0)
        send_some(h, kind, strtoull(number, NULL, 10));
    else if (strcmp(verb, "flood") == 0)
        flood(h, kind, strtoull(number, NULL, 10));
    else
        refuse(verb, "is no command");
    return true;
}

/* ---- Setting up ---------------------------------------------------------- */

static struct sockaddr_in address(uint32_t host, unsigned long port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(host)};
}

static int listen_at(uint32_t host, unsigned long port)
{
    struct sockaddr_in at = address(host, port);
    int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (file < 0 || bind(file, (const struct sockaddr *)&at, sizeof at))
        refuse("socket", strerror(errno));
    return file;
}

int main(int argc, char **argv)
{
    static struct hostile h = {.seed = 1, .host = INADDR_LOOPBACK};
    int first = 1;

    for (; first + 1 < argc && argv[first][0] == '-'; first += 2)
        if (strcmp(argv[first], "--seed") == 0)
            h.seed = strtoull(argv[first + 1], NULL, 10);
        else if (strcmp(argv[first], "--host") == 0)
            h.host = ntohl(inet_addr(argv[first + 1]));
        else
            refuse(argv[first], "is no option");
    if (argc != first + 2 || sodium_init() < 0)
        refuse("usage", "hostile [--seed S] [--host ADDRESS] T:B U:A");
    setvbuf(stdin, NULL, _IONBF, 0);
    (void)signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        char *end;
        unsigned long at = strtoul(argv[first + i], &end, 10);

        if (*end != ':')
            refuse(argv[first + i], "is no pair of ports");
        h.at[i] = listen_at(h.host, at);
        h.to[i] = address(h.host, strtoul(end + 1, NULL, 10));
    }
    h.elsewhere = listen_at(h.host + 1, 0);
    for (;;) {
        struct pollfd wait[] = {
            {h.at[0], POLLIN, 0}, {h.at[1], POLLIN, 0}, {0, POLLIN, 0}};

        if (poll(wait, 3, -1) < 0)
            continue;
        pass_on(&h, 0);
        pass_on(&h, 1);
        if (wait[2].revents && !obey(&h))
            return 0;
    }
}
