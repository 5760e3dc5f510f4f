/*
 * status_print.c - the report of a node, for people (see status.h).
 */
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/node/status.h"
#include "cli/paragraph.h"

#define INT "%" JSON_INTEGER_FORMAT

enum { PEER_NAME = 2, PEER_TEXT = 15 }; /* columns */

/* A number that is text, since it may be above 2^53; nodes of version 0.4 and
 * before give it as a number. */
struct digits {
    char text[24];
};

static struct digits digits_of(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);
    struct digits of = {"?"};

    if (json_is_string(value))
        snprintf(of.text, sizeof of.text, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(of.text, sizeof of.text, INT, json_integer_value(value));
    return of;
}

static bool is_true(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}

/* ---- Words --------------------------------------------------------------- */

/* One line, or more if it is long. */
#define LINE(first, indent, ...)                                               \
    do {                                                                       \
        struct paragraph line = paragraph_begin((first), (indent));            \
        paragraph_say(&line, __VA_ARGS__);                                     \
        paragraph_end(&line);                                                  \
    } while (0)

static void say_names(struct paragraph *p, const char *before,
                      const json_t *list)
{
    size_t i;
    const json_t *name;

    paragraph_say(p, "%s", before);
    json_array_foreach(list, i, name)
    {
        paragraph_say(p, "%s %s", i ? "," : "", json_string_value(name));
    }
}

static void say_ms(struct paragraph *p, const char *before, json_int_t us)
{
    paragraph_say(p, "%s " INT ".%02" JSON_INTEGER_FORMAT " ms", before,
                  us / 1000, us % 1000 / 10);
}

/* A time in the unit that suits it. */
static void say_time(struct paragraph *p, const char *before, json_int_t us)
{
    const json_int_t second = 1000000, minute = 60 * second;

    if (us < 10 * second)
        paragraph_say(p, "%s " INT " ms", before, us / 1000);
    else if (us < 10 * minute)
        paragraph_say(p, "%s " INT " s", before, us / second);
    else if (us < 600 * minute)
        paragraph_say(p, "%s " INT " min", before, us / minute);
    else
        paragraph_say(p, "%s " INT " h", before, us / (60 * minute));
}

/* ---- The node ------------------------------------------------------------ */

static void print_silence(const json_t *o)
{
    const json_t *bounds = json_object_get(o, "bounds");
    const json_t *over = json_object_get(o, "over");

    LINE(0, 2,
         "window " INT " us; longest round trip " INT " us; dead after " INT
         " ms",
         status_number(bounds, "window_us"),
         status_number(bounds, "round_trip_us"),
         status_number(bounds, "dead_us") / 1000);
    if (json_is_string(over))
        LINE(0, 2,
             "the mode has ended, no lock can be held here until a restart: %s",
             json_string_value(over));
    else if (!is_true(o, "ready"))
        LINE(0, 2,
             "does not take part yet: waits for a node that does, or for all");
}

static bool has_view(const json_t *o)
{
    return strcmp(digits_of(o, "view").text, "0") != 0;
}

/* Nodes that could be members: a view of two out of five is not half of a
 * cluster. */
static void say_outsiders(struct paragraph *p, const json_t *o)
{
    const json_t *members = json_object_get(o, "members"), *peer;
    const struct status_lists lists = status_lists(o);
    const char *before = "; not in it:";
    size_t i;

    json_array_foreach(json_object_get(o, "peers"), i, peer)
    {
        if (status_has(members, status_text(peer, "name")) ||
            is_true(peer, "witness") || !status_is_listed(peer))
            continue;
        paragraph_say(p, "%s %s", before, status_text(peer, "name"));
        before = ",";
    }
    if (!lists.joint && (json_int_t)json_array_size(members) < lists.majority)
        paragraph_say(p, "; a majority of the " INT " nodes voted for it",
                      lists.nodes);
}

static void print_view(const json_t *o)
{
    struct paragraph p = paragraph_begin(0, 2);

    if (has_view(o)) {
        paragraph_say(&p, "view %s", digits_of(o, "view").text);
        say_names(&p, ":", json_object_get(o, "members"));
        say_outsiders(&p, o);
        if (!is_true(o, "clean"))
            paragraph_say(&p, "; still waits out old leases");
    } else {
        paragraph_say(&p, "no view");
    }
    paragraph_end(&p);
}

static void print_proven(const json_t *o)
{
    const struct status_lists lists = status_lists(o);
    char heard[LIVE_REASON_MAX], needs[LIVE_REASON_MAX];

    if (has_view(o) || !is_true(o, "witness"))
        print_view(o);
    if (is_true(o, "witness"))
        LINE(0, 2, "a witness: helps others to a majority, holds no lock");
    else if (is_true(o, "leased"))
        LINE(0, 2, "lease for " INT " ms more",
             status_number(o, "lease_left_us") / 1000);
    else
        LINE(0, 2, "no lease: no lock can be held here");
    if (!status_has_majority(&lists))
        LINE(0, 2, "no majority: hears %s, and needs %s",
             status_heard(&lists, heard), status_needs(&lists, needs));
}

/* The list of nodes, if it is not that of the file, or is about to change. */
static void print_configuration(const json_t *o)
{
    const json_t *c = json_object_get(o, "configuration");
    char text[LIVE_REASON_MAX];
    struct paragraph p;

    if (!status_number(c, "number") && !json_object_get(c, "asked"))
        return;
    p = paragraph_begin(0, 2);
    paragraph_say(&p, "%s", status_configuration(o, text));
    if (json_object_get(c, "asked"))
        paragraph_say(&p, "; asked for: %s", status_text(c, "asked"));
    if (json_object_get(c, "waits_for"))
        paragraph_say(&p, "; waits for: %s", status_text(c, "waits_for"));
    paragraph_end(&p);
}

/* What is being changed: a key, or the program of the nodes (R8, R9). */
static void print_change(const json_t *o)
{
    const json_t *keys = json_object_get(o, "keys"),
                 *reads = json_object_get(keys, "reads"),
                 *lacked = json_object_get(keys, "lacked_by"),
                 *versions = json_object_get(o, "versions");
    struct paragraph p;

    if (json_array_size(reads) > 1) {
        p = paragraph_begin(0, 2);
        say_names(&p, "two keys:", reads);
        if (json_array_size(lacked))
            say_names(&p, "; the first is not shown by", lacked);
        else
            paragraph_say(&p, "; all send with the first");
        paragraph_end(&p);
    }
    if (status_number(versions, "spoken") >= status_number(versions, "most"))
        return;
    p = paragraph_begin(0, 2);
    paragraph_say(&p, "all speak version " INT " of " INT,
                  status_number(versions, "spoken"),
                  status_number(versions, "most"));
    say_names(&p, ", and not more because of",
              json_object_get(versions, "held_by"));
    paragraph_end(&p);
}

/* What the node itself suffers from. */
static void print_troubles(const json_t *o)
{
    const json_t *sync = json_object_get(o, "sync_us");
    struct paragraph p;

    if (json_is_false(json_object_get(json_object_get(o, "clock"), "fit")))
        LINE(0, 2,
             "takes no part: the clock of this machine is slewed by " INT
             " ppm, or was a moment ago",
             status_number(json_object_get(o, "clock"), "slew_ppm"));
    if (json_is_string(json_object_get(o, "defers")))
        LINE(0, 2, "takes no part: %s", status_text(o, "defers"));
    if (json_is_integer(json_object_get(o, "stays_from")))
        LINE(0, 2,
             "ignores generation " INT
             ", as it was told with --stay: no node may run it",
             status_number(o, "stays_from"));
    if (json_is_string(json_object_get(o, "trouble")))
        LINE(0, 2, "trouble: %s", status_text(o, "trouble"));
    if (!sync)
        return;
    p = paragraph_begin(0, 2);
    say_ms(&p, "writing the record takes up to", json_integer_value(sync));
    paragraph_end(&p);
}

static void print_node(const json_t *o)
{
    struct paragraph p = paragraph_begin(0, 2);

    paragraph_say(&p, "node %s,", status_text(o, "node"));
    if (status_is_guest(o))
        paragraph_say(&p, " not in the list of nodes");
    else
        paragraph_say(&p, " one of " INT, status_lists(o).nodes);
    paragraph_say(&p, ", start number %s, mode %s", digits_of(o, "inc").text,
                  status_text(o, "mode"));
    if (json_object_get(o, "generation"))
        paragraph_say(&p, ", generation " INT, status_number(o, "generation"));
    paragraph_end(&p);
    if (json_object_get(o, "bounds"))
        print_silence(o);
    else
        print_proven(o);
    print_configuration(o);
    print_change(o);
    print_troubles(o);
}

/* ---- Peers --------------------------------------------------------------- */

/* Whether the node hears it, and what it is.  A peer that was heard once, and
 * has been silent for longer than a pause, is gone. */
static void say_standing(struct paragraph *p, const json_t *peer,
                         const json_t *heard)
{
    json_int_t silent = status_number(peer, "silent_us");
    bool gone =
        silent >= 0 && heard && !status_has(heard, status_text(peer, "name"));

    if (silent < 0)
        paragraph_say(p, "never heard");
    else if (gone)
        say_time(p, "gone: not heard for", silent);
    else
        paragraph_say(p, "heard " INT " ms ago", silent / 1000);
    if (json_object_get(peer, "state"))
        paragraph_say(p, ", %s", status_text(peer, "state"));
    else if (silent >= 0)
        paragraph_say(p, "%s view %s%s", gone ? "; was in" : ",",
                      digits_of(peer, "view").text,
                      !gone && is_true(peer, "leased") ? ", leased" : "");
    if (!status_is_listed(peer))
        paragraph_say(p, ", not in the list of nodes");
    else if (is_true(peer, "witness"))
        paragraph_say(p, ", a witness");
    else if (silent >= 0 && !gone &&
             json_is_false(json_object_get(peer, "ready")))
        paragraph_say(p, ", not ready");
}

/* All that a link refuses, by what it was refused for. */
static void say_refused(struct paragraph *p, const json_t *link)
{
    static const char *const kinds[][2] = {
        {"forged", "sealed with another key, or changed"},
        {"replayed", "replayed"},
        {"odd", "of no known form"},
        {"old", "of another configuration"},
        {"outlived", "of an earlier start"},
        {"unproven", "perhaps from before this start"},
    };
    json_int_t sum = 0;
    const char *before = ":";

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        sum += status_number(link, kinds[i][0]);
    paragraph_say(p, ", refused " INT, sum);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (status_number(link, kinds[i][0])) {
            paragraph_say(p, "%s " INT " %s", before,
                          status_number(link, kinds[i][0]), kinds[i][1]);
            before = ",";
        }
}

/* How much later than the quickest frame of the last seconds. */
static void print_delay(const json_t *delay)
{
    struct paragraph p = paragraph_begin(PEER_TEXT, PEER_TEXT);

    say_ms(&p, "frames late by", status_number(delay, "mean_us"));
    say_ms(&p, " (at most", status_number(delay, "greatest_us"));
    paragraph_say(&p, ")");
    paragraph_end(&p);
    p = paragraph_begin(PEER_TEXT, PEER_TEXT);
    paragraph_say(&p, INT, status_number(delay, "late"));
    say_ms(&p, " beyond the delay of", status_number(delay, "limit_us"));
    say_ms(&p, "; round trip below", status_number(delay, "round_trip_us"));
    paragraph_end(&p);
}

static void print_peer(const json_t *peer, const json_t *heard)
{
    const json_t *link = json_object_get(peer, "link");
    struct paragraph p = paragraph_begin(PEER_NAME, PEER_TEXT);

    paragraph_say(&p, "%s", status_text(peer, "name"));
    paragraph_go_to(&p, PEER_TEXT);
    if (!status_is_listed(peer) &&
        !status_has(heard, status_text(peer, "name"))) {
        paragraph_say(&p, "has left the list of nodes");
        paragraph_end(&p);
        return;
    }
    say_standing(&p, peer, heard);
    paragraph_end(&p);
    if (json_is_string(json_object_get(peer, "trouble")))
        LINE(PEER_TEXT, PEER_TEXT, "%s", status_text(peer, "trouble"));
    p = paragraph_begin(PEER_TEXT, PEER_TEXT);
    paragraph_say(&p, "sent " INT ", received " INT,
                  status_number(link, "sent"), status_number(link, "received"));
    say_refused(&p, link);
    paragraph_end(&p);
    if (status_number(peer, "silent_us") >= 0 && json_object_get(peer, "delay"))
        print_delay(json_object_get(peer, "delay"));
}

static void print_peers(const json_t *o)
{
    size_t i;
    const json_t *peer;

    printf("\npeers\n");
    json_array_foreach(json_object_get(o, "peers"), i, peer)
    {
        if (!is_true(peer, "self"))
            print_peer(peer, json_object_get(o, "heard"));
    }
}

/* ---- Locks --------------------------------------------------------------- */

static void say_owner(struct paragraph *p, const json_t *client)
{
    const json_t *uid = json_object_get(client, "uid");
    const struct passwd *user;

    paragraph_say(p, "%s process " INT, status_text(client, "state"),
                  status_number(client, "pid"));
    if (!uid)
        return;
    user = getpwuid((uid_t)json_integer_value(uid));
    if (user)
        paragraph_say(p, " of %s", user->pw_name);
    else
        paragraph_say(p, " of user " INT, json_integer_value(uid));
}

static void say_end(struct paragraph *p, const json_t *client)
{
    const char *by = status_text(client, "stopped_by");

    paragraph_say(p, ", stopped by %s%s",
                  strcmp(by, "itself") == 0 ? "" : "its ", by);
    if (json_is_false(json_object_get(client, "guard")))
        paragraph_say(p, ", without a guard");
}

static void print_clients(const json_t *list)
{
    size_t i;
    const json_t *c;

    json_array_foreach(list, i, c)
    {
        struct paragraph p = paragraph_begin(4, 6);

        say_owner(&p, c);
        if (is_true(c, "shared"))
            paragraph_say(&p, ", shared");
        if (json_object_get(c, "held_us"))
            say_time(&p, ", for", status_number(c, "held_us"));
        if (json_object_get(c, "token")) {
            paragraph_say(&p, ", token %s, " INT " ms left",
                          digits_of(c, "token").text,
                          status_number(c, "left_us") / 1000);
            say_end(&p, c);
        } else {
            say_time(&p, ", for", status_number(c, "waits_us"));
        }
        paragraph_end(&p);
        if (is_true(c, "stuck"))
            LINE(6, 6, "cannot be stopped: see the log of the node");
    }
}

/* The node that holds it, as far as this node knows, and the others that have
 * not consented. */
static void say_others(struct paragraph *p, const json_t *lock)
{
    const json_t *holders = json_object_get(lock, "held_at"), *name;
    const char *before = ", waits for";
    size_t i;

    if (json_array_size(holders)) {
        say_names(p, ", held at", holders);
        before = "; also waits for";
    }
    json_array_foreach(json_object_get(lock, "lacks"), i, name)
    {
        if (status_has(holders, json_string_value(name)))
            continue;
        paragraph_say(p, "%s %s", before, json_string_value(name));
        before = ",";
    }
}

static void print_locks(const json_t *locks)
{
    size_t i;
    const json_t *l;

    printf("\nlocks%s\n", json_array_size(locks) ? "" : ": none in use here");
    json_array_foreach(locks, i, l)
    {
        struct paragraph p = paragraph_begin(2, 4);

        paragraph_say(&p, "%s: %s", status_text(l, "name"),
                      is_true(l, "held") ? "held here" : "asked for here");
        say_others(&p, l);
        if (json_array_size(json_object_get(l, "deferred")))
            say_names(&p, ", wanted at", json_object_get(l, "deferred"));
        paragraph_end(&p);
        print_clients(json_object_get(l, "holders"));
        print_clients(json_object_get(l, "waiters"));
    }
}

/* ---- What was not as hoped ----------------------------------------------- */

static void print_violations(const json_t *o)
{
    static const char *const kinds[][3] = {
        {"late_wakeups",
         "times that it woke up more than tau late:", "latest_wakeup_us"},
        {"late_frames", "frames later than delay:", "latest_frame_us"},
        {"holders_lost", "commands stopped before their end:", NULL},
        {"two_places",
         "times that it relied on a record that is used at two places:", NULL},
    };
    bool none = true;

    printf("\nviolations");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct paragraph p;

        if (status_number(o, kinds[i][0]) == 0)
            continue;
        if (none)
            putchar('\n');
        none = false;
        p = paragraph_begin(2, 4);
        paragraph_say(&p, "%s " INT, kinds[i][1],
                      status_number(o, kinds[i][0]));
        if (kinds[i][2])
            say_ms(&p, ", by up to", status_number(o, kinds[i][2]));
        paragraph_end(&p);
    }
    if (none)
        printf(": none\n");
}

static void print_counters(const char *title, json_t *o)
{
    struct paragraph p = paragraph_begin(0, 2);
    const char *key;
    const json_t *value;

    paragraph_say(&p, "%s", title);
    json_object_foreach(o, key, value)
    {
        paragraph_say(&p, " %s=" INT, key, json_integer_value(value));
    }
    paragraph_end(&p);
}

void status_print(const json_t *report)
{
    print_node(report);
    print_peers(report);
    print_locks(json_object_get(report, "locks"));
    if (json_object_get(report, "violations"))
        print_violations(json_object_get(report, "violations"));
    printf("\n");
    print_counters("clients:", json_object_get(report, "clients"));
    print_counters("node:", json_object_get(report, "counters"));
}
