/*
 * validate.c - no reader of the register ever sees half a value, an old one, or
 * nothing for ever: one writer and many readers, threads or processes,
 * disturbed wherever that may hurt.
 *
 * Every value is made of its number, and its words differ from those of any
 * other in every place.  Compiled with -DCHAOS, the register yields or dawdles
 * between any two of its statements; with --signals, signals come in between
 * any two instructions.  With --kills the writer is killed in a loop.
 *
 * Exit: 0 all consistent, 1 not, 2 used wrongly, 3 the system refused.
 */
#include "rw/validate.h"

#include <assert.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

static void die(const char *what)
{
    perror(what);
    exit(3);
}

static void add(rw_cell *cell, uint64_t n)
{
    atomic_fetch_add_explicit(cell, n, memory_order_relaxed);
}

#ifdef CHAOS
/* Each thread has its own dice, seeded by where they are. */
void chaos_point(int place)
{
    static _Thread_local uint64_t dice;
    uint64_t x;

    if (dice == 0)
        dice = (uint64_t)(uintptr_t)&dice ^ rw_now_ns();
    x = draw(&dice) + (uint64_t)place;
    if (x % 32 == 0)
        sched_yield();
    else if (x % 1024 == 1)
        rw_wait_until(rw_now_ns() + (x >> 32) % 20000);
}
#endif

/* ---- Readers ------------------------------------------------------------- */

void reader_run(const struct plan *plan, struct stage *stage, uint32_t i)
{
    struct tally *t = &stage->tally[i];
    struct rw r;
    struct value v = {{0}};
    uint64_t last = 0, dice = plan->seed + i;

    if (rw_attach(&r, stage->memory, sizeof stage->memory, plan->size) != RW_OK)
        abort();
    for (uint64_t k = 0; k < plan->reads && !atomic_load(&stage->stop); k++) {
        uint64_t known = rw_version(&r);
        /* Now and then a short one: giving up must be possible, too.  Not where
         * a writer dies: there no reader may wait in vain. */
        uint64_t patience = plan->kills || draw(&dice) % 2 ? 5000 : 20;
        int64_t n = rw_read_until(&r, &v, rw_now_ns() + patience * 1000000);

        if (n == RW_DEAD || n == RW_TIMEOUT) {
            add(n == RW_DEAD ? &t->dead : &t->late, 1);
            continue;
        }
        add(&t->reads, 1);
        add(&t->attempts, (uint64_t)n);
        if ((uint64_t)n > atomic_load(&t->attempts_max))
            atomic_store(&t->attempts_max, (uint64_t)n);
        add(&t->torn, !value_whole(&v, plan->size));
        add(&t->stale, v.word[0] < known);
        add(&t->backwards, v.word[0] < last);
        last = v.word[0];
    }
    add(&stage->done, 1);
}

/* ---- One writer that lives ----------------------------------------------- */

static void writer_run(const struct plan *plan, struct stage *stage)
{
    struct rw r;
    struct rw_writer w, second;
    struct value v;

    if (rw_attach(&r, stage->memory, sizeof stage->memory, plan->size) !=
            RW_OK ||
        rw_open(&w, &r) != RW_OK)
        abort();
    if (rw_open(&second, &r) == RW_BUSY)
        add(&stage->refused, 1);
    while (!atomic_load(&stage->stop)) {
        value_make(&v, w.count + 1, plan->size);
        if (rw_write(&w, &v) != RW_OK)
            abort();
        add(&stage->writes, 1);
        if (plan->paced)
            rw_wait_until(rw_now_ns() + 10000);
    }
    rw_close(&w);
}

struct part {
    const struct plan *plan;
    struct stage *stage;
    pthread_t thread;
    pid_t pid;
    uint32_t number; /* the readers, then the writer */
};

static void *part_run(void *argument)
{
    const struct part *part = argument;

    if (part->number < part->plan->readers)
        reader_run(part->plan, part->stage, part->number);
    else
        writer_run(part->plan, part->stage);
    return NULL;
}

static void on_signal(int number)
{
    if (number == SIGUSR1)
        sched_yield();
}

static void part_start(struct part *part)
{
    if (!part->plan->processes) {
        if (pthread_create(&part->thread, NULL, part_run, part))
            die("pthread_create");
        return;
    }
    part->pid = fork();
    if (part->pid < 0)
        die("fork");
    if (part->pid == 0) {
        part_run(part);
        _exit(0);
    }
}

static bool part_join(struct part *part)
{
    int status = 0;

    if (!part->plan->processes)
        return pthread_join(part->thread, NULL) == 0;
    return waitpid(part->pid, &status, 0) == part->pid && status == 0;
}

/* Whether a read was torn.  Nothing worse can come: the run ends. */
static bool any_torn(const struct plan *plan, const struct stage *stage)
{
    for (uint32_t i = 0; i < plan->readers; i++)
        if (atomic_load(&stage->tally[i].torn))
            return true;
    return false;
}

/* Whether every reader has read something.  On a busy machine this takes longer
 * than a short run is meant to; one without reads shows nothing. */
static bool all_have_read(const struct plan *plan, const struct stage *stage)
{
    for (uint32_t i = 0; i < plan->readers; i++)
        if (!atomic_load(&stage->tally[i].reads))
            return false;
    return true;
}

static bool live_run(const struct plan *plan, struct stage *stage)
{
    struct part part[READERS_MAX + 1];
    uint32_t parts = plan->readers + 1;
    const uint64_t patience = UINT64_C(30000000000);
    uint64_t end = rw_now_ns() + (uint64_t)(plan->seconds * 1e9);
    uint64_t dice = plan->seed;
    bool well = true;

    assert(plan->readers <= READERS_MAX);
    for (uint32_t i = parts; i-- > 0;) {
        part[i] = (struct part){.plan = plan, .stage = stage, .number = i};
        part_start(&part[i]);
    }
    while (atomic_load(&stage->done) < plan->readers &&
           !any_torn(plan, stage) &&
           (rw_now_ns() < end ||
            (!all_have_read(plan, stage) && rw_now_ns() < end + patience))) {
        struct timespec nap = {0, plan->signals ? 20000 : 1000000};
        struct part *victim = &part[draw(&dice) % parts];

        if (plan->signals && plan->processes)
            kill(victim->pid, SIGUSR1);
        else if (plan->signals)
            pthread_kill(victim->thread, SIGUSR1);
        nanosleep(&nap, NULL);
    }
    atomic_store(&stage->stop, 1);
    for (uint32_t i = 0; i < parts; i++)
        well = part_join(&part[i]) && well;
    return well;
}

/* ---- The whole ----------------------------------------------------------- */

static bool report(const struct plan *plan, const struct stage *stage)
{
    static const char *const scheme[] = {"writer", "paper", "none"};
    uint64_t sum[8] = {0};

    for (uint32_t i = 0; i < plan->readers; i++) {
        const struct tally *t = &stage->tally[i];
        const rw_cell *cell[] = {&t->reads,    &t->attempts, &t->dead,
                                 &t->late,     &t->torn,     &t->stale,
                                 &t->backwards};

        for (int k = 0; k < 7; k++)
            sum[k] += atomic_load(cell[k]);
        if (atomic_load(&t->attempts_max) > sum[7])
            sum[7] = atomic_load(&t->attempts_max);
    }
    printf("%s size=%zu scheme=%s readers=%u reads=%llu writes=%llu "
           "attempts=%.3f max=%llu dead=%llu late=%llu torn=%llu stale=%llu "
           "backwards=%llu\n",
           plan->processes || plan->kills ? "processes" : "threads", plan->size,
           scheme[plan->scheme], (unsigned)plan->readers,
           (unsigned long long)sum[0],
           (unsigned long long)atomic_load(&stage->writes),
           sum[0] ? (double)sum[1] / (double)sum[0] : 0,
           (unsigned long long)sum[7], (unsigned long long)sum[2],
           (unsigned long long)sum[3], (unsigned long long)sum[4],
           (unsigned long long)sum[5], (unsigned long long)sum[6]);
    if (sum[0] == 0)
        printf("nothing was read\n");
    /* A writer that nobody killed is not dead. */
    return sum[0] > 0 && sum[4] + sum[5] + sum[6] == 0 &&
           (plan->kills > 0 ? sum[3] == 0
                            : sum[2] == 0 && atomic_load(&stage->refused) == 1);
}

static bool run(const struct plan *plan)
{
    struct stage *stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rw_options options = {.scheme = plan->scheme};
    struct rw r;
    bool well;

    if (stage == MAP_FAILED)
        die("mmap");
    if (rw_init(&r, stage->memory, sizeof stage->memory, plan->size,
                &options) != RW_OK)
        abort();
    well = plan->kills ? kills_run(plan, stage) : live_run(plan, stage);
    well = report(plan, stage) && well;
    munmap(stage, sizeof *stage);
    return well;
}

static void usage(void)
{
    fprintf(stderr,
            "usage: validate [--processes] [--signals] [--paced] [--size B]\n"
            "    [--scheme writer|paper|none] [--readers N] [--reads N]\n"
            "    [--seconds S] [--kills N] [--seed S]\n"
            "--size may be repeated; --reads is for each reader and size\n");
    exit(2);
}

static double number(const char *text, double least, double most)
{
    char *end;
    double x = strtod(text, &end);

    if (*end || !(x >= least && x <= most))
        usage();
    return x;
}

static enum rw_scheme scheme_of(const char *name)
{
    if (strcmp(name, "writer") == 0)
        return RW_WRITER;
    if (strcmp(name, "paper") == 0)
        return RW_PAPER;
    if (strcmp(name, "none") != 0)
        usage();
    return RW_NONE;
}

enum { SIZES_MAX = 16 };

/* Returns the number of sizes that were asked for. */
static int options_read(int argc, char **argv, struct plan *plan, size_t *sizes)
{
    static const struct option known[] = {{"processes", 0, 0, 'p'},
                                          {"signals", 0, 0, 'g'},
                                          {"paced", 0, 0, 'c'},
                                          {"size", 1, 0, 'b'},
                                          {"scheme", 1, 0, 's'},
                                          {"readers", 1, 0, 'r'},
                                          {"reads", 1, 0, 'n'},
                                          {"seconds", 1, 0, 't'},
                                          {"kills", 1, 0, 'k'},
                                          {"seed", 1, 0, 'e'},
                                          {0, 0, 0, 0}};
    int count = 0;

    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == 'p')
            plan->processes = true;
        else if (c == 'g')
            plan->signals = true;
        else if (c == 'c')
            plan->paced = true;
        else if (c == 'b' && count < SIZES_MAX)
            sizes[count++] = (size_t)number(optarg, 8, VALUE_MAX);
        else if (c == 's')
            plan->scheme = scheme_of(optarg);
        else if (c == 'r')
            plan->readers = (uint32_t)number(optarg, 1, READERS_MAX);
        else if (c == 'n')
            plan->reads = (uint64_t)number(optarg, 1, 1e15);
        else if (c == 't')
            plan->seconds = number(optarg, 0.001, 1e6);
        else if (c == 'k')
            plan->kills = (uint32_t)number(optarg, 1, 1e6);
        else if (c == 'e')
            plan->seed = (uint64_t)number(optarg, 0, 1e15);
        else
            usage();
    }
    return optind == argc ? count : (usage(), 0);
}

int main(int argc, char **argv)
{
    struct plan plan = {.readers = 3, .reads = 100000, .seconds = 1e6};
    size_t sizes[SIZES_MAX] = {64};
    int count = options_read(argc, argv, &plan, sizes);
    struct sigaction action;
    bool well = true;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGUSR1, &action, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < (count ? count : 1); i++) {
        plan.size = sizes[i];
        well = run(&plan) && well;
    }
    return well ? 0 : 1;
}
