/*
 * quiet.c - a benchmark on a machine that others use, too: how much they
 * disturbed a round, so that it can be measured again.
 *
 * When threads that should run side by side take turns instead, they never
 * meet: every lock looks free, and nobody starves.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include "bench/rw/bench.h"

/* What all processors have been busy with since the start, in seconds. */
static double busy(void)
{
    FILE *f = fopen("/proc/stat", "r");
    char line[256];
    double sum = 0;

    if (!f)
        return 0;
    if (fgets(line, sizeof line, f)) {
        char *at = line + 3; /* "cpu" */

        /* user nice system idle iowait irq softirq steal */
        for (int i = 0; i < 8; i++) {
            double ticks = strtod(at, &at);

            if (i != 3 && i != 4)
                sum += ticks;
        }
    }
    fclose(f);
    return sum / (double)sysconf(_SC_CLK_TCK);
}

static double own(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

uint64_t quiet_queued_ns(void)
{
    FILE *f = fopen("/proc/thread-self/schedstat", "r");
    char line[128];
    char *at = line;
    uint64_t queued = 0;

    if (!f)
        return 0;
    if (fgets(line, sizeof line, f)) {
        strtoull(line, &at, 10); /* on a processor */
        queued = strtoull(at, NULL, 10);
    }
    fclose(f);
    return queued;
}

void quiet_begin(struct quiet *q)
{
    q->busy = busy();
    q->own = own();
    q->began_ns = rw_now_ns();
}

double quiet_others(const struct quiet *q)
{
    double seconds = (double)(rw_now_ns() - q->began_ns) / 1e9;
    double others = (busy() - q->busy) - (own() - q->own);

    return others > 0 ? others / seconds : 0;
}
