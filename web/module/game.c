/*
 * game.c - the adversary in the page: the graph of states of `fulcrum check
 * WORDS`, walked by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "check/browse/browse.h"
#include "cli/check/check.h"
#include "cli/cli.h"
#include "trace/read.h"
#include "trace/write.h"
#include "web/libc/host.h"
#include "web/module/say.h"

static struct {
    struct cli_check wishes;
    struct check_browse *graph;
    struct net_memory memory;
    struct net_names names;
    struct net_graph tree;
    const struct fc_protocol *protocol;
} game;

/* The names of enum check_move_kind, in order. */
static const char *const kinds[] = {
    "read",  "timeout", "command", "start", "restart", "step", "tick", "crash",
    "pause", "miss",    "lose",    "copy",  "delay",   "cut",  "join"};

/* Begins; a complaint goes to the standard error.  Returns the exit code of the
 * command. */
WEB_EXPORT(game_open)
const char *web_game_open(char *words, size_t size)
{
    struct cli_check *c = &game.wishes;
    struct web_words list;
    const char *why;
    int code;

    web_split(&list, words, size);
    cli_speaker = "check";
    code = cli_check_read(c, list.count - 1, list.word + 1);
    if (code == CLI_GO_ON)
        code = cli_check_prepare(c);
    if (!code)
        code = cli_check_is_given(c);
    if (code)
        return web_say(json_pack("{s:i}", "code", code));
    game.protocol = c->check.net.protocol;
    game.graph = check_browse_open(&c->check, &why);
    if (!game.graph)
        return web_refuse("%s", why);
    if (net_names_begin(&game.names, &c->check.net, 1, true, &game.memory) != 0)
        return web_refuse("there is no memory for the names");
    if (game.protocol->topology == FC_TREE &&
        net_graph_begin(&game.tree, &c->check.net, 1, &game.memory) != 0)
        return web_refuse("there is no memory for the tree");
    return web_say(json_pack("{s:I,s:s}", "initial",
                             (json_int_t)check_browse_initial(game.graph),
                             "command", c->command));
}

static const char *failed(void)
{
    return web_refuse("%s", check_browse_why(game.graph));
}

/* ---- The contents of a state --------------------------------------------- */

static json_t *say_numbers(const uint32_t *list, uint32_t count)
{
    json_t *out = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(out, json_integer(list[i]));
    return out;
}

static json_t *say_outlook(uint32_t state)
{
    static const char *const words[] = {"safe", "not-within", "at-most",
                                        "exactly", "endless"};
    struct check_distance d;

    if (!check_browse_distance(game.graph, state, &d))
        return json_null();
    return json_pack("{s:s,s:I}", "kind", words[d.outlook], "moves",
                     (json_int_t)d.moves);
}

static json_t *say_timers(const struct check_node_now *n)
{
    json_t *list = json_array();

    for (int i = 0; i < FC_TIMERS; i++)
        if (n->timer[i] != CHECK_TIMER_OFF)
            json_array_append_new(list,
                                  json_pack("{s:i,s:I}", "timer", i, "left",
                                            (json_int_t)n->timer[i]));
    return list;
}

/* "leader" and what else others see: "knows 3". */
static json_t *say_facts(const struct fc_shown *shown)
{
    json_t *list = json_array();

    for (int i = 0; i < FC_FACTS_MAX && shown->fact[i].word; i++)
        json_array_append_new(
            list, json_pack("{s:s,s:I}", "word", shown->fact[i].word, "number",
                            (json_int_t)shown->fact[i].number));
    return list;
}

static json_t *say_node(const struct check_node_now *n, uint32_t node)
{
    struct net_place place = {&game.wishes.check.net, &game.names, &game.tree,
                              node};

    return json_pack(
        "{s:I,s:s,s:b,s:b,s:o,s:b,s:b,s:b,s:b,s:o,s:I,s:o,s:o}", "name",
        (json_int_t)n->name, "role", n->shown.role, "rests", n->shown.rests,
        "shared", n->shown.shared, "facts", say_facts(&n->shown), "started",
        (n->flags & CHECK_STARTED) != 0, "down", (n->flags & CHECK_DOWN) != 0,
        "paused", n->paused, "apart", n->apart, "timers", say_timers(n),
        "requestsLeft", (json_int_t)n->left, "fields",
        web_fields(&place, NULL, n->state), "insane",
        n->insane ? json_string(n->insane) : json_null());
}

static json_t *say_nodes(const struct check_state_now *s)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->nodes; i++)
        json_array_append_new(list, say_node(&s->node[i], i));
    return list;
}

static json_t *say_mail(const struct check_state_now *s)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->mails; i++) {
        const struct check_mail_now *m = &s->mail[i];
        json_t *fields = json_array();

        for (uint32_t k = 0; k < m->fields_count; k++)
            json_array_append_new(fields,
                                  json_integer((json_int_t)m->field[k]));
        json_array_append_new(
            list, json_pack("{s:i,s:i,s:i,s:o,s:i,s:i,s:i,s:i}", "from",
                            m->from, "to", m->to, "kind", (int)m->kind - 1,
                            "fields", fields, "age", m->age, "late", m->late,
                            "link", m->link, "place", m->place));
    }
    return list;
}

static json_t *say_left(const struct check_budget *b)
{
    return json_pack("{s:i,s:i,s:i,s:i,s:i,s:i}", "crashes", b->crashes,
                     "losses", b->losses, "copies", b->copies, "late", b->late,
                     "pauses", b->pauses, "cuts", b->cuts);
}

/* NULL: no memory. */
static json_t *say_moves(uint32_t state)
{
    uint32_t count;
    const struct check_enabled *enabled =
        check_browse_moves(game.graph, state, &count);
    struct check_enabled *copy = calloc(count + 1u, sizeof *copy);
    json_t *list = json_array();
    char label[CHECK_LABEL_SIZE];

    if (!copy) {
        json_decref(list);
        return NULL;
    }
    if (enabled)
        memcpy(copy, enabled, count * sizeof *copy);
    for (uint32_t i = 0; enabled && i < count; i++) {
        const struct check_enabled *e = &copy[i];
        bool tick = e->traits & CHECK_MOVE_TICK;

        check_browse_label(game.graph, state, i, label, sizeof label);
        json_array_append_new(
            list,
            json_pack("{s:I,s:s,s:i,s:s,s:i,s:i,s:I,s:o,s:b,s:b,s:b,s:f,s:o}",
                      "index", (json_int_t)i, "label", label, "node",
                      tick ? -1 : e->move.node, "kind", kinds[e->move.kind],
                      "link", e->move.link, "place", e->move.place, "to",
                      (json_int_t)e->to, "broken",
                      web_properties(game.protocol, e->broken), "coin",
                      (e->traits & CHECK_MOVE_COIN) != 0, "fault",
                      (e->traits & CHECK_MOVE_FAULT) != 0, "tick", tick,
                      "chance", e->chance, "outlook", say_outlook(e->to)));
    }
    free(copy);
    return list;
}

WEB_EXPORT(game_look)
const char *web_game_look(uint32_t state)
{
    struct check_state_now s;
    json_t *o;

    if (!check_browse_look_around(game.graph, state) ||
        !check_browse_look(game.graph, state, &s))
        return failed();
    o = json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:o,s:o}", "state",
                  (json_int_t)state, "nodes", say_nodes(&s), "mail",
                  say_mail(&s), "cells", say_numbers(s.cell, s.cells), "left",
                  say_left(&s.budget), "tick",
                  game.wishes.check.until ? json_integer(s.budget.tick)
                                          : json_integer(-1),
                  "quiet", s.quiet, "last", s.last, "brokenAtEnd",
                  web_properties(game.protocol, s.quiet ? s.broken_at_end : 0),
                  "brokenHere", web_properties(game.protocol, s.broken));
    json_object_set_new(o, "outlook", say_outlook(state));
    if (json_object_set_new(o, "moves", say_moves(state)) == 0)
        return web_say(o);
    json_decref(o);
    return web_refuse("there is no memory for the moves");
}

/* ---- The search ---------------------------------------------------------- */

WEB_EXPORT(game_explore)
const char *web_game_explore(uint32_t more)
{
    static const char *const limits[] = {"",       "states",  "depth",
                                         "memory", "stopped", "refused"};
    struct check_known k;

    check_browse_explore(game.graph, more, &k);
    return web_say(json_pack(
        "{s:I,s:I,s:I,s:i,s:b,s:s,s:I}", "states", (json_int_t)k.states,
        "lookedAt", (json_int_t)k.looked_at, "edges", (json_int_t)k.edges,
        "levels", k.levels, "all", k.all, "limit", limits[k.limit], "bytes",
        (json_int_t)k.bytes));
}

WEB_EXPORT(game_way)
const char *web_game_way(uint32_t state)
{
    uint32_t count = 0;
    const uint32_t *way = check_browse_way(game.graph, state, &count);

    if (!way && count > 0)
        return failed();
    return web_say(say_numbers(way, way ? count : 0));
}

WEB_EXPORT(game_near)
const char *web_game_near(uint32_t state, uint32_t moves, uint32_t most)
{
    json_t *states = json_array(), *edges = json_array();
    struct check_near near;
    char label[CHECK_LABEL_SIZE];

    if (!check_browse_near(game.graph, state, moves, most, &near))
        return failed();
    for (uint32_t i = 0; i < near.states_count; i++) {
        const struct check_near_state *s = &near.states[i];

        json_array_append_new(
            states,
            json_pack("{s:I,s:I,s:b,s:b,s:o}", "state", (json_int_t)s->state,
                      "moves", (json_int_t)s->moves, "more", s->more, "behind",
                      s->behind, "outlook", say_outlook(s->state)));
    }
    for (uint32_t i = 0; i < near.edges_count; i++) {
        const struct check_near_edge *e = &near.edges[i];

        check_browse_label(game.graph, near.states[e->from].state, e->index,
                           label, sizeof label);
        json_array_append_new(edges, json_pack("{s:I,s:I,s:I,s:I,s:b,s:s}",
                                               "from", (json_int_t)e->from,
                                               "to", (json_int_t)e->to, "index",
                                               (json_int_t)e->index, "ticks",
                                               (json_int_t)e->ticks, "breaks",
                                               e->breaks, "label", label));
    }
    return web_say(json_pack("{s:o,s:o}", "states", states, "edges", edges));
}

/* ---- Runs ---------------------------------------------------------------- */

WEB_EXPORT(game_follow)
const char *web_game_follow(uint32_t first, const uint32_t *moves,
                            uint32_t count)
{
    struct check_run_by_hand run = {first, moves, count};
    uint32_t end, *states = calloc(count + 1u, sizeof *states);
    const char *said;

    if (!states)
        return web_refuse("there is no memory for the run");
    said = check_browse_follow(game.graph, &run, &end, states)
               ? web_say(say_numbers(states, count))
               : failed();
    free(states);
    return said;
}

/* Writes a run by hand as a trace to a file. */
WEB_EXPORT(game_trace)
const char *web_game_trace(uint32_t first, const uint32_t *moves,
                           uint32_t count, const char *path)
{
    struct check_run_by_hand run = {first, moves, count};
    FILE *file = fopen(path, "w");
    struct trace_listener *writer = file ? trace_writer_new(file) : NULL;
    bool written = false;

    if (writer) {
        trace_write_head(writer, game.wishes.made.set, game.wishes.command);
        written = check_browse_trace(game.graph, &run, writer);
        trace_writer_free(writer);
    }
    if (file)
        (void)fclose(file);
    if (!writer)
        return web_refuse("there is no memory for the trace");
    return written ? web_say(json_object()) : failed();
}

/* The run that the trace in a file tells. */
WEB_EXPORT(game_match)
const char *web_game_match(const char *path)
{
    struct check_run_by_hand run;
    struct net_why why;
    struct trace trace;
    const char *said;

    if (!trace_read(&trace, path, &why))
        return web_refuse("%s", why.text);
    said = check_browse_match(game.graph, &trace, &run)
               ? web_say(json_pack("{s:I,s:o}", "first", (json_int_t)run.first,
                                   "moves",
                                   say_numbers(run.moves, run.moves_count)))
               : failed();
    trace_free(&trace);
    return said;
}
