/*
 * test_token_ring.c - two timers a station keep one token: each rule, every
 * state in which a small ring can begin, and many rings with all clocks.
 */
#include "tests/unit/kit/testing.h"

#include "protocols/election/token_ring/token_ring.h"
#include "sim/batch.h"

enum { ME = 5, E = 4, T = 9, LATER = 6, MAKE = 0, OLD = 1 };

static const struct token_ring_params params = {
    .expire = E, .create = T, .later = LATER, .first = 1};

/* ---- The rules ----------------------------------------------------------- */

static struct token_ring_out happens(struct token_ring *s, fc_name name,
                                     struct fc_event event)
{
    const struct fc_named me = {name};
    const struct token_ring_in in = {event, fc_word(TOKEN_RING_TOKEN, 0)};
    struct token_ring again = *s;
    struct token_ring_out out, twice;

    memset(&out, 0, sizeof out);
    memset(&twice, 0, sizeof twice);
    token_ring_step(s, &params, &me, &in, &out);
    token_ring_step(&again, &params, &me, &in, &twice);
    assert_memory_equal(s, &again, sizeof again);
    assert_memory_equal(&out, &twice, sizeof out);
    return out;
}

static struct token_ring_out reads(struct token_ring *s)
{
    return happens(s, ME, (struct fc_event){.kind = FC_MESSAGE});
}

static struct token_ring_out times_out(struct token_ring *s, uint8_t timer)
{
    return happens(s, ME,
                   (struct fc_event){.kind = FC_TIMEOUT, .timer = timer});
}

static bool shown_young(const struct token_ring *s)
{
    struct token_view view;

    token_ring_view(s, &(struct fc_named){ME}, &view);
    assert_int_equal(view.holds, 0);
    return view.young;
}

/* Age 0: young for the E-1 steps whose timers come before the E-th reads. */
static void assert_age_zero(const struct token_ring *s,
                            const struct token_ring_out *out, uint64_t make)
{
    assert_true(shown_young(s));
    assert_int_equal(out->fx.arm, 1u << MAKE | 1u << OLD);
    assert_int_equal(out->fx.steps[MAKE], make);
    assert_int_equal(out->fx.steps[OLD], E - 1);
    assert_true(out->fx.notes & FC_NOTE_VIEW);
}

TEST(test_an_old_station_passes_a_token_on)
{
    struct token_ring s = {.status = TOKEN_RING_OLD};
    struct token_ring_out out = reads(&s);

    assert_int_equal(out.fx.sends, 1);
    assert_int_equal(fc_word_kind(out.send[0]), TOKEN_RING_TOKEN);
    assert_age_zero(&s, &out, T + LATER);
}

TEST(test_a_young_station_removes_a_token)
{
    struct token_ring s = {.status = TOKEN_RING_YOUNG};
    struct token_ring_out out = reads(&s);

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_DIES);
    assert_int_equal(out.fx.arm | out.fx.disarm, 0); /* its age goes on */
    assert_true(shown_young(&s));
}

TEST(test_an_overdue_token_is_made)
{
    struct token_ring s = {.status = TOKEN_RING_OLD};
    struct token_ring_out out = times_out(&s, MAKE);

    assert_int_equal(out.fx.sends, 1);
    assert_age_zero(&s, &out, T + LATER);
}

TEST(test_a_station_grows_old)
{
    struct token_ring s = {.status = TOKEN_RING_YOUNG};
    struct token_ring_out out = times_out(&s, OLD);

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_false(shown_young(&s));
}

TEST(test_one_station_comes_first)
{
    struct token_ring s = {.status = TOKEN_RING_OLD};
    struct token_ring_out out =
        happens(&s, 1, (struct fc_event){.kind = FC_TIMEOUT, .timer = MAKE});

    assert_int_equal(out.fx.steps[MAKE], T);
}

/* Any age below T, a token or none; asked once. */
TEST(test_a_station_begins_in_any_state)
{
    const struct fc_event start = {.kind = FC_COMMAND};

    for (uint32_t age = 0; age < T + LATER; age++)
        for (uint32_t token = 0; token < 2; token++) {
            struct token_ring s = {0};
            struct token_ring_out out = happens(&s, ME, start);

            assert_true(out.fx.notes & FC_NOTE_STARTED);
            assert_int_equal(out.fx.choose, T + LATER);
            out = happens(&s, ME,
                          (struct fc_event){.kind = FC_CHOICE, .value = age});
            assert_int_equal(out.fx.choose, 2);
            assert_int_equal(out.fx.steps[MAKE], T + LATER - age);
            assert_int_equal(shown_young(&s), age + 1 < E);
            if (age + 1 < E)
                assert_int_equal(out.fx.steps[OLD], E - 1 - age);
            else
                assert_int_equal(out.fx.disarm, 1u << OLD);
            out = happens(&s, ME,
                          (struct fc_event){.kind = FC_CHOICE, .value = token});
            assert_int_equal(out.fx.sends, token);
            assert_int_equal(out.fx.choose, 0);
            out = happens(&s, ME, start);
            assert_int_equal(out.fx.notes | out.fx.arm | out.fx.choose, 0);
        }
}

/* What is given is not drawn: the station has begun after one event. */
TEST(test_a_station_draws_only_what_is_open)
{
    for (uint8_t ages = 0; ages < 2; ages++)
        for (uint8_t start = 0; start < 3; start++) {
            struct token_ring_params p = params;
            struct token_ring s = {0};
            struct token_ring_in in = {{.kind = FC_COMMAND}, {0}};
            struct token_ring_out out;
            uint32_t drawn = 0;

            p.ages = ages;
            p.start = start;
            for (;; in.event = (struct fc_event){.kind = FC_CHOICE}) {
                memset(&out, 0, sizeof out);
                token_ring_step(&s, &p, &(struct fc_named){ME}, &in, &out);
                if (!out.fx.choose)
                    break;
                assert_true(out.fx.choose > 1);
                drawn++;
            }
            assert_int_equal(drawn, (ages == TOKEN_RING_RANDOM) +
                                        (start == TOKEN_RING_ANY));
            assert_int_equal(out.fx.sends, start == TOKEN_RING_ALL);
            assert_int_equal(s.drawing, 0);
        }
}

/* ---- Every state of a small ring ----------------------------------------- */

/* A synchronous ring, stepped by hand: this is the judge of the engine too. */
enum { STATIONS_MAX = 5 };
struct ring {
    uint32_t nodes;
    struct token_ring_params p;
    struct token_ring s[STATIONS_MAX];
    uint64_t due[STATIONS_MAX][2]; /* ticks until they run off, or FC_NEVER */
    bool comes[STATIONS_MAX];      /* a token comes to this station next tick */
};

static uint32_t tokens(const struct ring *r)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->nodes; i++)
        count += r->comes[i];
    return count;
}

static void obey(struct ring *r, uint32_t i, const struct fc_event *event,
                 bool *sends)
{
    const struct fc_named me = {i + 1};
    const struct token_ring_in in = {*event, fc_word(TOKEN_RING_TOKEN, 0)};
    struct token_ring_out out;

    memset(&out, 0, sizeof out);
    token_ring_step(&r->s[i], &r->p, &me, &in, &out);
    for (uint32_t t = 0; t < 2; t++)
        if (out.fx.arm & 1u << t)
            r->due[i][t] = out.fx.steps[t];
        else if (out.fx.disarm & 1u << t)
            r->due[i][t] = FC_NEVER;
    *sends |= out.fx.sends > 0;
}

static void tick(struct ring *r)
{
    bool next[STATIONS_MAX] = {false};

    for (uint32_t i = 0; i < r->nodes; i++) {
        bool *sends = &next[(i + 1) % r->nodes];

        for (uint32_t t = 0; t < 2; t++)
            if (r->due[i][t] != FC_NEVER)
                r->due[i][t]--;
        if (r->comes[i])
            obey(r, i, &(struct fc_event){.kind = FC_MESSAGE}, sends);
        for (uint8_t t = 0; t < 2; t++)
            if (r->due[i][t] == 0) {
                r->due[i][t] = FC_NEVER;
                obey(r, i, &(struct fc_event){.kind = FC_TIMEOUT, .timer = t},
                     sends);
            }
    }
    memcpy(r->comes, next, sizeof next);
}

static uint32_t steps_of(const struct ring *r, uint32_t i)
{
    return i == 0 || r->p.makers == TOKEN_RING_EQUAL ? r->p.create
                                                     : r->p.create + r->p.later;
}

/* The `number`-th state: an age and a token or none for each station. */
static void begin(struct ring *r, uint64_t number)
{
    for (uint32_t i = 0; i < r->nodes; i++) {
        uint32_t age = (uint32_t)(number % steps_of(r, i));

        number /= steps_of(r, i);
        r->comes[i] = number % 2;
        number /= 2;
        r->due[i][MAKE] = steps_of(r, i) - age;
        r->due[i][OLD] = FC_NEVER;
        r->s[i] = (struct token_ring){.status = TOKEN_RING_OLD};
        if (age + 1 < r->p.expire) {
            r->s[i].status = TOKEN_RING_YOUNG;
            r->due[i][OLD] = r->p.expire - 1 - age;
        }
    }
}

/* A ring of n stations, w = n: E, T and the others' delay given. */
static struct ring ring_of(uint32_t n, uint32_t expire, uint32_t create,
                           uint32_t later)
{
    struct ring r = {
        .nodes = n,
        .p = {.expire = expire, .create = create, .later = later, .first = 1}};

    return r;
}

/* How many of all states do not lead to one token for good; *states gets how
 * many there are, *longest the most ticks that were needed. */
static uint64_t bad_states(struct ring *r, uint64_t *states, uint32_t *longest)
{
    uint32_t until = 6 * (steps_of(r, 1) + r->nodes);
    uint64_t bad = 0;

    *states = 1;
    *longest = 0;
    for (uint32_t i = 0; i < r->nodes; i++)
        *states *= 2 * steps_of(r, i);
    for (uint64_t number = 0; number < *states; number++) {
        uint32_t since = 0;

        begin(r, number);
        for (uint32_t now = 1; now <= until; now++) {
            tick(r);
            if (tokens(r) != 1)
                since = now;
        }
        bad += until - since < 2 * r->nodes;
        if (until - since >= 2 * r->nodes && since > *longest)
            *longest = since;
    }
    return bad;
}

/* w/2 < E <= w, T = w+1, the others w later: from every state, for N up to 4.
 * The larger E is, the longer it takes: N^2 ticks for E = w. */
LONG_TEST(test_one_token_from_every_state)
{
    static const struct {
        uint32_t nodes, expire;
        uint64_t states;
        uint32_t longest;
    } cases[] = {{2, 2, 60, 5},
                 {3, 2, 1568, 7},
                 {3, 3, 1568, 9},
                 {4, 3, 58320, 12},
                 {4, 4, 58320, 16}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t n = cases[i].nodes, longest;
        struct ring r = ring_of(n, cases[i].expire, n + 1, n);
        uint64_t states;

        assert_int_equal(bad_states(&r, &states, &longest), 0);
        assert_int_equal(states, cases[i].states);
        assert_int_equal(longest, cases[i].longest);
    }
}

/* The conditions are needed: E above w removes the only token; with E at half
 * of w two tokens opposite each other stay; T below w makes a second; with
 * equal T some states never settle. */
LONG_TEST(test_thresholds_are_needed)
{
    struct ring early = ring_of(3, 4, 5, 3), soon = ring_of(3, 1, 2, 3);
    struct ring half = ring_of(4, 2, 5, 4);
    struct ring equal = ring_of(3, 3, 4, 3);
    uint64_t states;
    uint32_t longest;

    equal.p.makers = TOKEN_RING_EQUAL;
    assert_true(bad_states(&early, &states, &longest) > 0);
    assert_true(bad_states(&soon, &states, &longest) > 0);
    assert_int_equal(bad_states(&half, &states, &longest), 9666);
    assert_true(bad_states(&equal, &states, &longest) > 0);
}

/* ---- In the simulator ---------------------------------------------------- */

static struct sim_summary simulate(struct sim_setup *s,
                                   struct token_ring_params *p, uint64_t runs)
{
    static struct sim_summary summary;
    struct sim_batch batch = {
        .setup = s, .seed = 1, .runs = runs, .threads = 1};

    sim_use(s, sim_find("token-ring"));
    s->net.params = p;
    s->net.first_name = 1;
    s->net.naming = NET_NAMES_RANDOM;
    sim_describe(s);
    assert_null(s->net.protocol->prepare(p, &s->net.world));
    assert_int_equal(sim_batch(&batch, &summary), 0);
    assert_int_equal(summary.runs, runs);
    return summary;
}

/* Clocks and delays that leave room for E, 3 to 200 stations, whatever was
 * there at first. */
TEST(test_one_token_on_many_rings)
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0}, {1, 1, 10, 12}, {9, 10, 100, 110}, {99, 100, 500, 501}};
    static const uint32_t nodes[] = {2, 3, 7, 50, 200};

    for (size_t b = 0; b < COUNT(bounds); b++)
        for (size_t n = 0; n < COUNT(nodes); n++)
            for (int drift = 0; drift < 2; drift++) {
                struct token_ring_params p = {0};
                struct sim_setup s = {
                    .net.time = NET_ARCHIMEDEAN,
                    .net.clock = drift ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED,
                    .net.world = {.nodes = nodes[n], .bounds = bounds[b]},
                };
                uint32_t runs = rounds(nodes[n] > 7 ? 10 : 100);

                assert_int_equal(simulate(&s, &p, runs).violated, 0);
            }
}

/* Lost, doubled and late tokens: as soon as that stops, one is left. */
TEST(test_one_token_after_faults)
{
    const struct net_fault crash[] = {
        {NET_FAULT_CRASH, {.name = 2}, 100, 0},
        {NET_FAULT_RESTART_BLANK, {.name = 2}, 130, 0},
        {NET_FAULT_PAUSE, {.name = 3}, 50, 40}};
    struct token_ring_params p = {0};
    struct sim_setup s = {
        .net.time = NET_ARCHIMEDEAN,
        .net.world = {.nodes = 6, .bounds = {1, 1, 10, 12}},
        .faults = {.list = crash, .count = COUNT(crash)},
    };

    assert_int_equal(simulate(&s, &p, rounds(300)).violated, 0);
}

/* All alike: the tokens they make remove each other, for ever. */
TEST(test_equal_makers_livelock)
{
    struct token_ring_params p = {.makers = TOKEN_RING_EQUAL,
                                  .start = TOKEN_RING_NONE,
                                  .ages = TOKEN_RING_ZERO};
    struct sim_setup s = {.net.time = NET_SYNC, .net.world = {.nodes = 10}};

    assert_int_equal(simulate(&s, &p, 10).violated, 10);
}

/* What cannot work is refused with a reason. */
TEST(test_bad_thresholds_are_refused)
{
    const struct fc_world world = {.nodes = 4, .bounds = {1, 1, 0, 0}};
    struct token_ring_params p = {.expire = 9, .create = 9};

    assert_non_null(token_ring_protocol.prepare(&p, &world));
    p = (struct token_ring_params){0};
    assert_non_null(token_ring_protocol.prepare(
        &p, &(struct fc_world){.nodes = 2, .bounds = {2, 3, 1, 4}}));
    assert_null(token_ring_protocol.prepare(&p, &world));
    assert_int_equal(p.expire, 3); /* above half of a round of 4 */
    assert_int_equal(p.create, 5);
    assert_int_equal(p.later, 5);
}

/* ---- The watch ----------------------------------------------------------- */

static uint32_t judged(const int64_t *flying, size_t count)
{
    struct token_watch w;

    token_begin(&w, NULL, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        token_flying(&w, flying[i], i);
    return token_end(&w, false);
}

TEST(test_watch_wants_one_token_for_good)
{
    int64_t flying[80];

    for (size_t i = 0; i < 80; i++)
        flying[i] = i < 10 ? 0 : i < 20 ? 3 : 1;
    assert_int_equal(judged(flying, 80), 0);
    assert_int_equal(judged(flying, 20), TOKEN_ONE); /* three in the end */
    assert_int_equal(judged(flying, 10), TOKEN_ONE); /* none */
    assert_int_equal(judged(flying, 22), TOKEN_ONE); /* not for long enough */
    flying[79] = 2;
    assert_int_equal(judged(flying, 80), TOKEN_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_old_station_passes_a_token_on),
        cmocka_unit_test(test_a_young_station_removes_a_token),
        cmocka_unit_test(test_an_overdue_token_is_made),
        cmocka_unit_test(test_a_station_grows_old),
        cmocka_unit_test(test_one_station_comes_first),
        cmocka_unit_test(test_a_station_begins_in_any_state),
        cmocka_unit_test(test_a_station_draws_only_what_is_open),
        cmocka_unit_test(test_one_token_from_every_state),
        cmocka_unit_test(test_thresholds_are_needed),
        cmocka_unit_test(test_one_token_on_many_rings),
        cmocka_unit_test(test_one_token_after_faults),
        cmocka_unit_test(test_equal_makers_livelock),
        cmocka_unit_test(test_bad_thresholds_are_refused),
        cmocka_unit_test(test_watch_wants_one_token_for_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
