/*
 * test_wheel.c - the event queue against a list that is searched from end to
 * end: the same records in the same order, whatever is put when.
 */
#include <stdlib.h>

#include "tests/unit/kit/testing.h"

enum { CLASSES = 4, RECORDS_MAX = 1 << 15 };

/* As large as that of the engines. */
struct record {
    uint32_t id, more, word;
};

#define WHEEL_RECORD  struct record
#define WHEEL_CLASSES CLASSES
#define WHEEL(name)   FC_PASTE(queue_, name)
#include "sim/engine/wheel.inc"
#undef WHEEL_RECORD
#undef WHEEL_CLASSES
#undef WHEEL

#define WHEEL_RECORD  uint32_t
#define WHEEL_CLASSES 1
#define WHEEL(name)   FC_PASTE(alarm_, name)
#include "sim/engine/wheel.inc"
#undef WHEEL_RECORD
#undef WHEEL_CLASSES
#undef WHEEL

/* ---- The judge: a heap by (tick, class, order of putting) ---------------- */

struct entry {
    uint64_t at;
    uint32_t class, id; /* ids count up as records are put */
};

struct judge {
    uint32_t count, next_id;
    struct entry heap[RECORDS_MAX];
};

static bool before(const struct entry *a, const struct entry *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->class != b->class)
        return a->class < b->class;
    return a->id < b->id;
}

static uint32_t judge_put(struct judge *j, uint64_t at, uint32_t class)
{
    struct entry e = {at, class, j->next_id++};
    uint32_t i = j->count++;

    assert_true(j->count <= RECORDS_MAX);
    for (; i && before(&e, &j->heap[(i - 1) / 2]); i = (i - 1) / 2)
        j->heap[i] = j->heap[(i - 1) / 2];
    j->heap[i] = e;
    return e.id;
}

static struct entry judge_pop(struct judge *j)
{
    struct entry top = j->heap[0], last = j->heap[--j->count];
    uint32_t i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child + 1 < j->count &&
            before(&j->heap[child + 1], &j->heap[child]))
            child++;
        if (child >= j->count || !before(&j->heap[child], &last))
            break;
        j->heap[i] = j->heap[child];
        i = child;
    }
    j->heap[i] = last;
    return top;
}

/* ---- A wheel beside it --------------------------------------------------- */

struct trial {
    struct queue_wheel *wheel;
    struct judge *judge;
    struct dice dice;
    uint64_t now;
};

static void trial_open(struct trial *t, struct net_memory *memory,
                       struct judge *judge, uint64_t seed)
{
    t->wheel = queue_open(memory, NET_BUFFER_QUEUE);
    assert_non_null(t->wheel);
    judge->count = judge->next_id = 0;
    t->judge = judge;
    t->dice.state = seed;
    t->now = 0;
}

static void put(struct trial *t, uint64_t at, uint32_t class)
{
    uint32_t id = judge_put(t->judge, at, class);

    queue_put(t->wheel, at, class, (struct record){id, ~id, id * 3});
}

/* Pops from both; false when both are empty. */
static bool pop_both(struct trial *t)
{
    struct record r;
    uint32_t class;
    struct entry e;

    assert_int_equal(t->wheel->count, t->judge->count);
    if (t->judge->count % 64 == 0)
        assert_null(queue_sane(t->wheel));
    if (!queue_pop(t->wheel, &t->now, &class, &r)) {
        assert_int_equal(t->judge->count, 0);
        return false;
    }
    assert_true(t->judge->count > 0);
    e = judge_pop(t->judge);
    assert_true(t->now == e.at);
    assert_int_equal(class, e.class);
    assert_int_equal(r.id, e.id);
    assert_int_equal(r.more, ~e.id);
    assert_int_equal(r.word, e.id * 3);
    return true;
}

/* A tick after now: near, at a likely meeting point, or up to 2^62 away. */
static uint64_t some_tick(struct trial *t)
{
    uint64_t random = throw_dice(&t->dice);
    uint32_t bits = throw_below(&t->dice, 63);
    uint64_t round;

    switch (throw_below(&t->dice, 5)) {
    case 0:
        return t->now + 1;
    case 1:
        return t->now + 1 + random % 50;
    case 2: /* many meet there, some by way of coarse slots */
        round = UINT64_C(1) << random % 16;
        return (t->now / round + 1) * round;
    case 3:
        return t->now + 1 + random % 5000;
    default:
        return t->now + 1 + (random & ((UINT64_C(1) << bits) - 1));
    }
}

/* Random puts first, and while popping as long as `more` lasts. */
static void work(struct trial *t, uint32_t first, uint32_t more)
{
    for (uint32_t i = 0; i < first; i++)
        put(t, throw_below(&t->dice, 3) ? some_tick(t) : 0,
            throw_below(&t->dice, CLASSES));
    while (pop_both(t)) {
        /* Half the puts that 2^62 leaves time for. */
        uint32_t puts = throw_below(&t->dice, 3);

        for (; puts && more && t->now >> 62 == 0; puts--, more--)
            put(t, some_tick(t), throw_below(&t->dice, CLASSES));
    }
}

/* ---- Tests --------------------------------------------------------------- */

/* Class by class, tick by tick, and in the order of putting among equals. */
TEST(test_pops_in_order)
{
    struct judge *judge = malloc(sizeof *judge);
    struct net_memory memory = {0};

    for (uint32_t seed = 0; seed < rounds(400); seed++) {
        struct trial t;

        trial_open(&t, &memory, judge, seed);
        work(&t, 1 + seed % 300, 3000);
    }
    net_memory_free(&memory);
    free(judge);
}

/* Lonely records are found over any number of empty ticks. */
TEST(test_sparse_ends)
{
    struct judge *judge = malloc(sizeof *judge);
    struct net_memory memory = {0};
    struct trial t;

    trial_open(&t, &memory, judge, 1);
    for (uint32_t bits = 0; bits < 63; bits++) {
        put(&t, UINT64_C(1) << bits, bits % CLASSES);
        put(&t, (UINT64_C(1) << bits) - 1, 0);
        put(&t, (UINT64_C(1) << bits) + 1, 3);
    }
    put(&t, FC_NEVER - 1, 2); /* the last tick of all */
    while (pop_both(&t))
        ;
    assert_true(t.now == FC_NEVER - 1);
    net_memory_free(&memory);
    free(judge);
}

/* Lists of any length, in fine slots and coarse ones: chunks end anywhere. */
TEST(test_chunk_boundaries)
{
    static const uint32_t per[] = {queue_NEAR_PER_CHUNK, queue_FAR_PER_CHUNK};
    struct judge *judge = malloc(sizeof *judge);
    struct net_memory memory = {0};

    for (size_t i = 0; i < COUNT(per); i++)
        for (uint32_t chunks = 1; chunks <= 3; chunks++)
            for (uint32_t count = chunks * per[i] - 1;
                 count <= chunks * per[i] + 1; count++) {
                struct trial t;

                trial_open(&t, &memory, judge, 1);
                for (uint32_t n = 0; n < count; n++) {
                    put(&t, 7, 1);
                    put(&t, 5000, 2);
                    put(&t, 5000000, n % CLASSES);
                }
                while (pop_both(&t))
                    ;
            }
    net_memory_free(&memory);
    free(judge);
}

/* A run that was cut leaves records behind: the next begins empty all the
 * same, and no chunk is lost. */
TEST(test_reuse_after_a_cut_run)
{
    struct judge *judge = malloc(sizeof *judge);
    struct net_memory memory = {0};
    size_t bytes = 0;

    for (uint32_t round = 0; round < rounds(500); round++) {
        struct trial t;

        trial_open(&t, &memory, judge, 7);
        assert_int_equal(t.wheel->count, 0);
        for (uint32_t i = 0; i < 2000; i++)
            put(&t, some_tick(&t), throw_below(&t.dice, CLASSES));
        for (uint32_t i = 0; i < round * 4 % 2000; i++)
            assert_true(pop_both(&t));
        if (round == 0)
            bytes = net_memory_bytes(&memory);
        assert_int_equal(net_memory_bytes(&memory), bytes);

        trial_open(&t, &memory, judge, round);
        assert_false(pop_both(&t));
        work(&t, 10, 50);
    }
    net_memory_free(&memory);
    free(judge);
}

/* Another kind of wheel may have had the memory before. */
TEST(test_reuse_by_another_wheel)
{
    struct judge *judge = malloc(sizeof *judge);
    struct net_memory memory = {0};
    struct alarm_wheel *alarms = alarm_open(&memory, NET_BUFFER_QUEUE);
    struct trial t;
    uint32_t node;

    for (uint32_t i = 0; i < 5000; i++)
        alarm_put(alarms, 1 + i * 3, 0, i);
    assert_false(alarm_pop_at(alarms, 0, &node));
    for (uint32_t i = 0; i < 3; i++) {
        trial_open(&t, &memory, judge, i);
        assert_false(pop_both(&t));
        work(&t, 100, 1000);
    }
    net_memory_free(&memory);
    free(judge);
}

/* ---- Kept time ----------------------------------------------------------- */

/* Puts some alarms as the lockstep engine does: never for the next tick. */
static void put_alarms(struct alarm_wheel *w, struct judge *j, struct dice *d,
                       uint64_t now, uint32_t most)
{
    for (uint32_t n = throw_below(d, most + 1); n > 0; n--) {
        uint32_t bits = throw_below(d, 24);
        uint64_t at = now + 2 + (throw_dice(d) & ((1u << bits) - 1));

        alarm_put(w, at, 0, judge_put(j, at, 0));
    }
}

/* All of tick `now` is popped, in order, and nothing else. */
static void pop_tick(struct alarm_wheel *w, struct judge *j, struct dice *d,
                     uint64_t now, uint32_t most)
{
    uint32_t id;

    while (alarm_pop_at(w, now, &id)) {
        struct entry e = judge_pop(j);

        assert_true(e.at == now);
        assert_int_equal(e.id, id);
        put_alarms(w, j, d, now, most);
    }
    assert_true(j->count == 0 || j->heap[0].at > now);
}

/* Tick by tick while there are messages, else from alarm to alarm. */
TEST(test_pop_at_and_next_tick)
{
    struct judge *judge = malloc(sizeof *judge);
    struct net_memory memory = {0};

    for (uint32_t seed = 0; seed < rounds(200); seed++) {
        struct alarm_wheel *w = alarm_open(&memory, NET_BUFFER_TIMERS);
        struct dice dice = {seed};
        uint64_t now = 0;

        judge->count = judge->next_id = 0;
        put_alarms(w, judge, &dice, now, 40);
        for (uint32_t i = 0; i < 3000; i++) {
            bool busy = throw_below(&dice, 400) > seed;
            uint64_t next =
                judge->count ? judge->heap[0].at : (uint64_t)UINT64_MAX;

            if (!busy)
                assert_true(alarm_next_tick(w) == next);
            if (!busy && next == UINT64_MAX)
                break;
            now = busy ? now + 1 : next;
            if (i < 2000)
                put_alarms(w, judge, &dice, now, 1); /* while it reads */
            pop_tick(w, judge, &dice, now, i < 2000 ? 1 : 0);
            assert_int_equal(w->count, judge->count);
        }
    }
    net_memory_free(&memory);
    free(judge);
}

/* Records for which there is no memory are lost, and nothing waits for them:
 * the others come in order, and then the wheel is empty. */
TEST(test_lost_records_are_not_waited_for)
{
    struct dice d = {11};

    if (is_sanitized())
        skip(); /* it would not let an allocation fail */
    for (uint32_t round = 0; round < 200; round++) {
        struct net_memory memory = {0};
        struct queue_wheel *w = queue_open(&memory, NET_BUFFER_QUEUE);
        uint64_t at, last = 0, popped = 0, put = 0, span = 1u << round % 30;
        struct record record = {0};
        uint32_t rank;

        assert_non_null(w);
        assert_int_equal(net_memory_more_chunks(&memory), 0);
        memory.segment_bytes = SIZE_MAX / 2; /* there is no more of that */
        for (; put < 2000; put++)
            queue_put(w, 1 + throw_dice(&d) % span, throw_below(&d, CLASSES),
                      record);
        while (queue_pop(w, &at, &rank, &record)) {
            assert_true(at >= last);
            last = at;
            popped++;
            if (throw_below(&d, 3) == 0) {
                queue_put(w, at + 1 + throw_dice(&d) % span, 0, record);
                put++;
            }
            assert_true(popped <= put);
        }
        assert_int_equal(w->count, 0);
        assert_true(w->failed || popped == put);
        net_memory_free(&memory);
    }
}

/* ---- What a wheel says of itself ----------------------------------------- */

enum { FAR = 5000, NEAR = 17 }; /* ticks: of level 1, of level 0 */

static uint32_t far_slot(void)
{
    return FAR >> WHEEL_BITS;
}

/* One record near, two far, and one that is being popped. */
static struct queue_wheel *a_wheel(struct net_memory *memory)
{
    struct queue_wheel *w = queue_open(memory, NET_BUFFER_QUEUE);
    struct record r = {0};
    uint32_t rank;
    uint64_t at;

    assert_non_null(w);
    for (uint32_t i = 0; i < 2; i++)
        queue_put(w, 3, 0, r);
    queue_put(w, NEAR, 1, r);
    for (uint32_t i = 0; i < 2; i++)
        queue_put(w, FAR, 2, r);
    assert_true(queue_pop(w, &at, &rank, &r));
    assert_null(queue_sane(w));
    return w;
}

/* Each rule broken once; what is broken is put right again. */
TEST(test_a_broken_wheel_says_what_is_broken)
{
    struct net_memory memory = {0};
    struct queue_wheel *w = a_wheel(&memory);
    struct wheel_list *near = &w->slot[0][NEAR][1];
    struct wheel_list *far = &w->slot[1][far_slot()][2], was = *far;
    struct queue_far *record = (void *)far->head->bytes;

    w->index = 3;
    assert_string_equal(queue_sane(w),
                        "no more records are popped than a chunk has");
    w->index = 1;
    record[1].at += WHEEL_SLOTS;
    assert_string_equal(queue_sane(w), "a record is in the slot of its tick");
    record[1].at = FAR | UINT64_C(1) << 2 * WHEEL_BITS;
    assert_string_equal(queue_sane(w), "a record is in the slot of its tick");
    record[1].at = FAR;
    far->head->count = queue_FAR_PER_CHUNK + 1;
    assert_string_equal(queue_sane(w),
                        "a chunk of a list has records, and no more than fit");
    far->head->count = 0;
    assert_string_equal(queue_sane(w),
                        "a chunk of a list has records, and no more than fit");
    far->head->count = 2;
    far->tail = near->tail;
    assert_string_equal(queue_sane(w), "a list ends with its tail");
    *far = was;
    w->now = NEAR + 1; /* and nobody looked */
    assert_string_equal(queue_sane(w), "time passes no slot that has records");
    w->now = 3;
    w->set[0][0] |= UINT64_C(1) << (NEAR + 1);
    assert_string_equal(queue_sane(w), "a slot that is marked has records");
    w->set[0][0] = UINT64_C(1) << 3; /* the near one is not looked for */
    assert_string_equal(queue_sane(w),
                        "every record that was put and not popped waits");
    w->set[0][0] |= UINT64_C(1) << NEAR;
    w->count--;
    assert_string_equal(queue_sane(w),
                        "every record that waits was put and not popped");
    w->count++;
    assert_null(queue_sane(w));
    net_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pops_in_order),
        cmocka_unit_test(test_sparse_ends),
        cmocka_unit_test(test_chunk_boundaries),
        cmocka_unit_test(test_reuse_after_a_cut_run),
        cmocka_unit_test(test_reuse_by_another_wheel),
        cmocka_unit_test(test_pop_at_and_next_tick),
        cmocka_unit_test(test_lost_records_are_not_waited_for),
        cmocka_unit_test(test_a_broken_wheel_says_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
