/*
 * mode_proven_record.c - see mode_proven_record.h.
 */
#include "live/mode/mode_proven_record.h"

#include <string.h>

#include "core/wire.h"

_Static_assert((int)LIVE_PROVEN_MOST <= (int)LIVE_PAYLOAD_MAX, "it fits");

/* Offsets. */
enum {
    AT_GENERATION = 4,
    AT_JOINS = 5,
    AT_K = 8,
    AT_BORN = 12,
    AT_AT = 16,
    AT_LEASE = 20,
    AT_NEXT_LEASE = 24,
    AT_QUIET = 28,
    AT_NEXT_QUIET = 36,
    AT_OLD = 44,
    AT_LIST = 52,
    AT_WITNESSES = 60,
    AT_NAMES = 68,
};

/* ---- Writing ------------------------------------------------------------- */

static void put_conf(uint8_t *to, const struct view_lock_conf *c)
{
    fc_put32(to + AT_K, c->k);
    fc_put32(to + AT_BORN, c->born);
    fc_put32(to + AT_AT, c->at);
    fc_put32(to + AT_LEASE, c->lease);
    fc_put32(to + AT_NEXT_LEASE, c->next_lease);
    fc_put64(to + AT_QUIET, c->quiet);
    fc_put64(to + AT_NEXT_QUIET, c->next_quiet);
    fc_put64(to + AT_OLD, c->old);
    fc_put64(to + AT_LIST, c->list);
    fc_put64(to + AT_WITNESSES, c->witnesses);
    fc_put64(to + AT_NAMES, c->names);
}

/* A node of the first list that has never seen a change writes what nodes have
 * always written. */
static bool is_plain(const struct live_engine *e)
{
    const struct view_lock_record *r = &e->state.record;

    return !e->long_record && !r->conf.k && !r->joins &&
           e->me.index < e->first_count;
}

struct live_kept live_proven_pack(const struct live_engine *e)
{
    const struct view_lock_record *r = &e->state.record;
    const struct live_roster *roster =
        live_lists_find(&e->lists, r->conf.names);
    struct live_kept kept = {
        .starts = r->starts, .size = LIVE_PROVEN_LEAST, .quiet = r->conf.quiet};

    fc_put32(kept.bytes, r->maxv);
    if (is_plain(e))
        return kept;
    kept.size = LIVE_PROVEN_HEAD;
    kept.bytes[AT_GENERATION] = e->params.generation;
    kept.bytes[AT_JOINS] = (uint8_t)r->joins;
    if (!r->conf.k)
        return kept;
    put_conf(kept.bytes, &r->conf);
    if (r->conf.next_quiet > kept.quiet)
        kept.quiet = r->conf.next_quiet;
    if (!roster)
        return kept;
    memcpy(kept.bytes + LIVE_PROVEN_HEAD, roster->bytes, roster->size);
    kept.size += roster->size;
    return kept;
}

void live_proven_rejoin(struct live_kept *kept,
                        const struct live_config *config)
{
    memset(kept->bytes + LIVE_PROVEN_LEAST, 0,
           LIVE_PROVEN_HEAD - LIVE_PROVEN_LEAST);
    kept->size = LIVE_PROVEN_HEAD;
    kept->bytes[AT_GENERATION] = (uint8_t)config->generation;
    kept->bytes[AT_JOINS] = VIEW_LOCK_LOST;
}

/* ---- Reading ------------------------------------------------------------- */

static struct view_lock_conf take_conf(const uint8_t *from)
{
    return (struct view_lock_conf){
        .k = fc_get32(from + AT_K),
        .born = fc_get32(from + AT_BORN),
        .at = fc_get32(from + AT_AT),
        .lease = fc_get32(from + AT_LEASE),
        .next_lease = fc_get32(from + AT_NEXT_LEASE),
        .quiet = fc_get64(from + AT_QUIET),
        .next_quiet = fc_get64(from + AT_NEXT_QUIET),
        .old = fc_get64(from + AT_OLD),
        .list = fc_get64(from + AT_LIST),
        .witnesses = fc_get64(from + AT_WITNESSES),
        .names = fc_get64(from + AT_NAMES),
    };
}

/* A configuration without its roster names nobody. */
static bool is_whole(const struct live_kept *kept,
                     const struct view_lock_conf *c, struct live_roster *roster)
{
    return c->list && c->old && c->lease && c->quiet >= c->lease &&
           (c->k & 1) == (c->next_lease != 0) &&
           live_roster_read(roster, kept->bytes + LIVE_PROVEN_HEAD,
                            kept->size - LIVE_PROVEN_HEAD) &&
           roster->hash == c->names;
}

/* A node that waits to be listed, or has left: it asks again. */
static bool is_unlisted(const struct view_lock_conf *c,
                        const struct live_config *config, uint32_t self)
{
    return self >= config->first_count &&
           !(c->k && live_has(c->old | c->list, self));
}

bool live_proven_unpack(const struct live_kept *kept,
                        const struct live_config *config, uint32_t self,
                        struct live_engine_past *past)
{
    bool is_long = kept->size >= LIVE_PROVEN_HEAD;
    struct view_lock_record *record = &past->record;

    *past = (struct live_engine_past){
        .record = {.maxv = live_proven_maxv(kept), .starts = kept->starts},
        .long_record = is_long};
    if ((kept->size > LIVE_PROVEN_LEAST && !is_long) ||
        (is_long && kept->bytes[AT_JOINS] > VIEW_LOCK_LOST))
        return false;
    if (!is_long || kept->bytes[AT_GENERATION] != config->generation) {
        record->joins = self >= config->first_count ? VIEW_LOCK_FRESH : 0;
        return true;
    }
    record->conf = take_conf(kept->bytes);
    record->joins = kept->bytes[AT_JOINS];
    if (!record->joins && is_unlisted(&record->conf, config, self))
        record->joins = VIEW_LOCK_FRESH;
    if (record->conf.k)
        return is_whole(kept, &record->conf, &past->roster);
    record->conf = (struct view_lock_conf){.k = 0};
    return true;
}

uint32_t live_proven_maxv(const struct live_kept *kept)
{
    return fc_get32(kept->bytes);
}

/* ---- Order --------------------------------------------------------------- */

/* (generation, k, at): the least significant last. */
static bool is_older(const uint8_t *a, uint32_t a_size, const uint8_t *b,
                     uint32_t b_size)
{
    if (b_size < LIVE_PROVEN_HEAD)
        return false;
    if (a_size < LIVE_PROVEN_HEAD)
        return fc_get32(b + AT_K) != 0;
    if (a[AT_GENERATION] != b[AT_GENERATION])
        return a[AT_GENERATION] < b[AT_GENERATION];
    if (fc_get32(a + AT_K) != fc_get32(b + AT_K))
        return fc_get32(a + AT_K) < fc_get32(b + AT_K);
    return fc_get32(a + AT_AT) < fc_get32(b + AT_AT);
}

bool live_proven_follows(const uint8_t *next, uint32_t next_size,
                         const uint8_t *before, uint32_t before_size)
{
    return fc_get32(next) >= fc_get32(before) &&
           !is_older(next, next_size, before, before_size);
}
