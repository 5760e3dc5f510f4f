/*
 * task.c - see task.h.
 *
 *     n = 6..9              a number
 *     d = 3, 5, 7           one of these
 *     ring = 8 of 1..60     eight of these, each once, in any order
 */
#include "cli/grade/task.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lab/formula/ini.h"

/* ---- Seeds --------------------------------------------------------------- */

void grade_seed(const char *student, const char *term,
                char seed[GRADE_SEED_SIZE])
{
    char id[128];
    size_t length = 0;

    for (const char *c = student; c && *c && length + 1 < sizeof id; c++)
        if (!isspace((unsigned char)*c))
            id[length++] = (char)tolower((unsigned char)*c);
    seed[0] = '\0';
    if (length)
        snprintf(seed, GRADE_SEED_SIZE, "%016" PRIx64,
                 (uint64_t)XXH64(
                     id, length,
                     XXH64(term ? term : "", term ? strlen(term) : 0, 0)));
}

/* A stream of numbers for one exercise and one of its lines. */
struct stream {
    uint64_t seed, count;
    bool nobody;
};

static struct stream begin(const char *seed, const char *exercise,
                           const char *key)
{
    struct stream s = {.nobody = !*seed};

    s.seed = XXH64(seed, strlen(seed), 0);
    s.seed = XXH64(exercise, strlen(exercise), s.seed);
    s.seed = XXH64(key, strlen(key), s.seed);
    return s;
}

/* Below `range`, all nearly alike: ranges are far below 2^32. */
static uint64_t below(struct stream *s, uint64_t range)
{
    s->count++;
    return s->nobody ? 0 : XXH64(&s->count, sizeof s->count, s->seed) % range;
}

/* ---- Draws --------------------------------------------------------------- */

enum { RANGE_MAX = 100000000, POOL_MAX = 4096 };

static bool read_range(const char *text, uint64_t *from, uint64_t *to)
{
    char *end;

    *from = strtoull(text, &end, 10);
    if (end == text || strncmp(end, "..", 2) != 0)
        return false;
    text = end + 2;
    *to = strtoull(text, &end, 10);
    return end > text && !*end && *from <= *to && *to <= RANGE_MAX;
}

static bool draw_some(struct stream *s, uint64_t count, uint64_t from,
                      uint64_t to, struct lab_text *out)
{
    uint64_t *pool, size = to - from + 1;

    if (count < 1 || count > size || size > POOL_MAX)
        return false;
    pool = calloc((size_t)size, sizeof *pool);
    if (!pool)
        return false;
    for (uint64_t i = 0; i < size; i++)
        pool[i] = from + i;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t k = i + below(s, size - i), held = pool[i];

        pool[i] = pool[k];
        pool[k] = held;
        lab_say(out, "%s%" PRIu64, i ? "," : "", pool[i]);
    }
    free(pool);
    return true;
}

static bool draw_word(struct stream *s, const char *list, struct lab_text *out)
{
    uint64_t count = 1, at;
    char *copy = strdup(list), *rest = copy, *word = NULL;

    for (const char *c = list; *c; c++)
        count += *c == ',';
    at = below(s, count);
    for (uint64_t i = 0; copy && i <= at; i++)
        word = strsep(&rest, ",");
    if (word)
        lab_say(out, "%s", lab_trimmed(word));
    free(copy);
    return word != NULL;
}

static bool draw(struct stream *s, const char *form, struct lab_text *out)
{
    uint64_t count, from, to;
    char *end;

    if (read_range(form, &from, &to)) {
        lab_say(out, "%" PRIu64, from + below(s, to - from + 1));
        return true;
    }
    count = strtoull(form, &end, 10);
    if (end > form && strncmp(end, " of ", 4) == 0)
        return read_range(end + 4, &from, &to) &&
               draw_some(s, count, from, to, out);
    return strchr(form, ',') && draw_word(s, form, out);
}

bool grade_draw(const struct grade_exercise *x, const char *seed,
                struct grade_values *out, struct net_why *why)
{
    for (uint32_t i = 0; i < x->varies_count; i++) {
        const struct grade_pair *p = &x->varies[i];
        struct stream s = begin(seed, x->key, p->key);
        struct lab_text text = {0};
        bool fine = draw(&s, p->value, &text) && text.text;

        if (fine && !grade_set_value(out, p->key, text.text, false))
            fine = net_no_memory(why, "what varies");
        else if (!fine)
            net_refuse(why,
                       "%s: %s = %s is none of FROM..TO, COUNT of FROM..TO and "
                       "A, B, C",
                       x->path, p->key, p->value);
        free(text.text);
        if (!fine)
            return false;
    }
    return true;
}
