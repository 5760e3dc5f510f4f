/*
 * module.c - the command in a page: a command line in, its output and its exit
 * code out.  Files are in memory (web/libc/files.c).
 */
#include <stdlib.h>
#include <string.h>

#include "net/type.h"
#include "trace/head.h"
#include "web/libc/host.h"
#include "web/module/say.h"

int main(int argc, char **argv);

WEB_EXPORT(allocate)
void *web_allocate(size_t size)
{
    return malloc(size);
}

WEB_EXPORT(release)
void web_release(void *p)
{
    free(p);
}

/* The words of a command line, each closed by a zero; fulcrum is the first. */
WEB_EXPORT(command)
int web_command(char *words, size_t size)
{
    struct web_words list;

    web_split(&list, words, size);
    exit(main(list.count, list.word));
}

/* Puts a file there, or replaces it; false: no memory. */
WEB_EXPORT(put)
bool web_put(const char *name, const char *bytes, size_t size)
{
    struct web_file *f = web_file_find(name, true);

    if (!f || !web_file_reserve(f, size))
        return false;
    memcpy(f->bytes, bytes, size);
    f->size = size;
    return true;
}

/* The bytes of a file, and their number; NULL: there is none. */
WEB_EXPORT(get)
const char *web_get(const char *name)
{
    const struct web_file *f = web_file_find(name, false);

    return f ? f->bytes : NULL;
}

WEB_EXPORT(size)
size_t web_size(const char *name)
{
    const struct web_file *f = web_file_find(name, false);

    return f ? f->size : 0;
}

/* ---- The table of protocols, for the forms of the page ------------------- */

/* Of a ring or a tree, in a page. */
enum { NODES_MOST = 1000000 };

static json_t *say_parameters(const struct fc_protocol *p)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < p->params_count; i++)
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s,s:s}", "key", p->params[i].key,
                            "form", p->params[i].form, "fallback",
                            p->params[i].fallback, "about", p->params[i].help));
    return list;
}

static json_t *say_protocol(const struct net_type *t)
{
    const struct fc_protocol *p = t->protocol;

    return json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:b,s:b,s:I,s:o,s:o}", "name", p->name,
        "title", p->title, "idea", p->idea, "assumes", p->assumes, "problem",
        p->problem->name, "topology", trace_topology_words[p->topology],
        "anonymous", p->anonymous, "repeats", p->problem->repeats, "nodesMost",
        (json_int_t)(p->topology == FC_COMPLETE ? FC_NODES_MAX : NODES_MOST),
        "parameters", say_parameters(p), "properties",
        web_properties(p, (UINT32_C(1) << p->problem->properties_count) - 1));
}

WEB_EXPORT(protocols)
const char *web_protocols(void)
{
    json_t *list = json_array();

    for (uint32_t i = 0; net_types[i]; i++)
        json_array_append_new(list, say_protocol(net_types[i]));
    return web_say(list);
}
