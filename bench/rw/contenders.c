/*
 * contenders.c - the register in its three schemes, and what it is measured
 * against: ConcurrencyKit's sequence lock, liburcu, pthread locks.
 *
 * Each has its own loops, made by macros, so that everything is inlined as it
 * would be in a program: no call through a pointer stands between two reads.
 * When a run ends the writer stops first; then no reader can starve, and each
 * leaves its loop by itself.
 */
#include <ck_sequence.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>

#include "bench/rw/bench.h"

struct rw_pace fulcrum_pace;

/* ---- Notes --------------------------------------------------------------- */

static inline void note_attempts(struct seat *seat, uint64_t attempts)
{
    seat->done++;
    seat->attempts += attempts;
    seat->counts[bucket_of(attempts)]++;
    if (attempts > seat->attempts_max)
        seat->attempts_max = attempts;
}

static void note_timed(const struct run *run, struct seat *seat,
                       uint64_t attempts, uint64_t began)
{
    uint64_t ended = rw_now_ns();

    note_attempts(seat, attempts);
    if (ended - began > seat->longest_ns)
        seat->longest_ns = ended - began;
    if (run->bound && attempts > run->bound) {
        if (seat->beyond < LOG_MAX)
            seat->log[seat->beyond] = (struct span){began, ended, attempts};
        seat->beyond++;
    }
}

static void note_write(const struct run *run, struct seat *seat,
                       uint64_t called, uint64_t began)
{
    uint64_t ended = rw_now_ns();

    if (ended - called > seat->longest_ns)
        seat->longest_ns = ended - called;
    if (ended - began > run->slow_ns) {
        if (seat->slow < LOG_MAX)
            seat->log[seat->slow] = (struct span){began, ended, 0};
        seat->slow++;
    }
}

static bool stopped(struct run *run)
{
    return atomic_load_explicit(&run->stop, memory_order_relaxed) != 0;
}

/* Between two writes: nothing, a millisecond, or until the end. */
static void writer_rests(struct run *run, uint64_t *next)
{
    if (run->writer == WRITER_FLAT)
        return;
    *next += 1000000;
    do {
        struct timespec t = {(time_t)(*next / 1000000000),
                             (long)(*next % 1000000000)};

        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        if (run->writer == WRITER_IDLE)
            *next += 1000000;
    } while (run->writer == WRITER_IDLE && !stopped(run));
}

/* The value was used: the copy is not to be optimised away. */
#define USED(value) __asm__ volatile("" : : "r"(value) : "memory")

/* READ is an expression: the number of attempts for one value into `out`. */
#define READER(name, BEGIN, READ, END)                                         \
    static void name##_read(struct run *run, struct seat *seat)                \
    {                                                                          \
        struct value value, *out = &value;                                     \
        size_t size = run->size;                                               \
                                                                               \
        BEGIN;                                                                 \
        while (run->timed && !stopped(run)) {                                  \
            uint64_t began = rw_now_ns();                                      \
                                                                               \
            note_timed(run, seat, (READ), began);                              \
            USED(out);                                                         \
        }                                                                      \
        while (!run->timed && !stopped(run)) {                                 \
            for (int k = 0; k < 16; k++) {                                     \
                uint64_t attempts = (READ);                                    \
                                                                               \
                USED(out);                                                     \
                if (__builtin_expect(attempts == 1, 1))                        \
                    seat->counts[1]++;                                         \
                else                                                           \
                    note_attempts(seat, attempts);                             \
            }                                                                  \
        }                                                                      \
        if (!run->timed) {                                                     \
            seat->done += seat->counts[1];                                     \
            seat->attempts += seat->counts[1];                                 \
        }                                                                      \
        END;                                                                   \
        (void)size;                                                            \
    }

/* WAIT comes before a write, and is no part of it; WRITE publishes `in`.  A
 * clock would slow a writer down that goes flat out: only every EACH-th time
 * it is looked at, and EACH writes are timed. */
#define WRITER(name, EACH, BEGIN, WAIT, WRITE, END)                            \
    static void name##_write(struct run *run, struct seat *seat)               \
    {                                                                          \
        struct value in;                                                       \
        uint64_t next = rw_now_ns();                                           \
        size_t size = run->size;                                               \
        int each = run->writer == WRITER_FLAT ? (EACH) : 1;                    \
                                                                               \
        memset(&in, 0, sizeof in);                                             \
        BEGIN;                                                                 \
        while (!stopped(run)) {                                                \
            uint64_t called = run->timed ? rw_now_ns() : 0, began = called;    \
                                                                               \
            for (int k = 0; k < each; k++) {                                   \
                in.word[0]++;                                                  \
                WAIT;                                                          \
                began = run->timed && each == 1 ? rw_now_ns() : called;        \
                WRITE;                                                         \
            }                                                                  \
            seat->done += (uint64_t)each;                                      \
            if (run->timed)                                                    \
                note_write(run, seat, called, began);                          \
            writer_rests(run, &next);                                          \
        }                                                                      \
        END;                                                                   \
        (void)size;                                                            \
    }

/* ---- Fulcrum ------------------------------------------------------------- */

static struct {
    RW_ALIGN(64) char memory[sizeof(struct rw_head) + VALUE_MAX];
} shared;
static struct rw r;
static struct rw_writer w;

/* The calmest of five, and the same in every round: one pace, one bound. */
static const struct rw_pace *pace_of(size_t size)
{
    static struct {
        size_t size;
        struct rw_pace pace;
    } known[8];
    int i = 0;

    while (known[i].size != 0 && known[i].size != size)
        i++;
    for (int k = 0; known[i].size != size && k < 5; k++) {
        struct rw_pace pace;

        rw_calibrate(&r, RW_SAMPLES, &pace);
        if (k == 0 || rw_pause_ns(&pace) < rw_pause_ns(&known[i].pace))
            known[i].pace = pace;
    }
    known[i].size = size;
    return &known[i].pace;
}

static void fulcrum_setup(size_t size, enum rw_scheme scheme)
{
    struct rw_options options = {.scheme = scheme, .pace = {1, 1, 0}};

    rw_close(&w);
    if (rw_init(&r, &shared, sizeof shared, size, &options) != RW_OK)
        abort();
    options.pace = fulcrum_pace = *pace_of(size);
    if (rw_init(&r, &shared, sizeof shared, size, &options) != RW_OK ||
        rw_open(&w, &r) != RW_OK)
        abort();
}

static void writer_setup(size_t size)
{
    fulcrum_setup(size, RW_WRITER);
}

static void paper_setup(size_t size)
{
    fulcrum_setup(size, RW_PAPER);
}

static void none_setup(size_t size)
{
    fulcrum_setup(size, RW_NONE);
}

READER(fulcrum, , (uint64_t)rw_read(&r, out), )
WRITER(fulcrum, 1, , , rw_write(&w, &in), )
WRITER(hasty, 64, , , rw_write(&w, &in), )
/* The pause apart, so that the write is timed alone. */
WRITER(pausing, 1, , rw_wait_until(w.ended_ns + w.pause_ns),
       rw_write(&w, &in), )

/* ---- ConcurrencyKit ------------------------------------------------------ */

static struct {
    RW_ALIGN(64) ck_sequence_t sequence;
    RW_ALIGN(32) uint64_t word[VALUE_MAX / 8];
} ck;

static void ck_setup(size_t size)
{
    (void)size;
    memset(&ck, 0, sizeof ck);
}

static inline uint64_t ck_read_one(struct value *out, size_t size)
{
    uint64_t attempts = 0;
    unsigned int version;

    do {
        attempts++;
        version = ck_sequence_read_begin(&ck.sequence);
        memcpy(out, ck.word, size);
    } while (ck_sequence_read_retry(&ck.sequence, version));
    return attempts;
}

static inline uint64_t ck_read_words(struct value *out, size_t size)
{
    uint64_t attempts = 0;
    unsigned int version;

    do {
        attempts++;
        version = ck_sequence_read_begin(&ck.sequence);
        for (size_t i = 0; i < size / 8; i++)
            out->word[i] = ck_pr_load_64(&ck.word[i]);
    } while (ck_sequence_read_retry(&ck.sequence, version));
    return attempts;
}

static inline void ck_write_one(const struct value *in, size_t size)
{
    ck_sequence_write_begin(&ck.sequence);
    memcpy(ck.word, in, size);
    ck_sequence_write_end(&ck.sequence);
}

static inline void ck_write_words(const struct value *in, size_t size)
{
    ck_sequence_write_begin(&ck.sequence);
    for (size_t i = 0; i < size / 8; i++)
        ck_pr_store_64(&ck.word[i], in->word[i]);
    ck_sequence_write_end(&ck.sequence);
}

READER(ck_memcpy, , ck_read_one(out, size), )
WRITER(ck_memcpy, 64, , , ck_write_one(&in, size), )
READER(ck_words, , ck_read_words(out, size), )
WRITER(ck_words, 64, , , ck_write_words(&in, size), )

/* ---- Locks --------------------------------------------------------------- */

static struct {
    RW_ALIGN(64) pthread_rwlock_t rwlock;
    RW_ALIGN(64) pthread_mutex_t mutex;
    struct value value;
} locked = {.rwlock = PTHREAD_RWLOCK_INITIALIZER,
            .mutex = PTHREAD_MUTEX_INITIALIZER};

static void lock_setup(size_t size)
{
    (void)size;
}

READER(rwlock, ,
       (pthread_rwlock_rdlock(&locked.rwlock), memcpy(out, &locked.value, size),
        pthread_rwlock_unlock(&locked.rwlock), UINT64_C(1)), )
WRITER(rwlock, 64, , ,
       (pthread_rwlock_wrlock(&locked.rwlock), memcpy(&locked.value, &in, size),
        pthread_rwlock_unlock(&locked.rwlock)), )
READER(mutex, ,
       (pthread_mutex_lock(&locked.mutex), memcpy(out, &locked.value, size),
        pthread_mutex_unlock(&locked.mutex), UINT64_C(1)), )
WRITER(mutex, 64, , ,
       (pthread_mutex_lock(&locked.mutex), memcpy(&locked.value, &in, size),
        pthread_mutex_unlock(&locked.mutex)), )

/* ---- liburcu ------------------------------------------------------------- */

static struct value versions[2];
static struct value *current = &versions[0];

static inline uint64_t urcu_read_one(struct value *out, size_t size)
{
    rcu_read_lock();
    memcpy(out, rcu_dereference(current), size);
    rcu_read_unlock();
    return 1;
}

/* Two versions: before one is written again, all that may read it are done. */
static inline void urcu_write_one(const struct value *in, size_t size)
{
    struct value *fresh = current == &versions[0] ? &versions[1] : &versions[0];

    memcpy(fresh, in, size);
    rcu_assign_pointer(current, fresh);
    synchronize_rcu();
}

READER(urcu, rcu_register_thread(), urcu_read_one(out, size),
       rcu_unregister_thread())
WRITER(urcu, 1, rcu_register_thread(), , urcu_write_one(&in, size),
       rcu_unregister_thread())

/* ---- The table ----------------------------------------------------------- */

const struct contender contenders[] = {
    {"fulcrum writer", writer_setup, fulcrum_read, pausing_write},
    {"fulcrum paper", paper_setup, fulcrum_read, fulcrum_write},
    {"fulcrum none", none_setup, fulcrum_read, hasty_write},
    {"ck_sequence, memcpy", ck_setup, ck_memcpy_read, ck_memcpy_write},
    {"ck_sequence, words", ck_setup, ck_words_read, ck_words_write},
    {"liburcu", lock_setup, urcu_read, urcu_write},
    {"pthread_rwlock", lock_setup, rwlock_read, rwlock_write},
    {"pthread_mutex", lock_setup, mutex_read, mutex_write},
};
const size_t contenders_count = sizeof contenders / sizeof contenders[0];
