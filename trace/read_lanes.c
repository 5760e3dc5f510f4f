/*
 * read_lanes.c - what becomes of each lane: its roles, and the faults of its
 * node.
 *
 * A role is an interval that begins at `is` and ends at the next one; while a
 * node is down the lane has none, and comes back in the one it had, or in that
 * before the first event if its memory is lost.  Faults are intervals too.
 */
#include "trace/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Roles --------------------------------------------------------------- */

static bool has_power(const struct trace *t, enum trace_role role)
{
    role = trace_role_like(t, role);
    return role == TRACE_LEADER || role == TRACE_INSIDE ||
           role == TRACE_BESIDE || role == TRACE_READING ||
           role == TRACE_WRITING;
}

/* A span without length is seen only if it shows power. */
static int close_span(struct reader *r, uint32_t lane, uint64_t to)
{
    const struct reader_lane *l = &r->lanes[lane];
    bool down = l->crash != TRACE_NONE;

    if (to == l->since && (down || !has_power(r->t, (enum trace_role)l->role)))
        return 0;
    r->spans = reader_grow(&r->full, r->spans, &r->spans_room, r->spans_count,
                           sizeof *r->spans);
    if (r->full)
        return reader_no_memory(r);
    r->spans[r->spans_count++] = (struct trace_span){
        .from = l->since,
        .to = to,
        .lane = lane,
        .message = down ? TRACE_NONE : l->message,
        .role = down ? TRACE_DOWN : l->role,
        .rests = !down && l->rests,
    };
    return 0;
}

/* TRACE_ROLES_ALL: the head declares no such role. */
static unsigned own_role(const struct trace *t, const struct scan *word)
{
    for (unsigned i = 0; i < t->own_roles_count; i++)
        if (scan_equals(word, t->own_roles[i].word))
            return TRACE_OWN + i;
    return TRACE_ROLES_ALL;
}

int reader_is(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct reader_lane *l = &r->lanes[e->lane];
    struct scan word = *s;
    unsigned role = 0;
    int result = 0;

    if (!scan_until(s, ",;", &word))
        return reader_odd(r, *s, "a role");
    while (role < TRACE_ROLES && !scan_equals(&word, trace_role_word(role)))
        role++;
    if (role == TRACE_ROLES)
        role = own_role(r->t, &word);
    if (role == TRACE_ROLES_ALL)
        return reader_odd(
            r, word,
            "a role: asleep, awake, candidate, lost, leader, done, idle, "
            "sleeps, asks, waits, inside, mute, reads or writes, or one that "
            "the head declares");
    e->rests = scan_literal(s, ", rests");
    if (scan_literal(s, ", shared") && role == TRACE_INSIDE)
        role = TRACE_BESIDE;
    e->role = (uint8_t)role;
    e->turns = true;
    /* The same role again changes nothing, except that a rest begins again. */
    if (l->role == role && !l->rests && !e->rests)
        return 0;
    result = close_span(r, e->lane, e->tick);
    l->since = e->tick;
    l->role = e->role;
    l->rests = e->rests;
    l->message = e->message;
    return result;
}

/* ---- Faults -------------------------------------------------------------- */

/* Notes a fault that begins at this event. */
static int begin_fault(struct reader *r, struct trace_event *e,
                       enum trace_fault_kind kind, uint64_t to)
{
    struct trace *t = r->t;

    if (t->faults_count == TRACE_NONE)
        return reader_refuse(r, "there are too many faults");
    t->faults = reader_grow(&r->full, t->faults, &r->faults_room,
                            t->faults_count, sizeof *t->faults);
    if (r->full)
        return reader_no_memory(r);
    e->fault = t->faults_count;
    t->faults[t->faults_count++] = (struct trace_fault){
        .from = e->tick,
        .to = to,
        .lane = e->lane,
        .kind = (uint8_t)kind,
    };
    return 0;
}

/* Ends the pause of a lane at this tick; returns when it would have ended. */
static uint64_t end_pause(struct reader *r, uint32_t lane, uint64_t tick)
{
    struct trace_fault *pause;
    uint64_t to;

    if (r->lanes[lane].pause == TRACE_NONE)
        return tick;
    pause = &r->t->faults[r->lanes[lane].pause];
    r->lanes[lane].pause = TRACE_NONE;
    to = pause->to;
    if (to > tick)
        pause->to = tick;
    return to;
}

int reader_crash(struct reader *r, struct trace_event *e)
{
    struct reader_lane *l = &r->lanes[e->lane];
    int result = close_span(r, e->lane, e->tick);

    if (result == 0)
        result = begin_fault(r, e, TRACE_FAULT_DOWN, TRACE_NEVER);
    if (result < 0)
        return result;
    end_pause(r, e->lane, e->tick);
    l->crash = e->fault;
    l->since = e->tick;
    return 0;
}

int reader_restart(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct reader_lane *l = &r->lanes[e->lane];
    struct trace_fault *fault;
    int result;

    if (l->crash == TRACE_NONE)
        return reader_refuse(r, "%" PRIu32 " restarts but was not down",
                             trace_name(r->t, e->lane));
    result = close_span(r, e->lane, e->tick);
    fault = &r->t->faults[l->crash];
    fault->to = e->tick;
    fault->blank = scan_literal(s, ", blank");
    e->fault = l->crash;
    l->crash = TRACE_NONE;
    l->since = e->tick;
    l->message = TRACE_NONE;
    if (fault->blank) {
        l->role = (uint8_t)r->t->first_role;
        l->rests = false;
    }
    return result;
}

int reader_pause(struct reader *r, struct scan *s, struct trace_event *e)
{
    uint64_t ticks, before;
    int result;

    if (!scan_number(s, TRACE_TICK_MAX, &ticks) || ticks == 0)
        return reader_odd(r, *s, "how many ticks the pause lasts");
    before = end_pause(r, e->lane, e->tick);
    e->ticks = ticks;
    ticks += e->tick;
    result =
        begin_fault(r, e, TRACE_FAULT_PAUSE, before > ticks ? before : ticks);
    r->lanes[e->lane].pause = e->fault;
    return result;
}

/* One that is cut off already stays so. */
int reader_cut(struct reader *r, struct trace_event *e)
{
    struct reader_lane *l = &r->lanes[e->lane];
    int result;

    e->fault = l->cut;
    if (l->cut != TRACE_NONE)
        return 0;
    result = begin_fault(r, e, TRACE_FAULT_CUT, TRACE_NEVER);
    l->cut = e->fault;
    return result;
}

int reader_joined(struct reader *r, struct trace_event *e)
{
    struct reader_lane *l = &r->lanes[e->lane];

    e->fault = l->cut;
    if (l->cut != TRACE_NONE)
        r->t->faults[l->cut].to = e->tick;
    l->cut = TRACE_NONE;
    return 0;
}

/* ---- The end ------------------------------------------------------------- */

static void fill_lane_index(struct reader *r)
{
    struct trace *t = r->t;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < r->spans_count; i++)
        t->first_span[r->spans[i].lane]++;
    for (uint32_t lane = 0; lane <= t->nodes; lane++) {
        uint32_t count = t->first_span[lane];

        t->first_span[lane] = sum;
        sum += count;
    }
}

int reader_finish_spans(struct reader *r)
{
    struct trace *t = r->t;
    uint32_t *place;

    for (uint32_t lane = 0; lane < t->nodes; lane++)
        if (close_span(r, lane, TRACE_NEVER) < 0)
            return TRACE_SYSTEM;
    t->first_span = calloc((size_t)t->nodes + 1, sizeof *t->first_span);
    t->spans = malloc(r->spans_count * sizeof *t->spans);
    place = malloc(((size_t)t->nodes + 1) * sizeof *place);
    if (t->first_span == NULL || t->spans == NULL || place == NULL) {
        free(place);
        return reader_no_memory(r);
    }
    fill_lane_index(r);
    memcpy(place, t->first_span, ((size_t)t->nodes + 1) * sizeof *place);
    for (uint32_t i = 0; i < r->spans_count; i++)
        t->spans[place[r->spans[i].lane]++] = r->spans[i];
    free(place);
    return 0;
}
