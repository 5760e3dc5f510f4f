/*
 * members.c - see members.h.
 */
#include "live/daemon/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live/common/clock.h"
#include "live/common/node_set.h"
#include "live/system/log.h"
#include "live/wire/link_keys.h"
#include "net/word.h"

/* A change, as it is being thought out. */
struct wish {
    struct live_members *m;
    const struct live_order *order;
    struct live_lists_view now; /* what is in force */
    live_node_set list, witnesses;
    uint64_t lease, tau;
    uint32_t next; /* the first id that nobody has had */
    char *answer;
};

/* ---- Words --------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static enum live_ordered
refuse(const struct wish *w, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(w->answer, LIVE_REASON_MAX, format, arguments);
    va_end(arguments);
    return LIVE_ORDER_REFUSED;
}

/* The same, for what may be otherwise later. */
#define EARLY(...) (refuse(__VA_ARGS__), LIVE_ORDER_EARLY)

static const char *names(const struct live_config *config, live_node_set set,
                         char text[LIVE_REASON_MAX])
{
    return set ? live_mode_names(config, set, text) : "nobody";
}

static uint32_t majority(live_node_set list)
{
    return live_size(list) / 2 + 1;
}

/* ---- What is in force ---------------------------------------------------- */

static bool look(const struct live_mode *mode, uint64_t now,
                 struct live_lists_view *view)
{
    if (mode->kind->lists)
        mode->kind->lists(mode, now, view);
    return mode->kind->lists;
}

static bool same_node(const struct live_config_node *a,
                      const struct live_config_node *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->host, b->host) == 0 &&
           a->port == b->port;
}

/* Whether an id that was given to a node is still this node's. */
static bool is_given(const struct live_config *config,
                     const struct live_lists_view *view, uint32_t id,
                     const struct live_config_node *node)
{
    struct live_config_node listed;

    return id >= live_lists_next(view, config) ||
           (view->roster && live_roster_find(view->roster, id, &listed) &&
            same_node(&listed, node));
}

static void learn(struct live_config *config, uint32_t id,
                  const struct live_config_node *node)
{
    bool witness = config->nodes[id].witness;

    config->nodes[id] = *node;
    config->nodes[id].witness = witness;
    if (config->nodes_count <= id)
        config->nodes_count = id + 1;
}

/* The nodes that have joined since configuration 0. */
static void learn_roster(struct live_config *config, uint32_t self,
                         const struct live_roster *roster,
                         struct live_links *links)
{
    struct live_config_node node;
    struct net_why error;

    for (uint32_t id = config->first_count; id < LIVE_NODES_MAX; id++) {
        if (id == self || !live_roster_find(roster, id, &node) ||
            same_node(&config->nodes[id], &node))
            continue;
        if (config->nodes[id].name[0] && !links)
            live_log("the file says that node %u is '%s' at %s port %u; all "
                     "have agreed that it is '%s' at %s port %u: so it is",
                     id, config->nodes[id].name, config->nodes[id].host,
                     config->nodes[id].port, node.name, node.host, node.port);
        learn(config, id, &node);
        if (links && !live_links_add(links, id, &error))
            live_log("%s", error.text);
    }
}

/* Whether this node is in no list any more; or its id was given to another
 * while it waited. */
static const char *has_left(const struct live_config *config, uint32_t self,
                            const struct live_lists_view *view)
{
    if (live_lists_left(view, config, self))
        return "it is not in the list of nodes any more; to bring this machine "
               "back, let it join under a new name: see 'fulcrum cluster add'";
    if (self >= config->first_count && live_has(live_lists_now(view), self) &&
        !is_given(config, view, self, &config->nodes[self]))
        return "its number was given to another node: take a new file, by "
               "'fulcrum cluster add NAME HOST:PORT --ini' at a member, and "
               "start it with that, under a new name";
    return NULL;
}

const char *live_members_apply(struct live_config *config, uint32_t self,
                               const struct live_mode *mode,
                               struct live_links *links)
{
    struct live_lists_view view;
    char text[LIVE_REASON_MAX], old[LIVE_REASON_MAX];

    if (!look(mode, live_now(), &view) || !view.number)
        return NULL;
    if (view.roster)
        learn_roster(config, self, view.roster, links);
    for (uint32_t x = 0; x < config->nodes_count; x++)
        if (live_has(view.old | view.list, x))
            config->nodes[x].witness = live_has(view.witnesses, x);
    config->tau = view.tau;
    config->lease = view.lease > view.next_lease ? view.lease : view.next_lease;
    if (view.joint)
        live_log("configuration %u: from %.90s to %.90s, as %s was asked",
                 view.number, names(config, view.old, old),
                 names(config, view.list, text),
                 live_config_knows(config, view.proposer)
                     ? config->nodes[view.proposer].name
                     : "a node");
    else
        live_log("configuration %u: %.200s", view.number,
                 names(config, view.list, text));
    return has_left(config, self, &view);
}

/* While a node of the list may be of an earlier version, nobody can join, and
 * messages must not name more nodes than that one has room for. */
bool live_members_guest(struct live_config *config, struct live_mode *mode,
                        uint32_t id, const struct live_config_node *node)
{
    struct live_lists_view view;
    int known = live_config_find(config, node->name);

    if (!look(mode, live_now(), &view) ||
        live_links_spoken(mode->links, live_lists_now(&view), NULL) <
            LIVE_SPEAKS_CHANGES ||
        id < config->first_count || id >= LIVE_NODES_MAX ||
        (known >= 0 && (uint32_t)known != id) ||
        !is_given(config, &view, id, node))
        return false;
    learn(config, id, node);
    mode->kind->meet(mode, id);
    return true;
}

/* ---- Thinking out -------------------------------------------------------- */

/* The next word, which begins at `at`, and what follows it; false: it is none,
 * or too long. */
static bool next_word(const char **at, char *word, size_t room)
{
    size_t size = strcspn(*at, " ");

    if (size == 0 || size >= room)
        return false;
    memcpy(word, *at, size);
    word[size] = '\0';
    *at += size + ((*at)[size] == ' ');
    return true;
}

static bool next_number(const char **at, uint64_t most, uint64_t *number)
{
    char word[24];

    return next_word(at, word, sizeof word) &&
           net_number(word, "", 0, most, number, NULL);
}

/* "HOST PORT", perhaps with "witness" behind; false: it is neither. */
static bool read_place(const char *text, struct live_config_node *node)
{
    uint64_t port;

    if (!next_word(&text, node->host, sizeof node->host) ||
        !next_number(&text, UINT16_MAX, &port) || !port ||
        !live_config_is_host(node->host))
        return false;
    node->port = (uint16_t)port;
    node->witness = strcmp(text, "witness") == 0;
    return !*text || node->witness;
}

static enum live_ordered not_heard(const struct wish *w, const char *name)
{
    return EARLY(w,
                 "not yet: nothing is heard of %s; start it on its machine, "
                 "with --init, and the file that 'fulcrum cluster add %s "
                 "HOST:PORT --ini' prints",
                 name, name);
}

/* Puts a node into the new list. */
static enum live_ordered admit(struct wish *w,
                               const struct live_config_node *node)
{
    const struct live_config *c = w->m->config;
    int found = live_config_find(c, node->name);
    uint32_t id = (uint32_t)found;

    if (!live_config_is_name(node->name))
        return refuse(w, "'%.40s' is not the name of a node", node->name);
    if (w->next >= LIVE_NODES_MAX)
        return refuse(w,
                      "all %d numbers of nodes are used up; stop all nodes, "
                      "and give each a file with the next generation, which "
                      "lists those that there are",
                      LIVE_NODES_MAX);
    if (found < 0)
        return not_heard(w, node->name);
    if (id < w->next)
        return refuse(w,
                      "the name '%s' was used before; take another one, since "
                      "a node that comes back without its record is a new one",
                      node->name);
    if (!same_node(&c->nodes[id], node))
        return refuse(w, "%s is at %s port %u, as it says itself", node->name,
                      c->nodes[id].host, c->nodes[id].port);
    if (!live_has(w->now.heard, id))
        return not_heard(w, node->name);
    if (live_has(w->now.joins, id))
        return EARLY(w,
                     "not yet: %s runs, and is still asking the others what "
                     "they have agreed on",
                     node->name);
    w->list |= live_only(id);
    if (node->witness)
        w->witnesses |= live_only(id);
    w->next = id + 1;
    return LIVE_ORDER_DONE;
}

static enum live_ordered dismiss(struct wish *w, const char *name)
{
    int found = live_config_find(w->m->config, name);

    if (found < 0 || !live_has(w->list, (uint32_t)found))
        return refuse(w, "no node '%.40s' is in the list", name);
    w->list &= ~live_only((uint32_t)found);
    w->witnesses &= ~live_only((uint32_t)found);
    return LIVE_ORDER_DONE;
}

static enum live_ordered wish_add(struct wish *w)
{
    struct live_config_node node = {.port = 0};

    snprintf(node.name, sizeof node.name, "%s", w->order->name);
    if (!read_place(w->order->more, &node))
        return refuse(w, "'%.80s' is not the place of a node", w->order->more);
    return admit(w, &node);
}

static enum live_ordered wish_remove(struct wish *w)
{
    return dismiss(w, w->order->name);
}

static enum live_ordered wish_replace(struct wish *w)
{
    struct live_config_node node = {.port = 0};
    const char *rest = strchr(w->order->more, ' ');
    enum live_ordered done = dismiss(w, w->order->name);

    if (done != LIVE_ORDER_DONE)
        return done;
    snprintf(node.name, sizeof node.name, "%.*s",
             rest ? (int)(rest - w->order->more) : 0, w->order->more);
    if (!rest || !read_place(rest + 1, &node))
        return refuse(w, "'%.80s' is not the place of a node", w->order->more);
    return admit(w, &node);
}

static enum live_ordered wish_times(struct wish *w)
{
    const char *text = w->order->more;
    uint64_t lease, tau;
    static struct live_config wished;
    struct net_why error;

    if (!next_number(&text, UINT32_MAX, &lease) ||
        !next_number(&text, UINT32_MAX, &tau) || *text)
        return refuse(w, "these are no times");
    w->lease = lease ? lease : w->lease;
    w->tau = tau ? tau : w->tau;
    wished = *w->m->config;
    wished.lease = w->lease;
    wished.tau = w->tau;
    if (!live_config_times_fit(&wished, &error))
        return refuse(w, "%.200s", error.text);
    return LIVE_ORDER_DONE;
}

/* ---- R7: whether it can end ---------------------------------------------- */

static enum live_ordered lacks_list(const struct wish *w)
{
    char text[LIVE_REASON_MAX];
    live_node_set up = live_lists_up(&w->now, w->list);

    if (live_lists_can_end(&w->now, w->list))
        return LIVE_ORDER_DONE;
    return EARLY(w,
                 "not yet: %u of the %u nodes of the new list must run, or "
                 "nobody could enter while it changes; not heard: %.100s",
                 majority(w->list), live_size(w->list),
                 names(w->m->config, w->list & ~up, text));
}

static enum live_ordered lacks_version(const struct wish *w)
{
    uint64_t lacking;
    char text[LIVE_REASON_MAX];
    uint32_t spoken =
        live_links_spoken(w->m->driver->links, w->now.list | w->list, &lacking);

    if (spoken >= LIVE_SPEAKS_CHANGES)
        return LIVE_ORDER_DONE;
    return EARLY(w,
                 "not yet: %.100s cannot, or %s not been heard since this "
                 "node's start; every node must be of a version that can "
                 "change the list",
                 names(w->m->config, lacking, text),
                 lacking & (lacking - 1) ? "have" : "has");
}

static enum live_ordered judge(const struct wish *w)
{
    enum live_ordered done;

    if (!(w->list & ~w->witnesses))
        return refuse(w, "no node would be left that can hold a lock");
    done = lacks_list(w);
    return done == LIVE_ORDER_DONE ? lacks_version(w) : done;
}

/* Whether any change may be asked for here and now. */
static enum live_ordered may_ask(struct wish *w)
{
    const struct live_members *m = w->m;
    char text[LIVE_REASON_MAX];

    if (!look(m->driver->node.mode, live_now(), &w->now))
        return refuse(w, "in mode silence the list does not change while the "
                         "nodes run; stop all of them, and raise the "
                         "generation");
    if (w->now.joint)
        return EARLY(w,
                     "not yet: configuration %u is being made, to %.150s; one "
                     "change at a time",
                     w->now.number, names(m->config, w->now.list, text));
    if (w->now.asked)
        return EARLY(w,
                     "not yet: '%.100s' was asked for here, and has not begun; "
                     "'fulcrum cluster cancel' takes that back",
                     m->asked);
    if (!live_has(w->now.list, m->self))
        return refuse(w, "this node is not in the list; tell one that is");
    if (live_has(w->now.witnesses, m->self))
        return refuse(w, "this node is a witness, and leads no change; tell "
                         "one that is not");
    return LIVE_ORDER_DONE;
}

/* ---- Telling ------------------------------------------------------------- */

static const char *order_words(const struct live_order *order,
                               char text[LIVE_REASON_MAX])
{
    snprintf(text, LIVE_REASON_MAX, "%s%s%s%s%.180s",
             live_order_words(order->kind), order->name[0] ? " " : "",
             order->name, order->more[0] ? " " : "", order->more);
    return text;
}

/* What would happen to majorities. */
static void tell_wish(const struct wish *w, const char *begin)
{
    uint32_t from = live_size(w->now.list), to = live_size(w->list);

    if (w->list == w->now.list)
        snprintf(w->answer, LIVE_REASON_MAX,
                 "%s: a lease of %" PRIu64 " ms, a frame every %" PRIu64
                 " ms; now it is %" PRIu64 " and %" PRIu64,
                 begin, w->lease / 1000, w->tau / 1000, w->now.lease / 1000,
                 w->now.tau / 1000);
    else
        snprintf(w->answer, LIVE_REASON_MAX,
                 "%s: %u nodes become %u, of which %u may be gone (now %u); "
                 "until then %u of the old list and %u of the new one must "
                 "run, for about %" PRIu64 " ms",
                 begin, from, to, (to - 1) / 2, (from - 1) / 2,
                 majority(w->now.list), majority(w->list),
                 (w->lease > w->now.lease ? w->lease : w->now.lease) / 1000);
}

static enum live_ordered carry_out(struct wish *w)
{
    struct live_members *m = w->m;
    struct live_roster roster;
    struct net_why error;
    struct live_change change = {
        .list = w->list,
        .witnesses = w->witnesses,
        .lease = w->lease,
        .quiet = live_config_stretch(m->config, w->lease) + 2,
        .roster = &roster};

    if (!live_roster_make(&roster, m->config, w->now.list | w->list, w->next,
                          w->tau, &error))
        return refuse(w, "%.200s", error.text);
    if (w->order->trial) {
        tell_wish(w, "would be asked for");
        return LIVE_ORDER_DONE;
    }
    if (!live_driver_change(m->driver, &change))
        return EARLY(w, "not yet: this node cannot begin a change just now");
    (void)order_words(w->order, m->asked);
    tell_wish(w, "asked for");
    return LIVE_ORDER_DONE;
}

static enum live_ordered cancel(struct live_members *m,
                                char answer[LIVE_REASON_MAX])
{
    struct live_mode *mode = m->driver->node.mode;
    struct wish w = {.m = m, .answer = answer};

    if (!look(mode, live_now(), &w.now))
        return refuse(&w, "in mode silence there are no changes");
    if (w.now.joint)
        return refuse(&w,
                      "configuration %u is being made, and some nodes may rely "
                      "on it already: it goes on when both majorities are "
                      "heard; name the old list again after that",
                      w.now.number);
    if (!w.now.asked)
        return refuse(&w, "no change was asked for here that has not begun");
    mode->kind->withdraw(mode);
    snprintf(answer, LIVE_REASON_MAX, "'%.200s' is not asked for any more",
             m->asked);
    return LIVE_ORDER_DONE;
}

enum live_ordered live_members_obey(struct live_members *m,
                                    const struct live_order *order,
                                    char answer[LIVE_REASON_MAX])
{
    static enum live_ordered (*const wishes[LIVE_ORDERS])(struct wish *) = {
        [LIVE_NODE_ADD] = wish_add,
        [LIVE_NODE_REMOVE] = wish_remove,
        [LIVE_NODE_REPLACE] = wish_replace,
        [LIVE_TIMES_SET] = wish_times,
    };
    struct wish w = {.m = m, .order = order, .answer = answer};
    enum live_ordered done;

    if (order->kind == LIVE_CHANGE_CANCEL)
        return cancel(m, answer);
    done = may_ask(&w);
    if (done != LIVE_ORDER_DONE)
        return done;
    w.list = w.now.list;
    w.witnesses = w.now.witnesses & w.now.list;
    w.lease = w.now.lease;
    w.tau = w.now.tau;
    w.next = live_lists_next(&w.now, m->config);
    done = wishes[order->kind](&w);
    if (done == LIVE_ORDER_DONE)
        done = judge(&w);
    return done == LIVE_ORDER_DONE ? carry_out(&w) : done;
}

/* ---- Status -------------------------------------------------------------- */

/* What a change waits for, in words; false: for nothing. */
static bool say_wait(const struct live_members *m,
                     const struct live_lists_view *v,
                     char text[LIVE_REASON_MAX])
{
    live_node_set lists[] = {v->joint ? v->old : v->list, v->list};
    char those[LIVE_REASON_MAX];

    if (!v->joint && !v->asked)
        return false;
    for (int i = 0; i < 2; i++) {
        live_node_set up = lists[i] & v->heard;

        if (live_size(up) >= majority(lists[i]))
            continue;
        snprintf(text, LIVE_REASON_MAX,
                 "%u of %u nodes of the %s list; not heard: %.120s",
                 majority(lists[i]), live_size(lists[i]), i ? "new" : "old",
                 names(m->config, lists[i] & ~up, those));
        return true;
    }
    if (v->ripe_in == UINT64_MAX)
        snprintf(text, LIVE_REASON_MAX,
                 "a view of configuration %u in which "
                 "this node has a lease",
                 v->number);
    else if (v->ripe_in)
        snprintf(text, LIVE_REASON_MAX,
                 "%" PRIu64 " ms, until no lease of the configuration before "
                 "can be left",
                 v->ripe_in / 1000 + 1);
    else
        snprintf(text, LIVE_REASON_MAX, "the next view");
    return true;
}

void live_members_describe(const struct live_members *m, uint64_t now,
                           json_t *into)
{
    struct live_lists_view v;
    char text[LIVE_REASON_MAX];
    json_t *o = json_object();

    if (!look(m->driver->node.mode, now, &v)) {
        json_decref(o);
        return;
    }
    LIVE_NUMBERS(o, {"number", v.number});
    json_object_set_new(o, "joint", json_boolean(v.joint));
    json_object_set_new(o, "list", live_mode_list(m->config, v.list));
    LIVE_NUMBERS(o, {"heard", live_size(v.list & v.heard)},
                 {"majority", majority(v.list)});
    if (v.joint) {
        json_object_set_new(o, "old", live_mode_list(m->config, v.old));
        LIVE_NUMBERS(o, {"heard_of_old", live_size(v.old & v.heard)},
                     {"majority_of_old", majority(v.old)});
    }
    LIVE_NUMBERS(o, {"lease_us", v.lease}, {"tau_us", v.tau},
                 {"next_id", live_lists_next(&v, m->config)},
                 {"ids_left", LIVE_NODES_MAX - live_lists_next(&v, m->config)});
    if (v.asked)
        json_object_set_new(o, "asked", json_string(m->asked));
    if (say_wait(m, &v, text))
        json_object_set_new(o, "waits_for", json_string(text));
    json_object_set_new(into, "configuration", o);
}

void live_members_describe_peer(const struct live_members *m, uint32_t x,
                                uint64_t now, json_t *into)
{
    struct live_lists_view v;
    const char *listed = "no";

    if (!look(m->driver->node.mode, now, &v))
        return;
    if (live_has(v.list, x))
        listed = !v.joint || live_has(v.old, x) ? "yes" : "new";
    else if (v.joint && live_has(v.old, x))
        listed = "old";
    LIVE_NUMBERS(into, {"id", x});
    json_object_set_new(into, "listed", json_string(listed));
    json_object_set_new(
        into, "joined",
        json_boolean(live_has(live_lists_now(&v) | (v.heard & ~v.joins), x)));
}
