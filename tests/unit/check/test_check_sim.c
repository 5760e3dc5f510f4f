/*
 * test_check_sim.c - the checker's model contains the simulator: every run that
 * the simulator makes is a path through the states that the checker finds.
 *
 * A trace is followed through the model, event by event and tick by tick.
 * Where the model leaves open what the trace does not tell (when a step ended
 * in which nothing happened, how a coin fell), all its states are followed.
 */
#include "tests/unit/kit/checking.h"

#include "check/model/expand.h"
#include "check/model/links.h"
#include "trace/write.h"

enum { SET_MAX = 1 << 17, STATES_MAX = 1 << 22 };

/* States that the run may be in: a list, and a mark for those on it. */
struct set {
    uint32_t list[SET_MAX], count;
    uint8_t has[STATES_MAX];
};

struct follower {
    struct check_model model;
    struct check_nexts nexts;
    struct set sets[2], *now, *next;
};

static void clear(struct set *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->has[s->list[i]] = 0;
    s->count = 0;
}

static void add(struct set *s, uint32_t state)
{
    assert_true(state < STATES_MAX && s->count < SET_MAX);
    if (s->has[state])
        return;
    s->has[state] = 1;
    s->list[s->count++] = state;
}

static uint32_t number_of(struct follower *f, const struct check_next *next)
{
    bool fresh;

    return check_tree_put(&f->model.tree, next->pair, next->hash, &fresh);
}

/* Steps in which a node only counts may end before what is told. */
static void let_count(struct follower *f)
{
    for (uint32_t i = 0; i < f->now->count; i++) {
        check_expand(&f->model, f->now->list[i], &f->nexts);
        for (uint32_t j = 0; j < f->nexts.count; j++)
            if (f->nexts.list[j].move.kind == CHECK_STEP)
                add(f->now, number_of(f, &f->nexts.list[j]));
    }
}

/* What goes wrong with nodes, as the trace says it. */
static bool is_fault(const struct check_move *move, const char *event)
{
    static const char *const words[] = {
        [CHECK_CRASH] = "crash", [CHECK_RESTART] = "restart",
        [CHECK_PAUSE] = "pause", [CHECK_CUT] = "cut",
        [CHECK_JOIN] = "joined",
    };

    return move->kind < COUNT(words) && words[move->kind] &&
           strncmp(event, words[move->kind], strlen(words[move->kind])) == 0;
}

/* Whether a move is the event of this line. */
static bool is_told(const struct follower *f, uint32_t state,
                    const struct check_move *move, uint32_t node,
                    const char *event)
{
    const struct check_model *m = &f->model;
    char text[256];
    struct check_spread s;
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t count, used;
    const uint8_t *msg;
    const char *at;

    if (move->node != node)
        return false;
    if (move->kind == CHECK_COMMAND)
        return strcmp(event,
                      m->type->protocol->problem->commands[move->what]) == 0;
    if (move->kind == CHECK_TIMEOUT) {
        snprintf(text, sizeof text, "timeout %d", move->what);
        return strcmp(event, text) == 0;
    }
    if (move->kind == CHECK_START)
        return strcmp(event, "wake") == 0;
    if (move->kind == CHECK_MISS || move->kind == CHECK_READ) {
        const char *word = move->kind == CHECK_READ ? "read #" : "misses #";

        if (strncmp(event, word, strlen(word)) != 0)
            return false;
    } else {
        return is_fault(move, event);
    }
    check_tree_load(&m->tree, state, &s);
    msg = check_bytes(
        &m->messages,
        check_mails(m, s.id[m->link_at[move->link]], &count)[move->place].msg,
        NULL);
    used =
        (uint32_t)snprintf(text, sizeof text, "%s",
                           m->type->protocol->kinds[m->type->kind(msg)].name);
    count = m->type->fields(msg, fields);
    for (uint32_t i = 0; i < count; i++)
        used += (uint32_t)snprintf(text + used, sizeof text - used, "%s%lu",
                                   i ? "," : "(", (unsigned long)fields[i]);
    if (count)
        snprintf(text + used, sizeof text - used, ")");
    at = strchr(strchr(event, '#'), ' ');
    return at && strcmp(at + 1, text) == 0;
}

/* All states that the event leads to, from any of those it may be in. */
static void follow(struct follower *f, bool tick, uint32_t node,
                   const char *event)
{
    struct set *held = f->now;

    clear(f->next);
    let_count(f);
    for (uint32_t i = 0; i < f->now->count; i++) {
        check_expand(&f->model, f->now->list[i], &f->nexts);
        for (uint32_t j = 0; j < f->nexts.count; j++) {
            const struct check_move *move = &f->nexts.list[j].move;

            if (tick ? move->kind == CHECK_TICK
                     : is_told(f, f->now->list[i], move, node, event))
                add(f->next, number_of(f, &f->nexts.list[j]));
        }
    }
    f->now = f->next;
    f->next = held;
}

static bool some_quiet(struct follower *f)
{
    for (uint32_t i = 0; i < f->now->count; i++) {
        check_expand(&f->model, f->now->list[i], &f->nexts);
        if (f->nexts.quiet)
            return true;
    }
    return false;
}

/* Whether the steps of all nodes are under way as the trace says. */
static bool begins_so(const struct follower *f, uint32_t state,
                      const char *steps)
{
    const struct check_model *m = &f->model;
    struct check_spread s;
    char *at;

    if (!steps || !m->uniform)
        return true;
    check_tree_load(&m->tree, state, &s);
    at = strchr(steps + 1, ' ');
    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_head *head =
            &check_info_of(m, i, s.id[m->local_at[i]])->head;
        uint64_t length = strtoull(at + 1, &at, 10);
        uint64_t phase = strtoull(at + 1, &at, 10);

        if (head->length != length || head->length - head->age != (int)phase)
            return false;
    }
    return true;
}

/* Follows a whole trace; fails where the model does not. */
static void follow_trace(struct follower *f, const char *text)
{
    const char *line = strstr(text, "\n----\n") + 6;
    uint64_t now = 0;

    for (; strncmp(line, "end ", 4) != 0; line = strchr(line, '\n') + 1) {
        char event[256], *end;
        uint64_t tick = strtoull(line, &end, 10);
        uint32_t name = (uint32_t)strtoul(end, &end, 10), node = 0;

        snprintf(event, sizeof event, "%.*s", (int)strcspn(end + 1, ";\n"),
                 end + 1);
        while (!f->model.type->protocol->anonymous &&
               net_name(&f->model.names, node) != name)
            node++;
        if (f->model.type->protocol->anonymous)
            node = name;
        for (; now < tick; now++)
            follow(f, true, 0, "");
        if (strcmp(event, "stopped") == 0)
            continue; /* by the tick itself */
        follow(f, false, node, event);
        if (f->now->count == 0) {
            *strchr(line, '\n') = '\0';
            fail_msg("the checker does not know this:\n%s\nin\n%s", line, text);
        }
    }
    if (strstr(line, "quiet") && !f->model.type->clocked)
        assert_true(some_quiet(f));
}

static void check_runs(struct search *s, uint32_t runs)
{
    struct net_memory memory = {.segment_bytes = 0};

    search_prepare(s);
    if (s->check.until)
        s->check.entries += 6; /* a site that was stopped asks again */
    for (uint64_t seed = 1; seed <= rounds(runs); seed++) {
        struct follower *f = calloc(1, sizeof *f);
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        struct trace_listener *trace = trace_writer_new(file);
        struct sim_job job = {.seed = seed, .memory = &memory, .trace = trace};
        struct sim_result result;

        assert_non_null(f);
        assert_int_equal(sim_run(&s->sim, &job, &result), SIM_OK);
        fclose(file);
        f->now = &f->sets[0];
        f->next = &f->sets[1];
        assert_true(check_model_begin(&f->model, &s->check));
        check_initial(&f->model);
        for (uint32_t i = 0; i < f->model.tree.roots.count; i++)
            if (begins_so(f, i, strstr(text, "\nsteps ")))
                add(f->now, i);
        follow_trace(f, text);
        check_release(&f->model.memory, f->nexts.list,
                      f->nexts.room * sizeof *f->nexts.list);
        check_model_free(&f->model);
        trace_writer_free(trace);
        free(text);
        free(f);
    }
    net_memory_free(&memory);
    search_close(s);
}

static const struct fc_bounds bounds[] = {
    {1, 1, 0, 0}, {1, 1, 0, 3}, {2, 2, 1, 1},
    {1, 2, 0, 2}, {2, 3, 1, 4}, {1, 4, 2, 3},
};

static void try_everything(const char *protocol, uint32_t n,
                           const char *settings, uint32_t runs)
{
    for (size_t b = 0; b < COUNT(bounds); b++)
        for (uint32_t how = 0; how < 4; how++) {
            struct search s;

            search_open(&s, protocol, n, NET_ARCHIMEDEAN, bounds[b], settings);
            s.sim.net.clock = how & 1 ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED;
            s.sim.net.any_order = how & 2;
            /* With timers and clocks that drift far, too much is open. */
            if ((how & 1) && bounds[b].rmax > 3) {
                search_close(&s);
                continue;
            }
            s.check.entries = 2;
            check_runs(&s, runs);
        }
}

/* Elections with and without timers, one message a step or all of them. */
TEST(test_elections_of_the_simulator_are_known)
{
    try_everything("chang-roberts", 4, "", 20);
    try_everything("vitanyi", 3, "", 20);
    try_everything("franklin", 4, "", 20);
    try_everything("spirakis-tampakas", 2, "k=1", 10);
}

/* Applications that ask and leave. */
TEST(test_mutexes_of_the_simulator_are_known)
{
    try_everything("ricart-agrawala", 3, "", 10);
    try_everything("archimedean", 2, "mindelay=1 delaystep=1 predict=0", 8);
}

/* Nodes that share memory: each access is a moment of its own. */
TEST(test_readers_of_the_simulator_are_known)
{
    try_everything("rw-optimistic", 2, "words=2 writes=asked", 10);
    try_everything("rw-optimistic", 3, "words=1 writes=asked waits=none", 5);
    try_everything("rw-optimistic", 2, "words=1 writes=asked order=swapped", 5);
}

/* Nodes that read clocks; clocks run at every rate, and do not drift. */
TEST(test_the_live_lock_of_the_simulator_is_known)
{
    static const struct fc_bounds rates[] = {
        {1, 1, 0, 0}, {1, 1, 0, 3}, {2, 2, 1, 1}, {1, 2, 0, 2}};

    for (size_t b = 0; b < COUNT(rates); b++)
        for (uint32_t any = 0; any < 2; any++) {
            struct search s;

            search_open(&s, "view-lock", 3, NET_ARCHIMEDEAN, rates[b],
                        "tau=3 lease=6 silence=5 delta=2");
            s.sim.net.any_order = any;
            s.sim.until = 80;
            s.check.until = 90;
            s.check.entries = 2;
            check_runs(&s, 6);
        }
}

/* The same when the holder pauses, crashes and is cut off. */
TEST(test_faults_of_the_simulator_are_known)
{
    static const struct net_fault faults[][2] = {
        {{.kind = NET_FAULT_PAUSE, .name = 1, .tick = 12, .ticks = 7}},
        {{.kind = NET_FAULT_CRASH, .name = 1, .tick = 12},
         {.kind = NET_FAULT_RESTART_BLANK, .name = 1, .tick = 15}},
        {{.kind = NET_FAULT_CUT, .name = 1, .tick = 12},
         {.kind = NET_FAULT_JOINED, .name = 1, .tick = 21}},
    };
    static const struct fc_bounds rates[] = {{1, 1, 0, 0}, {1, 1, 0, 2}};

    for (size_t i = 0; i < COUNT(faults); i++)
        for (size_t b = 0; b < COUNT(rates); b++) {
            struct search s;

            search_open(&s, "view-lock", 3, NET_ARCHIMEDEAN, rates[b],
                        "tau=3 lease=5 silence=4 delta=2");
            s.sim.faults.list = faults[i];
            s.sim.faults.count = faults[i][1].tick ? 2 : 1;
            s.sim.until = 60;
            s.check.until = 70;
            s.check.entries = 3;
            s.check.pauses = s.check.cuts = s.check.crashes = 1;
            s.check.back = CHECK_RETURN_BLANK;
            s.check.faults_from = 12;
            check_runs(&s, 6);
        }
}

/* Without time there is only the order of events. */
TEST(test_runs_without_bounds_are_known)
{
    static const char *const protocols[] = {"chang-roberts", "lelann",
                                            "peterson", "hirschberg-sinclair",
                                            "itai-rodeh"};

    for (size_t i = 0; i < COUNT(protocols); i++) {
        struct search s;

        search_open(&s, protocols[i], 4, NET_SYNC, bounds[0], "");
        check_runs(&s, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elections_of_the_simulator_are_known),
        cmocka_unit_test(test_mutexes_of_the_simulator_are_known),
        cmocka_unit_test(test_readers_of_the_simulator_are_known),
        cmocka_unit_test(test_the_live_lock_of_the_simulator_is_known),
        cmocka_unit_test(test_faults_of_the_simulator_are_known),
        cmocka_unit_test(test_runs_without_bounds_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
