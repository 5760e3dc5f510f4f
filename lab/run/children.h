/*
 * children.h - experiments as child processes, several at once.
 */
#ifndef LAB_CHILDREN_H
#define LAB_CHILDREN_H

#include "lab/run/notebook.h"

enum { LAB_JOBS_MAX = 256 };

struct lab_children;

/* NULL: no memory. */
struct lab_children *lab_children_begin(const char *program, uint32_t jobs);
/* Those that are still running are ended. */
void lab_children_end(struct lab_children *c);

/* The threads that may still be started; a child has at least one. */
uint32_t lab_children_room(const struct lab_children *c);
bool lab_children_running(const struct lab_children *c);

/* Starts "fulcrum VERB ..." with --json on `threads` threads, for which there
 * is room.  False: the system refuses, and `why` says so. */
bool lab_children_start(struct lab_children *c, const char *command,
                        uint32_t number, uint32_t threads, struct net_why *why);

/* Waits for a child to end, for at most `milliseconds`.  Returns its number, or
 * -1. */
int64_t lab_children_wait(struct lab_children *c, int milliseconds,
                          struct lab_answer *answer);

#endif
