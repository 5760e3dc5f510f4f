/*
 * protocol.h - what a protocol is written in; see fulcrum_protocol(3).
 *
 * What it includes is core/ of the source tree: rules are written in the words
 * fc_ and FC_, here as there, so that a protocol is the same text in either.
 * The rest of core/ and problems/ is beside it.  There is nothing to link.
 */
#ifndef FULCRUM_PROTOCOL_H
#define FULCRUM_PROTOCOL_H

#ifdef __cplusplus
extern "C" {
#endif

#include "core/driver.h"
#include "core/entry.h"

#ifdef __cplusplus
}
#endif

#endif
