/*
 * picture.h - the trace of a run, and its diagram, as files: both or neither.
 */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "draw/output.h"
#include "draw/svg/svg.h"
#include "trace/write.h"

struct cli_picture {
    struct trace_listener *trace; /* to give to the run */
    const char *trace_path, *svg_path;
    bool frames;            /* to set after the beginning, if wished */
    struct output_file out; /* of the trace, if there is no diagram */
    FILE *file;             /* where the trace goes */
    char *text;             /* the trace in memory, if there is a diagram */
    size_t size;
};

/* What a picture says that only the protocol knows: parameters with the values
 * that are used, and the links of a tree. */
struct cli_picture_known {
    char set[512];
    struct svg_link *links;
};

/* Adds that to the options of a picture, as far as it is known; to be freed
 * when it is drawn. */
void cli_picture_know(struct cli_picture_known *k, const struct trace *t,
                      struct svg_options *options);
void cli_picture_forget(struct cli_picture_known *k);

/* Opens the files; either path may be NULL.  Complains and returns the exit
 * code if it cannot. */
int cli_picture_begin(struct cli_picture *p, const char *trace_path,
                      const char *svg_path, const char *set,
                      const char *command);

/* The run is over: writes the files.  Complains and returns the exit code if
 * that fails; then nothing is left of them. */
int cli_picture_end(struct cli_picture *p);

/* A path with its suffix replaced by .svg; the caller frees it.  NULL: no
 * memory. */
char *cli_picture_name(const char *path);

/* Leaves nothing behind. */
void cli_picture_abort(struct cli_picture *p);

#endif
