/*
 * test_timeline.c - intervals in lanes, as text and as SVG.
 */
#include <stdio.h>
#include <stdlib.h>

#include "draw/chart/timeline.h"
#include "tests/unit/kit/testing.h"

static const char *const lanes[] = {"a", "long", "c"};

static const struct timeline_interval intervals[] = {
    {0, TIMELINE_UP, 0, 1000000},         {0, TIMELINE_WAITS, 100000, 300000},
    {0, TIMELINE_INSIDE, 300000, 500000}, {1, TIMELINE_UP, 0, 600000},
    {1, TIMELINE_DOWN, 600000, 800000},   {1, TIMELINE_LEADS, 500000, 650000},
    {2, TIMELINE_FROZEN, 200000, 900000}, {2, TIMELINE_INSIDE, 400000, 400000},
};

static struct timeline all(void)
{
    return (struct timeline){.title = "Two & <three>",
                             .subtitle = "sub",
                             .command = "fulcrum \"x\"",
                             .lanes = lanes,
                             .lanes_count = COUNT(lanes),
                             .intervals = intervals,
                             .intervals_count = COUNT(intervals),
                             .from = 0,
                             .to = 1000000,
                             .unit = 1000000,
                             .unit_name = "s"};
}

/* What is written; to be freed. */
static char *text_of(const struct timeline *t, unsigned columns, bool utf8)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    timeline_text(file, t, columns, utf8);
    assert_int_equal(fclose(file), 0);
    return text;
}

static char *svg_of(const struct timeline *t)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    timeline_svg(file, t);
    assert_int_equal(fclose(file), 0);
    return text;
}

static uint32_t count_of(const char *text, const char *word)
{
    uint32_t count = 0;

    for (; (text = strstr(text, word)); text++)
        count++;
    return count;
}

/* Twenty columns: 50 000 each. */
TEST(test_lanes_show_who_was_what_when)
{
    struct timeline t = all();
    char *text = text_of(&t, 27, false);

    assert_string_equal(text, "  s    0.0       0.5\n"
                              "  a    --::::####----------\n"
                              "  long ----------LLX\n"
                              "  c        ====#=========\n"
                              "\n"
                              "  # inside   L leads   : waits   = frozen"
                              "   X killed   - runs\n");
    free(text);
}

TEST(test_lanes_in_utf8)
{
    struct timeline t = all();
    char *text = text_of(&t, 27, true);

    assert_non_null(strstr(text, "──▒▒▒▒████──────────\n"));
    assert_non_null(strstr(text, "──────────▓▓✗\n"));
    assert_non_null(strstr(text, "║║║║█║║║║║║║║║\n"));
    free(text);
}

/* What stands in a line at a column; a blank behind its end. */
static int sign_at(const char *text, int line, size_t column)
{
    size_t at = 0;

    for (; line > 0; line--)
        at += strcspn(text + at, "\n") + 1;
    return column < strcspn(text + at, "\n") ? text[at + column] : ' ';
}

/* Two that follow each other must not seem to overlap. */
TEST(test_neighbours_share_no_column)
{
    struct timeline t = all();
    struct timeline_interval two[2];

    t.intervals = two;
    t.intervals_count = 2;
    t.lanes_count = 2;
    for (uint64_t at = 60000; at < 940000; at += 7000) {
        char *text;

        two[0] = (struct timeline_interval){0, TIMELINE_INSIDE, 0, at};
        two[1] = (struct timeline_interval){1, TIMELINE_INSIDE, at, 1000000};
        text = text_of(&t, 27, false);
        for (size_t i = 7; i < 27; i++)
            assert_int_equal(
                (sign_at(text, 1, i) == '#') + (sign_at(text, 2, i) == '#'), 1);
        free(text);
    }
}

/* An instant is seen at any width, also at the very end. */
TEST(test_shortest_stay_is_seen)
{
    struct timeline t = all();
    struct timeline_interval one = {0, TIMELINE_INSIDE, 0, 0};

    t.intervals = &one;
    t.intervals_count = 1;
    for (one.from = 0; one.from <= 1000000; one.from += 50000) {
        char *text;

        one.to = one.from;
        text = text_of(&t, 27, false);
        assert_int_equal(count_of(text, "#"), 2); /* and in the key */
        free(text);
    }
}

TEST(test_what_is_outside_is_not_shown)
{
    struct timeline t = all();
    char *text;

    t.from = 700000;
    text = text_of(&t, 27, false);
    assert_null(strchr(text, '#'));
    assert_null(strchr(text, ':'));
    assert_int_equal(count_of(text, "X"), 1); /* in the key alone */
    free(text);
}

TEST(test_labels_are_round_and_apart)
{
    static const uint64_t ends[] = {1, 7, 100, 4637000, 1000000, 86400000000};
    struct timeline t = all();

    for (size_t i = 0; i < COUNT(ends); i++) {
        uint64_t step;

        t.to = ends[i];
        step = timeline_step(&t, 70, 9);
        assert_true((double)step * 70 >= (double)ends[i] * 9);
        while (step % 10 == 0)
            step /= 10;
        assert_true(step == 1 || step == 2 || step == 5);
    }
}

TEST(test_picture_has_all_bars_and_escapes_words)
{
    struct timeline t = all();
    char *svg = svg_of(&t);

    assert_non_null(strstr(svg, "<title>Two &amp; &lt;three&gt;</title>"));
    assert_non_null(strstr(svg, "fulcrum &quot;x&quot;"));
    /* each once more in the key */
    assert_int_equal(count_of(svg, "<rect class='inside'"), 3);
    assert_int_equal(count_of(svg, "<rect class='leader'"), 2);
    assert_int_equal(count_of(svg, "<rect class='waiting'"), 2);
    assert_int_equal(count_of(svg, "<rect class='pause'"), 2);
    assert_int_equal(count_of(svg, "<path class='bracket'"), 2);
    assert_int_equal(count_of(svg, "<path class='crash'"), 2);
    assert_int_equal(count_of(svg, "<rect class='awake'"), 3);
    assert_int_equal(count_of(svg, "<defs>"), count_of(svg, "</defs>"));
    assert_non_null(strstr(svg, "</svg>\n"));
    free(svg);
}

/* A cross must not disappear under the bar of what the dead one held. */
TEST(test_signs_lie_over_the_bars)
{
    struct timeline t = all();
    char *svg = svg_of(&t);

    assert_true(strstr(svg, "<path class='crash'") >
                strstr(svg, "<rect class='leader'"));
    assert_true(strstr(svg, "<rect class='pause'") >
                strstr(svg, "<rect class='inside'"));
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_show_who_was_what_when),
        cmocka_unit_test(test_lanes_in_utf8),
        cmocka_unit_test(test_neighbours_share_no_column),
        cmocka_unit_test(test_shortest_stay_is_seen),
        cmocka_unit_test(test_what_is_outside_is_not_shown),
        cmocka_unit_test(test_labels_are_round_and_apart),
        cmocka_unit_test(test_picture_has_all_bars_and_escapes_words),
        cmocka_unit_test(test_signs_lie_over_the_bars),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
