/*
 * writer.h - writes the record beside the loop, and measures what that takes
 * (rule W9).
 *
 * A slow disk may take long to sync a write.  Meanwhile the node goes on with
 * everything that does not depend on it.  The thread is there from the
 * beginning, while it may still have the urgency that a vote has; when the
 * daemon becomes its user, so does the thread, without any right of root's.
 */
#ifndef LIVE_WRITER_H
#define LIVE_WRITER_H

#include <uv.h>

#include "live/record/record.h"

struct live_writer;

/* This is on disk; or it is not, for the reason given. */
typedef void live_written(void *whom, const struct live_kept *kept,
                          const char *error);

/* Takes over nothing.  NULL with a sentence. */
struct live_writer *live_writer_open(uv_loop_t *loop,
                                     struct live_record *record,
                                     live_written *written, void *whom,
                                     struct net_why *error);

/* Writes and waits for it.  What was being written is waited for, too, and
 * `written` is not called for that. */
bool live_writer_write_now(struct live_writer *writer,
                           const struct live_kept *kept, struct net_why *error);

/* Begins to write; only while nothing is being written.  `written` is called
 * from the loop. */
void live_writer_write(struct live_writer *writer,
                       const struct live_kept *kept);

/* Since when it writes; 0: it does not. */
uint64_t live_writer_since(const struct live_writer *writer);

/* The longest write of the last minutes, and the last one: microseconds. */
uint64_t live_writer_slowest(struct live_writer *writer, uint64_t now);
uint64_t live_writer_last(const struct live_writer *writer);

/* Waits until nothing is being written; `written` will not be called. */
void live_writer_stop(struct live_writer *writer);

/* The same; its memory is freed when the loop has seen it. */
void live_writer_close(struct live_writer *writer);

#endif
