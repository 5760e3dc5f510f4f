/*
 * format.h - printf() into whatever takes bytes.
 */
#ifndef WEB_FORMAT_H
#define WEB_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

struct web_sink {
    void (*put)(struct web_sink *sink, const char *bytes, size_t size);
    size_t size; /* of all that was put */
};

void web_format(struct web_sink *sink, const char *format, va_list a);

#endif
