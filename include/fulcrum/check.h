/*
 * check.h - the checker: every behaviour within the bounds; see
 * fulcrum_check(3).
 */
#ifndef FULCRUM_CHECK_H
#define FULCRUM_CHECK_H

#include "api.h"
#include "net.h"
#include "trace.h"

FULCRUM_BEGIN
#include "check/check.h"
#include "check/tell/telling.h"
FULCRUM_END

FULCRUM_API(check_misfit);
FULCRUM_API(check_asymmetric);
FULCRUM_API(check_irreducible);
FULCRUM_API(check_run);
FULCRUM_API(check_free);
FULCRUM_API(check_trace);
FULCRUM_API(check_story);

#endif
