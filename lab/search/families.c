/*
 * families.c - see families.h.
 */
#include "lab/search/families.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lab/formula/ini.h"

/* ---- Reading ------------------------------------------------------------- */

static const char *const keys[LAB_FORMULAS] = {"place", "order", "wake",
                                               "step",  "phase", "delay"};

static bool take_section(struct lab_families *f, const char *name,
                         struct net_why *why)
{
    if (strcmp(name, "values") == 0)
        return true;
    if (f->count == LAB_FAMILIES_MAX)
        return net_refuse(why, "too many families");
    f->family[f->count++] = (struct lab_family){.name = name};
    return true;
}

static bool take_value(struct lab_families *f, const char *key,
                       const char *list, struct net_why *why)
{
    if (f->values_count == LAB_VALUES_MAX)
        return net_refuse(why, "too many parameters");
    f->values[f->values_count++] = (struct lab_values){key, list};
    return true;
}

static bool take_line(void *whom, const struct lab_line *line,
                      struct net_why *why)
{
    struct lab_families *f = whom;
    char *value = line->value;

    if (!line->key)
        return take_section(f, line->section, why);
    value[strcspn(value, "#")] = '\0';
    value = lab_trimmed(value);
    if (strcmp(line->section, "values") == 0)
        return take_value(f, line->key, value, why);
    for (uint32_t i = 0; i < LAB_FORMULAS; i++)
        if (strcmp(keys[i], line->key) == 0) {
            f->family[f->count - 1].formula[i] = value;
            return true;
        }
    return net_refuse(
        why, "there are place, order, wake, step, phase and delay, not %.80s",
        line->key);
}

bool lab_families_read(struct lab_families *f, const char *text,
                       struct net_why *why)
{
    *f = (struct lab_families){.text = strdup(text)};
    if (!f->text)
        return net_no_memory(why, "a family");
    return lab_ini_read(f->text, take_line, f, why);
}

void lab_families_free(struct lab_families *f)
{
    free(f->text);
}

/* ---- Placing ------------------------------------------------------------- */

/* A formula with one letter more, behind the others. */
static bool evaluate(const struct lab_family *f, enum lab_formula which,
                     struct lab_letter *letters, const char *letter,
                     uint32_t is, struct lab_number *out, struct net_why *why)
{
    struct lab_letter *end = letters;
    bool fine;

    while (end->name)
        end++;
    end[0] = (struct lab_letter){letter, lab_whole(is)};
    end[1].name = NULL;
    fine = lab_evaluate(f->formula[which], letters, out, why);
    end[0].name = NULL;
    if (!fine)
        net_where(why, "%s, %s: ", f->name, keys[which]);
    return fine;
}

bool lab_family_value(const struct lab_family *f, enum lab_formula which,
                      struct lab_letter *letters, uint32_t i, int64_t otherwise,
                      int64_t *out, struct net_why *why)
{
    struct lab_number value;

    *out = otherwise;
    if (!f->formula[which])
        return true;
    if (!evaluate(f, which, letters, "i", i, &value, why))
        return false;
    (void)lab_floor(&value, out);
    return true;
}

#define FREE UINT32_MAX

/* Puts names, the least first, where the formula wants them; returns the number
 * of names put, or -1. */
static int64_t put_names(const struct lab_family *f, struct lab_letter *letters,
                         uint32_t nodes, uint32_t *out, struct net_why *why)
{
    for (uint32_t j = 0; j < nodes; j++) {
        struct lab_number value;
        int64_t place;

        if (!evaluate(f, LAB_PLACE, letters, "j", j + 1, &value, why))
            return -1;
        if (!lab_floor(&value, &place))
            return j;
        place = place < 0 ? 0 : place;
        while (place < nodes && out[place] != FREE)
            place++;
        if (place >= nodes)
            return j;
        out[place] = j;
    }
    return nodes;
}

struct keyed {
    struct lab_number key;
    uint32_t place;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int order = lab_compare(&x->key, &y->key);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* The names from `rank` on go to the places that are free, in their order. */
static bool fill_places(const struct lab_family *f, struct lab_letter *letters,
                        uint32_t nodes, uint32_t rank, uint32_t *out,
                        struct net_why *why)
{
    struct keyed *left;
    uint32_t count = 0;
    bool fine;

    assert(nodes > 0);
    left = malloc(nodes * sizeof *left);
    fine = left != NULL;
    if (!left)
        net_no_memory(why, "a family");
    for (uint32_t i = 0; i < nodes && fine; i++) {
        if (out[i] != FREE)
            continue;
        left[count] = (struct keyed){lab_whole(i), i};
        if (f->formula[LAB_ORDER])
            fine =
                evaluate(f, LAB_ORDER, letters, "i", i, &left[count].key, why);
        count++;
    }
    if (fine)
        qsort(left, count, sizeof *left, by_key);
    for (uint32_t i = 0; i < count && fine; i++)
        out[left[i].place] = rank++;
    free(left);
    return fine;
}

bool lab_family_place(const struct lab_family *f, struct lab_letter *letters,
                      uint32_t nodes, uint32_t *out, struct net_why *why)
{
    int64_t put = 0;

    for (uint32_t i = 0; i < nodes; i++)
        out[i] = FREE;
    if (f->formula[LAB_PLACE])
        put = put_names(f, letters, nodes, out, why);
    return put >= 0 && fill_places(f, letters, nodes, (uint32_t)put, out, why);
}
