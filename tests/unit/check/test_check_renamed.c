/*
 * test_check_renamed.c - which of all renamed states stands for them, and that
 * what is shown in the end has the names of the setup.
 */
#include "tests/unit/kit/checking.h"

#include "check/model/links.h"
#include "check/model/symmetry.h"
#include "check/search/explore.h"
#include "protocols/mutex/naimi_trehel/naimi_trehel.h"

static const struct fc_bounds none = {1, 1, 0, 0};
static const char *const symmetric[] = {"central", "central-clock",
                                        "naimi-trehel"};

/* ---- Which one stands for the others ------------------------------------- */

static uint64_t mix(uint64_t sum, const void *bytes, size_t size)
{
    for (const uint8_t *b = bytes; size-- > 0; b++)
        sum = (sum ^ *b) * UINT64_C(0x100000001b3);
    return sum;
}

/* A state by what its numbers stand for. */
static uint64_t hash_contents(struct check_model *m, uint32_t state)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    struct check_spread s;

    check_tree_load(&m->tree, state, &s);
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint8_t local[CHECK_LOCAL_MAX];

        check_local_load(m, i, s.id[m->local_at[i]], local);
        sum = mix(sum, local, m->local_size);
    }
    for (uint32_t l = 0; l < m->links_count; l++) {
        uint32_t count;
        const struct check_mail *mail =
            check_mails(m, s.id[m->link_at[l]], &count);

        for (uint32_t i = 0; i < count; i++)
            sum = mix(sum, check_bytes(&m->messages, mail[i].msg, NULL),
                      m->type->msg_size) +
                  mail[i].age;
        sum = mix(sum, &count, sizeof count);
    }
    return sum;
}

/* All states, those that were found first, or last, looked at first: the sum of
 * their contents. */
static uint64_t sum_states(struct search *s, bool last_first)
{
    struct check_model *m = calloc(1, sizeof *m);
    struct check_nexts nexts = {.list = NULL};
    uint32_t *list = calloc(100000, sizeof *list), count = 0, at = 0;
    uint64_t sum = 0;

    assert_non_null(m);
    assert_non_null(list);
    search_prepare(s);
    assert_true(check_model_begin(m, &s->check));
    check_initial(m);
    for (; count < m->tree.roots.count; count++)
        list[count] = count;
    while (last_first ? count > 0 : at < count) {
        uint32_t one = last_first ? list[--count] : list[at++];

        sum += hash_contents(m, one);
        check_expand(m, one, &nexts);
        for (uint32_t i = 0; i < nexts.count; i++) {
            bool fresh;
            uint32_t number = check_tree_put(&m->tree, nexts.list[i].pair,
                                             nexts.list[i].hash, &fresh);

            assert_true(count < 100000);
            if (fresh)
                list[count++] = number;
        }
    }
    check_release(&m->memory, nexts.list, nexts.room * sizeof *nexts.list);
    check_model_free(m);
    free(list);
    free(m);
    return sum;
}

/* In whatever order states are met and numbered, the same stand for all. */
TEST(test_contents_decide_which_one_stands_for_all)
{
    static const struct {
        const char *protocol, *settings;
        uint32_t n;
        enum net_time time;
    } trials[] = {
        {"central", "", 4, NET_ASYNC},
        {"central-clock", "", 3, NET_ASYNC},
        {"naimi-trehel", "", 4, NET_ASYNC},
        {"naimi-trehel", "", 3, NET_SYNC},
        {"itai-rodeh", "rounds=no", 4, NET_ASYNC},
    };

    for (size_t i = 0; i < COUNT(trials); i++) {
        struct search s;

        search_open(&s, trials[i].protocol, trials[i].n, trials[i].time, none,
                    trials[i].settings);
        s.check.symmetry = true;
        assert_int_equal(sum_states(&s, false), sum_states(&s, true));
        search_close(&s);
    }
}

/* ---- Ways through such states are true runs ------------------------------ */

enum { STEPS = 24 };

static uint32_t dice(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return (uint32_t)(*state >> 33);
}

static uint32_t store(struct check_model *m, struct check_spread *s)
{
    uint64_t pair;
    bool fresh;

    check_finish(m, s);
    pair = check_pair(&m->tree, s);
    return check_tree_put(&m->tree, pair, check_pair_hash(pair), &fresh);
}

/* What no run has: requests of all others on one link, which keeps no order. */
static uint32_t begin_crowded(struct check_model *m)
{
    struct check_spread s;
    uint32_t place = m->link_at[m->out[1][0]];

    check_tree_load(&m->tree, 0, &s);
    for (uint32_t i = 1; i < m->nodes; i++) {
        struct naimi_trehel_msg request = {.kind = NAIMI_TREHEL_REQUEST,
                                           .site = (uint16_t)i};
        uint32_t msg =
            check_intern(&m->messages, &m->memory, &request, sizeof request);

        check_set(&m->tree, &s, place,
                  check_changed(m, s.id[place], CHECK_MAIL_PUSH, msg));
    }
    return store(m, &s);
}

/* A way through states that stand for others, at random, as it is told; and
 * what that leads to stands for the same as the last of them.  Returns whether
 * somebody was renamed. */
static bool try_way(struct check_search *s, uint64_t seed)
{
    struct check_model *m = &s->model;
    struct check_result *r = s->result;
    struct check_move was[STEPS];
    struct check_spread run, after;
    uint32_t state = r->first;

    for (r->moves_count = 0; r->moves_count < STEPS; r->moves_count++) {
        const struct check_next *next;
        bool fresh;

        check_expand(m, state, &s->nexts);
        if (m->refusal || !s->nexts.count)
            break;
        next = &s->nexts.list[dice(&seed) % s->nexts.count];
        r->moves[r->moves_count] = was[r->moves_count] = next->move;
        state = check_tree_put(&m->tree, next->pair, next->hash, &fresh);
    }
    m->refusal = NULL;
    check_unturn(s);
    check_tree_load(&m->tree, r->first, &run);
    for (uint32_t i = 0; i < r->moves_count; i++) {
        check_apply(m, &run, &r->moves[i], &after);
        run = after;
    }
    check_tree_touch(&m->tree, &run);
    assert_int_equal(store(m, &run), state);
    return memcmp(was, r->moves, r->moves_count * sizeof was[0]) != 0;
}

TEST(test_ways_are_told_as_true_runs)
{
    uint32_t renamed = 0;

    for (size_t p = 0; p < 2 * COUNT(symmetric); p++) {
        struct check_search *search = calloc(1, sizeof *search);
        struct check_move moves[STEPS];
        struct check_result r = {.moves = moves};
        struct search s;

        assert_non_null(search);
        search_open(&s, symmetric[p / 2], 4, NET_ASYNC, none, "");
        s.sim.net.any_order = true;
        s.check.symmetry = true;
        s.check.losses = s.check.crashes = p % 2;
        search_prepare(&s);
        search->setup = &s.check;
        search->result = &r;
        assert_true(check_model_begin(&search->model, &s.check));
        check_initial(&search->model);
        if (strcmp(symmetric[p / 2], "naimi-trehel") == 0)
            r.first = begin_crowded(&search->model);
        for (uint64_t seed = 1; seed <= (is_sanitized() ? 60 : 300); seed++)
            renamed += try_way(search, seed);
        check_release(&search->model.memory, search->nexts.list,
                      search->nexts.room * sizeof *search->nexts.list);
        check_model_free(&search->model);
        search_close(&s);
        free(search);
    }
    assert_true(renamed > (is_sanitized() ? 200 : 1000));
}

/* ---- Who is not alike ---------------------------------------------------- */

/* The run that is shown is one of the setup: a node that does not compete is
 * told nothing, one that may not crash does not, and clocks are those that were
 * given. */
static void assert_kept(struct search *s, uint32_t listed, uint32_t victims)
{
    struct check_model *m = calloc(1, sizeof *m);
    struct check_result r;
    struct check_spread first;

    assert_non_null(m);
    s->check.symmetry = true;
    s->check.listed = listed;
    s->check.victims = victims;
    r = search_run(s);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    assert_true(r.moves_count > 0);
    for (uint32_t i = 0; i < r.moves_count; i++) {
        if (r.moves[i].kind == CHECK_COMMAND)
            assert_true(listed >> r.moves[i].node & 1);
        if (r.moves[i].kind == CHECK_CRASH)
            assert_true(victims >> r.moves[i].node & 1);
    }
    assert_true(check_model_begin(m, &s->check));
    check_initial(m);
    check_tree_load(&m->tree, r.first, &first);
    for (uint32_t i = 0; i < m->nodes && m->timed; i++) {
        uint64_t least, greatest;

        check_lengths(m, i, &least, &greatest);
        assert_in_range(
            check_info_of(m, i, first.id[m->local_at[i]])->head.length, least,
            greatest);
    }
    check_model_free(m);
    free(m);
    check_free(&r);
}

TEST(test_who_is_told_apart_keeps_its_name)
{
    static const struct fc_bounds bounds = {1, 2, 0, 1};

    for (uint32_t one = 1; one < 4; one++) {
        uint64_t steps[4] = {1, 1, 1, 1};
        struct search s;

        search_open(&s, "naimi-trehel", 4, NET_ASYNC, none, "");
        s.check.losses = 1;
        assert_kept(&s, 1u << one, ~UINT32_C(0));
        search_close(&s);
        search_open(&s, "naimi-trehel", 4, NET_ASYNC, none, "");
        s.check.crashes = 1;
        assert_kept(&s, ~UINT32_C(0), 1u << one);
        search_close(&s);
        search_open(&s, "naimi-trehel", 4, NET_ARCHIMEDEAN, bounds, "");
        steps[one] = 2;
        s.sim.net.clock = NET_CLOCK_LIST;
        s.sim.net.steps = steps;
        s.check.losses = 1;
        assert_kept(&s, 15, 15);
        search_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents_decide_which_one_stands_for_all),
        cmocka_unit_test(test_ways_are_told_as_true_runs),
        cmocka_unit_test(test_who_is_told_apart_keeps_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
