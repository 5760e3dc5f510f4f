/*
 * suzuki_kasami.c - mutual exclusion by one token that is sent to whoever asks
 * (Suzuki and Kasami 1985).
 *
 * Whoever has the token may enter.  Whoever has not asks everybody, with the
 * number of its request; who has the token and does not need it sends it.  The
 * token carries the number of the last request of each site that was served,
 * by which an old request is known, and a queue of those who are to have it.
 * An entry costs n messages, or none if the token is there already.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.  A doubled message does no harm.
 *
 * From: I. Suzuki, T. Kasami, ACM TOCS 3(4), 1985; the names of its variables
 * are in the comments.  Site 0 has the token at first.  Ours: the token counts
 * entries, which is a fencing token.
 */
#include "protocols/mutex/suzuki_kasami.h"

#include "core/set.h"

static inline bool is_here(const struct suzuki_kasami *s,
                           const struct fc_member *me)
{
    return s->moved != (me->index == 0);
}

static inline struct suzuki_kasami_msg *
send(struct suzuki_kasami_out *out, uint16_t to, uint8_t kind, uint64_t number)
{
    struct suzuki_kasami_msg *m = &out->send[out->fx.sends];

    out->fx.to[out->fx.sends++] = to;
    *m = (struct suzuki_kasami_msg){.kind = kind, .number = number};
    return m;
}

static inline void send_token(struct suzuki_kasami *s,
                              const struct fc_member *me, uint32_t to,
                              struct suzuki_kasami_out *out)
{
    struct suzuki_kasami_msg *m =
        send(out, (uint16_t)to, SUZUKI_KASAMI_TOKEN, s->number);

    m->token = s->token;
    m->nodes = (uint16_t)me->nodes;
    m->queued = s->queued;
    s->token = (struct suzuki_kasami_token){0};
    s->queued = 0;
    s->moved = !s->moved;
}

/* A request that no entry has answered: RN[j] = LN[j] + 1. */
static inline bool is_open(const struct suzuki_kasami *s, uint32_t site)
{
    return s->asked[site] > s->token.served[site];
}

/* "Every node that is not in Q and whose request is open is appended." */
static inline void append_those_who_ask(struct suzuki_kasami *s,
                                        const struct fc_member *me)
{
    struct fc_set in_queue = {0};

    for (uint32_t i = 0; i < s->queued; i++)
        fc_set_add(&in_queue, s->token.queue[i]);
    for (uint32_t j = 0; j < me->nodes; j++)
        if (j != me->index && is_open(s, j) && !fc_set_has(&in_queue, j))
            s->token.queue[s->queued++] = (uint8_t)j;
}

/* The token goes to the first in its queue. */
static inline void pass_on(struct suzuki_kasami *s, const struct fc_member *me,
                           struct suzuki_kasami_out *out)
{
    uint32_t first;

    append_those_who_ask(s, me);
    if (s->queued == 0)
        return;
    first = s->token.queue[0];
    s->queued--;
    for (uint32_t i = 0; i < s->queued; i++)
        s->token.queue[i] = s->token.queue[i + 1];
    s->token.queue[s->queued] = 0;
    send_token(s, me, first, out);
}

static inline void enter(struct suzuki_kasami *s, struct suzuki_kasami_out *out)
{
    s->role = MUTEX_INSIDE;
    s->number++;
    out->fx.notes |= FC_NOTE_VIEW;
}

static inline void on_want(struct suzuki_kasami *s, const struct fc_member *me,
                           struct suzuki_kasami_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    if (is_here(s, me)) {
        enter(s, out);
        return;
    }
    s->role = MUTEX_WAITS;
    send(out, FC_EVERYONE, SUZUKI_KASAMI_REQUEST, ++s->asked[me->index]);
}

static inline void on_leave(struct suzuki_kasami *s, const struct fc_member *me,
                            struct suzuki_kasami_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    s->token.served[me->index] = s->asked[me->index];
    pass_on(s, me, out);
}

static inline void on_request(struct suzuki_kasami *s,
                              const struct fc_member *me,
                              const struct suzuki_kasami_in *in,
                              struct suzuki_kasami_out *out)
{
    uint32_t from = in->event.port, number = (uint32_t)in->msg.number;

    if (number > s->asked[from])
        s->asked[from] = number;
    if (is_here(s, me) && s->role == MUTEX_IDLE && is_open(s, from))
        send_token(s, me, from, out);
}

/* One that comes doubled has counted fewer entries than this site made under
 * it.  One that comes to a site which did not ask, or no longer knows that it
 * did, is kept until somebody does. */
static inline void on_token(struct suzuki_kasami *s, const struct fc_member *me,
                            const struct suzuki_kasami_msg *m,
                            struct suzuki_kasami_out *out)
{
    if (is_here(s, me) || m->number < s->number) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->moved = !s->moved;
    s->number = m->number;
    s->token = m->token;
    s->queued = m->queued;
    if (s->role == MUTEX_WAITS)
        enter(s, out);
    else
        pass_on(s, me, out);
}

/* With its memory it lost the token, if it had it. */
static inline void on_boot(struct suzuki_kasami *s, const struct fc_member *me)
{
    if (is_here(s, me) && s->number == 0)
        s->moved = !s->moved;
}

FC_API void suzuki_kasami_step(struct suzuki_kasami *s,
                               const struct suzuki_kasami_params *p,
                               const struct fc_member *me,
                               const struct suzuki_kasami_in *in,
                               struct suzuki_kasami_out *out)
{
    (void)p;
    switch (in->event.kind) {
    case FC_BOOT:
        on_boot(s, me);
        break;
    case FC_MESSAGE:
        if (in->msg.kind == SUZUKI_KASAMI_REQUEST)
            on_request(s, me, in, out);
        else
            on_token(s, me, &in->msg, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, me, out);
        else
            on_want(s, me, out);
        break;
    default:
        break;
    }
}

FC_API void suzuki_kasami_view(const struct suzuki_kasami *s,
                               const struct fc_member *me,
                               struct mutex_view *view)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

FC_API const char *suzuki_kasami_sane(const struct suzuki_kasami *s,
                                      const struct suzuki_kasami_params *p,
                                      const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

/* ---- Messages ------------------------------------------------------------ */

/* On the wire: the kind; then the number, four bytes of a request, eight of a
 * token; then a token's sites and how many are in the queue, two bytes each,
 * four for each site, and one for each in the queue. */
enum { REQUEST_BYTES = 5, TOKEN_BYTES = 13 };

FC_API uint32_t suzuki_kasami_kind(const struct suzuki_kasami_msg *m)
{
    return m->kind;
}

FC_API uint32_t suzuki_kasami_fields(const struct suzuki_kasami_msg *m,
                                     uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->number;
    out[1] = m->queued;
    return m->kind == SUZUKI_KASAMI_TOKEN ? 2 : 1;
}

static inline uint32_t digits(uint64_t number)
{
    return number ? 64u - (uint32_t)__builtin_clzll(number) : 1;
}

/* One bit for the kind, and the digits of what it carries; the count of
 * entries is not in the paper. */
FC_API uint32_t suzuki_kasami_paper_bits(const struct suzuki_kasami_msg *m)
{
    uint32_t bits = 1;

    if (m->kind == SUZUKI_KASAMI_REQUEST)
        return bits + digits(m->number);
    for (uint32_t j = 0; j < m->nodes; j++)
        bits += digits(m->token.served[j]);
    for (uint32_t i = 0; i < m->queued; i++)
        bits += digits(m->token.queue[i]);
    return bits;
}

FC_API uint32_t suzuki_kasami_wire_bytes(const struct suzuki_kasami_msg *m)
{
    if (m->kind == SUZUKI_KASAMI_REQUEST)
        return REQUEST_BYTES;
    return TOKEN_BYTES + 4u * m->nodes + m->queued;
}

FC_API size_t suzuki_kasami_pack(const struct suzuki_kasami_msg *m,
                                 uint8_t wire[FC_WIRE_MAX])
{
    uint8_t *at = wire + TOKEN_BYTES;

    wire[0] = m->kind;
    if (m->kind == SUZUKI_KASAMI_REQUEST) {
        fc_put32(wire + 1, (uint32_t)m->number);
        return REQUEST_BYTES;
    }
    fc_put64(wire + 1, m->number);
    fc_put16(wire + 9, m->nodes);
    fc_put16(wire + 11, m->queued);
    for (uint32_t j = 0; j < m->nodes; j++, at += 4)
        fc_put32(at, m->token.served[j]);
    for (uint32_t i = 0; i < m->queued; i++)
        *at++ = m->token.queue[i];
    return (size_t)(at - wire);
}

/* Reads the arrays of a token, whose counts are known to be good.  False: a
 * site in the queue is none, or is there twice. */
static inline bool read_arrays(struct suzuki_kasami_msg *m, const uint8_t *at)
{
    struct fc_set seen = {0};

    for (uint32_t j = 0; j < m->nodes; j++, at += 4)
        m->token.served[j] = fc_get32(at);
    for (uint32_t i = 0; i < m->queued; i++, at++) {
        if (*at >= m->nodes || fc_set_has(&seen, *at))
            return false;
        fc_set_add(&seen, *at);
        m->token.queue[i] = *at;
    }
    return true;
}

FC_API int suzuki_kasami_unpack(struct suzuki_kasami_msg *m,
                                const uint8_t *wire, size_t size)
{
    struct suzuki_kasami_msg got = {.kind = size ? wire[0] : 0};

    if (got.kind == SUZUKI_KASAMI_REQUEST) {
        if (size != REQUEST_BYTES)
            return -1;
        got.number = fc_get32(wire + 1);
        if (got.number == 0)
            return -1;
        *m = got;
        return 0;
    }
    if (got.kind != SUZUKI_KASAMI_TOKEN || size < TOKEN_BYTES)
        return -1;
    got.number = fc_get64(wire + 1);
    got.nodes = fc_get16(wire + 9);
    got.queued = fc_get16(wire + 11);
    if (got.nodes > FC_NODES_MAX || got.queued >= got.nodes ||
        size != suzuki_kasami_wire_bytes(&got) ||
        !read_arrays(&got, wire + TOKEN_BYTES))
        return -1;
    *m = got;
    return 0;
}

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [SUZUKI_KASAMI_REQUEST] = {"request", "REQ", FC_ASKS},
    [SUZUKI_KASAMI_TOKEN] = {"token", "token", FC_TOKEN},
};

static uint32_t claims(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               (double)world->nodes, "n, or none"};
    return 1;
}

const struct fc_protocol suzuki_kasami_protocol = {
    .name = "suzuki-kasami",
    .title = "Suzuki, Kasami 1985",
    .idea = "ask everybody; whoever has the token and does not need it sends "
            "it, with the queue of those who wait",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; death without the token",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "I. Suzuki, T. Kasami, ACM TOCS 3(4), 1985",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = SUZUKI_KASAMI_KINDS,
    .params_size = sizeof(struct suzuki_kasami_params),
    .state_size = sizeof(struct suzuki_kasami),
    .msg_size = sizeof(struct suzuki_kasami_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
