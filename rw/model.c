/*
 * model.c - every outcome that the memory model of C11 allows the register,
 * on whatever machine this runs.
 *
 * The code under test is rw_publish() and rw_try() as shipped; only their
 * loads, stores and fences come here.  The model is the usual one with views:
 * a store adds a message to the history of its cell, and a message carries
 * what its reader learns by acquiring it; a load may return any message that
 * is not older than what its thread knows of the cell.  The writer reads
 * nothing that readers write.  So it can run first and as a whole: whatever a
 * reader may see at some moment, it may choose among the messages then.
 * Choices are tried one after another by running the reader again.
 *
 * Not in the model: loads that return stores of their own future, which the
 * register could not notice, since readers store nothing.
 *
 *     model [WORDS WRITES READS]     exit 1 if anything is wrong
 *
 * tests/command/rw.sh compiles it with the header damaged in many ways, and
 * each time something must be wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum order { ORDER_relaxed, ORDER_acquire, ORDER_release, ORDER_seq_cst };

static uint64_t model_load(const volatile void *cell, enum order order);
static void model_store(volatile void *cell, uint64_t value, enum order order);
/* Not called where words carry the order themselves. */
__attribute__((unused)) static void model_fence(enum order order);

#define RW_WORDS_ONLY
#define RW_LOAD(cell, order)         model_load((cell), ORDER_##order)
#define RW_STORE(cell, value, order) model_store((cell), (value), ORDER_##order)
#define RW_FENCE(order)              model_fence(ORDER_##order)
#include "rw/fulcrum_rw.h"

enum { WORDS_MAX = 4, CELLS = WORDS_MAX + 2, MESSAGES = 16, CHOICES = 64 };

/* What a thread knows: of each cell, no message before this one. */
struct view {
    uint32_t at[CELLS];
};

struct message {
    uint64_t value;
    struct view view; /* what a thread that acquires it knows then */
};

struct thread {
    struct view now;
    struct view acquired; /* what an acquire fence would add */
    struct view released; /* as of the last release fence */
};

static struct {
    struct rw_head head;
    rw_cell words[WORDS_MAX];
} memory;

static struct message history[CELLS][MESSAGES];
static uint32_t messages[CELLS];
static struct thread *running;

/* The choices of this run, the alternatives of each, and the next one. */
static uint32_t chosen[CHOICES], among[CHOICES], depth;

static uint32_t cell_of(const volatile void *cell)
{
    if (cell == &memory.head.v1)
        return WORDS_MAX;
    if (cell == &memory.head.v2)
        return WORDS_MAX + 1;
    return (uint32_t)((const volatile rw_cell *)cell - memory.words);
}

static void join(struct view *v, const struct view *other)
{
    for (uint32_t i = 0; i < CELLS; i++)
        if (v->at[i] < other->at[i])
            v->at[i] = other->at[i];
}

static uint32_t choose(uint32_t count)
{
    if (depth == CHOICES)
        abort();
    among[depth] = count;
    return chosen[depth++];
}

static uint64_t model_load(const volatile void *cell, enum order order)
{
    uint32_t c = cell_of(cell);
    uint32_t oldest = running->now.at[c];
    uint32_t taken = oldest + choose(messages[c] - oldest);
    const struct message *m = &history[c][taken];

    running->now.at[c] = taken;
    join(&running->acquired, &m->view);
    if (order == ORDER_acquire)
        join(&running->now, &m->view);
    return m->value;
}

static void model_store(volatile void *cell, uint64_t value, enum order order)
{
    uint32_t c = cell_of(cell);
    struct message *m = &history[c][messages[c]];

    if (messages[c] == MESSAGES)
        abort();
    running->now.at[c] = messages[c]++;
    m->value = value;
    m->view = order == ORDER_release ? running->now : running->released;
    m->view.at[c] = running->now.at[c];
}

static void model_fence(enum order order)
{
    if (order == ORDER_acquire || order == ORDER_seq_cst)
        join(&running->now, &running->acquired);
    if (order == ORDER_release || order == ORDER_seq_cst)
        running->released = running->now;
}

/* The next run in the order of choices; false after the last. */
static bool another(void)
{
    while (depth > 0 && chosen[depth - 1] + 1 == among[depth - 1])
        depth--;
    if (depth == 0)
        return false;
    chosen[depth - 1]++;
    for (uint32_t i = depth; i < CHOICES; i++)
        chosen[i] = 0;
    return true;
}

struct counts {
    uint64_t runs, accepted, refused, torn, stale, backwards;
    bool seen[MESSAGES]; /* some run accepted this value */
};

/* One reader, some reads in a row; value k is the word k everywhere. */
static void run_reader(const struct rw *r, uint32_t reads, struct counts *n)
{
    struct thread reader = {0};
    uint64_t value[WORDS_MAX] = {0};
    uint64_t last = 0;

    running = &reader;
    depth = 0;
    n->runs++;
    for (uint32_t k = 0; k < reads; k++) {
        /* What this reader knows to be complete before it begins. */
        uint64_t known = reader.now.at[WORDS_MAX + 1];

        if (!rw_try(r, value)) {
            n->refused++;
            continue;
        }
        n->accepted++;
        for (uint32_t i = 1; i < r->size / 8; i++)
            if (value[i] != value[0]) {
                n->torn++;
                break;
            }
        n->stale += value[0] < known;
        n->backwards += value[0] < last;
        last = value[0];
        if (value[0] < MESSAGES)
            n->seen[value[0]] = true;
    }
    running = NULL;
}

static uint32_t argument(int argc, char **argv, int i, uint32_t otherwise,
                         uint32_t max)
{
    unsigned long n = argc > i ? strtoul(argv[i], NULL, 10) : otherwise;

    if (n < 1 || n > max) {
        fprintf(stderr, "model: argument %d is 1 to %u\n", i, (unsigned)max);
        exit(2);
    }
    return (uint32_t)n;
}

int main(int argc, char **argv)
{
    uint32_t words = argument(argc, argv, 1, 3, WORDS_MAX);
    uint32_t writes = argument(argc, argv, 2, 3, MESSAGES - 1);
    uint32_t reads = argument(argc, argv, 3, 2, 4);
    struct rw r = {
        .head = &memory.head, .words = memory.words, .size = 8 * (size_t)words};
    struct thread writer = {0};
    struct counts n = {0};
    uint32_t missed = 0;

    for (uint32_t c = 0; c < CELLS; c++)
        messages[c] = 1; /* everything begins with 0, known to all */
    running = &writer;
    for (uint64_t k = 1; k <= writes; k++) {
        uint64_t value[WORDS_MAX] = {k, k, k, k};

        rw_publish(&r, k, value);
    }
    do
        run_reader(&r, reads, &n);
    while (another());
    /* A register that accepts nothing would be consistent, too. */
    for (uint32_t k = 0; k <= writes; k++)
        missed += !n.seen[k];
    printf("runs=%llu accepted=%llu refused=%llu torn=%llu stale=%llu "
           "backwards=%llu missed=%u\n",
           (unsigned long long)n.runs, (unsigned long long)n.accepted,
           (unsigned long long)n.refused, (unsigned long long)n.torn,
           (unsigned long long)n.stale, (unsigned long long)n.backwards,
           (unsigned)missed);
    return n.torn || n.stale || n.backwards || missed;
}
