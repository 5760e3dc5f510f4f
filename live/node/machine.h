/*
 * machine.h - what a node asks of its machine for itself: files, memory that
 * stays, and to run before others.  What it is not given it does without.
 */
#ifndef LIVE_HOST_H
#define LIVE_HOST_H

/* As many open files as it may have at all. */
void live_host_files(void);

/* To be first when something is due: the best of ordinary priorities.  Says in
 * the log if it does not get it. */
void live_host_priority(void);

/* What is swapped out, or dropped from memory, comes back late. */
void live_host_memory(void);

#endif
