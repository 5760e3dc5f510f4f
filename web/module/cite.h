/*
 * cite.h - by which rules of its paper a node went in each event of a run.
 *
 * The protocols of the module are compiled from sources in which the labels of
 * rules are statements (cite.awk).  The code that makes or replays a run says
 * which event is next, and labels that are cited are kept for that event.
 */
#ifndef WEB_CITE_H
#define WEB_CITE_H

#include <stdint.h>

#define CITE(labels) web_cite(labels)

/* Space-separated labels for the current event, if there is one. */
void web_cite(const char *labels);

struct web_cited {
    uint16_t *rules; /* of each event: a row of `sets`, from 1; 0: none */
    uint32_t room;   /* for events */
    const uint32_t
        *told; /* events up to the current one; NULL: there is none */
};

extern struct web_cited web_cited;

/* Brings web_cited.rules up to date, with a place for each of `events` events;
 * false: no memory. */
_Bool web_cited_up_to(uint32_t events);

/* The labels of a set, separated by spaces, in the order in which they were
 * first cited; NULL: there are no more sets. */
const char *web_cited_set(uint32_t set);

#endif
