/*
 * json.c - see include/jansson.h.  Prints as that library does: keys in the
 * order in which they came, real numbers with 17 digits and a point.
 */
#include <jansson.h>

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum kind { OBJECT, ARRAY, STRING, INTEGER, REAL, TRUE, FALSE, NIL };

/* A child of an object, with its key, or of an array, without. */
struct member {
    char *key;
    json_t *value;
    struct member *next;
};

struct web_json {
    enum kind kind;
    uint32_t users;
    char *text;       /* of a string */
    json_int_t whole; /* INTEGER */
    double real;
    struct member *first, *last;
    size_t count; /* of them */
};

static json_t *new_value(enum kind kind)
{
    json_t *v = calloc(1, sizeof *v);

    if (!v)
        abort();
    v->kind = kind;
    v->users = 1;
    return v;
}

static char *copy_of(const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        abort();
    return copy;
}

json_t *json_object(void)
{
    return new_value(OBJECT);
}

json_t *json_array(void)
{
    return new_value(ARRAY);
}

json_t *json_true(void)
{
    return new_value(TRUE);
}

json_t *json_false(void)
{
    return new_value(FALSE);
}

json_t *json_null(void)
{
    return new_value(NIL);
}

json_t *json_string(const char *text)
{
    json_t *v = text ? new_value(STRING) : NULL;

    if (v)
        v->text = copy_of(text);
    return v;
}

json_t *json_integer(json_int_t value)
{
    json_t *v = new_value(INTEGER);

    v->whole = value;
    return v;
}

/* The library makes no value of what JSON cannot say. */
json_t *json_real(double value)
{
    json_t *v = isfinite(value) ? new_value(REAL) : NULL;

    if (v)
        v->real = value;
    return v;
}

static void append(json_t *to, const char *key, json_t *value)
{
    struct member *m = calloc(1, sizeof *m);

    if (!m)
        abort();
    m->key = key ? copy_of(key) : NULL;
    m->value = value;
    *(to->last ? &to->last->next : &to->first) = m;
    to->last = m;
    to->count++;
}

int json_array_append_new(json_t *array, json_t *value)
{
    if (!value)
        return -1;
    append(array, NULL, value);
    return 0;
}

int json_object_set_new(json_t *object, const char *key, json_t *value)
{
    if (!value)
        return -1;
    for (struct member *m = object->first; m; m = m->next)
        if (m->key && strcmp(m->key, key) == 0) { /* takes its place */
            json_decref(m->value);
            m->value = value;
            return 0;
        }
    append(object, key, value);
    return 0;
}

int json_object_set(json_t *object, const char *key, json_t *value)
{
    if (value)
        value->users++;
    return json_object_set_new(object, key, value);
}

size_t json_array_size(const json_t *array)
{
    return array ? array->count : 0;
}

json_t *json_array_get(const json_t *array, size_t i)
{
    const struct member *m = array ? array->first : NULL;

    while (m && i-- > 0)
        m = m->next;
    return m ? m->value : NULL;
}

void json_decref(json_t *value)
{
    if (!value || --value->users > 0)
        return;
    for (struct member *m = value->first, *next; m; m = next) {
        next = m->next;
        json_decref(m->value);
        free(m->key);
        free(m);
    }
    free(value->text);
    free(value);
}

/* ---- From a pattern ------------------------------------------------------ */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " :,\n\t");
}

static json_t *pack(const char **at, va_list *a);

static json_t *pack_object(const char **at, va_list *a)
{
    json_t *object = json_object();

    for (skip_blanks(at); **at != '}'; skip_blanks(at)) {
        const char *key = va_arg(*a, const char *);
        json_t *value;

        ++*at; /* the s of the key */
        skip_blanks(at);
        value = pack(at, a);
        if (value)
            (void)json_object_set_new(object, key, value);
    }
    ++*at;
    return object;
}

static json_t *pack_array(const char **at, va_list *a)
{
    json_t *array = json_array();

    for (skip_blanks(at); **at != ']'; skip_blanks(at)) {
        json_t *value = pack(at, a);

        if (value)
            append(array, NULL, value);
    }
    ++*at;
    return array;
}

/* NULL: left out. */
static json_t *pack(const char **at, va_list *a)
{
    char what = *(*at)++;
    json_t *value = NULL;

    switch (what) {
    case '{':
        return pack_object(at, a);
    case '[':
        return pack_array(at, a);
    case 's':
        value = json_string(va_arg(*a, const char *));
        break;
    case 'i':
        value = json_integer(va_arg(*a, int));
        break;
    case 'I':
        value = json_integer(va_arg(*a, json_int_t));
        break;
    case 'f':
        value = json_real(va_arg(*a, double));
        break;
    case 'b':
        value = json_boolean(va_arg(*a, int));
        break;
    case 'o':
        value = va_arg(*a, json_t *);
        break;
    case 'n':
        value = json_null();
        break;
    default:
        abort(); /* a letter that nobody used so far */
    }
    *at += **at == '*' || **at == '?';
    return value;
}

json_t *json_pack(const char *format, ...)
{
    json_t *value;
    va_list a;

    va_start(a, format);
    skip_blanks(&format);
    value = pack(&format, &a);
    va_end(a);
    return value;
}

/* ---- To text ------------------------------------------------------------- */

static void dump_text(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text; text++) {
        const char *letters = "\"\\\b\f\n\r\t", *names = "\"\\bfnrt";
        const char *special = strchr(letters, *text);

        if (special)
            fprintf(file, "\\%c", names[special - letters]);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04X", *text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static void dump_real(double value, FILE *file, size_t flags)
{
    int digits = flags >> 11 & 0x1f ? (int)(flags >> 11 & 0x1f) : 17;
    char text[40];
    size_t size =
        (size_t)snprintf(text, sizeof text - 2, "%.*g", digits, value);
    char *power = strchr(text, 'e');

    if (!strchr(text, '.') && !power)
        memcpy(text + size, ".0", 3);
    if (power) { /* e+07 is e7, e-07 is e-7 */
        char *from = power + 1 + (power[1] == '+' || power[1] == '-');
        char *to = power + 1 + (power[1] == '-');

        while (*from == '0')
            from++;
        memmove(to, from, strlen(from) + 1);
    }
    fputs(text, file);
}

static void new_line(FILE *file, size_t flags, size_t depth)
{
    if (flags & 0x1f)
        fprintf(file, "\n%*s", (int)((flags & 0x1f) * depth), "");
}

static void dump(const json_t *v, FILE *file, size_t flags, size_t depth);

static void dump_children(const json_t *v, FILE *file, size_t flags,
                          size_t depth)
{
    fputc(v->kind == OBJECT ? '{' : '[', file);
    for (const struct member *m = v->first; m; m = m->next) {
        new_line(file, flags, depth + 1);
        if (m->key) {
            dump_text(m->key, file);
            fputs(flags & JSON_COMPACT ? ":" : ": ", file);
        }
        dump(m->value, file, flags, depth + 1);
        if (m->next)
            fputs(flags & (JSON_COMPACT | 0x1f) ? "," : ", ", file);
    }
    if (v->first)
        new_line(file, flags, depth);
    fputc(v->kind == OBJECT ? '}' : ']', file);
}

static void dump(const json_t *v, FILE *file, size_t flags, size_t depth)
{
    switch (v->kind) {
    case OBJECT:
    case ARRAY:
        dump_children(v, file, flags, depth);
        break;
    case STRING:
        dump_text(v->text, file);
        break;
    case INTEGER:
        fprintf(file, "%lld", v->whole);
        break;
    case REAL:
        dump_real(v->real, file, flags);
        break;
    default:
        fputs(v->kind == TRUE    ? "true"
              : v->kind == FALSE ? "false"
                                 : "null",
              file);
    }
}

int json_dumpf(const json_t *value, FILE *file, size_t flags)
{
    dump(value, file, flags, 0);
    return 0;
}
