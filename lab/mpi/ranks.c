/*
 * ranks.c - see ranks.h.
 *
 * Messages are texts: a task is {number, threads, command}, an answer {number,
 * code, end, seconds, json, complaint}.  Nothing is sent or received that could
 * block for ever on a rank that is gone.
 */
#include "lab/mpi/ranks.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "net/seconds.h"

enum tag {
    TAG_JOBS = 1, /* to a rank: the tasks that it makes at once */
    TAG_TASK,
    TAG_STOP, /* to a rank; a text that is not empty: a rank is lost */
    TAG_BEAT, /* both ways: I am there */
    TAG_ANSWER,
    TAG_BYE, /* the last that a rank sends; a text that is not empty: it has
              * been ended, and leaves the job as it is */
};

enum {
    POLL_MILLISECONDS = 2,
    /* The first rank may wait for one that is gone, and be silent meanwhile. */
    FIRST_PATIENCE = 4,
};

static double patience(void)
{
    const char *text = getenv("FULCRUM_RANK_PATIENCE");
    double seconds = text ? strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : LAB_RANK_PATIENCE;
}

static void doze(void)
{
    const struct timespec t = {.tv_nsec = POLL_MILLISECONDS * 1000000L};

    (void)nanosleep(&t, NULL);
}

/* ---- Texts --------------------------------------------------------------- */

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker,clang-analyzer-unix.Malloc)
 * The analyser wants MPI_Wait, which would wait for ever. */

/* False: it was not taken for so long that the rank is lost.  Then a copy of
 * the text stays, because MPI may still read it. */
static bool send_text(const char *text, int to, enum tag tag)
{
    double until = net_seconds() + patience();
    char *copy = strdup(text);
    MPI_Request request;
    int done = 0;

    if (!copy || MPI_Isend(copy, (int)strlen(copy) + 1, MPI_CHAR, to, (int)tag,
                           MPI_COMM_WORLD, &request) != MPI_SUCCESS) {
        free(copy);
        return false;
    }
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           !done && net_seconds() < until)
        doze();
    if (done)
        free(copy);
    return done;
}

/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker,clang-analyzer-unix.Malloc) */

static bool send_json(json_t *json, int to, enum tag tag)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    bool fine = text && send_text(text, to, tag);

    json_decref(json);
    free(text);
    return fine;
}

/* A text that has arrived, from anybody or from one rank; NULL: none. */
static char *take_text(int from, int *source, int *tag)
{
    MPI_Status status;
    int there = 0, size = 0;
    char *text;

    if (MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) !=
            MPI_SUCCESS ||
        !there || MPI_Get_count(&status, MPI_CHAR, &size) != MPI_SUCCESS)
        return NULL;
    text = calloc((size_t)size + 1, 1);
    if (!text ||
        MPI_Recv(text, size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        free(text);
        return NULL;
    }
    *source = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    return text;
}

/* Bytes of a complaint that are not UTF-8 cannot be sent. */
static json_t *pack_answer(int64_t number, struct lab_answer *a)
{
    json_t *o =
        json_pack("{s:I,s:i,s:i,s:f}", "number", (json_int_t)number, "code",
                  a->code, "end", (int)a->end, "seconds", a->seconds);

    if (a->json)
        (void)json_object_set(o, "json", a->json);
    if (a->complaint)
        (void)json_object_set_new(o, "complaint", json_string(a->complaint));
    lab_answer_free(a);
    return o;
}

/* Returns its number, or -1. */
static int64_t unpack_answer(const char *text, struct lab_answer *a)
{
    json_t *o = json_loads(text, 0, NULL);
    const char *complaint;
    json_int_t number = -1;
    int end = 0;

    *a = (struct lab_answer){0};
    if (o && json_unpack(o, "{s:I,s:i,s:i,s:F}", "number", &number, "code",
                         &a->code, "end", &end, "seconds", &a->seconds) == 0) {
        a->end = (enum lab_end)end;
        a->json = json_incref(json_object_get(o, "json"));
        complaint = json_string_value(json_object_get(o, "complaint"));
        a->complaint = complaint ? strdup(complaint) : NULL;
    }
    json_decref(o);
    return number;
}

/* ---- A rank that serves -------------------------------------------------- */

struct served {
    struct lab_workers here; /* once their number is known */
    double heard, beaten;    /* the first rank; when it was told of us */
    bool stopped, lost;      /* lost: some rank, or the first */
    bool ended;              /* by a signal */
};

static void on_text(struct served *s, const char *program, char *text, int tag)
{
    struct net_why why = {.text = "no memory for children"};
    json_t *task = tag == TAG_TASK ? json_loads(text, 0, NULL) : NULL;
    json_int_t number = 0, threads = 1;
    const char *command = "";

    s->heard = net_seconds();
    if (tag == TAG_JOBS && !s->here.whom)
        (void)lab_workers_here(&s->here, program,
                               (uint32_t)strtoul(text, NULL, 10));
    if (tag == TAG_STOP) {
        s->stopped = true;
        s->lost = *text != '\0';
    }
    if (!task)
        return;
    if (json_unpack(task, "{s:I,s:I,s:s}", "number", &number, "threads",
                    &threads, "command", &command) != 0 ||
        !s->here.whom ||
        !s->here.start(s->here.whom, command, (uint32_t)number,
                       (uint32_t)threads, &why)) {
        /* It cannot be made here.  Perhaps elsewhere. */
        struct lab_answer a = {
            .end = LAB_KILLED, .code = 128, .complaint = strdup(why.text)};

        s->lost |= !send_json(pack_answer(number, &a), 0, TAG_ANSWER);
    }
    json_decref(task);
}

static void beat(double *beaten, int to)
{
    if (net_seconds() - *beaten < patience() / 8)
        return;
    *beaten = net_seconds();
    (void)send_text("", to, TAG_BEAT);
}

/* Leaves the job.  Where a rank is lost the others cannot wait for it, which is
 * what MPI_Finalize does. */
static void part(bool lost)
{
    if (!lost)
        (void)MPI_Finalize();
}

static sigset_t endings(void)
{
    sigset_t signals;

    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    return signals;
}

/* mpirun ends its ranks by SIGTERM, and does not know their children. */
static bool is_ended(void)
{
    const struct timespec at_once = {0};
    const sigset_t signals = endings();

    return sigtimedwait(&signals, NULL, &at_once) > 0;
}

static _Noreturn void serve(const char *program)
{
    struct served s = {.heard = net_seconds()};
    struct lab_answer answer;
    int source, tag;

    while (!s.stopped && !s.lost && !s.ended) {
        char *text = take_text(0, &source, &tag);
        int64_t number;

        if (text)
            on_text(&s, program, text, tag);
        free(text);
        beat(&s.beaten, 0);
        s.ended = is_ended();
        s.lost |= net_seconds() - s.heard > FIRST_PATIENCE * patience();
        number = -1;
        if (s.here.whom && lab_children_running(s.here.whom))
            number = s.here.wait(s.here.whom, POLL_MILLISECONDS, &answer);
        else if (!text)
            doze();
        if (number >= 0)
            s.lost |= !send_json(pack_answer(number, &answer), 0, TAG_ANSWER);
    }
    if (s.here.whom)
        s.here.end(s.here.whom);
    if (s.stopped || s.ended)
        (void)send_text(s.ended ? "ended" : "", 0, TAG_BYE);
    part(s.lost || s.ended);
    _exit(s.stopped ? 0 : 3);
}

void lab_ranks_join(const char *program)
{
    const sigset_t signals = endings();
    int rank;

    /* The threads of MPI inherit the blocked signals: no signal may end a rank
     * before its children are ended. */
    (void)sigprocmask(SIG_BLOCK, &signals, NULL);
    (void)MPI_Init(NULL, NULL);
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        serve(program);
    (void)sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/* ---- The first rank ------------------------------------------------------ */

/* A task that a rank has. */
struct held {
    int rank; /* 0: nobody has it */
    uint32_t number, threads;
};

struct rank {
    uint32_t room;
    double heard, beaten;
    bool lost;
};

struct ranks {
    int count; /* with this one */
    uint32_t jobs;
    struct lab_workers here;
    struct rank *rank;
    struct held *held; /* jobs for each rank */
    bool any_lost;
};

static uint32_t room_of(const struct ranks *r, int i)
{
    if (i == 0)
        return r->here.room(r->here.whom);
    return r->rank[i].lost ? 0 : r->rank[i].room;
}

static uint32_t room(void *whom)
{
    const struct ranks *r = whom;
    uint32_t sum = 0;

    for (int i = 0; i < r->count; i++)
        sum += room_of(r, i);
    return sum;
}

static void lose(struct ranks *r, int rank)
{
    r->rank[rank].lost = true;
    r->any_lost = true;
}

static void note_held(struct ranks *r, int rank, uint32_t number,
                      uint32_t threads)
{
    struct held *h = r->held;

    while (h->rank)
        h++;
    *h = (struct held){rank, number, threads};
    r->rank[rank].room -= threads;
}

/* To the rank that has most room. */
static bool start(void *whom, const char *command, uint32_t number,
                  uint32_t threads, struct net_why *why)
{
    struct ranks *r = whom;
    int best = 0;

    for (int i = 1; i < r->count; i++)
        if (room_of(r, i) > room_of(r, best))
            best = i;
    if (threads > room_of(r, best))
        threads = room_of(r, best);
    if (best == 0)
        return r->here.start(r->here.whom, command, number, threads, why);
    note_held(r, best, number, threads);
    /* If it is not taken the rank is lost, and the task with it. */
    if (!send_json(json_pack("{s:I,s:I,s:s}", "number", (json_int_t)number,
                             "threads", (json_int_t)threads, "command",
                             command),
                   best, TAG_TASK))
        lose(r, best);
    return true;
}

/* A task of a rank that is lost. */
static int64_t take_lost(struct ranks *r, struct lab_answer *answer)
{
    for (size_t i = 0; i < (size_t)r->count * r->jobs; i++)
        if (r->held[i].rank && r->rank[r->held[i].rank].lost) {
            *answer = (struct lab_answer){.end = LAB_LOST};
            r->held[i].rank = 0;
            return r->held[i].number;
        }
    return -1;
}

static int64_t take_answer(struct ranks *r, int from, const char *text,
                           struct lab_answer *answer)
{
    int64_t number = unpack_answer(text, answer);

    for (size_t i = 0; i < (size_t)r->count * r->jobs; i++)
        if (r->held[i].rank == from && r->held[i].number == number) {
            r->rank[from].room += r->held[i].threads;
            r->held[i].rank = 0;
            return number;
        }
    lab_answer_free(answer);
    return -1;
}

static int64_t hear(struct ranks *r, struct lab_answer *answer)
{
    int from, tag;
    int64_t number = -1;
    char *text;

    while (number < 0 && (text = take_text(MPI_ANY_SOURCE, &from, &tag))) {
        r->rank[from].heard = net_seconds();
        if (tag == TAG_ANSWER && !r->rank[from].lost)
            number = take_answer(r, from, text, answer);
        if (tag == TAG_BYE)
            lose(r, from);
        free(text);
    }
    return number;
}

static void watch(struct ranks *r)
{
    for (int i = 1; i < r->count; i++) {
        if (r->rank[i].lost)
            continue;
        beat(&r->rank[i].beaten, i);
        if (net_seconds() - r->rank[i].heard > patience())
            lose(r, i);
    }
}

static int64_t wait_for(void *whom, int milliseconds, struct lab_answer *answer)
{
    struct ranks *r = whom;
    double until = net_seconds() + 1e-3 * milliseconds;
    int64_t number;

    do {
        number = hear(r, answer);
        if (number < 0) {
            watch(r);
            number = take_lost(r, answer);
        }
        if (number >= 0)
            return number;
        if (lab_children_running(r->here.whom))
            number = r->here.wait(r->here.whom, POLL_MILLISECONDS, answer);
        else
            doze();
    } while (number < 0 && net_seconds() < until);
    return number;
}

/* Takes what ranks still say, until each of `left` ranks has said goodbye.
 * False: some have not, or were ended. */
static bool hear_goodbyes(int left)
{
    double until = net_seconds() + patience();
    bool fine = true;
    int from, tag;

    while (left > 0 && net_seconds() < until) {
        char *text = take_text(MPI_ANY_SOURCE, &from, &tag);

        if (!text) {
            doze();
        } else if (tag == TAG_BYE) {
            left--;
            fine = fine && !*text;
        }
        free(text);
    }
    return fine && left == 0;
}

static void forget(struct ranks *r)
{
    if (r->here.whom)
        r->here.end(r->here.whom);
    free(r->rank);
    free(r->held);
    free(r);
}

static void end(void *whom)
{
    struct ranks *r = whom;
    int told = 0;

    r->here.end(r->here.whom);
    r->here.whom = NULL;
    for (int i = 1; i < r->count; i++)
        if (!r->rank[i].lost) {
            if (send_text(r->any_lost ? "lost" : "", i, TAG_STOP))
                told++;
            else
                lose(r, i);
        }
    part(!hear_goodbyes(told) || r->any_lost);
    forget(r);
}

bool lab_workers_ranks(struct lab_workers *w, const char *program,
                       uint32_t jobs)
{
    struct ranks *r = calloc(1, sizeof *r);
    char text[16];

    *w = (struct lab_workers){0};
    if (!r)
        return false;
    (void)MPI_Comm_size(MPI_COMM_WORLD, &r->count);
    r->jobs = jobs;
    (void)lab_workers_here(&r->here, program, jobs);
    r->rank = calloc((size_t)r->count, sizeof *r->rank);
    r->held = calloc((size_t)r->count * jobs, sizeof *r->held);
    if (!r->here.whom || !r->rank || !r->held) {
        forget(r);
        return false;
    }
    *w = (struct lab_workers){r, room, start, wait_for, end};
    snprintf(text, sizeof text, "%u", jobs);
    for (int i = 1; i < r->count; i++) {
        r->rank[i] = (struct rank){.room = jobs, .heard = net_seconds()};
        if (!send_text(text, i, TAG_JOBS))
            lose(r, i);
    }
    return true;
}

void lab_ranks_leave(void)
{
    int count = 0, told = 0;

    (void)MPI_Comm_size(MPI_COMM_WORLD, &count);
    for (int i = 1; i < count; i++)
        told += send_text("", i, TAG_STOP);
    part(!hear_goodbyes(told) || told < count - 1);
}
