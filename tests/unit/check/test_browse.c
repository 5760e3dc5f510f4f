/*
 * test_browse.c - the graph of states by hand agrees with the search.
 */
#include "tests/unit/kit/rows.h"

#include "check/browse/browse.h"
#include "check/tell/telling.h"
#include "trace/replay.h"

enum { STATES_MAX = 20000 };

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

/* ---- Runs ---------------------------------------------------------------- */

/* A run as a trace; to be freed. */
static char *write_down(const struct row *r, struct check_browse *b,
                        const struct check_run_by_hand *run)
{
    struct trace_head head = {.set = r->made.set, .command = r->text};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_listener *trace = trace_writer_new(file);

    trace_write_head(trace, &head);
    assert_true(check_browse_trace(b, run, trace));
    trace_writer_free(trace);
    fclose(file);
    return text;
}

/* Leaves of a trace what happened, without effects and numbers of messages:
 * which of equal messages was copied or lost makes no difference. */
static void leave_events(char *text)
{
    char *to = text, *from = strstr(text, "\n----\n");

    for (; from && strncmp(from, "\nhash", 5) != 0; from = strchr(from, '\n')) {
        *to++ = *from++;
        for (; !strchr(";\n", *from); from++) {
            if (*from == '#')
                from += strspn(from, "#0123456789");
            *to++ = *from;
        }
    }
    *to = '\0';
}

/* Whether a trace leaves nothing open: which message is copied or delayed and
 * when, when a step ends in which nothing is done. */
static bool all_is_told(const struct check_setup *c)
{
    return !c->copies && !c->late_ticks && !c->pauses && !c->notice &&
           c->net.clock != NET_CLOCK_DRIFT;
}

/* What is written is a run of the network, breaks what it says, and leads back
 * to moves with the same events. */
static void check_trace_of(const struct row *r, struct check_browse *b,
                           const struct check_run_by_hand *run, uint32_t broken)
{
    char error[TRACE_ERROR_SIZE], *text = write_down(r, b, run), *again;
    struct net_refusal refusal = {0};
    struct check_run_by_hand found;
    struct trace_replay replay;
    struct net_made made;
    uint32_t end, end_again;
    struct trace t;

    if (trace_parse(&t, "run", text, strlen(text), error, sizeof error) != 0)
        fail_msg("%s: %s", r->text, error);
    if (!trace_network(&t, &made, &refusal))
        fail_msg("%s: %s", r->text, refusal.why);
    if (trace_replay(&made.net, &t, &replay) != TRACE_REPLAY_SAME)
        fail_msg("%s: line %u: %s\n%s\n%s", r->text, replay.line,
                 replay.what ? replay.what : "differs", replay.then,
                 replay.now);
    if ((replay.broken & broken) != broken)
        fail_msg("%s: replayed, it breaks %x, not %x", r->text, replay.broken,
                 broken);
    if (!check_browse_match(b, &t, &found))
        fail_msg("%s: %s\n%s", r->text, check_browse_why(b), text);
    again = write_down(r, b, &found);
    leave_events(again);
    leave_events(text);
    if (strcmp(again, text) != 0)
        fail_msg("%s: %s\nis not%s", r->text, again, text);
    assert_true(check_browse_follow(b, run, &end, NULL) &&
                check_browse_follow(b, &found, &end_again, NULL));
    if (all_is_told(&r->check))
        assert_int_equal(end, end_again);
    net_unmake(&made);
    trace_free(&t);
    free(text);
    free(again);
}

enum { MOVES_MAX = 400 };

/* Follows the first hint, or the last, until something is broken. */
static void check_hints(const struct row *r, struct check_browse *b,
                        uint32_t first, uint32_t length, bool last)
{
    uint32_t moves[MOVES_MAX], state = first, broken = 0, count;
    struct check_run_by_hand run = {first, moves, 0};
    struct check_state_now now;

    while (distance(b, state).moves > 0 && !broken) {
        const uint32_t *hints = check_browse_hints(b, state, &count);
        const struct check_enabled *enabled;
        uint32_t hint;

        assert_int_not_equal(count, 0);
        hint = hints[last ? count - 1 : 0];
        enabled = check_browse_moves(b, state, &count);
        assert_true(hint < count && run.moves_count < MOVES_MAX);
        moves[run.moves_count++] = hint;
        broken = enabled[hint].broken;
        state = enabled[hint].to;
    }
    assert_int_equal(run.moves_count, length);
    assert_true(check_browse_look(b, state, &now));
    assert_true(broken || now.broken || (now.quiet && now.broken_at_end));
    check_trace_of(r, b, &run,
                   broken & ~UINT32_C(0) >> (32 - FC_PREDICATE_BIT));
}

/* ---- Rows ---------------------------------------------------------------- */

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
    check_hints(r, b, first, d.moves, false);
    check_hints(r, b, first, d.moves, true);
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

/* ---- Walks --------------------------------------------------------------- */

static uint64_t dice(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

/* Worlds with everything that moves can be. */
static const char *const worlds[] = {
    "holds chang-roberts -n 3 --links any --loss 1 --duplicate 1 --wake any",
    "holds ricart-agrawala -n 3 --entries 2 --loss 1 --duplicate 2 --crashes 1 "
    "--restarts blank --cuts 1",
    "holds itai-rodeh -n 3 --links any --set rounds=no --loss 1",
    "holds spirakis-tampakas -n 3 --bounds 1:2:0:2 --clock drift --links any "
    "--set k=2 --late 2 --duplicate 1",
    "holds vitanyi -n 3 --bounds 1:2:0:3 --loss 1 --duplicate 1 --late 2",
    "holds archimedean -n 2 --bounds 1:2:0:2 --entries 2 --crashes 1 "
    "--restarts same --pauses 1 --pause-max 3 --cuts 1 --cut-max 4 --late 2 "
    "--loss 1 --duplicate 1 --set mindelay=1 --set delaystep=0 --set predict=0",
    "holds bully -n 3 --bounds 1:2:0:2 --clock drift --crashes 2 --restarts "
    "same --notice --loss 1 --pauses 1 --pause-max 3",
    "holds rw-optimistic -n 2 --bounds 1:3:0:0 --clock drift --set words=2 "
    "--set writes=asked --entries 2",
    "holds view-lock -n 3 --time sync --until 30 --wake 1,2 --entries 2 "
    "--crashes 1 --restarts blank --pauses 1 --cuts 1 --loss 1 --duplicate 1 "
    "--set tau=3 --set lease=5 --set silence=4 --set delta=2",
};

/* A walk, away from the beginning and behind violations. */
static void walk(struct check_browse *b, uint64_t seed,
                 struct check_run_by_hand *run, uint32_t *moves, uint32_t most)
{
    uint64_t random = seed * 2654435761u + 88172645463325252u;
    uint32_t state, count;

    *run = (struct check_run_by_hand){
        .first = (uint32_t)(dice(&random) % check_browse_initial(b)),
        .moves = moves,
    };
    state = run->first;
    while (run->moves_count < most) {
        const struct check_enabled *enabled =
            check_browse_moves(b, state, &count);

        assert_non_null(enabled);
        if (count == 0)
            break;
        moves[run->moves_count] = (uint32_t)(dice(&random) % count);
        state = enabled[moves[run->moves_count++]].to;
    }
}

/* However a walk goes, it can be written down, replayed and found again. */
TEST(test_every_walk_is_a_trace_and_back)
{
    for (size_t i = 0; i < COUNT(worlds); i++) {
        struct check_run_by_hand run;
        struct check_browse *b;
        uint32_t moves[120];
        struct row r;

        assert_true(row_open(&r, worlds[i]));
        b = open_row(&r);
        for (uint64_t seed = 1; seed <= rounds(30); seed++) {
            walk(b, seed, &run, moves, (uint32_t)(10 + 4 * (seed % 28)));
            check_trace_of(&r, b, &run, 0);
        }
        check_browse_close(b);
        row_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_walk_is_a_trace_and_back),
        cmocka_unit_test(test_distances_are_those_of_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
