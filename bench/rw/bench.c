/*
 * bench.c - reads and writes per second, attempts and waits of the register
 * and of its contenders, in one run.
 *
 * In every cell of the tables all contenders take turns, round by round, and
 * the median round counts: what disturbs one disturbs the others.  Part one
 * measures throughput, without a clock between two reads; part two measures
 * with a clock around every read and write how long anybody waited.
 *
 * Exit: 0 measured, 2 used wrongly, 3 the system refused.
 */
#include "bench/rw/bench.h"

#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { ROUNDS_MAX = 101, CONTENDERS_MAX = 8 };

static struct {
    double seconds; /* of a round */
    uint32_t rounds;
    const char *svg;
    bool waits_only;
    uint32_t writer;  /* only this one, if below 3 */
    uint32_t readers; /* their number, if not 0 */
    double patience;  /* seconds to spend on rounds that others disturb */
} wish = {0.1, 5, NULL, false, 3, 0, 0};

/* Rounds, those that others disturbed, and more that were thrown away. */
static uint64_t rounds, disturbed, repeated;

static uint32_t cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > READERS_MAX / 2 ? READERS_MAX / 2 : (uint32_t)n;
}

/* What a round gave. */
struct result {
    double reads, writes; /* per second */
    double cpu_ns;        /* of readers, per read */
    double attempts;
    uint64_t p999, max, beyond, explained, longest_ns, writer_longest_ns;
    uint64_t counts[BUCKETS];
};

static struct run run;
static const struct contender *running;

/* All begin together, or the first would have the machine for itself. */
static void assemble(void)
{
    atomic_fetch_add(&run.ready, 1);
    while (atomic_load(&run.ready) < run.readers + 1)
        if (run.readers + 1 > cores())
            sched_yield();
}

static uint64_t thread_ns(void)
{
    struct timespec cpu;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

static void *thread_main(void *seat)
{
    struct seat *mine = seat;

    assemble();
    uint64_t cpu = thread_ns(), queued = quiet_queued_ns();

    if (mine == &run.writing)
        running->write(&run, mine);
    else
        running->read(&run, mine);
    mine->cpu_ns = thread_ns() - cpu;
    mine->queued_ns = quiet_queued_ns() - queued;
    return NULL;
}

static void refused(const char *what)
{
    fprintf(stderr, "bench-rw: %s: the system refused\n", what);
    exit(3);
}

static void start(pthread_t *thread, struct seat *seat)
{
    if (pthread_create(thread, NULL, thread_main, seat))
        refused("threads");
}

/* Of the reads beyond the bound, those that met a write that was too long. */
static uint64_t explained(const struct seat *reader)
{
    const struct seat *w = &run.writing;
    uint64_t count = 0;
    uint64_t reads = reader->beyond < LOG_MAX ? reader->beyond : LOG_MAX;
    uint64_t writes = w->slow < LOG_MAX ? w->slow : LOG_MAX;

    for (uint64_t i = 0, k = 0; i < reads; i++) {
        while (k < writes && w->log[k].ended < reader->log[i].began)
            k++;
        count += k < writes && w->log[k].began <= reader->log[i].ended;
    }
    return count;
}

static void evaluate(struct result *result, double seconds)
{
    uint64_t done = 0, attempts = 0, cpu = 0, above = 0;

    memset(result, 0, sizeof *result);
    for (uint32_t i = 0; i < run.readers; i++) {
        const struct seat *seat = &run.reader[i];

        done += seat->done;
        attempts += seat->attempts;
        cpu += seat->cpu_ns;
        result->beyond += seat->beyond;
        result->explained += explained(seat);
        if (seat->attempts_max > result->max)
            result->max = seat->attempts_max;
        if (seat->longest_ns > result->longest_ns)
            result->longest_ns = seat->longest_ns;
        for (int b = 0; b < BUCKETS; b++)
            result->counts[b] += seat->counts[b];
    }
    if (result->max == 0 && done > 0)
        result->max = 1; /* only others are noted where there is no clock */
    for (uint32_t b = BUCKETS; b-- > 0 && done > 0;) {
        above += result->counts[b];
        if (above * 1000 >= done) {
            result->p999 = bucket_least(b);
            break;
        }
    }
    result->reads = (double)done / seconds;
    result->writes = (double)run.writing.done / seconds;
    result->cpu_ns = done ? (double)cpu / (double)done : 0;
    result->attempts = done ? (double)attempts / (double)done : 0;
    result->writer_longest_ns = run.writing.longest_ns;
}

static void measure(const struct contender *c, struct result *result)
{
    pthread_t reader[READERS_MAX], writer;
    struct timespec length = {
        (time_t)wish.seconds,
        (long)(1e9 * (wish.seconds - (double)(time_t)wish.seconds))};

    running = c;
    for (uint32_t i = 0; i < READERS_MAX; i++) {
        struct span *log = run.reader[i].log;

        memset(&run.reader[i], 0, sizeof run.reader[i]);
        run.reader[i].log = log;
    }
    struct span *log = run.writing.log;

    memset(&run.writing, 0, sizeof run.writing);
    run.writing.log = log;
    c->setup(run.size);
    run.bound = strcmp(c->name, "fulcrum writer") == 0
                    ? rw_attempts_max(&fulcrum_pace)
                    : 0;
    run.slow_ns = (uint64_t)(fulcrum_pace.read_ns / fulcrum_pace.gamma);
    atomic_store(&run.stop, 0);

    atomic_store(&run.ready, 0);
    start(&writer, &run.writing);
    for (uint32_t i = 0; i < run.readers; i++)
        start(&reader[i], &run.reader[i]);
    while (atomic_load(&run.ready) < run.readers + 1)
        sched_yield();
    uint64_t began = rw_now_ns();

    nanosleep(&length, NULL);
    atomic_store(&run.stop, 1);
    double seconds = (double)(rw_now_ns() - began) / 1e9;

    pthread_join(writer, NULL);
    for (uint32_t i = 0; i < run.readers; i++)
        pthread_join(reader[i], NULL);
    evaluate(result, seconds);
}

static int by_reads(const void *a, const void *b)
{
    double x = ((const struct result *)a)->reads;
    double y = ((const struct result *)b)->reads;

    return (x > y) - (x < y);
}

/* Did others take more than a tenth?  Where each thread can have a processor,
 * any time that one waited for it; else what strangers did in the meantime. */
static bool noisy(const struct quiet *q)
{
    double seconds = (double)(rw_now_ns() - q->began_ns) / 1e9;
    uint32_t threads = run.readers + (run.writer == WRITER_FLAT);
    uint64_t queued = run.writing.queued_ns;

    if (threads > cores())
        return quiet_others(q) > 0.1;
    for (uint32_t i = 0; i < run.readers; i++)
        queued += run.reader[i].queued_ns;
    return (double)queued / 1e9 > 0.1 * seconds;
}

/* Waits for a tenth of a second in which others did little. */
static void await_quiet(void)
{
    struct timespec nap = {0, 100000000};
    struct quiet q;

    do {
        quiet_begin(&q);
        nanosleep(&nap, NULL);
        wish.patience -= 0.1;
    } while (wish.patience > 0 && quiet_others(&q) > 0.2);
}

/* Once more, as long as others disturb and patience lasts. */
static void round_of(const struct contender *c, struct result *result)
{
    for (;;) {
        struct quiet q;

        if (wish.patience > 0)
            await_quiet();
        quiet_begin(&q);
        measure(c, result);
        bool again = noisy(&q);

        if (!again || wish.patience <= 0) {
            rounds++;
            disturbed += again;
            return;
        }
        repeated++;
        wish.patience -= wish.seconds;
    }
}

/* All contenders in turn, `rounds` times; the median of each by reads, its
 * attempts and waits over all rounds. */
static void cell(struct result median[])
{
    static struct result all[CONTENDERS_MAX][ROUNDS_MAX];

    for (uint32_t k = 0; k < wish.rounds; k++)
        for (size_t c = 0; c < contenders_count; c++)
            round_of(&contenders[c], &all[c][k]);
    for (size_t c = 0; c < contenders_count; c++) {
        struct result *m = &median[c];

        qsort(all[c], wish.rounds, sizeof all[c][0], by_reads);
        *m = all[c][wish.rounds / 2];
        for (uint32_t k = 0; k < wish.rounds; k++) {
            const struct result *one = &all[c][k];

            if (k != wish.rounds / 2) {
                m->beyond += one->beyond;
                m->explained += one->explained;
                for (int b = 0; b < BUCKETS; b++)
                    m->counts[b] += one->counts[b];
            }
            m->max = one->max > m->max ? one->max : m->max;
            m->p999 = one->p999 > m->p999 ? one->p999 : m->p999;
            if (one->longest_ns > m->longest_ns)
                m->longest_ns = one->longest_ns;
            if (one->writer_longest_ns > m->writer_longest_ns)
                m->writer_longest_ns = one->writer_longest_ns;
        }
    }
}

static const size_t sizes[] = {8, 64, 512, 4096};
static const char *const writers[] = {"idle", "every ms", "flat out"};

/* 1, as many as cores, twice as many. */
static uint32_t readers_of(int k)
{
    return k == 0 ? 1 : (uint32_t)k * cores();
}

/* Sets up a cell of a table; false if nobody wishes to see it. */
static bool wished(uint32_t w, int k, int s)
{
    run.writer = w;
    run.readers = readers_of(k);
    run.size = sizes[s];
    return (wish.writer > WRITER_FLAT || wish.writer == w) &&
           (wish.readers == 0 || wish.readers == run.readers);
}

static const struct result *of(const struct result *result, const char *name)
{
    for (size_t c = 0; c < contenders_count; c++)
        if (strcmp(contenders[c].name, name) == 0)
            return &result[c];
    return result;
}

static void throughput_row(const struct result *result, size_t c)
{
    const struct result *mine = &result[c];
    const struct result *ck = of(result, "ck_sequence, memcpy");
    const struct result *lock = of(result, "pthread_rwlock");

    printf("| %s | %u | %zu | %s | %.3f | %.1f | %.1f | %.2f | %.2f | %.2f | "
           "%.2f |\n",
           writers[run.writer], (unsigned)run.readers, run.size,
           contenders[c].name, mine->reads / 1e6, mine->cpu_ns,
           mine->writes / 1e3, mine->reads / ck->reads,
           ck->cpu_ns / mine->cpu_ns, mine->reads / lock->reads,
           lock->cpu_ns / mine->cpu_ns);
}

static void throughput(void)
{
    struct result result[CONTENDERS_MAX];

    printf("## Throughput\n\nMillions of reads per second of all readers; ns "
           "of CPU per read; thousands of writes\nper second; reads per second "
           "as a multiple of ck_sequence's (with memcpy) and\n"
           "of pthread_rwlock's, and the same of reads per second of CPU.\n\n"
           "| writer | readers | bytes | contender | Mreads/s | ns CPU | "
           "kwrites/s | x ck | by CPU | x rwlock | by CPU |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n");
    run.timed = false;
    for (uint32_t w = 0; w < 3; w++)
        for (int k = 0; k < 3; k++)
            for (int s = 0; s < 4; s++) {
                if (!wished(w, k, s))
                    continue;
                cell(result);
                for (size_t c = 0; c < contenders_count; c++)
                    throughput_row(result, c);
                fflush(stdout);
            }
}

/* Keeps what the picture shows. */
static void keep(struct curve *curves, const struct result *result)
{
    for (size_t c = 0; c < contenders_count; c++) {
        curves[c].name = contenders[c].name;
        memcpy(curves[c].counts, result[c].counts, sizeof result[c].counts);
    }
}

static void waits(void)
{
    static struct curve curves[CONTENDERS_MAX];
    struct result result[CONTENDERS_MAX];

    printf("\n## Attempts and waits\n\nA clock around every read and write.  "
           "Longest waits are in microseconds.  `bound` is\n"
           "ceil(W/(R gamma)) + 2 of the last calibration, `beyond` the reads "
           "with more\nattempts, `long write` those of them that met a write "
           "longer than a slow read.\n\n"
           "| writer | readers | bytes | contender | reads/s | writes/s | "
           "attempts | p99.9 | max | bound | beyond | long write | reader "
           "waited | writer waited |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    run.timed = true;
    for (uint32_t w = 1; w < 3; w++)
        for (int k = 0; k < 3; k++)
            for (int s = 1; s < 4; s++) {
                if (!wished(w, k, s))
                    continue;
                cell(result);
                uint64_t bound = rw_attempts_max(&fulcrum_pace);

                for (size_t c = 0; c < contenders_count; c++)
                    printf("| %s | %u | %zu | %s | %.0f | %.0f | %.3f | %llu | "
                           "%llu | %s%.0d | %llu | %llu | %.1f | %.1f |\n",
                           writers[w], (unsigned)run.readers, run.size,
                           contenders[c].name, result[c].reads,
                           result[c].writes, result[c].attempts,
                           (unsigned long long)result[c].p999,
                           (unsigned long long)result[c].max, c ? "-" : "",
                           c ? 0 : (int)bound,
                           (unsigned long long)result[c].beyond,
                           (unsigned long long)result[c].explained,
                           (double)result[c].longest_ns / 1e3,
                           (double)result[c].writer_longest_ns / 1e3);
                fflush(stdout);
                if (w == WRITER_FLAT && k == 0 && run.size == 512) {
                    run.bound = bound;
                    keep(curves, result);
                    if (wish.svg && !svg_attempts(wish.svg, curves, 4, &run))
                        refused(wish.svg);
                }
            }
}

static void paces(void)
{
    printf(
        "## Pace\n\n| bytes | fastest read, ns | slow read, ns | slowest, ns "
        "| gamma | pause, ns | attempts at most |\n"
        "|---|---|---|---|---|---|---|\n");
    for (int s = 0; s < 4; s++) {
        contenders[0].setup(sizes[s]);
        printf("| %zu | %.2f | %.0f | %.0f | 1/%.0f | %llu | %llu |\n",
               sizes[s], fulcrum_pace.read_ns,
               fulcrum_pace.read_ns / fulcrum_pace.gamma,
               fulcrum_pace.slowest_ns, 1 / fulcrum_pace.gamma,
               (unsigned long long)rw_pause_ns(&fulcrum_pace),
               (unsigned long long)rw_attempts_max(&fulcrum_pace));
    }
    printf("\n");
}

static void usage(void)
{
    fprintf(stderr,
            "usage: bench-rw [--seconds S] [--rounds 1..%d] [--svg FILE]\n"
            "    [--writer idle|ms|flat] [--readers N] [--waits-only]\n"
            "    [--patience S, to spend on rounds that others disturb]\n",
            ROUNDS_MAX);
    exit(2);
}

static uint32_t writer_of(const char *name)
{
    static const char *const names[] = {"idle", "ms", "flat"};
    uint32_t w = 0;

    while (w < 3 && strcmp(names[w], name) != 0)
        w++;
    if (w == 3)
        usage();
    return w;
}

static void options_read(int argc, char **argv)
{
    static const struct option known[] = {
        {"seconds", 1, 0, 's'},  {"rounds", 1, 0, 'r'},
        {"svg", 1, 0, 'g'},      {"waits-only", 0, 0, 'w'},
        {"patience", 1, 0, 'p'}, {"writer", 1, 0, 'f'},
        {"readers", 1, 0, 'n'},  {0, 0, 0, 0}};

    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == 's')
            wish.seconds = strtod(optarg, NULL);
        else if (c == 'r')
            wish.rounds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (c == 'g')
            wish.svg = optarg;
        else if (c == 'w')
            wish.waits_only = true;
        else if (c == 'n')
            wish.readers = (uint32_t)strtoul(optarg, NULL, 10);
        else if (c == 'f')
            wish.writer = writer_of(optarg);
        else if (c == 'p')
            wish.patience = strtod(optarg, NULL);
        else
            usage();
    }
    if (wish.rounds < 1 || wish.rounds > ROUNDS_MAX || wish.seconds < 0.001 ||
        wish.seconds > 60 || optind != argc)
        usage();
}

int main(int argc, char **argv)
{
    struct rusage used;
    double cpu;

    options_read(argc, argv);
    for (uint32_t i = 0; i <= READERS_MAX; i++) {
        struct seat *seat = i < READERS_MAX ? &run.reader[i] : &run.writing;

        seat->log = calloc(LOG_MAX, sizeof *seat->log);
        if (!seat->log)
            refused("memory");
    }
    printf("%u cores, %u rounds of %.3f s\n\n", (unsigned)cores(),
           (unsigned)wish.rounds, wish.seconds);
    paces();
    fflush(stdout);
    if (!wish.waits_only)
        throughput();
    waits();
    getrusage(RUSAGE_SELF, &used);
    cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
          (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    printf("\n%llu rounds, %llu of them disturbed by others, %llu more "
           "measured again for it;\n%.0f s of CPU, %ld preemptions\n",
           (unsigned long long)rounds, (unsigned long long)disturbed,
           (unsigned long long)repeated, cpu, used.ru_nivcsw);
    return 0;
}
