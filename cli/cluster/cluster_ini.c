/*
 * cluster_ini.c - what a machine may have as its file, of nodes that joined
 * later as well: see cluster.h.
 *
 * [cluster] and the sections without id are the first configuration, which all
 * nodes must agree on as long as the generation is the same: they are copied as
 * they are, and the first list with the nodes that have left it.  Sections with
 * an id are made anew of what the report says.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cluster/cluster.h"
#include "net/outside.h"

#define INT "%" JSON_INTEGER_FORMAT

struct file {
    const char *path;
    char *text; /* to be freed */
    size_t size;
    struct live_config config;
};

/* False after a complaint. */
static bool read_file(struct file *f, const struct cluster_wishes *w)
{
    struct net_why why;

    f->path = w->place.config ? w->place.config : CLI_CLUSTER;
    f->text = outside_text(f->path, LIVE_CONFIG_MAX, &f->size, &why);
    if (!f->text)
        (void)cli_fail("%s: %s; name the file of this machine with -c", f->path,
                       why.text);
    else if (!live_config_parse(&f->config, f->path, f->text, f->size, &why))
        (void)cli_fail("%s", why.text);
    else
        return true;
    free(f->text);
    return false;
}

/* ---- What stays ---------------------------------------------------------- */

/* Whether the section of a node that joined later begins in a line. */
static bool is_later(const struct file *f, const char *line)
{
    char name[LIVE_NAME_MAX];

    return sscanf(line, " [node %31[^] \t]", name) == 1 &&
           live_config_find(&f->config, name) >= (int)f->config.first_count;
}

/* All but those sections.  Comments right above a section belong to it. */
static void copy_first(const struct file *f, FILE *out)
{
    const char *above = NULL, *next;
    bool leaves_out = false;

    for (const char *line = f->text; *line; line = next) {
        char first = line[strspn(line, " \t\r")];

        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (first == '#' || first == ';') {
            above = above ? above : line;
            continue;
        }
        if (first == '[')
            leaves_out = is_later(f, line);
        if (!leaves_out)
            fprintf(out, "%.*s", (int)(next - (above ? above : line)),
                    above ? above : line);
        above = NULL;
    }
    if (above && !leaves_out)
        fputs(above, out);
    if (f->size && f->text[f->size - 1] != '\n')
        putc('\n', out);
}

/* ---- What has come ------------------------------------------------------- */

static void print_section(FILE *out, const struct live_config_node *node,
                          json_int_t id)
{
    fprintf(out, "\n[node %s]\nhost = %s\nport = %u\nid = " INT "\n%s",
            node->name, node->host, (unsigned)node->port, id,
            node->witness ? "witness = yes\n" : "");
}

static void add_later(const struct file *f, const json_t *report, FILE *out)
{
    const json_t *peer;
    size_t i;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        json_int_t id = status_number(peer, "id");
        struct live_config_node node = {
            .port = (uint16_t)status_number(peer, "port"),
            .witness = json_is_true(json_object_get(peer, "witness"))};

        if (id < f->config.first_count || !status_is_listed(peer))
            continue;
        snprintf(node.name, sizeof node.name, "%s", status_text(peer, "name"));
        snprintf(node.host, sizeof node.host, "%s", status_text(peer, "host"));
        print_section(out, &node, id);
    }
}

/* ---- The whole ----------------------------------------------------------- */

/* Whether a node of that name and id can be one of the cluster; an exit code
 * after a complaint. */
static int check_new(const struct file *f, const json_t *report,
                     const struct live_config_node *joins)
{
    const json_t *c = json_object_get(report, "configuration"), *peer;
    size_t i;

    if (!status_number(c, "ids_left"))
        return cli_fail("all %d ids of this generation are used: stop all "
                        "nodes, and start them with a file of a higher "
                        "generation, which has the nodes that are to be in it",
                        LIVE_NODES_MAX);
    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        if (strcmp(status_text(peer, "name"), joins->name) == 0)
            return cli_fail("there is, or was, a node '%s' already; choose "
                            "another name",
                            joins->name);
    }
    if (live_config_find(&f->config, joins->name) >= 0)
        return cli_fail("%s has a node '%s' already; choose another name",
                        f->path, joins->name);
    return 0;
}

/* What is printed must be taken by the node that gets it. */
static int print_checked(const struct file *f, const char *text, size_t size)
{
    static struct live_config made;
    struct net_why why;

    if (!live_config_parse(&made, f->path, text, size, &why))
        return cli_fail("what would be printed is no good file: %s", why.text);
    if (made.hash != f->config.hash || size > LIVE_CONFIG_MAX)
        return cli_fail("%s has a form that cannot be copied: its first "
                        "configuration would become another",
                        f->path);
    fputs(text, stdout);
    return CLI_FINE;
}

static int print_all(const struct file *f, const json_t *report,
                     const struct live_config_node *joins)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int code;

    if (!out)
        return cli_no_memory("the file");
    copy_first(f, out);
    add_later(f, report, out);
    if (joins)
        print_section(
            out, joins,
            status_number(json_object_get(report, "configuration"), "next_id"));
    if (fclose(out) != 0) {
        free(text);
        return cli_no_memory("the file");
    }
    code = print_checked(f, text, size);
    free(text);
    return code;
}

int cluster_ini(const struct cluster_wishes *w, const json_t *report,
                const struct live_config_node *joins)
{
    static struct file f;
    int code;

    if (!read_file(&f, w))
        return CLI_SYSTEM;
    if (f.config.generation != status_number(report, "generation"))
        code = cli_fail("%s is of generation %u, and the node runs " INT
                        "; name its own file with -c",
                        f.path, (unsigned)f.config.generation,
                        status_number(report, "generation"));
    else
        code = joins ? check_new(&f, report, joins) : CLI_FINE;
    if (!code)
        code = print_all(&f, report, joins);
    free(f.text);
    return code;
}
