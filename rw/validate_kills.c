/*
 * validate_kills.c - the writer is killed in a loop, often in the middle of a
 * write.  Readers get a consistent value or RW_DEAD, and the next writer
 * repairs.
 *
 * Every other victim stays a zombie until its heir has opened the register: its
 * pid is then still taken, and kill(pid, 0) finds it.
 */
#include "rw/validate.h"

#include <stdlib.h>
#include <sys/wait.h>

/* A writer that will be killed.  Waits before its first write until the judge
 * has seen what readers are told meanwhile. */
static void doomed(const struct plan *plan, struct stage *stage,
                   uint64_t number)
{
    struct rw r;
    struct rw_writer w;
    struct value v;

    if (rw_attach(&r, stage->memory, sizeof stage->memory, plan->size) !=
            RW_OK ||
        rw_open(&w, &r) != RW_OK)
        _exit(1);
    atomic_fetch_add(&stage->took_over, w.took_over);
    atomic_fetch_add(&stage->repairs, w.torn);
    atomic_store(&stage->opened, number);
    while (atomic_load(&stage->go) < number)
        sched_yield();
    for (;;) {
        value_make(&v, w.count + 1, plan->size);
        if (rw_write(&w, &v) != RW_OK)
            _exit(1);
        atomic_fetch_add_explicit(&stage->writes, 1, memory_order_relaxed);
    }
}

/* Waits for the heir to open; false if it could not. */
static bool opened(const struct stage *stage, uint64_t number, pid_t pid)
{
    uint64_t end = rw_now_ns() + UINT64_C(10000000000);

    while (atomic_load(&stage->opened) < number) {
        int status;

        if (rw_now_ns() > end || waitpid(pid, &status, WNOHANG) == pid)
            return false;
        sched_yield();
    }
    return true;
}

/* With nobody writing: a value that is whole, or RW_DEAD if it is torn. */
static bool judged(const struct plan *plan, const struct rw *r, bool torn,
                   const char *when, uint32_t kill)
{
    struct value v = {{0}};
    int64_t n = rw_read_until(r, &v, rw_now_ns() + UINT64_C(5000000000));

    if (torn ? n == RW_DEAD : n > 0 && value_whole(&v, plan->size))
        return true;
    printf("kill %u, %s, %s: a reader was told %lld, %s\n", (unsigned)kill,
           when, torn ? "in a write" : "between writes", (long long)n,
           rw_strerror(n));
    return false;
}

static bool kill_once(const struct plan *plan, struct stage *stage,
                      const struct rw *r, uint32_t number, uint64_t *dice,
                      pid_t *zombie, bool *torn)
{
    pid_t pid = fork();
    bool well;

    if (pid == 0)
        doomed(plan, stage, number);
    if (pid < 0 || !opened(stage, number, pid)) {
        printf("kill %u: the next writer was not let in\n", (unsigned)number);
        return false;
    }
    if (*zombie)
        waitpid(*zombie, NULL, 0);
    well = judged(plan, r, *torn, "opened again", number);
    atomic_store(&stage->go, number);
    rw_wait_until(rw_now_ns() + draw(dice) % 1000000);
    kill(pid, SIGKILL);
    *zombie = pid;
    if (number % 2) {
        waitpid(pid, NULL, 0);
        *zombie = 0;
    } else {
        siginfo_t info;

        waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    }
    *torn = atomic_load(&r->head->v1) != atomic_load(&r->head->v2);
    return judged(plan, r, *torn, "killed", number) && well;
}

bool kills_run(const struct plan *plan, struct stage *stage)
{
    struct plan endless = *plan;
    pid_t readers[READERS_MAX], zombie = 0;
    uint64_t dice = plan->seed;
    uint32_t in_a_write = 0;
    bool well = true, torn = false;
    struct rw r;

    endless.reads = UINT64_MAX;
    if (rw_attach(&r, stage->memory, sizeof stage->memory, plan->size) != RW_OK)
        abort();
    for (uint32_t i = 0; i < plan->readers; i++) {
        readers[i] = fork();
        if (readers[i] == 0) {
            reader_run(&endless, stage, i);
            _exit(0);
        }
    }
    for (uint32_t k = 1; k <= plan->kills && well; k++) {
        well = kill_once(plan, stage, &r, k, &dice, &zombie, &torn);
        in_a_write += torn;
    }
    atomic_store(&stage->stop, 1);
    if (zombie)
        waitpid(zombie, NULL, 0);
    for (uint32_t i = 0; i < plan->readers; i++) {
        int status = 0;

        if (readers[i] < 0 || waitpid(readers[i], &status, 0) < 0 || status)
            well = false;
    }
    printf("kills=%u in-a-write=%u took-over=%llu repairs=%llu\n",
           (unsigned)plan->kills, (unsigned)in_a_write,
           (unsigned long long)atomic_load(&stage->took_over),
           (unsigned long long)atomic_load(&stage->repairs));
    /* All but the first found a dead writer, and each tear but perhaps the
     * last was repaired. */
    return well && atomic_load(&stage->took_over) == plan->kills - 1 &&
           atomic_load(&stage->repairs) == in_a_write - torn;
}
