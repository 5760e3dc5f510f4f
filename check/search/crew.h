/*
 * crew.h - some threads that do the same work together, round by round.
 *
 * The thread that opened the crew is its first member.  Between rounds the
 * others wait and only it runs: all of them see in the next round what it
 * writes then, and it sees afterwards what they write in a round.
 */
#ifndef CHECK_CREW_H
#define CHECK_CREW_H

#include <stdbool.h>
#include <stdint.h>

struct check_crew;

/* A crew of `wanted` members, or fewer if the system starts no more threads;
 * NULL if it could start none, or there is no memory. */
struct check_crew *check_crew_open(uint32_t wanted);
void check_crew_close(struct check_crew *crew);

uint32_t check_crew_count(const struct check_crew *crew);

/* One round: every member does `work` once, and all of them are done. */
void check_crew_run(struct check_crew *crew,
                    void (*work)(void *whom, uint32_t member), void *whom);

/* CPU time that the others have used so far. */
double check_crew_seconds(const struct check_crew *crew);

#endif
