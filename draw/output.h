/*
 * output.h - writes a file completely or not at all.
 *
 * The text goes to PATH.tmp.PID, which takes the place of PATH when all of it
 * is on the disk.  A reader of PATH sees the old file or the new one, and a
 * full disk leaves the old one.  The path "-" is the standard output.
 *
 *     struct output_file out;
 *     FILE *file = output_open(&out, path, error, sizeof error);
 *
 *     if (file == NULL || write_it(file) < 0 ||
 *         output_commit(&out, error, sizeof error) < 0)
 *         ...                      (after a failed write_it: output_abort)
 */
#ifndef DRAW_OUTPUT_H
#define DRAW_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

struct output_file {
    FILE *file;
    char *path;      /* NULL: the standard output */
    char *temporary; /* NULL: written in place, as a device must be */
};

/* NULL on failure, with a sentence; then there is nothing to abort. */
FILE *output_open(struct output_file *out, const char *path, char *error,
                  size_t error_size);

/* Puts the file in its place.  On failure returns -1 with a sentence, and
 * nothing of the new file is left.  Either way `out` is closed. */
int output_commit(struct output_file *out, char *error, size_t error_size);

/* Closes and removes what was written. */
void output_abort(struct output_file *out);

#endif
