/*
 * cite.c - see cite.h.
 *
 * An event goes by few rules, and by the same ones again and again: the sets of
 * labels that occur are kept once, as chains: a set is a shorter one and one
 * label more.
 */
#include "web/module/cite.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MAX = 1024, SETS_TEXT = 512 };

struct set {
    const char *labels; /* more than the set before has */
    uint16_t before;    /* from 1; 0: the empty one */
};

struct web_cited web_cited;
static struct set sets[SETS_MAX];
static uint32_t sets_count;

bool web_cited_up_to(uint32_t events)
{
    uint32_t room = web_cited.room ? web_cited.room : 4096;
    uint16_t *rules;

    if (events <= web_cited.room)
        return true;
    while (room < events)
        room *= 2;
    rules = realloc(web_cited.rules, room * sizeof *rules);
    if (!rules)
        return false;
    memset(rules + web_cited.room, 0, (room - web_cited.room) * sizeof *rules);
    web_cited.rules = rules;
    web_cited.room = room;
    return true;
}

/* The set with these labels as well; itself if it has them, or if there is no
 * room. */
static uint16_t with(uint16_t set, const char *labels)
{
    for (uint32_t i = set; i; i = sets[i - 1].before)
        if (strcmp(sets[i - 1].labels, labels) == 0)
            return set;
    for (uint32_t i = 0; i < sets_count; i++)
        if (sets[i].before == set && strcmp(sets[i].labels, labels) == 0)
            return (uint16_t)(i + 1);
    if (sets_count == SETS_MAX)
        return set;
    sets[sets_count++] = (struct set){labels, set};
    return (uint16_t)sets_count;
}

void web_cite(const char *labels)
{
    uint32_t event;

    if (!web_cited.told || *web_cited.told == 0)
        return;
    event = *web_cited.told - 1;
    if (web_cited_up_to(event + 1))
        web_cited.rules[event] = with(web_cited.rules[event], labels);
}

const char *web_cited_set(uint32_t set)
{
    static char text[SETS_TEXT];
    size_t end = sizeof text - 1;

    if (set >= sets_count)
        return NULL;
    text[end] = 0;
    for (uint32_t i = set + 1; i; i = sets[i - 1].before) {
        size_t length = strlen(sets[i - 1].labels);

        if (length + 1 > end)
            break;
        if (text[end])
            text[--end] = ' ';
        end -= length;
        memcpy(text + end, sets[i - 1].labels, length);
    }
    return text + end;
}
