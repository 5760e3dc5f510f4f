/*
 * lock.h - a client of a live node: asks for a lock, and knows until when it
 * is held; see fulcrum_lock(3).
 */
#ifndef FULCRUM_LOCK_H
#define FULCRUM_LOCK_H

#include "api.h"

FULCRUM_BEGIN
#include "live/client/client.h"
FULCRUM_END

FULCRUM_API(live_client_open);
FULCRUM_API(live_client_open_of);
FULCRUM_API(live_client_ask);
FULCRUM_API(live_client_next);
FULCRUM_API(live_client_holds);
FULCRUM_API(live_client_deadline);
FULCRUM_API(live_client_spent);
FULCRUM_API(live_client_release);
FULCRUM_API(live_client_status);
FULCRUM_API(live_client_close);

#endif
