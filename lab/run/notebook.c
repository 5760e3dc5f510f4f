/*
 * notebook.c - see notebook.h.
 */
#include "lab/run/notebook.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Answers that were looked at, by command. */
struct entry {
    char *command;
    struct lab_answer answer;
    struct entry *next;
};

enum { BUCKETS = 4096 };

struct lab_notebook {
    sqlite3 *db;
    char *version;
    sqlite3_stmt *find, *add, *took;
    struct entry *buckets[BUCKETS];
};

static const char schema[] =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "CREATE TABLE IF NOT EXISTS experiment ("
    " command TEXT NOT NULL, seed INTEGER, version TEXT NOT NULL,"
    " code INTEGER NOT NULL, seconds REAL NOT NULL,"
    " json TEXT, complaint TEXT,"
    " PRIMARY KEY (command, version));"
    "CREATE TABLE IF NOT EXISTS verdict ("
    " claim TEXT NOT NULL, part TEXT NOT NULL, verdict TEXT NOT NULL,"
    " evidence TEXT, reading TEXT, repair TEXT, measured REAL, bound REAL,"
    " PRIMARY KEY (claim, part));"
    "CREATE TABLE IF NOT EXISTS judged ("
    " version TEXT, mode TEXT, seed INTEGER);";

static bool refuse(sqlite3 *db, const char *path, struct net_why *why)
{
    return net_fail(why, "%.90s: %.90s", path ? path : "the notebook",
                    db ? sqlite3_errmsg(db) : "no memory for it");
}

static bool forget(struct lab_notebook *n)
{
    sqlite3_stmt *s = NULL;
    bool fine =
        sqlite3_prepare_v2(n->db, "DELETE FROM experiment WHERE version = ?",
                           -1, &s, NULL) == SQLITE_OK;

    fine =
        fine &&
        sqlite3_bind_text(s, 1, n->version, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_DONE;
    (void)sqlite3_finalize(s);
    return fine;
}

struct lab_notebook *lab_notebook_open(const char *path, const char *version,
                                       bool fresh, struct net_why *why)
{
    struct lab_notebook *n = calloc(1, sizeof *n);

    if (!n || !(n->version = strdup(version))) {
        (void)refuse(NULL, path, why);
        free(n);
        return NULL;
    }
    if (sqlite3_open(path ? path : ":memory:", &n->db) == SQLITE_OK &&
        sqlite3_busy_timeout(n->db, 10000) == SQLITE_OK &&
        sqlite3_exec(n->db, schema, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(n->db,
                           "SELECT code, seconds, json, complaint FROM "
                           "experiment WHERE command = ? AND version = ?",
                           -1, &n->find, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(n->db,
                           "INSERT OR REPLACE INTO experiment VALUES "
                           "(?, ?, ?, ?, ?, ?, ?)",
                           -1, &n->add, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(n->db,
                           "SELECT max(seconds) FROM experiment WHERE "
                           "command = ?",
                           -1, &n->took, NULL) == SQLITE_OK &&
        (!fresh || forget(n)))
        return n;
    (void)refuse(n->db, path, why);
    lab_notebook_close(n);
    return NULL;
}

struct sqlite3 *lab_notebook_database(struct lab_notebook *n)
{
    return n->db;
}

void lab_answer_free(struct lab_answer *a)
{
    json_decref(a->json);
    free(a->complaint);
}

void lab_notebook_close(struct lab_notebook *n)
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        while (n->buckets[i]) {
            struct entry *e = n->buckets[i];

            n->buckets[i] = e->next;
            lab_answer_free(&e->answer);
            free(e->command);
            free(e);
        }
    (void)sqlite3_finalize(n->find);
    (void)sqlite3_finalize(n->add);
    (void)sqlite3_finalize(n->took);
    (void)sqlite3_close(n->db);
    free(n->version);
    free(n);
}

/* ---- Finding ------------------------------------------------------------- */

static struct entry **bucket(struct lab_notebook *n, const char *command)
{
    uint32_t hash = 2166136261U; /* FNV-1a */

    for (; *command; command++)
        hash = (hash ^ (uint8_t)*command) * 16777619U;
    return &n->buckets[hash % BUCKETS];
}

static struct lab_answer *keep(struct lab_notebook *n, const char *command,
                               const struct lab_answer *answer)
{
    struct entry **at = bucket(n, command), *e = calloc(1, sizeof *e);

    if (!e || !(e->command = strdup(command))) {
        free(e);
        return NULL;
    }
    e->answer = *answer;
    e->next = *at;
    *at = e;
    return &e->answer;
}

const struct lab_answer *lab_notebook_find(struct lab_notebook *n,
                                           const char *command)
{
    struct lab_answer answer = {0};
    const struct lab_answer *out = NULL;
    const unsigned char *text;

    for (struct entry *e = *bucket(n, command); e; e = e->next)
        if (strcmp(e->command, command) == 0)
            return &e->answer;
    if (sqlite3_bind_text(n->find, 1, command, -1, SQLITE_STATIC) ==
            SQLITE_OK &&
        sqlite3_bind_text(n->find, 2, n->version, -1, SQLITE_STATIC) ==
            SQLITE_OK &&
        sqlite3_step(n->find) == SQLITE_ROW) {
        answer.code = sqlite3_column_int(n->find, 0);
        answer.seconds = sqlite3_column_double(n->find, 1);
        text = sqlite3_column_text(n->find, 2);
        if (text)
            answer.json = json_loads((const char *)text, 0, NULL);
        text = sqlite3_column_text(n->find, 3);
        if (text)
            answer.complaint = strdup((const char *)text);
        out = keep(n, command, &answer);
        if (!out)
            lab_answer_free(&answer);
    }
    (void)sqlite3_reset(n->find);
    return out;
}

double lab_notebook_seconds(struct lab_notebook *n, const char *command)
{
    double seconds = NAN;

    if (sqlite3_bind_text(n->took, 1, command, -1, SQLITE_STATIC) ==
            SQLITE_OK &&
        sqlite3_step(n->took) == SQLITE_ROW &&
        sqlite3_column_type(n->took, 0) != SQLITE_NULL)
        seconds = sqlite3_column_double(n->took, 0);
    (void)sqlite3_reset(n->took);
    return seconds;
}

/* ---- Writing ------------------------------------------------------------- */

/* The number behind --seed, or none. */
static void bind_seed(sqlite3_stmt *s, int at, const char *command)
{
    const char *seed = strstr(command, " --seed ");

    if (seed)
        (void)sqlite3_bind_int64(s, at, strtoll(seed + 8, NULL, 10));
    else
        (void)sqlite3_bind_null(s, at);
}

static bool write_down(struct lab_notebook *n, const char *command,
                       const struct lab_answer *answer, const char *json)
{
    bool fine;

    bind_seed(n->add, 2, command);
    fine =
        sqlite3_bind_text(n->add, 1, command, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(n->add, 3, n->version, -1, SQLITE_STATIC) ==
            SQLITE_OK &&
        sqlite3_bind_int(n->add, 4, answer->code) == SQLITE_OK &&
        sqlite3_bind_double(n->add, 5, answer->seconds) == SQLITE_OK &&
        sqlite3_bind_text(n->add, 6, json, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(n->add, 7, answer->complaint, -1, SQLITE_STATIC) ==
            SQLITE_OK &&
        sqlite3_step(n->add) == SQLITE_DONE;
    (void)sqlite3_reset(n->add);
    return fine;
}

bool lab_notebook_add(struct lab_notebook *n, const char *command,
                      struct lab_answer *answer, struct net_why *why)
{
    char *json = answer->json ? json_dumps(answer->json, JSON_COMPACT) : NULL;
    bool fine = !json || write_down(n, command, answer, json);

    if (!fine)
        (void)refuse(n->db, NULL, why);
    free(json);
    if (!keep(n, command, answer)) {
        lab_answer_free(answer);
        return refuse(NULL, NULL, why);
    }
    return fine;
}

/* ---- Verdicts ------------------------------------------------------------ */

static bool note_verdict(sqlite3_stmt *s, const struct lab_noted *v)
{
    const char *const texts[] = {v->claim,    v->part,    v->verdict,
                                 v->evidence, v->reading, v->repair};
    const double numbers[] = {v->measured, v->bound};
    bool fine = true;

    for (int i = 0; i < 6 && fine; i++)
        fine = sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_STATIC) ==
               SQLITE_OK;
    for (int i = 0; i < 2 && fine; i++)
        fine =
            (isfinite(numbers[i]) ? sqlite3_bind_double(s, i + 7, numbers[i])
                                  : sqlite3_bind_null(s, i + 7)) == SQLITE_OK;
    fine = fine && sqlite3_step(s) == SQLITE_DONE;
    (void)sqlite3_reset(s);
    return fine;
}

static bool note_judged(struct lab_notebook *n, const char *mode, uint64_t seed)
{
    sqlite3_stmt *s = NULL;
    bool fine =
        sqlite3_exec(n->db, "DELETE FROM judged", NULL, NULL, NULL) ==
            SQLITE_OK &&
        sqlite3_prepare_v2(n->db, "INSERT INTO judged VALUES (?, ?, ?)", -1, &s,
                           NULL) == SQLITE_OK &&
        sqlite3_bind_text(s, 1, n->version, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(s, 2, mode, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_int64(s, 3, (int64_t)seed) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_DONE;

    (void)sqlite3_finalize(s);
    return fine;
}

bool lab_notebook_verdicts(struct lab_notebook *n, const struct lab_noted *of,
                           uint32_t count, const char *mode, uint64_t seed,
                           struct net_why *why)
{
    sqlite3_stmt *s = NULL;
    bool fine = sqlite3_exec(n->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(n->db,
                                   "INSERT OR REPLACE INTO verdict VALUES "
                                   "(?, ?, ?, ?, ?, ?, ?, ?)",
                                   -1, &s, NULL) == SQLITE_OK;

    for (uint32_t i = 0; i < count && fine; i++)
        fine = note_verdict(s, &of[i]);
    fine = fine && note_judged(n, mode, seed);
    if (!fine)
        (void)refuse(n->db, NULL, why);
    (void)sqlite3_finalize(s);
    (void)sqlite3_exec(n->db, fine ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
    return fine;
}

static const char *column(sqlite3_stmt *s, int i)
{
    const unsigned char *text = sqlite3_column_text(s, i);

    return text ? (const char *)text : "";
}

bool lab_notebook_tell(const char *path,
                       void (*tell)(void *whom, const struct lab_noted *is),
                       void *whom, struct net_why *why)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    int status = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);

    if (status == SQLITE_OK)
        status = sqlite3_prepare_v2(
            db,
            "SELECT claim, part, verdict, evidence, reading, repair, measured,"
            " bound FROM verdict ORDER BY claim, part",
            -1, &s, NULL);
    if (status == SQLITE_OK)
        status = SQLITE_ROW;
    while (status == SQLITE_ROW && (status = sqlite3_step(s)) == SQLITE_ROW) {
        const struct lab_noted is = {
            .claim = column(s, 0),
            .part = column(s, 1),
            .verdict = column(s, 2),
            .evidence = column(s, 3),
            .reading = column(s, 4),
            .repair = column(s, 5),
            .measured = sqlite3_column_type(s, 6) == SQLITE_NULL
                            ? NAN
                            : sqlite3_column_double(s, 6),
            .bound = sqlite3_column_type(s, 7) == SQLITE_NULL
                         ? NAN
                         : sqlite3_column_double(s, 7),
        };

        tell(whom, &is);
    }
    if (status != SQLITE_DONE) /* not the end: the rest is unread */
        (void)refuse(db, path, why);
    (void)sqlite3_finalize(s);
    (void)sqlite3_close(db);
    return status == SQLITE_DONE;
}

/* ---- Which program made them --------------------------------------------- */

bool lab_build_of(const char *program, char build[LAB_BUILD_SIZE],
                  struct net_why *why)
{
    FILE *in = fopen(program, "rb");
    XXH64_state_t *state = XXH64_createState();
    bool fine = in && state && XXH64_reset(state, 0) == XXH_OK;
    char block[16384];
    size_t got;

    while (fine && (got = fread(block, 1, sizeof block, in)) > 0)
        fine = XXH64_update(state, block, got) == XXH_OK;
    fine = fine && !ferror(in);
    if (fine)
        snprintf(build, LAB_BUILD_SIZE, FULCRUM_VERSION "+%016" PRIx64,
                 (uint64_t)XXH64_digest(state));
    else
        net_fail(why, "cannot read %.100s: %s", program, strerror(errno));
    (void)XXH64_freeState(state);
    if (in)
        fclose(in);
    return fine;
}
