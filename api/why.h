/*
 * why.h - the sentence that a call of the client's library leaves to its
 * thread.
 */
#ifndef API_WHY_H
#define API_WHY_H

#include "net/why.h"

/* Where it is to be written. */
struct net_why *api_why(void);

#endif
