/*
 * cite.h - by which rules of its paper a node went in each event of a run.
 *
 * The protocols of the module are compiled from sources in which the labels of
 * rules are statements (cite.awk).  While a run is made, or replayed, whoever
 * does that says which event is next, and what is cited goes there.
 */
#ifndef WEB_CITE_H
#define WEB_CITE_H

#include <stdint.h>

#define CITE(labels) web_cite(labels)

/* Labels, apart by spaces; of the event that happens now, if any does. */
void web_cite(const char *labels);

struct web_cited {
    uint16_t *rules; /* of each event: a row of `sets`, from 1; 0: none */
    uint32_t room;   /* for events */
    const uint32_t
        *told; /* events up to the one that happens; NULL: none does */
};

extern struct web_cited web_cited;

/* What was cited so far stands in `rules`, which has a place for each of so
 * many events; false: there is no memory for that. */
_Bool web_cited_up_to(uint32_t events);

/* The labels of a set, apart by spaces, as they were first met; NULL: there are
 * no more sets. */
const char *web_cited_set(uint32_t set);

#endif
