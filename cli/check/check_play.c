/*
 * check_play.c - fulcrum check --play: a run by hand, move by move, and what it
 * breaks; or the moves that are there to choose from.
 */
#include <stdlib.h>
#include <string.h>

#include "check/browse/browse.h"
#include "cli/check/check.h"
#include "cli/cli.h"

struct play {
    struct cli_check *check;
    struct check_browse *graph;
    uint32_t state, moves;
    uint32_t broken, broken_after; /* the properties, and by which move */
};

/* More states than that are not looked at for the shortest way. */
enum { STATES_MOST = 400000, SLICE = 5000 };

static int failed(const struct play *p)
{
    return cli_fail("%s", check_browse_why(p->graph));
}

/* The move of this label, or -1: there is none, or -2 if looking failed. */
static int64_t find(struct play *p, const char *wanted)
{
    char label[CHECK_LABEL_SIZE];
    uint32_t count;

    if (!check_browse_moves(p->graph, p->state, &count))
        return -2;
    for (uint32_t i = 0; i < count; i++)
        if (check_browse_label(p->graph, p->state, i, label, sizeof label) &&
            strcmp(label, wanted) == 0)
            return i;
    return -1;
}

static int play_one(struct play *p, const char *label)
{
    int64_t index = find(p, label);
    const struct check_enabled *moves;
    uint32_t count;

    if (index == -2)
        return failed(p);
    if (index < 0)
        return cli_refuse("after %u move%s there is no move '%.200s'; without "
                          "it --play lists those that there are",
                          p->moves, p->moves == 1 ? "" : "s", label);
    moves = check_browse_moves(p->graph, p->state, &count);
    if (!moves)
        return failed(p);
    p->moves++;
    if (moves[index].broken && !p->broken) {
        p->broken = moves[index].broken;
        p->broken_after = p->moves;
    }
    p->state = moves[index].to;
    return 0;
}

/* What breaks if the run ends where it is now. */
static int look_at_end(struct play *p)
{
    struct check_state_now s;

    if (p->broken)
        return 0;
    if (!check_browse_look_around(p->graph, p->state) ||
        !check_browse_look(p->graph, p->state, &s))
        return failed(p);
    if (s.quiet && s.broken_at_end) {
        p->broken = s.broken_at_end;
        p->broken_after = p->moves;
    }
    return 0;
}

static int play_all(struct play *p)
{
    char *copy = strdup(p->check->play), *rest = copy, *label;
    int code = copy ? 0 : cli_no_memory("the moves");

    while (!code && rest && (label = strsep(&rest, ";"))) {
        label += strspn(label, " ");
        for (size_t n = strlen(label); n && label[n - 1] == ' ';)
            label[--n] = '\0';
        if (*label)
            code = play_one(p, label);
    }
    free(copy);
    return code ? code : look_at_end(p);
}

/* The moves of a shortest way from the beginning; 0: none is known. */
static uint32_t shortest(struct play *p)
{
    struct check_distance d = {0};
    struct check_known known;

    do {
        check_browse_explore(p->graph, SLICE, &known);
        if (!check_browse_distance(p->graph, 0, &d))
            return 0;
    } while (d.outlook != CHECK_EXACTLY && d.outlook != CHECK_SAFE &&
             !known.all && known.limit == CHECK_NO_LIMIT &&
             known.states < STATES_MOST);
    return d.outlook == CHECK_EXACTLY ? d.moves : 0;
}

static json_t *names_of(const struct play *p, uint32_t broken)
{
    const struct fc_protocol *protocol = p->check->check.net.protocol;
    json_t *list = json_array();

    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (broken >> i & 1)
            json_array_append_new(list, json_string(fc_property(protocol, i)));
    return list;
}

static json_t *labels_of(struct play *p)
{
    char label[CHECK_LABEL_SIZE];
    json_t *list = json_array();
    uint32_t count = 0;

    if (!check_browse_moves(p->graph, p->state, &count))
        return list;
    for (uint32_t i = 0; i < count; i++) {
        check_browse_label(p->graph, p->state, i, label, sizeof label);
        json_array_append_new(list, json_string(label));
    }
    return list;
}

/* A shortest way from the beginning, as labels; empty: none is known. */
static json_t *way_of(struct play *p)
{
    json_t *list = json_array();
    char label[CHECK_LABEL_SIZE];
    uint32_t count = 0, state = 0, enabled;
    const uint32_t *way = check_browse_way(p->graph, 0, &count);
    uint32_t *copy = calloc(count + 1u, sizeof *copy);

    if (way && copy)
        memcpy(copy, way, count * sizeof *way);
    for (uint32_t i = 0; way && copy && i < count; i++) {
        const struct check_enabled *moves;

        check_browse_label(p->graph, state, copy[i], label, sizeof label);
        json_array_append_new(list, json_string(label));
        moves = check_browse_moves(p->graph, state, &enabled);
        if (!moves)
            break;
        state = moves[copy[i]].to;
    }
    free(copy);
    return list;
}

static void report_json(struct play *p)
{
    uint32_t least = shortest(p);

    cli_json_print(json_pack("{s:s,s:s,s:I,s:o,s:I,s:I,s:o,s:o}", "protocol",
                             p->check->words.net.protocol, "played",
                             p->check->play, "moves", (json_int_t)p->moves,
                             "broken", names_of(p, p->broken), "after",
                             (json_int_t)p->broken_after, "shortest",
                             (json_int_t)least, "way", way_of(p), "next",
                             labels_of(p)),
                   0);
}

static void report(struct play *p)
{
    const struct fc_protocol *protocol = p->check->check.net.protocol;
    char label[CHECK_LABEL_SIZE];
    uint32_t count = 0;

    printf("%s, after %u move%s\n\n", p->check->words.net.protocol, p->moves,
           p->moves == 1 ? "" : "s");
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (p->broken >> i & 1)
            printf("%s %s is violated, by move %u\n", cli_cross(),
                   fc_property(protocol, i), p->broken_after);
    if (p->broken)
        return;
    if (!check_browse_moves(p->graph, p->state, &count) || count == 0) {
        puts("nothing more happens, and nothing is violated");
        return;
    }
    puts("nothing is violated yet; the moves that can be next:");
    for (uint32_t i = 0; i < count; i++) {
        check_browse_label(p->graph, p->state, i, label, sizeof label);
        printf("  %s\n", label);
    }
}

int cli_check_play(struct cli_check *c)
{
    struct play p = {.check = c};
    const char *why;
    int code;

    p.graph = check_browse_open(&c->check, &why);
    if (!p.graph)
        return cli_refuse("%s", why);
    code = play_all(&p);
    if (!code && c->json)
        report_json(&p);
    else if (!code)
        report(&p);
    check_browse_close(p.graph);
    return code ? code : p.broken ? CLI_VIOLATED : CLI_FINE;
}
