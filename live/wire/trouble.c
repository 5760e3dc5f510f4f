/*
 * trouble.c - see trouble.h.
 */
#include "live/wire/trouble.h"

#include <inttypes.h>
#include <stdio.h>

#include "live/log.h"

enum { AGAIN_MS = 60000, LATELY_MS = 60000 };

static const char *words_of(const struct live_trouble *t,
                            enum live_trouble_kind kind,
                            char words[LIVE_TROUBLE_WORDS])
{
    switch (kind) {
    case LIVE_TROUBLE_KEY:
        return "has another key";
    case LIVE_TROUBLE_CONFIGURATION:
        if (t->generation == t->own_generation)
            return "has another configuration";
        snprintf(words, LIVE_TROUBLE_WORDS,
                 "has generation %u of the configuration, not %u",
                 t->generation, t->own_generation);
        return words;
    case LIVE_TROUBLE_OUTLIVED:
        return "shows an earlier start than it had: a copy, or set back";
    case LIVE_TROUBLE_NAME:
        return "has a host without an address";
    default:
        return NULL;
    }
}

static const char *remedy_of(enum live_trouble_kind kind)
{
    switch (kind) {
    case LIVE_TROUBLE_KEY:
        return "give all nodes the same key file, unless somebody else sends "
               "in its name";
    case LIVE_TROUBLE_CONFIGURATION:
        return "give all nodes the same file";
    case LIVE_TROUBLE_OUTLIVED:
        return "it stops, or is being repaired: see its log";
    default:
        return "somebody repeats packets, or the network does";
    }
}

static void tell(const struct live_trouble *t, enum live_trouble_kind kind,
                 const char *peer)
{
    char words[LIVE_TROUBLE_WORDS];
    const char *what = words_of(t, kind, words);

    if (kind == LIVE_TROUBLE_NAME)
        return; /* whoever looked it up has said more */
    if (kind == LIVE_TROUBLE_ODD)
        live_log("got %" PRIu64 " datagrams that are none of this cluster's; "
                 "another version of the program, or somebody else at this "
                 "port",
                 t->count[kind]);
    else
        live_log("%s %s: %" PRIu64 " of its datagrams refused; %s", peer,
                 what ? what : "sent what was seen before", t->count[kind],
                 remedy_of(kind));
}

void live_trouble_note(struct live_trouble *t, enum live_trouble_kind kind,
                       const char *peer, uint64_t now)
{
    t->count[kind]++;
    t->seen_at[kind] = now;
    if (t->told_at[kind] && now - t->told_at[kind] < AGAIN_MS)
        return;
    tell(t, kind, peer);
    t->told_at[kind] = now;
    t->count[kind] = 0;
}

const char *live_trouble_words(const struct live_trouble *t, uint64_t now,
                               char words[LIVE_TROUBLE_WORDS])
{
    enum live_trouble_kind last = LIVE_TROUBLE_KINDS;
    uint64_t at = t->good_at;

    for (uint32_t kind = 0; kind < LIVE_TROUBLE_KINDS; kind++)
        if (t->seen_at[kind] > at && now - t->seen_at[kind] < LATELY_MS) {
            at = t->seen_at[kind];
            last = (enum live_trouble_kind)kind;
        }
    return last == LIVE_TROUBLE_KINDS ? NULL : words_of(t, last, words);
}
