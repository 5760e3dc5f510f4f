/*
 * list.c - the table of protocols, for the forms of the page.
 */
#include "net/type.h"
#include "web/libc/host.h"
#include "web/module/say.h"

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
    static const char *const topologies[] = {"ring", "ring-both", "complete",
                                             "tree"};
    const struct fc_protocol *p = t->protocol;

    return json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:b,s:b,s:I,s:o,s:o}", "name", p->name,
        "title", p->title, "idea", p->idea, "assumes", p->assumes, "problem",
        p->problem->name, "topology", topologies[p->topology], "anonymous",
        p->anonymous, "repeats", p->problem->repeats, "nodesMost",
        (json_int_t)t->nodes_max, "parameters", say_parameters(p), "properties",
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
