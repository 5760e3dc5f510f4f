/*
 * list.c - the table of protocols, for the forms of the page.
 */
#include "net/type.h"
#include "trace/head.h"
#include "web/libc/host.h"
#include "web/module/say.h"

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
