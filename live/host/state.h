/*
 * state.h - the lock protocol as a daemon has it: with many locks.
 *
 * Files of live/ that use struct view_lock include this, and first.
 */
#ifndef LIVE_STATE_H
#define LIVE_STATE_H

#ifdef VIEW_LOCK_H
#error "include live/host/state.h before anything that knows the protocol"
#endif
#define VIEW_LOCK_LOCKS 256

#include "protocols/mutex/view_lock.h"

#endif
