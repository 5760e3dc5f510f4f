/*
 * trace.h - runs written down, read, and run again; see fulcrum_trace(3).
 */
#ifndef FULCRUM_TRACE_H
#define FULCRUM_TRACE_H

#include "api.h"

FULCRUM_BEGIN
#include "trace/read.h"
#include "trace/replay.h"
#include "trace/write.h"
FULCRUM_END

FULCRUM_API(trace_writer_new);
FULCRUM_API(trace_writer_free);
FULCRUM_API(trace_write_head);
FULCRUM_API(trace_read);
FULCRUM_API(trace_parse);
FULCRUM_API(trace_free);
FULCRUM_API(trace_name);
FULCRUM_API(trace_late_from);
FULCRUM_API(trace_meaning);
FULCRUM_API(trace_role_word);
FULCRUM_API(trace_role_said);
FULCRUM_API(trace_role_like);
FULCRUM_API(trace_replay);

#endif
