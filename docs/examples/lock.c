/*
 * lock.c - counts in a file that all machines of a cluster share: one process
 * at a time, and a former holder that comes too late is refused.
 *
 *     cc -std=c11 lock.c $(pkg-config --cflags --libs fulcrum-client) -o lock
 *
 *     fulcrum fence /srv/store init
 *     ./lock /srv/store
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

/* Reads the number, and writes the next one under the token of the lock. */
static bool count(struct fulcrum_fence *store, uint64_t token)
{
    char text[32] = "0";
    long number;
    int file, size;

    switch (fulcrum_fence_get(store, "counter", token, &file)) {
    case FULCRUM_FENCE_DONE:
        size = (int)read(file, text, sizeof text - 1);
        close(file);
        text[size > 0 ? size : 0] = 0;
        break;
    case FULCRUM_FENCE_NOTHING: /* the first of all */
        break;
    default:
        return false;
    }
    number = strtol(text, NULL, 10) + 1;
    size = snprintf(text, sizeof text, "%ld\n", number);
    if (fulcrum_fence_put(store, "counter", token, text, (size_t)size, NULL) !=
        FULCRUM_FENCE_DONE)
        return false;
    printf("%ld under token %" PRIu64 "\n", number, token);
    return true;
}

int main(int argc, char **argv)
{
    struct fulcrum_lock *held;
    struct fulcrum_fence *store;
    bool done = false;

    if (argc != 2) {
        fprintf(stderr, "usage: lock STORE\n");
        return 2;
    }
    if (fulcrum_fence_open(argv[1], &store) == FULCRUM_FENCE_DONE) {
        if (fulcrum_take("counter", 10 * SECOND, &held) == 0) {
            /* fulcrum_holds() is asked before each use of what the lock
             * protects; the store asks for the token besides. */
            done = fulcrum_holds(held) && count(store, fulcrum_token(held));
            if (fulcrum_drop(held) != 0)
                done = false;
        }
        fulcrum_fence_close(store);
    }
    if (!done)
        fprintf(stderr, "lock: %s\n", fulcrum_why());
    return done ? 0 : 3;
}
