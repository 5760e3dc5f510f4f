/*
 * output.h - writes a file completely or not at all.
 *
 * The text goes to PATH.tmp.PID, which takes the place of PATH when all of it
 * is on the disk.  A reader of PATH sees the old file or the new one, and a
 * full disk leaves the old one.  The path "-" is the standard output.
 *
 *     struct output_file out;
 *     FILE *file = output_open(&out, path, &why);
 *
 *     if (file == NULL || !write_it(file) || !output_commit(&out, &why))
 *         ...                      (after a failed write_it: output_abort)
 */
#ifndef DRAW_OUTPUT_H
#define DRAW_OUTPUT_H

#include <stdio.h>

#include "net/why.h"

struct output_file {
    FILE *file;
    char *path;      /* NULL: the standard output */
    char *temporary; /* NULL: written in place, as a device must be */
};

/* NULL on failure; then there is nothing to abort. */
FILE *output_open(struct output_file *out, const char *path,
                  struct net_why *why);

/* Puts the file in its place.  On failure nothing of the new file is left.
 * Either way `out` is closed. */
bool output_commit(struct output_file *out, struct net_why *why);

/* Closes and removes what was written. */
void output_abort(struct output_file *out);

#endif
