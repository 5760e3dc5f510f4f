/*
 * test_check_threads.c - however many threads search, they find the same.
 *
 * Batches are made small here, so that small searches have many of them; and
 * some are taken from behind, since on a busy machine one thread may be done
 * before the others come, and all would be in order by chance.
 */
#include "tests/unit/kit/checking.h"

#include "check/search/batch.h"

struct trial {
    const char *protocol;
    uint64_t n;
    const char *settings;
    struct fc_bounds bounds; /* with time, if there are any */
    enum net_clock clock;
    uint32_t entries, crashes, losses, copies, late;
    enum check_return back;
    bool any_order, any_wake, shared, symmetry;
    enum check_verdict verdict;
    /* Limits. */
    uint64_t states;
    uint32_t depth;
};

static void open_trial(struct search *s, const struct trial *t)
{
    search_open(s, t->protocol, (uint32_t)t->n,
                t->bounds.rmax ? NET_ARCHIMEDEAN : NET_ASYNC, t->bounds,
                t->settings ? t->settings : "");
    s->sim.net.clock = t->clock;
    s->sim.net.any_order = t->any_order;
    s->check.waking = t->any_wake ? CHECK_WAKE_ANY : CHECK_WAKE_LISTED;
    s->check.entries = t->entries ? t->entries : 1;
    s->check.crashes = t->crashes;
    s->check.losses = t->losses;
    s->check.copies = t->copies;
    s->check.late_ticks = t->late;
    s->check.back = t->back;
    s->check.shared = t->shared;
    s->check.symmetry = t->symmetry;
    s->check.states_max = t->states;
    s->check.depth_max = t->depth;
}

static struct check_result run_on(const struct trial *t, uint32_t threads,
                                  uint32_t batch, bool backwards)
{
    struct check_result r;
    struct search s;

    open_trial(&s, t);
    s.check.threads = threads;
    s.check.batch = batch;
    s.check.backwards = backwards;
    r = search_run(&s);
    search_close(&s);
    return r;
}

static void assert_same(const struct check_result *a,
                        const struct check_result *b)
{
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->limit, b->limit);
    assert_int_equal(a->broken, b->broken);
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->transitions, b->transitions);
    assert_int_equal(a->terminal, b->terminal);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->frontier, b->frontier);
    assert_int_equal(a->at_end, b->at_end);
    assert_int_equal(a->endless, b->endless);
    assert_int_equal(a->acyclic, b->acyclic);
    assert_int_equal(a->cycles_known, b->cycles_known);
    assert_int_equal(a->reached, b->reached);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->loop_at, b->loop_at);
    assert_int_equal(a->moves_count, b->moves_count);
    if (a->moves_count)
        assert_memory_equal(a->moves, b->moves,
                            a->moves_count * sizeof *a->moves);
}

/* `often`: also by a crew whose batches end after a few states. */
static void compare(const struct trial *t, bool often)
{
    static const struct {
        uint32_t threads, batch;
        bool backwards;
    } crews[] = {{2, 64, true}, {3, 40, false}, {8, 128, true}, {2, 7, false}};
    struct check_result alone = run_on(t, 1, 0, false);

    print_message("%s n=%u %s\n", t->protocol, (uint32_t)t->n,
                  t->settings ? t->settings : "");
    assert_int_equal(alone.verdict, t->verdict);
    assert_int_equal(alone.threads, 1);
    for (size_t i = 0; i < (is_sanitized() ? 2 : COUNT(crews) - !often); i++) {
        struct check_result r =
            run_on(t, crews[i].threads, crews[i].batch, crews[i].backwards);

        assert_int_equal(r.threads, crews[i].threads);
        assert_same(&alone, &r);
        check_free(&r);
    }
    check_free(&alone);
}

TEST(test_what_holds_is_the_same)
{
    static const struct trial trials[] = {
        {"chang-roberts", 6, .any_wake = true},
        {"franklin", 4, .any_wake = true},
        {"ricart-agrawala", 3, .entries = 1},
        {"suzuki-kasami", 3, .any_order = true},
        {"vitanyi", 3, .bounds = {2, 3, 1, 4}},
        {"vitanyi", 3, .bounds = {2, 3, 1, 4}, .clock = NET_CLOCK_DRIFT},
        {"token-ring", 3, .bounds = {1, 1, 0, 1}},
        {"itai-rodeh", 4, "rounds=no", .symmetry = true},
        {"itai-rodeh", 3, "rounds=no", .any_wake = true},
        {"central-clock", 3, .symmetry = true},
        {"naimi-trehel", 4, .bounds = {1, 1, 0, 1}, .symmetry = true},
    };

    for (size_t i = 0; i < COUNT(trials); i += is_sanitized() ? 3 : 1)
        compare(&trials[i], i % 4 == 0);
}

/* The run that is shown is the same, move by move. */
TEST(test_what_is_violated_is_the_same)
{
    static const struct trial trials[] = {
        {"lelann", 4, .any_order = true, .verdict = CHECK_VIOLATED},
        {"rw-preventive", 3, .shared = true, .verdict = CHECK_VIOLATED},
        {"itai-rodeh", 3, "rounds=no", .any_order = true,
         .verdict = CHECK_VIOLATED},
        {"itai-rodeh", 3, "rounds=no", .any_order = true, .symmetry = true,
         .verdict = CHECK_VIOLATED},
        {"central-clock", 3, .losses = 1, .symmetry = true,
         .verdict = CHECK_VIOLATED},
        {"naimi-trehel", 4, .any_order = true, .crashes = 1, .symmetry = true,
         .verdict = CHECK_VIOLATED},
        {"spirakis-tampakas", 3, "k=1", .bounds = {1, 1, 0, 1},
         .symmetry = true, .verdict = CHECK_VIOLATED},
        {"chang-roberts-max", 4, "coordinator=forwards", .any_wake = true,
         .verdict = CHECK_VIOLATED},
        {"ring-size", 3, .bounds = {3, 4, 1, 1}, .verdict = CHECK_VIOLATED},
        {"bully", 3, .bounds = {1, 2, 0, 2}, .clock = NET_CLOCK_DRIFT,
         .crashes = 1, .verdict = CHECK_VIOLATED},
        {"chang-roberts", 5, .losses = 1, .copies = 1, .any_wake = true,
         .verdict = CHECK_VIOLATED},
        {"chang-roberts", 5, .crashes = 1, .back = CHECK_RETURN_BLANK,
         .any_wake = true, .verdict = CHECK_VIOLATED},
        {"vitanyi", 3, .bounds = {1, 1, 0, 2}, .late = 3, .any_wake = true,
         .verdict = CHECK_VIOLATED},
    };

    for (size_t i = 0; i < COUNT(trials); i += is_sanitized() ? 3 : 1)
        compare(&trials[i], i % 4 == 0);
}

/* A limit ends the search at the same state. */
TEST(test_limits_are_the_same)
{
    static const struct trial trials[] = {
        {"chang-roberts", 8, .states = 5003, .verdict = CHECK_INCOMPLETE},
        {"chang-roberts", 8, .depth = 17, .verdict = CHECK_INCOMPLETE},
        {"lelann", 5, .any_order = true, .losses = 1, .states = 7001,
         .verdict = CHECK_INCOMPLETE},
    };

    for (size_t i = 0; i < COUNT(trials); i++)
        compare(&trials[i], i % 4 == 0);
}

/* All states of the first levels, found by one thread.  Returns the
 * first of the last level. */
static uint32_t find_levels(struct check_search *s, uint32_t levels)
{
    struct check_tree *tree = &s->model.tree;
    uint32_t from = 0;

    check_initial(&s->model);
    for (uint32_t state = 0; levels > 1; levels--) {
        from = tree->roots.count;
        for (; state < from; state++) {
            bool fresh;

            assert_true(check_visit(s, state));
            for (uint32_t i = 0; i < s->nexts.count; i++)
                (void)check_tree_put(tree, s->nexts.list[i].pair,
                                     s->nexts.list[i].hash, &fresh);
        }
    }
    return from;
}

static uint32_t count_taken(const struct check_table *t)
{
    uint32_t taken = 0;

    for (uint64_t i = 0; i < UINT64_C(1) << t->bits; i++)
        taken += atomic_load(&t->slots[i]) != 0;
    return taken;
}

/* A batch that cannot stay leaves no trace in the index, and one that can has a
 * slot for each of its states. */
TEST(test_what_is_undone_is_gone)
{
    struct trial t = {.protocol = "chang-roberts", .n = 8};
    struct check_result result = {.states = 0};
    struct check_search *s = calloc(1, sizeof *s);
    const struct check_table *roots;
    struct search search;
    uint32_t from, known;

    assert_non_null(s);
    open_trial(&search, &t);
    search_prepare(&search);
    search.check.threads = 3;
    search.check.batch = 64;
    s->setup = &search.check;
    s->result = &result;
    assert_true(check_model_begin(&s->model, s->setup));
    roots = &s->model.tree.roots;
    from = find_levels(s, 8);
    known = roots->count;
    assert_int_equal(count_taken(roots), known);
    search.check.states_max = known; /* not one state more */
    assert_int_equal(check_batch(s, from, known), 0);
    assert_int_equal(roots->count, known);
    assert_int_equal(count_taken(roots), known);
    search.check.states_max = 0;
    s->alone_until = 0;
    assert_int_not_equal(check_batch(s, from, known), 0);
    assert_true(roots->count > known);
    assert_int_equal(count_taken(roots), roots->count);
    check_batch_close(s);
    check_release(&s->model.memory, s->nexts.list,
                  s->nexts.room * sizeof *s->nexts.list);
    check_model_free(&s->model);
    search_close(&search);
    free(s);
}

/* Batches of the size that is used, and an index that grows meanwhile. */
TEST(test_a_larger_search_is_the_same)
{
    struct trial t = {.protocol = "chang-roberts", .n = 10};
    struct check_result alone = run_on(&t, 1, 0, false),
                        two = run_on(&t, 2, 0, true);

    assert_int_equal(two.threads, 2);
    assert_same(&alone, &two);
}

/* Threads are not started for what is done before they are there. */
TEST(test_a_small_search_stays_alone)
{
    struct trial t = {.protocol = "chang-roberts", .n = 4};
    struct check_result r = run_on(&t, 8, 0, false);

    assert_int_equal(r.verdict, CHECK_HOLDS);
    assert_int_equal(r.threads, 1);
}

/* What threads may take together is what is left, and nothing if nothing is:
 * a difference below 0 would be no limit at all, and 0 would mean none. */
TEST(test_threads_share_what_is_left)
{
    static const uint64_t used[] = {0, 90, 100, 150};
    static const uint64_t left[] = {100, 10, 0, 0};

    for (size_t i = 0; i < COUNT(used); i++) {
        static struct check_member members[3];
        struct check_search search = {
            .model.memory = {.used = used[i], .limit = 100}};
        struct check_batch batch = {
            .search = &search, .members = members, .members_count = 3};
        uint64_t most = 0;

        memset(members, 0, sizeof members);
        check_batch_limit(&batch);
        for (uint32_t m = 0; m < 3; m++) {
            assert_true(members[m].view.memory.limit > 0);
            most += members[m].view.memory.limit;
        }
        assert_true(most <= left[i] || most == 3);
    }
}

/* Wherever memory ends, that is said, and nothing is said to hold. */
TEST(test_memory_ends_for_all)
{
    struct trial t = {"suzuki-kasami", 3, .entries = 2};
    uint64_t seen_incomplete = 0, seen_holding = 0;

    for (uint64_t limit = 20000; limit < 40000000; limit += limit / 3) {
        struct check_result r;
        struct search s;

        open_trial(&s, &t);
        s.check.threads = 3;
        s.check.batch = 256;
        s.check.memory_max = limit;
        r = search_run(&s);
        search_close(&s);
        assert_true(r.bytes <= limit);
        if (r.verdict == CHECK_HOLDS) {
            assert_int_equal(r.states, 17956);
            assert_int_equal(r.transitions, 55564);
            assert_int_equal(r.terminal, 237);
            seen_holding++;
        } else {
            assert_int_equal(r.verdict, CHECK_INCOMPLETE);
            assert_int_equal(r.limit, CHECK_MEMORY);
            assert_true(r.states <= 17956);
            seen_incomplete++;
        }
    }
    assert_true(seen_incomplete > 3 && seen_holding > 0);
}

struct watcher {
    atomic_bool stop;
    uint64_t states, told;
};

static void watch(void *whom, const struct check_result *r)
{
    struct watcher *w = whom;

    assert_true(r->states >= w->states); /* all threads' work, as it grows */
    assert_true(r->frontier <= r->states);
    w->states = r->states;
    w->told++;
    if (r->states > 20000)
        atomic_store(&w->stop, true);
}

/* Whoever wants to stop is heard, and gets what is known. */
TEST(test_it_can_be_stopped)
{
    struct trial t = {.protocol = "chang-roberts", .n = 10};
    struct watcher w = {.states = 0};
    struct check_result r;
    struct search s;

    open_trial(&s, &t);
    s.check.threads = 2;
    s.check.stop = &w.stop;
    s.check.tell = watch;
    s.check.whom = &w;
    r = search_run(&s);
    search_close(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_STOPPED);
    assert_int_equal(r.threads, 2);
    assert_true(w.told > 2 && r.states == w.states);
    assert_true(r.states > 20000 && r.states < 125000);
}

static void stop_at_last(void *whom, const struct check_result *r)
{
    struct watcher *w = whom;

    if (r->frontier == 0)
        atomic_store(&w->stop, true);
}

/* Also when all states are known and runs without end are looked for. */
TEST(test_the_search_for_cycles_can_be_stopped)
{
    struct trial t = {.protocol = "token-ring", .n = 3, .bounds = {1, 1, 0, 1}};

    for (uint32_t threads = 1; threads < 3; threads++) {
        struct watcher w = {.states = 0};
        struct check_result r;
        struct search s;

        open_trial(&s, &t);
        s.check.threads = threads;
        s.check.stop = &w.stop;
        s.check.tell = stop_at_last;
        s.check.whom = &w;
        r = search_run(&s);
        search_close(&s);
        assert_int_equal(r.states, 31020);
        assert_int_equal(r.threads, threads);
        assert_int_equal(r.limit, CHECK_STOPPED);
        assert_int_equal(r.verdict, CHECK_INCOMPLETE);
        assert_false(r.cycles_known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_holds_is_the_same),
        cmocka_unit_test(test_what_is_violated_is_the_same),
        cmocka_unit_test(test_limits_are_the_same),
        cmocka_unit_test(test_what_is_undone_is_gone),
        cmocka_unit_test(test_a_larger_search_is_the_same),
        cmocka_unit_test(test_a_small_search_stays_alone),
        cmocka_unit_test(test_threads_share_what_is_left),
        cmocka_unit_test(test_memory_ends_for_all),
        cmocka_unit_test(test_it_can_be_stopped),
        cmocka_unit_test(test_the_search_for_cycles_can_be_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
