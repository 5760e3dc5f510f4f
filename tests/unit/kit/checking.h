/*
 * checking.h - what the tests of the checker share: a search in a few words.
 */
#ifndef CHECKING_H
#define CHECKING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "core/params.h"
#include "core/text.h"
#include "sim/sim.h"
#include "tests/unit/kit/test.h"

/* A search that sanitizers leave out. */
static inline bool too_large(uint64_t states)
{
    return is_sanitized() && states > 8000;
}

/* A search as it is set up; settings are "key=value key=value". */
struct search {
    struct sim_setup sim;
    struct check_setup check;
    void *params;
};

static inline void search_open(struct search *s, const char *protocol,
                               uint32_t n, enum net_time time,
                               struct fc_bounds bounds, const char *settings)
{
    char copy[256], *rest = copy, *word;
    const struct fc_protocol *p;

    memset(s, 0, sizeof *s);
    sim_use(&s->sim, sim_find(protocol));
    assert_non_null(s->sim.type);
    p = s->sim.net.protocol;
    s->params = calloc(1, p->params_size);
    assert_non_null(s->params);
    s->sim.net.params = s->params;
    s->sim.net.world.nodes = n;
    s->sim.net.world.bounds = bounds;
    s->sim.net.time = time;
    s->sim.net.first_name = 1;
    fc_params_default(p, s->params);
    snprintf(copy, sizeof copy, "%s", settings);
    while ((word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        const char *file = NULL;
        struct fc_wait *wait = NULL;

        if (!value)
            continue;
        *value++ = '\0';
        assert_int_equal(fc_params_set(p, s->params, word, value, &file, &wait),
                         FC_SET_DONE);
    }
    s->check = (struct check_setup){
        .listed = ~UINT32_C(0),
        .victims = ~UINT32_C(0),
        .entries = 1,
        .section = 1,
        .properties = ~UINT32_C(0),
        .cycles = true,
    };
}

static inline void search_prepare(struct search *s)
{
    const struct fc_protocol *p = s->sim.net.protocol;

    s->sim.net.returns = s->check.back != CHECK_RETURN_NEVER;
    sim_describe(&s->sim);
    s->sim.work.entries = s->check.entries;
    if (p->prepare)
        assert_null(p->prepare(s->params, &s->sim.net.world));
    s->check.net = s->sim.net;
}

static inline void search_close(struct search *s)
{
    free(s->params);
}

static inline struct check_result search_run(struct search *s)
{
    struct check_result r;

    search_prepare(s);
    check_run(&s->check, &r);
    return r;
}

#endif
