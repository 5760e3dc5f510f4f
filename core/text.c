/*
 * text.c - see text.h.
 */
#include "core/text.h"

bool fc_same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *fc_after(const char *text, const char *prefix)
{
    for (; *prefix; prefix++, text++)
        if (*text != *prefix)
            return NULL;
    return text;
}

/* Reads digits from *text on; false if there are none or too many. */
static bool read_digits(const char **text, uint64_t *number)
{
    const char *at = *text;
    uint64_t value = 0;

    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == *text)
        return false;
    *text = at;
    *number = value;
    return true;
}

bool fc_read_number(const char *text, uint64_t *number)
{
    uint64_t value;

    if (!read_digits(&text, &value) || *text)
        return false;
    *number = value;
    return true;
}

bool fc_read_range(const char *text, uint64_t *least, uint64_t *greatest)
{
    if (!read_digits(&text, least) || text[0] != '.' || text[1] != '.')
        return false;
    return fc_read_number(text + 2, greatest);
}

bool fc_read_thousandths(const char *text, uint64_t *number)
{
    uint64_t whole, part = 0, weight = 100;

    if (!read_digits(&text, &whole) || whole > UINT64_MAX / 1000 - 1)
        return false;
    if (*text == '.') {
        for (text++; *text >= '0' && *text <= '9' && weight; text++) {
            part += (uint64_t)(*text - '0') * weight;
            weight /= 10;
        }
    }
    if (*text)
        return false;
    *number = whole * 1000 + part;
    return true;
}

int fc_find_choice(const char *form, const char *word)
{
    for (const char *c = word; *c; c++)
        if (*c == '|')
            return -1;
    if (!*word)
        return -1;
    for (int position = 0;; position++) {
        const char *rest = fc_after(form, word);

        if (rest && (*rest == '|' || !*rest))
            return position;
        while (*form && *form != '|')
            form++;
        if (!*form)
            return -1;
        form++;
    }
}
