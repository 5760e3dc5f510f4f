/*
 * barrier.h - threads that do the same work at the same time, round by round.
 *
 * The thread that opened it is the first member.  Between rounds the
 * others wait and only it runs: all of them see in the next round what it
 * writes then, and it sees afterwards what they write in a round.
 */
#ifndef CHECK_BARRIER_H
#define CHECK_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct check_barrier;

/* Of `wanted` members, or fewer if the system starts no more threads;
 * NULL if it could start none, or there is no memory. */
struct check_barrier *check_barrier_open(uint32_t wanted);
void check_barrier_close(struct check_barrier *barrier);

uint32_t check_barrier_count(const struct check_barrier *barrier);

/* One round: every member does `work` once, and all of them are done. */
void check_barrier_run(struct check_barrier *barrier,
                       void (*work)(void *whom, uint32_t member), void *whom);

/* CPU time that the others have used so far. */
double check_barrier_seconds(const struct check_barrier *barrier);

#endif
