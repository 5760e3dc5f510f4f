/*
 * test_draw.c - the trace reader, the diagrams and the careful file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "draw/output.h"
#include "draw/svg.h"
#include "draw/text.h"
#include "draw/trace_read.h"

/* ---- Traces to read ------------------------------------------------------ */

static const char good_head[] =
    "fulcrum-trace 1\n"
    "protocol vitanyi\n"
    "problem election\n"
    "topology ring\n"
    "time sync\n"
    "bounds 1:1:0:0\n"
    "nodes 2\n"
    "names 1,2\n"
    "steps 1+0,1+0\n"
    "set f=exp:2 first-wait=one\n"
    "seed 7\n"
    "command fulcrum sim vitanyi --names 1,2 --seed 7\n"
    "kind wakeup calls wake-up\n"
    "kind M claims M\n"
    "kind sleepwell tells sleepwell\n"
    "winner 1\n";

static const char good_body[] =
    "0 1 wake; send #0 wakeup to 2 arrives 1; arm 0 1; is candidate\n"
    "0 2 wake; send #1 wakeup to 1 arrives 1; arm 0 1; is candidate\n"
    "1 1 read #1 wakeup\n"
    "1 2 read #0 wakeup\n"
    "2 1 timeout 0; send #2 M(1) to 2 arrives 3\n"
    "2 2 timeout 0; send #3 M(2) to 1 arrives 3\n"
    "3 1 read #3 M(2); dies\n"
    "3 2 read #2 M(1); arm 0 2; is lost, rests\n"
    "5 2 timeout 0; send #4 M(1) to 1 arrives 6; is lost\n"
    "6 1 read #4 M(1); send #5 sleepwell to 2 arrives 7; stop 0; is leader; "
    "knows 1\n"
    "7 2 read #5 sleepwell; send #6 sleepwell to 1 arrives 8; is done; "
    "knows 1\n"
    "8 1 read #6 sleepwell; is done\n"
    "end 8 quiet\n";

enum { TRACE_ROOM = 8192 };

/* A whole trace with the right hash; returns its length. */
static size_t build(char out[TRACE_ROOM], const char *head, const char *body)
{
    return (size_t)snprintf(out, TRACE_ROOM, "%s----\n%shash %016" PRIx64
                            "\n", head, body, XXH64(body, strlen(body), 0));
}

static int parse(struct trace *t, const char *text, size_t size, char *error)
{
    return trace_parse(t, "run.trace", text, size, error, TRACE_ERROR_SIZE);
}

static void read_good(struct trace *t, const char *body)
{
    char text[TRACE_ROOM], error[TRACE_ERROR_SIZE] = "";
    size_t size = build(text, good_head, body);

    if (parse(t, text, size, error) != 0)
        fail_msg("refused: %s", error);
}

/* The text `from` replaced once by `to`. */
static void replace(char out[TRACE_ROOM], const char *in, const char *from,
                    const char *to)
{
    const char *at = strstr(in, from);

    assert_non_null(at);
    snprintf(out, TRACE_ROOM, "%.*s%s%s", (int)(at - in), in, to,
             at + strlen(from));
}

/* Reading must fail with a sentence that has both words in it. */
static void check_refused(const char *text, size_t size, const char *place,
                          const char *word)
{
    char error[TRACE_ERROR_SIZE] = "";
    struct trace t;

    assert_int_equal(parse(&t, text, size, error), TRACE_BAD);
    if (strstr(error, "run.trace") == NULL || strstr(error, place) == NULL ||
        strstr(error, word) == NULL)
        fail_msg("expected %s and \"%s\" in: %s", place, word, error);
}

static void check_body_refused(const char *from, const char *to,
                               const char *place, const char *word)
{
    char body[TRACE_ROOM], text[TRACE_ROOM];

    replace(body, good_body, from, to);
    check_refused(text, build(text, good_head, body), place, word);
}

static void check_head_refused(const char *from, const char *to,
                               const char *place, const char *word)
{
    char head[TRACE_ROOM], text[TRACE_ROOM];

    replace(head, good_head, from, to);
    check_refused(text, build(text, head, good_body), place, word);
}

/* ---- Reading ------------------------------------------------------------- */

/* What was sent, arrived and read stands in one place. */
static void test_messages_are_joined(void **state)
{
    struct trace t;

    (void)state;
    read_good(&t, good_body);
    assert_int_equal(t.nodes, 2);
    assert_int_equal(t.seed, 7);
    assert_int_equal(t.messages_count, 7);
    assert_int_equal(t.events_count, 12);
    assert_int_equal(t.messages[3].from, 1);
    assert_int_equal(t.messages[3].to, 0);
    assert_int_equal(t.messages[3].sent, 2);
    assert_int_equal(t.messages[3].arrives, 3);
    assert_int_equal(t.messages[3].read, 3);
    assert_int_equal(t.messages[3].field[0], 2);
    assert_int_equal(t.messages[3].flags, TRACE_DIES);
    assert_string_equal(t.kinds[t.messages[3].kind].word, "M");
    assert_string_equal(t.kinds[0].label, "wake-up");
    assert_int_equal(t.end_tick, 8);
    assert_false(t.cut);
    assert_true(t.anyone_knows);
    assert_int_equal(t.known, 1);
    trace_free(&t);
}

/* Roles are intervals: lane 2 is candidate, rests, lost, done. */
static void test_roles_become_intervals(void **state)
{
    static const uint8_t roles[] = {
        TRACE_CANDIDATE, TRACE_LOST, TRACE_LOST, TRACE_DONE,
    };
    static const uint64_t from[] = {0, 3, 5, 7};
    const struct trace_span *lane;
    struct trace t;

    (void)state;
    read_good(&t, good_body);
    assert_int_equal(t.first_span[2] - t.first_span[1], 4);
    lane = t.spans + t.first_span[1];
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(lane[i].role, roles[i]);
        assert_int_equal(lane[i].from, from[i]);
        assert_int_equal(lane[i].to, i < 3 ? from[i + 1] : TRACE_NEVER);
        assert_int_equal(lane[i].rests, i == 1);
    }
    assert_int_equal(lane[1].message, 2);
    trace_free(&t);
}

/* Keys of later versions of the head do no harm. */
static void test_unknown_keys_are_ignored(void **state)
{
    char head[TRACE_ROOM], text[TRACE_ROOM], error[TRACE_ERROR_SIZE];
    struct trace t;

    (void)state;
    replace(head, good_head, "winner 1\n", "winner 1\nweather fine\n");
    assert_int_equal(parse(&t, text, build(text, head, good_body), error), 0);
    trace_free(&t);
}

/* Nodes without names are called by their index. */
static void test_nodes_without_names_have_an_index(void **state)
{
    char head[TRACE_ROOM], text[TRACE_ROOM], error[TRACE_ERROR_SIZE];
    struct trace t;

    (void)state;
    replace(head, good_head, "names 1,2\n", "");
    assert_int_equal(parse(&t, text, build(text, head, "0 0 wake; send #0 M "
                     "to 1 arrives 1\n1 1 read #0 M; is leader\nend 1 "
                     "until\n"), error), 0);
    assert_null(t.names);
    assert_int_equal(trace_name(&t, 1), 1);
    assert_true(t.cut);
    trace_free(&t);
}

static void test_violations_are_kept_with_their_place(void **state)
{
    struct trace t;

    (void)state;
    read_good(&t, "0 1 wake; is leader\n1 2 wake; is leader; violated "
                  "one-leader\nend 1 quiet\nviolated all-know\n");
    assert_int_equal(t.violations_count, 2);
    assert_string_equal(t.violations[0].property, "one-leader");
    assert_int_equal(t.violations[0].lane, 1);
    assert_int_equal(t.violations[0].tick, 1);
    assert_string_equal(t.violations[1].property, "all-know");
    assert_int_equal(t.violations[1].event, TRACE_NONE);
    trace_free(&t);
}

/* ---- Refusing ------------------------------------------------------------ */

static void test_bad_heads_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    check_head_refused("fulcrum-trace 1", "hello", "line 1", "not a trace");
    check_head_refused("fulcrum-trace 1", "fulcrum-trace 2", "line 1",
                       "version \"2\"");
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
                       "meaning");
    check_head_refused("kind M claims M", "kind M claims", "line 14",
                       "label");
    check_head_refused("seed 7", "seed 7\nseed 8", "line 12", "second time");
    check_head_refused("time sync", "time s\tync", "line 5", "0x09");
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
    check_body_refused("read #1 wakeup", "read #1 hello", "line 20",
                       "a kind");
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

/* A recording that was cut off, damaged or added to is no evidence. */
static void test_incomplete_and_changed_traces_are_refused(void **state)
{
    char text[TRACE_ROOM];
    size_t size = build(text, good_head, good_body);
    char *digit;

    (void)state;
    check_refused("", 0, "line 0", "not a trace");
    for (size_t cut = 1; cut < size - 1; cut++) {
        char error[TRACE_ERROR_SIZE] = "";
        struct trace t;

        assert_int_equal(parse(&t, text, cut, error), TRACE_BAD);
        assert_non_null(strstr(error, "line "));
    }
    check_refused(text, (size_t)(strstr(text, "hash") - text), "line 31",
                  "incomplete");
    check_refused(text, (size_t)(strstr(text, "----") - text), "line 17",
                  "incomplete");
    strcat(text, "more\n");
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
    char error[TRACE_ERROR_SIZE] = "";
    struct trace t;

    (void)state;
    assert_int_equal(trace_read(&t, "/nowhere/run.trace", error,
                                sizeof error), TRACE_SYSTEM);
    assert_non_null(strstr(error, "/nowhere/run.trace"));
    assert_int_equal(trace_read(&t, "/", error, sizeof error), TRACE_SYSTEM);
    assert_non_null(strstr(error, "directory"));
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
        case 0: text[at] = (char)next_random(seed); break;
        case 1: text[at] = bytes[next_random(seed) % (sizeof bytes)]; break;
        case 2: memmove(text + at, text + other, length); break;
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
    struct svg_options options = {.to = TRACE_NEVER};
    char error[TRACE_ERROR_SIZE];
    struct svg_size size;

    svg_draw(nothing, t, &options, &size, error, sizeof error);
    text_draw(nothing, t, 0, TRACE_NEVER, false, error, sizeof error);
    text_draw(nothing, t, 0, TRACE_NEVER, true, error, sizeof error);
}

static void test_no_damage_crashes_reader_or_drawing(void **state)
{
    enum { RUNS = 20000 };
    char good[TRACE_ROOM], text[TRACE_ROOM + 64];
    size_t good_size = build(good, good_head, good_body);
    FILE *nothing = fopen("/dev/null", "w");
    uint64_t seed = 1984;
    unsigned accepted = 0;

    (void)state;
    assert_non_null(nothing);
    for (unsigned run = 0; run < RUNS; run++) {
        char error[TRACE_ERROR_SIZE] = "";
        struct trace t;
        size_t size;

        memcpy(text, good, good_size);
        size = damage(text, good_size, &seed);
        if (run % 2 == 0)
            size = mend_hash(text, size);
        if (parse(&t, text, size, error) == 0) {
            accepted++;
            draw_quietly(&t, nothing);
            trace_free(&t);
        } else {
            assert_int_not_equal(error[0], '\0');
        }
    }
    fclose(nothing);
    assert_true(accepted > RUNS / 100);
}

/* ---- The picture --------------------------------------------------------- */

/* Draws into memory; the caller frees it. */
static char *draw_svg(const char *body, uint64_t from, uint64_t to, bool dark)
{
    struct svg_options options = {.from = from, .to = to, .dark = dark};
    char error[TRACE_ERROR_SIZE] = "", *text = NULL;
    struct svg_size size;
    struct trace t;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    assert_non_null(file);
    read_good(&t, body);
    if (svg_draw(file, &t, &options, &size, error, sizeof error) < 0)
        fail_msg("%s", error);
    assert_int_equal(fclose(file), 0);
    assert_true(size.width >= 640);
    assert_true(size.width <= 2000);
    trace_free(&t);
    return text;
}

static unsigned count(const char *text, const char *what)
{
    unsigned found = 0;

    while ((text = strstr(text, what)) != NULL) {
        found++;
        text += strlen(what);
    }
    return found;
}

/* Every tag is closed by its own name, quotes are even, & begins a name. */
static void check_well_formed(const char *text)
{
    enum { DEPTH = 16, NAME = 16 };
    char open[DEPTH][NAME];
    unsigned depth = 0;

    for (; *text != '\0'; text++) {
        const char *end;
        char name[NAME] = "";
        bool closes;

        if (*text == '&')
            assert_true(strcspn(text, ";") < 8);
        if (*text != '<')
            continue;
        end = strchr(text, '>');
        assert_non_null(end);
        assert_int_equal(count(text, "'") % 2, 0);
        closes = text[1] == '/';
        sscanf(text + 1 + closes, "%15[a-zA-Z]", name);
        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < DEPTH);
            strcpy(open[depth++], name);
        }
        /* The next quotes belong to the next tag or text. */
        text = end;
    }
    assert_int_equal(depth, 0);
}

static void test_picture_shows_leader_deaths_and_finding(void **state)
{
    char *svg = draw_svg(good_body, 0, TRACE_NEVER, false);

    (void)state;
    check_well_formed(svg);
    assert_non_null(strstr(svg, "<title id='t'>1 is elected at t = 6; all is "
                                "over at t = 8 after 7 messages</title>"));
    assert_non_null(strstr(svg, "<desc"));
    assert_non_null(strstr(svg, "role='img'"));
    assert_non_null(strstr(svg, "1 is elected</text>"));
    assert_non_null(strstr(svg, ">t = 0</text>"));
    assert_non_null(strstr(svg, "fulcrum sim vitanyi --names 1,2 --seed 7"));
    /* The lane, the same lane again, the key. */
    assert_int_equal(count(svg, "<rect class='leader'"), 3);
    /* One message dies, and the key says what that looks like. */
    assert_int_equal(count(svg, " bar' d="), 2);
    /* Two hops of the winning claim, and the key. */
    assert_int_equal(count(svg, "class='winh'"), 3);
    assert_null(strstr(svg, "url(#alarm)"));
    free(svg);
}

static void test_picture_follows_the_theme_unless_dark_is_wished(void **state)
{
    char *svg = draw_svg(good_body, 0, TRACE_NEVER, false);

    (void)state;
    assert_non_null(strstr(svg, "prefers-color-scheme:dark"));
    assert_non_null(strstr(svg, "--paper:#FBFAF7"));
    free(svg);
    svg = draw_svg(good_body, 0, TRACE_NEVER, true);
    assert_null(strstr(svg, "prefers-color-scheme"));
    assert_null(strstr(svg, "--paper:#FBFAF7"));
    free(svg);
}

static void test_picture_of_a_violation_has_band_line_and_flag(void **state)
{
    char *svg = draw_svg("0 1 wake; is leader\n4 2 wake; is leader; violated "
                         "one-leader\nend 9 until\n", 0, TRACE_NEVER, false);

    (void)state;
    check_well_formed(svg);
    assert_non_null(strstr(svg, ">Two leaders at t = 4: 1 and 2</title>"));
    assert_non_null(strstr(svg, ">TWO LEADERS</text>"));
    assert_int_equal(count(svg, "fill='url(#alarm)'"), 1);
    assert_non_null(strstr(svg, "class='badtext' text-anchor='middle'"));
    free(svg);
}

/* Only what is in the ticks shown stands in the picture and its key. */
static void test_part_of_a_run_shows_only_that_part(void **state)
{
    char *svg = draw_svg(good_body, 0, 3, false);

    (void)state;
    check_well_formed(svg);
    assert_int_equal(count(svg, "<rect class='leader'"), 0);
    assert_null(strstr(svg, "sleepwell"));
    assert_non_null(strstr(svg, "shown: t = 0 to 3 of 8"));
    free(svg);
}

static void test_ticks_outside_the_run_are_refused(void **state)
{
    struct svg_options options = {.from = 50, .to = TRACE_NEVER};
    char error[TRACE_ERROR_SIZE] = "";
    struct svg_size size;
    struct trace t;

    (void)state;
    read_good(&t, good_body);
    assert_int_equal(svg_draw(stdout, &t, &options, &size, error,
                              sizeof error), -1);
    assert_non_null(strstr(error, "--from"));
    trace_free(&t);
}

/* A ring of many nodes: one wakes the next, the first hears of it again; then
 * nothing happens until the end. */
static char *long_ring(unsigned nodes, uint64_t hop, uint64_t end)
{
    char *text = NULL, *body = NULL;
    size_t length, body_length;
    FILE *file = open_memstream(&body, &body_length);

    assert_non_null(file);
    fprintf(file, "0 0 wake; send #0 M(0) to 1 arrives %" PRIu64
            "; is candidate\n", hop);
    for (unsigned i = 1; i < nodes; i++)
        fprintf(file, "%" PRIu64 " %u read #%u M(0); send #%u M(0) to %u "
                "arrives %" PRIu64 "; is lost\n", i * hop, i, i - 1, i,
                (i + 1) % nodes, (i + 1) * hop);
    fprintf(file, "%" PRIu64 " 0 read #%u M(0); is leader; knows 0\nend %"
            PRIu64 " quiet\n", nodes * hop, nodes - 1, end);
    fclose(file);
    file = open_memstream(&text, &length);
    assert_non_null(file);
    fprintf(file, "fulcrum-trace 1\nprotocol p\nproblem election\ntopology "
            "ring\ntime sync\nbounds 1:1:0:0\nnodes %u\nkind M claims M\n"
            "----\n%shash %016" PRIx64 "\n", nodes, body,
            XXH64(body, body_length, 0));
    fclose(file);
    free(body);
    return text;
}

static void check_long_ring(unsigned nodes, uint64_t end, const char *sign)
{
    struct svg_options options = {.to = TRACE_NEVER};
    char error[TRACE_ERROR_SIZE] = "", *svg = NULL;
    char *text = long_ring(nodes, 1, end);
    struct svg_size size;
    size_t length;
    FILE *file = open_memstream(&svg, &length);
    struct trace t;

    assert_non_null(file);
    if (parse(&t, text, strlen(text), error) < 0)
        fail_msg("%s", error);
    assert_int_equal(svg_draw(file, &t, &options, &size, error,
                              sizeof error), 0);
    fclose(file);
    check_well_formed(svg);
    assert_non_null(strstr(svg, sign));
    assert_non_null(strstr(svg, "leader"));
    assert_true(size.width <= 2000);
    assert_true(size.height <= 1400);
    assert_true(length < 1000000);
    trace_free(&t);
    free(text);
    free(svg);
}

/* Each regime of the zoom has its own marks: heads, hairlines, cells of
 * density, areas of shares. */
static void test_large_runs_lose_detail_in_order(void **state)
{
    (void)state;
    check_long_ring(12, 12, "class='winh'");
    check_long_ring(60, 60, "class='m win hairwin'");
    check_long_ring(140, 900, "class='cell level0' d='M");
    check_long_ring(3000, 3000, "class='losts'");
}

/* ---- The text diagram ---------------------------------------------------- */

static char *draw_text(const char *body, uint64_t from, bool ascii)
{
    char error[TRACE_ERROR_SIZE] = "", *text = NULL;
    size_t length;
    struct trace t;
    FILE *file = open_memstream(&text, &length);

    assert_non_null(file);
    read_good(&t, body);
    if (text_draw(file, &t, from, TRACE_NEVER, ascii, error,
                  sizeof error) < 0)
        fail_msg("%s", error);
    fclose(file);
    trace_free(&t);
    return text;
}

static void test_text_diagram_is_drawn_to_the_letter(void **state)
{
    static const char golden[] = "@UTF8@";
    char *text = draw_text(good_body, 0, false);

    (void)state;
    assert_string_equal(text, golden);
    free(text);
}

static void test_text_diagram_needs_nothing_but_ascii(void **state)
{
    static const char golden[] = "@ASCII@";
    char *text = draw_text(good_body, 0, true);

    (void)state;
    assert_string_equal(text, golden);
    free(text);
}

static void check_text_refused(const char *text, const char *word)
{
    char error[TRACE_ERROR_SIZE] = "";
    struct trace t;

    assert_int_equal(parse(&t, text, strlen(text), error), 0);
    assert_int_equal(text_draw(stdout, &t, 0, TRACE_NEVER, false, error,
                               sizeof error), -1);
    if (strstr(error, word) == NULL)
        fail_msg("expected %s in: %s", word, error);
    trace_free(&t);
}

static void test_text_diagram_refuses_what_does_not_fit(void **state)
{
    char *text = long_ring(9, 1, 9);

    (void)state;
    check_text_refused(text, "SVG");
    free(text);
    text = long_ring(3, 100, 300);
    check_text_refused(text, "--from");
    free(text);
}

/* ---- Files --------------------------------------------------------------- */

/* A new directory; `out` gets the path of a file in it. */
static void temporary_place(char directory[64], char path[96])
{
    strcpy(directory, "/tmp/fulcrum-draw-XXXXXX");
    assert_non_null(mkdtemp(directory));
    snprintf(path, 96, "%s/picture.svg", directory);
}

/* rmdir() succeeds only in an empty directory: nothing was left. */
static void test_abort_leaves_no_file(void **state)
{
    char directory[64], path[96], error[TRACE_ERROR_SIZE];
    struct output_file out;
    FILE *file;

    (void)state;
    temporary_place(directory, path);
    file = output_open(&out, path, error, sizeof error);
    assert_non_null(file);
    fputs("half a pic", file);
    output_abort(&out);
    assert_int_equal(rmdir(directory), 0);
}

static void test_commit_replaces_the_old_file(void **state)
{
    char directory[64], path[96], error[TRACE_ERROR_SIZE], line[16] = "";
    struct output_file out;
    FILE *file;

    (void)state;
    temporary_place(directory, path);
    for (int i = 0; i < 2; i++) {
        file = output_open(&out, path, error, sizeof error);
        assert_non_null(file);
        fprintf(file, "version %d", i);
        assert_int_equal(output_commit(&out, error, sizeof error), 0);
    }
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "version 1");
    fclose(file);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void test_full_device_is_an_error_with_a_reason(void **state)
{
    char error[TRACE_ERROR_SIZE] = "";
    struct output_file out;
    FILE *file = output_open(&out, "/dev/full", error, sizeof error);

    (void)state;
    assert_non_null(file);
    for (int i = 0; i < 100000; i++)
        fputs("a long picture ", file);
    assert_int_equal(output_commit(&out, error, sizeof error), -1);
    assert_non_null(strstr(error, "/dev/full"));
    assert_non_null(strstr(error, "space"));
    assert_int_equal(access("/dev/full", F_OK), 0);
}

/* The link stands for a file on a full disk: what is behind it takes no
 * bytes, and nothing may be left beside it. */
static void test_full_disk_leaves_no_partial_file(void **state)
{
    char directory[64], path[96], error[TRACE_ERROR_SIZE] = "";
    struct output_file out;
    FILE *file;

    (void)state;
    temporary_place(directory, path);
    assert_int_equal(symlink("/dev/full", path), 0);
    file = output_open(&out, path, error, sizeof error);
    assert_non_null(file);
    fputs("a picture", file);
    assert_int_equal(output_commit(&out, error, sizeof error), -1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void test_places_that_cannot_be_written_are_named(void **state)
{
    char error[TRACE_ERROR_SIZE] = "";
    struct output_file out;

    (void)state;
    assert_null(output_open(&out, "/nowhere/picture.svg", error,
                            sizeof error));
    assert_non_null(strstr(error, "/nowhere/picture.svg"));
    assert_non_null(strstr(error, "-o"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_are_joined),
        cmocka_unit_test(test_roles_become_intervals),
        cmocka_unit_test(test_unknown_keys_are_ignored),
        cmocka_unit_test(test_nodes_without_names_have_an_index),
        cmocka_unit_test(test_violations_are_kept_with_their_place),
        cmocka_unit_test(test_bad_heads_are_refused_with_line_and_reason),
        cmocka_unit_test(test_bad_events_are_refused_with_line_and_reason),
        cmocka_unit_test(test_incomplete_and_changed_traces_are_refused),
        cmocka_unit_test(test_files_that_cannot_be_read_are_named),
        cmocka_unit_test(test_no_damage_crashes_reader_or_drawing),
        cmocka_unit_test(test_picture_shows_leader_deaths_and_finding),
        cmocka_unit_test(
            test_picture_follows_the_theme_unless_dark_is_wished),
        cmocka_unit_test(test_picture_of_a_violation_has_band_line_and_flag),
        cmocka_unit_test(test_part_of_a_run_shows_only_that_part),
        cmocka_unit_test(test_ticks_outside_the_run_are_refused),
        cmocka_unit_test(test_large_runs_lose_detail_in_order),
        cmocka_unit_test(test_text_diagram_is_drawn_to_the_letter),
        cmocka_unit_test(test_text_diagram_needs_nothing_but_ascii),
        cmocka_unit_test(test_text_diagram_refuses_what_does_not_fit),
        cmocka_unit_test(test_abort_leaves_no_file),
        cmocka_unit_test(test_commit_replaces_the_old_file),
        cmocka_unit_test(test_full_device_is_an_error_with_a_reason),
        cmocka_unit_test(test_full_disk_leaves_no_partial_file),
        cmocka_unit_test(test_places_that_cannot_be_written_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
