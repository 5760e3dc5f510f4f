/*
 * cluster_change.c - a change of the list of nodes or of the times: it is asked
 * for, and followed until it is so (R1 to R7).
 *
 * The node of this machine is told what is wanted, and begins when it may; it
 * goes on by itself from then on.  So waiting is only looking: the old list,
 * both (joint), the new one.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/cluster/cluster.h"

enum { GIVEN_UP = 5 }; /* looks, if nothing is asked for any more */

/* ---- Whether it is so ---------------------------------------------------- */

static bool is_or_was(json_int_t now, uint64_t wanted)
{
    return !wanted || now == (json_int_t)wanted;
}

/* Whether a list, which does not change any more, is what was asked for. */
static bool is_as_asked(const struct cluster_change *change, const json_t *c)
{
    const json_t *list = json_object_get(c, "list");

    if (json_is_true(json_object_get(c, "joint")))
        return false;
    if (change->kind == LIVE_TIMES_SET)
        return is_or_was(status_number(c, "lease_us"), change->lease) &&
               is_or_was(status_number(c, "tau_us"), change->tau);
    return (change->kind == LIVE_NODE_ADD || !status_has(list, change->name)) &&
           (!change->joins.name[0] || status_has(list, change->joins.name));
}

static const json_t *find_peer(const json_t *report, const char *name)
{
    const json_t *peer;
    size_t i;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        if (strcmp(status_text(peer, "name"), name) == 0)
            return peer;
    }
    return NULL;
}

/* Whether it is so before anything is asked for: an order that was given twice,
 * or to a node that died.  Who leaves must be known, or it is a mistake. */
static bool is_already(const struct cluster_change *change,
                       const json_t *report)
{
    const struct live_config_node *node = &change->joins;
    const json_t *peer = find_peer(report, node->name);

    if (!is_as_asked(change, json_object_get(report, "configuration")))
        return false;
    if ((change->kind == LIVE_NODE_REMOVE ||
         change->kind == LIVE_NODE_REPLACE) &&
        !find_peer(report, change->name))
        return false;
    return !node->name[0] ||
           (strcmp(status_text(peer, "host"), node->host) == 0 &&
            status_number(peer, "port") == node->port &&
            json_is_true(json_object_get(peer, "witness")) == node->witness);
}

/* ---- What is told meanwhile ---------------------------------------------- */

/* How far it is, and what it waits for. */
struct progress {
    char state[2 * LIVE_REASON_MAX], waits[LIVE_REASON_MAX];
};

/* What is waited for may have a time in it, which runs. */
static bool is_but_for_numbers(const char *a, const char *b)
{
    static const char digits[] = "0123456789";

    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

static void tell_state(struct progress *p, const json_t *report)
{
    const json_t *c = json_object_get(report, "configuration");
    const char *waits = json_string_value(json_object_get(c, "waits_for"));
    bool joint = json_is_true(json_object_get(c, "joint"));
    char text[LIVE_REASON_MAX], old[LIVE_REASON_MAX], names[LIVE_REASON_MAX];
    char state[sizeof p->state];

    (void)status_names(json_object_get(c, "list"), names);
    (void)status_names(json_object_get(c, "old"), old);
    snprintf(state, sizeof state, "%.120s: %s%.150s%s%.150s",
             status_configuration(report, text), joint ? "from " : "",
             joint ? old : "", joint ? " to " : "", names);
    waits = waits ? waits : "";
    if (strcmp(p->state, state) == 0 && is_but_for_numbers(p->waits, waits))
        return;
    snprintf(p->state, sizeof p->state, "%s", state);
    snprintf(p->waits, sizeof p->waits, "%s", waits);
    cli_note("%s%s%s", state, *waits ? "; waits for: " : "", waits);
}

/* The node does not answer any more: it may have left, as it was told to. */
static int tell_gone(const struct cluster_change *change, const char *self)
{
    if (change->kind != LIVE_NODE_ADD && change->name &&
        strcmp(change->name, self) == 0)
        cli_note("%s was to leave, and stops when it has: 'fulcrum cluster "
                 "members' at another node says whether it is in the list",
                 self);
    return CLI_NO_NODE;
}

/* ---- Waiting ------------------------------------------------------------- */

/* One look: true if there is no need for another, with an exit code. */
struct look {
    uint32_t idle; /* looks in which nothing is asked for, or goes on */
    struct progress progress;
};

static bool is_settled(const struct cluster_change *change, struct look *look,
                       const json_t *report, int *code)
{
    const json_t *c = json_object_get(report, "configuration");
    char text[LIVE_REASON_MAX];

    tell_state(&look->progress, report);
    if (is_as_asked(change, c))
        return true;
    if (json_object_get(c, "asked") ||
        json_is_true(json_object_get(c, "joint")))
        look->idle = 0;
    else
        look->idle++;
    if (look->idle < GIVEN_UP)
        return false;
    *code =
        cli_fail("the change was given up: it was cancelled, or another one "
                 "was made, or the node was restarted before it began; now "
                 "there is %s",
                 status_configuration(report, text));
    return true;
}

/* The report in which it is so, to be released; NULL after a complaint. */
static json_t *await(const struct cluster_wishes *w,
                     const struct cluster_change *change, const char *self,
                     uint64_t until, int *code)
{
    struct look look = {.idle = 0};

    for (;;) {
        json_t *report = cluster_report(w, "configuration", code);
        bool settled;

        if (!report) {
            *code = tell_gone(change, self);
            return NULL;
        }
        settled = is_settled(change, &look, report, code);
        if (settled && !*code)
            return report;
        json_decref(report);
        if (settled)
            return NULL;
        if (cluster_is_over(until)) {
            *code = cli_complain(CLUSTER_LATE,
                                 "not in time, and it goes on: %s%s%s",
                                 look.progress.state,
                                 *look.progress.waits ? "; waits for: " : "",
                                 look.progress.waits);
            return NULL;
        }
    }
}

/* ---- Telling ------------------------------------------------------------- */

/* What follows the name in the letter. */
static void write_more(const struct cluster_change *change,
                       char more[LIVE_REASON_MAX])
{
    const struct live_config_node *n = &change->joins;
    bool replaces = change->kind == LIVE_NODE_REPLACE;

    if (change->kind == LIVE_TIMES_SET)
        snprintf(more, LIVE_REASON_MAX, "%" PRIu64 " %" PRIu64, change->lease,
                 change->tau);
    else if (n->name[0])
        snprintf(more, LIVE_REASON_MAX, "%s%s%s %u%s", replaces ? n->name : "",
                 replaces ? " " : "", n->host, (unsigned)n->port,
                 n->witness ? " witness" : "");
    else
        more[0] = '\0';
}

/* What is printed when it is done. */
static int tell_end(const struct cluster_wishes *w, const char *said,
                    const json_t *report)
{
    json_t *out;

    if (!w->json) {
        printf("%s\n", said);
        return CLI_FINE;
    }
    out = cluster_list(report);
    json_object_set_new(out, "said", json_string(said));
    cluster_dump(out);
    return CLI_FINE;
}

/* "configuration 4: a, b, d". */
static const char *summary(const json_t *report, char text[LIVE_REASON_MAX])
{
    char names[LIVE_REASON_MAX], number[LIVE_REASON_MAX];

    snprintf(text, LIVE_REASON_MAX, "%.60s: %.180s",
             status_configuration(report, number),
             status_names(json_object_get(
                              json_object_get(report, "configuration"), "list"),
                          names));
    return text;
}

/* Until the node takes the order, or it is so without: then, too, CLI_FINE, and
 * nothing is in `said`.  The report is of the moment before. */
static int order(const struct cluster_wishes *w,
                 const struct cluster_change *change, uint64_t until,
                 struct live_letter *said, json_t **report)
{
    char more[LIVE_REASON_MAX];
    const struct cluster_order wanted = {.kind = change->kind,
                                         .name = change->name,
                                         .more = more,
                                         .file = -1,
                                         .trial = w->trial};
    struct cluster_progress progress = {""};
    int code = CLI_FINE;

    write_more(change, more);
    do {
        json_decref(*report);
        *report = cluster_report(w, "configuration", &code);
        if (!*report ||
            (change->kind != LIVE_CHANGE_CANCEL && is_already(change, *report)))
            return code;
        code = cluster_try(w, &wanted, said);
    } while (code == CLUSTER_EARLY &&
             !(code = cluster_later(w, until, said, &progress)));
    return code;
}

/* What was ordered is waited for.  The report is of the end. */
static int follow(const struct cluster_wishes *w,
                  const struct cluster_change *change, uint64_t until,
                  json_t **report)
{
    int code = CLI_FINE;
    json_t *made = await(w, change, status_text(*report, "node"), until, &code);

    json_decref(*report);
    *report = made;
    return code;
}

static int ask(const struct cluster_wishes *w,
               const struct cluster_change *change)
{
    uint64_t until = cluster_until(w);
    struct live_letter said = {0};
    char text[LIVE_REASON_MAX], words[LIVE_REASON_MAX + 24];
    json_t *report = NULL;
    int code = order(w, change, until, &said, &report);

    snprintf(words, sizeof words, "%s", said.reason);
    if (!code && !said.kind) {
        snprintf(words, sizeof words, "it is so already: %s",
                 summary(report, text));
    } else if (!code && w->wait && change->kind != LIVE_CHANGE_CANCEL) {
        cli_note("%s", said.reason);
        code = follow(w, change, until, &report);
        if (!code)
            snprintf(words, sizeof words, "%s", summary(report, text));
    }
    if (!code)
        code = tell_end(w, words, report);
    json_decref(report);
    return code;
}

static int print_ini(const struct cluster_wishes *w,
                     const struct cluster_change *change)
{
    int code = CLI_FINE;
    json_t *report = cluster_report(w, "configuration", &code);

    if (!report)
        return code;
    if (change->kind == LIVE_NODE_REPLACE &&
        !status_has(
            json_object_get(json_object_get(report, "configuration"), "list"),
            change->name))
        code = cli_fail("no node '%s' is in the list", change->name);
    else
        code = cluster_ini(w, report, &change->joins);
    json_decref(report);
    return code;
}

int cluster_carry_out(const struct cluster_wishes *w,
                      const struct cluster_change *change)
{
    if (w->ini && (w->trial || w->wait || w->json))
        return cli_refuse("--ini only prints a file; leave out --wait, "
                          "--dry-run and --json");
    if (w->trial && w->wait)
        return cli_refuse("a dry run has nothing to wait for; leave out --wait "
                          "or --dry-run");
    return w->ini ? print_ini(w, change) : ask(w, change);
}
