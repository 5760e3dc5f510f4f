/*
 * test_archimedean_orders.c - proven silence under every order of events: all
 * messages in any order, early, late or never, all timers at any time, crashes
 * anywhere.
 *
 * A few sites with a few wishes each; timers that make sites repeat themselves
 * run off a few times.
 */
#define FC_NODES_MAX 4
#define FC_TYPED
#include "protocols/mutex/archimedean/archimedean.c"

/* tests/unit/kit/testing.h knows the protocols of the library. */
#undef FC_TYPED
#undef FC_API
#define FC_API
#include "tests/unit/kit/seen.h"
#include "tests/unit/kit/testing.h"

enum { SITES_MAX = 3, FLIGHTS_MAX = 32, TABLE = 1 << 20, DEPTH_MAX = 400 };

struct flight {
    struct archimedean_msg msg;
    uint32_t from, to;
};

struct world {
    struct archimedean site[SITES_MAX];
    uint8_t wishes[SITES_MAX], repeats[SITES_MAX], armed[SITES_MAX];
    uint8_t crashes, epochs, unused[5];
    uint64_t flights;
    struct flight flight[FLIGHTS_MAX];
};

struct scope {
    uint32_t sites;
    uint8_t wishes, repeats, crashes;
    bool blank, hasten, readers;
    uint32_t states, ends; /* what is found */
};

static struct archimedean_params params;
static struct seen known;
static uint32_t ends, sites;
static bool blank, readers;

/* ---- States -------------------------------------------------------------- */

static void sort_flights(struct world *w)
{
    for (uint64_t i = 1; i < w->flights; i++) {
        struct flight f = w->flight[i];
        uint64_t j = i;

        for (; j > 0 && memcmp(&w->flight[j - 1], &f, sizeof f) > 0; j--)
            w->flight[j] = w->flight[j - 1];
        w->flight[j] = f;
    }
    memset(w->flight + w->flights, 0,
           (FLIGHTS_MAX - w->flights) * sizeof w->flight[0]);
}

static bool is_new(struct world *w)
{
    sort_flights(w);
    return is_first(&known, w, sizeof *w);
}

static void fly(struct world *w, uint32_t from, uint32_t to,
                const struct archimedean_msg *m)
{
    assert_true(w->flights < FLIGHTS_MAX);
    w->flight[w->flights++] = (struct flight){*m, from, to};
}

static void act(struct world *w, uint32_t who, struct archimedean_in in)
{
    const struct fc_member me = {who, sites};
    struct archimedean_out out;

    do {
        memset(&out, 0, sizeof out);
        archimedean_step(&w->site[who], &params, &me, &in, &out);
        for (uint32_t i = 0; i < out.fx.sends; i++)
            for (uint32_t j = 0; j < sites; j++)
                if (j != who &&
                    (out.fx.to[i] == j ||
                     (out.fx.to[i] == FC_SET && fc_set_has(&out.fx.set, j))))
                    fly(w, who, j, &out.send[i]);
        w->armed[who] &= (uint8_t)~out.fx.disarm;
        w->armed[who] |= out.fx.arm;
        assert_null(archimedean_sane(&w->site[who], &params, &me));
        in = (struct archimedean_in){.event = {.kind = FC_GO_ON}};
        if (out.fx.choose) {
            in.event.kind = FC_CHOICE;
            if (w->site[who].mode == ARCHIMEDEAN_MUTE)
                in.event.value = w->epochs++;
        }
    } while (out.fx.choose || out.fx.go_on);
    /* A site that has left has told those that it had deferred. */
    assert_true(w->site[who].mode != ARCHIMEDEAN_IDLE ||
                fc_set_empty(&w->site[who].deferred));
}

/* ---- Orders -------------------------------------------------------------- */

static void explore(struct world *w, uint32_t depth);

static void check_inside(const struct world *w)
{
    uint32_t read = 0, write = 0;

    for (uint32_t i = 0; i < sites; i++) {
        bool inside = w->site[i].mode == ARCHIMEDEAN_INSIDE;

        read += inside && w->site[i].shared;
        write += inside && !w->site[i].shared;
    }
    assert_true(write == 0 || write + read == 1);
}

static void try_event(const struct world *w, uint32_t who,
                      struct archimedean_in in, uint32_t depth)
{
    struct world next = *w;

    if (in.event.kind == FC_COMMAND && in.event.command != MUTEX_LEAVE)
        next.wishes[who]--;
    if (in.event.kind == FC_TIMEOUT)
        next.armed[who] &= (uint8_t) ~(1u << in.event.timer);
    if (in.event.kind == FC_TIMEOUT && in.event.timer == 0)
        next.repeats[who]--;
    if (in.event.kind == FC_BOOT) {
        next.crashes--;
        next.armed[who] = 0;
        if (blank)
            memset(&next.site[who], 0, sizeof next.site[who]);
    }
    act(&next, who, in);
    check_inside(&next);
    explore(&next, depth + 1);
}

/* What may happen to a site besides messages; returns whether anything can. */
static bool explore_site(const struct world *w, uint32_t who, uint32_t depth)
{
    struct archimedean_in in = {.event = {.kind = FC_COMMAND}};
    uint8_t mode = w->site[who].mode;
    bool any = false;

    if (mode == ARCHIMEDEAN_INSIDE)
        in.event.command = MUTEX_LEAVE;
    else if (readers && who > 0)
        in.event.command = MUTEX_WANT_SHARED;
    if (mode == ARCHIMEDEAN_INSIDE ||
        (mode == ARCHIMEDEAN_IDLE && w->wishes[who] > 0)) {
        try_event(w, who, in, depth);
        any = true;
    }
    in.event.kind = FC_TIMEOUT;
    for (uint8_t t = 0; t < 2; t++) {
        in.event.timer = t;
        if (!(w->armed[who] & 1u << t) || (t == 0 && w->repeats[who] == 0))
            continue;
        try_event(w, who, in, depth);
        any = true;
    }
    in.event.kind = FC_BOOT;
    if (w->crashes > 0) {
        try_event(w, who, in, depth);
        any = true;
    }
    return any;
}

static void explore(struct world *w, uint32_t depth)
{
    bool any = w->flights > 0;

    if (!is_new(w))
        return;
    assert_true(depth < DEPTH_MAX);
    for (uint64_t i = 0; i < w->flights; i++) {
        struct flight f = w->flight[i];
        struct world rest = *w;

        if (i > 0 && memcmp(&w->flight[i - 1], &f, sizeof f) == 0)
            continue; /* the same again */
        rest.flight[i] = rest.flight[--rest.flights];
        try_event(&rest, f.to,
                  (struct archimedean_in){
                      .event = {.kind = FC_MESSAGE, .port = (uint16_t)f.from},
                      .msg = f.msg},
                  depth);
    }
    for (uint32_t i = 0; i < sites; i++)
        any |= explore_site(w, i, depth);
    ends += !any;
}

static void explore_scope(const struct scope *scope)
{
    struct world w;

    params = (struct archimedean_params){
        .rules = ARCHIMEDEAN_PROVEN,
        .predict = ARCHIMEDEAN_PREDICT_0,
        .number = ARCHIMEDEAN_ATOMIC,
        .noted = ARCHIMEDEAN_NOTED,
        .restart = ARCHIMEDEAN_REJOINS,
        .hasten = scope->hasten,
        .shares = scope->readers,
        .poll_steps = 1,
        .repeat_steps = 1,
        .tau = 1,
        .epochs = 100,
        .longest_steps = FC_NEVER,
        .giveup_steps = FC_NEVER,
    };
    memset(&w, 0, sizeof w);
    memset(w.wishes, scope->wishes, sizeof w.wishes);
    memset(w.repeats, scope->repeats, sizeof w.repeats);
    w.crashes = scope->crashes;
    sites = scope->sites;
    blank = scope->blank;
    readers = scope->readers;
    ends = 0;
    seen_open(&known, TABLE);
    explore(&w, 0);
    assert_int_equal(known.count, scope->states);
    assert_int_equal(ends, scope->ends);
    seen_close(&known);
}

/* ---- Scopes -------------------------------------------------------------- */

/* So many states, so many ends, and never two inside. */
TEST(test_no_order_of_events_lets_two_in)
{
    static const struct scope scopes[] = {
        {2, 1, 1, 0, false, true, false, 1613, 18},
        {2, 1, 2, 0, false, true, false, 18205, 54},
        {2, 2, 1, 0, false, true, false, 76495, 56},
        {2, 1, 1, 0, false, false, false, 2035, 18},
        {3, 1, 0, 0, false, true, false, 27248, 13},
        {3, 1, 0, 0, false, true, true, 31243, 13},
    };

    for (uint32_t i = 0; i < (is_sanitized() ? 2 : COUNT(scopes)); i++)
        explore_scope(&scopes[i]);
}

LONG_TEST(test_no_crash_lets_two_in)
{
    static const struct scope scopes[] = {
        {2, 1, 1, 1, false, true, false, 13049, 115},
        {2, 1, 1, 1, true, true, false, 40489, 206},
        {2, 1, 1, 1, true, false, false, 44955, 217},
        {2, 1, 0, 2, true, true, false, 12328, 143},
        {2, 2, 0, 1, true, true, false, 20321, 168},
    };

    for (uint32_t i = 0; i < COUNT(scopes); i++)
        explore_scope(&scopes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_order_of_events_lets_two_in),
        cmocka_unit_test(test_no_crash_lets_two_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
