/*
 * log.h - lines for people, on standard error: time, node, a sentence.
 */
#ifndef LIVE_LOG_H
#define LIVE_LOG_H

/* Names the node in all lines to come. */
void live_log_name(const char *name);

void live_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
