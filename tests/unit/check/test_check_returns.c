/*
 * test_check_returns.c - a node that comes back is judged, even if it looks as
 * it did before: it may be inside still, and another may have got in since.
 *
 * No protocol of the table lets that happen: those that go on without a node
 * let it come back outside.  So the moment is put together here, from what two
 * nodes are in runs of the protocol.
 */
#include "tests/unit/kit/checking.h"

#include "check/model/symmetry.h"
#include "check/search/explore.h"
#include "problems/mutex.h"

/* All states from the first on, or enough of them. */
static void find_states(struct check_model *m, struct check_nexts *nexts)
{
    check_initial(m);
    for (uint32_t state = 0; state < m->tree.roots.count && state < 5000;
         state++) {
        check_expand(m, state, nexts);
        for (uint32_t i = 0; i < nexts->count; i++) {
            const struct check_next *next = &nexts->list[i];
            bool fresh;

            (void)check_tree_put(&m->tree, next->pair, next->hash, &fresh);
        }
    }
    assert_true(check_sound(m));
}

/* The first state in which the node is inside, and down or up. */
static uint32_t find_inside(struct check_model *m, uint32_t node, bool down,
                            struct check_spread *s)
{
    for (uint32_t state = 0; state < m->tree.roots.count; state++) {
        const struct check_info *info;

        check_tree_load(&m->tree, state, s);
        info = check_info_of(m, node, s->id[m->local_at[node]]);
        if (info->phase == FC_INSIDE &&
            ((info->head.flags & CHECK_DOWN) != 0) == down)
            return state;
    }
    fail_msg("node %u is never inside", node);
    return 0;
}

/* A state in which the first node is down and will be inside when it is back,
 * and the second is inside now. */
static uint32_t put_together(struct check_model *m)
{
    struct check_spread s, other;
    uint64_t pair;
    bool fresh;

    (void)find_inside(m, 0, true, &s);
    (void)find_inside(m, 1, false, &other);
    check_set(&m->tree, &s, m->local_at[1], other.id[m->local_at[1]]);
    check_finish(m, &s);
    pair = check_pair(&m->tree, &s);
    return check_tree_put(&m->tree, pair, check_pair_hash(pair), &fresh);
}

/* What the first node's return breaks. */
static uint32_t broken_by_return(struct check_model *m, uint32_t state,
                                 struct check_nexts *nexts)
{
    check_expand(m, state, nexts);
    for (uint32_t i = 0; i < nexts->count; i++) {
        const struct check_next *next = &nexts->list[i];
        struct net_news news;

        if (next->move.kind != CHECK_RESTART || next->move.node != 0)
            continue;
        if (!check_is_judged(m, next->seen, next->odd, true))
            return 0;
        check_news_of(m, state, &next->move, &news);
        return news.broken;
    }
    fail_msg("nobody comes back");
    return 0;
}

TEST(test_who_returns_inside_is_judged)
{
    static const char *const protocols[] = {"lamport", "ricart-agrawala",
                                            "central", "token-mutex"};
    static const struct fc_bounds none = {1, 1, 0, 0};

    for (size_t i = 0; i < 2 * COUNT(protocols); i++) {
        struct check_model *m = calloc(1, sizeof *m);
        struct check_nexts nexts = {.list = NULL};
        struct search s;

        assert_non_null(m);
        search_open(&s, protocols[i / 2], 2, i % 2 ? NET_SYNC : NET_ASYNC, none,
                    "");
        s.check.crashes = 1;
        s.check.back = CHECK_RETURN_SAME;
        search_prepare(&s);
        assert_true(check_model_begin(m, &s.check));
        find_states(m, &nexts);
        print_message("%s\n", protocols[i / 2]);
        assert_int_equal(broken_by_return(m, put_together(m), &nexts),
                         MUTEX_EXCLUSION);
        check_release(&m->memory, nexts.list, nexts.room * sizeof *nexts.list);
        check_model_free(m);
        search_close(&s);
        free(m);
    }
}

/* A node that comes back alone breaks nothing. */
TEST(test_a_return_alone_is_no_offence)
{
    static const struct fc_bounds none = {1, 1, 0, 0};
    struct check_result r;
    struct search s;

    search_open(&s, "ricart-agrawala", 2, NET_ASYNC, none, "");
    s.check.crashes = 2;
    s.check.back = CHECK_RETURN_SAME;
    s.check.properties = MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_HOLDS);
    assert_true(r.reached);
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_returns_inside_is_judged),
        cmocka_unit_test(test_a_return_alone_is_no_offence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
