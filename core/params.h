/*
 * params.h - setting a protocol's parameters from text.
 */
#ifndef FC_PARAMS_H
#define FC_PARAMS_H

#include "core/entry.h"

enum fc_set_result {
    FC_SET_DONE,
    FC_SET_NO_KEY,    /* the protocol has no such parameter */
    FC_SET_BAD_VALUE, /* the value is not of the parameter's form */
    FC_SET_NEEDS_FILE /* *file names a table the caller must load */
};

/* Zeroes `params` and sets every parameter to its default. */
FC_EXTERN void fc_params_default(const struct fc_protocol *p, void *params);

/* Sets one parameter.  On FC_SET_NEEDS_FILE the wait at *wait needs its table.
 * On failure `params` is untouched. */
struct fc_wait;
FC_EXTERN enum fc_set_result fc_params_set(const struct fc_protocol *p,
                                           void *params, const char *key,
                                           const char *value, const char **file,
                                           struct fc_wait **wait);

/* The parameter with this key, or NULL. */
FC_EXTERN const struct fc_param *fc_params_find(const struct fc_protocol *p,
                                                const char *key);

#endif
