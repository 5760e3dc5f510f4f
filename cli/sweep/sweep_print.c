/*
 * sweep_print.c - the rows of a sweep as a table on the terminal.
 */
#include <math.h>

#include "cli/cli.h"
#include "cli/sweep/sweep.h"
#include "lab/run/table.h"

/* The columns to show, as far as they were measured. */
static const char *const quantities[] = {"messages_per_entry", "messages",
                                         "granting_delay", "end"};

static const char *decimal(double value, char out[LAB_TEXT_SIZE])
{
    if (!isfinite(value))
        return cli_dash();
    snprintf(out, LAB_TEXT_SIZE, "%.1f", value);
    return out;
}

static const char *whole(double value, char out[LAB_TEXT_SIZE])
{
    return isfinite(value) ? cli_decimal(value, out, LAB_TEXT_SIZE)
                           : cli_dash();
}

/* How wide a text is: a sign of several bytes is one column. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += (*text & 0xC0) != 0x80;
    return width;
}

/* To the right. */
static void pad(const char *text, int width)
{
    printf("%*s%s", width - width_of(text), "", text);
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
    char text[LAB_TEXT_SIZE];
    struct lab_point p;

    for (uint32_t i = 0; i < count; i++) {
        if (!lab_point_read(&p, row, of[i], 0.05))
            p = (struct lab_point){NAN, {NAN, NAN}, NAN, 0, false};
        putchar(' ');
        pad(decimal(p.mean, text), 10);
        putchar(' ');
        pad(decimal((p.within.high - p.within.low) / 2, text), 8);
        putchar(' ');
        pad(whole(p.greatest, text), 9);
    }
}

/* The columns and their widths. */
struct layout {
    int widths[LAB_WORDS_MAX]; /* of the axes; 0: it has one value */
    const char *shown[2];
    uint32_t count;
    bool violated; /* some run was */
};

static void print_row(const struct lab_swept *of, json_t *row,
                      const struct layout *l)
{
    char text[LAB_TEXT_SIZE];

    for (uint32_t i = 0; i < of->grid->count; i++)
        if (l->widths[i]) {
            pad(lab_row_text(row, of->grid->axis[i].key, text), l->widths[i]);
            printf("  ");
        }
    if (!json_object_get(row, "runs")) {
        printf("%s not made\n", cli_cross());
        return;
    }
    pad(lab_row_text(row, "runs", text), 7);
    if (l->violated)
        pad(lab_row_text(row, "violated", text), 9);
    print_numbers(row, l->shown, l->count);
    putchar('\n');
}

static void print_head(const struct lab_swept *of, const struct layout *l)
{
    int indent = l->violated ? 16 : 7;

    for (uint32_t i = 0; i < of->grid->count; i++)
        indent += l->widths[i] ? l->widths[i] + 2 : 0;
    printf("%*s", indent, "");
    for (uint32_t i = 0; i < l->count; i++) {
        char name[LAB_TEXT_SIZE];

        snprintf(name, sizeof name, "%s", l->shown[i]);
        for (char *c = name; *c; c++)
            *c = (char)(*c == '_' ? ' ' : *c);
        printf(" %28s", name);
    }
    putchar('\n');
    for (uint32_t i = 0; i < of->grid->count; i++)
        if (l->widths[i]) {
            pad(of->grid->axis[i].key, l->widths[i]);
            printf("  ");
        }
    printf("%7s%s", "runs", l->violated ? " violated" : "");
    for (uint32_t i = 0; i < l->count; i++) {
        printf(" %10s ", "mean");
        pad(cli_is_utf8() ? "±" : "+-", 8);
        printf(" %9s", "greatest");
    }
    putchar('\n');
}

static void lay_out(struct layout *l, const struct lab_swept *of, json_t *rows)
{
    char text[LAB_TEXT_SIZE];
    json_t *row;
    size_t k;

    *l = (struct layout){0};
    l->count = choose(rows, l->shown);
    json_array_foreach(rows, k, row)
    {
        l->violated |= json_integer_value(json_object_get(row, "violated")) > 0;
        for (uint32_t i = 0; i < of->grid->count; i++) {
            const char *key = of->grid->axis[i].key;
            int width = width_of(lab_row_text(row, key, text));

            width = width > width_of(key) ? width : width_of(key);
            if (of->grid->axis[i].count > 1 && width > l->widths[i])
                l->widths[i] = width;
        }
    }
}

void cli_sweep_print(const struct lab_swept *of, json_t *rows)
{
    struct layout l;
    json_t *row;
    size_t k;

    lay_out(&l, of, rows);
    printf("%s\n\n", of->protocol);
    print_head(of, &l);
    json_array_foreach(rows, k, row)
    {
        print_row(of, row, &l);
    }
    printf("\n%s 95 %% of such intervals contain the mean; from %d runs on\n",
           cli_is_utf8() ? "±" : "+-", LAB_RUNS_LEAST);
}
