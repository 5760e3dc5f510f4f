/*
 * scan.c - takes a line of text apart; see reader.h.
 */
#include "trace/reader.h"

#include <string.h>

bool scan_literal(struct scan *s, const char *literal)
{
    const char *at = s->at;

    for (; *literal; literal++, at++) /* most differ at once */
        if (at == s->end || *at != *literal)
            return false;
    s->at = at;
    return true;
}

bool scan_number(struct scan *s, uint64_t max, uint64_t *number)
{
    const char *at = s->at;
    uint64_t value = 0;

    while (at < s->end && *at >= '0' && *at <= '9') {
        uint64_t digit = (uint64_t)(*at - '0');

        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
        at++;
    }
    if (at == s->at || value > max)
        return false;
    s->at = at;
    *number = value;
    return true;
}

bool scan_until(struct scan *s, const char *stops, struct scan *word)
{
    const char *at = s->at;

    for (; at < s->end && *at != '\0'; at++) {
        const char *stop = stops; /* a few: strchr() would take longer */

        while (*stop != '\0' && *stop != *at)
            stop++;
        if (*stop != '\0')
            break;
    }
    if (at == s->at)
        return false;
    *word = (struct scan){s->at, at};
    s->at = at;
    return true;
}

bool scan_done(const struct scan *s)
{
    return s->at == s->end;
}

bool scan_equals(const struct scan *word, const char *other)
{
    size_t length = strlen(other);

    return (size_t)(word->end - word->at) == length &&
           memcmp(word->at, other, length) == 0;
}

/* Bytes of the character at `s`, 0 if it is not one that may be shown. */
static size_t character(const unsigned char *s, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = s[0] < 0x80                   ? 1
                  : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                  : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                  : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                : 0;
    uint32_t code;

    if (size == 0 || size > left)
        return 0;
    if (size == 1)
        return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
    code = s[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    /* Overlong forms, second control block, surrogates, and the characters
     * that XML forbids or Unicode does not have. */
    if (code < least[size] || code < 0xa0 || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe)
        return 0;
    /* Marks that turn the direction of writing can fake a line. */
    if ((code >= 0x202a && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069))
        return 0;
    return size;
}

bool scan_printable(const struct scan *s, const char **bad)
{
    const char *at = s->at;

    while (at < s->end) {
        size_t size =
            character((const unsigned char *)at, (size_t)(s->end - at));

        if (size == 0) {
            *bad = at;
            return false;
        }
        at += size;
    }
    return true;
}

void scan_quote(const struct scan *s, char out[SCAN_QUOTE_SIZE])
{
    enum { SHOWN = 40 };
    size_t length = (size_t)(s->end - s->at);
    bool cut = length > SHOWN;

    if (cut) {
        length = SHOWN;
        while (length > 0 && ((unsigned char)s->at[length] & 0xc0) == 0x80)
            length--;
    }
    out[0] = '"';
    memcpy(out + 1, s->at, length);
    memcpy(out + 1 + length, cut ? "...\"" : "\"", cut ? 5 : 2);
}
