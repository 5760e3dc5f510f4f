/*
 * page.c - one answer, for a page that runs the commands (see grade.h).
 *
 * A page has no processes: it asks again and again, each time with one command
 * more whose output it has put into a file of that command's name, the exit
 * code in the first line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grade/grade.h"
#include "cli/json.h"
#include "net/outside.h"

static char *name_of(char *const *words)
{
    struct lab_text t = {0};

    lab_say(&t, "fulcrum");
    for (int i = 0; words[i]; i++)
        lab_say_word(&t, words[i]);
    return t.text;
}

/* The command that is to be run next: {"needs": words, "file": name}. */
static bool look_up(void *whom, char *const *words, struct grade_reply *reply)
{
    json_t **needs = whom;
    struct net_why why;
    uint32_t count = 0;
    size_t size;
    char *name = name_of(words), *text, *rest;

    text = name ? outside_text(name, OUTSIDE_TEXT_MAX, &size, &why) : NULL;
    while (words[count])
        count++;
    if (!text)
        *needs = json_pack("{s:o,s:s}", "needs",
                           cli_json_list((const char *const *)words, count),
                           "file", name);
    else
        reply->code = (int)strtoul(text, &rest, 10);
    if (text)
        reply->text = strdup(rest + (*rest == '\n'));
    free(text);
    free(name);
    return reply->text != NULL;
}

int grade_for_page(struct grade_work *w, const char *path)
{
    struct grade_hand_in h = {.path = (char *)path};
    struct net_why why = {0};
    json_t *needs = NULL, *marks;
    size_t size;

    h.text = outside_text(path, OUTSIDE_HAND_MAX, &size, &why);
    if (!h.text)
        return cli_refused(&why);
    marks = grade_one(w, &h, look_up, &needs);
    free(h.text);
    cli_json_print(marks ? marks : needs, 0);
    return CLI_FINE;
}
