/*
 * hand_in.c - what was handed in: files, and the answers in each (see grade.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifndef FULCRUM_WEB
#include <ftw.h>
#include <sys/stat.h>
#endif

#include "cli/grade/grade.h"
#include "net/outside.h"

enum { SOURCE_ROWS = 60 };

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a >= b && strcmp(text + a - b, end) == 0;
}

static bool is_source(const struct grade_hand_in *h)
{
    return ends_with(h->path, ".c");
}

/* ---- Which exercise ------------------------------------------------------ */

/* The lines of a hand-in, and its part; the copy is to be freed. */
static char *read_lines(const struct grade_hand_in *h, struct grade_lines *l,
                        struct grade_part *part)
{
    struct grade_part parts[GRADE_PARTS_MAX];
    char *copy = h->text ? strdup(h->text) : NULL;

    l->count = 0;
    *part = (struct grade_part){0};
    if (!copy)
        return NULL;
    /* Of C, the remark at its beginning. */
    grade_lines_read(l, copy, is_source(h) ? SOURCE_ROWS : UINT32_MAX);
    if (h->part < grade_parts(l, parts))
        *part = parts[h->part];
    return copy;
}

static struct grade_exercise *of_source(const struct grade_set *set,
                                        const char *path)
{
    const char *slash = strrchr(path, '/');

    for (uint32_t i = 0; i < set->count; i++)
        if (set->one[i]->source &&
            strcmp(set->one[i]->source, slash ? slash + 1 : path) == 0)
            return set->one[i];
    return NULL;
}

/* What it says, unless --exercise says it; C goes by the name of its file, too,
 * and where there is one exercise it is meant. */
static struct grade_exercise *find(const struct grade_work *w,
                                   const struct grade_hand_in *h,
                                   const char *said)
{
    const char *wanted = w->wishes->exercise ? w->wishes->exercise : said;

    if (wanted)
        return grade_set_find(&w->set, wanted);
    if (is_source(h))
        return of_source(&w->set, h->path);
    return w->set.count == 1 ? w->set.one[0] : NULL;
}

struct grade_exercise *grade_exercise_of(const struct grade_work *w,
                                         const struct grade_hand_in *h)
{
    struct grade_lines *l = calloc(1, sizeof *l);
    struct grade_part part;
    char *copy = l ? read_lines(h, l, &part) : NULL;
    struct grade_exercise *x = copy ? find(w, h, part.exercise) : NULL;

    free(copy);
    free(l);
    return x;
}

/* ---- Judging ------------------------------------------------------------- */

static json_t *with_file(json_t *marks, const struct grade_hand_in *h)
{
    (void)json_object_set_new(marks, "file", grade_shown(h->path));
    return marks;
}

json_t *grade_refusal(const struct grade_work *w, const struct grade_hand_in *h,
                      const char *why)
{
    struct grade_lines *l = calloc(1, sizeof *l);
    struct grade_part part;
    char *copy = l ? read_lines(h, l, &part) : NULL;
    const char *said = copy ? grade_said(l, &part, "student") : NULL;
    const char *id = w->student ? w->student : said;
    struct grade_marks m = {.exercise = grade_exercise_of(w, h),
                            .refused = strdup(why),
                            .student = strdup(id ? id : "")};
    json_t *marks = with_file(grade_marks_json(&m), h);

    grade_marks_free(&m);
    free(copy);
    free(l);
    return marks;
}

/* The student: --student, and what the hand-in says must not contradict. */
static const char *student_of(const struct grade_work *w, const char *said,
                              struct net_why *why)
{
    char a[GRADE_SEED_SIZE], b[GRADE_SEED_SIZE];
    const char *given = w->student;

    if (!given || !said)
        return given ? given : said ? said : "";
    grade_seed(given, NULL, a);
    grade_seed(said, NULL, b);
    if (strcmp(a, b) == 0)
        return given;
    net_refuse(why, "it is by student '%.60s', not by '%.60s'", said, given);
    return NULL;
}

static json_t *judge(const struct grade_work *w, const struct grade_hand_in *h,
                     const struct grade_lines *l, const struct grade_part *part,
                     grade_asks *ask, void *whom)
{
    struct net_why why = {0};
    struct grade_marks m;
    struct grade_job job = {
        .exercise = find(w, h, part->exercise),
        .lines = l,
        .part = part,
        .student = student_of(w, grade_said(l, part, "student"), &why),
        .term = w->wishes->term,
        .ask = ask,
        .whom = whom,
    };
    json_t *marks;

    if (!job.exercise && part->exercise && !w->wishes->exercise)
        net_refuse(&why, "there is no exercise '%.60s'", part->exercise);
    else if (!job.exercise)
        net_refuse(&why, "it does not say which exercise it is for: a line "
                         "'exercise = KEY', or --exercise, says it");
    if (why.text[0])
        return grade_refusal(w, h, why.text);
    if (!grade_judge(&job, &m))
        return NULL;
    marks = with_file(grade_marks_json(&m), h);
    grade_marks_free(&m);
    return marks;
}

json_t *grade_one(const struct grade_work *w, const struct grade_hand_in *h,
                  grade_asks *ask, void *whom)
{
    struct grade_lines *l = calloc(1, sizeof *l);
    struct grade_part part;
    char *copy = l ? read_lines(h, l, &part) : NULL;
    json_t *marks =
        copy ? judge(w, h, l, &part, ask, whom)
             : grade_refusal(w, h, h->complaint ? h->complaint : "no memory");

    free(copy);
    free(l);
    return marks;
}

/* ---- Files --------------------------------------------------------------- */

#ifndef FULCRUM_WEB
enum { HAND_INS_MAX = 20000, FOLDERS_MAX = 32 };

static struct grade_hand_in *add(struct grade_work *w, const char *path)
{
    struct grade_hand_in *h;

    if (w->count == HAND_INS_MAX)
        return NULL;
    if (w->count == w->room) {
        uint32_t room = w->room ? 2 * w->room : 64;

        h = realloc(w->one, room * sizeof *h);
        if (!h)
            return NULL;
        w->one = h;
        w->room = room;
    }
    h = &w->one[w->count++];
    *h = (struct grade_hand_in){.path = strdup(path)};
    return h;
}

/* Why a text could not be read, as one would tell who wrote it. */
static const char *unread(const struct net_why *why)
{
    return errno == EILSEQ  ? "it is no plain text: save it as UTF-8 text, not "
                              "as UTF-16, and not as a document"
           : errno == EFBIG ? "it is longer than a megabyte"
                            : why->text;
}

/* The file beside a file of C; NULL: there is none. */
static char *read_header(const char *path)
{
    char *name = strdup(path), *text = NULL;
    size_t size;

    if (name) {
        name[strlen(name) - 1] = 'h';
        text = outside_text(name, OUTSIDE_HAND_MAX, &size, NULL);
    }
    free(name);
    return text;
}

/* A hand-in for each answer in the file. */
static bool add_file(struct grade_work *w, const char *path)
{
    struct grade_lines *l = calloc(1, sizeof *l);
    struct grade_part parts[GRADE_PARTS_MAX];
    struct grade_hand_in *h = l ? add(w, path) : NULL;
    struct net_why why = {0};
    uint32_t count = 1;
    size_t size;
    char *copy;

    if (!h) {
        free(l);
        return false;
    }
    h->text = outside_text(path, OUTSIDE_HAND_MAX, &size, &why);
    if (!h->text)
        h->complaint = strdup(unread(&why));
    if (is_source(h))
        h->header = read_header(path);
    copy = h->text && !is_source(h) ? strdup(h->text) : NULL;
    if (copy) {
        grade_lines_read(l, copy, UINT32_MAX);
        count = grade_parts(l, parts);
    }
    for (uint32_t i = 1; i < count; i++) {
        struct grade_hand_in *more = add(w, path);

        if (!more)
            break;
        more->text = strdup(w->one[w->count - 1 - i].text);
        more->part = i;
    }
    free(copy);
    free(l);
    return true;
}

static bool is_hidden(const char *path)
{
    const char *slash = strrchr(path, '/');

    return (slash ? slash[1] : path[0]) == '.';
}

/* nftw() has no place for ours. */
static struct grade_work *collecting;

static int take(const char *path, const struct stat *info, int kind,
                struct FTW *where)
{
    (void)info;
    (void)where;
    if (kind != FTW_F || !S_ISREG(info->st_mode) || is_hidden(path) ||
        ends_with(path, ".h"))
        return 0;
    return !add_file(collecting, path);
}

static int by_path(const void *a, const void *b)
{
    const struct grade_hand_in *x = a, *y = b;
    int by = strcmp(x->path, y->path);

    return by ? by : (x->part > y->part) - (x->part < y->part);
}

int grade_collect(struct grade_work *w, const char *path)
{
    struct stat info;
    uint32_t before = w->count;

    if (stat(path, &info) != 0)
        return cli_fail("cannot read %s: %s", path, strerror(errno));
    collecting = w;
    if (S_ISDIR(info.st_mode) ? nftw(path, take, FOLDERS_MAX, FTW_PHYS) != 0
                              : !add_file(w, path))
        return cli_fail("cannot read all of %s: at most %d hand-ins at once",
                        path, HAND_INS_MAX);
    if (w->count == before)
        return cli_refuse("there is nothing to grade in %s", path);
    qsort(w->one + before, w->count - before, sizeof w->one[0], by_path);
    return 0;
}
#endif

void grade_collected_free(struct grade_work *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        free(w->one[i].path);
        free(w->one[i].text);
        free(w->one[i].complaint);
        free(w->one[i].header);
        json_decref(w->one[i].marks);
    }
    free(w->one);
    grade_set_free(&w->set);
}
