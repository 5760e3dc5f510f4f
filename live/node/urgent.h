/*
 * urgent.h - a process that must not be late: the best priority that it may
 * have, and its memory where it is.  All as far as is allowed.
 */
#ifndef LIVE_URGENT_H
#define LIVE_URGENT_H

/* Real-time priority, or else the highest other.  Children inherit it. */
void live_urgent(void);

/* From now on they do not; and the own memory is locked. */
void live_urgent_alone(void);

/* The kernel shall look for another victim when memory runs out. */
void live_unwanted_victim(void);

#endif
