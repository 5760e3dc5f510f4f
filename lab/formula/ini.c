/*
 * ini.c - see ini.h.
 */
#include "lab/formula/ini.h"

#include <ctype.h>
#include <inttypes.h>
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
static bool split(char *text, struct lab_line *line, struct net_why *why)
{
    char *equals = strchr(text, '='), *end;

    if (*text == '[') {
        end = strchr(text, ']');
        if (!end || end[1])
            return net_refuse(why, "a section is written [name], not %.60s",
                              text);
        *end = '\0';
        line->section = text + 1;
        line->key = line->value = NULL;
        return true;
    }
    if (!equals)
        return net_refuse(why, "write KEY = VALUE, not %.60s", text);
    *equals = '\0';
    line->key = lab_trimmed(text);
    line->value = lab_trimmed(equals + 1);
    if (line->section)
        return true;
    return net_refuse(why, "a [name] must come before %.60s", line->key);
}

bool lab_ini_read(char *text,
                  bool (*take)(void *whom, const struct lab_line *line,
                               struct net_why *why),
                  void *whom, struct net_why *why)
{
    struct lab_line line = {0};
    char *at;

    while ((at = strsep(&text, "\n"))) {
        line.number++;
        at = lab_trimmed(at);
        if (!*at || *at == '#')
            continue;
        if (!split(at, &line, why) || !take(whom, &line, why))
            return net_where(why, "line %" PRIu32 ": ", line.number);
    }
    return true;
}
