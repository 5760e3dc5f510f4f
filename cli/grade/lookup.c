/*
 * lookup.c - what stands at a path of a text in JSON (see value.h).
 *
 * The text comes from a command of ours; a page has no library that reads JSON,
 * and nothing but a walk to one place is needed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grade/value.h"

enum { DEPTH_MAX = 32 };

static const char *blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Behind a string, which begins here. */
static const char *behind_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* Behind a value of any kind. */
static const char *behind(const char *at)
{
    int depth = 0;

    at = blanks(at);
    do {
        if (*at == '"') {
            at = behind_string(at);
        } else {
            if (*at == '{' || *at == '[')
                depth++;
            if (*at == '}' || *at == ']')
                depth--;
            if (depth == 0 && *at != '}' && *at != ']') {
                while (*at && !strchr(",]} \n", *at))
                    at++;
                return at;
            }
            at += *at != '\0';
        }
    } while (*at && depth > 0);
    return at;
}

static void say_string(const char *at, struct lab_text *out)
{
    for (at++; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1])
            at++;
        lab_say(out, "%c", *at);
    }
}

static bool walk(const char *at, const char *path, int depth,
                 struct lab_text *out);

/* The members of a list, all of them or one by its number. */
static bool walk_list(const char *at, const char *path, int depth,
                      struct lab_text *out)
{
    bool numbered = isdigit((unsigned char)*path), some = false;
    unsigned long wanted = numbered ? strtoul(path, NULL, 10) : 0, i = 0;
    const char *rest = path;

    if (numbered) {
        rest = path + strcspn(path, ".");
        rest += *rest == '.';
    }
    for (at = blanks(at + 1); *at && *at != ']'; i++) {
        if (!numbered || i == wanted) {
            if (some)
                lab_say(out, "; ");
            some |= walk(at, rest, depth + 1, out);
        }
        at = blanks(behind(at));
        at = blanks(at + (*at == ','));
    }
    return some || (!numbered && !*path);
}

static bool walk_object(const char *at, const char *path, int depth,
                        struct lab_text *out)
{
    size_t length = strcspn(path, ".");
    const char *rest = path + length + (path[length] == '.');

    for (at = blanks(at + 1); *at == '"';) {
        const char *end = behind_string(at), *value = blanks(end);
        bool here = (size_t)(end - at) == length + 2 &&
                    strncmp(at + 1, path, length) == 0;

        value += *value == ':';
        if (here)
            return walk(value, rest, depth + 1, out);
        at = blanks(behind(value));
        at = blanks(at + (*at == ','));
    }
    return false;
}

static bool walk(const char *at, const char *path, int depth,
                 struct lab_text *out)
{
    const char *end;

    at = blanks(at);
    if (depth > DEPTH_MAX)
        return false;
    if (*at == '[')
        return walk_list(at, path, depth, out);
    if (*at == '{')
        return *path && walk_object(at, path, depth, out);
    if (*path)
        return false;
    if (*at == '"') {
        say_string(at, out);
        return true;
    }
    end = behind(at);
    lab_say(out, "%.*s", (int)(end - at), at);
    return end > at;
}

bool grade_lookup(const char *json, const char *path, struct lab_text *out)
{
    return walk(json, path, 0, out);
}
