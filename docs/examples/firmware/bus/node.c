/*
 * node.c - see node.h.
 *
 * The order that everything depends on, in each part of a step:
 *
 *   the actuator goes off, if the step has left the lock;
 *   the record is in flash, if the step wants it saved;
 *   messages leave;
 *   the actuator goes on, if the step has entered.
 */
#include "node.h"

/* The taus after which a stranger asks again. */
enum { PATIENCE = 10 };

static uint16_t only(uint32_t node)
{
    return (uint16_t)(1u << node);
}

static uint16_t others(const struct bus_node *n)
{
    return (uint16_t)((only(n->me.nodes) - 1) & ~only(n->me.index));
}

static void read_clock(struct bus_node *n)
{
    n->now = fc_counter_read(&n->clock, board_clock(n->board));
}

/* Nothing is risked with a board that cannot keep promises. */
static void give_up(struct bus_node *n, const char *why)
{
    board_let_go(n->board);
    n->held = 0;
    n->standing = BUS_BROKEN;
    n->broken = why;
}

/* ---- Letters that leave -------------------------------------------------- */

static void post(struct bus_node *n, const uint8_t *letter, size_t size)
{
    struct bus_split split;
    uint8_t frame[BUS_FRAME];

    bus_split(&split, letter, size);
    n->number++;
    for (uint32_t i = 0; i < bus_frames_of(&split); i++) {
        uint8_t bytes = bus_frame(&split, n->number, i, frame);

        board_send(n->board, frame, bytes);
    }
}

/* What was gathered leaves as one letter. */
static void ship(struct bus_node *n)
{
    struct bus_outgoing *o = &n->outgoing;
    uint8_t letter[BUS_LETTER];
    size_t size = BUS_LETTER_HEAD;

    if (!o->to)
        return;
    letter[0] = BUS_MESSAGE;
    bus_put(letter + 1, o->to, 2);
    size += view_lock_pack(&o->msg, letter + size);
    for (uint32_t j = 0; j < n->me.nodes; j++) {
        if (o->msg.kind != VIEW_LOCK_FRAME || !(o->to & only(j)))
            continue;
        bus_put(letter + size, o->echo_inc[j], 8);
        bus_put(letter + size + 8, o->echo_stamp[j], 8);
        size += 16;
    }
    o->to = 0;
    post(n, letter, size);
}

/* A message that says the same as the one before joins its letter. */
static void gather(struct bus_node *n, uint16_t to, struct view_lock_msg m)
{
    struct bus_outgoing *o = &n->outgoing;
    uint64_t inc = m.echo_inc, stamp = m.echo_stamp;

    if (m.kind == VIEW_LOCK_FRAME)
        m.echo_inc = m.echo_stamp = 0;
    if ((o->to & to) || __builtin_memcmp(&o->msg, &m, sizeof m) != 0)
        ship(n);
    o->msg = m;
    o->to |= to;
    for (uint32_t j = 0; j < n->me.nodes; j++)
        if (to & only(j)) {
            o->echo_inc[j] = inc;
            o->echo_stamp[j] = stamp;
        }
}

/* ---- What a step wants done ---------------------------------------------- */

static void node_send(struct bus_node *n, uint32_t slot, uint16_t port)
{
    gather(n, only(port), n->out.send[slot]);
}

/* view-lock speaks to each one apart, since each frame echoes another one; most
 * other protocols do not. */
static void node_spread(struct bus_node *n, uint32_t slot,
                        const struct fc_set *set)
{
    gather(n, (uint16_t)set->word[0], n->out.send[slot]);
}

static bool node_save(struct bus_node *n)
{
    return bus_record_write(&n->record, n->board, &n->state.record);
}

static void node_store(struct bus_node *n, uint32_t cell, uint32_t value)
{
    (void)n, (void)cell, (void)value; /* nodes share no memory */
}

static void node_start(struct bus_node *n, uint32_t timer, uint64_t steps)
{
    (void)timer; /* there is one */
    n->due = fc_add(n->now, steps);
}

static void node_stop(struct bus_node *n, uint32_t timer)
{
    (void)timer;
    n->due = FC_NEVER;
}

#define OBEY(name)    FC_PASTE(node_, name)
#define OBEY_DRIVER   struct bus_node
#define OBEY_TIMERS   view_lock_timers
#define OBEY_TOPOLOGY view_lock_topology
#define OBEY_SELF     d->me.index
#define OBEY_NODES    d->me.nodes
#define OBEY_BUS
#include "core/obey.inc"

/* What the state says of the lock, apart from what the actuator does. */
static struct mutex_view view_of(const struct bus_node *n)
{
    struct mutex_view view;

    view_lock_view(&n->state, &n->me, &view);
    return view;
}

/* Off before anything leaves: a consent may be among it. */
static void let_go(struct bus_node *n)
{
    if (n->held && view_of(n).token != n->held) {
        board_let_go(n->board);
        n->held = 0;
    }
}

/* On, or on for longer.  The clock that the guard compares is the counter. */
static void hold(struct bus_node *n)
{
    struct mutex_view view = view_of(n);
    bool begins = view.token != n->held;

    if (!view.token || view.until <= n->now)
        return;
    n->held = view.token;
    board_hold(n->board, n->clock.last + (uint32_t)(view.until - n->now),
               begins);
}

static void happens(struct bus_node *n, struct view_lock_in in)
{
    enum fc_then then;

    do {
        fc_empty(&n->out.fx);
        in.event.now = n->now;
        view_lock_step(&n->state, &n->params, &n->me, &in, &n->out);
        n->broken = view_lock_sane(&n->state, &n->params, &n->me);
        if (n->broken) {
            give_up(n, n->broken);
            return;
        }
        let_go(n);
        then = node_obey(n, &n->out.fx);
        if (then == FC_THEN_FAILED) {
            give_up(n, "the record cannot be written");
            return;
        }
        in = (struct view_lock_in){.event = {.kind = FC_GO_ON}};
        if (then == FC_THEN_CHOOSE)
            in.event = (struct fc_event){
                .kind = FC_CHOICE,
                .value = board_draw(n->board, n->out.fx.choose)};
    } while (then == FC_THEN_GO_ON || then == FC_THEN_CHOOSE);
    ship(n);
    hold(n);
}

/* ---- A board that has lost its record ------------------------------------ */

/* It has forgotten which views it voted for.  The node that proposed one of
 * them knows it, so the highest that the others know of is high enough, if all
 * are asked, and since this start; until then it neither votes nor answers
 * frames.  It waits until no lease is left that it may have given, too. */
static void ask(struct bus_node *n)
{
    uint8_t letter[BUS_ASK_SIZE];

    if (n->now < n->again_at)
        return;
    n->again_at = n->now + (uint64_t)PATIENCE * n->params.tau;
    letter[0] = BUS_ASK;
    bus_put(letter + 1, n->lacking, 2);
    bus_put(letter + BUS_LETTER_HEAD, n->question, 4);
    post(n, letter, sizeof letter);
}

static void boot(struct bus_node *n)
{
    n->standing = BUS_MEMBER;
    happens(n, (struct view_lock_in){.event = {.kind = FC_BOOT}});
}

static void run_stranger(struct bus_node *n)
{
    if (n->lacking) {
        ask(n);
        n->done_at = n->now + n->params.quiet;
    } else if (n->now >= n->done_at) {
        n->state.record = n->told;
        boot(n);
    }
}

/* An answer: the highest view that this node voted for, which is in its flash,
 * and the latest life of the stranger that it has met. */
static void answer(struct bus_node *n, uint32_t from, uint32_t question)
{
    uint8_t letter[BUS_TELL_SIZE];

    letter[0] = BUS_TELL;
    bus_put(letter + 1, only(from), 2);
    bus_put(letter + BUS_LETTER_HEAD, question, 4);
    bus_put(letter + BUS_LETTER_HEAD + 4, n->state.record.maxv, 4);
    bus_put(letter + BUS_LETTER_HEAD + 8, n->state.peer[from].inc, 4);
    post(n, letter, sizeof letter);
}

static void on_told(struct bus_node *n, uint32_t from, const uint8_t *said)
{
    struct view_lock_record told = {.maxv = (uint32_t)bus_get(said + 4, 4),
                                    .starts = (uint32_t)bus_get(said + 8, 4)};

    if (bus_get(said, 4) != n->question || /* of an earlier life */
        told.maxv > VIEW_LOCK_VIEW_MAX || told.starts == UINT32_MAX)
        return;
    n->lacking &= (uint16_t)~only(from);
    if (n->told.maxv < told.maxv)
        n->told.maxv = told.maxv;
    if (n->told.starts < told.starts)
        n->told.starts = told.starts;
}

/* ---- Letters that come --------------------------------------------------- */

/* Finds what a frame echoes of this node, after the message; false if the size
 * is wrong. */
static bool find_echo(const struct bus_node *n, struct view_lock_msg *m,
                      uint16_t to, const uint8_t *echoes, size_t size)
{
    uint16_t before = to & (only(n->me.index) - 1);
    size_t at = 16u * (size_t)__builtin_popcount(before);

    if (size != 16u * (size_t)__builtin_popcount(to))
        return false;
    m->echo_inc = bus_get(echoes + at, 8);
    m->echo_stamp = bus_get(echoes + at + 8, 8);
    /* A lease would count from a stamp that this life cannot have given. */
    return m->echo_inc != n->state.inc ||
           (m->echo_stamp >= n->state.start && m->echo_stamp <= n->now);
}

static void on_message(struct bus_node *n, uint32_t from, uint16_t to,
                       const uint8_t *wire, size_t size)
{
    struct view_lock_in in = {
        .event = {.kind = FC_MESSAGE, .port = (uint16_t)from}};
    bool frame = size > 0 && wire[0] == VIEW_LOCK_FRAME;
    size_t packed = frame ? (size_t)VIEW_LOCK_FRAME_WIRE : size;

    if (packed > size || view_lock_unpack(&in.msg, wire, packed) ||
        in.msg.conf.k || /* flash has no room for another list: VL-R1 */
        (frame && !find_echo(n, &in.msg, to, wire + packed, size - packed)))
        return;
    happens(n, in);
}

/* Anything may have come, from others that are trusted and from wires that are
 * not. */
static void on_letter(struct bus_node *n, uint32_t from, const uint8_t *letter,
                      size_t size)
{
    uint16_t to = size < BUS_LETTER_HEAD ? 0 : (uint16_t)bus_get(letter + 1, 2);

    if (!(to & only(n->me.index)) || (to >> (n->me.nodes - 1)) >> 1)
        return;
    if (letter[0] == BUS_MESSAGE && n->standing == BUS_MEMBER)
        on_message(n, from, to, letter + BUS_LETTER_HEAD,
                   size - BUS_LETTER_HEAD);
    else if (letter[0] == BUS_ASK && n->standing == BUS_MEMBER &&
             size == BUS_ASK_SIZE)
        answer(n, from, (uint32_t)bus_get(letter + BUS_LETTER_HEAD, 4));
    else if (letter[0] == BUS_TELL && n->standing == BUS_STRANGER &&
             size == BUS_TELL_SIZE)
        on_told(n, from, letter + BUS_LETTER_HEAD);
}

void bus_node_take(struct bus_node *n, uint32_t from, const uint8_t *frame,
                   size_t size)
{
    uint8_t letter[BUS_LETTER];
    size_t whole;

    if (from >= n->me.nodes || from == n->me.index || n->standing == BUS_BROKEN)
        return;
    read_clock(n);
    whole = bus_join(&n->inbox[from], frame, size, letter);
    if (whole)
        on_letter(n, from, letter, whole);
}

/* ---- Start, clock, application ------------------------------------------- */

bool bus_node_begin_flash(struct board *b)
{
    struct bus_record none = {0};
    struct view_lock_record kept = {0};

    return bus_record_write(&none, b, &kept);
}

void bus_node_start(struct bus_node *n, struct board *b, struct fc_member me,
                    const struct view_lock_params *params)
{
    n->board = b;
    n->me = me;
    n->params = *params;
    n->due = FC_NEVER;
    n->number = (uint8_t)board_draw(b, 256);
    read_clock(n);
    board_let_go(b);
    if (bus_record_read(&n->record, b, &n->state.record)) {
        boot(n);
        return;
    }
    n->standing = BUS_STRANGER;
    n->question = board_draw(b, UINT32_MAX);
    n->lacking = others(n);
}

void bus_node_run(struct bus_node *n)
{
    if (n->standing == BUS_BROKEN)
        return;
    read_clock(n);
    if (n->standing == BUS_STRANGER) {
        run_stranger(n);
    } else if (n->now >= n->due) {
        n->due = FC_NEVER;
        happens(n, (struct view_lock_in){.event = {.kind = FC_TIMEOUT}});
    }
}

static void command(struct bus_node *n, uint8_t what)
{
    if (n->standing != BUS_MEMBER)
        return;
    read_clock(n);
    happens(n, (struct view_lock_in){
                   .event = {.kind = FC_COMMAND, .command = what}});
}

void bus_node_want(struct bus_node *n)
{
    command(n, MUTEX_WANT);
}

/* The step lets go before it tells others. */
void bus_node_leave(struct bus_node *n)
{
    command(n, n->held ? MUTEX_LEAVE : VIEW_LOCK_GIVE_UP);
}
