/*
 * progress.c - see progress.h.
 */
#include "cli/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "sim/batch.h"

static atomic_bool interrupted;
static volatile sig_atomic_t by_signal;

/* A flag without locks is all a signal handler may touch. */
static void on_interrupt(int signal)
{
    by_signal = signal;
    atomic_store_explicit(&interrupted, true, memory_order_relaxed);
}

atomic_bool *cli_catch_interrupt(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* a second one is deadly */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}

int cli_exit_code(int code)
{
    return code == CLI_INTERRUPTED && by_signal ? 128 + (int)by_signal : code;
}

/* A bar of `width` cells, in eighths where the terminal can show them. */
static void bar(double share, char *out, size_t size)
{
    static const char *const eighths[] = {"",  "▏", "▎", "▍",
                                          "▌", "▋", "▊", "▉"};
    enum { WIDTH = 20 };
    int full = (int)(share * WIDTH * 8);
    size_t used = 0;

    out[0] = '\0';
    for (int cell = 0; cell < WIDTH && used + 4 < size; cell++, full -= 8) {
        const char *mark = full >= 8       ? (cli_is_utf8() ? "█" : "#")
                           : full <= 0     ? " "
                           : cli_is_utf8() ? eighths[full]
                                           : " ";

        if (!*mark)
            mark = " ";
        used += (size_t)snprintf(out + used, size - used, "%s", mark);
    }
}

static void clock_text(double seconds, char *out, size_t size)
{
    uint64_t whole = (uint64_t)seconds;

    snprintf(out, size, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
}

/* The time that one run will take, as text: as if the messages that its paper
 * states were the work.  "" if nothing is stated, or there are more. */
static void left_text(const struct cli_progress *progress,
                      const struct sim_batch_progress *p, char *out,
                      size_t size)
{
    double share =
        progress->messages > 0 ? (double)p->messages / progress->messages : 0;
    char time[32];

    *out = '\0';
    if (share < 0.01 || share > 1)
        return;
    clock_text(p->seconds * (1 - share) / share, time, sizeof time);
    snprintf(out, size, ", about %s left", time);
}

/* In a pipe: one line after a while, so that a long run does not look like one
 * that hangs. */
static void tell_once(struct cli_progress *progress,
                      const struct sim_batch_progress *p)
{
    enum { PATIENCE_SECONDS = 10 };
    char left[64] = "";

    if (progress->told || p->seconds < PATIENCE_SECONDS)
        return;
    progress->told = true;
    if (p->runs == 1)
        left_text(progress, p, left, sizeof left);
    cli_note("%s: still running after %d s, %.1f M events, %.1f M/s, %" PRIu64
             " of %" PRIu64 " runs%s",
             progress->title, PATIENCE_SECONDS, (double)p->events / 1e6,
             (double)p->events / p->seconds / 1e6, p->runs_done, p->runs, left);
}

void cli_progress_tell(void *whom, const struct sim_batch_progress *p)
{
    struct cli_progress *progress = whom;
    double share = (double)p->runs_done / (double)p->runs;
    char cells[128], time[32], tick[32], left[64];
    double rate = p->seconds > 0 ? (double)p->events / p->seconds / 1e6 : 0;

    if (!cli_is_terminal(stderr)) {
        tell_once(progress, p);
        return;
    }
    if (p->seconds < 0.2)
        return;
    progress->shown = true;
    if (p->runs == 1) {
        clock_text(p->seconds, time, sizeof time);
        left_text(progress, p, left, sizeof left);
        fprintf(stderr, "\r%s  tick %s  %.1f M events  %.1f M/s  %s%s\033[K",
                progress->title, cli_grouped(p->tick, tick, sizeof tick),
                (double)p->events / 1e6, rate, time, left);
        return;
    }
    bar(share, cells, sizeof cells);
    clock_text(share > 0 ? p->seconds * (1 - share) / share : 0, time,
               sizeof time);
    fprintf(stderr, "\r%s  %s  %" PRIu64 " of %" PRIu64 "  %.1f M events/s",
            progress->title, cells, p->runs_done, p->runs, rate);
    if (share > 0)
        fprintf(stderr, "  %s left", time);
    fprintf(stderr, "\033[K");
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
