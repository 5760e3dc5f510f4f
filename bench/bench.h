/*
 * bench.h - the measurements, and their results.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>

#include "sim/sim.h"

/* Ours, the first of them over a heap; then plain C (by_hand.c). */
enum engine {
    BENCH_HEAP,
    BENCH_GENERAL,
    BENCH_LOCKSTEP,
    BENCH_OURS,
    BENCH_C_HEAP = BENCH_OURS,
    BENCH_C_WHEEL,
    BENCH_C_LOOP,
    BENCH_ENGINES
};

enum {
    BENCH_BOTH = 1u << BENCH_HEAP | 1u << BENCH_GENERAL,
    BENCH_ALL = BENCH_BOTH | 1u << BENCH_LOCKSTEP,
    BENCH_BY_HAND =
        1u << BENCH_C_HEAP | 1u << BENCH_C_WHEEL | 1u << BENCH_C_LOOP,
    BENCH_ROUNDS_MAX = 99,
    BENCH_SIZES_MAX = 6,
    BENCH_ROWS_MAX = 128,
};

/* A group of workloads that differ in the number of nodes alone. */
struct section {
    char letter; /* for --only */
    const char *protocol;
    const char *title;
    enum net_naming naming;
    enum net_time time;
    enum net_clock clock;
    unsigned engines; /* a bit each */
    uint32_t nodes[BENCH_SIZES_MAX];
};

/* One engine on one workload. */
struct row {
    const struct section *section;
    uint32_t nodes;
    enum engine engine;
    uint64_t events;     /* of one run */
    double best, median; /* seconds of CPU time of one run */
    double times_heap;   /* speed over that of the heap, or 0: no heap ran */
    uint64_t bytes;
    uint64_t peak_kib; /* --huge alone: of the process, else 0 */
};

struct table {
    struct row row[BENCH_ROWS_MAX];
    uint32_t count;
};

extern const char *const bench_engine_names[BENCH_ENGINES];

/* The report. */
void bench_print_machine(FILE *out);
void bench_print_section(FILE *out, const struct section *s);
void bench_print_row(FILE *out, const struct row *row);
void bench_print_growth(FILE *out, const struct table *t);

#endif
