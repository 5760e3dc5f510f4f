/*
 * cluster_key.c - fulcrum cluster key: exchanges the key of a cluster (R8).
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cluster/cluster.h"
#include "live/wire/ring.h"
#include "net/outside.h"

#define WISHES struct cluster_wishes

static const struct cli_option options[] = {
    CLUSTER_WAIT,
    {"at", 0, "DATE", "drop: not before that, as 2026-12-31T03:00", AT(at)},
    {"force", 'f', NULL, "drop, though a node lacks the other key", AT(force)},
    CLUSTER_JSON,
    {0},
};

enum action { LIST, ADD, USE, DROP, ACTIONS };
static const char *const actions[ACTIONS] = {"list", "add", "use", "drop"};

/* ---- The table ----------------------------------------------------------- */

static void print_row(const char *name, const json_t *keys, bool self)
{
    char reads[LIVE_REASON_MAX];

    if (!keys) {
        printf("%-16s %s\n", name, "never heard");
        return;
    }
    printf("%-16s %-20s %-10s %s\n", name,
           status_names(json_object_get(keys, "reads"), reads),
           self ? "this node" : status_text(keys, "sends"),
           self ? "" : status_text(keys, "gets"));
}

static void print_keys(const json_t *report)
{
    const json_t *keys = json_object_get(report, "keys");
    const json_t *drop = json_object_get(keys, "drop_in_us");
    char names[LIVE_REASON_MAX];

    printf("%-16s %-20s %-10s %s\n", "node", "reads", "sends", "is sent");
    cluster_rows(report, "keys", print_row);
    if (json_array_size(json_object_get(keys, "reads")) < 2)
        return;
    if (drop)
        printf("the second key of this node is dropped in %lld s\n",
               (long long)(json_integer_value(drop) / 1000000));
    if (json_array_size(json_object_get(keys, "lacked_by")))
        printf("have not shown the first key of this node: %s\n",
               status_names(json_object_get(keys, "lacked_by"), names));
    else
        printf("all send with the first key of this node: its second one can "
               "be dropped\n");
}

static int list(const struct cluster_wishes *w)
{
    int code = CLI_FINE;
    json_t *report = cluster_report(w, "keys", &code);

    if (!report)
        return code;
    if (w->json)
        cluster_json(report, "keys");
    else
        print_keys(report);
    json_decref(report);
    return code;
}

/* ---- What the next start will read --------------------------------------- */

/* Running nodes do not read it, so it may say something else. */
static void compare_file(const struct cluster_wishes *w, const json_t *reads)
{
    static struct live_config config;
    const char *path, *files[LIVE_SLOTS];
    uint8_t key[LIVE_KEY_BYTES];
    char text[LIVE_PRINT_TEXT];
    struct net_why error;
    size_t found = 0;

    if (!cluster_file(w, &config, &path)) {
        cli_note("the next start of the node reads what its configuration "
                 "names: let that be the same keys");
        return;
    }
    files[0] = config.key_file;
    files[1] = config.new_key_file;
    for (int i = 0; i < LIVE_SLOTS; i++) {
        if (!files[i][0] || !live_key_read(key, files[i], &error))
            continue;
        (void)live_print_text(live_key_print(key), text);
        if (status_has(reads, text))
            found++;
        else
            cli_note("%s still names %s, the key %s: remove that line, or the "
                     "next start of the node reads it again",
                     path, files[i], text);
    }
    sodium_memzero(key, sizeof key);
    if (found < json_array_size(reads))
        cli_note("%s does not name all keys of the node: write the new one "
                 "below the old one, as 'key = FILE', or the next start does "
                 "not read it",
                 path);
}

/* ---- Waiting ------------------------------------------------------------- */

/* Nodes of which `field` of their keys is not, or lacks, the key. */
static json_t *those_without(const json_t *report, const char *field,
                             const char *key)
{
    json_t *those = json_array();
    const json_t *peer;
    size_t i;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        const json_t *keys = json_object_get(peer, "keys"),
                     *value = json_object_get(keys, field);

        if (json_is_true(json_object_get(peer, "self")) ||
            status_has(value, key) ||
            (json_is_string(value) && !strcmp(json_string_value(value), key)))
            continue;
        json_array_append(those, json_object_get(peer, "name"));
    }
    return those;
}

/* Until `field` of all peers is, or has, the first key of this node. */
static int await(const struct cluster_wishes *w, const char *field)
{
    uint64_t until = cluster_until(w);
    struct cluster_progress progress = {""};
    char names[LIVE_REASON_MAX], words[LIVE_REASON_MAX + 16];
    int code = CLI_FINE;

    for (;;) {
        json_t *report = cluster_report(w, "keys", &code), *those;
        const char *key;
        size_t count;

        if (!report)
            return code;
        key = json_string_value(json_array_get(
            json_object_get(json_object_get(report, "keys"), "reads"), 0));
        those = those_without(report, field, key ? key : "?");
        count = json_array_size(those);
        (void)status_names(those, names);
        json_decref(those);
        json_decref(report);
        if (count == 0)
            return CLI_FINE;
        snprintf(words, sizeof words, "waits for %s", names);
        cluster_progress(&progress, words);
        if (cluster_is_over(until))
            return cli_complain(CLUSTER_LATE, "not in time: %s", names);
    }
}

/* ---- Dates --------------------------------------------------------------- */

/* Microseconds until a date; false after a complaint. */
static bool until_date(const char *text, uint64_t *wait)
{
    struct tm when = {.tm_isdst = -1};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M", &when);
    time_t at, now = time(NULL);

    if (rest && *rest == ':')
        rest = strptime(rest, ":%S", &when);
    if (!rest || (*rest && strcmp(rest, "Z") != 0)) {
        (void)cli_refuse("'%.40s' is not a date; write it as 2026-12-31T03:00, "
                         "or with a Z behind it for UTC",
                         text);
        return false;
    }
    at = *rest ? timegm(&when) : mktime(&when);
    if (at <= now) {
        (void)cli_refuse("%.40s is over; leave --at out to drop it now", text);
        return false;
    }
    *wait = (uint64_t)(at - now) * 1000000;
    return true;
}

/* ---- Telling ------------------------------------------------------------- */

static int tell(const struct cluster_wishes *w,
                const struct cluster_order *order)
{
    uint64_t until = cluster_until(w);
    struct cluster_progress progress = {""};
    struct live_letter said = {0};
    int code;

    while ((code = cluster_try(w, order, &said)) == CLUSTER_EARLY)
        if ((code = cluster_later(w, until, &said, &progress)))
            return code;
    if (!code && !w->json)
        printf("%s\n", said.reason);
    return code;
}

/* The file, opened here: by who may read it.  -1 after a complaint. */
static int open_key(const char *path)
{
    int file = outside_open_path(path, O_RDONLY);
    struct net_why why;

    if (file < 0) {
        (void)cli_fail("%s: %s; name the file of a key, which 'fulcrum keygen' "
                       "makes",
                       path,
                       errno == ELOOP   ? "this is a link"
                       : errno == ENXIO ? "this is not a regular file"
                                        : strerror(errno));
        return -1;
    }
    if (outside_trusted(file, geteuid(), &why))
        return file;
    close(file);
    (void)cli_fail("%s: %s; let root or the node's user own it, in mode 0600",
                   path, why.text);
    return -1;
}

static int add(const struct cluster_wishes *w, const char *path)
{
    struct cluster_order order = {.kind = LIVE_KEY_ADD, .name = path};
    int code;

    if (strlen(path) > LIVE_LOCK_NAME_MAX || !live_lock_name_is_good(path))
        order.name = "the file";
    order.file = open_key(path);
    if (order.file < 0)
        return CLI_SYSTEM;
    code = tell(w, &order);
    close(order.file);
    return !code && w->wait ? await(w, "reads") : code;
}

static int use(const struct cluster_wishes *w, const char *key)
{
    const struct cluster_order order = {
        .kind = LIVE_KEY_USE, .name = key, .file = -1};
    int code = tell(w, &order);

    return !code && w->wait ? await(w, "gets") : code;
}

static int drop(const struct cluster_wishes *w, const char *key)
{
    struct cluster_order order = {
        .kind = LIVE_KEY_DROP, .name = key, .file = -1, .forced = w->force};

    if (w->at && !until_date(w->at, &order.wait))
        return CLI_USAGE;
    return tell(w, &order);
}

/* ---- The verb ------------------------------------------------------------ */

/* What it is done with: for add a file, else perhaps a fingerprint. */
static int act(const struct cluster_wishes *w, enum action action,
               const char *what)
{
    json_t *report;
    int code = action == ADD   ? add(w, what)
               : action == USE ? use(w, what)
                               : drop(w, what);

    if (code && code != CLUSTER_LATE)
        return code;
    if (w->json)
        (void)list(w);
    report = code || (action == DROP && w->at)
                 ? NULL
                 : cluster_report(w, "keys", &code);
    if (report && action != USE)
        compare_file(w,
                     json_object_get(json_object_get(report, "keys"), "reads"));
    json_decref(report);
    return code;
}

static int run_key(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    int code = cli_options_read(&cli_cluster_key, &w, argc, argv), words;
    enum action action = LIST;

    if (code != CLI_GO_ON)
        return code;
    words = argc - optind;
    argv += optind;
    while (words && action < ACTIONS && strcmp(argv[0], actions[action]) != 0)
        action++;
    if (action == ACTIONS)
        return cli_refuse("a key has list, add, use and drop, not '%s'",
                          argv[0]);
    if (words > 2 || (words > 1 && action == LIST))
        return cli_refuse("'%s' is one word too many", argv[words - 1]);
    if (action == ADD && words < 2)
        return cli_refuse("name the file of the new key");
    if (action != DROP && (w.force || w.at))
        return cli_refuse("--force and --at are for drop");
    if (w.at && w.wait)
        return cli_refuse("--at does not wait; leave out --wait");
    if (action == LIST)
        return list(&w);
    return act(&w, action, words > 1 ? argv[1] : "");
}

const struct cli_verb cli_cluster_key = {
    .name = "cluster key",
    .summary = "exchange the key while locks are held",
    .run = run_key,
    .usage = "list [-c FILE [-i NAME] | --socket PATH] [--json]\n"
             "add FILE [--wait S]\n"
             "use [KEY] [--wait S]\n"
             "drop [KEY] [--wait S] [--at DATE] [--force]",
    .about =
        "Exchanges the key of a cluster while locks are held. Make the new "
        "key once, put its file on each machine, and add it there: the node "
        "reads both keys from then on, and sends with the new one to each "
        "node that has shown that it can read it. When all do, drop the old "
        "one at each node. list says which node can read which key, by its "
        "fingerprint; use prefers a key again, until the other one is "
        "dropped. A KEY is a fingerprint as list shows it; without it, use is "
        "of the newest, and drop of the one that is not used. A running node "
        "does not read its configuration: write the new file below the old "
        "one there, and remove the old one when it is dropped.",
    .exits = "0 done, 2 wrong usage, 3 the node refuses, or a system error, 4 "
             "no node answers, 5 not yet: a node lacks the key in use, 124 it "
             "was not so in time.",
    .examples = "fulcrum cluster key add /etc/fulcrum/next.key --wait 600\n"
                "fulcrum cluster key list\n"
                "fulcrum cluster key drop --wait 600",
    .options = {cli_place_options, options},
    .operands = {"list|add|use|drop", "@files"},
};
