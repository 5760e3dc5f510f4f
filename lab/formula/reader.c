/*
 * reader.c - see reader.h.
 */
#include "lab/formula/reader.h"

#include <ctype.h>
#include <string.h>

uint16_t lab_fail_at(struct lab_reader *r, const char *place, const char *what,
                     const char *where)
{
    if (!r->failed && where && !*where) {
        net_refuse(r->why, "%s the end", what);
        r->wrong = place;
    } else if (!r->failed) {
        net_refuse(r->why, "%s%s%.40s%s", what, where ? " '" : "",
                   where ? where : "", where ? "'" : "");
        r->wrong = place;
    }
    r->failed = true;
    return 0;
}

uint16_t lab_fail(struct lab_reader *r, const char *what, const char *where)
{
    return lab_fail_at(r, r->at, what, where);
}

/* ---- Words and signs ----------------------------------------------------- */

void lab_skip(struct lab_reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

bool lab_take(struct lab_reader *r, const char *sign)
{
    size_t length = strlen(sign);

    lab_skip(r);
    if (strncmp(r->at, sign, length) != 0)
        return false;
    r->at += length;
    return true;
}

bool lab_goes_on(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '@';
}

/* The letters from here on that are one name: "a.b" is, where a scope has
 * functions. */
size_t lab_name_length(const struct lab_reader *r)
{
    const char *at = r->at;

    while (lab_goes_on(*at) || (*at == '.' && r->scope->functions_count &&
                                isalpha((unsigned char)at[1])))
        at++;
    return (size_t)(at - r->at);
}

/* Takes this word, whole. */
bool lab_take_word(struct lab_reader *r, const char *word)
{
    lab_skip(r);
    if (lab_name_length(r) != strlen(word) ||
        strncmp(r->at, word, strlen(word)) != 0)
        return false;
    r->at += strlen(word);
    return true;
}

void lab_take_name(struct lab_reader *r, char name[LAB_NAME_SIZE])
{
    size_t length = lab_name_length(r);
    size_t kept = length < LAB_NAME_SIZE ? length : LAB_NAME_SIZE - 1;

    memcpy(name, r->at, kept);
    name[kept] = '\0';
    r->at += length;
}

bool lab_is_reserved(const char *name)
{
    static const char *const words[] = {"and",  "or",    "not",   "implies",
                                        "some", "every", "count", "then"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

/* ---- Terms --------------------------------------------------------------- */

struct lab_term *lab_add(struct lab_reader *r, enum lab_op op, uint16_t *at)
{
    struct lab_term *t = &r->out->term[r->out->count];

    if (r->out->count + 1 >= LAB_TERMS_MAX) {
        *at = lab_fail(r, "it is too long", NULL);
        return t; /* the last one, which nothing leads to */
    }
    *at = (uint16_t)r->out->count++;
    memset(t, 0, sizeof *t);
    t->op = (uint8_t)op;
    return t;
}

uint16_t lab_constant(struct lab_reader *r, struct lab_number number)
{
    uint16_t at;

    lab_add(r, LAB_NUMBER, &at)->number = number;
    return at;
}

uint16_t lab_join(struct lab_reader *r, enum lab_op op, uint16_t a, uint16_t b)
{
    uint16_t at;
    struct lab_term *t = lab_add(r, op, &at);

    t->part[0] = a;
    t->part[1] = b;
    /* Nodes that are alike must not be told apart by their numbers. */
    if (op >= LAB_NEGATIVE && op <= LAB_POWER)
        r->out->placed |= r->out->term[a].is_node || r->out->term[b].is_node;
    return at;
}

/* Exact, with a fraction and all, while it fits. */
struct lab_number lab_literal(struct lab_reader *r)
{
    struct lab_number out = lab_whole(0), ten = lab_whole(10);
    struct lab_number scale = lab_whole(1);
    bool behind = false;

    for (; isdigit((unsigned char)*r->at) || (*r->at == '.' && !behind);
         r->at++) {
        if (*r->at == '.') {
            behind = true;
            continue;
        }
        out = lab_plus(lab_times(out, ten), lab_whole(*r->at - '0'));
        if (behind)
            scale = lab_times(scale, ten);
    }
    return lab_times(out, lab_inverse(scale));
}
