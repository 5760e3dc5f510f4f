/*
 * stdio.h - as in C: files are in memory, the three standard streams belong to
 * the host.
 */
#ifndef WEB_STDIO_H
#define WEB_STDIO_H

#include <stdarg.h>
#include <stddef.h>

typedef struct web_stream FILE;
typedef long long ssize_t;

#define EOF (-1)
enum { SEEK_SET, SEEK_CUR, SEEK_END };

extern FILE *const stdin, *const stdout, *const stderr;

FILE *fopen(const char *path, const char *mode);
FILE *open_memstream(char **bytes, size_t *size);
int fclose(FILE *f);
int fflush(FILE *f);
int ferror(FILE *f);
int fileno(FILE *f);
void rewind(FILE *f);
size_t fread(void *to, size_t size, size_t count, FILE *f);
size_t fwrite(const void *from, size_t size, size_t count, FILE *f);
int fgetc(FILE *f);
char *fgets(char *line, int size, FILE *f);
int fputc(int c, FILE *f);
int putc(int c, FILE *f);
int putchar(int c);
int fputs(const char *text, FILE *f);
int puts(const char *text);
int rename(const char *from, const char *to);

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int snprintf(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int asprintf(char **text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int vfprintf(FILE *f, const char *format, va_list a);
int vsnprintf(char *text, size_t size, const char *format, va_list a);

#endif
