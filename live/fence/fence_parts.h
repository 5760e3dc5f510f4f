/*
 * fence_parts.h - shared by the parts of the fence: fence.c (the decisions),
 * fence_chain.c (the entries of a name) and fence_store.c (the folder, and all
 * names in it).
 */
#ifndef LIVE_FENCE_PARTS_H
#define LIVE_FENCE_PARTS_H

#include <dirent.h>
#include <sys/stat.h>

#include "live/fence/fence.h"

/* Writes the sentence, and gives back the answer. */
enum live_fence_answer fence_answer(enum live_fence_answer what,
                                    struct net_why *error, const char *format,
                                    ...) __attribute__((format(printf, 3, 4)));

/* The system refused something for `what`; errno says why. */
enum live_fence_answer fence_refused(struct net_why *error, const char *what);

/* What may be a name in the store. */
bool fence_is_name(const char *name);

/* Opens a folder in another one, which may be no link unless it is given by a
 * path (AT_FDCWD); -1 with errno. */
int fence_open_folder(int at, const char *name);

/* The names in a folder, from the beginning; NULL with errno. */
DIR *fence_read_folder(int at, const char *name);

/* The entry of a name that counts. */
struct fence_last {
    uint64_t number; /* 0: nothing was ever written */
    uint64_t token;  /* the mark; 0: nothing was ever written */
    int64_t size;    /* of the content; -1: there is none */
    int file;        /* open at the beginning of the content, or -1 */
};

enum live_fence_answer fence_find_last(const struct live_fence *fence,
                                       const char *name,
                                       struct fence_last *last,
                                       struct net_why *error);

/* What an entry is made of; no bytes: there is no content yet. */
struct fence_text {
    uint64_t token;
    const void *bytes;
    size_t size;
};

/* Appends an entry to the last one, on disk when it returns.  If somebody else
 * has appended one meanwhile *beaten is set, and nothing changes. */
enum live_fence_answer fence_append(const struct live_fence *fence,
                                    const char *name,
                                    const struct fence_last *last,
                                    const struct fence_text *text, bool *beaten,
                                    struct net_why *error);

/* All that is there of a name is on disk. */
enum live_fence_answer fence_sync(const struct live_fence *fence,
                                  const char *name, struct net_why *error);

#endif
