/*
 * suzuki_kasami.c - mutual exclusion by one token that is sent to a site that
 * asks (Suzuki and Kasami 1985).
 *
 * The site with the token may enter.  One without it asks everybody, with the
 * number of its request; the one that has the token and does not need it sends
 * it.  The token carries the number of the last request of each site that was
 * served, by which an old request is known, and a queue of those that are to
 * have it.  An entry costs n messages, or none if the token is there already.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.  A duplicated message does no harm.
 *
 * From: I. Suzuki, T. Kasami, ACM TOCS 3(4), 1985; the names of its variables
 * are in the comments.  Site 0 has the token at first.  Ours: the token counts
 * entries, which is a fencing token.
 */
#include "protocols/mutex/suzuki_kasami/suzuki_kasami.h"

#include "core/network.h"

#define TURN suzuki_kasami
#include "core/turn.inc"

enum { REQUEST = SUZUKI_KASAMI_REQUEST, TOKEN = SUZUKI_KASAMI_TOKEN };

static inline bool is_here(const struct suzuki_kasami *s,
                           const struct suzuki_kasami_params *p,
                           const struct fc_member *me)
{
    return s->moved != mutex_holds_first(p->holders, me->index);
}

static inline void send_token(struct turn *t, uint32_t to)
{
    struct suzuki_kasami *s = t->s;

    send_to(t, (uint16_t)to,
            (msg){.kind = TOKEN,
                  .number = s->number,
                  .token = s->token,
                  .nodes = (uint16_t)t->me->nodes,
                  .queued = s->queued});
    s->token = (struct suzuki_kasami_token){0};
    s->queued = 0;
    s->moved = !s->moved;
}

/* A request that no entry has answered: RN[j] = LN[j] + 1. */
static inline bool is_open(const struct suzuki_kasami *s, uint32_t site)
{
    return s->asked[site] > s->token.served[site];
}

/* SK-4: "every node that is not in Q and whose request is open is appended". */
static inline void append_those_who_ask(struct turn *t)
{
    struct suzuki_kasami *s = t->s;
    struct fc_set in_queue = {0};

    for (uint32_t i = 0; i < s->queued; i++)
        fc_set_add(&in_queue, s->token.queue[i]);
    for (uint32_t j = 0; j < t->me->nodes; j++)
        if (j != t->me->index && is_open(s, j) && !fc_set_has(&in_queue, j))
            s->token.queue[s->queued++] = (uint8_t)j;
}

/* SK-4: the token goes to the first of the queue, if there is one. */
static inline void pass_token(struct turn *t)
{
    struct suzuki_kasami *s = t->s;
    uint32_t first;

    append_those_who_ask(t);
    if (s->queued == 0)
        return;
    first = s->token.queue[0];
    s->queued--;
    for (uint32_t i = 0; i < s->queued; i++)
        s->token.queue[i] = s->token.queue[i + 1];
    s->token.queue[s->queued] = 0;
    send_token(t, first);
}

static inline void enter(struct turn *t)
{
    t->s->number++;
    become(t, MUTEX_INSIDE);
}

/* SK-1: with the token it enters.  Without, the next number and a request to
 * everybody. */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    if (is_here(t->s, t->p, t->me)) {
        enter(t);
        return;
    }
    become(t, MUTEX_WAITS);
    send_all(t, (msg){.kind = REQUEST, .number = ++t->s->asked[t->me->index]});
}

/* SK-4: its own request is served. */
static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    t->s->token.served[t->me->index] = t->s->asked[t->me->index];
    pass_token(t);
}

/* SK-2: if the token is here, is not in use, and the request is open, it is
 * sent. */
static inline void on_request(struct turn *t)
{
    struct suzuki_kasami *s = t->s;
    uint32_t from = t->event->port, number = (uint32_t)t->m->number;

    if (number > s->asked[from])
        s->asked[from] = number;
    if (is_here(s, t->p, t->me) && s->role == MUTEX_IDLE && is_open(s, from))
        send_token(t, from);
}

/* SK-3: it enters.  A duplicated token has counted fewer entries than this site
 * made under it.  One that comes to a site which did not ask, or no longer
 * knows that it did, is kept until it is asked for. */
static inline void on_token(struct turn *t)
{
    struct suzuki_kasami *s = t->s;

    if (is_here(s, t->p, t->me) || t->m->number < s->number) {
        drop(t);
        return;
    }
    s->moved = !s->moved;
    s->number = t->m->number;
    s->token = t->m->token;
    s->queued = t->m->queued;
    if (s->role == MUTEX_WAITS)
        enter(t);
    else
        pass_token(t);
}

/* With its memory it lost the token, if it had it. */
static inline void on_boot(struct turn *t)
{
    if (is_here(t->s, t->p, t->me) && t->s->number == 0)
        t->s->moved = !t->s->moved;
}

FC_STEP(suzuki_kasami)
{
    if (t->event->kind == FC_BOOT)
        on_boot(t);
    else if (t->event->kind == FC_MESSAGE)
        t->m->kind == REQUEST ? on_request(t) : on_token(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(suzuki_kasami)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

/* Of a token that rests: nobody is in its queue, and no request is open. */
static inline bool is_unwanted(const struct suzuki_kasami *s,
                               const struct fc_member *me)
{
    for (uint32_t j = 0; j < me->nodes; j++)
        if (j != me->index && is_open(s, j))
            return false;
    return s->queued == 0;
}

static inline bool is_queue(const struct suzuki_kasami *s,
                            const struct fc_member *me)
{
    struct fc_set rest;

    fc_set_others(&rest, me->nodes, me->index);
    for (uint32_t i = 0; i < s->queued; i++) {
        if (!fc_set_has(&rest, s->token.queue[i]))
            return false;
        fc_set_remove(&rest, s->token.queue[i]);
    }
    return true;
}

FC_INVARIANT(suzuki_kasami)
{
    static const struct suzuki_kasami_token none;
    bool here = is_here(s, p, me), idle = s->role == MUTEX_IDLE;

    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->moved > 1)
        return "the token has moved or not";
    if (!idle && here != (s->role == MUTEX_INSIDE))
        return "a site that wants in is inside exactly if the token is here";
    if (s->queued >= me->nodes || !is_queue(s, me))
        return "each other site is in the queue at most once";
    if (!here &&
        (s->queued || __builtin_memcmp(&s->token, &none, sizeof none) != 0))
        return "nothing is known of a token that is elsewhere";
    if (here && idle && !is_unwanted(s, me))
        return "a token rests only where no request is open";
    return NULL;
}

FC_FIELD_VALUE(suzuki_kasami, here)
{
    return is_here(s, p, me);
}

FC_STATE_FIELDS(suzuki_kasami) = {
    FIELD(NUMBER, number),
    FIELD_EACH(NUMBER, asked),
    FIELD_EACH(NUMBER, token.served),
    FIELD_QUEUE(NODE, token.queue, queued),
    FIELD(NUMBER, queued),
    FIELD_AS("token", YES, moved, suzuki_kasami_here),
    FIELD_WORD(role, MUTEX_ROLES),
};

/* ---- Messages ------------------------------------------------------------ */

/* On the wire: the kind; then the number, four bytes of a request, eight of a
 * token; then a token's sites and the length of its queue, two bytes each,
 * four for each site, and one for each in the queue. */
enum { REQUEST_BYTES = 5, TOKEN_BYTES = 13 };

FC_KIND(suzuki_kasami)

FC_API uint32_t suzuki_kasami_fields(const struct suzuki_kasami_msg *m,
                                     uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->number;
    out[1] = m->queued;
    return m->kind == TOKEN ? 2 : 1;
}

/* One bit for the kind, and the digits of what it carries; the count of
 * entries is not in the paper. */
FC_API uint32_t suzuki_kasami_paper_bits(const struct suzuki_kasami_msg *m)
{
    uint32_t bits = 1;

    if (m->kind == REQUEST)
        return bits + fc_digits(m->number);
    for (uint32_t j = 0; j < m->nodes; j++)
        bits += fc_digits(m->token.served[j]);
    for (uint32_t i = 0; i < m->queued; i++)
        bits += fc_digits(m->token.queue[i]);
    return bits;
}

FC_API uint32_t suzuki_kasami_wire_bytes(const struct suzuki_kasami_msg *m)
{
    if (m->kind == REQUEST)
        return REQUEST_BYTES;
    return TOKEN_BYTES + 4u * m->nodes + m->queued;
}

FC_API size_t suzuki_kasami_pack(const struct suzuki_kasami_msg *m,
                                 uint8_t wire[suzuki_kasami_wire])
{
    uint8_t *at = wire + TOKEN_BYTES;

    wire[0] = m->kind;
    if (m->kind == REQUEST) {
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
 * site in the queue does not exist, or is there twice. */
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

    if (got.kind == REQUEST) {
        if (size != REQUEST_BYTES)
            return -1;
        got.number = fc_get32(wire + 1);
        if (got.number == 0)
            return -1;
        *m = got;
        return 0;
    }
    if (got.kind != TOKEN || size < TOKEN_BYTES)
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

MUTEX_QUEUE(suzuki_kasami, s->queued);

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [TOKEN] = {"token", "token", FC_TOKEN},
};

FC_COSTS(suzuki_kasami)
{
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST, (double)w->nodes,
                               "n, or none"};
    return 1;
}

static const struct fc_param params[] = {
    MUTEX_HOLDERS_PARAM(AT(holders)),
};

/* ---- The whole network --------------------------------------------------- */

/* What the token carries, wherever it is; NULL: there is none, or several. */
static const struct suzuki_kasami_token *
find_token(const struct fc_network *all)
{
    const struct suzuki_kasami_token *token = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->nodes; i++)
        if (is_here(FC_STATE(suzuki_kasami, all, i), all->params,
                    &(struct fc_member){i, all->nodes})) {
            token = &FC_STATE(suzuki_kasami, all, i)->token;
            count++;
        }
    for (uint32_t i = 0; i < all->flying_count; i++)
        if (FC_FLYING(suzuki_kasami, all, i)->kind == TOKEN) {
            token = &FC_FLYING(suzuki_kasami, all, i)->token;
            count++;
        }
    return count == 1 ? token : NULL;
}

FC_PREDICATE(suzuki_kasami, one_token)
{
    return find_token(all) != NULL;
}

/* RN[j] of j itself is LN[j], or one more while its request is open. */
FC_PREDICATE(suzuki_kasami, served)
{
    const struct suzuki_kasami_token *token = find_token(all);

    for (uint32_t j = 0; token && j < all->nodes; j++) {
        const struct suzuki_kasami *s = FC_STATE(suzuki_kasami, all, j);
        uint32_t open = s->asked[j] - token->served[j];

        if (open > 1 || (open && s->role == MUTEX_IDLE) ||
            (!open && s->role == MUTEX_WAITS))
            return false;
    }
    return true;
}

static bool is_announced(const struct fc_network *all, uint32_t from,
                         uint32_t to, uint32_t number)
{
    for (uint32_t i = 0; i < all->flying_count; i++)
        if (all->flying[i].from == from && all->flying[i].to == to &&
            FC_FLYING(suzuki_kasami, all, i)->kind == REQUEST &&
            FC_FLYING(suzuki_kasami, all, i)->number == number)
            return true;
    return false;
}

FC_PREDICATE(suzuki_kasami, heard)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++) {
            uint32_t heard = FC_STATE(suzuki_kasami, all, i)->asked[j];
            uint32_t asked = FC_STATE(suzuki_kasami, all, j)->asked[j];

            if (heard > asked ||
                (heard < asked && !is_announced(all, j, i, asked)))
                return false;
        }
    return true;
}

MUTEX_HAS_ONE_HOLDER(suzuki_kasami)

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-token", "there is one token, at a site or under way",
     suzuki_kasami_one_token, has_one_holder},
    {"served",
     "all requests of a site are served, except its last one while it wants in",
     suzuki_kasami_served, has_one_holder},
    {"heard",
     "each site has heard of the last request of each other, or it is under "
     "way",
     suzuki_kasami_heard, has_one_holder},
};

const struct fc_protocol suzuki_kasami_protocol = {
    .name = "suzuki-kasami",
    .title = "Suzuki, Kasami 1985",
    .idea = "ask everybody; the site that has the token and does not need it "
            "sends it, with the queue of those that wait",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; crashes of sites without the token",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "I. Suzuki, T. Kasami, ACM TOCS 3(4), 1985",
    FC_ENTRY(suzuki_kasami, kinds),
    FC_NUMBERS([TOKEN] = "entries so far, sites in its queue"),
    FC_PREDICATES(predicates),
    .awaits_all = true,
    FC_PARAMS(params),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    FC_COSTS_OF(suzuki_kasami),
};

#endif
