/*
 * sane.h - structures that judge themselves, as states do by P_sane().
 *
 * X_sane() returns NULL, or the sentence that is broken.  It reads all of the
 * structure, so it is judged where that costs a share of what was done anyway:
 * when a table has grown, when a run is over.  Sanitized builds stop there;
 * others have the function and do not call it.
 *
 * A node of a cluster that breaks such a rule does not assert, it stops: see
 * live/node/node.c.
 */
#ifndef NET_SANE_H
#define NET_SANE_H

#include <stdio.h>
#include <stdlib.h>

#ifdef FC_PARANOID
enum { NET_JUDGES = 1 };
#else
enum { NET_JUDGES = 0 };
#endif

static inline void net_assert_sane(const char *what, const char *broken)
{
    if (!broken)
        return;
    fprintf(stderr, "%s is not sane: %s\n", what, broken);
    abort();
}

/* `call` is compiled in any build, so that it stays right, and made in those
 * that judge. */
#define NET_ASSERT_SANE(what, call)                                            \
    (NET_JUDGES ? net_assert_sane((what), (call)) : (void)0)

#endif
