/*
 * test_live_desk_any.c - a desk to which anything happens, in any order.
 */
#include "tests/unit/kit/desk_stage.h"

static struct dice dice;

static uint32_t below(uint32_t sides)
{
    return throw_below(&dice, sides);
}

enum { CLIENTS = 6, LOCKS = 3 };

/* A protocol that does anything it may. */
struct protocol {
    struct live_lock_view locks[LOCKS];
    uint64_t token, killed[CLIENTS]; /* when; 0: it lives */
};

static void obey(struct live_lock_view *v, enum live_command what,
                 uint64_t *token)
{
    bool in = below(2);

    if (what == LIVE_WANT || what == LIVE_WANT_SHARED)
        *v = (struct live_lock_view){.phase = in ? FC_INSIDE : FC_WAITING,
                                     .shared = what == LIVE_WANT_SHARED,
                                     .token = in ? ++*token : 0};
    else
        *v = (struct live_lock_view){.phase = FC_IDLE};
}

/* Answers commands until there is none left, and looks at every effect. */
static void settle(struct stage *s, struct protocol *p, uint64_t now)
{
    for (size_t i = 0; i < s->out.count; i++) {
        struct live_effect e = s->out.list[i];
        struct live_desk_in in = {
            .event = LIVE_OBEYED, .now = now, .lock = e.lock};

        if (e.kind == LIVE_DO_KILL)
            p->killed[e.whom] = now;
        if (e.kind == LIVE_DO_GRANT || e.kind == LIVE_DO_MOVE) {
            assert_true(e.deadline > now);
            assert_true(e.deadline + K <= s->desk.end);
            assert_int_equal(e.token, p->locks[e.lock - 1].token);
        }
        if (e.kind == LIVE_DO_REST || e.kind == LIVE_DO_RELEASE)
            p->killed[e.whom] = 0;
        if (e.kind != LIVE_DO_COMMAND)
            continue;
        obey(&p->locks[e.lock - 1], (enum live_command)e.how, &p->token);
        in.view = p->locks[e.lock - 1];
        live_desk_step(&s->desk, &in, &s->out);
    }
    assert_null(live_desk_sane(&s->desk));
}

static struct live_desk_in anything(const struct stage *s, struct protocol *p,
                                    uint64_t now)
{
    static const enum live_desk_event events[] = {
        LIVE_TIME, LIVE_ASKED,   LIVE_ASKED,  LIVE_GAVE,    LIVE_VANISHED,
        LIVE_DIED, LIVE_CHANGED, LIVE_LEASED, LIVE_VACATES, LIVE_UNREAD};
    struct live_desk_in in = {.event = events[below(COUNT(events))],
                              .now = now,
                              .client = below(CLIENTS),
                              .lock = 1 + below(LOCKS),
                              .shared = below(2),
                              .process = below(2),
                              .wait = below(5000),
                              .hold = below(2) ? below(900) : 0,
                              .grace = below(2) ? below(300) : 0,
                              .end = s->desk.end + below(200)};
    struct live_lock_view *v = &p->locks[in.lock - 1];

    if (in.event == LIVE_ASKED &&
        s->desk.clients[in.client].state != LIVE_CLIENT_FRESH)
        in.event = LIVE_TIME; /* it has asked already */
    if (in.event == LIVE_DIED && !p->killed[in.client])
        in.event = LIVE_TIME;
    if (in.event == LIVE_CHANGED) {
        if (v->phase == FC_WAITING)
            v->phase = FC_INSIDE, v->token = ++p->token;
        else if (v->phase == FC_INSIDE && below(4) == 0)
            *v = (struct live_lock_view){.phase = FC_IDLE};
        in.view = *v;
    }
    if (in.event == LIVE_LEASED && in.end < now + 400)
        in.end = now + 400;
    return in;
}

/* Whatever happens in whatever order: its invariants hold, no grant is beyond
 * the lease, and in the end, when nobody wants anything, nothing is left. */
TEST(test_sane_whatever_happens)
{
    for (uint64_t round = 1; round <= 200; round++) {
        struct stage *s = open_stage();
        struct protocol p = {.token = 1};
        uint64_t now = 1;

        dice.state = round;
        for (int i = 0; i < 500; i++) {
            struct live_desk_in in;

            now += below(60);
            in = anything(s, &p, now);
            live_effects_clear(&s->out);
            live_desk_step(&s->desk, &in, &s->out);
            settle(s, &p, now);
        }
        for (uint32_t i = 0; i < CLIENTS; i++) {
            live_effects_clear(&s->out);
            live_desk_step(&s->desk,
                           &(struct live_desk_in){
                               .event = LIVE_VANISHED, .now = now, .client = i},
                           &s->out);
            live_desk_step(&s->desk,
                           &(struct live_desk_in){
                               .event = LIVE_DIED, .now = now, .client = i},
                           &s->out);
            settle(s, &p, now);
        }
        assert_int_equal(s->desk.clients_used, 0);
        assert_int_equal(s->desk.locks_used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sane_whatever_happens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
