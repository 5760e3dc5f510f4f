/*
 * test_live_desk.c - which client gets which lock, until when, and who is
 * stopped: the desk alone, with a protocol that says what the test wants.
 */
#include "tests/unit/kit/desk_stage.h"

static size_t count(const struct stage *s, enum live_effect_kind kind)
{
    size_t sum = 0;

    for (size_t i = 0; i < s->out.count; i++)
        sum += s->out.list[i].kind == kind;
    return sum;
}

static void ask(struct stage *s, uint64_t now, uint32_t client, bool shared)
{
    step(s, (struct live_desk_in){.event = LIVE_ASKED,
                                  .now = now,
                                  .client = client,
                                  .lock = LOCK,
                                  .shared = shared,
                                  .process = true,
                                  .wait = UINT64_MAX});
}

/* Client 0 holds, under this token. */
static struct stage *holder(uint64_t token)
{
    struct stage *s = open_stage();

    ask(s, 1, 0, false);
    assert_true(commands(s, LIVE_WANT));
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    view(s, LIVE_CHANGED, 2, FC_INSIDE, token);
    assert_non_null(found(s, LIVE_DO_GRANT));
    return s;
}

/* K2: a grant ends K before the lease, and moves on with it. */
TEST(test_deadline_is_k_before_the_end_of_the_lease)
{
    struct stage *s = holder(5);
    const struct live_effect *e = found(s, LIVE_DO_GRANT);

    assert_int_equal(e->whom, 0);
    assert_int_equal(e->token, 5);
    assert_int_equal(e->deadline, END - K);
    assert_int_equal(s->desk.wake, END - K);
    step(s, (struct live_desk_in){
                .event = LIVE_LEASED, .now = 10, .end = END + 500});
    e = found(s, LIVE_DO_MOVE);
    assert_int_equal(e->deadline, END + 500 - K);
    assert_int_equal(s->desk.wake, END + 500 - K);
}

/* A deadline never moves back. */
TEST(test_deadline_does_not_move_back)
{
    struct stage *s = holder(5);

    step(s, (struct live_desk_in){
                .event = LIVE_LEASED, .now = 10, .end = END - 500});
    assert_null(found(s, LIVE_DO_MOVE));
    assert_int_equal(s->desk.clients[0].deadline, END - K);
}

/* K2: whatever else happens, a holder whose deadline is over is stopped first,
 * and a lease that comes too late does not save it. */
TEST(test_expired_deadline_does_not_come_back)
{
    struct stage *s = holder(5);

    step(s, (struct live_desk_in){
                .event = LIVE_LEASED, .now = END - K, .end = 2 * END});
    assert_int_equal(s->out.list[0].kind, LIVE_DO_KILL);
    assert_null(found(s, LIVE_DO_MOVE));
    assert_int_equal(s->desk.counts.lost, 1);
    assert_null(found(s, LIVE_DO_COMMAND)); /* it is not dead yet */
}

/* The lock is let go when the command is dead, not when it was killed. */
TEST(test_killed_command_keeps_the_lock_until_it_is_dead)
{
    struct stage *s = holder(5);

    client(s, LIVE_VANISHED, 10, 0);
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_null(found(s, LIVE_DO_COMMAND));
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = END - 1});
    assert_null(found(s, LIVE_DO_COMMAND));
    client(s, LIVE_DIED, END - 1, 0);
    assert_true(commands(s, LIVE_LEAVE));
    assert_non_null(found(s, LIVE_DO_REST));
}

/* A program that looks at its own deadline is over when it is gone, or K has
 * passed since its page said so. */
TEST(test_program_without_a_command)
{
    struct stage *s = open_stage();

    step(s, (struct live_desk_in){.event = LIVE_ASKED,
                                  .now = 1,
                                  .lock = LOCK,
                                  .wait = UINT64_MAX,
                                  .hold = 200});
    view(s, LIVE_OBEYED, 1, FC_INSIDE, 9);
    assert_int_equal(found(s, LIVE_DO_GRANT)->limit, 201);
    assert_int_equal(found(s, LIVE_DO_GRANT)->deadline, 201);
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 201});
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_int_equal(s->desk.wake, 201 + K);
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 200 + K});
    assert_null(found(s, LIVE_DO_COMMAND));
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 201 + K});
    assert_true(commands(s, LIVE_LEAVE));
}

/* No deadline beyond what the client asked for. */
TEST(test_hold_is_a_limit)
{
    struct stage *s = open_stage();

    step(s, (struct live_desk_in){.event = LIVE_ASKED,
                                  .now = 1,
                                  .lock = LOCK,
                                  .process = true,
                                  .wait = UINT64_MAX,
                                  .hold = END});
    view(s, LIVE_OBEYED, 1, FC_INSIDE, 9);
    step(s,
         (struct live_desk_in){.event = LIVE_LEASED, .now = 5, .end = 9 * END});
    assert_int_equal(found(s, LIVE_DO_MOVE)->deadline, 1 + END);
}

/* One token, one holder: the next client of the node asks the others again. */
TEST(test_a_token_is_granted_once)
{
    struct stage *s = holder(5);

    ask(s, 3, 1, false);
    assert_null(found(s, LIVE_DO_COMMAND));
    client(s, LIVE_GAVE, 4, 0);
    assert_non_null(found(s, LIVE_DO_RELEASE));
    assert_true(commands(s, LIVE_LEAVE));
    view(s, LIVE_OBEYED, 4, FC_IDLE, 0);
    assert_true(commands(s, LIVE_WANT));
    view(s, LIVE_OBEYED, 4, FC_INSIDE, 6);
    assert_int_equal(found(s, LIVE_DO_GRANT)->whom, 1);
    assert_int_equal(found(s, LIVE_DO_GRANT)->token, 6);
}

/* Clients of one lock are served in the order in which they came. */
TEST(test_first_come_first_served)
{
    struct stage *s = holder(5);

    ask(s, 3, 4, false);
    ask(s, 3, 2, false);
    client(s, LIVE_GAVE, 4, 0);
    view(s, LIVE_OBEYED, 4, FC_IDLE, 0);
    view(s, LIVE_OBEYED, 4, FC_INSIDE, 6);
    assert_int_equal(found(s, LIVE_DO_GRANT)->whom, 4);
}

static void inside_shared(struct stage *s, uint64_t now, live_node_set wanted)
{
    step(s, (struct live_desk_in){.event = LIVE_CHANGED,
                                  .now = now,
                                  .lock = LOCK,
                                  .view = {.phase = FC_INSIDE,
                                           .shared = true,
                                           .token = 5,
                                           .wanted = wanted}});
}

/* Readers that follow each other are inside together, a writer is not. */
TEST(test_readers_together)
{
    struct stage *s = open_stage();

    ask(s, 1, 0, true);
    assert_true(commands(s, LIVE_WANT_SHARED));
    ask(s, 1, 1, true);
    ask(s, 1, 2, false);
    ask(s, 1, 3, true);
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    inside_shared(s, 2, 0);
    assert_int_equal(count(s, LIVE_DO_GRANT), 2);
    assert_int_equal(s->desk.clients[3].state, LIVE_CLIENT_QUEUED);
}

/* Nobody is let in beside a reader while another node waits. */
TEST(test_readers_do_not_starve_other_nodes)
{
    struct stage *s = open_stage();

    ask(s, 1, 0, true);
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    inside_shared(s, 2, 0);
    inside_shared(s, 3, 2);
    ask(s, 4, 1, true);
    assert_null(found(s, LIVE_DO_GRANT));
}

/* A shared lock is not for a writer: the node leaves, and asks for it alone. */
TEST(test_writer_first_in_a_shared_lock)
{
    struct stage *s = open_stage();

    ask(s, 1, 0, true);
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    ask(s, 1, 1, false);
    client(s, LIVE_VANISHED, 2, 0); /* a reader that waited for it */
    assert_false(commands(s, LIVE_WANT));
    inside_shared(s, 3, 0);
    assert_true(commands(s, LIVE_LEAVE));
}

/* A lock that the node has lost is nobody's: its holders are stopped. */
TEST(test_lapse_stops_holders)
{
    struct stage *s = holder(5);

    view(s, LIVE_CHANGED, 20, FC_IDLE, 0);
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_non_null(found(s, LIVE_DO_REST));
    assert_true(live_desk_idle(&s->desk));
}

/* Under another token it is another entry. */
TEST(test_another_token_stops_holders)
{
    struct stage *s = holder(5);

    view(s, LIVE_CHANGED, 20, FC_INSIDE, 6);
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_true(commands(s, LIVE_LEAVE));
}

/* V4: they go though the lease lasts, and the lock is let go when they are
 * dead. */
TEST(test_vacate_stops_holders)
{
    struct stage *s = holder(5);

    step(s, (struct live_desk_in){
                .event = LIVE_VACATES, .now = 20, .lock = OTHER});
    assert_null(found(s, LIVE_DO_KILL));
    step(s,
         (struct live_desk_in){.event = LIVE_VACATES, .now = 20, .lock = LOCK});
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_false(live_desk_idle(&s->desk));
    client(s, LIVE_DIED, 21, 0);
    assert_true(live_desk_idle(&s->desk));
}

/* K7: a grant that could not be made is no grant. */
TEST(test_grant_that_cannot_be_made)
{
    struct stage *s = holder(5);

    step(s, (struct live_desk_in){
                .event = LIVE_UNABLE, .now = 3, .why = "no page"});
    assert_string_equal(found(s, LIVE_DO_REFUSE)->why, "no page");
    assert_true(commands(s, LIVE_LEAVE));
    assert_int_equal(s->desk.counts.grants, 0);
}

/* Nor is one that nobody reads. */
TEST(test_grant_that_is_not_read)
{
    struct stage *s = holder(5);

    client(s, LIVE_UNREAD, 3, 0);
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_null(found(s, LIVE_DO_COMMAND));
}

/* A client that has waited too long is refused, and the protocol need not wait
 * any more; before that it is told why it waits. */
TEST(test_patience)
{
    struct stage *s = open_stage();

    step(s, (struct live_desk_in){
                .event = LIVE_ASKED, .now = 1, .lock = LOCK, .wait = 2000000});
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    assert_int_equal(s->desk.wake, 1000001);
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 1000001});
    assert_non_null(found(s, LIVE_DO_EXPLAIN));
    assert_int_equal(s->desk.wake, 2000001);
    step(s, (struct live_desk_in){.event = LIVE_TIME, .now = 2000001});
    assert_int_equal(found(s, LIVE_DO_REFUSE)->how, LIVE_REFUSED_LATE);
    assert_true(commands(s, LIVE_GIVE_UP));
    view(s, LIVE_OBEYED, 2000001, FC_IDLE, 0);
    assert_int_equal(s->desk.locks_used, 0);
    assert_int_equal(s->desk.wake, UINT64_MAX);
}

/* A try takes as long as the protocol needs, at least. */
TEST(test_no_wait_is_a_try)
{
    struct stage *s = open_stage();

    step(s, (struct live_desk_in){.event = LIVE_ASKED, .now = 1, .lock = LOCK});
    assert_non_null(found(s, LIVE_DO_COMMAND));
    assert_int_equal(s->desk.wake, 51);
}

/* What becomes of a try in the step in which it asks. */
enum tried { REFUSED, GRANTED, WAITS };

static enum tried try_it(struct stage *s, uint64_t now, uint32_t who,
                         bool shared)
{
    step(s, (struct live_desk_in){.event = LIVE_ASKED,
                                  .now = now,
                                  .client = who,
                                  .lock = LOCK,
                                  .shared = shared});
    if (found(s, LIVE_DO_GRANT))
        return GRANTED;
    if (!found(s, LIVE_DO_REFUSE))
        return WAITS;
    assert_int_equal(found(s, LIVE_DO_REFUSE)->how, LIVE_REFUSED_LATE);
    assert_int_equal(found(s, LIVE_DO_REFUSE)->whom, who);
    assert_int_equal(s->desk.clients[who].state, LIVE_CLIENT_FRESH);
    return REFUSED;
}

/* But what is known here is said at once: a client that holds the lock, or is
 * ahead in line. */
TEST(test_try_that_is_in_vain_is_refused_at_once)
{
    struct stage *s = holder(5);

    assert_int_equal(try_it(s, 3, 1, false), REFUSED);
    assert_int_equal(try_it(s, 3, 1, true), REFUSED);
    assert_int_equal(s->desk.counts.timeouts, 2);
    client(s, LIVE_GAVE, 4, 0);
    assert_true(commands(s, LIVE_LEAVE));
    view(s, LIVE_OBEYED, 4, FC_IDLE, 0);
    assert_int_equal(try_it(s, 5, 1, false), WAITS);
    assert_int_equal(try_it(s, 6, 2, false), REFUSED);
    view(s, LIVE_OBEYED, 6, FC_WAITING, 0);
    view(s, LIVE_CHANGED, 7, FC_INSIDE, 6);
    assert_non_null(found(s, LIVE_DO_GRANT));
}

/* Who is being stopped, or was told to end, may be gone before the try is
 * over. */
TEST(test_try_waits_for_a_holder_that_is_stopped)
{
    struct stage *s = holder(5);

    s->desk.clients[0].leave_by = 90;
    assert_int_equal(try_it(s, 3, 1, false), WAITS);
    client(s, LIVE_VANISHED, 3, 1);
    s->desk.clients[0].leave_by = 0;
    client(s, LIVE_VANISHED, 3, 0);
    assert_non_null(found(s, LIVE_DO_KILL));
    assert_int_equal(try_it(s, 4, 1, false), WAITS);
    assert_int_equal(s->desk.clients[1].wait_until, 54);
    client(s, LIVE_DIED, 5, 0);
    assert_true(commands(s, LIVE_LEAVE));
}

/* Readers are in each other's way only if a writer waits elsewhere. */
TEST(test_try_of_a_reader_beside_readers)
{
    struct stage *s = open_stage();
    struct live_lock_view seen = {
        .phase = FC_INSIDE, .shared = true, .token = 5};
    struct live_desk_in in = {
        .event = LIVE_CHANGED, .now = 2, .lock = LOCK, .view = seen};

    ask(s, 1, 0, true);
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    step(s, in);
    assert_non_null(found(s, LIVE_DO_GRANT));
    assert_int_equal(try_it(s, 3, 1, true), GRANTED);
    assert_int_equal(try_it(s, 3, 2, false), REFUSED);
    in.view.wanted = 2;
    step(s, in);
    assert_int_equal(try_it(s, 4, 2, true), REFUSED);
}

/* Nor is anything to be had without a lease, or while nothing is granted. */
TEST(test_try_without_a_lease_is_refused_at_once)
{
    struct stage *s = open_stage();

    assert_int_equal(try_it(s, END - K, 1, false), REFUSED);
    assert_int_equal(s->desk.locks_used, 0);
    assert_int_equal(try_it(s, END - K - 1, 1, false), WAITS);
    client(s, LIVE_GAVE, 5, 1);
    step(s, (struct live_desk_in){
                .event = LIVE_HELD_UP, .now = 6, .why = "it must not"});
    assert_int_equal(try_it(s, 7, 1, false), REFUSED);
}

/* Nobody is let in when there is no time left; when there is again, somebody
 * is. */
TEST(test_no_grant_without_time)
{
    struct stage *s = open_stage();

    ask(s, 1, 0, false);
    view(s, LIVE_OBEYED, 1, FC_WAITING, 0);
    view(s, LIVE_CHANGED, END - K, FC_INSIDE, 5);
    assert_null(found(s, LIVE_DO_GRANT));
    step(s, (struct live_desk_in){
                .event = LIVE_LEASED, .now = END - 1, .end = 2 * END});
    assert_int_equal(found(s, LIVE_DO_GRANT)->deadline, 2 * END - K);
}

/* K6: while the clock cannot be relied on nothing is granted; holders go. */
TEST(test_held_up)
{
    struct stage *s = holder(5);

    step(s, (struct live_desk_in){
                .event = LIVE_HELD_UP, .now = 3, .why = "the clock"});
    assert_non_null(found(s, LIVE_DO_KILL));
    client(s, LIVE_DIED, 4, 0);
    assert_null(found(s, LIVE_DO_COMMAND));
    ask(s, 5, 1, false);
    assert_null(found(s, LIVE_DO_GRANT));
    step(s, (struct live_desk_in){.event = LIVE_HELD_UP, .now = 6});
    assert_true(commands(s, LIVE_LEAVE));
}

/* A node that drains without an end lets holders finish, and tells nobody; one
 * that stops does not. */
TEST(test_drain_and_stop)
{
    struct stage *s = holder(5);

    ask(s, 3, 1, false);
    step(s, (struct live_desk_in){.event = LIVE_DRAINS,
                                  .now = 4,
                                  .end = UINT64_MAX,
                                  .why = "it drains"});
    assert_null(found(s, LIVE_DO_TELL));
    assert_int_equal(found(s, LIVE_DO_REFUSE)->how, LIVE_REFUSED_LEFT);
    assert_int_equal(found(s, LIVE_DO_REFUSE)->whom, 1);
    assert_null(found(s, LIVE_DO_KILL));
    ask(s, 5, 2, false);
    assert_int_equal(found(s, LIVE_DO_REFUSE)->how, LIVE_REFUSED_STOPS);
    step(s, (struct live_desk_in){
                .event = LIVE_STOPS, .now = 6, .why = "it stops"});
    assert_string_equal(found(s, LIVE_DO_KILL)->why, "it stops");
}

/* The mode has ended: the node stays, and says so. */
TEST(test_ends)
{
    struct stage *s = holder(5);

    step(s, (struct live_desk_in){
                .event = LIVE_ENDS, .now = 6, .why = "a bound is broken"});
    assert_non_null(found(s, LIVE_DO_KILL));
    ask(s, 7, 1, false);
    assert_int_equal(found(s, LIVE_DO_REFUSE)->how, LIVE_REFUSED_NOW);
    assert_string_equal(found(s, LIVE_DO_REFUSE)->why, "a bound is broken");
}

/* A witness holds no locks. */
TEST(test_witness_refuses)
{
    struct stage *s = open_stage();

    s->desk.params.witness = true;
    ask(s, 1, 0, false);
    assert_int_equal(found(s, LIVE_DO_REFUSE)->how, LIVE_REFUSED_NOW);
    assert_int_equal(s->desk.locks_used, 0);
}

/* A node has so many locks, and says how many, and that nobody can wait for
 * room; a protocol that has none for one more refuses its first client. */
TEST(test_too_many_locks)
{
    struct stage *s = open_stage();

    for (uint64_t i = 0; i <= LIVE_LOCKS_MAX; i++)
        step(s, (struct live_desk_in){.event = LIVE_ASKED,
                                      .now = 1,
                                      .client = (uint32_t)i,
                                      .lock = 100 + i,
                                      .wait = UINT64_MAX});
    assert_non_null(strstr(found(s, LIVE_DO_REFUSE)->why, "256 locks"));
    assert_non_null(strstr(found(s, LIVE_DO_REFUSE)->why, "no room to wait"));
    assert_null(found(s, LIVE_DO_COMMAND));
    step(s, (struct live_desk_in){
                .event = LIVE_OBEYED, .now = 1, .lock = 100, .full = true});
    assert_int_equal(found(s, LIVE_DO_REFUSE)->whom, 0);
    assert_false(s->desk.locks[0].used);
}

/* Whatever an unknown client says has its answer, and changes nothing. */
TEST(test_strangers)
{
    struct stage *s = open_stage();

    client(s, LIVE_GAVE, 1, 3);
    assert_non_null(found(s, LIVE_DO_RELEASE));
    client(s, LIVE_VANISHED, 1, 3);
    assert_non_null(found(s, LIVE_DO_REST));
    client(s, LIVE_DIED, 1, 3);
    client(s, LIVE_UNREAD, 1, 3);
    client(s, LIVE_UNABLE, 1, 3);
    assert_int_equal(s->out.count, 0);
}

/* Two names are two locks, and none is 0. */
TEST(test_numbers_of_locks)
{
    assert_int_not_equal(live_lock_number("a"), live_lock_number("b"));
    assert_int_not_equal(live_lock_number(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadline_is_k_before_the_end_of_the_lease),
        cmocka_unit_test(test_deadline_does_not_move_back),
        cmocka_unit_test(test_expired_deadline_does_not_come_back),
        cmocka_unit_test(test_killed_command_keeps_the_lock_until_it_is_dead),
        cmocka_unit_test(test_program_without_a_command),
        cmocka_unit_test(test_hold_is_a_limit),
        cmocka_unit_test(test_a_token_is_granted_once),
        cmocka_unit_test(test_first_come_first_served),
        cmocka_unit_test(test_readers_together),
        cmocka_unit_test(test_readers_do_not_starve_other_nodes),
        cmocka_unit_test(test_writer_first_in_a_shared_lock),
        cmocka_unit_test(test_lapse_stops_holders),
        cmocka_unit_test(test_another_token_stops_holders),
        cmocka_unit_test(test_vacate_stops_holders),
        cmocka_unit_test(test_grant_that_cannot_be_made),
        cmocka_unit_test(test_grant_that_is_not_read),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_no_wait_is_a_try),
        cmocka_unit_test(test_try_that_is_in_vain_is_refused_at_once),
        cmocka_unit_test(test_try_waits_for_a_holder_that_is_stopped),
        cmocka_unit_test(test_try_of_a_reader_beside_readers),
        cmocka_unit_test(test_try_without_a_lease_is_refused_at_once),
        cmocka_unit_test(test_no_grant_without_time),
        cmocka_unit_test(test_held_up),
        cmocka_unit_test(test_drain_and_stop),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_witness_refuses),
        cmocka_unit_test(test_too_many_locks),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_numbers_of_locks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
