/*
 * command.c - see plan.h.
 */
#include "lab/claim/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claim/words.h"

/* ---- What a claim may ask for -------------------------------------------- */

/* The options that take no file; a new one is refused until it stands here. */
static const char *const allowed[] = {
    "-n",          "--names",       "--topology",  "--time",     "--bounds",
    "--clock",     "--phases",      "--delays",    "--bits",     "--links",
    "--wake",      "--competitors", "--entries",   "--section",  "--think",
    "--burst",     "--shared",      "--until",     "--set",      "--fault",
    "--seed",      "--runs",        "--threads",   "--judge",    "--value",
    "--crashes",   "--restarts",    "--notice",    "--loss",     "--duplicate",
    "--late",      "--pauses",      "--pause-max", "--cuts",     "--cut-max",
    "--victims",   "--faults-from", "--only",      "--symmetry", "--reduce",
    "--worst",     "--given",       "--expect",    "--max",      "--min",
    "--no-cycles", "--states",      "--depth",     "--memory",   "--of",
    "--least",     "--over",        "--budget",    "--than",
};

/* What these two take instead of a file; or numbers. */
static const char *const kinds[] = {"asc",   "desc", "random", "all",
                                    "equal", "path", "star",   "binary"};

static bool stands_in(const char *const *list, size_t count, const char *word,
                      size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncmp(list[i], word, length) == 0)
            return true;
    return false;
}

/* A value of --names or --topology that is no file. */
static bool is_kind(const char *value)
{
    return (*value >= '0' && *value <= '9') ||
           stands_in(kinds, sizeof kinds / sizeof *kinds, value,
                     strcspn(value, ":,"));
}

bool lab_option_takes_no_file(const char *option)
{
    return stands_in(allowed, sizeof allowed / sizeof *allowed, option,
                     strlen(option));
}

enum { WORDS_MOST = 512 };

static bool check_text(const char *text, int head, struct net_why *why);

/* One word, and what stands before it. */
static bool check_word(const char *word, const char *before,
                       struct net_why *why)
{
    if (!strcmp(before, "--twin")) /* options of its own */
        return check_text(word, 0, why);
    if ((!strcmp(before, "--names") || !strcmp(before, "--topology")) &&
        !is_kind(word))
        return net_refuse(why, "%.60s is a file, and a claim may not name one",
                          word);
    if (*word == '-' && strcmp(word, "--twin") != 0 &&
        !lab_option_takes_no_file(word))
        return net_refuse(
            why,
            "%.60s may not stand in a claim, which may come from anywhere: "
            "it reads and writes no files",
            word);
    return true;
}

static bool check_text(const char *text, int head, struct net_why *why)
{
    char *words[WORDS_MOST], *copy = strdup(text);
    int count = copy ? lab_split(copy, words, WORDS_MOST) : -1;
    bool fine =
        count >= head ||
        net_refuse(why, "%.60s has too many words, or an open quote", text);

    for (int i = 0; fine && i < count; i++)
        fine = i < head
                   ? *words[i] != '-' ||
                         net_refuse(why, "%.60s is no verb, nor a protocol",
                                    words[i])
                   : check_word(words[i], i ? words[i - 1] : "", why);
    free(copy);
    return fine;
}

bool lab_command_is_harmless(const char *command, struct net_why *why)
{
    return check_text(command, 3, why); /* fulcrum VERB PROTOCOL */
}

/* ---- Changing one -------------------------------------------------------- */

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
