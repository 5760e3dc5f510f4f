/*
 * protocol.h - what a protocol is: its step, its problem, its parameters; see
 * fulcrum_protocol(3).
 */
#ifndef FULCRUM_PROTOCOL_H
#define FULCRUM_PROTOCOL_H

#include "api.h"

FULCRUM_BEGIN
#include "core/entry.h"
#include "core/params.h"
FULCRUM_END

FULCRUM_API(fc_params_default);
FULCRUM_API(fc_params_set);
FULCRUM_API(fc_params_find);

#endif
