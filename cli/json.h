/*
 * json.h - results for programs.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct net;

static inline json_t *cli_json_number(uint64_t number)
{
    return json_integer((json_int_t)number);
}

/* A number that names something - a token, a seed - as text: it may be above
 * 2^53, and most readers of JSON would round it. */
json_t *cli_json_name(uint64_t number);

static inline json_t *cli_json_list(const char *const *words, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

/* What the letters of formulas stand for in a network
 * (lab/formula/letters.h). */
json_t *cli_json_letters(const struct net *net);

/* Prints a value and frees it; flags of json_dumpf() besides the indent. */
static inline void cli_json_print(json_t *json, size_t flags)
{
    json_dumpf(json, stdout, JSON_INDENT(2) | flags);
    putchar('\n');
    json_decref(json);
}

#endif
