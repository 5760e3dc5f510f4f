/*
 * picture.c - see picture.h.
 *
 * A trace alone goes straight to its file, however long it is.  For a diagram
 * it is collected in memory and read back, as `fulcrum draw` would read it.
 */
#include "cli/picture.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "draw/svg/svg.h"
#include "trace/read.h"

enum { ERROR_SIZE = 512 };

int cli_picture_begin(struct cli_picture *p, const char *trace_path,
                      const char *svg_path, const char *set,
                      const char *command)
{
    struct trace_head head = {.set = set, .command = command};
    char error[ERROR_SIZE];

    memset(p, 0, sizeof *p);
    p->trace_path = trace_path;
    p->svg_path = svg_path;
    if (svg_path) {
        p->file = open_memstream(&p->text, &p->size);
        if (!p->file)
            return cli_fail("no memory for the trace");
    } else {
        p->file = output_open(&p->out, trace_path, error, sizeof error);
        if (!p->file)
            return cli_fail("%s", error);
    }
    p->trace = trace_writer_new(p->file);
    if (!p->trace)
        abort();
    trace_write_head(p->trace, &head);
    return 0;
}

static int write_trace(struct cli_picture *p, char *error)
{
    FILE *file = output_open(&p->out, p->trace_path, error, ERROR_SIZE);

    if (!file)
        return -1;
    (void)fwrite(p->text, 1, p->size, file); /* commit looks at ferror */
    return output_commit(&p->out, error, ERROR_SIZE);
}

static int write_svg(struct cli_picture *p, char *error)
{
    struct svg_options options = {.to = TRACE_NEVER, .frames = p->frames};
    struct svg_size size;
    struct output_file out;
    struct trace trace;
    FILE *file;
    int result = -1;

    if (trace_parse(&trace, "trace", p->text, p->size, error, ERROR_SIZE) < 0)
        return -1;
    file = output_open(&out, p->svg_path, error, ERROR_SIZE);
    if (file && svg_draw(file, &trace, &options, &size, error, ERROR_SIZE) == 0)
        result = output_commit(&out, error, ERROR_SIZE);
    else if (file)
        output_abort(&out);
    trace_free(&trace);
    return result;
}

int cli_picture_end(struct cli_picture *p)
{
    char error[ERROR_SIZE];
    int failed = 0;

    trace_writer_free(p->trace);
    p->trace = NULL;
    if (p->svg_path) {
        fclose(p->file);
        failed = write_svg(p, error);
        if (!failed && p->trace_path)
            failed = write_trace(p, error);
        free(p->text);
    } else {
        failed = output_commit(&p->out, error, sizeof error);
    }
    return failed ? cli_fail("%s", error) : 0;
}

void cli_picture_abort(struct cli_picture *p)
{
    trace_writer_free(p->trace);
    if (p->svg_path) {
        fclose(p->file);
        free(p->text);
    } else {
        output_abort(&p->out);
    }
}
