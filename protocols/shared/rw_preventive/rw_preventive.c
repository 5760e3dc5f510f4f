/*
 * rw_preventive.c - readers and writers by mutual exclusion (Spirakis and
 * Tampakas 1989, section 3.1).
 *
 * "Readers never give a negative answer to a request of another reader.  The
 * writer follows the original protocol."  So it is archimedean.c, whose
 * requests say whether they are to read; numbers are noted all the same.  If it
 * is fixed which sites read, readers do not ask each other at all.
 *
 * RP-1 is the quotation (has_priority() of archimedean_acts.inc), RP-2 that
 * readers skip readers where readers are fixed (fill_asked()).
 *
 * Assumes what archimedean.c assumes.
 *
 * From: P. Spirakis, B. Tampakas, RAIRO ITA 23(1), 1989.
 */
#include "protocols/shared/rw_preventive/rw_preventive.h"

#ifdef FC_TYPED
#include "protocols/mutex/archimedean/archimedean.c"
#endif

FC_API void rw_preventive_step(struct rw_preventive *s,
                               const struct rw_preventive_params *p,
                               const struct fc_member *me,
                               const struct rw_preventive_in *in,
                               struct rw_preventive_out *out)
{
    archimedean_step(&s->site, p, me, in, out);
}

FC_VIEW(rw_preventive)
{
    archimedean_view(&s->site, me, view);
}

FC_INVARIANT(rw_preventive)
{
    return archimedean_sane(&s->site, p, me);
}

MUTEX_QUEUE(rw_preventive, fc_set_count(&s->site.deferred));

#ifndef FC_TYPED

static const char *prepare(void *params, const struct fc_world *world)
{
    ((struct rw_preventive_params *)params)->shares = 1;
    return archimedean_prepare(params, world);
}

/* An entry asks everybody at most, and each refuses and grants once. */
FC_COSTS(rw_preventive)
{
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               3.0 * (w->nodes - 1), "3(n-1)"};
    return 1;
}

const struct fc_protocol rw_preventive_protocol = {
    .name = "rw-preventive",
    .title = "Spirakis, Tampakas 1989, readers and writers",
    .idea = "silence is consent, and no reader refuses a reader",
    .assumes = "bounds on steps and delays, reliable links in any order; "
               "rules=proven: no bounds",
    .source = "P. Spirakis, B. Tampakas, RAIRO ITA 23(1), 1989, section 3.1",
    FC_ENTRY(rw_preventive, archimedean_kinds),
    FC_PREDICATES(archimedean_predicates),
    FC_TERMS(rw_preventive, .shares = MUTEX_SHARES_MOSTLY),
    .needs = FC_NEEDS_BOUNDS | FC_NEEDS_TIME,
    .needs_with = archimedean_needs,
    FC_PARAMS(archimedean_list),
    .prepare = prepare,
    .horizon = archimedean_horizon,
    .wraps = archimedean_wraps,
    FC_COSTS_OF(rw_preventive),
};

#endif
