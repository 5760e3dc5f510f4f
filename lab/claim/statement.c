/*
 * statement.c - see statement.h.
 */
#include "lab/claim/statement.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const signs[] = {
    [LAB_AT_MOST] = "<=", [LAB_AT_LEAST] = ">=", [LAB_EQUAL] = "==",
    [LAB_LESS] = "<",     [LAB_MORE] = ">",
};

const char *lab_relation_sign(enum lab_relation op)
{
    return signs[op];
}

/* The first sign outside of brackets, the longer ones first. */
static const char *find_op(const char *text, enum lab_relation *op)
{
    static const enum lab_relation order[] = {LAB_AT_MOST, LAB_AT_LEAST,
                                              LAB_EQUAL, LAB_LESS, LAB_MORE};
    int depth = 0;

    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        for (uint32_t i = 0; i < 5 && depth == 0; i++)
            if (strncmp(text, signs[order[i]], strlen(signs[order[i]])) == 0) {
                *op = order[i];
                return text;
            }
    }
    return NULL;
}

/* A copy without blanks around it. */
static char *copied(const char *from, size_t length)
{
    while (length && isspace((unsigned char)*from)) {
        from++;
        length--;
    }
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    return strndup(from, length);
}

/* mean(X), max(X), min(X), P(X) or X. */
static bool read_left(struct lab_statement *r, const char *text, size_t length)
{
    static const struct {
        const char *name;
        enum lab_left is;
    } functions[] = {{"mean(", LAB_MEAN},
                     {"max(", LAB_MOST},
                     {"min(", LAB_LEAST},
                     {"P(", LAB_CHANCE}};
    char *whole = copied(text, length);
    size_t end = whole ? strlen(whole) : 0;

    r->left = LAB_EACH;
    for (uint32_t i = 0; i < 4 && whole; i++) {
        size_t head = strlen(functions[i].name);

        if (strncmp(whole, functions[i].name, head) == 0 && end > head + 1 &&
            whole[end - 1] == ')') {
            r->left = functions[i].is;
            r->quantity = copied(whole + head, end - head - 1);
            if (r->left == LAB_CHANCE && r->quantity &&
                strcmp(r->quantity, "violated") == 0)
                *r->quantity = '\0';
            free(whole);
            return r->quantity;
        }
    }
    r->quantity = whole;
    return whole && *whole &&
           whole[strspn(whole, "abcdefghijklmnopqrstuvwxyz0123456789"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.@")] == '\0';
}

/* Where the next mean(X of NAME) or, beside P(...), P(X of NAME) begins. */
static char *next_other(char *at, enum lab_left left, size_t *head)
{
    const char *word = left == LAB_CHANCE ? "P(" : "mean(";

    *head = strlen(word);
    return strstr(at, word);
}

/* The formula with @0, @1, ... for mean(X of NAME). */
static bool take_others(struct lab_statement *r, struct net_why *why)
{
    char *at = r->formula, *of, *end;
    size_t head;

    if (!at)
        return net_no_memory(why, "a statement");
    while ((at = next_other(at, r->left, &head))) {
        struct lab_mean_of *o = &r->others[r->others_count];

        end = strchr(at, ')');
        of = strstr(at, " of ");
        if (!end || !of || of > end)
            return net_refuse(why, "write mean(X of NAME), not %.80s", at);
        if (r->others_count == LAB_OTHERS_MAX)
            return net_refuse(why, "too many means in %.80s", r->text);
        o->quantity = copied(at + head, (size_t)(of - at) - head);
        o->other = copied(of + 4, (size_t)(end - of) - 4);
        if (!o->quantity || !o->other)
            return net_no_memory(why, "a statement");
        if (r->left == LAB_CHANCE && strcmp(o->quantity, "violated") == 0)
            *o->quantity = '\0';
        at[0] = '@';
        at[1] = (char)('0' + r->others_count++);
        memset(at + 2, ' ', (size_t)(end + 1 - at) - 2);
        at = end;
    }
    return true;
}

/* X in O(E) or Theta(E). */
static bool read_order(struct lab_statement *r, const char *text,
                       struct net_why *why)
{
    const char *in = strstr(text, " in "), *at = in + 4;
    size_t length = strlen(text);

    at += strspn(at, " ");
    if (strncmp(at, "O(", 2) == 0)
        r->order = LAB_O;
    else if (strncmp(at, "Theta(", 6) == 0)
        r->order = LAB_THETA;
    else
        return net_refuse(why, "an order is O(E) or Theta(E), not %.80s", at);
    at = strchr(at, '(') + 1;
    if (text[length - 1] != ')')
        return net_refuse(why, "a ')' is missing at the end of %.80s", text);
    r->formula = copied(at, (size_t)(text + length - 1 - at));
    if (!read_left(r, text, (size_t)(in - text)) ||
        (r->left != LAB_EACH && r->left != LAB_MEAN))
        return net_refuse(why, "an order is of X or mean(X), not %.80s", text);
    return take_others(r, why);
}

bool lab_statement_read(struct lab_statement *r, const char *text,
                        struct net_why *why)
{
    const char *sign;

    *r = (struct lab_statement){.text = text};
    if (strstr(text, " in "))
        return read_order(r, text, why);
    sign = find_op(text, &r->op);
    if (sign) {
        if (!read_left(r, text, (size_t)(sign - text)))
            return net_refuse(why, "what is compared is not a quantity: %.80s",
                              text);
        sign += strlen(signs[r->op]);
        r->formula = copied(sign, strlen(sign));
        return take_others(r, why);
    }
    r->left = LAB_PROPERTY;
    if (strncmp(text, "not ", 4) == 0) {
        r->left = LAB_FAILS;
        text += 4;
    }
    r->quantity = copied(text, strcmp(text, "holds") == 0 ? 0 : strlen(text));
    if (!r->quantity || strpbrk(r->quantity, " ()*/+"))
        return net_refuse(why, "it is not a relation: %.80s", text);
    return true;
}

void lab_statement_free(struct lab_statement *r)
{
    free(r->quantity);
    free(r->formula);
    for (uint32_t i = 0; i < r->others_count; i++) {
        free(r->others[i].quantity);
        free(r->others[i].other);
    }
}
