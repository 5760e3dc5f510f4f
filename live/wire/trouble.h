/*
 * trouble.h - why nothing that a peer sends is believed, in words: in the log
 * once a minute for each peer and reason, and in the status.
 */
#ifndef LIVE_TROUBLE_H
#define LIVE_TROUBLE_H

#include <stdint.h>

enum live_trouble_kind {
    LIVE_TROUBLE_KEY,           /* sealed with another key, or changed */
    LIVE_TROUBLE_CONFIGURATION, /* of another hash */
    LIVE_TROUBLE_OUTLIVED,      /* from an earlier life than was seen */
    LIVE_TROUBLE_REPLAYED,
    LIVE_TROUBLE_ODD,     /* of no form that is known here */
    LIVE_TROUBLE_NAME,    /* its host has no address */
    LIVE_TROUBLE_DROPPED, /* sealed with a key that was dropped (R8) */
    LIVE_TROUBLE_VERSION, /* no version is common (R9) */
    LIVE_TROUBLE_KINDS,
};

enum { LIVE_TROUBLE_WORDS = 96 };

/* Of one peer; all zero bytes: no trouble.  Times are milliseconds, never 0. */
struct live_trouble {
    uint64_t good_at; /* something was believed */
    uint64_t seen_at[LIVE_TROUBLE_KINDS];
    uint64_t told_at[LIVE_TROUBLE_KINDS];
    uint64_t count[LIVE_TROUBLE_KINDS]; /* since it was told */
    uint32_t generation;                /* that the peer has */
    uint32_t own_generation;
};

/* Notes one more, and says so in the log unless it did within a minute.  What
 * names no peer is the trouble of the node itself. */
void live_trouble_note(struct live_trouble *trouble,
                       enum live_trouble_kind kind, const char *peer,
                       uint64_t now);

/* What has been wrong with the peer recently, such as "has another key"; NULL
 * if it is heard, or if nothing is known. */
const char *live_trouble_words(const struct live_trouble *trouble, uint64_t now,
                               char words[LIVE_TROUBLE_WORDS]);

#endif
