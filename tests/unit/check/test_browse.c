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
    char command[sizeof r->text + 16], *text = NULL;
    struct trace_head head = {.set = r->made.set, .command = command};
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_writer *trace = trace_writer_new(file);

    snprintf(command, sizeof command, "fulcrum check %s", r->text);
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

/* ---- What is known, and when --------------------------------------------- */

static const char *const small[] = {
    "violated chang-roberts -n 3 --set drop=smaller",
    "violated lelann -n 3 --links any",
    "violated spirakis-tampakas -n 2 --bounds 1:1:0:1 --set rules=printed "
    "--set k=1 --set coins=k-1 --only one-leader",
    "violated archimedean -n 2 --bounds 1:1:0:1 --entries 2 --set noted=no "
    "--set mindelay=1 --set delaystep=0 --set predict=0",
    "violated bully -n 3 --bounds 1:1:0:1 --crashes 1 --restarts same --notice",
    "violated rw-optimistic -n 2 --bounds 1:2:0:0 --crashes 1 --victims 1 "
    "--set words=1 --set writes=asked",
    "holds archimedean -n 2 --bounds 1:1:0:1 --set window=2 --set mindelay=1 "
    "--set delaystep=0 --set predict=0",
};

static void explore_all(struct check_browse *b)
{
    struct check_known known;

    check_browse_explore(b, UINT32_MAX, &known);
    assert_true(known.all);
}

/* What is said of a part of the graph is true of the whole. */
static void check_said(struct check_distance said, struct check_distance is)
{
    bool never = is.outlook == CHECK_SAFE;

    assert_true(never || is.outlook == CHECK_EXACTLY);
    switch (said.outlook) {
    case CHECK_SAFE:
        assert_true(never);
        break;
    case CHECK_NOT_WITHIN:
        assert_true(never || is.moves > said.moves);
        break;
    case CHECK_AT_MOST:
        assert_true(!never && is.moves <= said.moves);
        break;
    case CHECK_EXACTLY:
        assert_true(!never && is.moves == said.moves);
        break;
    }
}

/* Walks ahead of the search see the same moves in the same order, and what is
 * said of the way is true, the sooner the search gets there the more. */
TEST(test_a_walk_ahead_agrees_with_the_whole_graph)
{
    for (size_t i = 0; i < COUNT(small); i++) {
        struct check_browse *all, *some;
        struct check_known known;
        struct row r;

        assert_true(row_open(&r, small[i]));
        all = open_row(&r);
        explore_all(all);
        for (uint64_t seed = 1; seed <= rounds(10); seed++) {
            uint32_t moves[60], ahead[60], behind[60];
            struct check_run_by_hand run;

            some = open_row(&r);
            walk(some, seed, &run, moves, COUNT(moves));
            do {
                uint32_t end;

                assert_true(check_browse_follow(some, &run, &end, ahead));
                assert_true(check_browse_follow(all, &run, &end, behind));
                explore_all(all); /* a walk may have gone behind a violation */
                for (uint32_t m = 0; m < run.moves_count; m++)
                    if (distance(all, behind[m]).outlook == CHECK_SAFE ||
                        distance(all, behind[m]).outlook == CHECK_EXACTLY)
                        check_said(distance(some, ahead[m]),
                                   distance(all, behind[m]));
                check_browse_explore(some, 300, &known);
            } while (!known.all && known.looked_at < 3000);
            check_browse_close(some);
        }
        check_browse_close(all);
        row_close(&r);
    }
}

/* One move brings a violation nearer by one at most, and hints are those that
 * do. */
TEST(test_a_move_leads_one_nearer_at_most)
{
    for (size_t i = 0; i < COUNT(small); i++) {
        struct check_browse *b;
        struct check_known known;
        struct row r;

        assert_true(row_open(&r, small[i]));
        b = open_row(&r);
        explore_all(b);
        check_browse_explore(b, 0, &known);
        for (uint32_t at = 0; at < known.states; at += 7) {
            struct check_distance here = distance(b, at);
            const struct check_enabled *enabled;
            uint32_t count, hints, nearer = 0;

            if (here.outlook != CHECK_EXACTLY && here.outlook != CHECK_SAFE)
                continue; /* behind a violation */
            (void)check_browse_hints(b, at, &hints);
            enabled = check_browse_moves(b, at, &count);
            for (uint32_t m = 0; m < count; m++) {
                struct check_distance there = distance(b, enabled[m].to);

                if (enabled[m].broken) {
                    assert_true(here.moves <= 1 &&
                                here.outlook == CHECK_EXACTLY);
                    nearer += here.moves == 1;
                    continue;
                }
                if (here.outlook == CHECK_SAFE)
                    assert_int_equal(there.outlook, CHECK_SAFE);
                else if (there.outlook == CHECK_EXACTLY)
                    assert_true(there.moves + 1 >= here.moves);
                nearer += there.outlook == CHECK_EXACTLY && here.moves &&
                          there.moves + 1 == here.moves;
            }
            assert_int_equal(hints, here.outlook == CHECK_SAFE ? 0 : nearer);
        }
        check_browse_close(b);
        row_close(&r);
    }
}

/* Predicates over the whole network are judged in every state, as the search
 * does: distances count them, from the initial states on. */
TEST(test_predicates_count)
{
    static const char *const rows[] = {
        "violated ricart-agrawala -n 2 --loss 1",
        "violated raymond -n 3 --duplicate 1",
        "holds naimi-trehel -n 3",
        "violated lamport -n 2 --links any",
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct check_result found;
        struct row r;

        assert_true(row_open(&r, rows[i]));
        r.check.net.predicates =
            net_predicates(r.made.net.protocol, r.made.net.params);
        assert_int_not_equal(r.check.net.predicates, 0);
        assert_true(search(&r, &found));
        if (found.verdict == CHECK_HOLDS)
            check_holds(&r, &found);
        else
            check_violated(&r, &found);
        check_free(&found);
        row_close(&r);
    }
}

/* ---- States, words, neighbours ------------------------------------------- */

/* The index of the move with this label. */
static uint32_t move_called(struct check_browse *b, uint32_t state,
                            const char *label)
{
    char said[CHECK_LABEL_SIZE];
    uint32_t count;

    (void)check_browse_moves(b, state, &count);
    for (uint32_t i = 0; i < count; i++)
        if (check_browse_label(b, state, i, said, sizeof said) &&
            strcmp(said, label) == 0)
            return i;
    fail_msg("nothing is called: %s", label);
    return 0;
}

static uint32_t go(struct check_browse *b, uint32_t state, const char *label)
{
    uint32_t index = move_called(b, state, label), count;

    return check_browse_moves(b, state, &count)[index].to;
}

TEST(test_a_state_is_shown_as_it_is)
{
    struct check_state_now now;
    struct check_browse *b;
    uint32_t at;
    struct row r;

    assert_true(row_open(&r, "holds ricart-agrawala -n 2 --loss 1 --crashes 1 "
                             "--restarts blank"));
    b = open_row(&r);
    assert_int_equal(check_browse_initial(b), 1);
    at = go(b, 0, "P1 is told: want");
    assert_true(check_browse_look(b, at, &now));
    assert_int_equal(now.nodes, 2);
    assert_int_equal(now.node[0].name, 1);
    assert_string_equal(now.node[0].shown.role, "waits");
    assert_string_equal(now.node[1].shown.role, "idle");
    assert_int_equal(now.node[0].left, 0);
    assert_int_equal(now.node[1].left, 1);
    assert_int_equal(now.mails, 1);
    assert_int_equal(now.mail[0].from, 0);
    assert_int_equal(now.mail[0].to, 1);
    assert_int_equal(now.mail[0].fields_count, 1);
    assert_int_equal(now.mail[0].field[0], 1);
    assert_false(now.quiet);
    (void)move_called(b, at, "P2 reads request(1) from P1");
    at = go(b, at, "the network loses request(1) from P1 to P2");
    assert_true(check_browse_look(b, at, &now));
    assert_int_equal(now.mails, 0);
    assert_int_equal(now.budget.losses, 0);
    assert_int_equal(now.budget.crashes, 1);
    assert_true(now.quiet);
    assert_int_not_equal(now.broken_at_end, 0);
    assert_int_equal(distance(b, at).outlook, CHECK_EXACTLY);
    assert_int_equal(distance(b, at).moves, 0);
    at = go(b, at, "P1 crashes");
    assert_true(check_browse_look(b, at, &now));
    assert_true(now.node[0].flags & CHECK_DOWN);
    (void)move_called(b, at, "P1 is back, its memory lost");
    assert_false(check_browse_look(b, UINT32_MAX, &now));
    assert_non_null(check_browse_why(b));
    check_browse_close(b);
    row_close(&r);
}

/* A coin's outcomes have chances and say what was chosen. */
TEST(test_outcomes_of_a_coin)
{
    const struct check_enabled *enabled;
    struct check_browse *b;
    uint32_t count;
    double sum = 0;
    struct row r;

    assert_true(row_open(&r, "holds itai-rodeh -n 3 --set rounds=no"));
    b = open_row(&r);
    enabled = check_browse_moves(b, 0, &count);
    assert_int_equal(count, 9);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(enabled[i].traits, CHECK_MOVE_COIN);
        assert_int_equal(enabled[i].move.node, 0);
        sum += enabled[i].chance;
    }
    assert_true(sum > 0.999 && sum < 1.001);
    assert_int_equal(move_called(b, 0, "P0 is told: wake, chooses 1 of 3"), 1);
    check_browse_close(b);
    row_close(&r);
}

/* An edge is its move and so many ticks; a state that only waits is on no
 * edge's end. */
TEST(test_near_by_ticks_are_folded)
{
    struct check_near near;
    struct check_browse *b;
    uint32_t folded = 0;
    struct row r;

    assert_true(row_open(&r, "holds archimedean -n 2 --bounds 1:1:0:1 --set "
                             "mindelay=1 --set delaystep=0 --set predict=0"));
    b = open_row(&r);
    assert_true(check_browse_near(b, 0, 6, 1000, &near));
    assert_true(near.states_count > 10);
    for (uint32_t e = 0; e < near.edges_count; e++) {
        const struct check_near_edge *edge = &near.edges[e];
        uint32_t at = near.states[edge->from].state, count;

        at = check_browse_moves(b, at, &count)[edge->index].to;
        for (uint32_t i = 0; i < edge->ticks; i++) {
            const struct check_enabled *only =
                check_browse_moves(b, at, &count);

            assert_int_equal(count, 1);
            assert_int_equal(only->traits, CHECK_MOVE_TICK);
            at = only->to;
        }
        assert_int_equal(at, near.states[edge->to].state);
        folded += edge->ticks;
    }
    assert_true(folded > 0);
    assert_true(check_browse_near(b, 0, 6, 5, &near));
    assert_int_equal(near.states_count, 5);
    check_browse_close(b);
    row_close(&r);
}

/* ---- Limits and refusals ------------------------------------------------- */

/* The search stops at its limits; by hand one goes on. */
TEST(test_limits_are_those_of_the_search)
{
    static const enum check_limit limits[] = {CHECK_STATES, CHECK_DEPTH,
                                              CHECK_MEMORY};

    for (size_t i = 0; i < COUNT(limits); i++) {
        struct check_run_by_hand run;
        struct check_browse *b;
        struct check_known known;
        uint32_t moves[40];
        struct row r;

        assert_true(row_open(&r, "holds ricart-agrawala -n 3"));
        r.check.states_max = limits[i] == CHECK_STATES ? 100 : 0;
        r.check.depth_max = limits[i] == CHECK_DEPTH ? 4 : 0;
        r.check.memory_max = limits[i] == CHECK_MEMORY ? 100000 : 0;
        b = open_row(&r);
        check_browse_explore(b, UINT32_MAX, &known);
        assert_int_equal(known.limit, limits[i]);
        assert_false(known.all);
        assert_int_equal(distance(b, 0).outlook, CHECK_NOT_WITHIN);
        if (limits[i] == CHECK_DEPTH)
            assert_int_equal(known.levels, 4);
        assert_int_equal(distance(b, 0).moves + 1, known.levels);
        for (uint64_t seed = 1; seed < 20; seed++)
            walk(b, seed, &run, moves, COUNT(moves));
        assert_true(run.moves_count > 10);
        check_browse_close(b);
        row_close(&r);
    }
}

TEST(test_what_does_not_fit_is_refused)
{
    uint32_t moves[30], end;
    struct check_run_by_hand run = {0, moves, 1}, found;
    char error[TRACE_ERROR_SIZE], *text;
    struct check_browse *b, *other;
    const char *why = NULL;
    struct row r, else_;
    struct trace t;

    assert_true(row_open(&r, "holds ricart-agrawala -n 3 --crashes 1"));
    b = open_row(&r);
    moves[0] = 1000;
    assert_false(check_browse_follow(b, &run, &end, NULL));
    assert_non_null(check_browse_why(b));
    moves[0] = move_called(b, 0, "P2 crashes");
    text = write_down(&r, b, &run);
    assert_int_equal(
        trace_parse(&t, "run", text, strlen(text), error, sizeof error), 0);
    assert_true(check_browse_match(b, &t, &found));
    assert_int_equal(found.moves_count, 1);
    assert_true(row_open(&else_, "holds ricart-agrawala -n 3"));
    other = open_row(&else_);
    assert_false(check_browse_match(other, &t, &found));
    assert_string_equal(
        check_browse_why(other),
        "no run of this search goes on as line 16 of the trace says");
    check_browse_close(other);
    row_close(&else_);
    assert_true(row_open(&else_, "holds lamport -n 3"));
    other = open_row(&else_);
    assert_false(check_browse_match(other, &t, &found));
    assert_string_equal(check_browse_why(other),
                        "the trace is of another protocol");
    check_browse_close(other);
    row_close(&else_);
    trace_free(&t);
    free(text);
    check_browse_close(b);
    r.check.entries = CHECK_ENTRIES_ANY;
    assert_null(check_browse_open(&r.check, &why));
    assert_non_null(strstr(why, "--entries any has no end"));
    row_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_walk_is_a_trace_and_back),
        cmocka_unit_test(test_distances_are_those_of_the_search),
        cmocka_unit_test(test_a_walk_ahead_agrees_with_the_whole_graph),
        cmocka_unit_test(test_a_move_leads_one_nearer_at_most),
        cmocka_unit_test(test_predicates_count),
        cmocka_unit_test(test_a_state_is_shown_as_it_is),
        cmocka_unit_test(test_outcomes_of_a_coin),
        cmocka_unit_test(test_near_by_ticks_are_folded),
        cmocka_unit_test(test_limits_are_those_of_the_search),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
