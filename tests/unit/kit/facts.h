/*
 * facts.h - what the facts.txt of each protocol says, for the tests that read
 * one kind of fact (docs/facts.md).
 *
 * With FACTS_OF=NAME in the environment, the facts of that protocol alone.
 */
#ifndef FACTS_H
#define FACTS_H

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/net.h"
#include "tests/unit/kit/test.h"

/* A fact of this kind: what follows on its line. */
typedef void fact_reader(const char *protocol, const char *kind,
                         const char *text);

static inline FILE *facts_open(const char *protocol)
{
    char pattern[128];
    glob_t found;
    FILE *file = NULL;

    snprintf(pattern, sizeof pattern, "protocols/*/%s/facts.txt", protocol);
    for (char *at = pattern; *at; at++)
        *at = *at == '-' ? '_' : *at;
    if (glob(pattern, 0, NULL, &found) == 0)
        file = fopen(found.gl_pathv[0], "r");
    globfree(&found);
    if (!file)
        fail_msg("there is no %s", pattern);
    return file;
}

/* Reads the facts of one protocol; returns how many there are.  Checks have the
 * arguments of the last `with` under their heading as well. */
static inline uint32_t facts_of(const char *protocol, const char *kind,
                                fact_reader *read)
{
    FILE *file = facts_open(protocol);
    size_t length = strlen(kind);
    bool checks = strcmp(kind, "holds") == 0 || strcmp(kind, "violated") == 0;
    uint32_t count = 0;
    char line[1024], with[512] = "", whole[sizeof line + sizeof with];

    while (fgets(line, sizeof line, file)) {
        const char *text = line + length;

        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "about ", 6) == 0)
            with[0] = '\0';
        if (strncmp(line, "with ", 5) == 0)
            snprintf(with, sizeof with, "%s",
                     line + 4 + strspn(line + 4, " ") - 1);
        if (strncmp(line, kind, length) != 0 || *text != ' ')
            continue;
        snprintf(whole, sizeof whole, "%s%s", text + strspn(text, " "),
                 checks ? with : "");
        read(protocol, kind, whole);
        count++;
    }
    fclose(file);
    return count;
}

/* Reads those of all protocols in turn; the least that one of them has. */
static inline uint32_t facts_each(const char *kind, fact_reader *read)
{
    const char *only = getenv("FACTS_OF");
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; net_types[i]; i++) {
        const char *name = net_types[i]->protocol->name;
        uint32_t count;

        if (only && strcmp(only, name) != 0)
            continue;
        count = facts_of(name, kind, read);
        if (count == 0)
            print_message("%s has no fact %s\n", name, kind);
        if (count < least)
            least = count;
    }
    return least;
}

#endif
