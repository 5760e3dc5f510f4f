/*
 * word.c - see word.h.
 */
#include "net/word.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "core/text.h"

static bool is_same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of letters to change to make b of a, capitals or not; of short
 * words only. */
static uint32_t distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    uint32_t row[LONGEST + 1];
    size_t length = strlen(b);

    if (length > LONGEST)
        return LONGEST;
    for (uint32_t j = 0; j <= length; j++)
        row[j] = j;
    for (uint32_t i = 1; *a; a++, i++) {
        uint32_t diagonal = row[0];

        row[0] = i;
        for (uint32_t j = 1; j <= length; j++) {
            uint32_t best = diagonal + !is_same_letter(*a, b[j - 1]);

            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length];
}

/* Whether two neighbouring letters are swapped, and nothing else. */
static bool is_swapped(const char *a, const char *b)
{
    size_t at = 0;

    while (a[at] && is_same_letter(a[at], b[at]))
        at++;
    return a[at] && a[at + 1] && b[at] && is_same_letter(a[at], b[at + 1]) &&
           is_same_letter(a[at + 1], b[at]) &&
           strcmp(a + at + 2, b + at + 2) == 0;
}

bool net_is_nearer(const char *typed, const char *word, uint32_t *least)
{
    size_t length = strlen(typed);
    uint32_t far = length > 2 && fc_after(word, typed) ? 0
                   : is_swapped(typed, word)           ? 1
                                                       : distance(typed, word);

    if (far >= *least || far > (length < 3 ? 0 : length / 3))
        return false;
    *least = far;
    return true;
}

bool net_number(const char *text, const char *what, uint64_t least,
                uint64_t greatest, uint64_t *out, struct net_why *why)
{
    if (fc_read_number(text, out) && *out >= least && *out <= greatest)
        return true;
    return net_refuse(why,
                      "%s takes a whole number from %" PRIu64 " to %" PRIu64
                      ", not '%s'",
                      what, least, greatest, text);
}
