/*
 * host.h - all that the page gives to the module: a place for its output, a
 * clock, a few functions of numbers, a way out.
 */
#ifndef WEB_HOST_H
#define WEB_HOST_H

#include <stddef.h>

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

#endif
