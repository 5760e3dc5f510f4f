/*
 * table.c - see table.h.
 */
#include "lab/run/table.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A row --------------------------------------------------------------- */

/* The first of two columns with the same name counts. */
static void put(json_t *row, const char *column, json_t *value)
{
    if (json_object_get(row, column))
        json_decref(value);
    else
        (void)json_object_set_new(row, column, value);
}

/* 10 and 0.5 are numbers, 1/2 and asc are not. */
static json_t *typed(const char *text)
{
    char *rest;
    long long whole = strtoll(text, &rest, 10);
    double real;

    if (*text && !*rest)
        return json_integer(whole);
    real = strtod(text, &rest);
    return *text && !*rest ? json_real(real) : json_string(text);
}

/* "messages" and its members: messages_mean, messages_kinds_M_mean. */
static void put_stats(json_t *row, const char *prefix, json_t *of)
{
    static const char *const numbers[] = {"mean", "sd",    "min",
                                          "max",  "count", "runs"};
    bool is_stat = json_is_number(json_object_get(of, "mean"));
    struct lab_text column = {0};
    const char *key;
    json_t *value;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && is_stat; i++) {
        value = json_object_get(of, numbers[i]);
        column.length = 0;
        lab_say(&column, "%s_%s", prefix, numbers[i]);
        if (json_is_number(value) && !column.failed)
            put(row, column.text, json_incref(value));
    }
    json_object_foreach(of, key, value)
    {
        column.length = 0;
        lab_say(&column, "%s%s%s", prefix, *prefix ? "_" : "", key);
        if (json_is_object(value) && !column.failed)
            put_stats(row, column.text, value);
    }
    free(column.text);
}

/* The number of runs that violated each property. */
static void put_violations(json_t *row, json_t *list)
{
    struct lab_text column = {0};
    json_t *v;
    size_t i;

    json_array_foreach(list, i, v)
    {
        const char *name = json_string_value(json_object_get(v, "property"));
        json_t *runs = json_object_get(v, "runs");

        column.length = 0;
        lab_say(&column, "violated_%s", name ? name : "");
        if (json_is_integer(runs) && !column.failed)
            put(row, column.text, json_incref(runs));
    }
    free(column.text);
}

/* What the paper says of a cost in this cell: messages_claimed,
 * messages_relation and messages_formula.  The first one counts. */
static void put_claims(json_t *row, json_t *list)
{
    static const char *const parts[][2] = {
        {"value", "claimed"}, {"relation", "relation"}, {"formula", "formula"}};
    struct lab_text column = {0};
    json_t *claim;
    size_t i;

    json_array_foreach(list, i, claim)
    {
        const char *cost = json_string_value(json_object_get(claim, "cost"));

        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
            json_t *value = json_object_get(claim, parts[k][0]);

            column.length = 0;
            lab_say(&column, "%s_%s", cost ? cost : "", parts[k][1]);
            if (value && !column.failed)
                put(row, column.text, json_incref(value));
        }
    }
    free(column.text);
}

json_t *lab_table_row(const struct lab_swept *of, uint32_t cell,
                      const char *command, const struct lab_answer *answer)
{
    static const char *const counts[] = {"runs", "ok", "violated", "cut"};
    const char *seed = json_string_value(json_object_get(answer->json, "seed"));
    json_t *row = json_object();

    put(row, "cell", json_integer(cell));
    for (uint32_t i = 0; i < of->grid->count; i++)
        put(row, of->grid->axis[i].key,
            typed(lab_grid_value(of->grid, cell, i)));
    put(row, "protocol", json_string(of->protocol));
    put(row, "command", json_string(command));
    if (seed) /* text in the answer, since it may be above 2^53 */
        put(row, "seed", typed(seed));
    put(row, "version", json_string(of->version));
    put(row, "code", json_integer(answer->code));
    if (!answer->json && answer->complaint)
        put(row, "complaint", json_string(answer->complaint));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        json_t *count = json_object_get(answer->json, counts[i]);

        if (count)
            put(row, counts[i], json_incref(count));
    }
    put_violations(row, json_object_get(answer->json, "violations"));
    if (answer->json)
        put_stats(row, "", answer->json);
    put_claims(row, json_object_get(answer->json, "claims"));
    return row;
}

/* ---- Writing ------------------------------------------------------------- */

static const char *error_of(sqlite3 *db)
{
    return db ? sqlite3_errmsg(db) : "no memory for it";
}

static void say_name(struct lab_text *t, const char *name)
{
    lab_say(t, "\"");
    for (; *name; name++)
        lab_say(t, *name == '"' ? "\"\"" : "%c", *name);
    lab_say(t, "\"");
}

/* All columns of all rows, as the keys of an object. */
static json_t *columns_of(json_t *rows)
{
    json_t *columns = json_object(), *row;
    size_t i;

    (void)json_object_set_new(columns, "cell", json_null());
    json_array_foreach(rows, i, row)
    {
        (void)json_object_update_missing(columns, row);
    }
    return columns;
}

static bool run(sqlite3 *db, const struct lab_text *sql)
{
    return !sql->failed &&
           sqlite3_exec(db, sql->text, NULL, NULL, NULL) == SQLITE_OK;
}

static bool create(sqlite3 *db, json_t *columns)
{
    struct lab_text sql = {0};
    const char *key;
    json_t *value;
    bool fine;

    lab_say(&sql, "DROP TABLE IF EXISTS cell; CREATE TABLE cell (");
    json_object_foreach(columns, key, value)
    {
        bool first = strcmp(key, "cell") == 0;

        lab_say(&sql, "%s", first ? "" : ", ");
        say_name(&sql, key);
        lab_say(&sql, "%s", first ? " INTEGER PRIMARY KEY" : "");
    }
    lab_say(&sql, ")");
    fine = run(db, &sql);
    free(sql.text);
    return fine;
}

static bool bind(sqlite3_stmt *s, int at, json_t *value)
{
    int status;

    if (json_is_integer(value))
        status = sqlite3_bind_int64(s, at, json_integer_value(value));
    else if (json_is_real(value))
        status = sqlite3_bind_double(s, at, json_real_value(value));
    else if (json_is_string(value))
        status = sqlite3_bind_text(s, at, json_string_value(value), -1,
                                   SQLITE_STATIC);
    else
        status = sqlite3_bind_null(s, at);
    return status == SQLITE_OK;
}

static bool insert(sqlite3 *db, json_t *columns, json_t *rows)
{
    struct lab_text sql = {0};
    sqlite3_stmt *s = NULL;
    const char *key;
    json_t *row, *value;
    bool fine;
    size_t i;

    lab_say(&sql, "INSERT INTO cell VALUES (?");
    for (i = 1; i < json_object_size(columns); i++)
        lab_say(&sql, ", ?");
    lab_say(&sql, ")");
    fine = !sql.failed &&
           sqlite3_prepare_v2(db, sql.text, -1, &s, NULL) == SQLITE_OK;
    json_array_foreach(rows, i, row)
    {
        int at = 1;

        json_object_foreach(columns, key, value)
        {
            fine = fine && bind(s, at++, json_object_get(row, key));
        }
        fine = fine && sqlite3_step(s) == SQLITE_DONE &&
               sqlite3_reset(s) == SQLITE_OK;
    }
    (void)sqlite3_finalize(s);
    free(sql.text);
    return fine;
}

static bool note_sweep(sqlite3 *db, const struct lab_swept *of)
{
    json_t *axes = json_array();
    char *text;
    sqlite3_stmt *s = NULL;
    bool fine = sqlite3_exec(db,
                             "DROP TABLE IF EXISTS sweep; CREATE TABLE sweep "
                             "(command, protocol, version, axes)",
                             NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, "INSERT INTO sweep VALUES (?, ?, ?, ?)",
                                   -1, &s, NULL) == SQLITE_OK;

    for (uint32_t i = 0; i < of->grid->count; i++)
        (void)json_array_append_new(axes, json_string(of->grid->axis[i].key));
    text = json_dumps(axes, JSON_COMPACT);
    if (fine && text) {
        const char *const texts[] = {of->command, of->protocol, of->version,
                                     text};

        for (int i = 0; i < 4 && fine; i++)
            fine = sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_STATIC) ==
                   SQLITE_OK;
        fine = fine && sqlite3_step(s) == SQLITE_DONE;
    }
    (void)sqlite3_finalize(s);
    free(text);
    json_decref(axes);
    return fine;
}

bool lab_table_write(struct lab_notebook *n, const struct lab_swept *of,
                     json_t *rows, struct net_why *why)
{
    sqlite3 *db = lab_notebook_database(n);
    json_t *columns = columns_of(rows);
    bool fine =
        sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;

    fine = fine && note_sweep(db, of) && create(db, columns) &&
           insert(db, columns, rows);
    if (!fine)
        net_fail(why, "%.90s", error_of(db));
    (void)sqlite3_exec(db, fine ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
    json_decref(columns);
    return fine;
}

/* ---- Reading ------------------------------------------------------------- */

static json_t *value_of(sqlite3_stmt *s, int i)
{
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(s, i));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(s, i));
    case SQLITE_TEXT:
        return json_string((const char *)sqlite3_column_text(s, i));
    default:
        return NULL;
    }
}

/* All rows of a table as objects; NULL: it cannot be read. */
static json_t *read_all(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    json_t *rows = json_array();
    int status = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

    while (status == SQLITE_OK || status == SQLITE_ROW) {
        json_t *row;

        status = sqlite3_step(s);
        if (status != SQLITE_ROW)
            break;
        row = json_object();
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            json_t *value = value_of(s, i);

            if (value)
                (void)json_object_set_new(row, sqlite3_column_name(s, i),
                                          value);
        }
        (void)json_array_append_new(rows, row);
    }
    (void)sqlite3_finalize(s);
    if (status != SQLITE_DONE) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}

/* Why there is no sweep: the notebook of fulcrum reproduce is none. */
static void say_none(sqlite3 *db, bool opened, const char *path,
                     struct net_why *why)
{
    if (opened &&
        sqlite3_table_column_metadata(db, NULL, "judged", NULL, NULL, NULL,
                                      NULL, NULL, NULL) == SQLITE_OK)
        net_refuse(why,
                   "%.80s has no sweep: what reproduce measured is drawn in "
                   "report.html beside it",
                   path);
    else
        net_refuse(why, "%.90s: %.90s", path, error_of(db));
}

json_t *lab_table_read(const char *path, struct net_why *why)
{
    sqlite3 *db = NULL;
    json_t *about = NULL, *rows = NULL, *out = NULL, *axes;
    bool opened =
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;

    if (opened)
        about = read_all(db, "SELECT * FROM sweep");
    if (about)
        rows = read_all(db, "SELECT * FROM cell ORDER BY cell");
    if (!rows)
        say_none(db, opened, path, why);
    if (rows && json_array_size(about) == 1) {
        out = json_incref(json_array_get(about, 0));
        axes = json_loads(json_string_value(json_object_get(out, "axes")), 0,
                          NULL);
        (void)json_object_set_new(out, "axes", axes ? axes : json_array());
        (void)json_object_set(out, "rows", rows);
    } else if (rows) {
        net_refuse(why, "%.150s: there is no sweep in it", path);
    }
    json_decref(about);
    json_decref(rows);
    (void)sqlite3_close(db);
    return out;
}

/* ---- What a row says of a quantity --------------------------------------- */

const char *lab_row_text(json_t *row, const char *key, char out[LAB_TEXT_SIZE])
{
    json_t *value = json_object_get(row, key);

    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        snprintf(out, LAB_TEXT_SIZE, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
    else
        snprintf(out, LAB_TEXT_SIZE, "%.6g", json_number_value(value));
    return value ? out : "";
}

/* The number in QUANTITY_ENDING; NaN: there is none. */
static double number_at(json_t *row, const char *quantity, const char *ending)
{
    char column[200];
    json_t *value;

    snprintf(column, sizeof column, "%s%s", quantity, ending);
    value = json_object_get(row, column);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool read_share(struct lab_point *p, json_t *row, const char *quantity,
                       double error)
{
    double runs = number_at(row, "runs", ""),
           hits = number_at(row, quantity, "");
    uint64_t of = (uint64_t)runs, hit = isnan(hits) ? 0 : (uint64_t)hits;

    if (!(runs >= 1) || hit > of)
        return false;
    *p = (struct lab_point){
        .mean = (double)hit / runs,
        .within = lab_share_interval(hit, of, error),
        .greatest = NAN,
        .runs = of,
        .share = true,
    };
    return true;
}

bool lab_point_read(struct lab_point *p, json_t *row, const char *quantity,
                    double error)
{
    double mean = number_at(row, quantity, "_of_runs_mean");
    bool each = isnan(mean); /* run has one, and not each entry */
    double runs = each ? number_at(row, "runs", "")
                       : number_at(row, quantity, "_of_runs_runs");
    struct lab_sample s;

    if (strncmp(quantity, "violated", 8) == 0)
        return read_share(p, row, quantity, error);
    if (each)
        mean = number_at(row, quantity, "_mean");
    if (isnan(mean) || !(runs >= 1))
        return false;
    s = (struct lab_sample){
        .runs = (uint64_t)runs,
        .mean = mean,
        .sd = number_at(row, quantity, each ? "_sd" : "_of_runs_sd"),
        .least = each ? number_at(row, quantity, "_min") : NAN,
        .greatest = each ? number_at(row, quantity, "_max") : NAN,
    };
    *p = (struct lab_point){
        .mean = mean,
        .within = lab_mean_interval(&s, error),
        .greatest = number_at(row, quantity, "_max"),
        .runs = s.runs,
    };
    return true;
}
