/*
 * test_twin.c - whether a node can tell two networks apart: by all runs of
 * small ones, written out as texts, and by what the papers say of rings.
 */
#include "check/browse/twin.h"
#include "tests/unit/kit/browses.h"

#include <search.h>

/* ---- All runs, as texts -------------------------------------------------- */

enum { HISTORY_MAX = 8192 };

/* Histories of the first node, by which it comes to the role.  Steps are a tick
 * long here: once it is awake it sees every tick. */
struct writer {
    struct check_browse *browse;
    const char *role;
    void *met, *histories; /* trees of texts */
    char text[HISTORY_MAX];
};

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Whether it is new. */
static bool note(void **tree, const char *text)
{
    char *copy = strdup(text), **found;

    assert_non_null(copy);
    found = tsearch(copy, tree, by_text);
    assert_non_null(found);
    if (*found == copy)
        return true;
    free(copy);
    return false;
}

static bool has_role(struct writer *w, uint32_t state)
{
    struct check_state_now now;

    assert_true(check_browse_look(w->browse, state, &now));
    return strcmp(now.node[0].shown.role, w->role) == 0;
}

static void write_on(struct writer *w, uint32_t state, size_t length);

/* One move further, and what is seen of it. */
static void move_on(struct writer *w, uint32_t state, uint32_t index,
                    const struct check_enabled *e, size_t length)
{
    size_t now = length;

    if (e->move.kind == CHECK_TICK && length > 0)
        now += (size_t)snprintf(w->text + length, HISTORY_MAX - length, ".");
    if (e->move.kind != CHECK_TICK && e->move.node == 0) {
        char label[CHECK_LABEL_SIZE], *old;

        check_browse_label(w->browse, state, index, label, sizeof label);
        old = strstr(label, ", number"); /* which of two, it does not see */
        if (old)
            memmove(old, old + strcspn(old + 1, ",") + 1,
                    strlen(old + strcspn(old + 1, ",") + 1) + 1);
        now += (size_t)snprintf(w->text + length, HISTORY_MAX - length, "|%s",
                                label);
    }
    assert_true(now < HISTORY_MAX - 1);
    if (now > length && has_role(w, e->to))
        (void)note(&w->histories, w->text);
    else
        write_on(w, e->to, now);
    w->text[length] = '\0';
}

static void write_on(struct writer *w, uint32_t state, size_t length)
{
    const struct check_enabled *moves;
    struct check_enabled *copy;
    uint32_t count;

    snprintf(w->text + length, HISTORY_MAX - length, "#%u", state);
    if (!note(&w->met, w->text))
        return;
    w->text[length] = '\0';
    moves = check_browse_moves(w->browse, state, &count);
    assert_non_null(moves);
    copy = malloc((count + 1) * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, moves, count * sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        move_on(w, state, i, &copy[i], length);
    free(copy);
}

static void write_all(struct writer *w, struct check_browse *b,
                      const char *role)
{
    *w = (struct writer){.browse = b, .role = role};
    for (uint32_t i = 0; i < check_browse_initial(b); i++)
        write_on(w, i, 0);
}

static void *other_histories;
static bool met_there;

static void look_there(const void *node, VISIT visit, int depth)
{
    char *const *text = node;

    (void)depth;
    if (visit == postorder || visit == leaf)
        met_there |= tfind(*text, &other_histories, by_text) != NULL;
}

static bool have_common(const struct writer *a, const struct writer *b)
{
    met_there = false;
    other_histories = b->histories;
    twalk(a->histories, look_there);
    return met_there;
}

/* ---- Two networks -------------------------------------------------------- */

struct two {
    struct row row[2];
    struct check_twin_setup setup;
    struct check_twin found;
};

/* Commands as in docs/verification, and how many candidates there are. */
static void open_two(struct two *t, const char *here, uint32_t candidates,
                     const char *there, uint32_t others)
{
    const char *const lines[] = {here, there};
    const uint32_t given[] = {candidates, others};

    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(row_open(&t->row[i], lines[i]));
        if (given[i]) {
            t->row[i].check.given_draw = 1;
            t->row[i].check.given_count = given[i];
        }
        t->setup.network[i] = open_row(&t->row[i]);
    }
    t->setup.role =
        t->row[0].check.net.protocol->problem->repeats ? "inside" : "leader";
    check_twin(&t->setup, &t->found);
}

static void close_two(struct two *t)
{
    check_twin_free(&t->found);
    for (uint32_t i = 0; i < 2; i++) {
        check_browse_close(t->setup.network[i]);
        row_close(&t->row[i]);
    }
}

/* Both runs go by the moves that are told, to the role; what is seen of them is
 * as long as it is said to be. */
static void check_runs(struct two *t)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct check_twin_run *r = &t->found.run[i];
        const struct check_run_by_hand run = {r->first, r->moves,
                                              r->moves_count};
        struct check_state_now now;
        uint32_t end, seen = 0;

        for (uint32_t k = 0; k < r->moves_count; k++)
            seen += r->sights[k] != CHECK_SEES_NOTHING;
        assert_int_equal(seen, t->found.seen);
        assert_true(check_browse_follow(t->setup.network[i], &run, &end, NULL));
        assert_true(check_browse_look(t->setup.network[i], end, &now));
        assert_string_equal(now.node[0].shown.role, t->setup.role);
    }
}

/* Whether they are told apart, here and by the texts of all runs. */
static void are_apart(const char *here, uint32_t candidates, const char *there,
                      uint32_t others, bool apart)
{
    struct writer w[2];
    struct two t;

    open_two(&t, here, candidates, there, others);
    assert_int_equal(t.found.limit, CHECK_NO_LIMIT);
    for (uint32_t i = 0; i < 2; i++)
        write_all(&w[i], t.setup.network[i], t.setup.role);
    if (t.found.apart != apart || have_common(&w[0], &w[1]) == apart)
        fail_msg("%s beside %s: %d, %d", here, there, t.found.apart,
                 have_common(&w[0], &w[1]));
    assert_int_equal(t.found.reached, w[0].histories != NULL);
    if (!apart)
        check_runs(&t);
    for (uint32_t i = 0; i < 2; i++) {
        tdestroy(w[i].met, free);
        tdestroy(w[i].histories, free);
    }
    close_two(&t);
}

#define RING(rules, n, bounds)                                                 \
    "holds spirakis-tampakas -n " #n " --bounds " bounds                       \
    " --set k=1 --set phases=1 --set rules=" rules

/* Lemma 3 of Spirakis and Tampakas: where half a circle may take as long as a
 * circle, one claim and two look alike, unless they count their hops. */
TEST(test_one_candidate_and_two)
{
    are_apart(RING("repaired", 2, "1:1:1:1"), 1, RING("repaired", 2, "1:1:1:1"),
              2, true);
    are_apart(RING("repaired", 2, "1:1:1:2"), 1, RING("repaired", 2, "1:1:1:2"),
              2, false);
    are_apart(RING("repaired", 3, "1:1:1:1"), 1, RING("repaired", 3, "1:1:1:1"),
              2, true);
    are_apart(RING("hop", 2, "1:1:1:1"), 1, RING("hop", 2, "1:1:1:1"), 2, true);
    are_apart(RING("hop", 2, "1:1:1:3"), 1, RING("hop", 2, "1:1:1:3"), 2, true);
    are_apart(RING("hop", 3, "1:1:1:1"), 1, RING("hop", 3, "1:1:1:1"), 2, true);
}

/* A network beside itself, or beside one that can do the same and more. */
TEST(test_the_same_is_not_told_apart)
{
    are_apart(RING("hop", 2, "1:1:1:2"), 1, RING("hop", 2, "1:1:1:2"), 1,
              false);
    are_apart("holds lamport -n 2", 0, "holds lamport -n 2 --links any", 0,
              false);
    are_apart("holds chang-roberts -n 3", 0,
              "holds chang-roberts -n 3 --wake any", 0, false);
}

/* Another size, other names, another load. */
TEST(test_other_networks_are_told_apart)
{
    are_apart("holds chang-roberts -n 3", 0, "holds chang-roberts -n 4", 0,
              true);
    are_apart("holds ricart-agrawala -n 2", 0, "holds ricart-agrawala -n 3", 0,
              true);
}

/* It never comes to the role: they are told apart in vain. */
TEST(test_what_never_happens)
{
    struct two t;

    open_two(&t, "holds chang-roberts -n 2 --names 2,1", 0,
             "holds chang-roberts -n 3 --names 2,1,3", 0);
    assert_true(t.found.apart);
    assert_false(t.found.reached);
    close_two(&t);
}

TEST(test_limits)
{
    atomic_bool stop;
    struct two t;

    open_two(&t, RING("hop", 3, "1:1:1:2"), 1, RING("hop", 3, "1:1:1:2"), 2);
    assert_true(t.found.apart);
    t.setup.states_max = t.found.states[0];
    check_twin(&t.setup, &t.found);
    assert_int_equal(t.found.limit, CHECK_STATES);
    assert_false(t.found.apart);
    atomic_init(&stop, true);
    t.setup.states_max = 0;
    t.setup.stop = &stop;
    check_twin(&t.setup, &t.found);
    assert_int_equal(t.found.limit, CHECK_STOPPED);
    close_two(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_candidate_and_two),
        cmocka_unit_test(test_the_same_is_not_told_apart),
        cmocka_unit_test(test_other_networks_are_told_apart),
        cmocka_unit_test(test_what_never_happens),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
