/*
 * picture.c - see picture.h.
 *
 * A trace alone goes straight to its file, however long it is.  For a diagram
 * it is collected in memory and read back, as `fulcrum draw` would read it.
 */
#include "cli/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "draw/svg/svg.h"
#include "net/graph.h"
#include "trace/read.h"
#include "trace/replay.h"

/* The numbers that are 0 as typed, and are then computed from the network. */
static void know_set(struct cli_picture_known *k, const struct net_made *made)
{
    const struct fc_protocol *p = made->net.protocol;
    const char *word = made->set;
    size_t used = 0;

    for (uint32_t i = 0; i < p->params_count && used < sizeof k->set; i++) {
        const struct fc_param *param = &p->params[i];
        size_t length = strcspn(word, " ");
        uint32_t number = 0;

        if (param->kind == FC_PARAM_NUMBER)
            memcpy(&number, (const char *)made->params + param->offset,
                   sizeof number);
        used += (size_t)snprintf(k->set + used, sizeof k->set - used, "%s",
                                 i > 0 ? " " : "");
        if (number > 0 && used < sizeof k->set)
            used += (size_t)snprintf(k->set + used, sizeof k->set - used,
                                     "%s=%" PRIu32, param->key, number);
        else if (used < sizeof k->set)
            used += (size_t)snprintf(k->set + used, sizeof k->set - used,
                                     "%.*s", (int)length, word);
        word += length;
        word += *word == ' ';
    }
}

static uint32_t know_links(struct cli_picture_known *k, const struct net *net,
                           uint64_t seed)
{
    struct net_memory memory = {.segments = NULL};
    struct net_graph graph = {.first = NULL};
    uint32_t nodes = net->world.nodes, count = 0;

    k->links = calloc(nodes, sizeof *k->links);
    if (k->links && net_graph_begin(&graph, net, seed, &memory) == 0)
        for (uint32_t node = 0; node < nodes; node++)
            for (uint32_t i = graph.first[node]; i < graph.first[node + 1]; i++)
                if (node < graph.neighbour[i] && count < nodes)
                    k->links[count++] =
                        (struct svg_link){node, graph.neighbour[i]};
    net_memory_free(&memory);
    return count;
}

void cli_picture_know(struct cli_picture_known *k, const struct trace *t,
                      struct svg_options *options)
{
    struct net_why why;
    struct net_made made;

    memset(k, 0, sizeof *k);
    if (trace_network(t, &made, &why)) {
        know_set(k, &made);
        options->set = k->set;
        if (t->head.topology == TRACE_TREE)
            options->links_count = know_links(k, &made.net, t->head.seed);
        options->links = k->links;
    }
    net_unmake(&made);
}

void cli_picture_forget(struct cli_picture_known *k)
{
    free(k->links);
}

int cli_picture_begin(struct cli_picture *p, const char *trace_path,
                      const char *svg_path, const char *set,
                      const char *command)
{
    struct net_why why;

    memset(p, 0, sizeof *p);
    p->trace_path = trace_path;
    p->svg_path = svg_path;
    if (svg_path) {
        p->file = open_memstream(&p->text, &p->size);
        (void)net_no_memory(&why, "the trace");
    } else {
        p->file = output_open(&p->out, trace_path, &why);
    }
    if (!p->file)
        return cli_refused(&why);
    p->trace = trace_writer_new(p->file);
    if (!p->trace) {
        cli_picture_abort(p);
        return cli_no_memory("the trace");
    }
    trace_write_head(p->trace, set, command);
    return 0;
}

static bool write_trace(struct cli_picture *p, struct net_why *why)
{
    FILE *file = output_open(&p->out, p->trace_path, why);

    if (!file)
        return false;
    (void)fwrite(p->text, 1, p->size, file); /* commit looks at ferror */
    return output_commit(&p->out, why);
}

static bool write_svg(struct cli_picture *p, struct net_why *why)
{
    struct svg_options options = {.to = TRACE_NEVER, .frames = p->frames};
    struct cli_picture_known known;
    struct svg_size size;
    struct output_file out;
    struct trace trace;
    FILE *file;
    bool written = false;

    if (!trace_parse(&trace, "trace", p->text, p->size, why))
        return false;
    cli_picture_know(&known, &trace, &options);
    file = output_open(&out, p->svg_path, why);
    if (file && svg_draw(file, &trace, &options, &size, why))
        written = output_commit(&out, why);
    else if (file)
        output_abort(&out);
    cli_picture_forget(&known);
    trace_free(&trace);
    return written;
}

int cli_picture_end(struct cli_picture *p)
{
    struct net_why why;
    bool written;

    trace_writer_free(p->trace);
    p->trace = NULL;
    if (p->svg_path) {
        fclose(p->file);
        written = write_svg(p, &why);
        if (written && p->trace_path)
            written = write_trace(p, &why);
        free(p->text);
    } else {
        written = output_commit(&p->out, &why);
    }
    return written ? 0 : cli_refused(&why);
}

void cli_picture_abort(struct cli_picture *p)
{
    trace_writer_free(p->trace);
    if (p->svg_path) {
        fclose(p->file);
        free(p->text);
    } else {
        output_abort(&p->out);
    }
}

char *cli_picture_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t stem =
        dot != NULL && dot != base ? (size_t)(dot - path) : strlen(path);
    char *name;

    return asprintf(&name, "%.*s.svg", (int)stem, path) < 0 ? NULL : name;
}
