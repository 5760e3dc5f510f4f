/*
 * listen.h - the callbacks to which a run is told (see telling.h).
 */
#ifndef CHECK_LISTEN_H
#define CHECK_LISTEN_H

#include "check/model/model.h"
#include "check/tell/telling.h"

struct check_listener {
    void *whom;
    void (*begin)(void *whom, const struct check_model *m,
                  const uint32_t *vector);
    void (*event)(void *whom, const struct check_model *m,
                  const struct check_event *event,
                  const struct trace_letter *letters);
    void (*loop)(void *whom); /* what follows repeats for ever */
    void (*end)(void *whom, const struct check_model *m, uint64_t tick,
                const struct check_result *result);
};

/* False if there was no memory. */
bool check_tell(const struct check_setup *setup,
                const struct check_result *result,
                const struct check_listener *listener);

/* The same in a model that the caller has: `first` is one of its initial
 * states. */
bool check_tell_in(struct check_model *model, const struct check_result *result,
                   const struct check_listener *listener);

/* check_trace() in such a model. */
bool check_trace_in(struct check_model *model,
                    const struct check_result *result,
                    struct trace_listener *trace);

#endif
