/*
 * log.h - lines for people, on standard error: time, node, a sentence.
 *
 * A log that nobody reads must not stop a node: what is not taken is kept for a
 * while, and then dropped and counted.
 */
#ifndef LIVE_LOG_H
#define LIVE_LOG_H

/* Names the node in all lines to come. */
void live_log_name(const char *name);

void live_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes what is kept, as far as it is taken now; to be called now and then. */
void live_log_flush(void);

#endif
