/*
 * trace.c - a run of the checker as a trace of the simulator (docs/trace.md).
 */
#include "check/listen.h"

static void begin(void *whom, const struct check_model *m,
                  const uint32_t *vector)
{
    struct sim_trace *trace = whom;

    sim_trace_begin(trace, m->setup->sim, &m->names, 1);
    for (uint32_t i = 0; i < m->nodes && m->timed; i++) {
        const struct check_head *head =
            &check_info_of(m, i, vector[m->local_at[i]])->head;

        sim_trace_step(trace, i, m->uniform ? head->length : 1,
                       m->uniform ? head->length - head->age : 0);
    }
    sim_trace_body(trace);
}

void check_trace_part(struct sim_trace *trace, const struct check_type *type,
                      const struct check_part *p,
                      const struct check_letter *letters)
{
    struct fc_shown before, after;

    if (p->range)
        sim_trace_choice(trace, p->value, p->range);
    for (uint32_t i = 0; i < p->letters_count; i++) {
        const struct check_letter *l = &letters[p->letters + i];
        uint64_t fields[FC_FIELDS_MAX];
        uint32_t count = type->fields(l->msg, fields);

        sim_trace_send(trace, l->id, type->kind(l->msg), fields, count, l->to,
                       l->arrives, l->copy);
    }
    for (uint32_t t = 0; t < type->timers; t++) {
        if (p->fx.arm & 1u << t)
            sim_trace_arm(trace, t, p->fx.steps[t]);
        else if (p->stopped & 1u << t)
            sim_trace_stop(trace, t);
    }
    if (p->fx.notes)
        sim_trace_notes(trace, p->fx.notes);
    if (!(p->fx.notes & FC_NOTE_VIEW))
        return;
    type->show(p->before, &before);
    type->show(p->after, &after);
    sim_trace_view(trace, &before, &after);
}

static void say_event(struct sim_trace *trace, const struct check_model *m,
                      const struct check_event *e)
{
    struct sim_fault fault = {.kind = SIM_FAULT_CRASH, .node = e->move.node};
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t count;

    switch ((enum check_move_kind)e->move.kind) {
    case CHECK_READ:
    case CHECK_MISS:
        count = m->type->fields(e->read.msg, fields);
        (e->move.kind == CHECK_READ ? sim_trace_read : sim_trace_misses)(
            trace, e->tick, e->read.to, e->read.id, m->type->kind(e->read.msg),
            fields, count);
        break;
    case CHECK_TIMEOUT:
        sim_trace_timeout(trace, e->tick, e->move.node, e->move.what);
        break;
    case CHECK_COMMAND:
        sim_trace_command(trace, e->tick, e->move.node, e->move.what);
        break;
    case CHECK_START:
        sim_trace_start(trace, e->tick, e->move.node);
        break;
    case CHECK_TICK:
        sim_trace_stopped(trace, e->tick, e->move.node);
        break;
    case CHECK_PAUSE:
    case CHECK_CUT:
    case CHECK_JOIN:
        fault.kind = e->move.kind == CHECK_PAUSE ? SIM_FAULT_PAUSE
                     : e->move.kind == CHECK_CUT ? SIM_FAULT_CUT
                                                 : SIM_FAULT_JOINED;
        fault.ticks = e->pause;
        sim_trace_fault(trace, e->tick, &fault);
        break;
    case CHECK_RESTART:
        fault.kind = m->setup->back == CHECK_RETURN_BLANK
                         ? SIM_FAULT_RESTART_BLANK
                         : SIM_FAULT_RESTART;
        sim_trace_fault(trace, e->tick, &fault);
        break;
    case CHECK_CRASH:
        sim_trace_fault(trace, e->tick, &fault);
        break;
    default:
        break;
    }
}

static void event(void *whom, const struct check_model *m,
                  const struct check_event *e,
                  const struct check_letter *letters)
{
    struct sim_trace *trace = whom;

    say_event(trace, m, e);
    for (uint32_t i = 0; i < e->parts_count; i++)
        check_trace_part(trace, m->type, &e->part[i], letters);
    if (e->broken)
        sim_trace_broken(trace, e->broken);
}

static void loop(void *whom)
{
    (void)whom; /* a trace has no sign for that */
}

static void end(void *whom, const struct check_model *m, uint64_t tick,
                const struct check_result *r)
{
    (void)m;
    (void)sim_trace_end(whom, tick, r->at_end,
                        r->at_end || r->endless ? r->broken : 0);
}

bool check_trace(const struct check_setup *setup,
                 const struct check_result *result, struct sim_trace *trace)
{
    struct check_listener listener = {trace, begin, event, loop, end};

    return check_tell(setup, result, &listener);
}
