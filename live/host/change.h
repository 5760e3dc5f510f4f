/*
 * change.h - the first start under a changed configuration (rule P5).
 */
#ifndef LIVE_CHANGE_H
#define LIVE_CHANGE_H

#include "live/host/record.h"

/* Says in the log what has changed, and waits until no lease is left that the
 * new times would not outwait.  Nothing is written before: whoever is stopped
 * meanwhile waits again. */
void live_change_await(const struct live_config *config,
                       const struct live_record *record);

#endif
