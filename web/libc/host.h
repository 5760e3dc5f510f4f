/*
 * host.h - all that the page gives to the module: a place for its output, a
 * clock, a few functions of numbers, a way out; and what the files of this
 * library share.
 */
#ifndef WEB_HOST_H
#define WEB_HOST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define WEB_IMPORT(name)                                                       \
    __attribute__((import_module("host"), import_name(#name)))
#define WEB_EXPORT(name) __attribute__((export_name(#name)))
#else
#define WEB_IMPORT(name)
#define WEB_EXPORT(name)
#endif

/* Bytes for descriptor 1 or 2. */
WEB_IMPORT(write)
void host_write(int descriptor, const char *bytes, size_t size);

/* Seconds since some moment. */
WEB_IMPORT(now) double host_now(void);

/* The instance is over: does not return. */
WEB_IMPORT(exit) _Noreturn void host_exit(int code);

WEB_IMPORT(log) double host_log(double x);
WEB_IMPORT(log2) double host_log2(double x);
WEB_IMPORT(log10) double host_log10(double x);
WEB_IMPORT(exp) double host_exp(double x);
WEB_IMPORT(pow) double host_pow(double x, double y);

/* ---- printf() into anything that takes bytes (format.c) ------------------ */

struct web_sink {
    void (*put)(struct web_sink *sink, const char *bytes, size_t size);
    size_t size; /* of all that was put */
};

void web_format(struct web_sink *sink, const char *format, va_list a);

/* ---- Files in memory (files.c) ------------------------------------------- */

/* The page puts them there and takes them out. */
struct web_file {
    char *name; /* NULL: it was removed, and lives until it is closed */
    char *bytes;
    size_t size, room;
    unsigned number, users;
    struct web_file *next;
};

/* The file of this name; `make`: an empty one if there is none.  NULL: there is
 * none, or no memory. */
struct web_file *web_file_find(const char *name, bool make);

/* Makes room for `size` bytes; false: no memory. */
bool web_file_reserve(struct web_file *f, size_t size);

/* ---- Numbers of the form m * 2^e as decimals, exactly (decimal.c) -------- */

/* The greatest has 309 digits before the point, the least 1075 behind it. */
enum { WEB_WHOLE = 324, WEB_DIGITS = WEB_WHOLE + 1080 };

/* digit[0] stands at 10^(point - 1): a number below 1 begins with zeros if
 * point is 0 or less.  No zeros at either end; count 0: the number is 0. */
struct web_decimal {
    int32_t point;
    uint32_t count;
    uint8_t digit[WEB_DIGITS];
};

/* Sets it to m * 2^e, -1080 <= e <= 972. */
void web_decimal_set(struct web_decimal *d, uint64_t m, int e);

/* Rounds it to `behind` digits behind the point, below 0: before it; a tie to
 * the even digit. */
void web_decimal_round(struct web_decimal *d, int32_t behind);

/* -1, 0, 1 as a is less than, equal to or greater than b. */
int web_decimal_compare(const struct web_decimal *a,
                        const struct web_decimal *b);

#endif
