/*
 * sweep_print.c - the rows of a sweep as a table on the terminal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/sweep.h"
#include "lab/run/point.h"

enum { COLUMNS_MAX = LAB_WORDS_MAX + 8, NUMBER_SIZE = 40 };

/* What is shown, as far as it was measured. */
static const char *const quantities[] = {"messages_per_entry", "messages",
                                         "granting_delay", "end"};

static const char *decimal(double value, char out[NUMBER_SIZE])
{
    if (isfinite(value))
        return cli_decimal(value, out, NUMBER_SIZE);
    return cli_dash();
}

/* How wide a text is: a sign of several bytes is one column. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += (*text & 0xC0) != 0x80;
    return width;
}

static void pad(const char *text, int width, bool left)
{
    int blanks = width - width_of(text);

    printf("%*s%s%*s", left ? 0 : blanks, "", text, left ? blanks : 0, "");
}

static const char *text_of(json_t *row, const char *key, char out[NUMBER_SIZE])
{
    json_t *value = json_object_get(row, key);

    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        snprintf(out, NUMBER_SIZE, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
    else
        snprintf(out, NUMBER_SIZE, "%g", json_number_value(value));
    return out;
}

/* The first two that some row has. */
static uint32_t choose(json_t *rows, const char *out[2])
{
    struct lab_point p;
    uint32_t count = 0;
    json_t *row;
    size_t i;

    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++) {
        bool any = false;

        json_array_foreach(rows, i, row)
        {
            any |= lab_point_read(&p, row, quantities[q], 0.05);
        }
        if (any && count < 2)
            out[count++] = quantities[q];
    }
    return count;
}

static void print_numbers(json_t *row, const char *const *of, uint32_t count)
{
    char text[NUMBER_SIZE];
    struct lab_point p;

    for (uint32_t i = 0; i < count; i++) {
        if (!lab_point_read(&p, row, of[i], 0.05))
            p = (struct lab_point){NAN, {NAN, NAN}, NAN, 0, false};
        putchar(' ');
        pad(decimal(p.mean, text), 10, false);
        putchar(' ');
        pad(decimal((p.within.high - p.within.low) / 2, text), 8, false);
        putchar(' ');
        pad(decimal(p.greatest, text), 9, false);
    }
}

/* An axis without a width has one value, and is not shown. */
static void print_row(const struct lab_swept *of, json_t *row,
                      const int *widths, const char *const *shown,
                      uint32_t count)
{
    char text[NUMBER_SIZE];
    json_int_t violated = json_integer_value(json_object_get(row, "violated"));

    for (uint32_t i = 0; i < of->grid->count; i++)
        if (widths[i]) {
            pad(text_of(row, of->grid->axis[i].key, text), widths[i], false);
            printf("  ");
        }
    if (!json_object_get(row, "runs")) {
        printf("%s not made\n", cli_cross());
        return;
    }
    pad(text_of(row, "runs", text), 7, false);
    print_numbers(row, shown, count);
    if (violated)
        printf("  %s %" JSON_INTEGER_FORMAT " violated", cli_cross(), violated);
    putchar('\n');
}

static void print_head(const struct lab_swept *of, const int *widths,
                       const char *const *shown, uint32_t count)
{
    int indent = 7;

    for (uint32_t i = 0; i < of->grid->count; i++)
        indent += widths[i] ? widths[i] + 2 : 0;
    printf("%*s", indent, "");
    for (uint32_t i = 0; i < count; i++) {
        char name[NUMBER_SIZE];
        size_t length = strlen(shown[i]);

        for (size_t k = 0; k <= length && k < sizeof name; k++)
            name[k] = (char)(shown[i][k] == '_' ? ' ' : shown[i][k]);
        printf(" %28s", name);
    }
    putchar('\n');
    for (uint32_t i = 0; i < of->grid->count; i++)
        if (widths[i]) {
            pad(of->grid->axis[i].key, widths[i], false);
            printf("  ");
        }
    printf("%7s", "runs");
    for (uint32_t i = 0; i < count; i++) {
        printf(" %10s ", "mean");
        pad(cli_is_utf8() ? "±" : "+-", 8, false);
        printf(" %9s", "greatest");
    }
    putchar('\n');
}

void cli_sweep_print(const struct lab_swept *of, json_t *rows)
{
    const char *shown[2] = {0};
    uint32_t count = choose(rows, shown);
    int widths[LAB_WORDS_MAX] = {0};
    char text[NUMBER_SIZE];
    json_t *row;
    size_t k;

    for (uint32_t i = 0; i < of->grid->count; i++) {
        const char *key = of->grid->axis[i].key;

        if (of->grid->axis[i].count == 1)
            continue;
        widths[i] = width_of(key);
        json_array_foreach(rows, k, row)
        {
            int width = width_of(text_of(row, key, text));

            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
    printf("%s\n\n", of->protocol);
    print_head(of, widths, shown, count);
    json_array_foreach(rows, k, row)
    {
        print_row(of, row, widths, shown, count);
    }
    printf("\n%s 95 %% of such intervals contain the mean; from %d runs on\n",
           cli_is_utf8() ? "±" : "+-", LAB_RUNS_LEAST);
}
