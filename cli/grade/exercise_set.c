/*
 * exercise_set.c - the exercises of a folder (see exercise.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifndef FULCRUM_WEB
#include <dirent.h>
#endif

#include "cli/grade/exercise.h"
#include "net/outside.h"
#include "net/word.h"

#define SUFFIX ".exercise"

static bool add(struct grade_set *set, const char *path, struct net_why *why)
{
    size_t size;
    char *text;
    struct grade_exercise *x;

    if (set->count == GRADE_SET_MAX)
        return net_refuse(why, "more than %d exercises", GRADE_SET_MAX);
    text = outside_text(path, OUTSIDE_HAND_MAX, &size, why);
    if (!text)
        return false;
    x = grade_exercise_read(text, path, why);
    if (!x)
        return false;
    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(set->one[i]->key, x->key) == 0 ||
            (x->number && set->one[i]->number == x->number)) {
            (void)net_refuse(why, "%s and %s have the same key or number",
                             set->one[i]->path, path);
            grade_exercise_free(x);
            return false;
        }
    set->one[set->count++] = x;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct grade_exercise *x = *(const struct grade_exercise *const *)a;
    const struct grade_exercise *y = *(const struct grade_exercise *const *)b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->key, y->key);
}

#ifdef FULCRUM_WEB
static bool is_folder(const char *path)
{
    (void)path;
    return false;
}

static bool add_folder(struct grade_set *set, const char *path,
                       struct net_why *why)
{
    (void)set;
    return net_refuse(why, "%s is a folder", path);
}
#else
static bool is_folder(const char *path)
{
    DIR *folder = opendir(path);

    if (folder)
        (void)closedir(folder);
    return folder != NULL;
}

static bool add_folder(struct grade_set *set, const char *path,
                       struct net_why *why)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    char file[4096];
    bool fine = folder != NULL;

    if (!folder)
        return net_fail(why, "cannot read %s: %s", path, strerror(errno));
    while (fine && (entry = readdir(folder))) {
        size_t length = strlen(entry->d_name);

        if (length <= strlen(SUFFIX) ||
            strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) != 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        fine = add(set, file, why);
    }
    (void)closedir(folder);
    if (fine && set->count == 0)
        return net_refuse(
            why, "there is no exercise in %s: their names end in " SUFFIX,
            path);
    return fine;
}
#endif

bool grade_set_read(struct grade_set *set, const char *path,
                    struct net_why *why)
{
    bool fine =
        is_folder(path) ? add_folder(set, path, why) : add(set, path, why);

    if (fine && set->count)
        qsort((void *)set->one, set->count, sizeof set->one[0], by_number);
    return fine;
}

void grade_set_free(struct grade_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        grade_exercise_free(set->one[i]);
    set->count = 0;
}

struct grade_exercise *grade_set_find(const struct grade_set *set,
                                      const char *name)
{
    uint64_t number = 0;
    bool is_number = net_number(name, "", 1, 9999, &number, NULL);

    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(set->one[i]->key, name) == 0 ||
            (is_number && set->one[i]->number == number))
            return set->one[i];
    return NULL;
}
