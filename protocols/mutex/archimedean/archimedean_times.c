/*
 * archimedean_times.c - how long the sites of archimedean.c wait, and their
 * parameters; shared with rw_preventive.c.
 *
 * How long silence must last.  A site reads one message a step, in the order of
 * arrival, and answers in that step: c_b = c_c = 1.  When a request arrives
 * there may be before it a request (or a hello) of each of the n-2 others, and
 * of each of the n-1 others a refusal and its withdrawal; and two commands of
 * the application, to leave and to want again, take a step each: c_x = 2.
 * There can be no more of any sort, since a site that sends a second one has
 * waited for a window in between; one that gives up waits for it too (AR-12).
 * Where sites come back after a crash, replies to their hellos and replies to
 * the requests of their former lives stand in the same queue: 4(n-1) + 2 at
 * most instead of 2(n-1).  So a message that has arrived is handled within
 *
 *     H = ((n-1) + 2(n-1) + 2) rmax, or
 *     H = ((n-1) + 4(n-1) + 2 + 2) rmax where sites come back,
 *
 * ticks, whether it is the request there or the refusal here.  A request is
 * handled within Eq = dmax + H of being sent, a refusal within Er = dmax + H,
 * and exclusion holds exactly if a window lasts Eq + Er.  A timer of W steps
 * runs for W rmin ticks at least, and what has arrived is read before a timer
 * is tested: W = (2 dmax + 2H)/rmin, rounded up.  A delay of 0 counts as one
 * tick, because nothing is read in the tick in which it was sent.
 */
#include "protocols/mutex/archimedean/archimedean.h"

/* "c1 = # of statements of process (a)": from "csreq <- true" to the last
 * "send (positive rep)", each once. */
enum { STATEMENTS = 16 };

/* The words of the parameters that are either a word or a number. */
enum { WINDOW_AUTO, WINDOW_PAPER };
enum { POLL_AUTO, POLL_NONE };
enum { WORD_FIRST }; /* auto, or none */

const struct fc_message_kind archimedean_kinds[ARCHIMEDEAN_RW_KINDS] = {
    [ARCHIMEDEAN_REQ] = {"request", "REQ", FC_ASKS},
    [ARCHIMEDEAN_NEG] = {"negative", "no", FC_REFUSES},
    [ARCHIMEDEAN_POS] = {"positive", "yes", FC_GRANTS},
    [ARCHIMEDEAN_HELLO_MSG] = {"hello", "hello", FC_FRAME},
    [ARCHIMEDEAN_HREP] = {"hello-reply", "hrep", FC_FRAME},
    [ARCHIMEDEAN_FRAME] = {"frame", "frame", FC_FRAME},
    [ARCHIMEDEAN_READ] = {"read-request", "READ", FC_ASKS},
};

#define AT(field) offsetof(struct archimedean_params, field)
const struct fc_param archimedean_list[ARCHIMEDEAN_RW_PARAMS] = {
    {"rules", FC_PARAM_CHOICE, AT(rules), "repaired", "printed|repaired|proven",
     "the print; silence is consent when a window is over; or silence must be "
     "proven by frames"},
    {"mindelay", FC_PARAM_EITHER, AT(mindelay), "auto", "auto|0..1000000000",
     "least steps of the sleep; auto: 16 rmax/rmin, for the 16 statements of "
     "the print's process (a)"},
    {"delaystep", FC_PARAM_EITHER, AT(delaystep), "auto", "auto|0..1000000000",
     "steps more for each predicted refusal; auto likewise"},
    {"predict", FC_PARAM_CHOICE, AT(predict), "last", "last|n|0",
     "predicted refusals: those of the last entry, n, or none"},
    {"window", FC_PARAM_EITHER, AT(window), "auto", "auto|paper|1..1000000000",
     "steps after which silence is consent; paper, and auto with "
     "rules=printed: (2 dmax + c rmax)/rmin"},
    {"c", FC_PARAM_NUMBER, AT(c), "1", "0..1000000",
     "of the paper's window: steps of its process (b)"},
    {"modulus", FC_PARAM_EITHER, AT(modulus), "none", "none|2..1000000000",
     "numbers are kept modulo this"},
    {"wraps-at", FC_PARAM_EITHER, AT(wraps_at), "n", "n|1..1000000000",
     "with a modulus: of numbers that differ by so much the smaller one is "
     "the later"},
    {"number", FC_PARAM_CHOICE, AT(number_set), "auto",
     "auto|early|apart|atomic",
     "chosen before the sleep (the print), a step before it ends, or in the "
     "step that ends it"},
    {"noted", FC_PARAM_CHOICE, AT(noted_set), "auto", "auto|no|yes",
     "whether a site notes the number it chooses as the highest; the print "
     "does not"},
    {"giveup", FC_PARAM_EITHER, AT(giveup), "none", "none|1..1000000000",
     "the print's other timeout: steps after the window in which a refusal "
     "must be withdrawn"},
    {"restart", FC_PARAM_CHOICE, AT(restart_set), "auto",
     "auto|goes-on|rejoins|informed",
     "a site that comes back after a crash goes on (the print), or listens and "
     "asks before it takes part; informed: until one that takes part, or "
     "everybody, has told the highest number"},
    {"poll", FC_PARAM_EITHER, AT(poll), "auto", "auto|none|1..1000000000",
     "steps after which a site that refused is asked again"},
    {"longest", FC_PARAM_EITHER, AT(longest), "none", "none|1..1000000000",
     "a section of more steps aborts itself"},
    {"tau", FC_PARAM_NUMBER, AT(tau), "8", "1..1000000000",
     "rules=proven: steps between two frames"},
    {"repeat", FC_PARAM_EITHER, AT(repeat), "auto", "auto|1..1000000000",
     "rules=proven: steps after which a request that no frame names is "
     "repeated"},
    {"frames", FC_PARAM_CHOICE, AT(frames), "needed", "needed|always",
     "rules=proven: frames to sites that wait for one, or to everybody for "
     "ever"},
    {"hasten", FC_PARAM_CHOICE, AT(hasten), "yes", "no|yes",
     "rules=proven: refusals and their withdrawals do not wait for a frame"},
    {"epochs", FC_PARAM_NUMBER, AT(epochs), "1000000000", "2..1000000000",
     "rules=proven: a site whose memory was lost draws one of so many"},
    {"block", FC_PARAM_EITHER, AT(block), "none", "none|1..1000000000",
     "a site keeps its own numbers over a crash that takes its memory, and "
     "reserves so many at a time"},
    {"writers", FC_PARAM_EITHER, AT(writers_set), "any", "any|0..1000000000",
     "which sites write: every request says so; or the first so many sites, "
     "and no reader asks a reader"},
};

static uint64_t longest_delay(const struct fc_world *w)
{
    return w->bounds.dmax ? w->bounds.dmax : 1;
}

/* How many replies may stand in one queue: a refusal and its withdrawal of each
 * peer; where sites come back, those to earlier lives and to hellos as well.
 * Where there are frames, there may be one of each peer. */
static uint64_t replies(const struct archimedean_params *p,
                        const struct fc_world *w)
{
    uint64_t peers = w->nodes - 1;
    uint64_t frames = p->rules == ARCHIMEDEAN_PROVEN ? peers : 0;
    bool greets = w->returns && p->restart != ARCHIMEDEAN_GOES_ON;

    return frames + (greets ? 4 * peers + 2 : 2 * peers);
}

/* H: the ticks within which a message that has arrived is handled. */
static uint64_t response(const struct archimedean_params *p,
                         const struct fc_world *w)
{
    enum { COMMANDS = 2 };

    return fc_times(w->nodes - 1 + replies(p, w) + COMMANDS, w->bounds.rmax);
}

static uint64_t window_of(const struct archimedean_params *p,
                          const struct fc_world *w)
{
    bool printed = p->rules == ARCHIMEDEAN_PRINTED;
    uint64_t ticks = fc_times(2, fc_add(longest_delay(w), response(p, w)));

    if (p->window.word > WINDOW_PAPER)
        return p->window.number;
    if (printed || p->window.word == WINDOW_PAPER)
        ticks =
            fc_add(fc_times(2, w->bounds.dmax), fc_times(p->c, w->bounds.rmax));
    ticks = fc_divide_up(ticks, w->bounds.rmin);
    return ticks ? ticks : 1;
}

/* Any value is safe.  A site that waits for all others, each of which stays as
 * long as it may, should not ask again. */
static uint64_t poll_of(const struct archimedean_params *p,
                        const struct fc_world *w)
{
    uint64_t section = 0;

    if (p->poll.word > POLL_NONE)
        return p->poll.number;
    if (p->poll.word == POLL_NONE || p->rules == ARCHIMEDEAN_PRINTED)
        return FC_NEVER;
    if (p->longest.word != WORD_FIRST)
        section = fc_divide_up(fc_times(p->longest.number, w->bounds.rmax),
                               w->bounds.rmin);
    return fc_times(w->nodes, fc_add(section, p->window_steps));
}

/* The frame that names a request is there by then, if the bounds are kept.  If
 * there are none, a few beats. */
static uint64_t repeat_of(const struct archimedean_params *p,
                          const struct fc_world *w)
{
    uint64_t ticks =
        fc_add(fc_times(2, fc_add(longest_delay(w), response(p, w))),
               fc_times(p->tau, w->bounds.rmax));

    if (p->repeat.word != WORD_FIRST)
        return p->repeat.number;
    return w->bounded ? fc_divide_up(ticks, w->bounds.rmin)
                      : 4 * (uint64_t)p->tau;
}

static uint64_t delay_of(const struct fc_either *set, const struct fc_world *w)
{
    return set->word == WORD_FIRST
               ? fc_divide_up(fc_times(STATEMENTS, w->bounds.rmax),
                              w->bounds.rmin)
               : set->number;
}

static uint64_t number_or_never(const struct fc_either *set)
{
    return set->word == WORD_FIRST ? FC_NEVER : set->number;
}

static void resolve_switches(struct archimedean_params *p)
{
    bool printed = p->rules == ARCHIMEDEAN_PRINTED;

    p->number = p->number_set;
    p->noted = p->noted_set;
    p->restart = p->restart_set;
    if (p->number == 0)
        p->number = printed ? ARCHIMEDEAN_EARLY : ARCHIMEDEAN_ATOMIC;
    if (p->noted == 0)
        p->noted = printed ? ARCHIMEDEAN_NOT_NOTED : ARCHIMEDEAN_NOTED;
    if (p->restart == 0)
        p->restart = printed ? ARCHIMEDEAN_GOES_ON : ARCHIMEDEAN_REJOINS;
    p->m = p->modulus.word == WORD_FIRST ? 0 : p->modulus.number;
    p->wrap = p->wraps_at.word == WORD_FIRST ? 0 : p->wraps_at.number;
    p->reserves = p->m || p->block.word == WORD_FIRST ? 0 : p->block.number;
    p->giveup_steps = number_or_never(&p->giveup);
    p->longest_steps = number_or_never(&p->longest);
    p->fixed = p->writers_set.word != WORD_FIRST;
    p->writers = p->writers_set.number;
}

const char *archimedean_prepare(void *params, const struct fc_world *w)
{
    struct archimedean_params *p = params;
    const char *unfit = mutex_fits(NULL, w);

    if (unfit)
        return unfit;
    resolve_switches(p);
    if (p->writers > w->nodes)
        p->writers = w->nodes;
    p->window_steps = window_of(p, w);
    p->poll_steps = poll_of(p, w);
    p->repeat_steps = repeat_of(p, w);
    p->mute_steps =
        fc_divide_up(fc_add(longest_delay(w), response(p, w)), w->bounds.rmin);
    p->mindelay_steps = delay_of(&p->mindelay, w);
    p->delaystep_steps = delay_of(&p->delaystep, w);
    if (fc_times(p->delaystep_steps, w->nodes) >= UINT32_MAX)
        return "the sleep does not fit in 32 bits: set a smaller delaystep";
    if (fc_times(p->window_steps, w->bounds.rmax) >= UINT64_C(1) << 50)
        return "the window does not fit in 50 bits: take smaller bounds, or "
               "bounds that are closer together";
    return NULL;
}

/* The longest sleep, two windows, and the messages of everybody.  Asking again
 * is needed only after a crash, and then there is twice the time. */
uint64_t archimedean_horizon(const void *params, const struct fc_world *w)
{
    const struct archimedean_params *p = params;
    uint64_t predicted = p->predict == ARCHIMEDEAN_PREDICT_0 ? 0 : w->nodes;
    uint64_t sleep =
        fc_add(p->mindelay_steps, fc_times(2 * predicted, p->delaystep_steps));
    uint64_t asks = p->rules == ARCHIMEDEAN_PROVEN
                        ? fc_add(p->repeat_steps, 2 * (uint64_t)p->tau)
                        : p->window_steps;

    if (p->giveup_steps != FC_NEVER)
        asks = fc_add(asks, p->giveup_steps);
    return fc_add(fc_times(fc_add(sleep, fc_times(2, asks)), w->bounds.rmax),
                  mutex_horizon(params, w));
}

bool archimedean_wraps(const void *params)
{
    return ((const struct archimedean_params *)params)->m != 0;
}

/* Silence that frames prove needs no bound. */
uint32_t archimedean_needs(const void *params)
{
    const struct archimedean_params *p = params;

    return p->rules == ARCHIMEDEAN_PROVEN ? FC_NEEDS_BOUNDS
                                          : FC_NEEDS_BOUNDS | FC_NEEDS_TIME;
}
