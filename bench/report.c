/*
 * report.c - the table of a benchmark.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

#ifndef BENCH_FLAGS
#define BENCH_FLAGS "unknown"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef NDEBUG
enum { ASSERTIONS = 0 };
#else
enum { ASSERTIONS = 1 };
#endif

const char *const bench_engine_names[BENCH_ENGINES] = {
    [BENCH_HEAP] = "heap",         [BENCH_GENERAL] = "general",
    [BENCH_LOCKSTEP] = "lockstep", [BENCH_C_HEAP] = "C heap",
    [BENCH_C_WHEEL] = "C wheel",   [BENCH_C_LOOP] = "C loop",
};

/* The processor as the kernel calls it. */
static void cpu_model(char *text, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(text, size, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        const char *value = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || !value)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(text, size, "%s", value + 2);
        break;
    }
    if (f)
        fclose(f);
}

static void today(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm tm;

    if (!gmtime_r(&now, &tm) ||
        strftime(text, size, "%Y-%m-%d %H:%M UTC", &tm) == 0)
        snprintf(text, size, "unknown");
}

/* Words after a label of 12 columns, in lines of 80. */
static void print_wrapped(FILE *out, const char *label, const char *text)
{
    int column = fprintf(out, "%s", label);

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (column + length > 80)
            column = fprintf(out, "\n%12s", "") - 1;
        column += fprintf(out, "%.*s ", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fprintf(out, "\n");
}

void bench_print_machine(FILE *out)
{
    char model[128], date[32];

    cpu_model(model, sizeof model);
    today(date, sizeof date);
    fprintf(out, "compiler    %s\n", COMPILER);
    print_wrapped(out, "flags       ", BENCH_FLAGS);
    fprintf(out, "assertions  %s\n", ASSERTIONS ? "on" : "off");
    fprintf(out, "processor   %s, %ld cores\n", model,
            sysconf(_SC_NPROCESSORS_ONLN));
    fprintf(out, "date        %s\n", date);
    fprintf(out, "\nCPU time of whole runs, beginning and end included, on "
                 "warm memory.\n"
                 "Engines took turns; ratios within a group are what "
                 "counts.\n");
}

void bench_print_section(FILE *out, const struct section *s)
{
    fprintf(out, "\n(%c) %s: %s\n", s->letter, s->protocol, s->title);
    fprintf(out, "%10s  %-8s %8s %9s %9s %9s %8s %8s\n", "", "", "million",
            "Mevents/s", "Mevents/s", "ns/event", "times", "bytes");
    fprintf(out, "%10s  %-8s %8s %9s %9s %9s %8s %8s\n", "nodes", "engine",
            "events", "best", "median", "best", "the heap", "per node");
}

/* Millions of events in a second, if a run takes this long. */
static double speed(const struct row *row, double seconds)
{
    return (double)row->events / seconds / 1e6;
}

static double nanoseconds(const struct row *row)
{
    return row->best * 1e9 / (double)row->events;
}

static double bytes_per_node(const struct row *row)
{
    return (double)row->bytes / row->nodes;
}

void bench_print_row(FILE *out, const struct row *row)
{
    char times[16] = "-", bytes[16] = "-";

    if (row->times_heap > 0)
        snprintf(times, sizeof times, "%.2f", row->times_heap);
    if (row->bytes > 0) /* of those by hand nobody counts them */
        snprintf(bytes, sizeof bytes, "%.1f", bytes_per_node(row));
    fprintf(out, "%10u  %-8s %8.2f %9.1f %9.1f %9.1f %8s %8s\n", row->nodes,
            bench_engine_names[row->engine], (double)row->events / 1e6,
            speed(row, row->best), speed(row, row->median), nanoseconds(row),
            times, bytes);
    if (row->peak_kib)
        fprintf(out,
                "%10s  peak of the process: %.2f GB, %.1f bytes per node\n", "",
                (double)row->peak_kib * 1024 / 1e9,
                (double)row->peak_kib * 1024 / row->nodes);
    fflush(out);
}

static void print_cell(FILE *out, const struct table *t, uint32_t first,
                       enum engine engine, bool bytes)
{
    for (uint32_t i = first; i < t->count; i++) {
        const struct row *row = &t->row[i];

        if (row->section != t->row[first].section ||
            row->nodes != t->row[first].nodes)
            break;
        if (row->engine == engine) {
            fprintf(out, " %10.1f",
                    bytes ? bytes_per_node(row) : nanoseconds(row));
            return;
        }
    }
    fprintf(out, " %10s", "-");
}

static void print_growth_line(FILE *out, const struct table *t, uint32_t first)
{
    fprintf(out, "%10u", t->row[first].nodes);
    for (int e = 0; e < BENCH_ENGINES; e++)
        print_cell(out, t, first, (enum engine)e, false);
    fprintf(out, "  ");
    for (int e = 0; e < BENCH_OURS; e++)
        print_cell(out, t, first, (enum engine)e, true);
    fprintf(out, "\n");
}

/* What an event costs, and a node, as the ring grows. */
void bench_print_growth(FILE *out, const struct table *t)
{
    const struct section *last = NULL;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct row *row = &t->row[i];
        bool grows = row->section->nodes[2] != 0;

        if (!grows || (i && row[-1].section == row->section &&
                       row[-1].nodes == row->nodes))
            continue;
        if (row->section != last) {
            fprintf(out, "\n(e) %s: %s\n", row->section->protocol,
                    row->section->title);
            fprintf(out, "%10s %65s   %32s\n", "", "ns per event, best",
                    "bytes per node");
            fprintf(out, "%10s", "nodes");
            for (int e = 0; e < BENCH_ENGINES; e++)
                fprintf(out, " %10s", bench_engine_names[e]);
            fprintf(out, "  ");
            for (int e = 0; e < BENCH_OURS; e++)
                fprintf(out, " %10s", bench_engine_names[e]);
            fprintf(out, "\n");
        }
        last = row->section;
        print_growth_line(out, t, i);
    }
}
