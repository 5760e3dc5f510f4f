/*
 * orders.c - see orders.h.
 */
#include "live/daemon/orders.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "live/common/clock.h"
#include "live/mode/mode.h"
#include "live/system/log.h"

enum { TELL_AGAIN = 60000000 };

/* ---- Words --------------------------------------------------------------- */

struct print {
    char text[LIVE_PRINT_TEXT];
};

static struct print print_of(const struct live_orders *o, enum live_slot slot)
{
    struct print p = {""};

    (void)live_print_text(live_links_ring(o->links)->print[slot], p.text);
    return p;
}

/* The nodes that matter: those of the list that is in force. */
static live_node_set listed(const struct live_orders *o)
{
    struct live_lists_view v;

    if (!o->mode->kind->lists)
        return live_first(o->config->nodes_count);
    o->mode->kind->lists(o->mode, live_now(), &v);
    return live_lists_now(&v);
}

/* Of those: who has not shown the key in use, or sends with the other one. */
static live_node_set lacking(const struct live_orders *o)
{
    return live_links_key_lacks(o->links) & listed(o);
}

static bool has_two(const struct live_orders *o)
{
    return live_links_ring(o->links)->print[LIVE_SPARE] != 0;
}

static enum live_ordered no(char answer[LIVE_REASON_MAX], const char *why)
{
    snprintf(answer, LIVE_REASON_MAX, "%.*s", LIVE_REASON_MAX - 1, why);
    return LIVE_ORDER_REFUSED;
}

void live_orders_tell(const struct live_orders *o)
{
    if (has_two(o))
        live_log("reads two keys, %s and %s, and sends with the first to each "
                 "node that can read it",
                 print_of(o, LIVE_MAIN).text, print_of(o, LIVE_SPARE).text);
}

/* ---- Add ----------------------------------------------------------------- */

static enum live_ordered add(struct live_orders *o,
                             const struct live_order *order,
                             char answer[LIVE_REASON_MAX])
{
    uint8_t key[LIVE_KEY_BYTES];
    struct net_why error;
    bool done;

    if (order->file < 0)
        return no(answer, "no file came with the key");
    done = live_key_take(key, order->file, order->name, &error) &&
           live_links_key_add(o->links, key, &error);
    sodium_memzero(key, sizeof key);
    if (!done)
        return no(answer, error.text);
    snprintf(answer, LIVE_REASON_MAX,
             "reads the keys %s and %s, and sends with %s to each node that "
             "has shown that it can read it",
             print_of(o, LIVE_MAIN).text, print_of(o, LIVE_SPARE).text,
             print_of(o, LIVE_MAIN).text);
    return LIVE_ORDER_DONE;
}

/* ---- Use ----------------------------------------------------------------- */

/* The slot of a fingerprint as it is typed; LIVE_SLOTS: none. */
static enum live_slot find(const struct live_orders *o, const char *name)
{
    for (enum live_slot slot = LIVE_MAIN; slot < LIVE_SLOTS; slot++)
        if (live_links_ring(o->links)->print[slot] &&
            strcmp(print_of(o, slot).text, name) == 0)
            return slot;
    return LIVE_SLOTS;
}

static enum live_ordered not_here(char answer[LIVE_REASON_MAX],
                                  const char *name)
{
    snprintf(answer, LIVE_REASON_MAX,
             "this node has no key %.40s; 'fulcrum cluster key list' shows "
             "which it has",
             name);
    return LIVE_ORDER_REFUSED;
}

static enum live_ordered use(struct live_orders *o,
                             const struct live_order *order,
                             char answer[LIVE_REASON_MAX])
{
    bool newer = live_links_ring(o->links)->spare_newer;
    enum live_slot slot = newer ? LIVE_SPARE : LIVE_MAIN;

    if (order->name[0])
        slot = find(o, order->name);
    if (slot == LIVE_SLOTS)
        return not_here(answer, order->name);
    if (slot == LIVE_SPARE)
        live_links_key_swap(o->links);
    snprintf(answer, LIVE_REASON_MAX,
             "sends with the key %s to each node that has shown that it can "
             "read it",
             print_of(o, LIVE_MAIN).text);
    return LIVE_ORDER_DONE;
}

/* ---- Drop ---------------------------------------------------------------- */

/* Who would be cut off; true: nobody. */
static bool may_drop(const struct live_orders *o, char answer[LIVE_REASON_MAX])
{
    live_node_set lacks = lacking(o);
    char names[LIVE_REASON_MAX];

    if (!lacks)
        return true;
    snprintf(answer, LIVE_REASON_MAX,
             "not yet: %.90s %s not shown the key %s in use; run 'fulcrum "
             "cluster key add FILE' there, or drop %s with --force",
             live_mode_names(o->config, lacks, names),
             lacks & (lacks - 1) ? "have" : "has", print_of(o, LIVE_MAIN).text,
             print_of(o, LIVE_SPARE).text);
    return false;
}

static void drop_now(struct live_orders *o, char answer[LIVE_REASON_MAX])
{
    struct print gone = print_of(o, LIVE_SPARE);
    live_node_set lacks = lacking(o);
    char names[LIVE_REASON_MAX];

    live_links_key_drop(o->links);
    o->drop_at = 0;
    if (lacks)
        snprintf(answer, LIVE_REASON_MAX,
                 "has dropped the key %s, and reads %s alone; not heard with "
                 "that: %.100s",
                 gone.text, print_of(o, LIVE_MAIN).text,
                 live_mode_names(o->config, lacks, names));
    else
        snprintf(answer, LIVE_REASON_MAX,
                 "has dropped the key %s, and reads %s alone", gone.text,
                 print_of(o, LIVE_MAIN).text);
}

static enum live_ordered drop_later(struct live_orders *o,
                                    const struct live_order *order,
                                    char answer[LIVE_REASON_MAX])
{
    o->drop_at = live_now() + order->wait;
    o->drop_forced = order->forced;
    o->drop_print = live_links_ring(o->links)->print[LIVE_SPARE];
    o->tell_at = 0;
    snprintf(answer, LIVE_REASON_MAX,
             "drops the key %s in %" PRIu64 " s%s, unless it is stopped before",
             print_of(o, LIVE_SPARE).text, order->wait / 1000000,
             order->forced ? ""
                           : ", or when all nodes have shown the other one");
    return LIVE_ORDER_DONE;
}

static enum live_ordered drop(struct live_orders *o,
                              const struct live_order *order,
                              char answer[LIVE_REASON_MAX])
{
    enum live_slot slot = order->name[0] ? find(o, order->name) : LIVE_SPARE;

    if (slot == LIVE_SLOTS)
        return not_here(answer, order->name);
    if (!has_two(o))
        return no(answer, "this node has one key, which it needs; add the new "
                          "one first, by 'fulcrum cluster key add FILE'");
    if (slot == LIVE_MAIN)
        return no(answer, "this key is in use; say first with 'fulcrum cluster "
                          "key use' that the other one is to be sent with");
    if (order->wait)
        return drop_later(o, order, answer);
    if (!order->forced && !may_drop(o, answer))
        return LIVE_ORDER_EARLY;
    drop_now(o, answer);
    return LIVE_ORDER_DONE;
}

void live_orders_due(struct live_orders *o, uint64_t now)
{
    char why[LIVE_REASON_MAX];

    if (!o->drop_at || now < o->drop_at)
        return;
    if (live_links_ring(o->links)->print[LIVE_SPARE] != o->drop_print) {
        live_log("the key that was to be dropped now is not the spare one any "
                 "more: drops none");
        o->drop_at = 0;
        return;
    }
    if (o->drop_forced || may_drop(o, why)) {
        drop_now(o, why);
        live_log("the date has come: %s", why);
    } else if (now >= o->tell_at) {
        o->tell_at = now + TELL_AGAIN;
        live_log("the date to drop a key has come, but %s", why);
    }
}

/* ---- All of them --------------------------------------------------------- */

enum live_ordered live_orders_obey(struct live_orders *o,
                                   const struct live_order *order,
                                   char answer[LIVE_REASON_MAX])
{
    static enum live_ordered (*const orders[LIVE_ORDERS])(
        struct live_orders *, const struct live_order *, char *) = {
        [LIVE_KEY_ADD] = add, [LIVE_KEY_USE] = use, [LIVE_KEY_DROP] = drop};

    return orders[order->kind](o, order, answer);
}

/* ---- Status -------------------------------------------------------------- */

static json_t *text_of(uint64_t print)
{
    char text[LIVE_PRINT_TEXT];

    return json_string(live_print_text(print, text));
}

static json_t *list_of(const uint64_t prints[LIVE_SLOTS])
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < LIVE_SLOTS; i++)
        if (prints[i])
            json_array_append_new(list, text_of(prints[i]));
    return list;
}

void live_orders_describe(const struct live_orders *o, uint64_t now,
                          json_t *into)
{
    const struct live_ring *ring = live_links_ring(o->links);
    live_node_set least, lacks = has_two(o) ? lacking(o) : 0;
    uint32_t spoken = live_links_spoken(o->links, listed(o), &least);
    json_t *keys = json_pack("{s:o, s:o}", "reads", list_of(ring->print),
                             "lacked_by", live_mode_list(o->config, lacks)),
           *versions =
               LIVE_NUMBERS(NULL, {"least", LIVE_LINK_LEAST},
                            {"most", LIVE_LINK_VERSION}, {"spoken", spoken});

    if (o->drop_at)
        LIVE_NUMBERS(keys,
                     {"drop_in_us", o->drop_at > now ? o->drop_at - now : 0});
    json_object_set_new(versions, "held_by", live_mode_list(o->config, least));
    json_object_set_new(into, "keys", keys);
    json_object_set_new(into, "versions", versions);
}

void live_orders_describe_peer(const struct live_orders *o, uint32_t peer,
                               json_t *into)
{
    struct live_link_shown shown = live_links_shown(o->links, peer);
    json_t *keys;

    if (!shown.met)
        return;
    keys = json_pack("{s:o, s:o, s:o}", "reads", list_of(shown.reads), "sends",
                     text_of(shown.sends), "gets", text_of(shown.gets));
    json_object_set_new(into, "keys", keys);
    json_object_set_new(
        into, "versions",
        LIVE_NUMBERS(NULL, {"least", shown.least}, {"most", shown.most}));
}
