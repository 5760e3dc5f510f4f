/*
 * test_draw_signs.c - what a picture says by its signs: kinds of messages,
 * lateness, trees, attempts, steps without time; and plots.
 */
#include "tests/unit/kit/drawings.h"

#include "draw/chart/plot.h"
#include "draw/svg/pen.h"

static const char head[] = "fulcrum-trace 1\n"
                           "protocol sharp\n"
                           "problem mutex\n"
                           "topology complete\n"
                           "time sync\n"
                           "bounds 1:1:0:0\n"
                           "nodes 3\n"
                           "names 1,2,3\n"
                           "steps 1+0,1+0,1+0\n"
                           "seed 7\n"
                           "command fulcrum sim sharp --seed 7\n"
                           "kind ask asks time?\n"
                           "kind request asks REQ\n"
                           "kind stamp grants time\n"
                           "kind reply grants ok\n";

static char *draw_head(const char *from, const char *to, const char *body)
{
    char changed[TRACE_ROOM];

    replace(changed, head, from, to);
    return draw_svg_of(changed, body, 0, TRACE_NEVER, false);
}

/* Replaces a part of a head once more. */
static void change(char text[TRACE_ROOM], const char *from, const char *to)
{
    char before[TRACE_ROOM];

    memcpy(before, text, sizeof before);
    replace(text, before, from, to);
}

static char *draw(const char *body)
{
    return draw_svg_of(head, body, 0, TRACE_NEVER, false);
}

static void has(const char *svg, const char *text)
{
    if (strstr(svg, text) == NULL)
        fail_msg("expected \"%s\" in: %.9000s", text, svg);
}

/* Two kinds that mean the same have two lines and two heads. */
static void test_kinds_of_one_meaning_differ(void **state)
{
    char *svg = draw("0 1 want; send #0 ask to 2 arrives 1; send #1 request to "
                     "2 arrives 1; is waits\n"
                     "1 2 read #0 ask; send #2 stamp to 1 arrives 2\n"
                     "1 2 read #1 request; send #3 reply to 1 arrives 2\n"
                     "2 1 read #2 stamp\n2 1 read #3 reply\nend 2 quiet\n");

    (void)state;
    check_well_formed(svg);
    /* Each in the picture and in the key. */
    assert_int_equal(count(svg, "<path class='m ask' "), 2);
    assert_int_equal(count(svg, "<path class='m ask v1' "), 2);
    assert_int_equal(count(svg, "<path class='askh'"), 2);
    assert_int_equal(count(svg, "<path class='askoh'"), 2);
    assert_int_equal(count(svg, "<circle class='granth'"), 2);
    assert_int_equal(count(svg, "<path class='granth'"), 2);
    has(svg, ">request REQ</text>");
    has(svg, ">reply ok</text>");
    free(svg);
}

/* One tick late is late: it has arrived, and waits. */
static void test_message_that_is_read_late_waits(void **state)
{
    char *svg = draw("0 1 want; send #0 request to 2 arrives 1; is waits\n"
                     "2 2 read #0 request\nend 2 quiet\n");

    (void)state;
    has(svg, "class='m ask v1 queue'");
    has(svg, ">has arrived, waits to be read</text>");
    free(svg);
}

/* What the checker finds without time has steps, no ticks and no seed. */
static void test_steps_are_not_time(void **state)
{
    char timeless[TRACE_ROOM] = "", *svg;

    (void)state;
    replace(timeless, head, "time sync\nbounds 1:1:0:0\n",
            "time async\nbounds 1:131072:0:131072\n");
    change(timeless, "steps 1+0,1+0,1+0\n", "");
    change(timeless, "fulcrum sim sharp --seed 7", "fulcrum check sharp");
    svg = draw_svg_of(timeless,
                      "0 1 want; is inside\n1 2 want; is inside; violated "
                      "exclusion\nend 1 quiet\n",
                      0, TRACE_NEVER, false);
    has(svg, ">Two inside at step 1: 1 and 2</title>");
    has(svg, ">step 0</text>");
    assert_null(strstr(svg, "seed"));
    assert_null(strstr(svg, "ticks"));
    assert_null(strstr(svg, "131"));
    assert_null(strstr(svg, "<line class='grid'"));
    free(svg);
    svg = draw_text_of(timeless, "0 1 want; is inside\nend 1 quiet\n", 0, true);
    has(svg, "\nstep  1 ");
    free(svg);
}

/* The tree is the one that is told, or that of the messages; what messages
 * show only in part is not drawn. */
static void test_tree_stands_beside_the_lanes(void **state)
{
    char *svg = draw_head("complete", "tree",
                          "0 1 want; send #0 request to 2 arrives 1; is waits\n"
                          "1 2 read #0 request; send #1 request to 3 arrives "
                          "2\nend 2 quiet\n");

    (void)state;
    has(svg, ">the tree</text>");
    assert_int_equal(count(svg, "<circle class='node'"), 3);
    free(svg);
    svg = draw_head("complete", "tree",
                    "0 1 want; send #0 request to 2 arrives 1; is waits\n"
                    "end 2 quiet\n");
    assert_null(strstr(svg, ">the tree</text>"));
    free(svg);
}

/* An attempt has a step for each word and two more; the read goes on until one
 * succeeds. */
static void test_attempts_are_seen(void **state)
{
    char *svg;
    static const char body[] = "0 1 want; is reads\n"
                               "1 1 timeout 0\n2 1 timeout 0\n3 1 timeout 0\n"
                               "4 1 timeout 0\n5 1 timeout 0\n"
                               "6 1 timeout 0; is idle\nend 6 quiet\n";
    char store[TRACE_ROOM] = "";

    (void)state;
    replace(store, head, "problem mutex", "problem store");
    change(store, "seed 7\n", "set words=1\nseed 7\n");
    svg = draw_svg_of(store, body, 0, TRACE_NEVER, false);
    has(svg, ">0 writes and 1 read by t = 6; 2 attempts at most</title>");
    assert_int_equal(count(svg, "<path class='again'"), 2);
    free(svg);
    change(store, "words=1", "words=4");
    svg = draw_svg_of(store, body, 0, TRACE_NEVER, false);
    assert_null(strstr(svg, "<path class='again'"));
    free(svg);
}

/* Parameters are shown as they are used. */
static void test_values_that_are_used_are_shown(void **state)
{
    struct svg_options options = {.to = TRACE_NEVER, .set = "lease=18"};
    struct net_why why = {0};
    char *svg = NULL;
    struct svg_size size;
    struct trace t;
    size_t length;
    FILE *file = open_memstream(&svg, &length);

    (void)state;
    assert_non_null(file);
    read_trace(&t, head, "0 1 want; is inside\nend 1 quiet\n");
    assert_true(svg_draw(file, &t, &options, &size, &why));
    fclose(file);
    has(svg, ">sharp, lease=18, 3 sites");
    trace_free(&t);
    free(svg);
}

/* ---- Plots --------------------------------------------------------------- */

static char *plot(const struct plot_series *series, uint32_t count_of,
                  const char *title)
{
    struct plot p = {
        .title = title,
        .subtitle = "s",
        .command = "c",
        .x_label = "x",
        .y_label = "y",
        .series = series,
        .series_count = count_of,
    };
    char *svg = NULL;
    size_t length;
    FILE *file = open_memstream(&svg, &length);

    assert_non_null(file);
    plot_draw(file, &p);
    fclose(file);
    return svg;
}

/* Each series has a colour and a mark; a bound is dashed ink, beside the marks
 * of those it is for. */
static void test_series_and_bounds_are_told_apart(void **state)
{
    static const struct plot_series series[] = {
        {"one", PLOT_MEASURED, 0, 2, {10, 100}, {4, 8}, {5, 9}, {0}, {0}},
        {"two", PLOT_MEASURED, 0, 2, {10, 100}, {4, 8}, {4, 8}, {0}, {0}},
        {"both", PLOT_BOUND, 3, 2, {10, 100}, {6, 9}, {0}, {0}, {0}},
    };
    char *svg = plot(series, 3, "t");

    (void)state;
    check_well_formed(svg);
    assert_int_equal(count(svg, "<path class='plotline line0'"), 1);
    assert_int_equal(count(svg, "<path class='plotline line1'"), 1);
    /* At its points, at its name and at its bound. */
    assert_int_equal(count(svg, "<path class='full series0 "), 4);
    assert_int_equal(count(svg, "<path class='full series1 "), 4);
    assert_int_equal(count(svg, "<path class='most line0'"), 3);
    assert_null(strstr(svg, "<path class='most line1'"));
    assert_int_equal(count(svg, "<path class='bound'"), 2);
    /* The axis ends with the data. */
    assert_int_equal(count(svg, ">100</text>"), 1);
    assert_null(strstr(svg, ">1000</text>"));
    free(svg);
}

/* Nothing is below the logarithmic axis, and a long title has several lines. */
static void test_plots_hold_all_there_is(void **state)
{
    static const struct plot_series series[] = {
        {"none", PLOT_MEASURED, 0, 2, {1, 2}, {0, 3}, {0}, {0}, {0}},
    };
    char *svg = plot(series, 1,
                     "a title that is longer than a line of the picture can be "
                     "because it says all there is to be said of the runs");

    (void)state;
    has(svg, ">0</text>");
    assert_int_equal(count(svg, "<text class='title'"), 2);
    free(svg);
    svg = plot(series, 0, "t");
    check_well_formed(svg);
    free(svg);
}

/* A linear axis begins at 0, and equal differences are equally far apart; the
 * intervals of neighbours are one band. */
static void test_linear_axes_and_intervals(void **state)
{
    static const struct plot_series series[] = {
        {"one",
         PLOT_MEASURED,
         0,
         3,
         {0, 5, 10},
         {1, 2, 3},
         {0},
         {0.5, 1.5, 2.5},
         {1.5, 2.5, 4.5}},
    };
    struct plot p = {
        .title = "t",
        .subtitle = "s",
        .command = "c",
        .x_label = "x",
        .y_label = "y",
        .series = series,
        .series_count = 1,
        .linear_x = true,
        .linear_y = true,
    };
    char *svg = NULL;
    size_t length;
    FILE *file = open_memstream(&svg, &length);

    (void)state;
    assert_non_null(file);
    plot_draw(file, &p);
    fclose(file);
    check_well_formed(svg);
    /* 4.5 is in sight: lines at 0, 1, ..., 5. */
    assert_int_equal(count(svg, "<line class='grid'"), 6);
    has(svg, ">4</text>");
    /* From 88 to 560, with 5 in the middle of 0 and 10. */
    has(svg, "<path class='axis' d='M324 ");
    assert_int_equal(count(svg, "<path class='series0' opacity='.16'"), 3);
    has(svg, "where the mean is, with 95 % confidence");
    free(svg);
}

/* Words are measured as a wide font writes them. */
static void test_width_is_that_of_the_letters(void **state)
{
    (void)state;
    assert_true(pen_width("mmm", 10) > pen_width("iii", 10) * 3);
    assert_true(pen_bold("one", 10) > pen_width("one", 10));
    assert_true(pen_width("\xe2\x82\x81", 10) < pen_width("1", 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_of_one_meaning_differ),
        cmocka_unit_test(test_message_that_is_read_late_waits),
        cmocka_unit_test(test_steps_are_not_time),
        cmocka_unit_test(test_tree_stands_beside_the_lanes),
        cmocka_unit_test(test_attempts_are_seen),
        cmocka_unit_test(test_values_that_are_used_are_shown),
        cmocka_unit_test(test_series_and_bounds_are_told_apart),
        cmocka_unit_test(test_plots_hold_all_there_is),
        cmocka_unit_test(test_linear_axes_and_intervals),
        cmocka_unit_test(test_width_is_that_of_the_letters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
