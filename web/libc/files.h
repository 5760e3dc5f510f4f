/*
 * files.h - files in memory: the page puts them there and takes them out.
 */
#ifndef WEB_FILES_H
#define WEB_FILES_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
