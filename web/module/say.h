/*
 * say.h - answers of the module: JSON as text, which stays until the next one.
 */
#ifndef WEB_SAY_H
#define WEB_SAY_H

#include <jansson.h>

#include "core/field.h"
#include "net/site.h"

/* The text of a value, which is freed. */
const char *web_say(json_t *value);

/* A refusal: {"refused": sentence}. */
const char *web_refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* A number; infinity is null. */
json_t *web_number(double number);

/* The fields of a local state, [{name, value, before}]: before is null where
 * `before` is NULL or has the same. */
json_t *web_fields(const struct net_place *place, const void *before,
                   const void *after);

/* The names of properties, a bit each. */
json_t *web_properties(const struct fc_protocol *p, uint32_t broken);

#endif
