/*
 * trouble.c - see trouble.h.
 */
#include "live/wire/trouble.h"

#include <inttypes.h>
#include <stdio.h>

#include "live/system/log.h"

enum { AGAIN_MS = 60000, LATELY_MS = 60000 };

/* The trouble with a peer, and what helps. */
static const struct {
    const char *words, *remedy;
} troubles[LIVE_TROUBLE_KINDS] = {
    [LIVE_TROUBLE_KEY] = {"has another key",
                          "give all nodes the same key file, unless somebody "
                          "else sends in its name"},
    [LIVE_TROUBLE_DROPPED] = {"sends with the key that was dropped",
                              "give it the new one, unless somebody else sends "
                              "in its name, who has the old one"},
    [LIVE_TROUBLE_VERSION] = {"speaks later versions only",
                              "upgrade this node: see 'fulcrum cluster "
                              "version'"},
    [LIVE_TROUBLE_CONFIGURATION] = {"has another configuration",
                                    "give all nodes the same file"},
    [LIVE_TROUBLE_OUTLIVED] = {"shows an earlier start than it had: a copy, or "
                               "set back",
                               "it stops, or is being repaired: see its log"},
    [LIVE_TROUBLE_REPLAYED] = {NULL, "somebody repeats packets, or the network "
                                     "does"},
    [LIVE_TROUBLE_NAME] = {"has a host without an address", NULL},
};

static const char *words_of(const struct live_trouble *t,
                            enum live_trouble_kind kind,
                            char words[LIVE_TROUBLE_WORDS])
{
    if (kind != LIVE_TROUBLE_CONFIGURATION ||
        t->generation == t->own_generation)
        return troubles[kind].words;
    snprintf(words, LIVE_TROUBLE_WORDS,
             "has generation %u of the configuration, not %u", t->generation,
             t->own_generation);
    return words;
}

static void tell(const struct live_trouble *t, enum live_trouble_kind kind,
                 const char *peer)
{
    char words[LIVE_TROUBLE_WORDS];
    const char *what = words_of(t, kind, words);

    if (kind == LIVE_TROUBLE_NAME)
        return; /* link_names.c has said more */
    if (kind == LIVE_TROUBLE_ODD)
        live_log("got %" PRIu64 " datagrams that are not this cluster's; "
                 "another version of the program, or somebody else at this "
                 "port",
                 t->count[kind]);
    else
        live_log("%s %s: %" PRIu64 " of its datagrams refused; %s", peer,
                 what ? what : "sent what was seen before", t->count[kind],
                 troubles[kind].remedy);
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
