/*
 * lock.c - counts in a file that all machines of a cluster share: one process
 * at a time, and a former holder that comes too late is refused.
 *
 *     cc -std=c11 lock.c $(pkg-config --cflags --libs fulcrum) -o lock
 *
 *     fulcrum fence /srv/store init
 *     ./lock /run/fulcrum/north.socket /srv/store
 *
 * Needs a node on this machine: fulcrum-node(1).
 */
#include <fulcrum/fence.h>
#include <fulcrum/lock.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECOND = 1000000 }; /* in microseconds */

/* Asks for the lock and waits for it. */
static bool enter(struct live_client *client, char error[LIVE_ERROR_SIZE])
{
    struct live_letter letter;

    if (live_client_ask(client, "counter", false, -1, 10 * SECOND, error) != 0)
        return false;
    do {
        if (live_client_next(client, &letter, error) != 0)
            return false;
    } while (letter.kind == LIVE_WAITING);
    if (letter.kind == LIVE_GRANTED)
        return true;
    snprintf(error, LIVE_ERROR_SIZE, "%s", letter.reason);
    return false;
}

/* Reads the number, and writes the next one under the token of the lock. */
static bool count(struct live_fence *store, uint64_t token,
                  char error[LIVE_FENCE_ERROR_SIZE])
{
    char text[32] = "0";
    uint64_t mark;
    long number;
    int file, size;

    switch (live_fence_get(store, "counter", token, &file, error)) {
    case LIVE_FENCE_DONE:
        size = (int)read(file, text, sizeof text - 1);
        close(file);
        text[size > 0 ? size : 0] = 0;
        break;
    case LIVE_FENCE_NOTHING: /* the first of all */
        break;
    default:
        return false;
    }
    number = strtol(text, NULL, 10) + 1;
    size = snprintf(text, sizeof text, "%ld\n", number);
    if (live_fence_put(store, "counter", token, text, (size_t)size, &mark,
                       error) != LIVE_FENCE_DONE)
        return false;
    printf("%ld under token %" PRIu64 "\n", number, token);
    return true;
}

/* All of it, on an open connection. */
static bool work(struct live_client *client, struct live_fence *store,
                 char error[LIVE_ERROR_SIZE])
{
    if (!enter(client, error))
        return false;
    /* Asked before each use of what the lock protects. */
    if (!live_client_holds(client)) {
        snprintf(error, LIVE_ERROR_SIZE, "the lock was lost at once");
        return false;
    }
    return count(store, client->token, error) &&
           live_client_release(client, error) == 0;
}

int main(int argc, char **argv)
{
    struct live_client client;
    struct live_fence store;
    char error[LIVE_ERROR_SIZE];
    bool done = false;

    if (argc != 3) {
        fprintf(stderr, "usage: lock SOCKET STORE\n");
        return 2;
    }
    if (live_fence_open(&store, argv[2], error) == LIVE_FENCE_DONE) {
        if (live_client_open(&client, argv[1], error) == 0) {
            done = work(&client, &store, error);
            live_client_close(&client); /* gives back what is still held */
        }
        live_fence_close(&store);
    }
    if (!done)
        fprintf(stderr, "lock: %s\n", error);
    return done ? 0 : 3;
}
