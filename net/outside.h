/*
 * outside.h - files that somebody else may have put where they are: the one way
 * in.
 *
 * A name is no promise of what is behind it.  So a file is looked at before it
 * is opened, because to open a device or a FIFO may do something, or wait; it
 * is opened beneath a folder that is open already, so that no name, link or
 * mount that is changed meanwhile leads out of it; and it is read, never
 * mapped, so that one that is cut is short, and does not end the program.
 */
#ifndef NET_OUTSIDE_H
#define NET_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "net/why.h"

/* ---- Beneath a folder ---------------------------------------------------- */

/* The regular file of this name, which may have folders in it, beneath an open
 * folder; `how` is O_RDONLY, O_WRONLY or O_RDWR.  No link is followed, no ".."
 * and no absolute name is.  -1 with errno: ENOENT there is nothing, ELOOP a
 * link, ENXIO something else that is no regular file. */
int outside_open(int folder, const char *name, int how);

/* The same by a path: the caller has chosen the folder, but not its
 * contents. */
int outside_open_path(const char *path, int how);

/* The same for a folder. */
int outside_folder(int folder, const char *name);

/* A new file of this name in the folder, of mode 0600, and no other: EEXIST.
 * By a path: in place of what was there under this name. */
int outside_create(int folder, const char *name);
int outside_renew_path(const char *path);

/* Whether an open file can be trusted where only root and this user are: it
 * belongs to one of them, has one name, and nobody else can read or write
 * it. */
bool outside_trusted(int file, uid_t user, struct net_why *why);

/* ---- Texts that were named ----------------------------------------------- */

/* Limits: a GiB for files that programs write, a MiB for those that people
 * write. */
#define OUTSIDE_TEXT_MAX ((size_t)1 << 30)
#define OUTSIDE_HAND_MAX ((size_t)1 << 20)

/* Judges the beginning of a text that is longer than that; false: no more is
 * read. */
typedef bool outside_begins(void *whom, const char *text, size_t size);

/* The whole of a text that somebody named: a file, a pipe, a terminal; a zero
 * behind it.  NULL with errno: EFBIG if there are more than `most` bytes,
 * EILSEQ if there is a zero among them, which no text has, ECANCELED if
 * `begins`, which may be NULL, does not like it; it says why itself.  Nothing
 * more is read then. */
char *outside_text(const char *path, size_t most, size_t *size,
                   struct net_why *why);
char *outside_text_from(FILE *file, size_t most, outside_begins *begins,
                        void *whom, size_t *size, struct net_why *why);

#endif
