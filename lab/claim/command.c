/*
 * command.c - see command.h.
 */
#include "lab/claim/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claim/words.h"

/* Where the option stands, at the blank before it; NULL: nowhere. */
static const char *find(const char *command, const char *option)
{
    size_t length = strlen(option);

    for (const char *at = command; (at = strchr(at, ' ')); at++)
        if (strncmp(at + 1, option, length) == 0 && at[1 + length] == ' ')
            return at;
    return NULL;
}

bool lab_command_number(const char *command, const char *option, uint64_t *out)
{
    const char *at = find(command, option);
    char *end;

    if (!at)
        return false;
    at += 2 + strlen(option);
    *out = strtoull(at, &end, 10);
    return end != at;
}

char *lab_command_with(const char *command, const char *option,
                       const char *value)
{
    const char *at = find(command, option), *rest = "";
    size_t head = at ? (size_t)(at - command) : strlen(command);
    struct lab_text out = {0};

    if (at) {
        rest = at + 2 + strlen(option);
        /* The value ends at a blank outside of quotes. */
        for (bool quoted = false; *rest && (quoted || *rest != ' '); rest++)
            quoted ^= *rest == '\'';
    }
    lab_say(&out, "%.*s", (int)head, command);
    if (value) {
        lab_say(&out, " %s", option);
        lab_say_word(&out, value);
    }
    lab_say(&out, "%s", rest);
    return out.text;
}

char *lab_command_with_number(const char *command, const char *option,
                              uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    return lab_command_with(command, option, text);
}
