/*
 * demo_holder.c - what runs inside the lock in the demo: it writes down that it
 * is there, and tries the store if it was frozen.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/demo/demo_cluster.h"
#include "live/common/clock.h"
#include "live/fence/fence.h"

enum {
    BEAT_NS = 2000000,
    FROZEN_US = 350000, /* no word for so long: the machine stood still */
};

struct holder {
    const char *lock, *node;
    uint64_t token;
    int record;
};

/* A whole line in one write, so that lines of holders do not mix. */
static void note(const struct holder *h, const char *what, uint64_t time)
{
    char line[256];
    int size =
        snprintf(line, sizeof line, "%s %" PRIu64 " %s %s %" PRIu64 " %d\n",
                 h->lock, h->token, h->node, what, time, (int)getpid());

    if (write(h->record, line, (size_t)size) != size)
        _exit(CLI_SYSTEM);
}

/* Writes its name into the store; what the store says. */
static enum live_fence_answer sign(const struct holder *h)
{
    struct live_fence fence;
    struct net_why error;
    uint64_t mark;
    enum live_fence_answer answer = live_fence_open(&fence, DEMO_STORE, &error);

    if (answer != LIVE_FENCE_DONE)
        return answer;
    answer = live_fence_put(&fence, h->lock, h->token, h->node, strlen(h->node),
                            &mark, &error);
    if (answer != LIVE_FENCE_DONE)
        fprintf(stderr, "%s: %s\n", h->node, error.text);
    live_fence_close(&fence);
    return answer;
}

/* The clock has jumped: this is the late write that a lock cannot prevent. */
static int after_freeze(const struct holder *h, uint64_t now)
{
    enum live_fence_answer answer = sign(h);

    note(h, answer == LIVE_FENCE_LOW ? "late" : "lost", now);
    return answer == LIVE_FENCE_LOW ? CLI_VIOLATED : CLI_FINE;
}

int demo_holder(int argc, char **argv)
{
    const struct timespec beat = {0, BEAT_NS};
    const char *token = getenv("FULCRUM_TOKEN");
    struct holder h = {.record = -1};
    uint64_t now, last, until;

    if (argc != 4 || !token)
        return cli_refuse("'holder' is not a part of the demo");
    h = (struct holder){argv[1], argv[2], strtoull(token, NULL, 10),
                        open(DEMO_RECORD, O_WRONLY | O_APPEND | O_CLOEXEC)};
    if (h.record < 0)
        return CLI_SYSTEM;
    last = live_now();
    until = last + 1000 * strtoull(argv[3], NULL, 10);
    note(&h, "in", last);
    (void)sign(&h); /* before its second word: a holder with two has signed */
    last = live_now();
    for (;;) {
        now = live_now();
        if (now - last > FROZEN_US)
            return after_freeze(&h, now);
        if (now >= until)
            break;
        note(&h, "is", now);
        last = now;
        (void)nanosleep(&beat, NULL);
    }
    note(&h, "out", now);
    return CLI_FINE;
}
