/*
 * machine.h - what a process asks of its machine for itself: files, memory that
 * stays, to run before others, and how the clock runs.  What it is not given it
 * does without.
 */
#ifndef LIVE_MACHINE_H
#define LIVE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Where a function is: code that must be in memory before it is needed. */
typedef void live_code(void);

/* As many open files as it may have at all. */
void live_machine_files(void);

/* To be first when something is due: the best of ordinary priorities.  Says in
 * the log if it does not get it. */
void live_machine_priority(void);

/* Memory that is swapped out or dropped comes back late: memory in use now
 * stays, and so does all the code between these functions. */
void live_machine_memory(live_code *const of[], size_t count);

/* ---- Guards and clients -------------------------------------------------- */

/* Real-time priority, or else the highest other, as far as is allowed.
 * Children inherit it. */
void live_urgent(void);

/* From now on they do not; and the memory of this process is locked, with the
 * code between these functions. */
void live_urgent_alone(live_code *const of[], size_t count);

/* Asks the kernel to kill other processes first when memory runs out. */
void live_unwanted_victim(void);

/* ---- The clock ----------------------------------------------------------- */

/* The millionths by which the kernel lets the clock run faster or slower
 * because a program (chrony, ntpd, adjtime) corrects the time of day: the clock
 * that nobody can set runs at that rate, too (rule K6).  UINT32_MAX: the system
 * does not tell. */
uint32_t live_slew(void);

#endif
