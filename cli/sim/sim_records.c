/*
 * sim_records.c - fulcrum sim --records and --value (see sim.h).
 */
#include "cli/sim/sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Where a thread works. */
struct desk {
    struct cli_recorder *of;
    FILE *file; /* the rows of one run; or NULL */
    char *text;
    size_t size;
    const char *comma;          /* before the next of a list */
    struct lab_value_sum *sums; /* of the run, for each value */
};

/* ---- Rows ---------------------------------------------------------------- */

void cli_recorder_head(const struct cli_recorder *r)
{
    for (enum sim_table_kind t = 0; r->file && t < SIM_TABLES; t++) {
        const struct sim_columns *c = &r->columns[t];

        if (!c->count)
            continue;
        fprintf(r->file, "%s,run%s", sim_table_words[t],
                t == SIM_TABLE_RUN ? ",seed" : "");
        for (uint32_t i = 0; i < c->count; i++)
            fprintf(r->file, ",%s", c->name[i]);
        if (t == SIM_TABLE_ENTRY)
            fputs(",by", r->file);
        if (t == SIM_TABLE_RUN && r->batch.cases)
            fputs(",names,starters", r->file);
        putc('\n', r->file);
    }
}

static void write_overtaker(void *whom, uint64_t id)
{
    struct desk *d = whom;

    fprintf(d->file, "%s%" PRIu64, d->comma, id);
    d->comma = " ";
}

/* Which case the run is of, if there are several. */
static void write_case(struct desk *d, uint64_t run)
{
    const struct sim_cases *c = d->of->batch.cases;
    struct sim_case one;

    if (!c)
        return;
    sim_case_find(&one, c, run / c->runs);
    putc(',', d->file);
    for (uint32_t i = 0; c->placements && i < c->nodes; i++)
        fprintf(d->file, "%s%" PRIu32, i ? " " : "", one.names[i]);
    putc(',', d->file);
    for (uint32_t i = 0; i < one.wakes_count; i++)
        fprintf(d->file, "%s%" PRIu32, i ? " " : "", one.wakes[i].name);
}

static void write_row(struct desk *d, const struct sim_records *records,
                      enum sim_table_kind t, size_t row, uint64_t run)
{
    const struct sim_rows *rows = &records->table[t];
    const uint64_t *cell = rows->cell + row * rows->width;

    fprintf(d->file, "%s,%" PRIu64, sim_table_words[t], run);
    if (t == SIM_TABLE_RUN)
        fprintf(d->file, ",%" PRIu64, sim_batch_seed(&d->of->batch, run));
    for (uint32_t i = 0; i < rows->width; i++)
        if (cell[i] == SIM_ABSENT)
            putc(',', d->file);
        else
            fprintf(d->file, ",%" PRIu64, cell[i]);
    if (t == SIM_TABLE_ENTRY) {
        d->comma = ",";
        sim_records_overtakers(records, row, write_overtaker, d);
        if (*d->comma == ',')
            putc(',', d->file);
    }
    if (t == SIM_TABLE_RUN)
        write_case(d, run);
    putc('\n', d->file);
}

/* ---- Desks --------------------------------------------------------------- */

static void end(void *desk)
{
    struct desk *d = desk;

    if (d->file)
        (void)fclose(d->file);
    free(d->text);
    free(d->sums);
    free(d);
}

static void *begin(void *whom)
{
    struct cli_recorder *r = whom;
    struct desk *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->of = r;
    d->sums = calloc(r->values.count + 1, sizeof *d->sums);
    if (r->file)
        d->file = open_memstream(&d->text, &d->size);
    if (d->sums && (d->file || !r->file))
        return d;
    end(d);
    return NULL;
}

static bool take(void *desk, uint64_t run, const struct sim_records *records)
{
    struct desk *d = desk;

    for (uint32_t i = 0; i < d->of->values.count; i++)
        lab_value_run(&d->of->values.list[i], records, run, &d->sums[i]);
    if (!d->file)
        return true;
    rewind(d->file);
    for (enum sim_table_kind t = 0; t < SIM_TABLES; t++)
        for (size_t i = 0; i < records->table[t].count; i++)
            write_row(d, records, t, i, run);
    return fflush(d->file) == 0;
}

static bool hand_in(void *desk)
{
    struct desk *d = desk;
    struct cli_recorder *r = d->of;

    for (uint32_t i = 0; i < r->values.count; i++)
        lab_value_merge(&r->values.sums[i], &d->sums[i]);
    return !r->file || fwrite(d->text, 1, d->size, r->file) == d->size;
}

/* ---- The whole ----------------------------------------------------------- */

static int read_values(struct cli_recorder *r, const char *const *texts,
                       uint32_t count, const struct net *net)
{
    struct cli_values *v = &r->values;
    struct net_why why;

    v->list = calloc(count + 1, sizeof *v->list);
    v->sums = calloc(count + 1, sizeof *v->sums);
    if (!v->list || !v->sums)
        return cli_no_memory("--value");
    for (uint32_t i = 0; i < count; i++) {
        if (!lab_value_read(&v->list[i], texts[i], net, &why))
            return cli_refuse("--value %s: %s", texts[i], why.text);
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(v->list[i].name, v->list[j].name) == 0)
                return cli_refuse("--value: two are called %s",
                                  v->list[i].name);
    }
    v->count = count;
    return 0;
}

int cli_recorder_begin(struct cli_recorder *r, const char *path,
                       const char *const *values, uint32_t count,
                       const struct cli_setup *setup)
{
    const struct fc_protocol *p = setup->sim.net.protocol;
    struct net_why why;
    int code;

    *r = (struct cli_recorder){.sim.whom = r};
    if (!path && !count)
        return 0;
    code = read_values(r, values, count, &setup->sim.net);
    if (code)
        return code;
    for (enum sim_table_kind t = 0; t < SIM_TABLES; t++)
        sim_columns(&r->columns[t], p, t);
    if (path) {
        r->file = output_open(&r->out, path, &why);
        if (!r->file)
            return cli_refused(&why);
    }
    r->sim.begin = begin;
    r->sim.take = take;
    r->sim.hand_in = hand_in;
    r->sim.end = end;
    return 0;
}

int cli_recorder_end(struct cli_recorder *r, bool fine)
{
    struct net_why why;
    int code = 0;

    free(r->values.list);
    free(r->values.sums);
    if (r->file && !fine)
        output_abort(&r->out);
    else if (r->file && !output_commit(&r->out, &why))
        code = cli_refused(&why);
    return code;
}
