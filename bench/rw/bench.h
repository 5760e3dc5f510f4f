/*
 * bench.h - the register beside what people use today: the contenders, the
 * notes of a reader, and the picture.
 */
#ifndef BENCH_RW_H
#define BENCH_RW_H

#include "rw/fulcrum_rw.h"

enum { WRITER_IDLE, WRITER_PACED, WRITER_FLAT };

enum {
    VALUE_MAX = 4096,
    READERS_MAX = 64,
    BUCKETS = 256,
    LOG_MAX = 1 << 16,
};

struct value {
    RW_ALIGN(64) uint64_t word[VALUE_MAX / 8];
};

/* From here to there, by rw_now_ns(). */
struct span {
    uint64_t began, ended;
    uint64_t attempts; /* of a read */
};

/* What one thread noted.  A line of its own, or more. */
struct seat {
    RW_ALIGN(64) uint64_t done; /* reads, or writes */
    uint64_t attempts;
    uint64_t attempts_max;
    uint64_t longest_ns;      /* timed runs only */
    uint64_t cpu_ns;          /* of this thread */
    uint64_t queued_ns;       /* it had no processor */
    uint64_t beyond;          /* reads with more attempts than run.bound */
    uint64_t slow;            /* writes longer than run.slow_ns */
    uint64_t counts[BUCKETS]; /* of reads, by bucket_of(attempts) */
    struct span *log;         /* those beyond, those slow; LOG_MAX at most */
};

/* One measurement. */
struct run {
    size_t size;
    uint32_t readers;
    uint32_t writer;  /* WRITER_IDLE and so on */
    bool timed;       /* every read and write by the clock */
    uint64_t bound;   /* attempts; 0: there is none */
    uint64_t slow_ns; /* a write longer than this broke the bounds */
    rw_cell ready;    /* threads that are there */
    rw_cell stop;
    struct seat reader[READERS_MAX], writing;
};

struct contender {
    const char *name;
    void (*setup)(size_t size);
    void (*read)(struct run *run, struct seat *seat);  /* until stop */
    void (*write)(struct run *run, struct seat *seat); /* until stop */
};

extern const struct contender contenders[];
extern const size_t contenders_count;

/* The pace of the register as set up last. */
extern struct rw_pace fulcrum_pace;

/* Below 64 exact, then 4 to an octave. */
static inline uint32_t bucket_of(uint64_t attempts)
{
    if (attempts < 64)
        return (uint32_t)attempts;
    uint32_t octave = 63 - (uint32_t)__builtin_clzll(attempts);
    uint32_t bucket =
        64 + 4 * (octave - 6) + (uint32_t)(attempts >> (octave - 2) & 3);

    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* The least number of attempts in a bucket. */
static inline uint64_t bucket_least(uint32_t bucket)
{
    if (bucket < 64)
        return bucket;
    uint32_t octave = 6 + (bucket - 64) / 4;

    return (UINT64_C(4) + (bucket - 64) % 4) << (octave - 2);
}

/* How the attempts of some contenders are spread, as a picture. */
struct curve {
    const char *name;
    uint64_t counts[BUCKETS];
};

bool svg_attempts(const char *path, const struct curve *curves, uint32_t count,
                  const struct run *run);

/* The number of processors that others kept busy since quiet_begin(). */
struct quiet {
    double busy, own;
    uint64_t began_ns;
};

/* How long this thread could have run but had no processor. */
uint64_t quiet_queued_ns(void);

void quiet_begin(struct quiet *q);
double quiet_others(const struct quiet *q);

#endif
