/*
 * record.c - a run that is made here, by pieces, into columns.
 *
 * The states of its nodes come from a second course of the same run, which
 * hears nothing: it goes to where it is asked for, forth from the nearest of
 * the snapshots that it leaves on its way.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/sim/sim.h"
#include "sim/course.h"
#include "web/libc/host.h"
#include "web/module/cite.h"
#include "web/module/run.h"
#include "web/module/say.h"

/* Snapshots, their bytes, and the lines between them, which double when there
 * is no place for another. */
enum { SAVED_MAX = 64, SAVED_BYTES = 64 << 20, APART = 1 << 10 };

static struct {
    struct cli_one_run run;
    struct sim_course *course;
    struct net_memory memory;
    struct sim_summary summary;

    struct sim_course *scout;
    struct net_memory scout_memory;
    struct sim_saved *saved[SAVED_MAX]; /* number i: at line i * apart */
    uint32_t places; /* for snapshots of this run: an even number */
    uint64_t apart;
    size_t size; /* of a state */
    uint8_t *blank, *before;
} record;

/* ---- Making it ----------------------------------------------------------- */

static bool state(uint32_t event, uint32_t lane, const void **before,
                  const void **after);

/* Begins a run; a complaint goes to the standard error. */
WEB_EXPORT(record_open)
const char *web_record_open(char *words, size_t size)
{
    struct sim_job job = {.memory = &record.memory,
                          .tally = &record.summary.tally};
    struct web_words list;
    int code;

    web_split(&list, words, size);
    cli_speaker = "sim";
    code = cli_sim_read(&record.run, list.count - 1, list.word + 1);
    if (code != CLI_GO_ON)
        return web_say(json_pack("{s:i}", "code", code));
    web_run.net = &record.run.setup.sim.net;
    web_run.state = state;
    if (!web_run_place(record.run.seed))
        return web_refuse("there is no memory for the run");
    trace_open(&web_run.trace, record.run.setup.made.set, record.run.command);
    job.seed = record.run.seed;
    job.trace = &web_run.trace.listener;
    record.course = sim_course_open(&record.run.setup.sim, &job);
    if (!record.course)
        return web_refuse("there is no memory for the run");
    return web_run_say();
}

/* Goes on for `events` events: 1 there are more, 0 it is over, -1 no memory. */
WEB_EXPORT(record_go)
int web_record_go(uint32_t events)
{
    enum sim_status status;

    web_cited.told = &web_run.trace.events_count;
    status = sim_course_go(record.course, events);
    web_cited.told = NULL;
    if (web_run.trace.full)
        return -1;
    return status == SIM_PAUSED ? 1 : status == SIM_OK ? 0 : -1;
}

/* What there is by now. */
WEB_EXPORT(record_say)
const char *web_record_say(void)
{
    return web_run_say();
}

/* The run is over: prints its report, as fulcrum sim --json does. */
WEB_EXPORT(record_report)
void web_record_report(void)
{
    sim_tally_end_run(&record.summary.tally, 0);
    sim_summary_add(&record.summary, sim_course_result(record.course), 0);
    cli_sim_report(&record.run, &record.summary);
    (void)fflush(stdout);
}

/* ---- States -------------------------------------------------------------- */

static bool open_scout(void)
{
    struct sim_job job = {.seed = record.run.seed,
                          .memory = &record.scout_memory};

    if (record.scout)
        return true;
    record.apart = APART;
    record.size = net_type_of(web_run.net)->state_size;
    record.blank = calloc(1, record.size);
    record.before = calloc(1, record.size);
    if (!record.blank || !record.before)
        return false;
    record.scout = sim_course_open(&record.run.setup.sim, &job);
    if (record.scout)
        record.saved[0] = sim_course_save(record.scout);
    if (!record.scout || !record.saved[0])
        return false;
    record.places = 2;
    while (record.places < SAVED_MAX &&
           record.places * sim_saved_size(record.saved[0]) < SAVED_BYTES)
        record.places += 2;
    return true;
}

/* Every second snapshot goes. */
static void thin_out(void)
{
    for (uint32_t i = 0; i < record.places; i++) {
        if (i % 2)
            sim_saved_free(record.saved[i]);
        else
            record.saved[i / 2] = record.saved[i];
    }
    memset(record.saved + record.places / 2, 0,
           record.places / 2 * sizeof *record.saved);
    record.apart *= 2;
}

/* The scout stands where a snapshot belongs, if it can be that. */
static void leave_snapshot(void)
{
    uint64_t lines = sim_course_lines(record.scout), place;

    while (lines / record.apart >= record.places)
        thin_out();
    place = lines / record.apart;
    if (lines % record.apart == 0 && !record.saved[place])
        record.saved[place] = sim_course_save(record.scout);
}

/* Takes the scout to where `lines` lines have happened, or a few more. */
static bool go_to(uint64_t lines)
{
    uint64_t now = sim_course_lines(record.scout), place;

    for (place = lines / record.apart;
         place >= record.places || !record.saved[place];)
        place--;
    if ((now > lines || now < place * record.apart) &&
        !sim_course_load(record.scout, record.saved[place]))
        return false;
    while ((now = sim_course_lines(record.scout)) < lines) {
        uint64_t next = (now / record.apart + 1) * record.apart;
        enum sim_status status =
            sim_course_go(record.scout, (next < lines ? next : lines) - now);

        if (status == SIM_OK)
            break;
        if (status != SIM_PAUSED)
            return false;
        leave_snapshot();
    }
    return true;
}

static bool state(uint32_t event, uint32_t lane, const void **before,
                  const void **after)
{
    bool own = event != TRACE_NONE && web_run.trace.event.lane[event] == lane;

    *before = NULL;
    if (!open_scout())
        return false;
    if (event == TRACE_NONE) {
        *after = record.blank;
        return true;
    }
    if (own) {
        if (!go_to(event))
            return false;
        memcpy(record.before, sim_course_state(record.scout, lane),
               record.size);
        *before = record.before;
    }
    if (!go_to(event + UINT64_C(1)))
        return false;
    *after = sim_course_state(record.scout, lane);
    return true;
}
