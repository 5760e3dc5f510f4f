/*
 * test_draw.c - the diagrams of a trace, as SVG and as text.
 */
#include "tests/unit/kit/drawings.h"

/* ---- The picture --------------------------------------------------------- */

static char *draw_svg(const char *body, uint64_t from, uint64_t to, bool dark)
{
    return draw_svg_of(good_head, body, from, to, dark);
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
                         "one-leader\nend 9 until\n",
                         0, TRACE_NEVER, false);

    (void)state;
    check_well_formed(svg);
    assert_non_null(strstr(svg, ">Two leaders at t = 4: 1 and 2</title>"));
    assert_non_null(strstr(svg, ">TWO LEADERS</text>"));
    assert_int_equal(count(svg, "fill='url(#alarm)'"), 1);
    assert_non_null(strstr(svg, "class='badtext' text-anchor='middle'"));
    free(svg);
}

/* Each mark stands where it belongs and once in the key; the pause of the
 * first lane also in the lane that repeats it. */
static void test_picture_shows_what_goes_wrong(void **state)
{
    char *svg = draw_svg_of(fault_head, fault_body, 0, TRACE_NEVER, false);

    (void)state;
    check_well_formed(svg);
    assert_int_equal(count(svg, "class='crash' d="), 3);
    assert_int_equal(count(svg, "class='restart' d="), 3);
    assert_int_equal(count(svg, "<rect class='pause'"), 3);
    assert_int_equal(count(svg, "class='bracket' d="), 3);
    assert_int_equal(count(svg, "class='cut' d="), 2);
    assert_int_equal(count(svg, "<g opacity='.6'>"), 2);
    assert_int_equal(count(svg, "<g class='late'>"), 3);
    assert_int_equal(count(svg, ">later than dmax</text>"), 1);
    /* One message is lost on the way, one at a node that is down. */
    assert_int_equal(count(svg, " end' d="), 2);
    assert_int_equal(count(svg, ">blank</text>"), 1);
    assert_non_null(strstr(svg, ">comes to a node that is down</text>"));
    assert_non_null(strstr(svg, ">cut off from the others</text>"));
    /* The copy is no message of the protocol. */
    assert_non_null(strstr(svg, "after 7 messages</title>"));
    free(svg);
    svg = draw_svg(good_body, 0, TRACE_NEVER, false);
    assert_null(strstr(svg, "class='crash' d="));
    assert_null(strstr(svg, "later than dmax"));
    free(svg);
}

/* Nodes without names are positions, and nobody knows a name. */
static void test_leader_without_name_is_a_position(void **state)
{
    char head[TRACE_ROOM], *svg;

    (void)state;
    replace(head, good_head, "names 1,2\n", "");
    svg =
        draw_svg_of(head, "0 1 wake; chooses 1 of 2; is leader\nend 2 quiet\n",
                    0, TRACE_NEVER, false);
    check_well_formed(svg);
    assert_non_null(strstr(svg, ">position 1 is elected at t = 0; all is over "
                                "at t = 2 after 0 messages</title>"));
    assert_non_null(strstr(svg, ">position</text>"));
    free(svg);
    svg = draw_svg_of(head,
                      "0 0 wake; is leader\n1 1 wake; is leader; "
                      "violated one-leader\nend 2 quiet\n",
                      0, TRACE_NEVER, false);
    assert_non_null(strstr(svg, ">Two leaders at t = 1: positions 0 and 1<"));
    free(svg);
}

/* One that is down does not lead; one whose memory is lost does not either. */
static void test_leaders_that_crashed_are_no_offenders(void **state)
{
    char *svg = draw_svg("0 1 wake; is leader\n1 1 crash\n2 2 wake; is leader; "
                         "violated agreement\nend 3 quiet\n",
                         0, TRACE_NEVER, false);

    (void)state;
    assert_non_null(
        strstr(svg, ">Nodes disagree on the leader at t = 2</title>"));
    free(svg);
    svg = draw_svg("0 1 wake; is leader\n1 1 crash\n2 2 wake; is leader\n3 1 "
                   "restart; violated one-leader\nend 3 quiet\n",
                   0, TRACE_NEVER, false);
    assert_non_null(strstr(svg, ">Two leaders at t = 3: 1 and 2</title>"));
    free(svg);
}

/* Only rings repeat their first lane. */
static void test_only_rings_repeat_their_first_lane(void **state)
{
    static const char *const lines[] = {
        "topology ring-both\n",
        "topology complete\n",
        "topology tree\n",
    };
    char head[TRACE_ROOM], *svg;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        replace(head, good_head, "topology ring\n", lines[i]);
        svg = draw_svg_of(head, good_body, 0, TRACE_NEVER, false);
        check_well_formed(svg);
        assert_int_equal(count(svg, ">again</text>"), i == 0);
        free(svg);
    }
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
    struct net_why why = {0};
    struct svg_size size;
    struct trace t;

    (void)state;
    read_good(&t, good_body);
    assert_false(svg_draw(stdout, &t, &options, &size, &why));
    assert_non_null(strstr(why.text, "--from"));
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
    fprintf(file,
            "0 0 wake; send #0 M(0) to 1 arrives %" PRIu64 "; is candidate\n",
            hop);
    for (unsigned i = 1; i < nodes; i++)
        fprintf(file,
                "%" PRIu64 " %u read #%u M(0); send #%u M(0) to %u "
                "arrives %" PRIu64 "; is lost\n",
                i * hop, i, i - 1, i, (i + 1) % nodes, (i + 1) * hop);
    fprintf(file,
            "%" PRIu64 " 0 read #%u M(0); is leader; knows 0\nend %" PRIu64
            " quiet\n",
            nodes * hop, nodes - 1, end);
    fclose(file);
    file = open_memstream(&text, &length);
    assert_non_null(file);
    fprintf(file,
            "fulcrum-trace 1\nprotocol p\nproblem election\ntopology "
            "ring\ntime sync\nbounds 1:1:0:0\nnodes %u\nkind M claims M\n"
            "----\n%shash %016" PRIx64 "\n",
            nodes, body, XXH64(body, body_length, 0));
    fclose(file);
    free(body);
    return text;
}

static void check_long_ring(unsigned nodes, uint64_t end, const char *sign)
{
    struct svg_options options = {.to = TRACE_NEVER};
    struct net_why why = {0};
    char *svg = NULL;
    char *text = long_ring(nodes, 1, end);
    struct svg_size size;
    size_t length;
    FILE *file = open_memstream(&svg, &length);
    struct trace t;

    assert_non_null(file);
    if (!parse(&t, text, strlen(text), &why))
        fail_msg("%s", why.text);
    assert_true(svg_draw(file, &t, &options, &size, &why));
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
    return draw_text_of(good_head, body, from, ascii);
}

static void test_text_diagram_is_drawn_to_the_letter(void **state)
{
    static const char golden[] =
        "1 is elected at t = 6; all is over at t = 8 after 7 messages\n"
        "vitanyi, f=exp:2 first-wait=one, 2 nodes, ring, synchronous, seed 7\n"
        "\n"
        "   t  1                  2                 (1)\n"
        "   0  ┃ candidate        ┃ candidate        ┃\n"
        "      ┃╌ wake-up ╌╌╮     ┃╌ wake-up ╌╌╮     ┃\n"
        "   1  ┃            ╰╌╌╌╌►┃            ╰╌╌╌╌►┃\n"
        "      ┃                  ┃                  ┃\n"
        "   2  ┃                  ┃                  ┃\n"
        "      ┃─ M₁ ──╮          ┃─ M₂ ──╮          ┃\n"
        "   3  ┃       ╰─────────►▒ rests ╰─────────┤┃  M₂ dies\n"
        "      ┃                  ▒                  ┃\n"
        "   4  ┃                  ▒                  ┃\n"
        "      ┃                  ▒                  ┃\n"
        "   5  ┃                  │ lost             ┃\n"
        "      ┃                  │─ M₁ ──╮          ┃\n"
        "   6  █ elected          │       ╰─────────►█  1 is elected\n"
        "      █╌ sleepwell ╌╌╮   │                  █\n"
        "   7  █              ╰╌╌►┊ done             █\n"
        "      █                  ┊╌ sleepwell ╌╌╮   █\n"
        "   8  ┊ done             ┊              ╰╌╌►┊\n"
        "\n"
        "┊ asleep or done   │ awake or lost   ┃ candidate   "
        "▒ a message rests   █ leader\n"
        "┤ dies\n"
        "again: fulcrum sim vitanyi --names 1,2 --seed 7\n";
    char *text = draw_text(good_body, 0, false);

    (void)state;
    assert_string_equal(text, golden);
    free(text);
}

static void test_text_diagram_needs_nothing_but_ascii(void **state)
{
    static const char golden[] =
        "1 is elected at t = 6; all is over at t = 8 after 7 messages\n"
        "vitanyi, f=exp:2 first-wait=one, 2 nodes, ring, synchronous, seed 7\n"
        "\n"
        "   t  1                  2                 (1)\n"
        "   0  H candidate        H candidate        H\n"
        "      H~ wake-up ~~.     H~ wake-up ~~.     H\n"
        "   1  H            '~~~~>H            '~~~~>H\n"
        "      H                  H                  H\n"
        "   2  H                  H                  H\n"
        "      H- M(1) --.        H- M(2) --.        H\n"
        "   3  H         '------->% rests   '-------xH  M(2) dies\n"
        "      H                  %                  H\n"
        "   4  H                  %                  H\n"
        "      H                  %                  H\n"
        "   5  H                  | lost             H\n"
        "      H                  |- M(1) --.        H\n"
        "   6  # elected          |         '------->#  1 is elected\n"
        "      #~ sleepwell ~~.   |                  #\n"
        "   7  #              '~~>: done             #\n"
        "      #                  :~ sleepwell ~~.   #\n"
        "   8  : done             :              '~~>:\n"
        "\n"
        ": asleep or done   | awake or lost   H candidate   "
        "% a message rests   # leader\n"
        "x dies\n"
        "again: fulcrum sim vitanyi --names 1,2 --seed 7\n";
    char *text = draw_text(good_body, 0, true);

    (void)state;
    assert_string_equal(text, golden);
    free(text);
}

static const char faults_as_text[] =
    "1 is elected at t = 9; all is over at t = 9 after 7 messages\n"
    "shaky, 4 nodes, ring, both ways, Archimedean time, seed 9, 2 crashes, 2\n"
    "restarts, 1 pause, 1 node cut off, 1 message lost, 1 duplicate, 2 "
    "messages late\n"
    "\n"
    "   t  3            1            4            2           (3)\n"
    "   0  ┃ candidate  ┃ candidate  ┊            ┊            ┃  3 "
    "chooses 2 of 5\n"
    "      ┃─ M₃ ──×    ┃─ M₁ ──╮    ┊            ┊            ┃\n"
    "      ┃            ┃─M₁′─╮ ╎    ┊            ┊            ┃\n"
    "   1  ┃            ┃     ╎ ╎    ┊            ╳ crashes    ┃  2 "
    "crashes\n"
    "      ┃            ┃     ╎ ╎    ┊               ╭╌ call ╌╌┃\n"
    "   2  ‖ pauses     ┃     ╎ ╰───►│ awake       ×╌╯         ‖  3 "
    "pauses\n"
    "      ┃            ┃     ╎      │─ M₁ ──╮                 ┃\n"
    "   3  ‖            ┃     ╎      │       ╎    │ awake      ‖  2 "
    "restarts, blank\n"
    "      ┃            ┃     ╎      │  ╭╌╌╌╌┼call│            ┃\n"
    "   4  ‖            ┃     ╰─────┤│◄╌╯    ╎    │            ‖  M₁′ is "
    "late by 1\n"
    "      ┃            ┃            │       ╎    │            ┃  1 is cut "
    "off\n"
    "      ┃            ┃            │       ╎    │            ┃  M₁′ "
    "dies\n"
    "   5  ┃            ┃            ╳       ╎    │            ┃  4 "
    "crashes\n"
    "      ┃            ┃                    ╎    │            ┃\n"
    "   6  ┃            ┃ joined             ╎    │            ┃  1 is "
    "joined again\n"
    "      ┃            ┃                    ╎    │            ┃\n"
    "   7  ┃            ┃                    ╰───►│ lost       ┃  M₁ is "
    "late by 2\n"
    "      ┃            ┃                         │─ M₁ ──╮    ┃\n"
    "   8  │ lost       ┃            │ restarts   │       ╰───►│  4 "
    "restarts\n"
    "      │─ M₁ ──╮    ┃            │            │            │\n"
    "   9  │       ╰───►█ elected    │            │            │  1 is "
    "elected\n"
    "\n"
    "┊ asleep or done   │ awake or lost   ┃ candidate   █ leader   ┤ dies  "
    " × lost\n"
    "╳ crashes   ‖ paused   ′ copy\n"
    "again: fulcrum sim shaky --seed 9\n";

/* Lost, doubled, late and missed messages; crash, pause, cut; a message back
 * from the first lane leaves the lane that repeats it. */
static void test_text_diagram_shows_what_goes_wrong(void **state)
{
    char *text = draw_text_of(fault_head, fault_body, 0, false);

    (void)state;
    assert_string_equal(text, faults_as_text);
    free(text);
}

static const char complete_as_text[] =
    "position 0 is elected at t = 2; all is over at t = 2 after 4 "
    "messages\n"
    "shaky, 4 nodes, complete graph, Archimedean time, seed 9\n"
    "\n"
    "   t  0             1             2             3\n"
    "   0  ┃ candidate   ┊             ┊             ┊\n"
    "      ┃─ M ──╮      ┊             ┊             ┊\n"
    "      ┃─ M ──┼──────┼──────╮      ┊             ┊\n"
    "      ┃─ M ──┼──────┼──────┼──────┼──────╮      ┊\n"
    "   1  ┃      ╰─────►│ lost ╎      ┊      ╰─────►┊\n"
    "      ┃             │      ╎      ┊   ╭╌ call ╌╌┊\n"
    "   2  █ elected     │      ╰─────┤┊   ╎         ┊  position 0 is "
    "elected\n"
    "      █◄╌╌╌╌╌╌╌╌╌╌╌╌┼╌╌╌╌╌╌╌╌╌╌╌╌╌┼╌╌╌╯         ┊  M dies\n"
    "\n"
    "┊ asleep or done   │ awake or lost   ┃ candidate   █ leader   ┤ dies\n"
    "again: fulcrum sim shaky --seed 9\n";

/* A message to a lane farther away passes the lanes between. */
static void test_text_diagram_crosses_lanes(void **state)
{
    static const char *const cuts[][2] = {
        {"topology ring-both\n", "topology complete\n"},
        {"names 3,1,4,2\n", ""},
        {"kind call calls", "kind call tells"},
    };
    char head[TRACE_ROOM], before[TRACE_ROOM], *text;

    (void)state;
    snprintf(head, sizeof head, "%s", fault_head);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(before, head, sizeof before);
        replace(head, before, cuts[i][0], cuts[i][1]);
    }
    text = draw_text_of(head,
                        "0 0 wake; send #0 M to 1 arrives 1; send #1 M to 2 "
                        "arrives 2; send #2 M to 3 arrives 1; is candidate\n"
                        "1 1 read #0 M; is lost\n"
                        "1 3 read #2 M; send #3 call to 0 arrives 2\n"
                        "2 2 read #1 M; dies\n"
                        "2 0 read #3 call; is leader\n"
                        "end 2 quiet\n",
                        0, false);
    assert_string_equal(text, complete_as_text);
    free(text);
}

static void check_text_refused(const char *text, const char *word)
{
    struct text_options options = {.to = TRACE_NEVER};
    struct net_why why = {0};
    struct trace t;

    assert_true(parse(&t, text, strlen(text), &why));
    assert_false(text_draw(stdout, &t, &options, &why));
    if (strstr(why.text, word) == NULL)
        fail_msg("expected %s in: %s", word, why.text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture_shows_leader_deaths_and_finding),
        cmocka_unit_test(test_picture_follows_the_theme_unless_dark_is_wished),
        cmocka_unit_test(test_picture_of_a_violation_has_band_line_and_flag),
        cmocka_unit_test(test_picture_shows_what_goes_wrong),
        cmocka_unit_test(test_leader_without_name_is_a_position),
        cmocka_unit_test(test_leaders_that_crashed_are_no_offenders),
        cmocka_unit_test(test_only_rings_repeat_their_first_lane),
        cmocka_unit_test(test_part_of_a_run_shows_only_that_part),
        cmocka_unit_test(test_ticks_outside_the_run_are_refused),
        cmocka_unit_test(test_large_runs_lose_detail_in_order),
        cmocka_unit_test(test_text_diagram_is_drawn_to_the_letter),
        cmocka_unit_test(test_text_diagram_needs_nothing_but_ascii),
        cmocka_unit_test(test_text_diagram_shows_what_goes_wrong),
        cmocka_unit_test(test_text_diagram_crosses_lanes),
        cmocka_unit_test(test_text_diagram_refuses_what_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
