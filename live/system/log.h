/*
 * log.h - lines for people, on standard error: time, node, a sentence.
 *
 * A log that nobody reads must not stop a node: lines that are not taken are
 * kept for a while, and then dropped and counted.
 */
#ifndef LIVE_LOG_H
#define LIVE_LOG_H

/* Names the node in all lines to come. */
void live_log_name(const char *name);

void live_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes the lines that are kept, as far as they are taken now; to be called
 * now and then. */
void live_log_flush(void);

#endif
