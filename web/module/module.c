/*
 * module.c - the command in a page: a command line in, its output and its exit
 * code out.  Files are in memory (web/libc/files.c).
 */
#include <stdlib.h>
#include <string.h>

#include "web/libc/host.h"
#include "web/module/say.h"

int main(int argc, char **argv);

WEB_EXPORT(allocate)
void *web_allocate(size_t size)
{
    return malloc(size);
}

WEB_EXPORT(release)
void web_release(void *p)
{
    free(p);
}

/* The words of a command line, each closed by a zero; fulcrum is the first. */
WEB_EXPORT(command)
int web_command(char *words, size_t size)
{
    struct web_words list;

    web_split(&list, words, size);
    exit(main(list.count, list.word));
}

/* Puts a file there, or replaces it; false: no memory. */
WEB_EXPORT(put)
bool web_put(const char *name, const char *bytes, size_t size)
{
    struct web_file *f = web_file_find(name, true);

    if (!f || !web_file_reserve(f, size))
        return false;
    memcpy(f->bytes, bytes, size);
    f->size = size;
    return true;
}

/* The bytes of a file, and their number; NULL: there is none. */
WEB_EXPORT(get)
const char *web_get(const char *name)
{
    const struct web_file *f = web_file_find(name, false);

    return f ? f->bytes : NULL;
}

WEB_EXPORT(size)
size_t web_size(const char *name)
{
    const struct web_file *f = web_file_find(name, false);

    return f ? f->size : 0;
}
