/*
 * stdlib.h - as in C.
 */
#ifndef WEB_STDLIB_H
#define WEB_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *p);
_Noreturn void abort(void);
_Noreturn void exit(int code);
char *getenv(const char *name);
void qsort(void *list, size_t count, size_t size,
           int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *list, size_t count, size_t size,
              int (*compare)(const void *, const void *));
long long llabs(long long x);
double strtod(const char *text, char **end);
unsigned long strtoul(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);

#endif
