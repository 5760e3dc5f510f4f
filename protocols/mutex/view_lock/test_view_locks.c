/*
 * test_view_locks.c - the lock of the live runtime with several locks: they
 * share a view and a lease, and nothing else.
 */
#include "tests/unit/kit/testing.h"

#define VIEW_LOCK_LOCKS 4
#define FC_TYPED
#include "protocols/mutex/view_lock/view_lock.c"

enum { ME = 1, PEER = 0, OTHER = 2, NODES = 3, ALL = 7 };
enum { TAU_STEPS = 10, LEASE = 100, QUIET = 126, VIEW = 64, HIGHER = 128 };
enum { RED = 11, BLUE = 22, GREEN = 33, WHITE = 44, BLACK = 55 };

struct bench {
    struct view_lock s;
    uint64_t now;
    struct view_lock_msg sent[64]; /* in the last event */
    uint16_t to[64];
    uint32_t sends;
    uint32_t notes;
};

static const struct view_lock_params params = {.tau = TAU_STEPS,
                                               .lease = LEASE,
                                               .silence = QUIET,
                                               .delta = 20,
                                               .quiet = QUIET};

static void happens(struct bench *b, struct view_lock_in in)
{
    const struct fc_member me = {ME, NODES};

    b->sends = b->notes = 0;
    for (;;) {
        struct view_lock_out out = {0};

        in.event.now = b->now;
        view_lock_step(&b->s, &params, &me, &in, &out);
        for (uint32_t i = 0; i < out.fx.sends; i++) {
            b->to[b->sends] = out.fx.to[i];
            b->sent[b->sends++] = out.send[i];
        }
        b->notes |= out.fx.notes;
        assert_null(view_lock_sane(&b->s, &params, &me));
        if (!out.fx.choose && !out.fx.go_on)
            return;
        in = (struct view_lock_in){
            .event = {.kind = out.fx.choose ? FC_CHOICE : FC_GO_ON}};
    }
}

static void reads(struct bench *b, uint16_t from, struct view_lock_msg m)
{
    m.inc = 1;
    happens(b, (struct view_lock_in){
                   .event = {.kind = FC_MESSAGE, .port = from}, .msg = m});
}

static void told(struct bench *b, uint8_t what, uint64_t lock)
{
    happens(
        b, (struct view_lock_in){.event = {.kind = FC_COMMAND, .command = what},
                                 .msg = {.lock = lock}});
}

static const struct view_lock_msg *sent(const struct bench *b, uint8_t kind,
                                        uint16_t to, uint64_t lock)
{
    for (uint32_t i = 0; i < b->sends; i++)
        if (b->sent[i].kind == kind && b->to[i] == to &&
            b->sent[i].lock == lock)
            return &b->sent[i];
    return NULL;
}

static uint8_t role(const struct bench *b, uint64_t lock)
{
    const struct view_lock_one *one = view_lock_find(&b->s, lock);

    return one ? one->role : MUTEX_IDLE;
}

static void join(struct bench *b, uint32_t view)
{
    reads(b, PEER,
          (struct view_lock_msg){
              .kind = VIEW_LOCK_PROPOSE, .view = view, .members = ALL});
    reads(b, PEER,
          (struct view_lock_msg){.kind = VIEW_LOCK_NEWVIEW,
                                 .view = view,
                                 .members = ALL,
                                 .count = NODES,
                                 .each = {1, 1, 1}});
    for (uint32_t from = PEER; from <= OTHER; from += 2)
        reads(b, (uint16_t)from,
              (struct view_lock_msg){.kind = VIEW_LOCK_FRAME,
                                     .maxv = view,
                                     .view = view,
                                     .stamp = b->now,
                                     .echo_inc = 1,
                                     .echo_stamp = b->now,
                                     .members = ALL,
                                     .heard = ALL,
                                     .flags = VIEW_LOCK_READY});
}

/* In VIEW with all others, and leased. */
static struct bench member(void)
{
    struct bench b = {.now = 1};

    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    b.now = 1000;
    join(&b, VIEW);
    assert_int_equal(b.s.view, VIEW);
    return b;
}

static void cleared(struct bench *b, uint64_t lock)
{
    const struct view_lock_one *one = view_lock_find(&b->s, lock);
    struct view_lock_msg m = {.kind = VIEW_LOCK_CLEAR,
                              .view = b->s.view,
                              .lock = lock,
                              .number = one->number,
                              .time = one->number};

    reads(b, PEER, m);
    reads(b, OTHER, m);
}

static void enters(struct bench *b, uint64_t lock)
{
    told(b, MUTEX_WANT, lock);
    if (role(b, lock) != MUTEX_INSIDE)
        cleared(b, lock);
    assert_int_equal(role(b, lock), MUTEX_INSIDE);
}

static struct view_lock_msg request(uint64_t lock, uint32_t number)
{
    return (struct view_lock_msg){.kind = VIEW_LOCK_REQUEST,
                                  .view = VIEW,
                                  .lock = lock,
                                  .number = number};
}

/* A node inside of one defers only requests for it. */
TEST(test_locks_do_not_hinder_each_other)
{
    struct bench b = member();

    enters(&b, RED);
    enters(&b, BLUE);
    assert_true(view_lock_find(&b.s, BLUE)->token >
                view_lock_find(&b.s, RED)->token);
    reads(&b, PEER, request(RED, 90));
    assert_int_equal(b.sends, 0);
    reads(&b, PEER, request(GREEN, 91));
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, PEER, GREEN));
    assert_int_equal(sent(&b, VIEW_LOCK_CLEAR, PEER, GREEN)->number, 91);
    told(&b, MUTEX_LEAVE, BLUE);
    assert_int_equal(b.sends, 0);
    told(&b, MUTEX_LEAVE, RED);
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, PEER, RED));
    assert_null(sent(&b, VIEW_LOCK_CLEAR, PEER, BLUE));
}

/* Requests of others take no room, and a consent for one lock is none for
 * another. */
TEST(test_consents_are_of_one_lock)
{
    struct bench b = member();
    struct view_lock_msg m = {
        .kind = VIEW_LOCK_CLEAR, .view = VIEW, .lock = BLUE, .number = 1};

    for (uint32_t i = 1; i < 100; i++)
        reads(&b, OTHER, request(1000 + i, i));
    assert_int_equal(b.s.used, 1);
    told(&b, MUTEX_WANT, RED);
    told(&b, MUTEX_WANT, BLUE);
    m.number = view_lock_find(&b.s, RED)->number;
    reads(&b, PEER, m);
    reads(&b, OTHER, m);
    assert_int_equal(role(&b, RED), MUTEX_WAITS);
    assert_int_equal(role(&b, BLUE), MUTEX_WAITS);
}

/* Kept consents make room when all entries are in use; holders do not. */
TEST(test_idle_entries_make_room)
{
    struct bench b = member();

    enters(&b, RED);
    enters(&b, BLUE);
    enters(&b, GREEN);
    enters(&b, WHITE);
    told(&b, MUTEX_WANT, BLACK);
    assert_false(b.notes & FC_NOTE_STARTED);
    told(&b, MUTEX_LEAVE, BLUE);
    assert_non_null(view_lock_find(&b.s, BLUE)); /* its consents are kept */
    told(&b, MUTEX_WANT, BLACK);
    assert_true(b.notes & FC_NOTE_STARTED);
    assert_null(view_lock_find(&b.s, BLUE));
    assert_non_null(sent(&b, VIEW_LOCK_REQUEST, OTHER, BLACK));
    told(&b, VIEW_LOCK_GIVE_UP, BLACK);
    told(&b, MUTEX_WANT, BLUE); /* asked for again */
    assert_non_null(sent(&b, VIEW_LOCK_REQUEST, PEER, BLUE));
}

/* Passing on locally is free and has a new token, unless another waits. */
TEST(test_passing_on_is_leaving_and_entering)
{
    struct bench b = member();
    uint64_t token;

    enters(&b, RED);
    token = view_lock_find(&b.s, RED)->token;
    told(&b, MUTEX_LEAVE, RED);
    told(&b, MUTEX_WANT, RED);
    assert_int_equal(b.sends, 0);
    assert_int_equal(role(&b, RED), MUTEX_INSIDE);
    assert_true(view_lock_find(&b.s, RED)->token > token);
    reads(&b, PEER, request(RED, 7));
    told(&b, MUTEX_LEAVE, RED);
    told(&b, MUTEX_WANT, RED);
    assert_int_equal(role(&b, RED), MUTEX_WAITS);
    assert_non_null(sent(&b, VIEW_LOCK_REQUEST, PEER, RED));
    assert_null(sent(&b, VIEW_LOCK_REQUEST, OTHER, RED));
}

/* F4 and V4 are about all locks. */
TEST(test_lapse_and_new_views_are_of_all_locks)
{
    struct bench b = member();

    enters(&b, RED);
    enters(&b, BLUE);
    told(&b, MUTEX_WANT, GREEN);
    reads(&b, PEER, request(RED, 50));
    reads(&b, OTHER, request(BLUE, 51));
    join(&b, HIGHER);
    assert_int_equal(role(&b, RED), MUTEX_INSIDE);
    assert_int_equal(role(&b, BLUE), MUTEX_INSIDE);
    assert_int_equal(role(&b, GREEN), MUTEX_WAITS);
    assert_int_equal(view_lock_find(&b.s, RED)->deferred, 0);
    b.now += LEASE;
    happens(&b, (struct view_lock_in){.event = {.kind = FC_TIMEOUT}});
    assert_int_equal(role(&b, RED), MUTEX_IDLE);
    assert_int_equal(role(&b, BLUE), MUTEX_IDLE);
    assert_int_equal(role(&b, GREEN), MUTEX_WAITS);
    assert_non_null(sent(&b, VIEW_LOCK_REQUEST, OTHER, GREEN));
}

/* Giving up lets those pass who were deferred; a late consent is void. */
TEST(test_giving_up)
{
    struct bench b = member();
    uint32_t number;

    told(&b, MUTEX_WANT, RED);
    number = view_lock_find(&b.s, RED)->number;
    reads(&b, OTHER, request(RED, number + 1));
    assert_int_equal(b.sends, 0);
    told(&b, VIEW_LOCK_GIVE_UP, RED);
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, OTHER, RED));
    reads(&b, PEER,
          (struct view_lock_msg){.kind = VIEW_LOCK_CLEAR,
                                 .view = VIEW,
                                 .lock = RED,
                                 .number = number});
    assert_true(b.notes & FC_NOTE_DIES);
    enters(&b, RED);
    told(&b, VIEW_LOCK_GIVE_UP, RED); /* whoever is inside leaves */
    assert_int_equal(role(&b, RED), MUTEX_INSIDE);
}

/* W6: who will be stopped holds nothing, is no member, and says so. */
TEST(test_leaving)
{
    struct bench b = member();
    const struct view_lock_msg *frame;

    enters(&b, RED);
    told(&b, VIEW_LOCK_STOP, 0);
    assert_int_equal(role(&b, RED), MUTEX_IDLE);
    frame = sent(&b, VIEW_LOCK_FRAME, OTHER, 0);
    assert_non_null(frame);
    assert_true(frame->flags & VIEW_LOCK_LEAVING);
    assert_false(frame->flags & VIEW_LOCK_READY);
    told(&b, MUTEX_WANT, RED);
    assert_int_equal(role(&b, RED), MUTEX_IDLE);
    reads(&b, PEER,
          (struct view_lock_msg){
              .kind = VIEW_LOCK_PROPOSE, .view = HIGHER, .members = ALL});
    assert_true(sent(&b, VIEW_LOCK_VOTE, PEER, 0)->flags & VIEW_LOCK_FREE);
    assert_false(sent(&b, VIEW_LOCK_VOTE, PEER, 0)->flags & VIEW_LOCK_READY);
}

/* W7: a Lamport clock that has come far ends the view, and its last numbers
 * are for nobody. */
TEST(test_a_long_view_is_renewed)
{
    struct bench b = member();

    b.s.time = VIEW_LOCK_TIME_MAX;
    told(&b, MUTEX_WANT, RED);
    assert_int_equal(role(&b, RED), MUTEX_IDLE);
    for (int i = 0; i < 4 && !sent(&b, VIEW_LOCK_PROPOSE, PEER, 0); i++) {
        b.now += 20; /* node 0 would be first */
        happens(&b, (struct view_lock_in){.event = {.kind = FC_TIMEOUT}});
    }
    assert_non_null(sent(&b, VIEW_LOCK_PROPOSE, PEER, 0));
    assert_int_equal(sent(&b, VIEW_LOCK_PROPOSE, PEER, 0)->members, ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locks_do_not_hinder_each_other),
        cmocka_unit_test(test_consents_are_of_one_lock),
        cmocka_unit_test(test_idle_entries_make_room),
        cmocka_unit_test(test_passing_on_is_leaving_and_entering),
        cmocka_unit_test(test_lapse_and_new_views_are_of_all_locks),
        cmocka_unit_test(test_giving_up),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_a_long_view_is_renewed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
