/*
 * test_live_desk_all.c - a desk with one lock and two clients, in every state
 * that any order of events leads to: one client with a command that is killed
 * for it, one that looks at its deadline itself.
 *
 * Around the desk is the least that it can rely on: a protocol that enters only
 * under a lease, a command that is dead K after its deadline whoever killed it,
 * and a daemon that may be late with everything.  Times are whole ticks, and a
 * state holds them relative to the present.
 */
#include "tests/unit/kit/test.h"

#include <stdlib.h>
#include <string.h>

#include "live/desk/desk.h"

enum {
    CLIENTS = 2,
    NOW = 1000, /* the present, in every state */
    K = 1,
    LEASE = 3,
    GRACE = 2,
    PATIENCE = 2, /* of a client that does not wait for ever */
    LOCK = 1,
    TABLE = 1 << 20,
    STATES_MAX = 400000,
};

/* What is outside the desk, of a client. */
struct outside {
    uint8_t acts;  /* its command runs, or it works itself */
    uint8_t gone;  /* its connection is closed */
    uint8_t told;  /* the door has seen that it was killed */
    uint8_t asked; /* the desk knows it */
    uint8_t shared;
    uint64_t page; /* its deadline */
};

/* All that makes a difference. */
struct state {
    struct live_desk_client clients[CLIENTS];
    struct live_desk_lock lock;
    uint64_t end;
    uint16_t clients_used, locks_used;
    struct outside outside[CLIENTS];
    uint8_t phase, shared, wanted; /* of the protocol */
};

static struct {
    struct state *all;
    uint32_t *from; /* the state before, for a way back */
    uint32_t count;
    uint32_t table[TABLE];
    struct {
        uint32_t *list; /* pairs: from, to */
        size_t count, room;
    } arcs;
} graph;

static struct live_desk desk; /* large */
static struct live_effects effects;
static struct state now_state;
static uint8_t without;
static const char *broken;

/* ---- A state as a number ------------------------------------------------- */

/* What is over is over, and what only people look at is forgotten. */
static void normalize(struct state *s)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct live_desk_client *c = &s->clients[i];

        c->asked_at = c->granted_at = NOW;
        if (c->killed_at && c->killed_at + K < NOW)
            c->killed_at = NOW - K;
        if (c->deadline && c->deadline < NOW)
            c->deadline = NOW;
        if (c->leave_by && c->leave_by < NOW)
            c->leave_by = NOW;
        if (c->wait_until < NOW)
            c->wait_until = NOW;
        if (s->outside[i].page < NOW)
            s->outside[i].page = 0;
    }
    if (s->end < NOW)
        s->end = NOW;
}

/* Tokens matter by being the present one, or not. */
static void rename_tokens(struct state *s)
{
    uint64_t present = s->lock.seen.token;

    s->lock.granted = present && s->lock.granted == present ? 1 : 0;
    for (uint32_t i = 0; i < CLIENTS; i++)
        if (s->clients[i].token)
            s->clients[i].token = s->clients[i].token == present ? 1 : 2;
    s->lock.seen.token = present ? 1 : 0;
}

static uint64_t hash(const struct state *s)
{
    const uint8_t *bytes = (const uint8_t *)s;
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

static uint32_t find(const struct state *s, uint32_t from)
{
    uint64_t at = hash(s) % TABLE;

    for (; graph.table[at]; at = (at + 1) % TABLE)
        if (memcmp(&graph.all[graph.table[at] - 1], s, sizeof *s) == 0)
            return graph.table[at] - 1;
    assert_true(graph.count < STATES_MAX);
    memcpy(&graph.all[graph.count], s, sizeof *s);
    graph.from[graph.count] = from;
    graph.table[at] = ++graph.count;
    return graph.count - 1;
}

/* ---- The world around the desk ------------------------------------------- */

static void violated(const char *what)
{
    if (!broken)
        broken = what;
}

static void carry_out(const struct live_effect *e)
{
    struct outside *o = &now_state.outside[e->whom];

    switch (e->kind) {
    case LIVE_DO_GRANT:
        if (desk.clients[!e->whom].leave_by)
            violated("nobody joins a holder that is told to end");
        o->acts = !o->gone;
        o->page = e->deadline;
        break;
    case LIVE_DO_MOVE:
        o->page = e->deadline;
        break;
    case LIVE_DO_KILL:
        o->page = 0;
        o->told = 0;
        if (e->whom != 0)
            o->acts = 0; /* it has seen its page */
        break;
    case LIVE_DO_REFUSE:
    case LIVE_DO_RELEASE:
    case LIVE_DO_REST:
        o->asked = 0;
        break;
    default:
        break;
    }
}

static void command(enum live_command what)
{
    struct state *s = &now_state;

    if (what == LIVE_WANT || what == LIVE_WANT_SHARED) {
        s->phase = FC_WAITING;
        s->shared = what == LIVE_WANT_SHARED;
        return;
    }
    for (uint32_t i = 0; i < CLIENTS && what == LIVE_LEAVE; i++)
        if (s->outside[i].acts)
            violated("the lock is left when nobody acts");
    s->phase = FC_IDLE;
    s->wanted = 0;
}

static struct live_lock_view view(uint64_t token)
{
    const struct state *s = &now_state;

    return (struct live_lock_view){.phase = (enum fc_phase)s->phase,
                                   .shared = s->shared,
                                   .token = s->phase == FC_INSIDE ? token : 0,
                                   .wanted = s->wanted};
}

/* An event, and all that follows from it. */
static void happens(struct live_desk_in in)
{
    in.now = in.now ? in.now : NOW;
    in.lock = LOCK;
    live_effects_clear(&effects);
    live_desk_step(&desk, &in, &effects);
    for (size_t i = 0; i < effects.count; i++) {
        struct live_effect e = effects.list[i];

        if (e.kind != LIVE_DO_COMMAND) {
            carry_out(&e);
            continue;
        }
        command((enum live_command)e.how);
        live_desk_step(
            &desk,
            &(struct live_desk_in){.event = LIVE_OBEYED,
                                   .now = in.now,
                                   .lock = LOCK,
                                   .view = view(desk.locks[0].seen.token)},
            &effects);
    }
    if (live_desk_sane(&desk))
        violated(live_desk_sane(&desk));
}

static void load(uint32_t number)
{
    now_state = graph.all[number];
    memset(desk.clients, 0, sizeof desk.clients[0] * (CLIENTS + 1));
    memcpy(desk.clients, now_state.clients, sizeof now_state.clients);
    desk.locks[0] = now_state.lock;
    desk.end = now_state.end;
    desk.clients_used = now_state.clients_used;
    desk.locks_used = now_state.locks_used;
    desk.params = (struct live_desk_params){.kill = K, .without = without};
}

/* States are compared byte by byte: what is between fields stays 0. */
static void keep_client(struct live_desk_client *to,
                        const struct live_desk_client *c)
{
    to->state = c->state;
    to->shared = c->shared;
    to->process = c->process;
    to->gone = c->gone;
    to->next = c->next;
    to->wait_until = c->wait_until;
    to->grace = c->grace;
    to->leave_by = c->leave_by;
    to->token = c->token;
    to->deadline = c->deadline;
    to->limit = c->limit;
    to->killed_at = c->killed_at;
}

static void keep_outside(struct outside *to, const struct outside *o)
{
    to->acts = o->acts;
    to->gone = o->gone;
    to->told = o->told;
    to->asked = o->asked;
    to->shared = o->shared;
    to->page = o->page;
}

static void keep_lock(struct live_desk_lock *to, const struct live_desk_lock *l)
{
    if (!l->used)
        return;
    to->id = l->id;
    to->granted = l->granted;
    to->seen.phase = l->seen.phase;
    to->seen.shared = l->seen.shared;
    to->seen.token = l->seen.token;
    to->seen.wanted = l->seen.wanted;
    to->first = l->first;
    to->last = l->last;
    to->used = true;
}

/* By how many ticks the present is past NOW. */
static void store(uint32_t from, uint64_t passed)
{
    struct state s;

    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        keep_client(&s.clients[i], &desk.clients[i]);
        keep_outside(&s.outside[i], &now_state.outside[i]);
    }
    keep_lock(&s.lock, &desk.locks[0]);
    s.end = desk.end - passed;
    s.clients_used = desk.clients_used;
    s.locks_used = desk.locks_used;
    s.phase = now_state.phase;
    s.shared = now_state.phase != FC_IDLE && now_state.shared;
    s.wanted = now_state.wanted;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        uint64_t *times[] = {&s.clients[i].deadline, &s.clients[i].killed_at,
                             &s.clients[i].leave_by, &s.outside[i].page};

        for (uint32_t k = 0; k < COUNT(times); k++)
            *times[k] -= *times[k] ? passed : 0;
        if (s.clients[i].wait_until != UINT64_MAX && s.clients[i].wait_until)
            s.clients[i].wait_until -= passed;
    }
    normalize(&s);
    rename_tokens(&s);
    if (graph.arcs.count + 2 > graph.arcs.room) {
        graph.arcs.room = graph.arcs.room ? 2 * graph.arcs.room : 1 << 16;
        graph.arcs.list =
            realloc(graph.arcs.list, graph.arcs.room * sizeof *graph.arcs.list);
        assert_non_null(graph.arcs.list);
    }
    graph.arcs.list[graph.arcs.count++] = from;
    graph.arcs.list[graph.arcs.count++] = find(&s, from);
}

/* What must be true in every state. */
static void judge(void)
{
    const struct state *s = &now_state;
    uint32_t acting = 0, writers = 0;

    for (uint32_t i = 0; i < CLIENTS; i++) {
        acting += s->outside[i].acts;
        writers += s->outside[i].acts && !s->outside[i].shared;
        if (s->outside[i].acts && NOW >= s->end)
            violated("nobody acts when the lease is over");
    }
    if (writers && acting > 1)
        violated("a writer is alone");
}

/* ---- Everything that can happen ------------------------------------------ */

/* One of the moves of a state; false: it has no such move. */
static bool client_moves(uint32_t i, uint32_t move)
{
    struct outside *o = &now_state.outside[i];
    const struct live_desk_client *c = &desk.clients[i];
    bool holds = c->state >= LIVE_CLIENT_HOLDS;

    switch (move) {
    case 0: /* it asks, in one of four ways */
    case 1:
    case 2:
    case 3:
        if (o->asked || o->acts)
            return false;
        *o = (struct outside){.asked = 1, .shared = move & 1};
        happens(
            (struct live_desk_in){.event = LIVE_ASKED,
                                  .client = i,
                                  .shared = move & 1,
                                  .process = i == 0,
                                  .grace = GRACE,
                                  .wait = move & 2 ? PATIENCE : UINT64_MAX});
        return true;
    case 4: /* it has done its work, and says so */
        if (!o->asked || o->gone || !holds)
            return false;
        o->acts = 0;
        happens((struct live_desk_in){.event = LIVE_GAVE, .client = i});
        return true;
    case 5: /* it is killed: its command, if it has one, runs on */
        if (!o->asked || o->gone)
            return false;
        o->gone = 1;
        o->acts = o->acts && i == 0;
        happens((struct live_desk_in){.event = LIVE_VANISHED, .client = i});
        return true;
    case 6: /* its command ends, killed or not */
        if (!o->acts || i != 0)
            return false;
        o->acts = 0;
        return true;
    case 7: /* the daemon sees that the killed one is dead */
        if (o->acts || c->state != LIVE_CLIENT_DYING || i != 0 || o->told)
            return false;
        o->told = 1;
        happens((struct live_desk_in){.event = LIVE_DIED, .client = i});
        return true;
    case 8: /* its grant cannot be delivered */
        if (c->state != LIVE_CLIENT_HOLDS)
            return false;
        happens((struct live_desk_in){.event = LIVE_UNREAD, .client = i});
        return true;
    default:
        return false;
    }
}

/* F4: once the lease is over the protocol does nothing before it has let go. */
static bool protocol_moves(uint32_t move)
{
    struct state *s = &now_state;
    bool leased = NOW < s->end, inside = s->phase == FC_INSIDE;
    struct live_desk_in in = {.event = LIVE_CHANGED};

    switch (move) {
    case 0: /* it enters, with a new token */
        if (s->phase != FC_WAITING || !leased)
            return false;
        s->phase = FC_INSIDE;
        in.view = view(3);
        happens(in);
        return true;
    case 1: /* somebody else wants it */
        if (!inside || s->wanted || !leased)
            return false;
        s->wanted = 1;
        in.view = view(desk.locks[0].seen.token);
        happens(in);
        return true;
    case 2: /* the lease is renewed */
        if (s->end == NOW + LEASE || (inside && !leased))
            return false;
        happens(
            (struct live_desk_in){.event = LIVE_LEASED, .end = NOW + LEASE});
        s->end = NOW + LEASE;
        return true;
    case 3: /* it lapses */
        if (!inside || leased)
            return false;
        s->phase = FC_IDLE;
        s->wanted = 0;
        in.view = view(0);
        happens(in);
        return true;
    case 4: /* a new view needs the lock */
        if (!inside || !leased)
            return false;
        happens((struct live_desk_in){.event = LIVE_VACATES});
        return true;
    case 5: /* the desk's timer, if it is due: it may come late */
        if (NOW < desk.wake)
            return false;
        happens((struct live_desk_in){.event = LIVE_TIME});
        return true;
    default:
        return false;
    }
}

/* A tick.  Whoever killed it: a command is dead K after its deadline; one that
 * looks at its deadline itself acts before it alone. */
static void tick(void)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct outside *o = &now_state.outside[i];

        if (o->acts && NOW + 1 >= o->page + (i == 0 ? K : 0))
            o->acts = 0;
    }
}

enum { CLIENT_MOVES = 9, PROTOCOL_MOVES = 6 };

static bool move(uint32_t number, uint32_t which, uint64_t *passed)
{
    load(number);
    /* When it wants to be woken follows from the rest. */
    live_effects_clear(&effects);
    live_desk_step(&desk,
                   &(struct live_desk_in){
                       .event = LIVE_CHANGED, .now = 0, .lock = LOCK + 1},
                   &effects);
    *passed = 0;
    if (which < CLIENTS * CLIENT_MOVES)
        return client_moves(which % CLIENTS, which / CLIENTS);
    which -= CLIENTS * CLIENT_MOVES;
    if (which < PROTOCOL_MOVES)
        return protocol_moves(which);
    *passed = 1;
    tick();
    return true;
}

static void explore(uint8_t rule)
{
    graph.all = malloc(STATES_MAX * sizeof *graph.all);
    graph.from = malloc(STATES_MAX * sizeof *graph.from);
    assert_non_null(graph.all);
    assert_non_null(graph.from);
    memset(graph.table, 0, sizeof graph.table);
    graph.count = 0;
    graph.arcs.count = 0;
    without = rule;
    broken = NULL;
    live_desk_open(&desk, &(struct live_desk_params){.kill = K});
    memset(&now_state, 0, sizeof now_state);
    now_state.end = desk.end = NOW;
    store(0, 0);
    graph.arcs.count = 0;
    for (uint32_t i = 0; i < graph.count && !broken; i++)
        for (uint32_t k = 0; k <= CLIENTS * CLIENT_MOVES + PROTOCOL_MOVES;
             k++) {
            uint64_t passed;

            if (!move(i, k, &passed))
                continue;
            store(i, passed);
            load(graph.arcs.list[graph.arcs.count - 1]);
            judge();
        }
}

static void forget(void)
{
    free(graph.all);
    free(graph.from);
    free(graph.arcs.list);
    graph.arcs.list = NULL;
    graph.arcs.room = 0;
    live_effects_free(&effects);
}

/* Marks all states from which a marked one can be reached. */
static void mark_back(uint8_t *marked)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = graph.arcs.count; i > 0; i -= 2)
            if (marked[graph.arcs.list[i - 1]] &&
                !marked[graph.arcs.list[i - 2]]) {
                marked[graph.arcs.list[i - 2]] = 1;
                more = true;
            }
    }
}

static bool nobody_is_left(const struct state *s)
{
    return s->clients_used == 0 && s->locks_used == 0;
}

/* ---- Tests --------------------------------------------------------------- */

/* In every state: a writer is alone, nobody acts when the lease is over or the
 * lock is left, and its invariants hold; from every state all clients can get
 * away, and one that waits can get in. */
TEST(test_every_order_of_events)
{
    uint8_t *marked;

    explore(LIVE_DESK_WHOLE);
    assert_null(broken);
    assert_int_equal(graph.count, 41051);
    assert_int_equal(graph.arcs.count / 2, 330227);
    marked = calloc(graph.count, 1);
    assert_non_null(marked);
    for (uint32_t i = 0; i < graph.count; i++)
        marked[i] = nobody_is_left(&graph.all[i]);
    mark_back(marked);
    for (uint32_t i = 0; i < graph.count; i++)
        assert_true(marked[i]);
    for (uint32_t who = 0; who < CLIENTS; who++) {
        for (uint32_t i = 0; i < graph.count; i++)
            marked[i] = graph.all[i].clients[who].state == LIVE_CLIENT_HOLDS;
        mark_back(marked);
        for (uint32_t i = 0; i < graph.count; i++)
            assert_true(marked[i]);
    }
    free(marked);
    forget();
}

/* A rule that is left out is missed in some order. */
static void misses(uint8_t rule, const char *what)
{
    explore(rule);
    assert_non_null(broken);
    assert_string_equal(broken, what);
    forget();
}

TEST(test_without_k)
{
    misses(LIVE_DESK_WITHOUT_K, "nobody acts when the lease is over");
}

TEST(test_without_k_at_first)
{
    misses(LIVE_DESK_WITHOUT_FIRST_K, "nobody acts when the lease is over");
}

TEST(test_without_death)
{
    misses(LIVE_DESK_WITHOUT_DEATH, "the lock is left when nobody acts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_order_of_events),
        cmocka_unit_test(test_without_k),
        cmocka_unit_test(test_without_k_at_first),
        cmocka_unit_test(test_without_death),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
