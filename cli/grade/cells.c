/*
 * cells.c - all hand-ins, as many at once as there are cores (see grade.h).
 *
 * Marks go to where their hand-in stands in the list: which of them ended first
 * does not show.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/grade/grade.h"
#include "cli/progress.h"
#include "net/seconds.h"

enum { JOBS_MAX = 64, SAID_MAX = 1 << 20, READ_SIZE = 65536 };

struct running {
    struct grade_cell cell;
    struct grade_hand_in *hand_in; /* NULL: this place is free */
    struct grade_limits limits;
    struct lab_text said;
};

struct cells {
    struct grade_work *work;
    struct running one[JOBS_MAX];
    uint32_t jobs, next, done;
    bool shown;
};

struct inside {
    const struct grade_work *work;
    const struct running *run;
};

/* In the cell: judges, and writes the marks. */
static void judge(void *whom, int out)
{
    const struct inside *in = whom;
    const struct grade_hand_in *h = in->run->hand_in;
    struct grade_engine engine = {&in->run->limits,
                                  grade_exercise_of(in->work, h), h};
    json_t *marks = grade_one(in->work, h, grade_ask_engine, &engine);

    (void)json_dumpfd(marks, out, JSON_COMPACT);
    json_decref(marks);
}

/* What a hand-in may take as a whole: three times its seconds of CPU, since it
 * shares the cores, and some to begin. */
static double whole_seconds(const struct running *r)
{
    return 3.0 * r->limits.seconds + 10;
}

static bool start(struct cells *c, struct running *r, uint32_t slot,
                  struct net_why *why)
{
    struct grade_hand_in *h = &c->work->one[c->next];
    const struct grade_exercise *x = grade_exercise_of(c->work, h);
    struct inside in = {c->work, r};

    *r = (struct running){.hand_in = h, .limits = c->work->wishes->limits};
    if (!r->limits.seconds)
        r->limits.seconds = x ? x->seconds : 10;
    r->limits.boxed = x && x->source && grade_has_sandbox();
    c->next++;
    return grade_cell_begin(&r->cell, slot, &r->limits, whole_seconds(r), judge,
                            &in, why);
}

/* The marks that a cell has written; or why there are none. */
static void finish(struct cells *c, struct running *r)
{
    char why[160];

    (void)grade_cell_end(&r->cell);
    if (r->said.text && !r->cell.late)
        r->hand_in->marks = json_loads(r->said.text, 0, NULL);
    if (!r->hand_in->marks) {
        snprintf(why, sizeof why,
                 r->cell.late ? "it did not end within %.0f s"
                              : "it used up its limits, or ended the judge",
                 whole_seconds(r));
        r->hand_in->marks = grade_refusal(c->work, r->hand_in, why);
    }
    free(r->said.text);
    r->hand_in = NULL;
    c->done++;
}

/* Reads what there is; true: nothing more will come. */
static bool drain(struct running *r)
{
    char buffer[READ_SIZE];
    ssize_t got = read(r->cell.out, buffer, sizeof buffer);

    if (got < 0 && errno == EINTR)
        return false;
    if (got <= 0 || r->said.length + (size_t)got > SAID_MAX)
        return true;
    lab_say(&r->said, "%.*s", (int)got, buffer);
    return false;
}

static void look(struct cells *c)
{
    struct pollfd fds[JOBS_MAX];
    double now;

    for (uint32_t i = 0; i < c->jobs; i++)
        fds[i] = (struct pollfd){c->one[i].hand_in ? c->one[i].cell.out : -1,
                                 POLLIN, 0};
    (void)poll(fds, c->jobs, 200);
    now = net_seconds();
    for (uint32_t i = 0; i < c->jobs; i++) {
        struct running *r = &c->one[i];

        if (!r->hand_in)
            continue;
        r->cell.late = now > r->cell.deadline;
        if (r->cell.late || (fds[i].revents && drain(r)))
            finish(c, r);
    }
}

static void tell(struct cells *c)
{
    if (!cli_is_terminal(stderr))
        return;
    c->shown = true;
    fprintf(stderr, "\rgrade  %u of %u\033[K", c->done, c->work->count);
}

static int go_on(struct cells *c, const atomic_bool *stop)
{
    struct net_why why = {0};

    while (c->done < c->work->count) {
        for (uint32_t i = 0; i < c->jobs && c->next < c->work->count; i++)
            if (!c->one[i].hand_in && !start(c, &c->one[i], i, &why))
                return cli_refused(&why);
        look(c);
        tell(c);
        if (stop && atomic_load(stop))
            return CLI_INTERRUPTED;
    }
    return 0;
}

int grade_all(struct grade_work *w)
{
    struct cells *c = calloc(1, sizeof *c);
    uint32_t jobs = w->wishes->jobs ? w->wishes->jobs : cli_cores(JOBS_MAX);
    int code;

    if (!c)
        return cli_no_memory("the cells");
    c->work = w;
    c->jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX;
    code = go_on(c, cli_catch_interrupt());
    if (c->shown)
        fprintf(stderr, "\r\033[K");
    for (uint32_t i = 0; i < c->jobs; i++)
        if (c->one[i].hand_in) {
            (void)grade_cell_end(&c->one[i].cell);
            free(c->one[i].said.text);
        }
    free(c);
    return code;
}
