/*
 * string.c - strings and bytes.
 */
#include <string.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

/* The compiler makes one instruction of each of these three. */
void *memcpy(void *to, const void *from, size_t n)
{
    return __builtin_memcpy(to, from, n);
}

void *memmove(void *to, const void *from, size_t n)
{
    return __builtin_memmove(to, from, n);
}

void *memset(void *to, int c, size_t n)
{
    return __builtin_memset(to, c, n);
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

void *memchr(const void *s, int c, size_t n)
{
    const unsigned char *x = s;

    for (size_t i = 0; i < n; i++)
        if (x[i] == (unsigned char)c)
            return (void *)(x + i);
    return NULL;
}

void *memmem(const void *in, size_t in_size, const void *what, size_t size)
{
    const char *x = in;

    for (size_t i = 0; size <= in_size && i <= in_size - size; i++)
        if (memcmp(x + i, what, size) == 0)
            return (void *)(x + i);
    return NULL;
}

size_t strlen(const char *s)
{
    const char *end = s;

    while (*end)
        end++;
    return (size_t)(end - s);
}

size_t strnlen(const char *s, size_t n)
{
    size_t length = 0;

    while (length < n && s[length])
        length++;
    return length;
}

char *stpcpy(char *to, const char *from)
{
    size_t length = strlen(from);

    memcpy(to, from, length + 1);
    return to + length;
}

char *strdup(const char *s)
{
    return strndup(s, strlen(s));
}

char *strndup(const char *s, size_t n)
{
    size_t length = strnlen(s, n);
    char *copy = malloc(length + 1);

    if (!copy)
        return NULL;
    memcpy(copy, s, length);
    copy[length] = '\0';
    return copy;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    size_t i = 0;

    while (i < n && a[i] && a[i] == b[i])
        i++;
    return i < n ? (unsigned char)a[i] - (unsigned char)b[i] : 0;
}

int strcasecmp(const char *a, const char *b)
{
    while (*a && tolower(*a) == tolower(*b)) {
        a++;
        b++;
    }
    return tolower((unsigned char)*a) - tolower((unsigned char)*b);
}

char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

char *strrchr(const char *s, int c)
{
    const char *found = NULL;

    for (;; s++) {
        if (*s == (char)c)
            found = s;
        if (!*s)
            return (char *)found;
    }
}

size_t strspn(const char *s, const char *only)
{
    size_t length = 0;

    while (s[length] && strchr(only, s[length]))
        length++;
    return length;
}

size_t strcspn(const char *s, const char *stops)
{
    size_t length = 0;

    while (s[length] && !strchr(stops, s[length]))
        length++;
    return length;
}

char *strpbrk(const char *s, const char *any)
{
    s += strcspn(s, any);
    return *s ? (char *)s : NULL;
}

char *strsep(char **rest, const char *stops)
{
    char *first = *rest;

    if (!first)
        return NULL;
    *rest = strpbrk(first, stops);
    if (*rest)
        *(*rest)++ = '\0';
    return first;
}

char *strstr(const char *in, const char *what)
{
    return memmem(in, strlen(in), what, strlen(what));
}

char *strerror(int number)
{
    switch (number) {
    case ENOENT:
        return "No such file or directory";
    case EBADF:
        return "Bad file descriptor";
    case ENOMEM:
        return "Cannot allocate memory";
    case EISDIR:
        return "Is a directory";
    case EINVAL:
        return "Invalid argument";
    default:
        return "Input/output error";
    }
}

/* ---- Characters ---------------------------------------------------------- */

int isdigit(int c)
{
    return c >= '0' && c <= '9';
}

int islower(int c)
{
    return c >= 'a' && c <= 'z';
}

int isupper(int c)
{
    return c >= 'A' && c <= 'Z';
}

int isalpha(int c)
{
    return islower(c) || isupper(c);
}

int isalnum(int c)
{
    return isalpha(c) || isdigit(c);
}

int isprint(int c)
{
    return c >= ' ' && c <= '~';
}

int isspace(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int isxdigit(int c)
{
    return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int tolower(int c)
{
    return isupper(c) ? c - 'A' + 'a' : c;
}

int toupper(int c)
{
    return islower(c) ? c - 'a' + 'A' : c;
}
