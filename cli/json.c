/*
 * json.c - see json.h.
 */
#include "cli/json.h"

#include <inttypes.h>

#include "lab/formula/letters.h"

json_t *cli_json_name(uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, number);
    return json_string(text);
}

json_t *cli_json_letters(const struct net *net)
{
    struct lab_letter letters[LAB_LETTERS_MAX];
    uint32_t count = lab_letters(net, letters);
    json_t *out = json_object();

    for (uint32_t i = 0; i < count; i++) {
        const struct lab_number *is = &letters[i].is;
        char text[48];

        snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, is->top,
                 is->bottom);
        json_object_set_new(out, letters[i].name,
                            is->bottom == 1 ? json_integer(is->top)
                                            : json_string(text));
    }
    return out;
}
