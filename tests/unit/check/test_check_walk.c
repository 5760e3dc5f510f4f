/*
 * test_check_walk.c - the checker's model contains nothing else: whatever way
 * one walks through it, the run that is told keeps the rules of time.
 *
 * Walks are random.  Of each run, as its trace tells it: messages take dmin to
 * dmax ticks and keep their order on a link, are read in the order of arrival,
 * not before they arrive and one a step; nobody lets a timer run off while a
 * message that has arrived waits to be read; two steps are rmin to rmax apart
 * where they follow each other closely, and timers run a few steps.
 */
#include "tests/unit/kit/checking.h"

#include "check/model/expand.h"
#include "check/tell/telling.h"
#include "trace/write.h"

enum { MOVES = 160, LETTERS_MAX = 4096, NODES_MAX = 8 };

struct letter {
    uint64_t sent, arrives;
    uint32_t from, to;
    bool read;
};

struct watcher {
    const struct fc_bounds *b;
    bool any_order, reads_all;
    struct letter letter[LETTERS_MAX];
    uint32_t letters;
    uint64_t last_read[NODES_MAX]; /* arrival of the last message read */
    uint64_t read_at[NODES_MAX];   /* 1 + tick */
    uint64_t acted_at[NODES_MAX];  /* 1 + tick of the last event */
    uint64_t armed[NODES_MAX][FC_TIMERS];
    uint64_t due[NODES_MAX][FC_TIMERS]; /* steps; 0: off */
};

static uint64_t dice(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

static uint64_t at_least_one(uint64_t ticks)
{
    return ticks ? ticks : 1;
}

static void note_sends(struct watcher *w, uint64_t tick, uint32_t node,
                       const char *line)
{
    for (const char *at = line; (at = strstr(at, "; send #")); at++) {
        const char *to = strstr(at, " to "), *arrives;
        struct letter *l = &w->letter[w->letters++];
        char *end;

        assert_true(w->letters < LETTERS_MAX);
        l->sent = tick;
        l->from = node;
        l->to = (uint32_t)strtoul(to + 4, &end, 10) - 1;
        arrives = end;
        assert_int_equal(strncmp(arrives, " arrives ", 9), 0);
        l->arrives = strtoull(arrives + 9, NULL, 10);
        assert_in_range(l->arrives - tick, at_least_one(w->b->dmin),
                        at_least_one(w->b->dmax));
    }
}

static void note_timers(struct watcher *w, uint64_t tick, uint32_t node,
                        const char *line)
{
    for (const char *at = line; (at = strstr(at, "; arm ")); at++) {
        char *end;
        unsigned long timer = strtoul(at + 6, &end, 10);

        w->armed[node][timer] = tick;
        w->due[node][timer] = strtoull(end, NULL, 10);
    }
    for (const char *at = line; (at = strstr(at, "; stop ")); at++)
        w->due[node][strtoul(at + 7, NULL, 10)] = 0;
}

static void judge_read(struct watcher *w, uint64_t tick, uint32_t node,
                       uint32_t id)
{
    struct letter *l = &w->letter[id];

    assert_true(id < w->letters && !l->read);
    assert_int_equal(l->to, node);
    assert_true(l->arrives <= tick && l->sent < tick);
    assert_true(l->arrives >= w->last_read[node]);
    if (!w->reads_all)
        assert_int_not_equal(w->read_at[node], tick + 1);
    for (uint32_t i = 0; i < w->letters && !w->any_order; i++)
        if (i < id && w->letter[i].from == l->from && w->letter[i].to == node)
            assert_true(w->letter[i].read);
    l->read = true;
    w->last_read[node] = l->arrives;
    w->read_at[node] = tick + 1;
}

static void judge_timeout(struct watcher *w, uint64_t tick, uint32_t node,
                          unsigned long timer)
{
    uint64_t steps = w->due[node][timer];
    uint64_t ticks = tick - w->armed[node][timer];

    assert_int_not_equal(steps, 0);
    assert_in_range(ticks, steps * w->b->rmin, steps * w->b->rmax);
    w->due[node][timer] = 0;
    /* What has arrived is read first, unless the step has read already. */
    for (uint32_t i = 0; i < w->letters; i++)
        if (w->letter[i].to == node && !w->letter[i].read &&
            w->letter[i].arrives <= tick)
            assert_true(!w->reads_all && w->read_at[node] == tick + 1);
}

static void check_trace_text(struct watcher *w, const char *text)
{
    const char *line = strstr(text, "\n----\n") + 6;

    for (; strncmp(line, "end ", 4) != 0; line = strchr(line, '\n') + 1) {
        char copy[4096], *end;
        uint64_t tick;
        uint32_t node;

        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
        tick = strtoull(copy, &end, 10);
        node = (uint32_t)strtoul(end, &end, 10) - 1;
        if (strncmp(end, " stopped", 8) == 0)
            continue; /* that is not the node's doing */
        if (w->acted_at[node] && w->acted_at[node] != tick + 1)
            assert_true(tick + 1 - w->acted_at[node] >= w->b->rmin);
        w->acted_at[node] = tick + 1;
        if (strncmp(end, " read #", 7) == 0)
            judge_read(w, tick, node, (uint32_t)strtoul(end + 7, NULL, 10));
        else if (strncmp(end, " timeout ", 9) == 0)
            judge_timeout(w, tick, node, strtoul(end + 9, NULL, 10));
        note_sends(w, tick, node, copy);
        note_timers(w, tick, node, copy);
    }
}

/* A walk from a random beginning, as the result of a search that ended
 * there. */
static void walk(struct search *s, uint64_t seed)
{
    static struct check_model model;
    struct check_move moves[MOVES];
    struct check_result r = {.moves = moves};
    struct check_nexts nexts = {.list = NULL};
    uint64_t random = seed * 2654435761u + 88172645463325252u;
    struct watcher *w = calloc(1, sizeof *w);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_listener *trace = trace_writer_new(file);
    uint32_t state;

    assert_non_null(w);
    assert_true(check_model_begin(&model, &s->check));
    check_initial(&model);
    r.first = state = (uint32_t)(dice(&random) % model.tree.roots.count);
    while (r.moves_count < MOVES) {
        const struct check_next *next;
        bool fresh;

        check_expand(&model, state, &nexts);
        if (nexts.count == 0)
            break;
        next = &nexts.list[dice(&random) % nexts.count];
        moves[r.moves_count++] = next->move;
        state = check_tree_put(&model.tree, next->pair, next->hash, &fresh);
    }
    assert_true(check_trace(&s->check, &r, trace));
    fclose(file);
    w->b = &s->sim.net.world.bounds;
    w->any_order = s->sim.net.any_order;
    w->reads_all = model.type->reads_all;
    check_trace_text(w, text);
    check_release(&model.memory, nexts.list, nexts.room * sizeof *nexts.list);
    check_model_free(&model);
    trace_writer_free(trace);
    free(text);
    free(w);
}

TEST(test_every_walk_keeps_the_rules_of_time)
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0}, {1, 1, 0, 3}, {2, 2, 1, 1},
        {1, 2, 0, 2}, {2, 3, 1, 4}, {1, 4, 2, 3},
    };
    static const struct {
        const char *protocol, *settings;
        uint32_t n;
    } tried[] = {
        {"chang-roberts", "", 4},
        {"vitanyi", "", 3},
        {"franklin", "", 3},
        {"ricart-agrawala", "", 3},
        {"archimedean", "mindelay=1 delaystep=1 predict=0", 3},
        {"rw-optimistic", "words=2 writes=asked", 3},
        {"view-lock", "tau=3 lease=6 silence=5 delta=2", 3},
    };

    for (size_t p = 0; p < COUNT(tried); p++)
        for (size_t b = 0; b < COUNT(bounds); b++)
            for (uint32_t how = 0; how < 4; how++) {
                struct search s;

                search_open(&s, tried[p].protocol, tried[p].n, NET_ARCHIMEDEAN,
                            bounds[b], tried[p].settings);
                s.sim.net.clock = how & 1 ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED;
                s.sim.net.any_order = how & 2;
                s.check.entries = 3;
                s.check.section = 3;
                if (strcmp(tried[p].protocol, "view-lock") == 0) {
                    s.check.until = 1000; /* its clocks do not drift */
                    s.sim.net.clock = NET_CLOCK_FIXED;
                }
                if (how & 1)
                    s.check.waking = CHECK_WAKE_ANY;
                search_prepare(&s);
                for (uint64_t seed = 1; seed <= rounds(12); seed++)
                    walk(&s, seed);
                search_close(&s);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_walk_keeps_the_rules_of_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
