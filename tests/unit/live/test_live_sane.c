/*
 * test_live_sane.c - the structures of a node say what is broken of them, and a
 * node of which something is broken promises nothing any more.
 */
#include "live/rehearse/world.h"

#include "tests/unit/kit/broken.h"

#include "live/door/door_parts.h"
#include "live/record/record_parts.h"

/* ---- A node -------------------------------------------------------------- */

enum { LOCK = 7, TOKEN = 9 };

/* A mode that gives any lock at once, and tells another node of it. */
static struct {
    struct live_mode mode;
    bool inside;
    const char *broken;
} generous;

static bool obey(struct live_mode *mode, enum live_command what, uint64_t lock,
                 uint64_t now, struct live_effects *out)
{
    (void)mode;
    (void)lock;
    (void)now;
    generous.inside = what == LIVE_WANT;
    live_effect_send(out, 1, (const uint8_t *)"mine", 4);
    return true;
}

static struct live_lock_view look(const struct live_mode *mode, uint64_t lock)
{
    (void)mode;
    (void)lock;
    return (struct live_lock_view){.phase =
                                       generous.inside ? FC_INSIDE : FC_IDLE,
                                   .token = generous.inside ? TOKEN : 0};
}

static uint64_t until(const struct live_mode *mode)
{
    (void)mode;
    return 1000000;
}

static const char *sane(const struct live_mode *mode)
{
    (void)mode;
    return generous.broken;
}

static uint32_t count(const struct live_effects *e, enum live_effect_kind kind)
{
    uint32_t found = 0;

    for (size_t i = 0; i < e->count; i++)
        found += e->list[i].kind == kind;
    return found;
}

/* Client 0 asks. */
static void ask(struct live_node *n, struct live_effects *out)
{
    struct live_desk_in in = {
        .event = LIVE_ASKED, .now = 1000, .lock = LOCK, .wait = UINT64_MAX};

    live_effects_clear(out);
    live_node_serve(n, &in, out);
}

static void open_node(struct live_node *n)
{
    static const struct live_mode_kind kind = {
        .command = obey, .look = look, .until = until, .sane = sane};
    static const struct live_config config = {.nodes_count = 2, .kill = 100};

    generous.mode = (struct live_mode){.kind = &kind, .config = &config};
    generous.inside = false;
    generous.broken = NULL;
    live_node_open(n, &generous.mode, LIVE_DESK_WHOLE);
}

/* What is found broken after a turn is found before that turn has left. */
TEST(test_a_node_that_contradicts_itself_promises_nothing)
{
    static struct live_node n;
    struct live_effects out = {0};

    open_node(&n);
    ask(&n, &out);
    assert_int_equal(count(&out, LIVE_DO_GRANT), 1);
    assert_int_equal(count(&out, LIVE_DO_SEND), 1);
    assert_int_equal(count(&out, LIVE_DO_BREAK), 0);
    for (int by_desk = 0; by_desk < 2; by_desk++) {
        open_node(&n);
        if (by_desk) { /* a client that is in no line */
            n.desk.clients[5].state = LIVE_CLIENT_QUEUED;
            n.desk.clients_used = 6;
        } else {
            generous.broken = "a mode is generous";
        }
        ask(&n, &out);
        assert_true(n.dead);
        assert_int_equal(count(&out, LIVE_DO_GRANT), 0);
        assert_int_equal(count(&out, LIVE_DO_SEND), 0);
        assert_int_equal(count(&out, LIVE_DO_BREAK), 1);
        assert_non_null(strstr(n.why, by_desk ? "in the line of one lock"
                                              : generous.broken));
    }
    live_effects_free(&out);
}

/* ---- Its door ------------------------------------------------------------ */

/* Client 0 holds a lock, client 1 is killed, client 2 has asked for nothing. */
TEST(test_a_broken_door_says_what_is_broken)
{
    static struct live_node node;
    static struct live_door door;
    static struct client clients[3];
    struct live_desk_client *at_desk = node.desk.clients;
    struct live_page page;

    for (uint32_t i = 0; i < 3; i++) {
        clients[i].number = i;
        door.clients[i] = &clients[i];
    }
    door.clients_count = 3;
    assert_null(live_door_sane(&door)); /* no node is served yet */
    door.node = &node;
    for (uint32_t i = 0; i < 2; i++) {
        clients[i].asked = true;
        clients[i].page = &page;
        clients[i].token = at_desk[i].token = TOKEN + i;
        at_desk[i].state = i ? LIVE_CLIENT_DYING : LIVE_CLIENT_HOLDS;
    }
    clients[1].killed_at = 5;
    door.dying = 1;
    assert_null(live_door_sane(&door));
    BROKEN(clients[2].asked, true, live_door_sane(&door),
           "the desk knows the clients that have asked");
    BROKEN(at_desk[2].state, LIVE_CLIENT_QUEUED, live_door_sane(&door),
           "the desk knows the clients that have asked");
    BROKEN(clients[0].token, 0, live_door_sane(&door),
           "a client has the token that it was granted");
    BROKEN(at_desk[0].state, LIVE_CLIENT_QUEUED, live_door_sane(&door),
           "a client has the token that it was granted");
    BROKEN(clients[0].page, NULL, live_door_sane(&door),
           "a client has the page of its grant");
    BROKEN(at_desk[1].state, LIVE_CLIENT_HOLDS, live_door_sane(&door),
           "the desk waits for the end of a client that is killed");
    BROKEN(door.clients[1], NULL, live_door_sane(&door),
           "a client that the desk knows is there");
    BROKEN(clients[2].number, 1, live_door_sane(&door),
           "a client is at its number");
    BROKEN(door.clients_count, 2, live_door_sane(&door),
           "every client is counted");
    BROKEN(door.dying, 2, live_door_sane(&door),
           "those are dying that were killed");
}

/* ---- Its record ---------------------------------------------------------- */

TEST(test_a_broken_slot_is_not_written)
{
    struct record_slot s = {.number = 1, .payloads_count = 2};

    for (uint32_t i = 0; i < 2; i++)
        s.payloads[i] =
            (struct record_payload){.mode = (uint16_t)(1 + i), .size = 8};
    assert_null(record_slot_sane(&s));
    BROKEN(s.payloads_count, RECORD_PAYLOADS_MAX + 1, record_slot_sane(&s),
           "a slot has room for its payloads");
    BROKEN(s.payloads[1].size, LIVE_PAYLOAD_MAX + 1, record_slot_sane(&s),
           "a slot has room for its payloads");
    s.payloads[0].size = 2000;
    BROKEN(s.payloads[1].size, 2000, record_slot_sane(&s),
           "a slot has room for its payloads");
    BROKEN(s.payloads[1].mode, 1, record_slot_sane(&s),
           "a mode has one payload");
    BROKEN(s.number, 0, record_slot_sane(&s),
           "a slot that was written has a number");
}

/* ---- A rehearsal --------------------------------------------------------- */

TEST(test_a_broken_world_says_what_is_broken)
{
    static struct machine machines[2];
    struct event queue[3] = {{.at = 5}, {.at = 7, .node = 1}, {.at = 5}};
    static struct world w;
    struct person *p = &machines[1].people[0];

    w.nodes = 2;
    w.machines = machines;
    w.queue = queue;
    w.queued = 3;
    w.now = 5;
    p->inside = p->command.alive = true;
    p->state = WORKS;
    p->token = w.locks[0].greatest = TOKEN;
    assert_null(world_sane(&w));
    BROKEN(w.now, 6, world_sane(&w),
           "what is still to come is not of the past");
    BROKEN(queue[0].at, 6, world_sane(&w),
           "what comes next is first in the queue");
    BROKEN(queue[1].node, 2, world_sane(&w),
           "what happens, happens to somebody");
    BROKEN(p->command.alive, false, world_sane(&w),
           "a command that is inside lives, and has a token");
    BROKEN(p->token, 0, world_sane(&w),
           "a command that is inside lives, and has a token");
    BROKEN(p->page.deadline, 1, world_sane(&w), "a deadline was promised");
    BROKEN(machines[0].next, 1, world_sane(&w),
           "no effect is behind the last one");
    BROKEN(w.locks[0].greatest_exclusive, TOKEN + 1, world_sane(&w),
           "a writer's token is not above the greatest");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_node_that_contradicts_itself_promises_nothing),
        cmocka_unit_test(test_a_broken_door_says_what_is_broken),
        cmocka_unit_test(test_a_broken_slot_is_not_written),
        cmocka_unit_test(test_a_broken_world_says_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
