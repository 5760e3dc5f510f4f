/*
 * fence_parts.h - what the parts of the fence share: fence.c (marks and what
 * they decide) and fence_store.c (folders, files, the lock).
 */
#ifndef LIVE_FENCE_PARTS_H
#define LIVE_FENCE_PARTS_H

#include <sys/stat.h>

#include "live/fence.h"

/* Writes the sentence, and gives back the answer. */
enum live_fence_answer fence_answer(enum live_fence_answer what, char *error,
                                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The system refused something for `what`; errno says why. */
enum live_fence_answer fence_refused(char *error, const char *what);

/* What may be a name in the store. */
bool fence_is_name(const char *name);

/* The lock of the store, or a sentence. */
enum live_fence_answer fence_lock(const struct live_fence *fence, char *error);
void fence_unlock(const struct live_fence *fence);

/* Puts a whole file into its place, on disk when it returns; -1 with errno. */
int fence_place(const struct live_fence *fence, int folder, const char *name,
                const void *bytes, size_t size);

/* Opens something of the store for reading, if it is a file.  -1 with errno;
 * EMEDIUMTYPE: it is no file. */
int fence_open_file(int folder, const char *name, struct stat *about);

/* The highest token seen for a name; 0 if there was none. */
enum live_fence_answer fence_find_mark(const struct live_fence *fence,
                                       const char *name, uint64_t *mark,
                                       char *error);

#endif
