/*
 * say.c - see say.h.
 */
#include "web/module/say.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "net/field.h"

const char *web_say(json_t *value)
{
    static char *text;
    size_t size;
    FILE *file;

    free(text);
    text = NULL;
    file = open_memstream(&text, &size);
    if (!file)
        abort();
    (void)json_dumpf(value, file, JSON_COMPACT);
    (void)fclose(file);
    json_decref(value);
    return text;
}

const char *web_refuse(const char *format, ...)
{
    char text[1024];
    va_list a;

    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    return web_say(json_pack("{s:s}", "refused", text));
}

json_t *web_fields(const struct net_place *place, const void *before,
                   const void *after)
{
    const struct net_type *type = net_type_of(place->net);
    char old[NET_FIELD_SIZE], new[NET_FIELD_SIZE];
    json_t *list = json_array();

    for (uint32_t i = 0; i < type->state_fields_count; i++) {
        const struct fc_field *f = &type->state_fields[i];
        bool same = !before || net_field_same(f, before, after);

        if (!same)
            net_show_field(f, before, place, old, sizeof old);
        net_show_field(f, after, place, new, sizeof new);
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:o}", "name", f->name, "value", new,
                            "before", same ? json_null() : json_string(old)));
    }
    return list;
}

json_t *web_properties(const struct fc_protocol *p, uint32_t broken)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (broken >> i & 1)
            json_array_append_new(list, json_string(fc_property(p, i)));
    return list;
}
