/*
 * grid.c - see plan.h.
 */
#include "lab/claim/plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "2..5", `length` characters; false: it is something else. */
static bool read_range(const char *text, size_t length, uint64_t *from,
                       uint64_t *to)
{
    char *end;

    errno = 0;
    *from = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || strncmp(end, "..", 2) != 0 ||
        !isdigit((unsigned char)end[2]))
        return false;
    *to = strtoull(end + 2, &end, 10);
    return errno == 0 && end == text + length && *from <= *to &&
           *to - *from < LAB_CHOICES_MAX;
}

char *lab_unrolled(const char *list)
{
    struct lab_text out = {0};
    uint64_t from, to;

    lab_say(&out, "%s", "");
    while (*list) {
        const char *comma = out.length ? "," : "";
        size_t length = strcspn(list, ",");

        if (read_range(list, length, &from, &to))
            for (; from <= to; from++, comma = ",")
                lab_say(&out, "%s%" PRIu64, comma, from);
        else
            lab_say(&out, "%s%.*s", comma, (int)length, list);
        list += length;
        list += *list == ',';
    }
    return out.text;
}

bool lab_axis_cut(struct lab_axis *a, char *text, char separator,
                  struct net_why *why)
{
    const char separators[] = {separator, '\0'};
    char *rest = text, *value;

    a->text = text;
    while ((value = strsep(&rest, separators))) {
        if (a->count == LAB_CHOICES_MAX)
            return net_refuse(why, "too many values of %.80s", a->key);
        a->value[a->count++] = value;
    }
    return true;
}

uint32_t lab_grid_cells(const struct lab_grid *g)
{
    uint64_t cells = 1;

    for (uint32_t i = 0; i < g->count && cells <= LAB_CELLS_MAX; i++)
        cells *= g->axis[i].count;
    return cells <= LAB_CELLS_MAX ? (uint32_t)cells : 0;
}

const char *lab_grid_value(const struct lab_grid *g, uint32_t cell,
                           uint32_t axis)
{
    for (uint32_t i = g->count; --i > axis;)
        cell /= g->axis[i].count;
    return g->axis[axis].value[cell % g->axis[axis].count];
}

void lab_grid_free(struct lab_grid *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        free(g->axis[i].text);
    g->count = 0;
}

/* "crash 2@5; restart 2@9" is an option twice. */
static void say_faults(struct lab_text *t, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ";");
        char *one = strndup(list, length);

        t->failed |= !one;
        if (one) {
            lab_say(t, " --fault");
            lab_say_word(t, one);
        }
        free(one);
        list += length;
        list += strspn(list, "; ");
    }
}

void lab_say_option(struct lab_text *t, const char *key, const char *value,
                    bool parameter)
{
    struct lab_text word = {0};

    if (strcmp(key, "fault") == 0) {
        say_faults(t, value ? value : "");
        return;
    }
    if (strcmp(key, "n") == 0) {
        lab_say(t, " -n");
    } else if (!parameter) {
        lab_say(t, " --%s", key);
    } else {
        lab_say(t, " --set");
        lab_say(&word, "%s=%s", key, value ? value : "yes");
        value = word.text;
    }
    if (value)
        lab_say_word(t, value);
    t->failed |= word.failed;
    free(word.text);
}
