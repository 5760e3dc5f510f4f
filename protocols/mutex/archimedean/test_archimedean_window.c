/*
 * test_archimedean_window.c - how long a window must be: exactly Eq + Er, the
 * longest times until a request and a refusal are handled; and what those are
 * where each site reads one message a step.
 *
 * First every behaviour of a few sites is tried in which a message is handled
 * at some tick up to the bound of its kind.  Then sites with queues are run, in
 * which somebody asks and gives up all the time.
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

enum { SITES_MAX = 3, FLIGHTS_MAX = 24, TABLE = 1 << 22, DEPTH_MAX = 1000 };

struct flight {
    struct archimedean_msg msg;
    uint32_t to;
    uint16_t from, age; /* ticks */
};

struct world {
    struct archimedean site[SITES_MAX];
    uint16_t timer[SITES_MAX]; /* 1 + the ticks that are left; 0: off */
    uint8_t wishes[SITES_MAX], gives[SITES_MAX];
    uint32_t flights;
    struct flight flight[FLIGHTS_MAX];
};
_Static_assert(sizeof(struct world) % 8 == 0, "without padding");

/* Sites, wishes of each, how often each gives up; bounds on the handling of
 * requests and of replies; ticks after which who refused is asked again. */
struct scope {
    uint32_t sites, wishes, gives, request, reply, poll;
};

static struct archimedean_params params;
static struct scope scope;
static struct seen known;
static uint32_t together;

/* ---- States -------------------------------------------------------------- */

static void sort_flights(struct world *w)
{
    for (uint32_t i = 1; i < w->flights; i++) {
        struct flight f = w->flight[i];
        uint32_t j = i;

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

/* ---- Events -------------------------------------------------------------- */

static void fly(struct world *w, uint32_t from, uint32_t to,
                const struct archimedean_msg *m)
{
    assert_true(w->flights < FLIGHTS_MAX);
    w->flight[w->flights++] = (struct flight){*m, to, (uint16_t)from, 0};
}

static void act(struct world *w, uint32_t who, struct archimedean_in in)
{
    const struct fc_member me = {who, scope.sites};
    struct archimedean_out out;

    memset(&out, 0, sizeof out);
    archimedean_step(&w->site[who], &params, &me, &in, &out);
    assert_int_equal(out.fx.choose, 0);
    for (uint32_t i = 0; i < out.fx.sends; i++)
        for (uint32_t j = 0; j < scope.sites; j++)
            if (j != who && (out.fx.to[i] == j || (out.fx.to[i] == FC_SET &&
                                                   fc_set_has(&out.fx.set, j))))
                fly(w, who, j, &out.send[i]);
    if (out.fx.disarm & 1u)
        w->timer[who] = 0;
    if (out.fx.arm & 1u)
        w->timer[who] = (uint16_t)(1 + out.fx.steps[0]);
}

static bool two_inside(const struct world *w)
{
    uint32_t inside = 0;

    for (uint32_t i = 0; i < scope.sites; i++)
        inside += w->site[i].mode == ARCHIMEDEAN_INSIDE;
    return inside > 1;
}

static void explore(struct world *w, uint32_t depth);

static void try_event(const struct world *w, uint32_t who,
                      struct archimedean_in in, uint32_t depth)
{
    struct world next = *w;

    act(&next, who, in);
    if (two_inside(&next))
        together++;
    else
        explore(&next, depth + 1);
}

static void try_command(const struct world *w, uint32_t who, uint8_t what,
                        uint32_t depth)
{
    try_event(
        w, who,
        (struct archimedean_in){.event = {.kind = FC_COMMAND, .command = what}},
        depth);
}

static uint32_t longest(const struct flight *f)
{
    return f->msg.kind == ARCHIMEDEAN_REQ ? scope.request : scope.reply;
}

/* Whether a message for it must be handled at this tick. */
static bool must_read(const struct world *w, uint32_t who)
{
    for (uint32_t i = 0; i < w->flights; i++)
        if (w->flight[i].to == who &&
            w->flight[i].age >= longest(&w->flight[i]))
            return true;
    return false;
}

static void explore_site(const struct world *w, uint32_t who, uint32_t depth)
{
    struct world next = *w;
    uint8_t mode = w->site[who].mode;

    if (mode == ARCHIMEDEAN_INSIDE)
        try_command(w, who, MUTEX_LEAVE, depth);
    if (mode == ARCHIMEDEAN_IDLE && w->wishes[who]) {
        next.wishes[who]--;
        try_command(&next, who, MUTEX_WANT, depth);
    }
    next = *w;
    if (waits(&w->site[who]) && w->gives[who]) {
        next.gives[who]--;
        try_command(&next, who, ARCHIMEDEAN_GIVE_UP, depth);
    }
    next = *w;
    if (w->timer[who] == 1 && !must_read(w, who)) {
        next.timer[who] = 0;
        try_event(&next, who,
                  (struct archimedean_in){.event = {.kind = FC_TIMEOUT}},
                  depth);
    }
}

/* A tick passes, if nothing must happen before. */
static void explore_tick(const struct world *w, uint32_t depth)
{
    struct world next = *w;
    bool any = w->flights > 0;

    for (uint32_t i = 0; i < scope.sites; i++) {
        if (w->timer[i] == 1 || must_read(w, i))
            return;
        any |= w->timer[i] > 0;
        next.timer[i] = (uint16_t)(w->timer[i] ? w->timer[i] - 1 : 0);
    }
    for (uint32_t i = 0; i < w->flights; i++)
        next.flight[i].age++;
    if (any)
        explore(&next, depth + 1);
}

/* A site that asks again and again would do so for ever. */
static bool goes_on(const struct world *w)
{
    for (uint32_t i = 0; i < scope.sites; i++)
        if (w->site[i].rnd > 2)
            return false;
    return true;
}

static void explore(struct world *w, uint32_t depth)
{
    if (!goes_on(w) || !is_new(w))
        return;
    assert_true(depth < DEPTH_MAX);
    for (uint32_t i = 0; i < w->flights; i++) {
        struct flight f = w->flight[i];
        struct world rest = *w;

        if (f.age == 0)
            continue; /* nothing is read in the tick in which it was sent */
        rest.flight[i] = rest.flight[--rest.flights];
        try_event(
            &rest, f.to,
            (struct archimedean_in){
                .event = {.kind = FC_MESSAGE, .port = f.from}, .msg = f.msg},
            depth);
    }
    for (uint32_t i = 0; i < scope.sites; i++)
        explore_site(w, i, depth);
    explore_tick(w, depth);
}

/* In how many ways two get in together with a window of so many ticks. */
static uint32_t explore_scope(const struct scope *s, uint32_t window)
{
    struct world w;

    scope = *s;
    params = (struct archimedean_params){
        .rules = ARCHIMEDEAN_REPAIRED,
        .predict = ARCHIMEDEAN_PREDICT_0,
        .number = ARCHIMEDEAN_ATOMIC,
        .noted = ARCHIMEDEAN_NOTED,
        .restart = ARCHIMEDEAN_REJOINS,
        .window_steps = window,
        .poll_steps = s->poll ? s->poll : FC_NEVER,
        .longest_steps = FC_NEVER,
        .giveup_steps = FC_NEVER,
    };
    memset(&w, 0, sizeof w);
    memset(w.wishes, (int)s->wishes, sizeof w.wishes);
    memset(w.gives, (int)s->gives, sizeof w.gives);
    together = 0;
    seen_open(&known, TABLE);
    explore(&w, 0);
    seen_close(&known);
    return together;
}

/* ---- The bound is tight -------------------------------------------------- */

static void check_tight(const struct scope *s)
{
    uint32_t window = s->request + s->reply;

    if (explore_scope(s, window))
        fail_msg("%u sites, Eq %u, Er %u: two inside with a window of %u",
                 s->sites, s->request, s->reply, window);
    assert_true(known.count > 100);
    if (!explore_scope(s, window - 1))
        fail_msg("%u sites, Eq %u, Er %u: a window of %u is enough", s->sites,
                 s->request, s->reply, window - 1);
}

TEST(test_two_sites_need_just_both_ways)
{
    for (uint32_t request = 1; request <= 3; request++)
        for (uint32_t reply = 1; reply <= 3; reply++)
            check_tight(&(struct scope){2, 2, 0, request, reply, 0});
    check_tight(&(struct scope){2, 3, 0, 2, 2, 0});
    check_tight(&(struct scope){2, 2, 0, 2, 1, 1});
}

TEST(test_three_sites_need_just_both_ways)
{
    check_tight(&(struct scope){3, 1, 0, 1, 1, 0});
    check_tight(&(struct scope){3, 1, 0, 2, 1, 0});
    check_tight(&(struct scope){3, 1, 0, 1, 2, 0});
}

/* Giving up changes nothing as long as the bounds are kept. */
TEST(test_who_gives_up_needs_no_more)
{
    check_tight(&(struct scope){2, 3, 2, 2, 1, 0});
    if (!is_sanitized())
        check_tight(&(struct scope){2, 3, 2, 1, 2, 1});
}

/* ---- Queues -------------------------------------------------------------- */

enum { QUEUE = 1024, STEPS_MAX = 3 };

/* A site that reads one message a step, in the order of arrival. */
struct reader {
    struct archimedean state;
    uint64_t step, due; /* ticks of a step; when the timer runs off, or 0 */
    uint32_t first, count;
    struct {
        struct archimedean_msg msg;
        uint32_t from;
        uint64_t at;
    } queue[QUEUE];
};

struct readers {
    uint32_t sites;
    uint64_t now;
    struct archimedean_params params;
    struct reader reader[SITES_MAX];
};

static void post(struct readers *r, uint32_t from, uint32_t to,
                 const struct archimedean_msg *m)
{
    struct reader *x = &r->reader[to];

    assert_true(x->first + x->count < QUEUE);
    x->queue[x->first + x->count].msg = *m;
    x->queue[x->first + x->count].from = from;
    x->queue[x->first + x->count++].at = r->now + 1; /* dmax */
}

static bool happens(struct readers *r, uint32_t who, struct archimedean_in in)
{
    const struct fc_member me = {who, r->sites};
    struct reader *x = &r->reader[who];
    struct archimedean_out out;

    memset(&out, 0, sizeof out);
    archimedean_step(&x->state, &r->params, &me, &in, &out);
    assert_int_equal(out.fx.choose, 0);
    for (uint32_t i = 0; i < out.fx.sends; i++)
        for (uint32_t j = 0; j < r->sites; j++)
            if (j != who && (out.fx.to[i] == j || (out.fx.to[i] == FC_SET &&
                                                   fc_set_has(&out.fx.set, j))))
                post(r, who, j, &out.send[i]);
    if (out.fx.disarm & 1u)
        x->due = 0;
    if (out.fx.arm & 1u)
        x->due = r->now + out.fx.steps[0] * x->step;
    return out.fx.notes & FC_NOTE_STARTED;
}

/* The end of a step: a command, or one message; then the timer. */
static void end_step(struct readers *r, uint32_t who, int what)
{
    struct reader *x = &r->reader[who];
    bool obeyed =
        what >= 0 &&
        happens(r, who,
                (struct archimedean_in){
                    .event = {.kind = FC_COMMAND, .command = (uint8_t)what}});

    if (!obeyed && x->count && x->queue[x->first].at <= r->now) {
        struct archimedean_in in = {
            .event = {.kind = FC_MESSAGE,
                      .port = (uint16_t)x->queue[x->first].from},
            .msg = x->queue[x->first].msg};

        x->first++;
        x->count--;
        (void)happens(r, who, in);
    }
    if (x->due && x->due <= r->now) {
        x->due = 0;
        (void)happens(r, who,
                      (struct archimedean_in){.event = {.kind = FC_TIMEOUT}});
    }
}

static void open_readers(struct readers *r, uint32_t sites)
{
    struct fc_world world = {
        .nodes = sites, .bounds = {1, STEPS_MAX, 1, 1}, .bounded = true};

    memset(r, 0, sizeof *r);
    r->sites = sites;
    fc_params_default(&archimedean_protocol, &r->params);
    assert_null(archimedean_prepare(&r->params, &world));
    r->params.mindelay_steps = 0;
    r->params.predict = ARCHIMEDEAN_PREDICT_0;
    for (uint32_t i = 0; i < sites; i++)
        r->reader[i].step = i == 0 ? STEPS_MAX : 1; /* the first is slow */
}

static bool is_inside(const struct readers *r, uint32_t who)
{
    return r->reader[who].state.mode == ARCHIMEDEAN_INSIDE;
}

/* The first site is inside and slow.  The second asks and gives up as often as
 * it can; then the last, which is another or the same, asks. */
static bool two_get_in(uint32_t sites)
{
    struct readers *r = calloc(1, sizeof *r);
    uint32_t last = sites - 1;
    bool both = false;

    assert_non_null(r);
    open_readers(r, sites);
    while (!is_inside(r, 0)) {
        r->now++;
        if (r->now % STEPS_MAX == 0)
            end_step(r, 0, MUTEX_WANT);
    }
    for (uint32_t i = 0; i < 1000 && !both; i++) {
        bool gives_up = i < 300 && waits(&r->reader[1].state);
        int second = gives_up ? ARCHIMEDEAN_GIVE_UP : i < 300 ? MUTEX_WANT : -1;

        r->now++;
        if (r->now % STEPS_MAX == 0)
            end_step(r, 0, -1);
        if (sites > 2)
            end_step(r, 1, second);
        end_step(r, last, i >= 300 ? MUTEX_WANT : sites > 2 ? -1 : second);
        both = is_inside(r, 0) && is_inside(r, last);
    }
    free(r);
    return both;
}

/* AR-12: a site that could ask again at once would fill queues. */
TEST(test_giving_up_fills_no_queue)
{
    assert_false(two_get_in(2));
    assert_false(two_get_in(3));
}

/* ---- The count ----------------------------------------------------------- */

static struct archimedean_params prepared(const struct fc_world *world,
                                          uint8_t restart)
{
    struct archimedean_params p;

    fc_params_default(&archimedean_protocol, &p);
    p.restart_set = restart;
    assert_null(archimedean_prepare(&p, world));
    return p;
}

/* Where sites come back, replies to hellos and to requests of former lives are
 * in the queues; where they go on as if nothing had been, nobody says hello. */
TEST(test_waits_are_longer_where_sites_come_back)
{
    struct fc_world world = {
        .nodes = 5, .bounds = {1, 2, 0, 3}, .bounded = true};
    uint64_t stays = (4 + 2 * 4 + 2) * 2;
    uint64_t returns = (4 + 4 * 4 + 2 + 2) * 2;
    struct archimedean_params p = prepared(&world, 0);

    assert_int_equal(p.window_steps, 2 * 3 + 2 * stays);
    world.returns = true;
    p = prepared(&world, 0);
    assert_int_equal(p.window_steps, 2 * 3 + 2 * returns);
    assert_int_equal(p.mute_steps, 3 + returns);
    p = prepared(&world, ARCHIMEDEAN_INFORMED);
    assert_int_equal(p.window_steps, 2 * 3 + 2 * returns);
    p = prepared(&world, ARCHIMEDEAN_GOES_ON);
    assert_int_equal(p.window_steps, 2 * 3 + 2 * stays);
}

/* Ticks are rounded up to steps: 2 (5 + 14 * 4) of them in steps of 3. */
TEST(test_windows_are_rounded_up)
{
    struct fc_world world = {
        .nodes = 5, .bounds = {3, 4, 0, 5}, .bounded = true};
    struct archimedean_params p = prepared(&world, 0);

    assert_int_equal(p.window_steps, 41);
    assert_int_equal(p.mute_steps, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_sites_need_just_both_ways),
        cmocka_unit_test(test_three_sites_need_just_both_ways),
        cmocka_unit_test(test_who_gives_up_needs_no_more),
        cmocka_unit_test(test_giving_up_fills_no_queue),
        cmocka_unit_test(test_waits_are_longer_where_sites_come_back),
        cmocka_unit_test(test_windows_are_rounded_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
