/*
 * why.h - the sentence that a call of the client's library leaves to its
 * thread.
 */
#ifndef API_WHY_H
#define API_WHY_H

#include "live/config/config.h"
#include "live/fence/fence.h"

enum { API_WHY_SIZE = LIVE_ERROR_SIZE };
_Static_assert((int)API_WHY_SIZE >= LIVE_FENCE_ERROR_SIZE,
               "either sentence fits");

/* Where it is to be written: API_WHY_SIZE bytes. */
char *api_why(void);

#endif
