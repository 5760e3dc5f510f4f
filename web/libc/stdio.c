/*
 * stdio.c - streams: the standard ones go to the host, the others are files in
 * memory.
 */
#include <stdio.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "web/libc/host.h"

enum { BUFFER = 1 << 14 };

struct web_stream {
    struct web_file *file; /* NULL: it is the host's */
    size_t at;             /* of the next byte in it */
    char **bytes;          /* open_memstream(): where to tell of them */
    size_t *size;
    int descriptor; /* of the host */
    bool writes, failed;
    size_t used; /* of the buffer, which is the host's alone */
    char *buffer;
};

static char out_buffer[BUFFER];
static struct web_stream in,
    out = {.descriptor = 1, .writes = true, .buffer = out_buffer},
    err = {.descriptor = 2, .writes = true};
FILE *const stdin = &in, *const stdout = &out, *const stderr = &err;

static FILE *open_file(struct web_file *file, bool writes)
{
    FILE *f = calloc(1, sizeof *f);

    if (!f) {
        errno = ENOMEM;
        return NULL;
    }
    f->file = file;
    f->writes = writes;
    return f;
}

FILE *fopen(const char *path, const char *mode)
{
    bool writes = *mode == 'w';
    struct web_file *file = web_file_find(path, writes);

    if (!file) {
        errno = writes ? ENOMEM : ENOENT;
        return NULL;
    }
    if (writes)
        file->size = 0;
    return open_file(file, writes);
}

FILE *open_memstream(char **bytes, size_t *size)
{
    struct web_file *file = calloc(1, sizeof *file);
    FILE *f = file ? open_file(file, true) : NULL;

    if (!f) {
        free(file);
        return NULL;
    }
    f->bytes = bytes;
    f->size = size;
    if (fflush(f) == 0)
        return f;
    free(file);
    free(f);
    return NULL;
}

int fflush(FILE *f)
{
    if (!f)
        return fflush(stdout);
    if (f->used)
        host_write(f->descriptor, f->buffer, f->used);
    f->used = 0;
    if (!f->bytes || !f->file)
        return 0;
    if (!web_file_reserve(f->file, f->file->size + 1)) {
        f->failed = true;
        return EOF;
    }
    f->file->bytes[f->file->size] = '\0';
    *f->bytes = f->file->bytes;
    *f->size = f->file->size;
    return 0;
}

int fclose(FILE *f)
{
    int result = fflush(f);

    if (!f->file)
        return result;
    result = f->failed ? EOF : result;
    if (f->bytes) /* the bytes are the user's now */
        free(f->file);
    free(f);
    return result;
}

int ferror(FILE *f)
{
    return f->failed;
}

int fileno(FILE *f)
{
    return f->file ? (int)f->file->number : f->descriptor;
}

void rewind(FILE *f)
{
    f->at = 0;
    f->failed = false;
}

/* ---- Writing ------------------------------------------------------------- */

static void write_to_host(FILE *f, const char *bytes, size_t size)
{
    if (f->used + size > BUFFER)
        (void)fflush(f);
    if (!f->buffer || size > BUFFER) {
        host_write(f->descriptor, bytes, size);
        return;
    }
    memcpy(f->buffer + f->used, bytes, size);
    f->used += size;
}

static void write_bytes(FILE *f, const char *bytes, size_t size)
{
    if (!f->writes) {
        f->failed = true;
    } else if (!f->file) {
        write_to_host(f, bytes, size);
    } else if (!web_file_reserve(f->file, f->at + size)) {
        f->failed = true;
        errno = ENOSPC;
    } else if (size) {
        memcpy(f->file->bytes + f->at, bytes, size);
        f->at += size;
        if (f->file->size < f->at)
            f->file->size = f->at;
    }
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *f)
{
    write_bytes(f, from, size * count);
    return f->failed ? 0 : count;
}

int fputc(int c, FILE *f)
{
    char byte = (char)c;

    write_bytes(f, &byte, 1);
    return f->failed ? EOF : (unsigned char)c;
}

int putc(int c, FILE *f)
{
    return fputc(c, f);
}

int putchar(int c)
{
    return fputc(c, stdout);
}

int fputs(const char *text, FILE *f)
{
    write_bytes(f, text, strlen(text));
    return f->failed ? EOF : 0;
}

int puts(const char *text)
{
    (void)fputs(text, stdout);
    return fputc('\n', stdout);
}

struct file_sink {
    struct web_sink sink;
    FILE *file;
};

static void put_in_file(struct web_sink *sink, const char *bytes, size_t size)
{
    write_bytes(((struct file_sink *)(void *)sink)->file, bytes, size);
}

int vfprintf(FILE *f, const char *format, va_list a)
{
    struct file_sink s = {{put_in_file, 0}, f};

    web_format(&s.sink, format, a);
    return f->failed ? -1 : (int)s.sink.size;
}

int fprintf(FILE *f, const char *format, ...)
{
    va_list a;
    int size;

    va_start(a, format);
    size = vfprintf(f, format, a);
    va_end(a);
    return size;
}

int printf(const char *format, ...)
{
    va_list a;
    int size;

    va_start(a, format);
    size = vfprintf(stdout, format, a);
    va_end(a);
    return size;
}

/* ---- Reading ------------------------------------------------------------- */

size_t fread(void *to, size_t size, size_t count, FILE *f)
{
    size_t left = f->file && size ? (f->file->size - f->at) / size : 0;

    if (count > left)
        count = left;
    if (count)
        memcpy(to, f->file->bytes + f->at, size * count);
    f->at += size * count;
    return count;
}

int fgetc(FILE *f)
{
    unsigned char byte;

    return fread(&byte, 1, 1, f) ? byte : EOF;
}

char *fgets(char *line, int size, FILE *f)
{
    int used = 0, c;

    while (used < size - 1 && (c = fgetc(f)) != EOF) {
        line[used++] = (char)c;
        if (c == '\n')
            break;
    }
    line[used] = '\0';
    return used ? line : NULL;
}
