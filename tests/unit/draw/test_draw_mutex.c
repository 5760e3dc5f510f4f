/*
 * test_draw_mutex.c - diagrams of mutual exclusion, of tokens, and of readers
 * and writers.
 */
#include "tests/unit/kit/drawings.h"

/* ---- States and messages ------------------------------------------------- */

static char *draw_mutex(const char *body)
{
    return draw_svg_of(mutex_head, body, 0, TRACE_NEVER, false);
}

/* mutex_body with some text replaced. */
static char *draw_changed(const char *from, const char *to)
{
    char body[TRACE_ROOM];

    replace(body, mutex_body, from, to);
    return draw_mutex(body);
}

static void has(const char *svg, const char *text)
{
    if (strstr(svg, text) == NULL)
        fail_msg("expected \"%s\" in: %.400s", text, strstr(svg, "<title"));
}

/* Each state stands in its lanes and once in the key. */
static void test_states_have_their_bars_and_words(void **state)
{
    char *svg = draw_mutex(mutex_body);

    (void)state;
    check_well_formed(svg);
    has(svg, ">3 sites enter 3 times, 1 to read, nobody beside a writer; 6 "
             "messages by t = 12</title>");
    has(svg, ">sharp, 3 sites, complete graph");
    has(svg, ">site</text>");
    assert_int_equal(count(svg, "<rect class='inside'"), 3);
    assert_int_equal(count(svg, "<rect class='beside'"), 2);
    assert_int_equal(count(svg, "<rect class='asking'"), 3);
    assert_int_equal(count(svg, "<rect class='waiting'"), 3);
    assert_int_equal(count(svg, "<line class='asleep'"), 2);
    /* Sites idle before the first event: 3 does, the others want at once. */
    assert_int_equal(count(svg, "<rect class='awake'"), 5);
    /* Twice in a bar, once in the key; a reader has a letter in both. */
    assert_int_equal(count(svg, ">inside</text>"), 3);
    assert_int_equal(count(svg, ">R</text>"), 2);
    assert_int_equal(count(svg, "<circle class='want'"), 4);
    assert_int_equal(count(svg, "height='28'"), 3);
    free(svg);
}

/* Mute looks like lost, and the key says which it is. */
static void test_key_says_only_what_occurs(void **state)
{
    char *svg = draw_changed("9 1 leave; is idle", "9 1 leave; is mute");

    (void)state;
    assert_int_equal(count(svg, "<line class='lost'"), 2);
    has(svg, ">mute</text>");
    assert_null(strstr(svg, ">lost</text>"));
    assert_null(strstr(svg, ">awake</text>"));
    free(svg);
}

/* With many lanes the highest bars are lower. */
static void test_bars_are_lower_with_many_lanes(void **state)
{
    char head[TRACE_ROOM], *svg;

    (void)state;
    replace(head, mutex_head, "nodes 3\nnames 1,2,3",
            "nodes 8\nnames 1,2,3,4,5,6,7,8");
    svg = draw_svg_of(head, mutex_body, 0, TRACE_NEVER, false);
    assert_int_equal(count(svg, "height='28'"), 0);
    assert_true(count(svg, "height='20'") >= 3);
    free(svg);
}

/* Grants end in a circle, refusals in a bar, tokens are double with a disc. */
static void test_messages_end_by_their_meaning(void **state)
{
    char *svg = draw_mutex(mutex_body);

    (void)state;
    assert_int_equal(count(svg, "<circle class='granth'"), 2);
    assert_int_equal(count(svg, "<path class='refuse bar'"), 2);
    assert_int_equal(count(svg, "<circle class='tokenh'"), 2);
    assert_int_equal(count(svg, "<path class='m token'"), 4);
    assert_int_equal(count(svg, "<circle class='ring'"), 1);
    has(svg, ">read, no answer</text>");
    free(svg);
}

/* Frames are hidden, and the key says so; asked for, they are lines without
 * heads. */
static void test_frames_are_hidden_unless_asked_for(void **state)
{
    struct svg_options options = {.to = TRACE_NEVER, .frames = true};
    struct net_why why = {0};
    char *svg = draw_mutex(mutex_body);
    struct svg_size size;
    struct trace t;
    size_t length;
    FILE *file;

    (void)state;
    assert_int_equal(count(svg, "<path class='m frame'"), 1);
    has(svg, ">alive (not shown)</text>");
    free(svg);
    file = open_memstream(&svg, &length);
    assert_non_null(file);
    read_trace(&t, mutex_head, mutex_body);
    assert_true(svg_draw(file, &t, &options, &size, &why));
    fclose(file);
    assert_int_equal(count(svg, "<path class='m frame'"), 2);
    assert_null(strstr(svg, "frameh"));
    has(svg, ">alive</text>");
    trace_free(&t);
    free(svg);
}

/* ---- Violations ---------------------------------------------------------- */

/* Band, flag, line and outlines as long as both are inside, and no longer. */
static void test_two_inside_are_marked_while_they_are(void **state)
{
    char *svg = draw_changed("4 1 read #3 negative; is waits",
                             "4 1 read #3 negative; is inside; violated "
                             "exclusion");

    (void)state;
    check_well_formed(svg);
    has(svg, ">Two inside at t = 4: 1 and 2</title>");
    has(svg, ">TWO INSIDE</text>");
    has(svg, ">at once</text>");
    assert_int_equal(count(svg, "fill='url(#alarm)'"), 1);
    /* Two outlines, the arrow, the line. */
    assert_int_equal(count(svg, "class='badline'"), 4);
    assert_int_equal(count(svg, "z'/>"), 2);
    has(svg, "class='badtext' text-anchor='middle'");
    free(svg);
}

/* Whoever comes in the same tick was inside at that time too. */
static void test_all_of_the_tick_are_counted(void **state)
{
    char *svg = draw_mutex("1 1 want; is inside\n1 2 want; is inside; violated "
                           "exclusion\n1 3 want; is inside\n2 1 leave; is "
                           "idle\nend 4 quiet\n");

    (void)state;
    has(svg, ">Three inside at t = 1: 1, 2 and 3</title>");
    has(svg, ">THREE INSIDE</text>");
    free(svg);
}

/* A trace says it once; pictures find the other times. */
static void test_later_overlaps_are_found(void **state)
{
    char *svg = draw_mutex("0 1 want; is inside\n"
                           "2 2 want; is inside; violated exclusion\n"
                           "4 1 leave; is idle\n"
                           "6 1 want; is inside\n"
                           "8 2 leave; is idle\n"
                           "9 3 want; is inside\n"
                           "9 1 leave; is idle\n"
                           "12 3 leave; is idle\n"
                           "end 14 quiet\n");

    (void)state;
    has(svg, ">Two inside at t = 2: 1 and 2; 2 times more later</title>");
    assert_int_equal(count(svg, "fill='url(#alarm)'"), 3);
    assert_int_equal(count(svg, "class='badthin'"), 2);
    free(svg);
}

static void test_reader_beside_a_writer_is_named(void **state)
{
    char *svg = draw_changed("9 1 leave; is idle\n10 3 timeout 0; is inside, "
                             "shared\n",
                             "9 3 timeout 0; is inside, shared; violated "
                             "exclusion\n11 1 leave; is idle\n");

    (void)state;
    has(svg, ">Two inside at t = 9: 1 and 3, 1 of them to read</title>");
    assert_int_equal(count(svg, "fill='url(#alarm)'"), 1);
    free(svg);
    svg = draw_mutex("0 1 want; is inside\n2 2 want-shared; is inside, shared; "
                     "violated exclusion\n4 1 leave; is idle\n6 3 want; is "
                     "inside\n8 2 leave; is idle\nend 9 quiet\n");
    has(svg, "1 of them to read; once more later</title>");
    assert_int_equal(count(svg, "fill='url(#alarm)'"), 2);
    free(svg);
}

/* Where several may be inside, the title says how many were. */
static void test_more_may_be_inside(void **state)
{
    char *svg = draw_changed("4 1 read #3 negative; is waits",
                             "4 1 read #3 negative; is inside");

    (void)state;
    has(svg, "at most 2 inside together; 6 messages");
    assert_null(strstr(svg, "url(#alarm)'"));
    free(svg);
}

/* One that is down is not inside. */
static void test_crashed_sites_are_not_inside(void **state)
{
    char *svg = draw_mutex("0 1 want; is inside\n1 1 crash\n2 2 want; is "
                           "inside\n3 1 restart; violated exclusion\n4 2 "
                           "crash\nend 5 quiet\n");

    (void)state;
    has(svg, ">Two inside at t = 3: 1 and 2</title>");
    assert_int_equal(count(svg, "fill='url(#alarm)'"), 1);
    free(svg);
    svg = draw_mutex("0 1 want; is inside\n1 1 crash\n2 2 want; is inside\n3 "
                     "1 restart, blank\nend 5 quiet\n");
    has(svg, ">2 of 3 sites enter 2 times, never two inside; 0 messages by");
    free(svg);
    /* Coming back is not entering once more. */
    svg = draw_mutex("0 1 want; is inside\n1 1 crash\n2 1 restart\n3 1 leave; "
                     "is idle\nend 5 quiet\n");
    has(svg, ">1 of 3 sites enters once, never two inside; 0 messages by");
    free(svg);
}

/* From where they began to wait. */
static void test_those_left_waiting_are_outlined(void **state)
{
    char start[24] = "", line[32];
    char *svg = draw_mutex("0 1 want; is inside\n1 2 want; is waits\n2 3 want; "
                           "is sleeps\n3 1 leave; is idle\nend 4 quiet\n"
                           "violated everyone-enters\n");

    (void)state;
    has(svg, ">2 and 3 still wait when nothing is left to do, at t = 4<");
    has(svg, ">TWO LEFT WAITING</text>");
    assert_int_equal(count(svg, "class='badline'"), 3);
    assert_null(strstr(svg, ">at once</text>"));
    sscanf(strstr(svg, "<rect class='waiting'"),
           "<rect class='waiting' x='%23[0-9.]", start);
    snprintf(line, sizeof line, "H%sV", start);
    has(svg, line);
    free(svg);
    svg = draw_mutex("0 1 want; is waits\nend 4 quiet\nviolated "
                     "everyone-enters\n");
    has(svg, ">1 still waits when nothing is left to do, at t = 4<");
    has(svg, ">ONE LEFT WAITING</text>");
    free(svg);
}

static void test_other_properties_have_sentences(void **state)
{
    static const char *const words[][3] = {
        {"12 3 leave", "12 3 leave; violated token-grows",
         ">3 enters with a token that is not greater, at t = 12<"},
        {"end 12 quiet\n", "end 12 until\nviolated ends\n",
         ">The run is not over at t = 12<"},
        {"end 12 quiet\n", "end 12 until\nviolated beauty\n",
         ">Beauty is violated when the run ends at t = 12<"},
    };

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        char *svg = draw_changed(words[i][0], words[i][1]);

        has(svg, words[i][2]);
        free(svg);
    }
}

/* ---- Tokens, readers and writers ----------------------------------------- */

static char *draw_problem(const char *problem, const char *body)
{
    char head[TRACE_ROOM];

    replace(head, mutex_head, "problem mutex", problem);
    return draw_svg_of(head, body, 0, TRACE_NEVER, false);
}

static void test_one_token_is_found(void **state)
{
    /* 1 makes one, 2 another; 3 removes that, and keeps the first a while. */
    static const char two[] =
        "0 1 wake; send #0 token to 2 arrives 1\n"
        "1 2 read #0 token; send #1 token to 3 arrives 2; is idle, rests\n"
        "2 2 timeout 0; send #2 token to 3 arrives 5\n"
        "4 3 read #1 token\n";
    char body[TRACE_ROOM], *svg;

    (void)state;
    snprintf(body, sizeof body,
             "%s6 3 read #2 token; dies\n9 3 timeout 0; send #3 token to 1 "
             "arrives 12\nend 10 until\n",
             two);
    svg = draw_problem("problem token", body);
    check_well_formed(svg);
    has(svg, ">One token from t = 6 on; 4 messages by t = 10</title>");
    has(svg, ">would remove a token</text>");
    has(svg, ">station</text>");
    free(svg);
    snprintf(body, sizeof body, "%send 10 until\nviolated one-token\n", two);
    svg = draw_problem("problem token", body);
    has(svg, ">Two tokens at t = 10, when the run ends</title>");
    has(svg, ">TWO TOKENS</text>");
    free(svg);
    svg = draw_problem("problem token",
                       "0 1 wake; send #0 token to 2 lost\nend 1 until\n"
                       "violated one-token\n");
    has(svg, ">No token at t = 1, when the run ends</title>");
    free(svg);
    /* One that is there only for a moment is not enough. */
    svg = draw_problem("problem token",
                       "8 1 wake; send #0 token to 2 arrives 12\nend 9 until\n"
                       "violated one-token\n");
    has(svg, ">One token only from t = 8 on, and the run ends at t = 9<");
    has(svg, ">ONE TOO LATE</text>");
    free(svg);
}

/* A crash takes the token that waited there, once. */
static void test_tokens_die_with_their_station(void **state)
{
    char *svg = draw_problem("problem token",
                             "0 1 wake; send #0 token to 2 arrives 1\n"
                             "0 3 wake; send #1 token to 2 arrives 1\n"
                             "1 2 read #1 token\n2 2 crash\n3 2 restart\n"
                             "4 2 crash\n5 1 timeout 0; send #2 token to 3 "
                             "arrives 9\nend 6 until\n");

    (void)state;
    has(svg, ">One token from t = 5 on; 3 messages by t = 6</title>");
    free(svg);
}

/* Readers and writers of registers; a problem that is not known has no worse
 * words. */
static void test_reads_and_writes_are_counted(void **state)
{
    static const char *const problems[] = {"problem store", "problem riddle"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char *svg = draw_problem(problems[i],
                                 "0 1 wake; is writes\n1 2 wake; is reads\n"
                                 "2 1 timeout 0; is idle\n4 2 timeout 0; is "
                                 "idle\n4 3 wake; is reads\nend 6 quiet\n");

        has(svg, ">1 write and 2 reads by t = 6</title>");
        assert_int_equal(count(svg, "<rect class='inside'"), 2);
        assert_int_equal(count(svg, "<rect class='beside'"), 3);
        has(svg, ">writes</text>");
        free(svg);
    }
}

/* ---- Long runs ----------------------------------------------------------- */

/* Everybody gets inside, in turn, and leaves in the same tick. */
static char *draw_turns(unsigned nodes, uint64_t pace)
{
    struct svg_options options = {.to = TRACE_NEVER};
    struct net_why why = {0};
    char *body = NULL, *text = NULL, *svg = NULL;
    struct svg_size size;
    size_t length, body_length;
    FILE *file = open_memstream(&body, &body_length);
    struct trace t;

    assert_non_null(file);
    for (unsigned i = 0; i < nodes; i++)
        fprintf(file,
                "%" PRIu64 " %u want; send #%u request to %u arrives %" PRIu64
                "; is inside\n%" PRIu64 " %u leave; is idle\n",
                i * pace, i, i, (i + 1) % nodes, i * pace + 1, i * pace, i);
    fprintf(file, "end %" PRIu64 " quiet\n", nodes * pace);
    fclose(file);
    file = open_memstream(&text, &length);
    assert_non_null(file);
    fprintf(file,
            "fulcrum-trace 1\nprotocol p\nproblem mutex\ntopology complete\n"
            "time sync\nbounds 1:1:0:0\nnodes %u\nkind request asks REQ\n"
            "----\n%shash %016" PRIx64 "\n",
            nodes, body, XXH64(body, body_length, 0));
    fclose(file);
    free(body);
    if (!parse(&t, text, strlen(text), &why))
        fail_msg("%s", why.text);
    free(text);
    file = open_memstream(&svg, &length);
    assert_non_null(file);
    assert_true(svg_draw(file, &t, &options, &size, &why));
    fclose(file);
    trace_free(&t);
    check_well_formed(svg);
    return svg;
}

/* The number behind a text, which must be there. */
static double number_after(const char *svg, const char *text)
{
    const char *at = strstr(svg, text);
    char *end = NULL;
    double number = 0;

    assert_non_null(at);
    if (at != NULL)
        number = strtod(at + strlen(text), &end);
    assert_true(at + strlen(text) != end);
    return number;
}

/* A site inside is seen at every zoom, at least 3 px wide: as a bar, as a thin
 * bar, and as one that has its columns whatever else is in them. */
static void test_inside_is_never_lost(void **state)
{
    char *svg = draw_turns(12, 2);

    (void)state;
    assert_true(number_after(strstr(svg, "<rect class='inside'"), "width='") >=
                3);
    free(svg);
    for (unsigned i = 0; i < 2; i++) {
        const char *bar;
        double start;

        svg = i == 0 ? draw_turns(50, 6) : draw_turns(100, 60);
        bar = strstr(svg, "<path class='thin insidet'");
        assert_non_null(bar);
        bar = strstr(bar, " d='");
        assert_memory_equal(bar, " d='M", 5); /* there is one */
        start = number_after(bar, "M");
        assert_true(number_after(bar, "H") - start >= 3);
        free(svg);
    }
}

/* Where lanes are no lanes any more, one of them inside has a height of 3. */
static void test_inside_has_its_share(void **state)
{
    char *svg = draw_turns(500, 40);
    const char *inside = strstr(svg, "class='insides' d='M");
    const char *awake = strstr(svg, "class='awakes' d='M");
    double height;

    (void)state;
    assert_non_null(inside);
    assert_non_null(awake);
    height = number_after(strstr(awake, "='M"), " ") -
             number_after(strstr(inside, "='M"), " ");
    assert_true(height > 2.9 && height < 3.1);
    free(svg);
}

/* ---- Below the title ----------------------------------------------------- */

/* Of many parameters only those that were typed are named. */
static void test_subtitle_names_what_was_typed(void **state)
{
    static const char line[] =
        "seed 5\nset rules=printed window=auto modulus=none number=auto "
        "noted=auto giveup=none restart=auto poll=auto longest=none tau=8 "
        "repeat=auto frames=needed\n";
    char some[TRACE_ROOM], head[TRACE_ROOM], *svg;

    (void)state;
    replace(some, mutex_head, "seed 5\n", line);
    replace(head, some, "sharp --seed", "sharp --set rules=printed --seed");
    svg = draw_svg_of(head, mutex_body, 0, TRACE_NEVER, false);
    has(svg, ">sharp, rules=printed, 3 sites, complete");
    free(svg);
    svg = draw_svg_of(some, mutex_body, 0, TRACE_NEVER, false);
    has(svg, ">sharp, 3 sites, complete");
    free(svg);
}

/* ---- The text diagram ---------------------------------------------------- */

static const char mutex_as_text[] =
    "3 sites enter 3 times, 1 to read, nobody beside a writer; 6 messages by "
    "t = 12\n"
    "sharp, 3 sites, complete graph, Archimedean time, seed 5\n"
    "\n"
    "   t  1             2             3\n"
    "   0  ┊ sleeps      ▒ asks        │\n"
    "      ┊   ╭─ REQ₁ ──▒             │\n"
    "   1  ┊○──╯         ▒             │         1 is silent\n"
    "      ┊             ▒             │\n"
    "   2  ▒ asks        ▒             │\n"
    "      ▒─ REQ₁ ──╮   ▒             │\n"
    "   3  ▒         ╰──►█ enters      │         2 enters, token 65537\n"
    "      ▒     ╭─ no ──█             │\n"
    "   4  ▒◄────╯       █             │\n"
    "      ▒             █             │\n"
    "   5  ▒             █             │\n"
    "      ▒             █             │\n"
    "   6  ▒             │ leaves      │\n"
    "      ▒    ╭─ yes ──│─ tok ──╮    │\n"
    "   7  █◄───╯        │        ╎    ▒ waits   1 enters, token 131072\n"
    "      █             │        ╎    ▒         3 wants to read\n"
    "   8  █             │        ╰───►▒\n"
    "      █             │             ▒\n"
    "   9  │ leaves      │             ▒\n"
    "      │             │             ▒\n"
    "  10  │             │             ▓ reads   3 reads\n"
    "      │             │             ▓\n"
    "  11  │             │             ▓\n"
    "      │             │             ▓\n"
    "  12  │             │             │ leaves\n"
    "\n"
    "┊ sleeps   │ idle   ▒ asks or waits   █ inside   ▓ inside, reads   ○ no "
    "answer\n"
    "again: fulcrum sim sharp --seed 5\n";

static void test_text_diagram_shows_who_is_inside(void **state)
{
    char *text = draw_text_of(mutex_head, mutex_body, 0, false);

    (void)state;
    assert_string_equal(text, mutex_as_text);
    free(text);
    text = draw_text_of(mutex_head, mutex_body, 0, true);
    has(text, "\n  10  |               |               R reads   3 reads\n");
    has(text, "# inside   R inside, reads");
    free(text);
}

static void test_text_diagram_shows_frames_if_asked_for(void **state)
{
    struct text_options options = {.to = TRACE_NEVER, .frames = true};
    struct net_why why = {0};
    char *text = NULL;
    size_t length;
    struct trace t;
    FILE *file = open_memstream(&text, &length);

    (void)state;
    assert_non_null(file);
    read_trace(&t, mutex_head, mutex_body);
    assert_true(text_draw(file, &t, &options, &why));
    fclose(file);
    has(text, " alive ");
    trace_free(&t);
    free(text);
}

static void test_text_diagram_says_two_inside(void **state)
{
    char body[TRACE_ROOM], *text;

    (void)state;
    replace(body, mutex_body, "4 1 read #3 negative; is waits",
            "4 1 read #3 negative; is inside; violated exclusion");
    text = draw_text_of(mutex_head, body, 0, false);
    has(text, "✗ TWO INSIDE\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_have_their_bars_and_words),
        cmocka_unit_test(test_key_says_only_what_occurs),
        cmocka_unit_test(test_bars_are_lower_with_many_lanes),
        cmocka_unit_test(test_messages_end_by_their_meaning),
        cmocka_unit_test(test_frames_are_hidden_unless_asked_for),
        cmocka_unit_test(test_two_inside_are_marked_while_they_are),
        cmocka_unit_test(test_all_of_the_tick_are_counted),
        cmocka_unit_test(test_later_overlaps_are_found),
        cmocka_unit_test(test_reader_beside_a_writer_is_named),
        cmocka_unit_test(test_more_may_be_inside),
        cmocka_unit_test(test_crashed_sites_are_not_inside),
        cmocka_unit_test(test_those_left_waiting_are_outlined),
        cmocka_unit_test(test_other_properties_have_sentences),
        cmocka_unit_test(test_one_token_is_found),
        cmocka_unit_test(test_tokens_die_with_their_station),
        cmocka_unit_test(test_reads_and_writes_are_counted),
        cmocka_unit_test(test_inside_is_never_lost),
        cmocka_unit_test(test_inside_has_its_share),
        cmocka_unit_test(test_subtitle_names_what_was_typed),
        cmocka_unit_test(test_text_diagram_shows_who_is_inside),
        cmocka_unit_test(test_text_diagram_shows_frames_if_asked_for),
        cmocka_unit_test(test_text_diagram_says_two_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
