/*
 * rw_optimistic.c - readers that read while the writer writes, and read again
 * if it did (Lamport 1977, with the waits of Spirakis and Tampakas 1989).
 *
 * Shared are the words of the data and two counters, v1 and v2.  The writer
 * counts v1 up before it writes the words, one by one, and sets v2 to it after.
 * A reader takes v2 before it reads the words, and if v1 is the same after, no
 * write has touched them meanwhile; if not, it reads again.  Nobody waits for
 * anybody, but a reader can starve.
 *
 * The paper has everybody wait a random while before each access.  Ours is
 * simpler, and deterministic: only the writer pauses, after each write, so long
 * that two attempts of the slowest reader fit in; at most ceil(W/(R gamma)) + 2
 * attempts then, where W and R are the statements of a write and of an attempt
 * and gamma is rmin/rmax.
 *
 * Assumes memory that is atomic one word at a time; one writer, site 0; bounds
 * on the lengths of steps.  One statement is one step.
 *
 * From: L. Lamport, CACM 20(11), 1977; P. Spirakis, B. Tampakas 1989, section
 * 3.2.  All words of write k are k, so that a torn read is seen.
 */
#include "protocols/shared/rw_optimistic/rw_optimistic.h"

#define TURN rw_optimistic
#include "core/turn.inc"

enum {
    TIMER = 0,
    ATTEMPT = FC_NOTE_OWN,
};

static inline bool is_writer(const struct fc_member *me)
{
    return me->index == 0;
}

static inline uint32_t digits_of(const struct rw_optimistic_params *p)
{
    return p->digits ? p->digits : 1;
}

/* The statements of a write, and of an attempt: one for each digit of each
 * counter and one for each word. */
static inline uint32_t statements(const struct rw_optimistic_params *p)
{
    return p->words + 2 * digits_of(p);
}

static inline uint32_t last_statement(const struct rw_optimistic_params *p)
{
    return statements(p) - 1;
}

/* Whether a statement is on the counter that comes before the data, or on the
 * one after. */
static inline bool is_before(const struct turn *t)
{
    return t->s->at < digits_of(t->p);
}
static inline bool is_after(const struct turn *t)
{
    return t->s->at >= digits_of(t->p) + t->p->words;
}

/* RW-5: the digit that a statement is on, 0 being the least.  The counter
 * before the data is taken from the greatest digit down, the one after it from
 * the least up, by the writer and by readers.  So a reader that meets a write
 * gets no v2 that is too new and no v1 that is too old. */
static inline uint32_t digit_at(const struct turn *t, bool reversed)
{
    uint32_t digits = digits_of(t->p), after = digits + t->p->words;
    uint32_t step = is_before(t) ? t->s->at : t->s->at - after;

    return is_before(t) != reversed ? digits - 1 - step : step;
}

/* The digits before the first are below the base. */
static inline uint32_t power(const struct rw_optimistic_params *p,
                             uint32_t digit)
{
    uint32_t power = 1;

    while (digit-- > 0)
        power *= p->base;
    return power;
}

static inline uint32_t digit_value(const struct rw_optimistic_params *p,
                                   uint32_t number, uint32_t digit)
{
    uint32_t rest = number / power(p, digit);

    return digit + 1 == digits_of(p) ? rest : rest % p->base;
}

static inline uint32_t data_cell(const struct turn *t)
{
    return t->s->at + digits_of(t->p);
}

/* RW-3: "each process has to wait for a random number of steps before each
 * access": the next event, in this step, is the choice. */
static inline void begin(struct turn *t, uint64_t at_least)
{
    t->s->busy = 1;
    t->s->at = 0;
    if (t->p->waits == RW_OPTIMISTIC_PAPER)
        draw(t, t->p->greatest - t->p->least + 1);
    else
        start_timer(t, TIMER, at_least);
}

static inline void begin_attempt(struct turn *t)
{
    t->s->number = t->s->value = 0;
    t->s->mixed = t->s->differs = 0;
    t->s->attempts++;
    seen(t);
    begin(t, 1);
}

/* A writer that is busy already has not yet begun the next write, or will be
 * done with it soon: its application hears of the next one that ends. */
static inline void on_do(struct turn *t)
{
    if (t->s->role != STORE_IDLE)
        return;
    obeyed(t);
    if (!is_writer(t->me)) {
        become(t, STORE_READS);
        t->s->attempts = 0;
        begin_attempt(t);
        return;
    }
    become(t, STORE_WRITES);
    if (!t->s->busy)
        begin(t, 1);
}

/* ---- The writer ---------------------------------------------------------- */

/* v1 is before the data, v2 after. */
static inline void store_digit(struct turn *t)
{
    uint32_t digit = digit_at(t, false);

    store(t, digit + (is_before(t) ? 0 : digits_of(t->p)),
          digit_value(t->p, t->s->number, digit));
}

/* RW-4: the writer pauses after each write. */
static inline void end_write(struct turn *t)
{
    bool pauses = t->p->waits == RW_OPTIMISTIC_WRITER;

    t->s->at = 0;
    t->s->busy = 0;
    become(t, STORE_IDLE);
    if (t->p->writes == RW_OPTIMISTIC_ALWAYS)
        begin(t, pauses ? t->p->pause : 1);
    else if (pauses) {
        t->s->busy = 1;
        start_timer(t, TIMER, t->p->pause);
    }
}

/* v1 + 1; or, as ours, modulo a number. */
static inline uint32_t next_number(const struct turn *t)
{
    const struct fc_either *modulus = &t->p->modulus;
    uint32_t next = t->s->number + 1;

    return modulus->word && next == modulus->number ? 0 : next;
}

/* RW-1: "v1 := v1 + 1; write data; v2 := v1", a statement a step. */
static inline void write_on(struct turn *t)
{
    struct rw_optimistic *s = t->s;

    if (s->at == 0 && t->p->writes == RW_OPTIMISTIC_ASKED &&
        s->role == STORE_IDLE) { /* the pause is over, and nobody asks */
        s->busy = 0;
        return;
    }
    if (s->at == 0) {
        s->number = next_number(t);
        seen(t);
    }
    if (is_before(t) || is_after(t))
        store_digit(t);
    else
        store(t, data_cell(t), s->number);
    if (s->at == last_statement(t->p)) {
        end_write(t);
        return;
    }
    s->at++;
    start_timer(t, TIMER, 1);
}

/* ---- Readers ------------------------------------------------------------- */

/* RW-2: "t := v2; read data; accept if v1 = t", a statement a step. */
static inline void read_on(struct turn *t)
{
    bool swapped = t->p->order == RW_OPTIMISTIC_SWAPPED;
    bool v1 = is_before(t) == swapped;

    if (is_before(t) || is_after(t))
        load(t, digit_at(t, t->p->digit_order) + (v1 ? 0 : digits_of(t->p)));
    else
        load(t, data_cell(t));
}

/* RW-2: if the counters differ it reads again, at once or after a wait. */
static inline void on_loaded(struct turn *t)
{
    struct rw_optimistic *s = t->s;
    uint32_t value = t->event->value;

    if (is_after(t))
        s->differs |= value != digit_value(t->p, s->number,
                                           digit_at(t, t->p->digit_order));
    if (s->at == last_statement(t->p)) {
        counts(t, ATTEMPT);
        if (s->differs) {
            begin_attempt(t);
            return;
        }
        s->at = 0;
        s->busy = 0;
        become(t, STORE_IDLE);
        return;
    }
    if (is_before(t))
        s->number += value * power(t->p, digit_at(t, t->p->digit_order));
    else if (s->at == digits_of(t->p))
        s->value = value;
    else if (!is_after(t))
        s->mixed |= value != s->value;
    s->at++;
    start_timer(t, TIMER, 1);
}

/* ---- The whole ----------------------------------------------------------- */

FC_STEP(rw_optimistic)
{
    if (t->event->kind == FC_COMMAND) {
        on_do(t);
        return;
    }
    if (!t->s->busy)
        return;
    switch (t->event->kind) {
    case FC_TIMEOUT:
        is_writer(t->me) ? write_on(t) : read_on(t);
        break;
    case FC_LOADED:
        if (!is_writer(t->me))
            on_loaded(t);
        break;
    case FC_CHOICE:
        start_timer(t, TIMER, (uint64_t)t->p->least + t->event->value);
        break;
    default:
        break;
    }
}

FC_VIEW(rw_optimistic)
{
    bool idle = s->role == STORE_IDLE;

    *view = (struct store_view){.role = s->role, .attempts = s->attempts};
    if (is_writer(me))
        view->value = s->number;
    else if (idle) { /* what came of it */
        view->value = s->value;
        view->torn = s->mixed;
    }
}

static inline const char *reader_sane(const struct rw_optimistic *s,
                                      const struct rw_optimistic_params *p)
{
    bool reads = s->role == STORE_READS;

    if (s->role == STORE_WRITES)
        return "a reader does not write";
    if (s->busy != reads)
        return "a reader is busy exactly while it reads";
    if (reads && s->attempts == 0)
        return "a read in progress has been attempted";
    if (reads &&
        ((s->at == 0 && s->number) || (s->at < digits_of(p) + 1 && s->value) ||
         (s->at < digits_of(p) + 2 && s->mixed) ||
         (s->at < digits_of(p) + p->words + 1 && s->differs)))
        return "an attempt knows nothing that it has not read";
    return NULL;
}

FC_INVARIANT(rw_optimistic)
{
    if (s->role > STORE_WRITES || s->busy > 1 || s->mixed > 1 || s->differs > 1)
        return "a site is idle, reads, or writes";
    if (s->at > last_statement(p) || (s->at && !s->busy))
        return "a site that is not busy is before its first statement";
    if (!is_writer(me))
        return reader_sane(s, p);
    if (s->role == STORE_READS || s->value || s->mixed || s->differs ||
        s->attempts)
        return "the writer does not read";
    if (s->role == STORE_WRITES && !s->busy)
        return "a write that was asked for is in progress, or about to be";
    if (s->role == STORE_IDLE && s->at && p->writes == RW_OPTIMISTIC_ASKED)
        return "nothing is written that was not asked for";
    return NULL;
}

FC_STATE_FIELDS(rw_optimistic) = {
    FIELD(NUMBER, number),
    FIELD(NUMBER, value),
    FIELD(NUMBER, attempts),
    FIELD(NUMBER, at),
    FIELD_WORD(role, STORE_ROLES),
    FIELD(YES, busy),
    FIELD(YES, mixed),
    FIELD(YES, differs),
};

/* How often it has tried is only counted. */
FC_FORGETS(rw_optimistic)
{
    s->attempts = s->role == STORE_READS;
}

FC_STAMP_MESSAGES(rw_optimistic, RW_OPTIMISTIC_KINDS, 0, 0, 0)

FC_QUANTITIES(rw_optimistic) = {{"attempts", "attempts",
                                 "attempts of a reader until it succeeds",
                                 FC_OVER_WAIT, ATTEMPT, NULL}};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[RW_OPTIMISTIC_KINDS];

static const struct fc_param params[] = {
    {"words", FC_PARAM_NUMBER, AT(words), "4", "1..1000",
     "size of the data, in words that are read and written one by one"},
    {"waits", FC_PARAM_CHOICE, AT(waits), "writer", "writer|paper|none",
     "the writer pauses after a write, or (paper) all before each access"},
    {"writes", FC_PARAM_CHOICE, AT(writes), "always", "always|asked",
     "the writer writes again and again, or only when it is asked to"},
    {"order", FC_PARAM_CHOICE, AT(order), "right", "right|swapped",
     "readers take v2 before the data and v1 after, or the other way round"},
    {"modulus", FC_PARAM_EITHER, AT(modulus), "none", "none|2..1000000000",
     "the counters are kept modulo this"},
    {"digits", FC_PARAM_NUMBER, AT(digits), "1", "1..4",
     "of a counter, each a cell of its own"},
    {"base", FC_PARAM_NUMBER, AT(base), "2", "2..256",
     "of the digits; the first has no limit"},
    {"digit-order", FC_PARAM_CHOICE, AT(digit_order), "right", "right|reversed",
     "readers take the digits of v2 downwards and those of v1 upwards, or the "
     "other way round"},
};

/*
 * R + W = 2(B+2D) statements, with D digits.  Two attempts of a reader last at
 * most 2 R rmax ticks, and a pause of 2 R rmax/rmin steps as long at least: the
 * attempt that was in progress when it began is over by half of it, and the
 * next one succeeds.
 */
static const char *prepare(void *params_out, const struct fc_world *world)
{
    struct rw_optimistic_params *p = params_out;
    uint64_t both = 2 * (uint64_t)statements(p);
    uint64_t ticks = fc_times(both, world->bounds.rmax);

    if (fc_times(2, ticks) / world->bounds.rmin >= UINT32_MAX)
        return "the waits do not fit in 32 bits: take bounds that are closer "
               "together, or fewer words";
    p->least = (uint32_t)fc_divide_up(ticks, world->bounds.rmin);
    p->greatest = (uint32_t)(2 * ticks / world->bounds.rmin);
    if (p->greatest < p->least)
        p->greatest = p->least;
    p->pause = p->least;
    return NULL;
}

/* Attempts that the bound allows. */
static uint64_t attempts_at_most(const struct fc_world *world)
{
    return fc_divide_up(world->bounds.rmax, world->bounds.rmin) + 2;
}

/* One access with all its attempts and waits; with the paper's waits an unlucky
 * reader can need many, and without any waits it may never be done. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
{
    const struct rw_optimistic_params *p = params_in;
    uint64_t waits = p->waits == RW_OPTIMISTIC_NONE ? 0 : p->greatest;
    uint64_t attempt = fc_add(statements(p), waits);
    uint64_t steps = fc_times(attempt, fc_times(16, attempts_at_most(world)));

    return fc_times(steps, world->bounds.rmax);
}

static uint32_t cells(const void *params_in)
{
    const struct rw_optimistic_params *p = params_in;

    return statements(p);
}

static bool restless(const void *params_in)
{
    const struct rw_optimistic_params *p = params_in;

    return p->writes == RW_OPTIMISTIC_ALWAYS;
}

static bool wraps(const void *params_in)
{
    return ((const struct rw_optimistic_params *)params_in)->modulus.word != 0;
}

/* W = R here, so that W/(R gamma) is 1/gamma. */
FC_COSTS(rw_optimistic)
{
    const struct rw_optimistic_params *p = params_in;
    double gamma = (double)w->bounds.rmin / (double)w->bounds.rmax;

    if (!w->bounded || p->waits == RW_OPTIMISTIC_NONE)
        return 0;
    if (p->waits == RW_OPTIMISTIC_WRITER)
        out[0] = (struct fc_claim){FC_COST_ATTEMPTS, FC_AT_MOST,
                                   (double)attempts_at_most(w),
                                   "ceil(W/(R gamma)) + 2"};
    else
        out[0] = (struct fc_claim){FC_COST_ATTEMPTS, FC_MEAN_AT_MOST,
                                   2 / gamma + 1, "2/gamma + 1"};
    return 1;
}

const struct fc_protocol rw_optimistic_protocol = {
    .name = "rw-optimistic",
    .title = "Lamport 1977: readers that try again",
    .idea = "a reader takes one counter before the data and the other after; "
            "if they differ, the writer was there, and it reads again",
    .assumes = "memory atomic by the word, one writer; bounds on steps, for "
               "the waits",
    .source = "L. Lamport, CACM 20(11), 1977; P. Spirakis, B. Tampakas 1989",
    FC_ENTRY(rw_optimistic, kinds),
    FC_SEARCH(.bounds = "1:2:0:0", .set = "writes=asked",
              .grows = "the writer's counter"),
    .needs = FC_NEEDS_BOUNDS,
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
    .restless = restless,
    .wraps = wraps,
    .cells = cells,
    FC_COSTS_OF(rw_optimistic),
};

#endif
