/*
 * fence.h - a store of files that refuses former holders of a lock; see
 * fulcrum_fence(3).
 */
#ifndef FULCRUM_FENCE_H
#define FULCRUM_FENCE_H

#include "api.h"

FULCRUM_BEGIN
#include "live/fence/fence.h"
FULCRUM_END

FULCRUM_API(live_fence_create);
FULCRUM_API(live_fence_open);
FULCRUM_API(live_fence_close);
FULCRUM_API(live_fence_put);
FULCRUM_API(live_fence_get);
FULCRUM_API(live_fence_list);

#endif
