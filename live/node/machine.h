/*
 * machine.h - what a process asks of its machine for itself: files, memory that
 * stays, to run before others, and how the clock runs.  What it is not given it
 * does without.
 */
#ifndef LIVE_HOST_H
#define LIVE_HOST_H

#include <stdint.h>

/* As many open files as it may have at all. */
void live_host_files(void);

/* To be first when something is due: the best of ordinary priorities.  Says in
 * the log if it does not get it. */
void live_host_priority(void);

/* What is swapped out, or dropped from memory, comes back late. */
void live_host_memory(void);

/* ---- Guards and clients -------------------------------------------------- */

/* Real-time priority, or else the highest other, as far as is allowed.
 * Children inherit it. */
void live_urgent(void);

/* From now on they do not; and the memory of this process is locked. */
void live_urgent_alone(void);

/* Asks the kernel to kill other processes first when memory runs out. */
void live_unwanted_victim(void);

/* ---- The clock ----------------------------------------------------------- */

/* By how many millionths the kernel lets the clock run faster or slower because
 * somebody (chrony, ntpd, adjtime) corrects the time of day: the clock that
 * nobody can set runs at that rate, too (rule K6).  UINT32_MAX: the system does
 * not tell. */
uint32_t live_slew(void);

#endif
