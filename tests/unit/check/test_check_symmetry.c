/*
 * test_check_symmetry.c - nodes that are interchangeable may be renamed: what
 * they do is renamed with them, each state stands for exactly those that it can
 * be renamed to, and no verdict changes.
 */
#include "tests/unit/kit/checking.h"

#include "check/model/judge.h"
#include "check/model/symmetry.h"
#include "check/search/explore.h"
#include "problems/mutex.h"

static const struct fc_bounds none = {1, 1, 0, 0};

struct way {
    const char *name;
    struct fc_bounds bounds;
    enum net_time time;
    uint32_t nodes, entries, crashes, losses, copies, cuts, pauses, late;
    enum check_return back;
    uint32_t only;
    bool drift, any_order;
    uint8_t unused[2];
};

static const char *const symmetric[] = {"central", "central-clock",
                                        "naimi-trehel"};

static const struct way ways[] = {
    {"async", {1, 1, 0, 0}, NET_ASYNC, .nodes = 3},
    {"again", {1, 1, 0, 0}, NET_ASYNC, .nodes = 3, .entries = 2},
    {"any order", {1, 1, 0, 0}, NET_ASYNC, .nodes = 3, .any_order = true},
    {"crash", {1, 1, 0, 0}, NET_ASYNC, .nodes = 3, .crashes = 1},
    {"return",
     {1, 1, 0, 0},
     NET_ASYNC,
     .nodes = 3,
     .crashes = 1,
     .back = CHECK_RETURN_SAME},
    {"blank",
     {1, 1, 0, 0},
     NET_ASYNC,
     .nodes = 3,
     .crashes = 1,
     .back = CHECK_RETURN_BLANK,
     .only = MUTEX_EXCLUSION},
    {"loss", {1, 1, 0, 0}, NET_ASYNC, .nodes = 3, .losses = 1},
    {"copies, any order",
     {1, 1, 0, 0},
     NET_ASYNC,
     .nodes = 3,
     .entries = 2,
     .copies = 1,
     .any_order = true,
     .only = MUTEX_EXCLUSION},
    {"copies",
     {1, 1, 0, 0},
     NET_ASYNC,
     .nodes = 4,
     .copies = 1,
     .only = MUTEX_EXCLUSION},
    {"sync", {1, 1, 0, 0}, NET_SYNC, .nodes = 3},
    {"bounds", {1, 2, 0, 1}, NET_ARCHIMEDEAN, .nodes = 3},
    {"drift", {1, 2, 0, 2}, NET_ARCHIMEDEAN, .nodes = 3, .drift = true},
    {"late", {1, 1, 0, 1}, NET_ARCHIMEDEAN, .nodes = 3, .late = 2},
    {"cut", {1, 1, 0, 0}, NET_SYNC, .nodes = 3, .cuts = 1},
    {"cut, async", {1, 1, 0, 0}, NET_ASYNC, .nodes = 3, .cuts = 1},
    {"pause", {1, 1, 0, 0}, NET_SYNC, .nodes = 3, .pauses = 1},
};

static void open_way(struct search *s, const char *protocol,
                     const struct way *w)
{
    search_open(s, protocol, w->nodes, w->time, w->bounds, "");
    s->sim.net.clock = w->drift ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED;
    s->sim.net.any_order = w->any_order;
    s->check.entries = w->entries ? w->entries : 1;
    s->check.crashes = w->crashes;
    s->check.losses = w->losses;
    s->check.copies = w->copies;
    s->check.cuts = w->cuts;
    s->check.pauses = w->pauses;
    s->check.cut_max = s->check.pause_max = 2;
    s->check.late_ticks = w->late;
    s->check.back = w->back;
    s->check.victims = ~UINT32_C(0);
    s->check.states_max = is_sanitized() ? 4000 : 40000;
    if (w->only)
        s->check.properties = w->only;
}

/* ---- Renaming and steps commute ------------------------------------------ */

/* All states that stand for others, or enough of them; each is given to `look`
 * with what can happen in it. */
struct walk {
    struct check_model *model;
    struct check_nexts nexts;
    uint64_t states; /* that those which were met stand for */
};

static void walk(struct walk *w, uint32_t most,
                 void (*look)(struct walk *w, uint32_t state))
{
    struct check_tree *tree = &w->model->tree;

    check_initial(w->model);
    for (uint32_t i = 0; i < tree->roots.count && i < most; i++) {
        check_expand(w->model, i, &w->nexts);
        if (w->model->refusal)
            return; /* it sends to itself, which is no matter of names */
        for (uint32_t k = 0; k < w->nexts.count; k++) {
            const struct check_next *next = &w->nexts.list[k];
            bool fresh;

            (void)check_tree_put(tree, next->pair, next->hash, &fresh);
        }
        look(w, i);
        assert_true(check_sound(w->model));
    }
}

static void with_model(struct search *s, uint32_t most, struct walk *w,
                       void (*look)(struct walk *w, uint32_t state))
{
    *w = (struct walk){.model = calloc(1, sizeof *w->model)};
    assert_non_null(w->model);
    s->check.symmetry = true;
    search_prepare(s);
    assert_true(check_model_begin(w->model, &s->check));
    walk(w, most, look);
    check_release(&w->model->memory, w->nexts.list,
                  w->nexts.room * sizeof *w->nexts.list);
    check_model_free(w->model);
    free(w->model);
}

static void assert_commutes(struct check_model *m, uint32_t state,
                            struct check_move move, uint32_t naming)
{
    const uint16_t *to = m->namings[naming].to;
    struct check_spread base, after, renamed;

    check_tree_load(&m->tree, state, &base);
    check_apply(m, &base, &move, &after);
    check_rename(m, &after, naming);
    check_rename(m, &base, naming);
    move.node = to[move.node];
    if (check_takes_mail((enum check_move_kind)move.kind))
        move.link = (uint16_t)check_link_named(m, move.link, to);
    check_apply(m, &base, &move, &renamed);
    assert_memory_equal(renamed.id, after.id, m->places * sizeof after.id[0]);
}

static void all_commute(struct walk *w, uint32_t state)
{
    for (uint32_t i = 0; i < w->nexts.count; i++)
        for (uint32_t k = 0; k < w->model->namings_count; k++)
            assert_commutes(w->model, state, w->nexts.list[i].move, k);
}

/* Do something and rename, or rename and do it: the same. */
TEST(test_renaming_commutes_with_steps)
{
    for (size_t p = 0; p < COUNT(symmetric); p++)
        for (size_t i = 0; i < COUNT(ways); i++) {
            struct search s;
            struct walk w;

            if (ways[i].any_order)
                continue; /* there, a message may change its place */
            open_way(&s, symmetric[p], &ways[i]);
            s.sim.net.world.nodes = 4;
            print_message("%s, %s\n", symmetric[p], ways[i].name);
            with_model(&s, rounds(400), &w, all_commute);
            search_close(&s);
        }
}

/* ---- Each stands for those that it can be renamed to --------------------- */

static void count_renamed(struct walk *w, uint32_t state)
{
    struct check_model *m = w->model;
    struct check_spread *all = calloc(m->namings_count, sizeof *all);
    size_t size = m->places * sizeof all->id[0];

    assert_non_null(all);
    for (uint32_t i = 0; i < m->namings_count; i++) {
        bool known = false;

        check_tree_load(&m->tree, state, &all[i]);
        check_rename(m, &all[i], i);
        for (uint32_t k = 0; k < i && !known; k++)
            known = memcmp(all[k].id, all[i].id, size) == 0;
        w->states += !known;
    }
    free(all);
}

/* All names of all states that were found are all states that there are; but if
 * not all properties count, less is remembered. */
TEST(test_states_stand_for_all_others)
{
    for (size_t p = 0; p < COUNT(symmetric); p++)
        for (size_t i = 0; i < COUNT(ways); i++) {
            struct check_result r;
            struct search s;
            struct walk w;

            open_way(&s, symmetric[p], &ways[i]);
            s.check.cycles = false;
            r = search_run(&s);
            if (r.verdict == CHECK_HOLDS && !ways[i].only) {
                with_model(&s, UINT32_MAX, &w, count_renamed);
                print_message("%s, %s: %ju\n", symmetric[p], ways[i].name,
                              (uintmax_t)r.states);
                assert_int_equal(w.states, r.states);
            }
            check_free(&r);
            search_close(&s);
        }
}

/* ---- With and without, everything comes out the same --------------------- */

/* What the run that is shown breaks, when it is gone through once more. */
static uint32_t broken_by_run(struct search *s, const struct check_result *r)
{
    struct check_model *m = calloc(1, sizeof *m);
    struct check_spread base, after;
    struct net_scene scene;
    struct net_news news = {.broken = 0};
    uint32_t broken;

    assert_non_null(m);
    assert_true(check_model_begin(m, &s->check));
    check_initial(m);
    check_tree_load(&m->tree, r->first, &base);
    for (uint32_t i = 0; i < r->moves_count; i++) {
        assert_int_equal(news.broken, 0); /* not before the last */
        if (check_takes_mail((enum check_move_kind)r->moves[i].kind))
            assert_int_not_equal(base.id[m->link_at[r->moves[i].link]], 0);
        check_apply(m, &base, &r->moves[i], &after);
        check_judge(m, base.id, &r->moves[i], after.id, &news);
        base = after;
    }
    check_look(m, base.id, &scene);
    broken =
        r->at_end ? m->type->end(&scene) & s->check.properties : news.broken;
    check_model_free(m);
    free(m);
    return broken;
}

static bool compare(struct search *s)
{
    struct check_result full, one;
    bool complete;

    s->check.symmetry = false;
    full = search_run(s);
    s->check.symmetry = true;
    one = search_run(s);
    complete = full.verdict != CHECK_INCOMPLETE;
    if (complete) {
        assert_int_equal(one.verdict, full.verdict);
        if (s->check.properties == ~UINT32_C(0)) /* see above */
            assert_int_equal(one.depth, full.depth);
        assert_int_equal(one.moves_count, full.moves_count);
        assert_int_equal(one.at_end, full.at_end);
        assert_int_equal(one.endless, full.endless);
        assert_int_equal(one.reached, full.reached);
        assert_true(one.states <= full.states);
    }
    if (full.verdict == CHECK_HOLDS)
        assert_int_equal(one.acyclic, full.acyclic);
    if (full.verdict == CHECK_VIOLATED && !full.endless)
        assert_int_equal(broken_by_run(s, &one), one.broken);
    check_free(&full);
    check_free(&one);
    return complete;
}

TEST(test_no_verdict_changes)
{
    uint32_t compared = 0;

    for (size_t p = 0; p < COUNT(symmetric); p++)
        for (size_t i = 0; i < COUNT(ways); i++) {
            struct search s;

            open_way(&s, symmetric[p], &ways[i]);
            print_message("%s, %s\n", symmetric[p], ways[i].name);
            compared += compare(&s);
            search_close(&s);
        }
    print_message("%u compared\n", compared);
    assert_true(compared > (is_sanitized() ? 20 : 40));
}

/* Both reductions: no verdict changes, and every end is found, once for all its
 * names. */
TEST(test_symmetry_and_reduction_go_together)
{
    for (size_t p = 0; p < COUNT(symmetric); p++)
        for (size_t i = 0; i < COUNT(ways); i++) {
            struct check_result one, both;
            struct search s;

            open_way(&s, symmetric[p], &ways[i]);
            s.check.symmetry = true;
            one = search_run(&s);
            s.check.reduce = true;
            if (one.verdict != CHECK_INCOMPLETE &&
                !check_irreducible(&s.check)) {
                both = search_run(&s);
                print_message("%s, %s\n", symmetric[p], ways[i].name);
                assert_int_equal(both.verdict, one.verdict);
                if (one.verdict == CHECK_HOLDS)
                    assert_int_equal(both.terminal, one.terminal);
                check_free(&both);
            }
            check_free(&one);
            search_close(&s);
        }
}

/* ---- Numbers of states --------------------------------------------------- */

TEST(test_so_many_states_are_left)
{
    static const struct {
        const char *protocol;
        uint32_t n;
        enum net_time time;
        uint32_t competitors;
        bool reducible; /* how far depends on what stands for all */
        uint64_t full, one;
    } pinned[] = {
        {"central", 4, NET_ASYNC, ~UINT32_C(0), false, 746, 155},
        {"central", 5, NET_ASYNC, ~UINT32_C(0), false, 4790, 310},
        {"central-clock", 3, NET_ASYNC, ~UINT32_C(0), true, 3179, 1596},
        {"naimi-trehel", 4, NET_ASYNC, ~UINT32_C(0), false, 1386, 253},
        {"naimi-trehel", 4, NET_SYNC, ~UINT32_C(0), true, 4726, 883},
        /* Of four, the last does not compete: two are interchangeable. */
        {"naimi-trehel", 4, NET_ASYNC, 7, false, 154, 80},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        search_open(&s, pinned[i].protocol, pinned[i].n, pinned[i].time, none,
                    "");
        s.check.listed = pinned[i].competitors;
        r = search_run(&s);
        assert_int_equal(r.states, pinned[i].full);
        s.check.symmetry = true;
        r = search_run(&s);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_int_equal(r.states, pinned[i].one);
        s.check.reduce = true;
        r = search_run(&s);
        assert_true(r.states <= pinned[i].one);
        assert_int_equal(r.partly > 0, pinned[i].reducible);
        search_close(&s);
    }
}

/* ---- What is refused ----------------------------------------------------- */

static void assert_refused(struct search *s, const char *words)
{
    struct check_result r;

    s->check.symmetry = true;
    r = search_run(s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_REFUSED);
    assert_non_null(strstr(r.refusal, words));
    search_close(s);
}

TEST(test_what_is_not_symmetric_is_refused)
{
    struct search s;

    search_open(&s, "lamport", 3, NET_ASYNC, none, "");
    assert_refused(&s, "never compare indices");
    search_open(&s, "central", 7, NET_ASYNC, none, "");
    assert_refused(&s, "at most 6 nodes");
    search_open(&s, "central", 3, NET_ASYNC, none, "");
    s.check.copies = 1;
    assert_refused(&s, "token-grows");
    search_open(&s, "itai-rodeh", 3, NET_ASYNC, none, "rounds=no");
    s.check.cuts = 1;
    assert_refused(&s, "partition");
    search_open(&s, "itai-rodeh", 3, NET_ASYNC, none, "rounds=no");
    s.check.listed = 3;
    assert_refused(&s, "the nodes that start");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_renaming_commutes_with_steps),
        cmocka_unit_test(test_states_stand_for_all_others),
        cmocka_unit_test(test_no_verdict_changes),
        cmocka_unit_test(test_symmetry_and_reduction_go_together),
        cmocka_unit_test(test_so_many_states_are_left),
        cmocka_unit_test(test_what_is_not_symmetric_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
