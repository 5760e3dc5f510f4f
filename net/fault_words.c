/*
 * fault_words.c - see fault_words.h.
 */
#include "net/fault_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lists.h"
#include "core/text.h"
#include "net/grow.h"

#define ROW(kind, run, search, example) {run, search, example},
const struct net_fault_form net_fault_forms[] = {NET_FAULTS(ROW, ROW, ROW)};

/* Of what stands behind the word, such as NAME,NAME@TICK. */
enum { TEXT_SIZE = 256 };

/* The text that is read, and why it is refused. */
struct reader {
    struct net_made *made;
    struct net_faults *faults;
    enum net_fault_word word;
    struct net_why *why;
};

static bool refuse_form(const struct reader *r)
{
    return net_refuse(r->why, "write it as '%s'", net_fault_forms[r->word].run);
}

bool net_read_share(const char *text, net_chance *chance, const char **rest)
{
    char *end;
    double share = strtod(text, &end);

    *rest = end;
    if (end == text || !(share >= 0) || share > 1)
        return false;
    *chance = (net_chance)llround(share * 4294967296.0);
    return true;
}

/* A node, as the simulator calls it: positions count from 0 where there are no
 * names. */
static bool read_node(const struct reader *r, const char *word, fc_name *name)
{
    const struct net *net = &r->made->net;
    bool anonymous = net->protocol->anonymous;
    uint64_t number;

    if (!fc_read_number(word, &number) ||
        (anonymous ? number >= net->world.nodes : !net_is_name(net, number))) {
        net_say_nobody(net, word, r->why->text, sizeof r->why->text);
        return false;
    }
    *name = (fc_name)(number + anonymous);
    return true;
}

static bool add(const struct reader *r, enum net_fault_kind kind,
                const char *word, uint64_t tick, uint64_t ticks)
{
    struct net_faults *f = r->faults;
    struct net_made *made = r->made;
    fc_name name;

    if (!net_grow(&made->faults, f->count, sizeof *made->faults))
        return net_no_memory(r->why, "the faults");
    f->list = made->faults;
    if (!read_node(r, word, &name))
        return false;
    made->faults[f->count++] = (struct net_fault){
        .kind = kind,
        .name = name,
        .tick = tick,
        .ticks = ticks,
    };
    return true;
}

static bool read_ticks(const struct reader *r, const char *text,
                       uint64_t *ticks)
{
    if (fc_read_number(text, ticks) && *ticks <= NET_TICKS_MAX)
        return true;
    return net_refuse(r->why, "ticks are a whole number up to 2^40, not '%s'",
                      text);
}

/* NAME,NAME@TICK or NAME,NAME@TICK:MORE. */
static bool add_listed(const struct reader *r, const char *text)
{
    static const enum net_fault_kind kinds[] = {
        [NET_WORD_CRASH] = NET_FAULT_CRASH,
        [NET_WORD_RESTART] = NET_FAULT_RESTART,
        [NET_WORD_RESTART_BLANK] = NET_FAULT_RESTART_BLANK,
        [NET_WORD_PAUSE] = NET_FAULT_PAUSE,
        [NET_WORD_CUT] = NET_FAULT_CUT,
    };
    enum net_fault_kind kind = kinds[r->word];
    char copy[TEXT_SIZE], *rest = copy, *at, *more, *word;
    bool spans = kind == NET_FAULT_PAUSE || kind == NET_FAULT_CUT;
    uint64_t tick, second = 0;

    snprintf(copy, sizeof copy, "%s", text);
    at = strchr(copy, '@');
    if (!at)
        return refuse_form(r);
    *at++ = '\0';
    more = strchr(at, ':');
    if (spans != (more != NULL))
        return refuse_form(r);
    if (more)
        *more++ = '\0';
    if (!read_ticks(r, at, &tick) || (more && !read_ticks(r, more, &second)))
        return false;
    if (kind == NET_FAULT_CUT && second <= tick)
        return net_refuse(r->why, "it would end at tick %s, before it begins",
                          more);
    if (kind == NET_FAULT_PAUSE && second == 0)
        return net_refuse(r->why, "a pause takes at least one tick");
    while ((word = strsep(&rest, ","))) {
        if (!add(r, kind, word, tick, kind == NET_FAULT_CUT ? 0 : second))
            return false;
        if (kind == NET_FAULT_CUT && !add(r, NET_FAULT_JOINED, word, second, 0))
            return false;
    }
    return true;
}

bool net_add_list(const struct fc_protocol *p, const char *before,
                  const char *list, char *out, size_t size, uint32_t *number,
                  struct net_why *why)
{
    size_t length = strcspn(before, " ");
    bool none = length == 0 || strncmp(before, "none", length) == 0;

    if (!p->changes)
        return net_refuse(why,
                          "%s has the same nodes for ever; view-lock is "
                          "a protocol whose list may change",
                          p->name);
    *number = !none;
    for (size_t i = 0; i < length; i++)
        *number += before[i] == '/';
    length = (size_t)snprintf(out, size, "%.*s%s%s", none ? 0 : (int)length,
                              before, none ? "" : "/", list);
    if (length >= size || *number >= FC_LISTS_MAX)
        return net_refuse(why, "a run has at most %d changes", FC_LISTS_MAX);
    return true;
}

/* LIST@TICK: every node is asked, and those that cannot do it ignore it. */
static bool add_change(const struct reader *r, const char *text)
{
    struct net_made *made = r->made;
    struct net_faults *f = r->faults;
    const struct fc_protocol *p = made->net.protocol;
    const char *at = strchr(text, '@'), *end;
    char list[128], lists[sizeof made->set];
    uint64_t tick;
    uint32_t number;

    if (!at || at == text || (size_t)(at - text) >= sizeof list)
        return refuse_form(r);
    snprintf(list, sizeof list, "%.*s", (int)(at - text), text);
    if (!read_ticks(r, at + 1, &tick) ||
        !net_add_list(p, p->changes ? net_value_of(made, p->changes, &end) : "",
                      list, lists, sizeof lists, &number, r->why) ||
        !net_set_again(made, p->changes, lists, r->why))
        return false;
    for (uint32_t v = 0; v < made->net.world.nodes; v++) {
        if (!net_grow(&made->faults, f->count, sizeof *made->faults))
            return net_no_memory(r->why, "the faults");
        f->list = made->faults;
        made->faults[f->count++] = (struct net_fault){
            .kind = NET_FAULT_CHANGE,
            .name = v + 1,
            .tick = tick,
            .ticks = number,
        };
    }
    return true;
}

/* A chance, and what follows it. */
static bool read_chance(const struct reader *r, const char *text,
                        net_chance *chance, const char **rest)
{
    if (net_read_share(text, chance, rest))
        return true;
    return net_refuse(r->why, "a chance is from 0 to 1, not %s", text);
}

static bool set_chance(const struct reader *r, const char *text,
                       net_chance *chance)
{
    const char *rest;

    return read_chance(r, text, chance, &rest) && (!*rest || refuse_form(r));
}

static bool set_late(const struct reader *r, const char *text)
{
    struct net_faults *f = r->faults;
    const char *rest;

    if (!read_chance(r, text, &f->late, &rest))
        return false;
    if (*rest != ':')
        return refuse_form(r);
    return read_ticks(r, rest + 1, &f->late_ticks) &&
           (f->late_ticks > 0 ||
            net_refuse(r->why, "0 ticks late is not late"));
}

/* NAME#K or NAME#K:TICKS. */
static bool add_strike(const struct reader *r, const char *text)
{
    struct net_faults *f = r->faults;
    bool delays = r->word == NET_WORD_DELAY;
    char copy[TEXT_SIZE], *number, *ticks;
    struct net_strike strike = {.delay = 0};
    struct net_made *made = r->made;
    uint64_t k;

    snprintf(copy, sizeof copy, "%s", text);
    number = strchr(copy, '#');
    if (!number)
        return refuse_form(r);
    *number++ = '\0';
    ticks = strchr(number, ':');
    if (delays != (ticks != NULL))
        return refuse_form(r);
    if (ticks)
        *ticks++ = '\0';
    if (!read_node(r, copy, &strike.name))
        return false;
    if (!fc_read_number(number, &k) || k == 0 || k > UINT32_MAX)
        return net_refuse(r->why, "its messages are counted from 1, not '%s'",
                          number);
    strike.number = (uint32_t)k;
    if (delays && !read_ticks(r, ticks, &strike.delay))
        return false;
    if (delays && strike.delay == 0)
        return net_refuse(r->why, "a message takes at least one tick");
    if (!net_grow(&made->strikes, f->strikes_count, sizeof *made->strikes))
        return net_no_memory(r->why, "the faults");
    f->strikes = made->strikes;
    made->strikes[f->strikes_count++] = strike;
    return true;
}

static bool set_crashes(const struct reader *r, const char *text)
{
    struct net_faults *f = r->faults;
    uint64_t count;

    if (!fc_read_number(text, &count) || count == 0 || count > 1000000)
        return net_refuse(r->why, "say how many, from 1 to 1000000, not '%s'",
                          text);
    f->crashes = (uint32_t)count;
    f->blank = r->word == NET_WORD_CRASHES_BLANK;
    return true;
}

enum net_fault_word net_find_fault(const char *what, bool search,
                                   const char **rest, struct net_why *why)
{
    size_t length = strcspn(what, " ");
    uint32_t least = UINT32_MAX;
    char word[64], known[64], near[64] = "";
    struct net_why all = {.text = ""};

    *rest = what + length + strspn(what + length, " ");
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), what);
    for (int i = 0; i < NET_FAULT_WORDS; i++) {
        const char *form =
            search ? net_fault_forms[i].search : net_fault_forms[i].run;

        if (!*form)
            continue;
        snprintf(known, sizeof known, "%.*s", (int)strcspn(form, " "), form);
        if (strcmp(known, word) == 0)
            return (enum net_fault_word)i;
        if (net_is_nearer(word, known, &least))
            memcpy(near, known, sizeof near);
        net_add(&all, "%s%s", *all.text ? ", " : "", known);
    }
    net_refuse(why,
               *near ? "there is no fault '%s'; did you mean '%s'?"
                     : "there is no fault '%s'; there are %s",
               word, *near ? near : all.text);
    return NET_FAULT_WORDS;
}

bool net_read_fault(struct net_made *made, struct net_faults *f,
                    const char *what, struct net_why *why)
{
    const char *rest;
    struct reader r = {made, f, net_find_fault(what, false, &rest, why), why};

    if (r.word == NET_FAULT_WORDS)
        return false;
    if (!*rest)
        return refuse_form(&r);
    if (strlen(rest) >= TEXT_SIZE)
        return net_refuse(why,
                          "more than %d characters follow '%.*s'; say it "
                          "in several faults",
                          TEXT_SIZE - 1, (int)strcspn(what, " "), what);
    switch (r.word) {
    case NET_WORD_LOSS:
        return set_chance(&r, rest, &f->loss);
    case NET_WORD_DUPLICATE:
        return set_chance(&r, rest, &f->duplicate);
    case NET_WORD_REORDER:
        return set_chance(&r, rest, &f->reorder);
    case NET_WORD_LATE:
        return set_late(&r, rest);
    case NET_WORD_LOSE:
    case NET_WORD_DELAY:
        return add_strike(&r, rest);
    case NET_WORD_CHANGE:
        return add_change(&r, rest);
    case NET_WORD_CRASHES:
    case NET_WORD_CRASHES_BLANK:
        return set_crashes(&r, rest);
    default:
        return add_listed(&r, rest);
    }
}

/* By name, as the simulator looks them up; then by tick, then in the order of
 * enum net_fault_kind. */
static int by_name(const void *a, const void *b)
{
    const struct net_fault *x = a, *y = b;

    if (x->name != y->name)
        return (x->name > y->name) - (x->name < y->name);
    if (x->tick != y->tick)
        return (x->tick > y->tick) - (x->tick < y->tick);
    return (x->kind > y->kind) - (x->kind < y->kind);
}

void net_sort_faults(struct net_made *made, const struct net_faults *faults)
{
    qsort(made->faults, faults->count, sizeof *made->faults, by_name);
}
