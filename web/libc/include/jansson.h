/*
 * jansson.h - the part of that library's interface that the command uses, for
 * the page: values that are made, printed and freed.
 */
#ifndef WEB_JANSSON_H
#define WEB_JANSSON_H

#include <stddef.h>
#include <stdio.h>

typedef struct web_json json_t;
typedef long long json_int_t;

#define JSON_INDENT(n)         ((size_t)(n)&0x1f)
#define JSON_COMPACT           0x20
#define JSON_REAL_PRECISION(n) (((size_t)(n)&0x1f) << 11)

json_t *json_object(void);
json_t *json_array(void);
json_t *json_string(const char *text);
json_t *json_integer(json_int_t value);
json_t *json_real(double value);
json_t *json_true(void);
json_t *json_false(void);
json_t *json_null(void);
#define json_boolean(yes) ((yes) ? json_true() : json_false())

int json_object_set_new(json_t *object, const char *key, json_t *value);
int json_object_set(json_t *object, const char *key, json_t *value);
int json_array_append_new(json_t *array, json_t *value);
size_t json_array_size(const json_t *array);
json_t *json_array_get(const json_t *array, size_t i);

/* {s:s, s:o, [f, f], ...}: of the letters s s* i I f b o n and brackets. */
json_t *json_pack(const char *format, ...);

int json_dumpf(const json_t *value, FILE *file, size_t flags);
void json_decref(json_t *value);

#endif
