/*
 * test_check_sane.c - the structures of the checker say what is broken of them:
 * each rule is broken once, and the right sentence comes.
 */
#include "tests/unit/kit/broken.h"
#include "tests/unit/kit/checking.h"
#include "tests/unit/kit/processes.h"

#include "check/model/step.h"
#include "check/search/explore.h"

/* ---- The store ----------------------------------------------------------- */

TEST(test_accounts_that_do_not_add_up)
{
    struct check_memory m = {.limit = 100};
    void *block = check_grow(&m, NULL, 0, 60);

    assert_non_null(block);
    assert_null(check_memory_sane(&m));
    BROKEN(m.used, 61, check_memory_sane(&m),
           "no more is used than was used at most");
    BROKEN(m.limit, 59, check_memory_sane(&m), "no more is used than may be");
    check_release(&m, block, 60);
    assert_int_equal(m.used, 0);
    assert_null(check_memory_sane(&m));
}

enum { KEYS = 300 };

static void fill(struct check_table *t, struct check_memory *m, uint32_t words)
{
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t key[2] = {i * 7, i};

        assert_int_equal(
            check_table_add(t, m, key, words, check_table_hash(key, words)), i);
    }
    assert_null(check_table_sane(t, words));
}

/* The slot of a key. */
static uint32_t slot_of(const struct check_table *t, uint32_t number)
{
    uint32_t low = (UINT32_C(1) << t->bits) - 1, at = 0;

    while ((t->slots[at] & low) != number + 1)
        at++;
    return at;
}

TEST(test_a_table_that_loses_a_key)
{
    for (uint32_t words = 1; words <= 2; words++) {
        struct check_memory m = {.limit = 0};
        struct check_table t = {.keys = NULL};
        uint32_t at, other;

        fill(&t, &m, words);
        at = slot_of(&t, 5);
        other = slot_of(&t, 6);
        BROKEN(t.room, KEYS - 1, check_table_sane(&t, words),
               "there is room for every key");
        BROKEN(t.bits, 8, check_table_sane(&t, words),
               "an index is not so full that a search has no end");
        BROKEN(t.slots[at], 0, check_table_sane(&t, words),
               "there is a slot for every key, and no other");
        BROKEN(t.slots[at], t.slots[other], check_table_sane(&t, words),
               "who looks for a key finds its number");
        BROKEN(t.keys[5 * words], 8, check_table_sane(&t, words),
               "who looks for a key finds its number");
        if (words == 1) /* equal to the one after it */
            BROKEN(t.keys[5], t.keys[6], check_table_sane(&t, words),
                   "who looks for a key finds its number");
        check_table_forget(&t, &m);
        assert_null(check_table_sane(&t, words));
        check_table_free(&t, &m, words);
        assert_int_equal(m.used, 0);
    }
}

TEST(test_an_intern_table_that_loses_a_string)
{
    struct check_memory m = {.limit = 0};
    struct check_intern t = {.bytes = NULL};
    uint32_t at = 0;

    assert_null(check_intern_sane(&t));
    for (uint64_t i = 0; i < KEYS; i++)
        assert_int_equal(check_intern(&t, &m, &i, 2 + i % 4), i);
    assert_null(check_intern_sane(&t));
    while (!t.slots[at])
        at++;
    BROKEN(t.room, 1, check_intern_sane(&t), "there is room for every string");
    BROKEN(t.ends[7], t.ends[9], check_intern_sane(&t),
           "a string begins where the one before ends");
    BROKEN(t.used, t.used - 1, check_intern_sane(&t),
           "the last string ends where the next will begin");
    BROKEN(t.slots[at], 0, check_intern_sane(&t),
           "there is a slot for every string, and as many are free");
    BROKEN(t.bytes[0], 99, check_intern_sane(&t),
           "who looks for a string finds its number");
    check_intern_free(&t, &m);
}

TEST(test_a_memo_that_loses_an_answer)
{
    struct check_memory m = {.limit = 0};
    struct check_memo memo = {.entries = NULL};
    struct check_memo_entry *e;

    assert_null(check_memo_sane(&memo));
    for (uint64_t q = 0; q < KEYS; q++)
        check_remember(&memo, &m, q * q, 3);
    assert_null(check_memo_sane(&memo));
    e = memo.entries;
    while (!e->question)
        e++;
    BROKEN(memo.room, 3, check_memo_sane(&memo),
           "the places of a memo are a power of two");
    BROKEN(e->question, e->question + 1, check_memo_sane(&memo),
           "every question that has an answer is found again, once");
    BROKEN(e->question, 0, check_memo_sane(&memo),
           "every answer is counted, and as many places are free");
    BROKEN(memo.count, KEYS - 1, check_memo_sane(&memo),
           "every answer is counted, and as many places are free");
    check_memo_free(&memo, &m);
}

enum { PLACES = 11 };

static void grow_tree(struct check_tree *t, struct check_memory *m)
{
    assert_true(check_tree_begin(t, m, PLACES, 5));
    for (uint32_t v = 0; v < 50; v++) {
        struct check_spread s;
        uint64_t pair;
        bool fresh;

        for (uint32_t i = 0; i < PLACES; i++)
            s.id[i] = v % (i + 1);
        check_tree_touch(t, &s);
        check_tree_fold(t, &s);
        pair = check_pair(t, &s);
        (void)check_tree_put(t, pair, check_pair_hash(pair), &fresh);
    }
}

TEST(test_a_tree_with_leaves_that_are_not_there)
{
    uint32_t numbers[PLACES];
    struct check_memory m = {.limit = 0};
    struct check_table roots;
    struct check_tree t;

    for (uint32_t i = 0; i < PLACES; i++)
        numbers[i] = i + 1;
    grow_tree(&t, &m);
    assert_null(check_tree_sane(&t, NULL));
    assert_null(check_tree_sane(&t, numbers));
    BROKEN(numbers[4], 4, check_tree_sane(&t, numbers),
           "a group is made of what there is");
    assert_int_equal(numbers[4], 5);
    BROKEN(t.parent[0][1], 1, check_tree_sane(&t, numbers),
           "what is in a group belongs to it");
    BROKEN(t.roots.room, 0, check_tree_sane(&t, numbers),
           "there is room for every key");
    roots = t.roots;
    t.roots.slots = NULL; /* keys are not looked for, but are there */
    BROKEN(t.roots.keys[3], t.roots.keys[3] | 0xffff,
           check_tree_sane(&t, numbers),
           "a state is made of halves that there are");
    BROKEN(t.roots.keys[3], t.roots.keys[3] | UINT64_C(0xffff) << 32,
           check_tree_sane(&t, numbers),
           "a state is made of halves that there are");
    t.roots = roots;
    check_tree_free(&t);
    assert_int_equal(m.used, 0);
}

/* ---- A search ------------------------------------------------------------ */

/* All states of a small network, as check_run() finds them. */
static void find_all(struct check_search *s, struct search *of)
{
    static struct check_result result;
    struct check_setup *setup = &of->check;
    uint32_t state = 0;

    memset(s, 0, sizeof *s);
    search_prepare(of);
    s->setup = setup;
    s->result = &result;
    assert_true(check_model_begin(&s->model, setup));
    check_initial(&s->model);
    for (; state < s->model.tree.roots.count; state++) {
        assert_true(check_visit(s, state));
        for (uint32_t i = 0; i < s->nexts.count; i++) {
            const struct check_next *next = &s->nexts.list[i];
            bool fresh;

            (void)check_tree_put(&s->model.tree, next->pair, next->hash,
                                 &fresh);
        }
    }
    s->looked_at = state;
    assert_null(check_search_sane(s));
}

static void drop(struct check_search *s, struct search *of)
{
    check_release(&s->model.memory, s->nexts.list,
                  s->nexts.room * sizeof *s->nexts.list);
    check_model_free(&s->model);
    assert_int_equal(s->model.memory.used, 0);
    search_close(of);
}

TEST(test_levels_that_are_in_disorder)
{
    uint32_t levels[4] = {0, 1, 3, 6};
    struct check_search s;
    struct search of;

    search_open(&of, "lamport", 2, NET_ASYNC, (struct fc_bounds){0}, "");
    find_all(&s, &of);
    s.levels = levels;
    s.levels_count = 3;
    assert_true(s.model.tree.roots.count > 6);
    BROKEN(s.looked_at, s.looked_at + 1, check_search_sane(&s),
           "no state is looked at that was not found");
    BROKEN(levels[2], 1, check_search_sane(&s),
           "each level has states, behind those of the level before");
    BROKEN(levels[3], s.model.tree.roots.count + 1, check_search_sane(&s),
           "each level has states, behind those of the level before");
    s.levels = levels + 1;
    s.levels_count = 2;
    assert_string_equal(check_search_sane(&s),
                        "the first level begins with the first state");
    drop(&s, &of);
}

/* An answer to a question about the steps of a node. */
static struct check_memo_entry *a_step(struct check_locals *l, bool tick)
{
    struct check_memo_entry *e = l->steps.entries;

    while (!e->question || e->answer == CHECK_NO_OUTCOME ||
           (((e->question - 1) >> 32 & 0xf) == CHECK_TICK) != tick)
        e++;
    return e;
}

TEST(test_a_model_that_leads_nowhere)
{
    struct check_search s;
    struct check_model *m = &s.model;
    struct check_locals *l = &m->locals[1];
    struct check_memo_entry *e;
    struct search of;

    search_open(&of, "lamport", 2, NET_SYNC, (struct fc_bounds){1, 1, 0, 0},
                "");
    find_all(&s, &of);
    BROKEN(m->memory.most, 1, check_model_sane(m),
           "no more is used than was used at most");
    BROKEN(m->outcomes[m->outcomes_count - 1].last, false, check_model_sane(m),
           "one of the ways that an event can go is the last");
    BROKEN(m->outcomes[0].sends, m->sends_count + 1, check_model_sane(m),
           "an outcome sends messages that there are");
    BROKEN(m->sends[0].msg, m->messages.count, check_model_sane(m),
           "an outcome sends messages that there are");
    BROKEN(l->info[0].view, m->views.count, check_model_sane(m),
           "others see something of every local state");
    BROKEN(l->info_room, 0, check_model_sane(m),
           "what a search needs is known of every local state");
    e = a_step(l, false);
    BROKEN(e->answer, m->outcomes_count, check_model_sane(m),
           "a step leads to where it was found to lead");
    e = a_step(l, true);
    BROKEN(e->answer, l->packed.count, check_model_sane(m),
           "a step leads to where it was found to lead");
    m->namings_count = 1; /* without symmetry there is none */
    assert_string_equal(check_model_sane(m),
                        "whoever is renamed can be named back");
    m->namings[0] = (struct check_naming){.to = {1, 0}, .from = {1, 0}};
    assert_string_equal(check_model_sane(m), "the first naming is as it is");
    m->namings_count = 0;
    drop(&s, &of);
}

/* A number that has no place in a question is refused, or another question
 * would be answered. */
TEST(test_numbers_fit_into_questions)
{
    static const uint32_t bits[] = {CHECK_LOCAL_BITS, CHECK_MESSAGE_BITS};
    static struct check_model m;

    for (size_t i = 0; i < COUNT(bits); i++) {
        uint32_t most = (UINT32_C(1) << bits[i]) - 1;
        uint32_t local = i == 0 ? most : 0, msg = i == 1 ? most : 0;
        uint64_t asked = check_step_question(local, CHECK_READ, 0, msg);

        assert_true(asked != check_step_question(0, CHECK_READ, 0, 0));
        assert_int_equal(asked >> 32 & 0xf, CHECK_READ);
        m.refusal = NULL;
        check_fit(&m, most, bits[i]);
        assert_null(m.refusal);
        check_fit(&m, most + 1, bits[i]);
        assert_non_null(m.refusal);
    }
}

/* ---- What is written down of all states ---------------------------------- */

TEST(test_a_graph_with_arcs_that_lead_nowhere)
{
    uint32_t at[2] = {0, 3}, list[4] = {2 << 2, 0, 1, 0};
    struct check_graph g = {.at = at, .list = list, .length = 4, .states = 2};

    assert_null(check_graph_sane(&g));
    BROKEN(at[1], 4, check_graph_sane(&g),
           "the successors of a state are on the list");
    BROKEN(list[3], 1 << 2, check_graph_sane(&g),
           "the successors of a state are on the list");
    BROKEN(list[2], 2, check_graph_sane(&g),
           "a transition leads to a state that there is");
    BROKEN(list[0], 1 << 2, check_graph_sane(&g),
           "the list has every transition once");
}

TEST(test_a_process_that_leaves_nothing_to_chance)
{
    struct drawn d = {.actions = 0};

    place(&d);
    coin(&d, 1, CHECK_GOOD_END);
    place(&d);
    action(&d);
    way(&d, 3, CHECK_BAD_END);
    way(&d, 3, CHECK_GOOD_END);
    way(&d, 3, 0);
    close_process(&d);
    assert_null(check_process_sane(&d.p));
    BROKEN(d.ways[0].to, 2, check_process_sane(&d.p),
           "a way leads to a state that there is, or to an end");
    BROKEN(d.ways[0].odds, 3, check_process_sane(&d.p),
           "the odds of the ways of an action add up");
    BROKEN(d.ways[0].odds, 0, check_process_sane(&d.p),
           "the odds of the ways of an action add up");
    BROKEN(d.begin[1], 0, check_process_sane(&d.p),
           "an action has a way at least");
    BROKEN(d.first[1], 3, check_process_sane(&d.p),
           "the actions of a state stand behind those of the one before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accounts_that_do_not_add_up),
        cmocka_unit_test(test_a_table_that_loses_a_key),
        cmocka_unit_test(test_an_intern_table_that_loses_a_string),
        cmocka_unit_test(test_a_memo_that_loses_an_answer),
        cmocka_unit_test(test_a_tree_with_leaves_that_are_not_there),
        cmocka_unit_test(test_levels_that_are_in_disorder),
        cmocka_unit_test(test_a_model_that_leads_nowhere),
        cmocka_unit_test(test_numbers_fit_into_questions),
        cmocka_unit_test(test_a_graph_with_arcs_that_lead_nowhere),
        cmocka_unit_test(test_a_process_that_leaves_nothing_to_chance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
