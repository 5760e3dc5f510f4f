/*
 * test_browse.c - the graph of states by hand agrees with the search.
 */
#include "tests/unit/kit/rows.h"

#include "check/browse/browse.h"
#include "check/tell/telling.h"
#include "trace/replay.h"

enum { STATES_MAX = 200000 };

static struct check_browse *open_row(const struct row *r)
{
    const char *why = NULL;
    struct check_browse *b = check_browse_open(&r->check, &why);

    if (!b)
        fail_msg("%s: %s", r->text, why);
    return b;
}

/* A search that is small enough; false: it is not. */
static bool search(const struct row *r, struct check_result *found)
{
    struct check_setup small = r->check;

    small.states_max = STATES_MAX;
    check_run(&small, found);
    return found->verdict != CHECK_INCOMPLETE;
}

static struct check_distance distance(struct check_browse *b, uint32_t state)
{
    struct check_distance d;

    assert_true(check_browse_distance(b, state, &d));
    return d;
}

/* The nearest violation of all initial states, after looking at all. */
static struct check_distance nearest(struct check_browse *b, uint32_t *first)
{
    struct check_distance least = {CHECK_SAFE, UINT32_MAX}, d;

    for (uint32_t i = 0; i < check_browse_initial(b); i++) {
        d = distance(b, i);
        if (d.outlook == CHECK_EXACTLY && d.moves < least.moves) {
            least = d;
            *first = i;
        }
    }
    return least;
}

static void check_violated(const struct row *r,
                           const struct check_result *found)
{
    struct check_browse *b = open_row(r);
    struct check_known known;
    struct check_distance d;
    uint32_t first = 0, moves;

    do
        check_browse_explore(b, 1000, &known);
    while (nearest(b, &first).outlook != CHECK_EXACTLY && !known.all);
    d = nearest(b, &first);
    if (d.moves != found->moves_count)
        fail_msg("%s: %u, not %u", r->text, d.moves, found->moves_count);
    check_browse_way(b, first, &moves);
    assert_int_equal(moves, d.moves);
    check_browse_close(b);
}

static void check_holds(const struct row *r, const struct check_result *found)
{
    struct check_browse *b = open_row(r);
    struct check_known known;

    check_browse_explore(b, UINT32_MAX, &known);
    assert_true(known.all);
    if (known.states != found->states)
        fail_msg("%s: %u, not %u", r->text, (unsigned)known.states,
                 (unsigned)found->states);
    assert_int_equal(known.levels, found->depth + 1);
    for (uint32_t i = 0; i < check_browse_initial(b); i++)
        assert_int_equal(distance(b, i).outlook, CHECK_SAFE);
    check_browse_close(b);
}

TEST(test_distances_are_those_of_the_search)
{
    FILE *file = fopen("docs/verification/commands.txt", "r");
    char line[512];
    struct row r;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct check_result found;

        if (!row_open(&r, line))
            continue;
        bool ok = search(&r, &found);
        if (ok && found.verdict == CHECK_HOLDS)
            check_holds(&r, &found);
        else if (ok && !found.endless)
            check_violated(&r, &found);
        check_free(&found);
        row_close(&r);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_are_those_of_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
