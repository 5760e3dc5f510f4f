/*
 * string.h - as in C and GNU, as far as it is used.
 */
#ifndef WEB_STRING_H
#define WEB_STRING_H

#include <stddef.h>

void *memchr(const void *s, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memmem(const void *in, size_t in_size, const void *what, size_t size);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
char *stpcpy(char *to, const char *from);
char *strchr(const char *s, int c);
int strcmp(const char *a, const char *b);
size_t strcspn(const char *s, const char *stops);
char *strdup(const char *s);
char *strerror(int number);
size_t strlen(const char *s);
int strncmp(const char *a, const char *b, size_t n);
char *strndup(const char *s, size_t n);
size_t strnlen(const char *s, size_t n);
char *strpbrk(const char *s, const char *any);
char *strrchr(const char *s, int c);
char *strsep(char **rest, const char *stops);
size_t strspn(const char *s, const char *only);
char *strstr(const char *in, const char *what);

#endif
