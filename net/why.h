/*
 * why.h - one sentence that says why something failed, and whose fault it was.
 *
 * A function that can fail takes a struct net_why, returns false (or NULL), and
 * has then filled it in.  The caller adds where it happened, and chooses the
 * exit code by `system`.
 */
#ifndef NET_WHY_H
#define NET_WHY_H

#include <stdbool.h>

enum { NET_WHY_SIZE = 1024 };

struct net_why {
    bool system; /* a file, memory or the like was not available; else the
                  * request is wrong */
    char text[NET_WHY_SIZE];
};

/* Write the sentence and return false: the request is wrong; or the system
 * would not give what is needed.  `why` may be NULL.  errno is kept. */
__attribute__((format(printf, 2, 3))) bool net_refuse(struct net_why *why,
                                                      const char *format, ...);
__attribute__((format(printf, 2, 3))) bool net_fail(struct net_why *why,
                                                    const char *format, ...);

/* Goes on with the sentence: a list of what there is. */
__attribute__((format(printf, 2, 3))) void net_add(struct net_why *why,
                                                   const char *format, ...);

/* Puts in front of the sentence where it happened: "line 3: ". */
__attribute__((format(printf, 2, 3))) bool net_where(struct net_why *why,
                                                     const char *format, ...);

/* There is no memory for WHAT: "the names". */
bool net_no_memory(struct net_why *why, const char *what);

#endif
