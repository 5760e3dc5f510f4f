/*
 * values.c - see values.h.
 */
#include "lab/formula/values.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- Reading ------------------------------------------------------------- */

static bool refuse_table(const struct fc_protocol *p, struct net_why *why)
{
    struct sim_columns columns;
    const char *comma = " ";

    net_refuse(why, "the tables of %s are", p->name);
    for (enum sim_table_kind i = 0; i < SIM_TABLES; i++) {
        sim_columns(&columns, p, i);
        if (columns.count)
            net_add(why, "%s%s", comma, sim_table_words[i]);
        comma = ", ";
    }
    return false;
}

static bool find_table(struct lab_value *v, const char *word, size_t length,
                       const struct fc_protocol *p)
{
    for (enum sim_table_kind i = 0; i < SIM_TABLES; i++)
        if (strlen(sim_table_words[i]) == length &&
            memcmp(sim_table_words[i], word, length) == 0) {
            v->table = i;
            sim_columns(&v->columns, p, i);
            return v->columns.count > 0;
        }
    return false;
}

/* Every column has a number, no two the same and none 0: a formula without a
 * value is wrong as it is written.  But it may be divided by a condition, as in
 * attempts/(node > 1), to leave out lines of which that is false. */
static bool try_out(struct lab_value *v, struct net_why *why)
{
    struct lab_number number;

    for (uint32_t i = 0; i < v->columns.count; i++)
        v->letters[v->letters_count + i] = (struct lab_letter){
            v->columns.name[i], lab_whole(1009 + 31 * (int64_t)i)};
    v->letters[v->letters_count + v->columns.count].name = NULL;
    if (lab_evaluate_in(&v->scope, v->formula, &number, why) ||
        (strcmp(why->text, "a division by 0") == 0 &&
         strpbrk(v->formula, "=<>")))
        return true;
    net_add(why, "; columns of %s are", sim_table_words[v->table]);
    for (uint32_t i = 0; i < v->columns.count; i++)
        net_add(why, "%s%s", i ? ", " : " ", v->columns.name[i]);
    return false;
}

/* The columns come before the letters of the network: these stand behind. */
static void set_letters(struct lab_value *v, const struct net *net)
{
    struct lab_letter all[LAB_LETTERS_MAX];
    uint32_t count = lab_letters(net, all);

    v->letters_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool column = false;

        for (uint32_t c = 0; c < v->columns.count; c++)
            column |= strcmp(v->columns.name[c], all[i].name) == 0;
        if (!column)
            v->letters[v->letters_count++] = all[i];
    }
}

bool lab_value_read(struct lab_value *v, const char *text,
                    const struct net *net, struct net_why *why)
{
    size_t length = strcspn(text, "=");
    const char *table = text + length + 1, *colon;

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_.-", text[i]))
            length = 0;
    colon = length && text[length] ? strchr(table, ':') : NULL;
    if (!colon || length >= LAB_VALUE_NAME)
        return net_refuse(why, "write NAME=TABLE:FORMULA, such as "
                               "share=entry:refusals/awake");
    memcpy(v->name, text, length);
    v->name[length] = '\0';
    v->formula = colon + 1;
    if (!find_table(v, table, (size_t)(colon - table), net->protocol))
        return refuse_table(net->protocol, why);
    set_letters(v, net);
    v->scope = lab_scope_of(net, v->letters);
    return try_out(v, why);
}

/* ---- Summing up ---------------------------------------------------------- */

static void merge(struct lab_sum *s, const struct lab_sum *next)
{
    double a = (double)s->count, b = (double)next->count;
    double apart = next->mean - s->mean;

    if (next->count == 0)
        return;
    if (s->count == 0) {
        *s = *next;
        return;
    }
    if (next->min < s->min) {
        s->min = next->min;
        s->min_run = next->min_run;
    }
    if (next->max > s->max) {
        s->max = next->max;
        s->max_run = next->max_run;
    }
    s->count += next->count;
    s->mean += apart * b / (a + b);
    s->squares += next->squares + apart * apart * a * b / (a + b);
}

static void add_number(struct lab_sum *s, double number, uint64_t run)
{
    const struct lab_sum one = {1, number, 0, number, number, run, run};

    merge(s, &one);
}

double lab_sum_sd(const struct lab_sum *s)
{
    return s->count > 1 ? sqrt(s->squares / (double)(s->count - 1)) : 0;
}

/* ---- Runs ---------------------------------------------------------------- */

/* What a column has no number of is not a letter in this row. */
static void set_row(struct lab_letter *to, const struct sim_columns *columns,
                    const uint64_t *row)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (row[i] <= INT64_MAX)
            *to++ = (struct lab_letter){columns->name[i],
                                        lab_whole((int64_t)row[i])};
    to->name = NULL;
}

void lab_value_run(const struct lab_value *v, const struct sim_records *r,
                   uint64_t run, struct lab_value_sum *out)
{
    const struct sim_rows *rows = &r->table[v->table];
    struct lab_letter letters[SIM_COLUMNS_MAX + LAB_LETTERS_MAX];
    struct lab_scope scope = v->scope;

    *out = (struct lab_value_sum){0};
    scope.letters = letters;
    memcpy(letters, v->letters, v->letters_count * sizeof *letters);
    for (size_t i = 0; i < rows->count; i++) {
        struct lab_number number;

        set_row(letters + v->letters_count, &v->columns,
                rows->cell + i * rows->width);
        if (lab_evaluate_in(&scope, v->formula, &number, NULL))
            add_number(&out->records, number.value, run);
        else
            out->left_out++;
    }
    if (out->records.count)
        add_number(&out->runs, out->records.mean, run);
}

void lab_value_merge(struct lab_value_sum *all, const struct lab_value_sum *run)
{
    merge(&all->records, &run->records);
    merge(&all->runs, &run->runs);
    all->left_out += run->left_out;
}
