/*
 * typed.c - one protocol as a table of functions (see type.h).  The build
 * compiles this file once for every line of protocols/all.h, with P and
 * P_SOURCE set.
 */
#ifndef P_ONCE /* else this is the protocol's own object, too */
#define FC_TYPED
#endif
/* Local states are kept by the hundred thousand: a protocol whose states are
 * large gives them room for FC_KEPT_NODES here.  A build that shows states of
 * the simulator by this table must give both one size. */
#define FC_KEPT
#include P_SOURCE

#include <assert.h>
#include <string.h>

#include "core/driver.h"
#include "net/type.h"

#define P_(name)      FC_PASTE(P, name)
#define PROBLEM(name) FC_PASTE(FC_PASTE(P, _problem), name)
#define ASKS(trait)   ((PROBLEM(_traits) & FC_##trait) != 0)
#define HAS(trait)    ((P_(_traits) &FC_##trait) != 0)

typedef struct PROBLEM(_view) typed_view_type;
typedef struct PROBLEM(_watch) typed_watch;

_Static_assert(sizeof(typed_view_type) <= NET_VIEW_SIZE, "a view fits");
_Static_assert(sizeof(struct P_(_site)) <= NET_SITE_SIZE, "a site fits");
_Static_assert((int)P_(_wire) <= (int)FC_WIRE_MAX, "a packed message fits");

/* Only the fields of a view: it is filled anew into zeroes, so that equal
 * views are equal bytes. */
static void typed_see(const struct net_place *place, const struct P *state,
                      typed_view_type *view)
{
    struct P_(_site) me;

    net_fill_site(&me, place);
    memset(view, 0, sizeof *view);
    P_(_view)(state, &me, view);
}

static void typed_step_over(const struct net_place *place, void *state,
                            const struct fc_event *event, const void *message,
                            struct fc_effects *fx, void *sends, int dirt)
{
    struct P_(_site) me;
    struct P_(_in) in;
    struct P_(_out) out;

    memset(&in, 0, sizeof in);
    memset(&out, dirt, sizeof out);
    fc_empty(&out.fx);
    in.event = *event;
    if (message)
        memcpy(&in.msg, message, sizeof in.msg);
    net_fill_site(&me, place);
    P_(_step)(state, place->net->params, &me, &in, &out);
    assert(out.fx.sends <= sizeof out.send / sizeof out.send[0]);
    *fx = out.fx;
    memcpy(sends, out.send, out.fx.sends * sizeof out.send[0]);
}

static void typed_step(const struct net_place *place, void *state,
                       const struct fc_event *event, const void *message,
                       struct fc_effects *fx, void *sends)
{
    typed_step_over(place, state, event, message, fx, sends, 0);
}

static const char *typed_sane(const struct net_place *place, const void *state)
{
    struct P_(_site) me;
    struct P now;

    memcpy(&now, state, sizeof now);
    net_fill_site(&me, place);
    return P_(_sane)(&now, place->net->params, &me);
}

static void typed_view(const struct net_place *place, const void *state,
                       uint8_t out[NET_VIEW_SIZE], enum fc_phase *phase)
{
    struct P now;
    typed_view_type seen;

    memcpy(&now, state, sizeof now);
    typed_see(place, &now, &seen);
    memset(out, 0, NET_VIEW_SIZE);
    memcpy(out, &seen, sizeof seen);
#if ASKS(REPEATS)
    *phase = PROBLEM(_phase)(&seen);
#else
    *phase = FC_IDLE;
#endif
}

/* The watch as it is at this moment, as far as it can be known from views. */
static void typed_set_up(const struct net_scene *s, typed_watch *w)
{
    typed_view_type nothing;

    memset(&nothing, 0, sizeof nothing);
    PROBLEM(_begin)
    (w, s->net->protocol, s->net->params, &s->net->world);
#if ASKS(REMEMBERS)
    PROBLEM(_recall)(w, s->memory);
#endif
    if (s->crashed) {
        PROBLEM(_crashed)(w, &nothing);
        PROBLEM(_restarted)(w, &nothing);
    }
    for (uint32_t i = 0; i < s->nodes; i++) {
        const struct net_actor *a = &s->actor[i];
        typed_view_type seen;

        memcpy(&seen, a->view, sizeof seen);
#if ASKS(KNOWS_STARTERS)
        if (a->started)
            PROBLEM(_started)(w, a->id);
#endif
        if (a->down)
            PROBLEM(_crashed)(w, &nothing);
        else if (a->returns)
            PROBLEM(_restarted)(w, &seen);
        else
            (void)PROBLEM(_changed)(w, a->id, &nothing, &seen, 0);
    }
    w->broken = 0;
#if ASKS(REMEMBERS)
    PROBLEM(_recall)(w, s->memory);
#endif
}

static void typed_change(const struct net_scene *s, uint32_t actor,
                         const uint8_t after[NET_VIEW_SIZE],
                         struct net_news *news)
{
    struct fc_outcome outcome;
    typed_view_type old, new;
    typed_watch w;

    typed_set_up(s, &w);
    memcpy(&old, s->actor[actor].view, sizeof old);
    memcpy(&new, after, sizeof new);
    *news = (struct net_news){.memory = s->memory};
    (void)PROBLEM(_changed)(&w, s->actor[actor].id, &old, &new, 0);
#if ASKS(LOOKS_AGAIN)
    if (s->actor[actor].returns)
        PROBLEM(_returned)(&w, &new);
#endif
    news->broken = w.broken;
#if ASKS(REMEMBERS)
    news->memory = PROBLEM(_memory)(&w);
#endif
    PROBLEM(_outcome)(&w, &outcome);
    news->reached = outcome.reached_at != FC_NEVER;
}

static bool typed_matters(const uint8_t before[NET_VIEW_SIZE],
                          const uint8_t after[NET_VIEW_SIZE])
{
    typed_view_type old, new;

    memcpy(&old, before, sizeof old);
    memcpy(&new, after, sizeof new);
    return PROBLEM(_matters)(&old, &new);
}

static uint32_t typed_end(const struct net_scene *s)
{
    typed_watch w;

    typed_set_up(s, &w);
#if ASKS(COUNTS_FLYING)
    PROBLEM(_flying)(&w, s->flying, 0);
#endif
#if ASKS(SETTLES)
    for (uint32_t i = 0; i < s->nodes && PROBLEM(_settles)(&w); i++) {
        typed_view_type seen;

        memcpy(&seen, s->actor[i].view, sizeof seen);
        if (!s->actor[i].down)
            PROBLEM(_settled)(&w, s->actor[i].id, &seen);
    }
#endif
    return PROBLEM(_end)(&w, true);
}

/* ---- A run that is judged as it goes ------------------------------------- */

#ifndef FULCRUM_WEB /* a page judges no run but its own */
static void typed_watch_begin(void *watch, const struct net *net)
{
    PROBLEM(_begin)(watch, net->protocol, net->params, &net->world);
}

static uint32_t typed_watch_change(void *watch, fc_name id,
                                   const uint8_t before[NET_VIEW_SIZE],
                                   const uint8_t after[NET_VIEW_SIZE],
                                   uint64_t now)
{
    typed_view_type old, new;

    memcpy(&old, before, sizeof old);
    memcpy(&new, after, sizeof new);
    return PROBLEM(_changed)(watch, id, &old, &new, now);
}

static void typed_watch_see(void *watch, const struct net_sight *s)
{
    typed_view_type seen = {0};

    if (s->view)
        memcpy(&seen, s->view, sizeof seen);
    switch (s->what) {
#if ASKS(KNOWS_STARTERS)
    case NET_SEEN_START:
        PROBLEM(_started)(watch, s->id);
        break;
#endif
    case NET_SEEN_CRASH:
        PROBLEM(_crashed)(watch, &seen);
        break;
    case NET_SEEN_RESTART:
        PROBLEM(_restarted)(watch, &seen);
        break;
#if ASKS(LOOKS_AGAIN)
    case NET_SEEN_RETURN:
        PROBLEM(_returned)(watch, &seen);
        break;
#endif
#if ASKS(COUNTS_FLYING)
    case NET_SEEN_FLYING:
        PROBLEM(_flying)(watch, s->flying, s->now);
        break;
#endif
#if ASKS(SETTLES)
    case NET_SEEN_SETTLED:
        if (PROBLEM(_settles)(watch))
            PROBLEM(_settled)(watch, s->id, &seen);
        break;
#endif
    default: /* the problem does not ask for it */
        break;
    }
}

static uint32_t typed_watch_end(void *watch, bool quiet)
{
    typed_watch *w = watch;
    uint32_t broken = PROBLEM(_end)(w, quiet);

    return w->broken | broken;
}

static void typed_watch_outcome(const void *watch, struct fc_outcome *out)
{
    PROBLEM(_outcome)(watch, out);
}
#endif

static uint64_t typed_attempts(const uint8_t view[NET_VIEW_SIZE], bool *wrong)
{
#if ASKS(MOMENTARY)
    typed_view_type seen;

    memcpy(&seen, view, sizeof seen);
    *wrong = PROBLEM(_wrong)(&seen);
    return PROBLEM(_attempts)(&seen);
#else
    (void)view;
    *wrong = false;
    return 0;
#endif
}

static uint8_t typed_request(bool shared)
{
#if ASKS(REPEATS)
    return PROBLEM(_request)(shared);
#else
    (void)shared;
    return 0; /* a problem's first command is to start */
#endif
}

static uint8_t typed_farewell(void)
{
#if ASKS(REPEATS)
    return PROBLEM(_farewell)();
#else
    return 0;
#endif
}

static void typed_site(const struct net_place *place,
                       uint8_t out[NET_SITE_SIZE])
{
    struct P_(_site) me;

    net_fill_site(&me, place);
    memcpy(out, &me, sizeof me);
}

static void typed_show(const uint8_t bytes[NET_VIEW_SIZE], struct fc_shown *out)
{
    typed_view_type seen;

    memcpy(&seen, bytes, sizeof seen);
    PROBLEM(_show)(&seen, out);
}

static uint32_t typed_kind(const void *message)
{
    struct P_(_msg) m;

    memcpy(&m, message, sizeof m);
    return P_(_kind)(&m);
}

static uint32_t typed_paper_bits(const void *message)
{
    struct P_(_msg) m;

    memcpy(&m, message, sizeof m);
    return P_(_paper_bits)(&m);
}

static uint32_t typed_wire_bytes(const void *message)
{
    struct P_(_msg) m;

    memcpy(&m, message, sizeof m);
    return P_(_wire_bytes)(&m);
}

static size_t typed_pack(const void *message, uint8_t wire[FC_WIRE_MAX])
{
    struct P_(_msg) m;

    memcpy(&m, message, sizeof m);
    return P_(_pack)(&m, wire);
}

static int typed_unpack(void *message, const uint8_t *wire, size_t size)
{
    struct P_(_msg) m;
    int code;

    memset(&m, 0, sizeof m);
    code = P_(_unpack)(&m, wire, size);
    if (code == 0)
        memcpy(message, &m, sizeof m);
    return code;
}

static uint32_t typed_fields(const void *message, uint64_t out[FC_FIELDS_MAX])
{
    struct P_(_msg) m;

    memcpy(&m, message, sizeof m);
    return P_(_fields)(&m, out);
}

enum {
#if HAS(DURABLE)
    TYPED_RECORD = sizeof(struct P_(_record)),
#else
    TYPED_RECORD = 0,
#endif
#ifdef FC_KEPT_NODES
    TYPED_NODES = FC_KEPT_NODES,
#else
    TYPED_NODES = NET_SCENE_MAX,
#endif
};

#ifdef FC_KEPT_NODES
#define TYPED_TEXT(number) #number
#define TYPED_CROWDED(number)                                                  \
    "its states are large: " TYPED_TEXT(number) " nodes at most can be "       \
                                                "checked"
#endif

#if HAS(GUARDED)
static bool typed_inside(const uint8_t view[NET_VIEW_SIZE], uint64_t *until)
{
    typed_view_type seen;

    memcpy(&seen, view, sizeof seen);
    *until = seen.until;
    return PROBLEM(_phase)(&seen) == FC_INSIDE;
}
#endif

#if HAS(COUNTS)
static void typed_forget(void *state)
{
    P_(_forget)(state);
}
#endif

#if HAS(SYMMETRIC)
static void typed_relabel(void *state, const uint16_t *to, uint32_t nodes)
{
    P_(_relabel)(state, to, nodes);
}

static void typed_relabel_msg(void *message, const uint16_t *to, uint32_t nodes)
{
    P_(_relabel_msg)(message, to, nodes);
}

static uint64_t typed_relabel_memory(uint64_t memory, const uint16_t *to)
{
    return PROBLEM(_relabel_memory)(memory, to);
}
#endif

const struct net_type FC_PASTE(P, _type) = {
    .protocol = &FC_PASTE(P, _protocol),
    .state_size = sizeof(struct P),
    .msg_size = sizeof(struct P_(_msg)),
    .out_size = sizeof(struct P_(_out)),
    .wire_size = P_(_wire),
    .timers = P_(_timers),
    .nodes_max = TYPED_NODES,
#ifdef FC_KEPT_NODES
    .crowded = TYPED_CROWDED(FC_KEPT_NODES),
#endif
    .record_size = TYPED_RECORD,
    .reads_all = HAS(READS_ALL),
    .repeats = ASKS(REPEATS),
    .counts_flying = ASKS(COUNTS_FLYING),
    .remembers = ASKS(REMEMBERS),
    .momentary = ASKS(MOMENTARY),
    .clocked = HAS(CLOCKED),
#if HAS(COUNTS)
    .forget = typed_forget,
#endif
#if HAS(MEASURED)
    .quantities = P_(_quantities),
    .quantities_count = FC_COUNT(P_(_quantities)),
#endif
#if HAS(GUARDED)
    .inside = typed_inside,
#endif
#if HAS(SYMMETRIC)
    .relabel = typed_relabel,
    .relabel_msg = typed_relabel_msg,
    .relabel_memory = typed_relabel_memory,
#endif
    .state_fields = P_(_state_fields),
    .state_fields_count = FC_COUNT(P_(_state_fields)),
    .site = typed_site,
    .step = typed_step,
    .step_over = typed_step_over,
    .sane = typed_sane,
    .view = typed_view,
    .change = typed_change,
    .matters = typed_matters,
    .end = typed_end,
#ifndef FULCRUM_WEB
    .watch_size = sizeof(typed_watch),
    .watch_begin = typed_watch_begin,
    .watch_change = typed_watch_change,
    .watch_see = typed_watch_see,
    .watch_end = typed_watch_end,
    .watch_outcome = typed_watch_outcome,
#endif
    .attempts = typed_attempts,
    .request = typed_request,
    .farewell = typed_farewell,
    .show = typed_show,
    .kind = typed_kind,
    .fields = typed_fields,
    .paper_bits = typed_paper_bits,
    .wire_bytes = typed_wire_bytes,
    .pack = typed_pack,
    .unpack = typed_unpack,
};
