/*
 * form.c - the forms of answers, and the spellings that are accepted of each.
 *
 *     number 1..20         names           fraction      moves
 *     real                 permutation 3,1,2             crashes 5
 *     word                 bounds
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grade/answer.h"
#include "lab/claim/words.h"
#include "net/word.h"

enum { NAMES_MAX = 64, MOVES_MAX = 200, TEXT_MAX = 200 };

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Numbers with any of commas, semicolons, blanks, colons and brackets between
 * them; false: there is something else. */
static bool read_numbers(const char *typed, uint64_t list[NAMES_MAX],
                         uint32_t *count)
{
    for (*count = 0;;) {
        char *end;

        typed += strspn(typed, " \t,;:()[]{}");
        if (!*typed)
            return *count > 0;
        if (!isdigit((unsigned char)*typed) || *count == NAMES_MAX)
            return false;
        list[(*count)++] = strtoull(typed, &end, 10);
        if (end - typed > 18)
            return false;
        typed = end;
    }
}

static char *say_numbers(const uint64_t *list, uint32_t count, const char *by)
{
    struct lab_text t = {0};

    for (uint32_t i = 0; i < count; i++)
        lab_say(&t, "%s%" PRIu64, i ? by : "", list[i]);
    return t.text;
}

static bool are_different(const uint64_t *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (list[i] == list[k])
                return false;
    return true;
}

/* ---- One function a form ------------------------------------------------- */

static char *as_number(const char *range, const char *typed)
{
    uint64_t from = 0, to = UINT64_C(1000000000000), list[NAMES_MAX];
    uint32_t count;
    char *end;

    if (*range) {
        from = strtoull(range, &end, 10);
        if (begins(end, ".."))
            to = strtoull(end + 2, NULL, 10);
    }
    if (!read_numbers(typed, list, &count) || count != 1 || list[0] < from ||
        list[0] > to)
        return NULL;
    return say_numbers(list, 1, "");
}

/* 1.58, and 1,58 as much of the world writes it. */
static char *as_real(const char *rest, const char *typed)
{
    size_t length = strlen(typed);
    char *copy;
    char *end;

    (void)rest;
    if (length == 0 || length > 30 || strspn(typed, "0123456789.,-+") != length)
        return NULL;
    copy = strdup(typed + (*typed == '+'));
    if (!copy)
        return NULL;
    if (strchr(copy, ','))
        *strchr(copy, ',') = '.';
    (void)strtod(copy, &end);
    if (end > copy && !*end)
        return copy;
    free(copy);
    return NULL;
}

static char *as_names(const char *rest, const char *typed)
{
    uint64_t list[NAMES_MAX];
    uint32_t count;

    (void)rest;
    if (!read_numbers(typed, list, &count) || !are_different(list, count))
        return NULL;
    return say_numbers(list, count, ",");
}

static char *as_permutation(const char *of, const char *typed)
{
    uint64_t list[NAMES_MAX], wanted[NAMES_MAX];
    uint32_t count, wanted_count, found = 0;

    if (!read_numbers(typed, list, &count) ||
        !read_numbers(of, wanted, &wanted_count) || count != wanted_count ||
        !are_different(list, count))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            found += list[i] == wanted[k];
    return found == count ? say_numbers(list, count, ",") : NULL;
}

/* In lowest terms. */
static char *as_fraction(const char *rest, const char *typed)
{
    uint64_t top, bottom, a, b;
    struct lab_text t = {0};
    char *end;

    (void)rest;
    if (!isdigit((unsigned char)*typed))
        return NULL;
    top = a = strtoull(typed, &end, 10);
    end += strspn(end, " ");
    if (*end != '/')
        return NULL;
    typed = end + 1 + strspn(end + 1, " ");
    bottom = b = strtoull(typed, &end, 10);
    if (end == typed || *end || bottom == 0)
        return NULL;
    while (b) {
        uint64_t left = a % b;

        a = b;
        b = left;
    }
    lab_say(&t, "%" PRIu64 "/%" PRIu64, top / a, bottom / a);
    return t.text;
}

static char *as_word(const char *rest, const char *typed)
{
    char *copy = strdup(typed);
    size_t length = strlen(typed);

    (void)rest;
    for (size_t i = 0; copy && i < length; i++) {
        copy[i] = (char)tolower((unsigned char)copy[i]);
        if (copy[i] == '_' || copy[i] == ' ')
            copy[i] = '-';
    }
    if (copy && length > 0 && length < 64 &&
        strspn(copy, "abcdefghijklmnopqrstuvwxyz0123456789-") == length &&
        *copy != '-')
        return copy;
    free(copy);
    return NULL;
}

static char *as_bounds(const char *rest, const char *typed)
{
    uint64_t list[NAMES_MAX];
    uint32_t count;

    (void)rest;
    if (!read_numbers(typed, list, &count) || count != 4)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (list[i] > 1000000)
            return NULL;
    return say_numbers(list, 4, ":");
}

/* "crash 8@0", "Crash 7, 8 at 0"; several lines have come as one, with
 * semicolons. */
static char *as_crashes(const char *most, const char *typed)
{
    uint64_t names[NAMES_MAX], limit = strtoull(most, NULL, 10);
    char *copy = strdup(typed), *rest = copy, *one;
    struct lab_text t = {0};
    uint64_t all = 0;
    bool fine = copy != NULL;

    for (char *c = copy; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    while (fine && rest && (one = strsep(&rest, ";"))) {
        uint32_t count = 0;
        char *at, *end;

        one += strspn(one, " \t");
        if (!*one)
            continue;
        at = strchr(one, '@') ? strchr(one, '@') : strstr(one, " at ");
        fine = strncmp(one, "crash", 5) == 0 && at;
        if (!fine)
            break;
        typed = at + (*at == '@' ? 1 : 4);
        *at = '\0';
        typed += strspn(typed, " ");
        fine = isdigit((unsigned char)*typed) &&
               read_numbers(one + 5, names, &count);
        if (!fine)
            break;
        lab_say(&t, "%scrash ", t.length ? "; " : "");
        for (uint32_t i = 0; i < count; i++)
            lab_say(&t, "%s%" PRIu64, i ? "," : "", names[i]);
        lab_say(&t, "@%llu", strtoull(typed, &end, 10));
        fine = end[strspn(end, " ")] == '\0';
        all += count;
    }
    free(copy);
    if (fine && all > 0 && (limit == 0 || all <= limit))
        return t.text;
    free(t.text);
    return NULL;
}

/* What they mean is for the checker to say. */
static char *as_moves(const char *rest, const char *typed)
{
    uint32_t count = 1;

    (void)rest;
    for (const char *c = typed; *c; c++)
        count += *c == ';';
    return *typed && count <= MOVES_MAX ? strdup(typed) : NULL;
}

/* ---- All of them --------------------------------------------------------- */

static const struct {
    const char *word;
    char *(*read)(const char *rest, const char *typed);
    const char *wanted; /* %s: the rest of the form */
    bool repeats;
} forms[] = {
    {"number", as_number, "a whole number %s", false},
    {"real", as_real, "a number, such as 1.58%s", false},
    {"names", as_names, "different numbers, such as 3,1,2%s", false},
    {"permutation", as_permutation, "the numbers %s, each once, in any order",
     false},
    {"fraction", as_fraction, "a fraction, such as 3/16%s", false},
    {"word", as_word, "the name of a protocol, such as chang-roberts%s", false},
    {"bounds", as_bounds, "RMIN:RMAX:DMIN:DMAX, such as 1:1:0:2%s", false},
    {"crashes", as_crashes,
     "crash NAME@TICK, a line for each, such as crash 8@0; at most %s in all",
     true},
    {"moves", as_moves, "moves as the page and check --play name them%s", true},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static size_t find(const char *form)
{
    size_t i = 0;

    while (i < FORMS && !(begins(form, forms[i].word) &&
                          !isalpha((unsigned char)form[strlen(forms[i].word)])))
        i++;
    return i;
}

bool grade_form_repeats(const char *form)
{
    size_t i = find(form);

    return i < FORMS && forms[i].repeats;
}

char *grade_form(const char *form, const char *typed, char *wanted, size_t size)
{
    size_t i = find(form);
    const char *rest;
    char *copy, *value;
    size_t length;

    if (i == FORMS) {
        snprintf(wanted, size, "nothing: there is no form '%s'", form);
        return NULL;
    }
    rest = form + strlen(forms[i].word);
    rest += strspn(rest, " ");
    snprintf(wanted, size, forms[i].wanted, rest);
    /* Quotes around it, and a full stop behind. */
    typed += strspn(typed, " \t\"'`");
    copy = strdup(typed);
    if (!copy)
        return NULL;
    for (length = strlen(copy); length && strchr(" \t\"'`.", copy[length - 1]);
         length--)
        copy[length - 1] = '\0';
    value = forms[i].read(rest, copy);
    free(copy);
    return value;
}
