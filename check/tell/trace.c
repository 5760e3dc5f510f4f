/*
 * trace.c - a run of the checker as a trace of the simulator (docs/trace.md).
 */
#include "check/tell/listen.h"

static void begin(void *whom, const struct check_model *m,
                  const uint32_t *vector)
{
    struct trace_listener *trace = whom;

    trace_tell_begin(trace, &m->setup->net, &m->names, 1);
    for (uint32_t i = 0; i < m->nodes && m->timed; i++) {
        const struct check_head *head =
            &check_info_of(m, i, vector[m->local_at[i]])->head;

        trace_tell_step(trace, i, m->uniform ? head->length : 1,
                        m->uniform ? head->length - head->age : 0);
    }
    trace_tell_body(trace);
}

static void say_event(struct trace_listener *trace, const struct check_model *m,
                      const struct check_event *e)
{
    static const uint8_t faults[] = {
        [CHECK_CRASH] = NET_FAULT_CRASH, [CHECK_RESTART] = NET_FAULT_RESTART,
        [CHECK_PAUSE] = NET_FAULT_PAUSE, [CHECK_CUT] = NET_FAULT_CUT,
        [CHECK_JOIN] = NET_FAULT_JOINED,
    };
    uint32_t fault;
    uint64_t fields[FC_FIELDS_MAX];
    struct trace_content content;

    switch ((enum check_move_kind)e->move.kind) {
    case CHECK_READ:
    case CHECK_MISS:
        content = trace_content_of(m->type, e->read.msg, e->read.id, fields);
        trace_tell_read(trace, e->tick, e->read.to, e->move.kind == CHECK_MISS,
                        &content);
        break;
    case CHECK_TIMEOUT:
        trace_tell_timeout(trace, e->tick, e->move.node, e->move.what);
        break;
    case CHECK_COMMAND:
        trace_tell_command(trace, e->tick, e->move.node, e->move.what);
        break;
    case CHECK_START:
        trace_tell_start(trace, e->tick, e->move.node);
        break;
    case CHECK_TICK:
        trace_tell_stopped(trace, e->tick, e->move.node);
        break;
    case CHECK_CRASH:
    case CHECK_RESTART:
    case CHECK_PAUSE:
    case CHECK_CUT:
    case CHECK_JOIN:
        fault = faults[e->move.kind];
        if (fault == NET_FAULT_RESTART && m->setup->back == CHECK_RETURN_BLANK)
            fault = NET_FAULT_RESTART_BLANK;
        trace_tell_fault(trace, e->tick, e->move.node,
                         (enum net_fault_kind)fault, e->pause);
        break;
    default:
        break;
    }
}

static void event(void *whom, const struct check_model *m,
                  const struct check_event *e,
                  const struct trace_letter *letters)
{
    struct trace_listener *trace = whom;

    say_event(trace, m, e);
    for (uint32_t i = 0; i < e->parts_count; i++)
        trace_tell_part(trace, m->type, &e->part[i], letters);
    if (e->broken)
        trace_tell_broken(trace, e->broken);
}

static void loop(void *whom)
{
    (void)whom; /* the trace format has no mark for it */
}

static void end(void *whom, const struct check_model *m, uint64_t tick,
                const struct check_result *r)
{
    (void)m;
    (void)trace_tell_end(whom, tick, r->at_end,
                         r->at_end || r->endless ? r->broken : 0);
}

bool check_trace(const struct check_setup *setup,
                 const struct check_result *result,
                 struct trace_listener *trace)
{
    struct check_listener listener = {trace, begin, event, loop, end};

    return check_tell(setup, result, &listener);
}

bool check_trace_in(struct check_model *model,
                    const struct check_result *result,
                    struct trace_listener *trace)
{
    struct check_listener listener = {trace, begin, event, loop, end};

    return check_tell_in(model, result, &listener);
}
