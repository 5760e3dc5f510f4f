/*
 * board.c - a ring election on microcontrollers: one node, one program.
 *
 * The boards are wired in a ring, the sending wire of each to the receiving
 * wire of the next; board.h is all that this file knows of them.  P is any
 * election on a ring of one direction; see docs/firmware.md.
 *
 * A packet on the wire is END, the bytes of the message, their sum, END; END
 * and ESCAPE inside it are escaped as in SLIP (RFC 1055).  A packet that was
 * damaged is dropped.  The protocol assumes that none is: where wires are bad,
 * acknowledge packets and send them again.
 */
#include "board.h"
#include "core/params.h"

#ifndef P
#define P       vitanyi
#define P_TYPES "protocols/election/vitanyi/vitanyi.h"
#define P_KEY   "f"        /* a message with name i rests 2^i steps: */
#define P_VALUE "scaled:1" /* as exp:2, but without a table of powers */
#endif
#include P_TYPES

#define P_(name) FC_PASTE(P, name)

_Static_assert(!(P_(_is) &(FC_CLOCKED | FC_DURABLE | FC_GUARDED)),
               "no clock, no record, no guard here: see bus/node.c");

enum { END = 0xc0, ESCAPE = 0xdb, ESCAPED_END = 0xdc, ESCAPED_ESCAPE = 0xdd };

/* All boards must agree on these: their greatest number, their names, and the
 * steps that a message takes to be sent and read. */
static const struct fc_world world = {
    .nodes = 8,
    .initiators = 8,
    .least = 1,
    .greatest = 60,
    .bounds = {.rmin = 1, .rmax = 1, .dmin = 1, .dmax = 20},
    .bounded = true,
};

static struct P state; /* all zero: a node before its first event */
static struct P_(_params) params;
static struct P_(_site) me;
static struct P_(_out) out;
static uint32_t now; /* wraps: timers bear that, and no protocol may see it */
static bool runs[FC_TIMERS];    /* a timer... */
static uint32_t due[FC_TIMERS]; /* ...which expires then */

/* ---- What a step wants done ---------------------------------------------- */

static void give(uint8_t byte)
{
    if (byte == END || byte == ESCAPE)
        board_give(ESCAPE);
    board_give(byte == END      ? (uint8_t)ESCAPED_END
               : byte == ESCAPE ? (uint8_t)ESCAPED_ESCAPE
                                : byte);
}

static void ring_send(struct P *d, uint32_t slot, uint16_t port)
{
    uint8_t wire[P_(_wire)], sum = 0;
    size_t size = P_(_pack)(&out.send[slot], wire);

    (void)d, (void)port;
    board_give(END);
    for (size_t i = 0; i < size; i++) {
        sum = (uint8_t)(sum + wire[i]);
        give(wire[i]);
    }
    give(sum);
    board_give(END);
}

static void ring_start(struct P *d, uint32_t timer, uint64_t steps)
{
    (void)d;
    runs[timer] = steps <= INT32_MAX; /* else: not in this election */
    due[timer] = now + (uint32_t)steps;
}

static void ring_stop(struct P *d, uint32_t timer)
{
    (void)d;
    runs[timer] = false;
}

/* Ring elections keep nothing over a power cut, and share no memory. */
static bool ring_save(struct P *d)
{
    (void)d;
    return false;
}

static void ring_store(struct P *d, uint32_t cell, uint32_t value)
{
    (void)d, (void)cell, (void)value;
}

#define OBEY(name)    FC_PASTE(ring_, name)
#define OBEY_DRIVER   struct P
#define OBEY_TIMERS   FC_TIMERS
#define OBEY_TOPOLOGY FC_RING
#define OBEY_SELF     0
#define OBEY_NODES    world.nodes
#include "core/obey.inc"

/* ---- News for people ----------------------------------------------------- */

static void say(const char *text)
{
    while (*text)
        board_say(*text++);
}

static void say_number(uint32_t number)
{
    if (number > 9)
        say_number(number / 10);
    board_say((char)('0' + number % 10));
}

static void tell(void)
{
    static fc_name told;
    struct election_view view;

    P_(_view)(&state, &me, &view);
    if (view.leader == told)
        return;
    told = view.leader;
    say("board ");
    say_number(me.name);
    say(view.role == ELECTION_LEADER ? ": I lead, " : ": the leader is ");
    say_number(told);
    say("\n");
}

/* ---- Events -------------------------------------------------------------- */

static void happen(struct P_(_in) in)
{
    enum fc_then then;

    do {
        fc_empty(&out.fx);
        P_(_step)(&state, &params, &me, &in, &out);
        then = ring_obey(&state, &out.fx);
        in = (struct P_(_in)){.event = {.kind = FC_GO_ON}};
    } while (then == FC_THEN_GO_ON);
    if (out.fx.notes & FC_NOTE_VIEW)
        tell();
}

/* Takes bytes up to the end of a packet; true if it is a message. */
static bool receive(struct P_(_msg) *m)
{
    static uint8_t packet[P_(_wire) + 1];
    static size_t size;
    static bool escaped;
    int byte;

    while ((byte = board_take()) >= 0) {
        if (byte == END) {
            uint8_t sum = 0;
            size_t got = size;

            size = 0;
            escaped = false;
            for (size_t i = 0; i + 1 < got; i++)
                sum = (uint8_t)(sum + packet[i]);
            if (got > 1 && got <= sizeof packet && sum == packet[got - 1] &&
                P_(_unpack)(m, packet, got - 1) == 0)
                return true;
        } else if (byte == ESCAPE) {
            escaped = true;
        } else {
            byte = !escaped              ? byte
                   : byte == ESCAPED_END ? (int)END
                                         : (int)ESCAPE;
            escaped = false;
            if (size < sizeof packet)
                packet[size] = (uint8_t)byte;
            size += size <= sizeof packet; /* longer than any message: bad */
        }
    }
    return false;
}

/* Defaults, what was set, and what follows from the world; false: it does not
 * work there, and people are told why. */
static bool prepare(void)
{
    const struct fc_protocol *protocol = &P_(_protocol);
    const char *why = NULL;

    fc_params_default(protocol, &params);
#ifdef P_KEY
    const char *file;
    struct fc_wait *wait;

    if (fc_params_set(protocol, &params, P_KEY, P_VALUE, &file, &wait) !=
        FC_SET_DONE)
        why = "there is no such setting";
#endif
    if (!why && protocol->prepare)
        why = protocol->prepare(&params, &world);
    if (!why)
        return true;
    say(why);
    say("\n");
    return false;
}

int main(void)
{
    uint32_t before = 0;

    me.name = board_name;
    if (!prepare())
        return 1;
    happen((struct P_(_in)){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}});
    for (;;) {
        struct P_(_msg) m;

        /* One message a step, then the timers. */
        now = board_sleep();
        if (now == before)
            continue;
        before = now;
        if (receive(&m))
            happen((struct P_(_in)){.event = {.kind = FC_MESSAGE}, .msg = m});
        for (uint8_t t = 0; t < FC_TIMERS; t++) {
            if (!runs[t] || (int32_t)(now - due[t]) < 0)
                continue;
            runs[t] = false;
            happen((struct P_(_in)){.event = {.kind = FC_TIMEOUT, .timer = t}});
        }
    }
}
