/*
 * test_trace_refused.c - what is no trace is refused, with its line and why,
 * and no damage crashes the reader or the drawer.
 */
#include "tests/unit/kit/traces.h"

#include "draw/svg/svg.h"
#include "draw/text/text.h"

/* ---- Refusing ------------------------------------------------------------ */

static void test_bad_heads_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    check_head_refused("fulcrum-trace 1", "hello", "line 1", "not a trace");
    check_head_refused("fulcrum-trace 1", "fulcrum-trace 2", "line 1",
                       "version \"2\"");
    check_head_refused("topology ring", "topology star", "line 4",
                       "expected ring, ring-both, complete or tree");
    check_head_refused("nodes 2", "nodes two", "line 7", "a number");
    check_head_refused("nodes 2", "nodes 0", "line 7", "at least 1");
    check_head_refused("nodes 2", "nodes 99999999", "line 7", "too large");
    check_head_refused("nodes 2", "nodes", "line 7", "no value");
    check_head_refused("nodes 2\n", "", "line 16", "without nodes");
    check_head_refused("nodes 2", "nodes 3", "line 17", "2 names");
    check_head_refused("names 1,2", "names 1,", "line 8", "commas");
    check_head_refused("names 1,2", "names 1,1", "line 17", "twice");
    check_head_refused("steps 1+0,1+0", "steps 1+0", "line 17", "1 steps");
    check_head_refused("steps 1+0,1+0", "steps 0+0,1+0", "line 9",
                       "length+phase");
    check_head_refused("bounds 1:1:0:0", "bounds 2:1:0:0", "line 6",
                       "rmin:rmax");
    check_head_refused("kind M claims M", "kind M shouts M", "line 14",
                       "the meaning is \"shouts\", expected asks, claims, "
                       "grants, refuses, calls, tells, token or frame");
    check_head_refused("kind M claims M", "kind M claims", "line 14", "label");
    check_head_refused("winner 1", "numbers M", "line 16", "its numbers");
    check_head_refused("winner 1", "numbers N name", "line 16",
                       "a kind of message");
    check_head_refused("seed 7", "seed 7\nseed 8", "line 12", "second time");
    check_head_refused("time sync", "time s\tync", "line 5", "0x09");
}

/* Words that a problem brings along; see also test_fifth.c. */
static void test_bad_words_of_a_problem_are_refused(void **state)
{
    char many[TRACE_ROOM] = "";
    size_t used = 0;

    (void)state;
    check_head_refused("winner 1", "role greeted", "line 16", "it is like");
    check_head_refused("winner 1", "role greeted proud", "line 16", "awake");
    check_head_refused("winner 1", "role a;b awake", "line 16", "it is like");
    check_head_refused("winner 1", "fact two words", "line 16", "one word");
    check_head_refused("winner 1", "asks ;", "line 16", "one word");
    check_head_refused("winner 1", "first proud", "line 17", "a role");
    check_head_refused("winner 1", "first lost\nfirst lost", "line 17",
                       "a second time");
    for (unsigned i = 0; i <= TRACE_WORDS_MAX; i++)
        used += (size_t)snprintf(many + used, sizeof many - used,
                                 "%srole r%u awake", i ? "\n" : "", i);
    check_head_refused("winner 1", many, "line 24", "eight lines");
}

static void test_bad_events_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    check_body_refused("0 2 wake", "0 3 wake", "line 19", "a node");
    check_body_refused("0 2 wake", "0 2 sneeze", "line 19", "an event");
    check_body_refused("1 1 read", "x 1 read", "line 20", "TICK NODE");
    check_body_refused("3 1 read", "1 1 read", "line 24", "after tick");
    check_body_refused("read #1 wakeup", "read #9 wakeup", "line 20",
                       "never sent");
    check_body_refused("read #1 wakeup", "read #0 wakeup", "line 20",
                       "went to 2");
    check_body_refused("read #1 wakeup", "read #1 M(3)", "line 20",
                       "not the one");
    check_body_refused("read #1 wakeup", "read #1 hello", "line 20", "a kind");
    check_body_refused("1 2 read #0 wakeup", "1 1 read #1 wakeup", "line 21",
                       "second time");
    check_body_refused("to 2 arrives 3", "to 2 arrives 4", "line 25",
                       "before it arrives");
    check_body_refused("to 2 arrives 3", "to 2 arrives 1", "line 22",
                       "not before");
    check_body_refused("send #2", "send #5", "line 22", "#2 is next");
    check_body_refused("M(1) to", "M(1 to", "line 22", "fields");
    check_body_refused("is lost, rests", "is king", "line 25", "a role");
    check_body_refused("; dies", "; explodes", "line 24", "an effect");
    check_body_refused("; dies", "dies", "line 24", "\"; \"");
    check_body_refused("5 2 timeout 0;", "5 2 timeout 0; dies;", "line 26",
                       "after a message was read");
    check_body_refused("arm 0 2", "arm 0 soon", "line 25", "never");
    check_body_refused("end 8 quiet", "end 7 quiet", "line 30", "before");
    check_body_refused("end 8 quiet", "end 8 well", "line 30", "until");
    check_body_refused("end 8 quiet\n", "end 8 quiet\nand on\n", "line 31",
                       "hash");
}

static void test_bad_faults_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    check_fault_refused("chooses 2 of 5", "chooses 5 of 5", "line 14", "less");
    check_fault_refused("chooses 2 of 5", "chooses 2", "line 14", "RANGE");
    check_fault_refused("to 1 lost", "to 1 gone", "line 14", "lost");
    check_fault_refused("to 1 lost", "to 1 lost, copy", "line 14", "\"; \"");
    check_fault_refused("#2 M(1) to 4", "#2 M(2) to 4", "line 15", "a copy of");
    check_fault_refused("#2 M(1) to 4", "#2 M(1) to 3", "line 15", "a copy of");
    check_fault_refused("arrives 2; send", "arrives 2, copy; send", "line 15",
                        "a copy of");
    check_fault_refused("4, copy", "4, twin", "line 15", "\"; \"");
    check_fault_refused("1 2 crash", "1 2 crashes", "line 17", "\"; \"");
    check_fault_refused("1 2 crash", "1 2 cut", "line 18", "down");
    check_fault_refused("2 2 misses", "2 2 read", "line 18", "is down");
    check_fault_refused("misses #3 call", "misses #1 M(1)", "line 18",
                        "went to 4");
    check_fault_refused("misses #3 call", "misses #0 M(3)", "line 18",
                        "was lost");
    check_fault_refused("misses #3 call", "misses #3 call; dies", "line 18",
                        "read");
    check_fault_refused("2 4 read #1", "2 4 misses #1", "line 19",
                        "only while");
    check_fault_refused("pause 3", "pause", "line 20", "an event");
    check_fault_refused("pause 3", "pause 0", "line 20", "how many ticks");
    check_fault_refused("pause 3", "pause long", "line 20", "how many ticks");
    check_fault_refused("restart, blank", "restart, empty", "line 21",
                        "\"; \"");
    check_fault_refused("4 1 cut", "4 1 restart", "line 24", "was not down");
    check_fault_refused("4 1 cut", "4 1 cut 3", "line 24", "\"; \"");
    check_fault_refused("5 4 crash", "5 4 crash; send #6 call to 1 lost",
                        "line 25", "is down");
    check_fault_refused("6 1 joined", "6 4 crash", "line 26", "is down");
    check_fault_refused("6 1 joined", "6 4 wake", "line 26", "is down");
}

static void check_mutex_refused(const char *from, const char *to,
                                const char *place, const char *word)
{
    char body[TRACE_ROOM], text[TRACE_ROOM];

    replace(body, mutex_body, from, to);
    check_refused(text, build(text, mutex_head, body), place, word);
}

static void test_bad_exclusion_is_refused_with_line_and_reason(void **state)
{
    (void)state;
    check_mutex_refused("0 1 want", "0 1 wants", "line 17", "\"; \"");
    check_mutex_refused("want-shared", "want-more", "line 26", "\"; \"");
    check_mutex_refused("9 1 leave", "9 1 leaves", "line 28", "\"; \"");
    check_mutex_refused("9 1 leave", "9 1 goes", "line 28", "want-shared");
    check_mutex_refused("is sleeps", "is tired", "line 17", "inside, mute");
    check_mutex_refused("inside, shared", "inside, twice", "line 29", "\"; \"");
    check_mutex_refused("token 65537", "token 0", "line 21", "of a token");
    check_mutex_refused("token 65537", "token big", "line 21", "of a token");
    check_mutex_refused("token 65537", "talks 1", "line 21", "knows, token");
    check_mutex_refused("6 2 leave", "5 2 crash\n6 2 leave", "line 25",
                        "is down");
}

/* A recording that was cut off, damaged or added to is no evidence. */
static void test_incomplete_and_changed_traces_are_refused(void **state)
{
    char text[TRACE_ROOM];
    size_t size = build(text, good_head, good_body);
    char *digit;

    (void)state;
    check_refused("", 0, "line 0", "not a trace");
    for (size_t cut = 1; cut < size - 1; cut++) {
        struct net_why why = {0};
        struct trace t;

        assert_false(parse(&t, text, cut, &why));
        assert_non_null(strstr(why.text, "line "));
    }
    check_refused(text, (size_t)(strstr(text, "hash") - text), "line 31",
                  "incomplete");
    check_refused(text, (size_t)(strstr(text, "----") - text), "line 17",
                  "incomplete");
    memcpy(text + size, "more\n", 6);
    check_refused(text, strlen(text), "line 32", "after the line \"hash\"");
    text[size] = '\0';
    digit = strstr(text, "seed 7");
    digit[5] = '8'; /* the head is not part of the hash */
    digit = strstr(text, "arm 0 2");
    digit[6] = '3';
    check_refused(text, size, "line 31", "changed or damaged");
}

static void test_files_that_cannot_be_read_are_named(void **state)
{
    struct net_why why = {0};
    struct trace t;

    (void)state;
    assert_false(trace_read(&t, "/nowhere/run.trace", &why));
    assert_true(why.system);
    assert_non_null(strstr(why.text, "/nowhere/run.trace"));
    assert_false(trace_read(&t, "/", &why));
    assert_true(why.system);
    assert_non_null(strstr(why.text, "directory"));
}

/* ---- Random damage ------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static size_t damage(char *text, size_t size, uint64_t *seed)
{
    static const char bytes[] = "0123456789;#(), \n\tMie\x80\xff";
    unsigned changes = 1 + (unsigned)(next_random(seed) % 4);

    for (unsigned i = 0; i < changes && size > 8; i++) {
        size_t at = next_random(seed) % size, other = next_random(seed) % size;
        size_t length = next_random(seed) % 40;

        length = at + length > size ? size - at : length;
        length = other + length > size ? size - other : length;
        switch (next_random(seed) % 4) {
        case 0:
            text[at] = (char)next_random(seed);
            break;
        case 1:
            text[at] = bytes[next_random(seed) % (sizeof bytes)];
            break;
        case 2:
            memmove(text + at, text + other, length);
            break;
        default:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
        }
    }
    return size;
}

/* Puts the right hash below a damaged body, so that it is looked at whole. */
static size_t mend_hash(char *text, size_t size)
{
    char *body, *hash;
    size_t length;

    text[size] = '\0';
    body = strstr(text, "\n----\n");
    hash = strstr(text, "\nhash ");
    if (body == NULL || hash == NULL || hash < body + 6)
        return size;
    body += 6;
    length = (size_t)(hash + 1 - body);
    snprintf(hash + 1, 32, "hash %016" PRIx64 "\n", XXH64(body, length, 0));
    return strlen(text);
}

/* Draws what could be read, into nothing. */
static void draw_quietly(const struct trace *t, FILE *nothing)
{
    struct svg_options all = {.to = TRACE_NEVER}, part = {.from = 2, .to = 5};
    struct text_options some = {.from = 3, .to = 6}, wide = {.to = TRACE_NEVER};
    struct text_options plain = {.to = TRACE_NEVER, .ascii = true};
    struct net_why why = {0};
    struct svg_size size;

    svg_draw(nothing, t, &all, &size, &why);
    svg_draw(nothing, t, &part, &size, &why);
    text_draw(nothing, t, &some, &why);
    text_draw(nothing, t, &wide, &why);
    text_draw(nothing, t, &plain, &why);
}

static void test_no_damage_crashes_reader_or_drawing(void **state)
{
    enum { RUNS = 30000, KINDS = 3 };
    char good[KINDS][TRACE_ROOM], text[TRACE_ROOM + 64];
    size_t good_size[KINDS] = {
        build(good[0], good_head, good_body),
        build(good[1], fault_head, fault_body),
        build(good[2], mutex_head, mutex_body),
    };
    FILE *nothing = fopen("/dev/null", "w");
    uint64_t seed = 1984;
    unsigned accepted = 0;

    (void)state;
    assert_non_null(nothing);
    for (unsigned run = 0; run < RUNS; run++) {
        struct net_why why = {0};
        struct trace t;
        size_t size;

        memcpy(text, good[run % KINDS], good_size[run % KINDS]);
        size = damage(text, good_size[run % KINDS], &seed);
        if (run % 4 < 2)
            size = mend_hash(text, size);
        if (parse(&t, text, size, &why)) {
            accepted++;
            draw_quietly(&t, nothing);
            trace_free(&t);
        } else {
            assert_int_not_equal(why.text[0], '\0');
        }
    }
    fclose(nothing);
    assert_true(accepted > RUNS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_heads_are_refused_with_line_and_reason),
        cmocka_unit_test(test_bad_words_of_a_problem_are_refused),
        cmocka_unit_test(test_bad_events_are_refused_with_line_and_reason),
        cmocka_unit_test(test_bad_faults_are_refused_with_line_and_reason),
        cmocka_unit_test(test_bad_exclusion_is_refused_with_line_and_reason),
        cmocka_unit_test(test_incomplete_and_changed_traces_are_refused),
        cmocka_unit_test(test_files_that_cannot_be_read_are_named),
        cmocka_unit_test(test_no_damage_crashes_reader_or_drawing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
