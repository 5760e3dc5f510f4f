/*
 * value.c - see value.h.
 */
#include "cli/grade/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/formula/expression.h"
#include "net/word.h"

/* ---- Names --------------------------------------------------------------- */

static struct grade_value *find(const struct grade_values *v, const char *name,
                                size_t length)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (strncmp(v->one[i].name, name, length) == 0 &&
            v->one[i].name[length] == '\0')
            return (struct grade_value *)&v->one[i];
    return NULL;
}

bool grade_set_value(struct grade_values *v, const char *name, const char *text,
                     bool is_run)
{
    struct grade_value *is = find(v, name, strlen(name));
    char *copy = strdup(text);

    if (!copy || (!is && v->count == GRADE_VALUES_MAX)) {
        free(copy);
        return false;
    }
    if (is) {
        free(is->text);
    } else {
        is = &v->one[v->count];
        is->name = strdup(name);
        if (!is->name) {
            free(copy);
            return false;
        }
        v->count++;
    }
    is->text = copy;
    is->is_run = is_run;
    return true;
}

const char *grade_value(const struct grade_values *v, const char *name)
{
    const struct grade_value *is = find(v, name, strlen(name));

    return is ? is->text : NULL;
}

void grade_values_free(struct grade_values *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        free(v->one[i].name);
        free(v->one[i].text);
    }
    v->count = 0;
}

/* ---- Lists --------------------------------------------------------------- */

enum { LIST_MAX = 256 };

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static uint32_t read_list(const char *text, uint64_t list[LIST_MAX])
{
    uint32_t count = 0;

    while (count < LIST_MAX && isdigit((unsigned char)*text)) {
        char *end;

        list[count++] = strtoull(text, &end, 10);
        text = end + (*end == ',' || *end == ':');
    }
    return count;
}

static void say_list(const uint64_t *list, uint32_t count, struct lab_text *out)
{
    for (uint32_t i = 0; i < count; i++)
        lab_say(out, "%s%" PRIu64, i ? "," : "", list[i]);
}

/* What follows the name of a list: .sorted .least .greatest .count .3 */
static bool of_list(const char *text, const char *suffix, struct lab_text *out)
{
    uint64_t list[LIST_MAX] = {0}, number;
    uint32_t count = read_list(text, list);

    if (strncmp(suffix, "sorted", 6) == 0 && (suffix[6] == '.' || !suffix[6])) {
        qsort(list, count, sizeof list[0], by_size);
        suffix += 6 + (suffix[6] == '.');
        if (!*suffix) {
            say_list(list, count, out);
            return true;
        }
    }
    if (strcmp(suffix, "count") == 0) {
        lab_say(out, "%" PRIu32, count);
        return true;
    }
    if (net_number(suffix, "", 1, LIST_MAX, &number, NULL)) {
        if (number > count)
            return false;
        lab_say(out, "%" PRIu64, list[number - 1]);
        return true;
    }
    qsort(list, count, sizeof list[0], by_size);
    if (count == 0 ||
        (strcmp(suffix, "least") != 0 && strcmp(suffix, "greatest") != 0))
        return false;
    lab_say(out, "%" PRIu64, list[*suffix == 'l' ? 0 : count - 1]);
    return true;
}

bool grade_resolve(const struct grade_values *v, const char *reference,
                   struct lab_text *out)
{
    size_t length = strcspn(reference, ".");
    const struct grade_value *is = find(v, reference, length);
    const char *rest = reference + length;

    if (!is)
        return false;
    if (!*rest) {
        lab_say(out, "%s", is->text);
        return true;
    }
    return is->is_run ? grade_lookup(is->text, rest + 1, out)
                      : of_list(is->text, rest + 1, out);
}

/* ---- Formulas ------------------------------------------------------------ */

enum { LETTERS_MAX = 24, REFERENCE_SIZE = 64 };

static bool is_reference(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A value as a number: whole, a fraction, a decimal, true or false. */
static bool to_number(const char *text, struct lab_number *out)
{
    static const struct lab_letter none[] = {{.name = NULL}};
    char *end;

    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *out = lab_whole(*text == 't');
        return true;
    }
    if (*text && strspn(text, "0123456789./-") == strlen(text))
        return lab_evaluate(text, none, out, NULL);
    out->exact = false;
    out->value = strtod(text, &end);
    return *text && !*end;
}

struct rewriting {
    const struct grade_values *values;
    struct lab_letter letter[LETTERS_MAX + 1];
    char name[LETTERS_MAX][8];
    uint32_t count;
    struct lab_text formula;
};

/* A reference in a formula becomes a letter of it; what is none stays. */
static bool rewrite_word(struct rewriting *w, const char *word, size_t length,
                         bool is_call, struct net_why *why)
{
    char reference[REFERENCE_SIZE];
    struct lab_text text = {0};
    struct lab_letter *l = &w->letter[w->count];
    bool fine;

    if (is_call || length >= sizeof reference || w->count == LETTERS_MAX ||
        !find(w->values, word,
              strcspn(word, ".") < length ? strcspn(word, ".") : length)) {
        lab_say(&w->formula, "%.*s", (int)length, word);
        return true;
    }
    snprintf(reference, sizeof reference, "%.*s", (int)length, word);
    fine = grade_resolve(w->values, reference, &text) && text.text &&
           to_number(text.text, &l->is);
    if (fine) {
        snprintf(w->name[w->count], sizeof w->name[0], "v%" PRIu32, w->count);
        l->name = w->name[w->count++];
        lab_say(&w->formula, "%s", l->name);
    } else {
        net_refuse(why, "%s is %s, and no number", reference,
                   text.text ? text.text : "not said");
    }
    free(text.text);
    return fine;
}

static bool evaluate(const struct grade_values *v, const char *formula,
                     struct lab_number *out, struct net_why *why)
{
    struct rewriting w = {.values = v};
    bool fine = true;

    for (const char *at = formula; fine && *at;) {
        size_t length = 0;

        while (isalpha((unsigned char)*at) && is_reference(at[length]))
            length++;
        if (length)
            fine = rewrite_word(&w, at, length, at[length] == '(', why);
        else
            lab_say(&w.formula, "%c", *at);
        at += length ? length : 1;
    }
    if (fine)
        fine = lab_evaluate(w.formula.text ? w.formula.text : "", w.letter, out,
                            why);
    free(w.formula.text);
    return fine;
}

static void say_number(const struct lab_number *n, struct lab_text *out)
{
    if (n->exact && n->bottom == 1)
        lab_say(out, "%" PRId64, n->top);
    else
        lab_say(out, "%.6g", n->value);
}

/* ---- Texts --------------------------------------------------------------- */

/* {FROM .. TO}: all whole numbers between two formulas, with commas. */
static bool fill_range(const struct grade_values *v, const char *inside,
                       const char *dots, struct lab_text *out,
                       struct net_why *why)
{
    char *from = strndup(inside, (size_t)(dots - inside));
    struct lab_number a, b;
    int64_t first, last;
    bool fine = from && evaluate(v, from, &a, why) &&
                evaluate(v, dots + 2, &b, why) && lab_floor(&a, &first) &&
                lab_floor(&b, &last);

    free(from);
    for (int64_t i = 0; fine && i < LIST_MAX && first + i <= last; i++)
        lab_say(out, "%s%" PRId64, i ? "," : "", first + i);
    return fine;
}

/* A place in what a command has said where it says nothing: no property was
 * violated, no leader elected. */
static bool is_unsaid(const struct grade_values *v, const char *reference)
{
    const struct grade_value *run = find(v, reference, strcspn(reference, "."));

    return run && run->is_run && !strpbrk(reference, " +-*/(");
}

static bool fill_one(const struct grade_values *v, const char *inside,
                     struct lab_text *out, struct net_why *why)
{
    const char *dots = strstr(inside, " .. ");
    struct lab_number number;

    if (dots)
        return fill_range(v, inside, dots + 1, out, why) ||
               net_where(why, "{%s}: ", inside);

    if (strspn(inside, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789_.-") == strlen(inside) &&
        grade_resolve(v, inside, out))
        return true;
    if (is_unsaid(v, inside)) {
        lab_say(out, "nothing");
        return true;
    }
    if (!evaluate(v, inside, &number, why))
        return net_where(why, "{%s}: ", inside);
    say_number(&number, out);
    return true;
}

char *grade_fill(const struct grade_values *v, const char *text,
                 struct net_why *why)
{
    struct lab_text out = {0};
    char inside[256];

    lab_say(&out, "%s", "");
    while (*text) {
        size_t length = strcspn(text, "{");
        const char *end;

        lab_say(&out, "%.*s", (int)length, text);
        text += length;
        if (!*text)
            break;
        end = strchr(text, '}');
        if (!end || (size_t)(end - text) >= sizeof inside) {
            net_refuse(why, "a { is not closed in '%.60s'", text);
            free(out.text);
            return NULL;
        }
        snprintf(inside, sizeof inside, "%.*s", (int)(end - text - 1),
                 text + 1);
        if (!fill_one(v, inside, &out, why)) {
            free(out.text);
            return NULL;
        }
        text = end + 1;
    }
    if (out.failed)
        (void)net_no_memory(why, "a text");
    return out.text;
}

/* ---- Conditions ---------------------------------------------------------- */

static bool has_item(const char *list, const char *item)
{
    size_t length = strlen(item);

    while (*list) {
        size_t size = strcspn(list, ",;");

        while (size && *list == ' ') {
            list++;
            size--;
        }
        if (size == length && strncmp(list, item, size) == 0)
            return true;
        list += size + (list[size] != '\0');
    }
    return false;
}

/* A line that has all pieces, apart by "...". */
static bool line_has(const char *line, size_t size, const char *pieces)
{
    const char *at = line, *end = line + size;

    while (*pieces) {
        const char *stop = strstr(pieces, "...");
        size_t length = stop ? (size_t)(stop - pieces) : strlen(pieces);
        const char *found = memmem(at, (size_t)(end - at), pieces, length);

        if (!found)
            return false;
        at = found + length;
        pieces += length + (stop ? 3 : 0);
    }
    return true;
}

static bool prints(const char *text, const char *pieces)
{
    while (*text) {
        size_t size = strcspn(text, "\n");

        if (line_has(text, size, pieces))
            return true;
        text += size + (text[size] == '\n');
    }
    return false;
}

enum relation { IS_NOT, IS, HAS, PRINTS, RELATIONS };

static bool relate(const struct grade_values *v, enum relation how,
                   const char *left, const char *right, struct net_why *why)
{
    const struct grade_value *run = find(v, left, strlen(left));

    switch (how) {
    case IS:
        return strcmp(left, right) == 0;
    case IS_NOT:
        return strcmp(left, right) != 0;
    case HAS:
        return has_item(left, right);
    default:
        return run && run->is_run
                   ? prints(run->text, right)
                   : net_refuse(why, "there is no run '%s'", left);
    }
}

bool grade_holds(const struct grade_values *v, const char *condition,
                 bool *holds, struct net_why *why)
{
    static const char *const words[RELATIONS] = {" is not ", " is ", " has ",
                                                 " prints "};
    struct lab_number number;

    why->text[0] = '\0';
    for (int i = 0; i < RELATIONS; i++) {
        const char *at = strstr(condition, words[i]);
        char *whole, *left, *right;

        if (!at)
            continue;
        whole = strndup(condition, (size_t)(at - condition));
        left = whole ? grade_fill(v, whole, why) : NULL;
        right = left ? grade_fill(v, at + strlen(words[i]), why) : NULL;
        if (right)
            *holds = relate(v, (enum relation)i, left, right, why);
        free(whole);
        free(left);
        free(right);
        return right != NULL && !why->text[0];
    }
    if (!evaluate(v, condition, &number, why))
        return false;
    *holds = number.value != 0;
    return true;
}
