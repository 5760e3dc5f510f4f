/*
 * writer.c - see writer.h.
 *
 * Loop and thread hand the record to each other: between live_writer_write()
 * and the wake-up of the loop it is the thread's.
 */
#include "live/record/writer.h"

#include <stdlib.h>

#include "live/common/clock.h"
#include "live/system/bell.h"

enum {
    STACK_BYTES = 128 * 1024,
    MINUTES = 5, /* for which the longest write is kept */
    MINUTE = 60 * 1000000,
};

struct live_writer {
    struct live_record *record;
    live_written *written;
    void *whom;
    struct live_bell ready;
    pthread_t thread;
    uv_sem_t work, done;
    bool running; /* the thread */
    bool ending;
    /* The thread's while it writes */
    struct live_kept kept;
    bool written_down;
    uint64_t took;
    struct net_why error;
    /* The loop's */
    uint64_t since; /* something was given to the thread, and the loop has not
                     * seen that it is done; 0: there is nothing */
    uint64_t minute[MINUTES], longest[MINUTES];
};

/* ---- How long it takes --------------------------------------------------- */

static void measure(struct live_writer *w, uint64_t now)
{
    uint64_t minute = now / MINUTE + 1, slot = minute % MINUTES;

    if (w->minute[slot] != minute)
        w->longest[slot] = 0;
    w->minute[slot] = minute;
    if (w->longest[slot] < w->took)
        w->longest[slot] = w->took;
}

uint64_t live_writer_slowest(struct live_writer *w, uint64_t now)
{
    uint64_t minute = now / MINUTE + 1, longest = 0;

    for (uint32_t i = 0; i < MINUTES; i++)
        if (w->minute[i] && minute - w->minute[i] < MINUTES &&
            w->longest[i] > longest)
            longest = w->longest[i];
    return longest;
}

uint64_t live_writer_last(const struct live_writer *w)
{
    return w->took;
}

/* ---- The thread ---------------------------------------------------------- */

static void write_record(struct live_writer *w)
{
    uint64_t began = live_now();

    w->written_down = live_record_write(w->record, &w->kept, &w->error);
    w->took = live_now() - began;
}

static void *work(void *whom)
{
    struct live_writer *w = whom;

    for (;;) {
        uv_sem_wait(&w->work);
        if (w->ending)
            return NULL;
        write_record(w);
        uv_sem_post(&w->done);
        live_bell_ring(&w->ready);
    }
}

/* ---- The loop ------------------------------------------------------------ */

static void on_ready(uv_poll_t *ready, int status, int events)
{
    struct live_writer *w = ready->data;
    struct live_kept kept = w->kept;

    (void)status;
    (void)events;
    live_bell_hush(&w->ready);
    if (!w->since)
        return;
    if (w->running)
        uv_sem_wait(&w->done);
    w->since = 0;
    measure(w, live_now());
    w->written(w->whom, &kept, w->written_down ? NULL : w->error.text);
}

struct live_writer *live_writer_open(uv_loop_t *loop,
                                     struct live_record *record,
                                     live_written *written, void *whom,
                                     struct net_why *error)
{
    struct live_writer *w = calloc(1, sizeof *w);

    if (!w || live_bell_open(&w->ready, loop, on_ready, w) != 0) {
        net_no_memory(error, "a thread that writes the record");
        free(w);
        return NULL;
    }
    w->record = record;
    w->written = written;
    w->whom = whom;
    (void)uv_sem_init(&w->work, 0);
    (void)uv_sem_init(&w->done, 0);
    /* As urgent as the node, if that is allowed: others wait for its votes. */
    w->running = live_thread_start(&w->thread, STACK_BYTES, true, work, w) ||
                 live_thread_start(&w->thread, STACK_BYTES, false, work, w);
    return w;
}

/* What is being written is waited for, and nobody hears of it. */
static void overtake(struct live_writer *w)
{
    if (w->since && w->running)
        uv_sem_wait(&w->done);
    w->since = 0;
}

bool live_writer_write_now(struct live_writer *w, const struct live_kept *kept,
                           struct net_why *error)
{
    overtake(w);
    w->kept = *kept;
    write_record(w);
    measure(w, live_now());
    if (!w->written_down)
        *error = w->error;
    return w->written_down;
}

void live_writer_write(struct live_writer *w, const struct live_kept *kept)
{
    w->kept = *kept;
    w->since = live_now();
    if (w->running) {
        uv_sem_post(&w->work);
        return;
    }
    write_record(w); /* then the loop waits for the disk */
    live_bell_ring(&w->ready);
}

uint64_t live_writer_since(const struct live_writer *w)
{
    return w->since;
}

void live_writer_stop(struct live_writer *w)
{
    if (w->running) {
        if (w->since)
            uv_sem_wait(&w->done);
        w->ending = true;
        uv_sem_post(&w->work);
        (void)pthread_join(w->thread, NULL);
    }
    w->running = false;
    w->since = 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct live_writer *w = handle->data;

    uv_sem_destroy(&w->work);
    uv_sem_destroy(&w->done);
    live_bell_close(&w->ready);
    free(w);
}

void live_writer_close(struct live_writer *w)
{
    live_writer_stop(w);
    uv_close((uv_handle_t *)&w->ready.poll, on_closed);
}
