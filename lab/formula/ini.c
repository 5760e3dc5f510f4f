/*
 * ini.c - see ini.h.
 */
#include "lab/formula/ini.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

char *lab_trimmed(char *text)
{
    size_t length;

    while (isspace((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Splits a line; false: it is none. */
static bool split(char *text, struct lab_line *line, char *why)
{
    char *equals = strchr(text, '='), *end;

    if (*text == '[') {
        end = strchr(text, ']');
        if (!end || end[1]) {
            snprintf(why, LAB_WHY_SIZE,
                     "a section is written [name], not %.60s", text);
            return false;
        }
        *end = '\0';
        line->section = text + 1;
        line->key = line->value = NULL;
        return true;
    }
    if (!equals) {
        snprintf(why, LAB_WHY_SIZE, "write KEY = VALUE, not %.60s", text);
        return false;
    }
    *equals = '\0';
    line->key = lab_trimmed(text);
    line->value = lab_trimmed(equals + 1);
    if (line->section)
        return true;
    snprintf(why, LAB_WHY_SIZE, "a [name] must come before %.60s", line->key);
    return false;
}

bool lab_ini_read(char *text,
                  bool (*take)(void *whom, const struct lab_line *line,
                               char *why),
                  void *whom, char why[LAB_WHY_SIZE])
{
    struct lab_line line = {0};
    char reason[LAB_WHY_SIZE], *at;

    while ((at = strsep(&text, "\n"))) {
        line.number++;
        at = lab_trimmed(at);
        if (!*at || *at == '#')
            continue;
        if (!split(at, &line, reason) || !take(whom, &line, reason)) {
            snprintf(why, LAB_WHY_SIZE, "line %" PRIu32 ": %.170s", line.number,
                     reason);
            return false;
        }
    }
    return true;
}
