/*
 * fence.c - fulcrum fence: a store of files that refuses former holders of a
 * lock.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "live/fence/fence.h"

enum { EXIT_LOW = 4 }; /* the token is lower than one that was seen */

enum action { INIT, PUT, GET, SHOW, ACTIONS };
static const char *const actions[ACTIONS] = {"init", "put", "get", "show"};

struct wishes {
    const char *store, *name, *token;
    enum action action;
    bool json;
    uint64_t number; /* of the token; 0: none */
};

#define WISHES struct wishes

static const struct cli_option options[] = {
    {"token", 't', "N", "[FULCRUM_TOKEN, as fulcrum lock sets it]", AT(token)},
    {"json", 0, NULL, "for programs", AT(json)},
    {0},
};

/* ---- What was asked for -------------------------------------------------- */

static int parse_token(struct wishes *w)
{
    const char *text = w->token ? w->token : getenv("FULCRUM_TOKEN");
    char *end;

    if (!text)
        return 0;
    errno = 0;
    w->number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || w->number == 0 ||
        w->number > LIVE_FENCE_TOKEN_MAX)
        return cli_refuse(
            "'%.40s' is not a token; give the number that fulcrum "
            "lock has set in FULCRUM_TOKEN",
            text);
    return 0;
}

/* The words that stand for themselves: STORE ACTION [NAME]. */
static int parse_words(int argc, char **argv, struct wishes *w)
{
    bool named;

    if (argc < 2)
        return cli_refuse(
            "name a store and what to do: init, put, get or show");
    w->store = argv[0];
    while (w->action < ACTIONS && strcmp(argv[1], actions[w->action]) != 0)
        w->action++;
    if (w->action == ACTIONS)
        return cli_refuse("a store can do init, put, get and show, not '%s'",
                          argv[1]);
    named = w->action == PUT || w->action == GET;
    if (argc != (named ? 3 : 2))
        return cli_refuse("'%s' takes %s", argv[1],
                          named ? "one name" : "no name");
    w->name = named ? argv[2] : NULL;
    return named ? parse_token(w) : 0;
}

/* ---- The actions --------------------------------------------------------- */

static int say(enum live_fence_answer answer, const char *error)
{
    if (answer == LIVE_FENCE_DONE)
        return CLI_FINE;
    return cli_complain(answer == LIVE_FENCE_LOW   ? EXIT_LOW
                        : answer == LIVE_FENCE_BAD ? (int)CLI_USAGE
                                                   : CLI_SYSTEM,
                        "%s", error);
}

/* All of standard input, or at least one byte more than a content may have;
 * NULL with errno. */
static char *read_input(size_t *size)
{
    char *bytes = NULL, part[1 << 16];
    FILE *all = open_memstream(&bytes, size);
    size_t got, sum = 0;
    bool failed = !all;

    while (!failed && sum <= LIVE_FENCE_SIZE_MAX &&
           (got = fread(part, 1, sizeof part, stdin)) > 0) {
        failed = fwrite(part, 1, got, all) != got;
        sum += got;
    }
    failed = failed || ferror(stdin);
    if ((all && fclose(all) != 0) || failed) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* The content is read before the store is locked: the process that
 * writes it may take any time, or be stopped. */
static int put(struct live_fence *fence, const struct wishes *w)
{
    struct net_why error;
    uint64_t mark;
    size_t size;
    char *bytes;
    int code;

    if (!w->number)
        return cli_refuse(
            "no token: run it under fulcrum lock, or give --token");
    bytes = read_input(&size);
    if (!bytes)
        return cli_fail("cannot read the content: %s", strerror(errno));
    code = say(
        live_fence_put(fence, w->name, w->number, bytes, size, &mark, &error),
        error.text);
    free(bytes);
    return code;
}

static int get(struct live_fence *fence, const struct wishes *w)
{
    struct net_why error;
    char bytes[1 << 16];
    ssize_t size;
    int file,
        code = say(live_fence_get(fence, w->name, w->number, &file, &error),
                   error.text);

    if (code)
        return code;
    while ((size = read(file, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)size, stdout);
    close(file);
    if (size < 0)
        return cli_fail("%s: %s", w->name, strerror(errno));
    return CLI_FINE;
}

static void print_table(const struct live_fence_entry *list, size_t count)
{
    printf("%-24s %20s %12s\n", "name", "highest token", "bytes");
    for (size_t i = 0; i < count; i++) {
        const struct live_fence_entry *e = &list[i];
        char mark[32] = "damaged", size[32] = "-", plain[32];

        if (!e->damaged)
            snprintf(mark, sizeof mark, "%" PRIu64, e->mark);
        if (e->size >= 0)
            snprintf(size, sizeof size, "%s",
                     cli_grouped((uint64_t)e->size, plain, sizeof plain));
        printf("%-24s %20s %12s\n", e->name, mark, size);
    }
}

static void print_json(const struct live_fence_entry *list, size_t count)
{
    json_t *all = json_array();

    for (size_t i = 0; i < count; i++) {
        const struct live_fence_entry *e = &list[i];
        json_t *o = json_pack("{s:s, s:b}", "name", e->name, "damaged",
                              (int)e->damaged);

        json_object_set_new(o, "token",
                            e->damaged ? json_null() : cli_json_name(e->mark));
        json_object_set_new(o, "bytes",
                            e->size < 0 ? json_null()
                                        : json_integer((json_int_t)e->size));
        json_array_append_new(all, o);
    }
    cli_json_print(all, 0);
}

static int show(struct live_fence *fence, const struct wishes *w)
{
    struct net_why error;
    struct live_fence_entry *list;
    size_t count, damaged = 0;
    int code = say(live_fence_list(fence, &list, &count, &error), error.text);

    if (code)
        return code;
    if (w->json)
        print_json(list, count);
    else
        print_table(list, count);
    for (size_t i = 0; i < count; i++)
        damaged += list[i].damaged;
    free(list);
    if (damaged)
        return cli_fail("%zu of %zu names are damaged; see fulcrum-fence(1)",
                        damaged, count);
    return code;
}

static int run_fence(int argc, char **argv)
{
    struct wishes w = {0};
    struct live_fence fence;
    struct net_why error;
    int code = cli_options_read(&cli_fence, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    code = parse_words(argc - optind, argv + optind, &w);
    if (code)
        return code;
    if (w.action == INIT)
        return say(live_fence_create(w.store, &error), error.text);
    code = say(live_fence_open(&fence, w.store, &error), error.text);
    if (code)
        return code;
    if (w.action == PUT)
        code = put(&fence, &w);
    else if (w.action == GET)
        code = get(&fence, &w);
    else
        code = show(&fence, &w);
    live_fence_close(&fence);
    return code;
}

const struct cli_verb cli_fence = {
    .name = "fence",
    .summary = "a store of files that refuses former holders",
    .run = run_fence,
    .usage = "STORE init\n"
             "STORE put NAME [--token N] < CONTENT\n"
             "STORE get NAME [--token N]\n"
             "STORE show [--json]",
    .about =
        "A folder of files that checks tokens: it keeps the highest token of "
        "each name, and refuses to write under a lower one. init makes a "
        "store, once, in a new folder; put replaces the content of NAME by "
        "standard input; get prints it, and with a token makes sure that no "
        "lower one can write it later; show lists all names, their tokens and "
        "sizes.",
    .exits = "0 done, 4 the token is too low and nothing was written, 2 wrong "
             "usage, 3 a system error, the store is damaged, or there is "
             "nothing.",
    .examples =
        "fulcrum lock page -- fulcrum fence /srv/store put page < page.html",
    .options = {options},
    .operands = {"@files", "init|put|get|show"},
};
