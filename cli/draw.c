/*
 * draw.c - the verb `fulcrum draw`: a picture of a recorded run.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/paragraph.h"
#include "cli/picture.h"
#include "draw/output.h"
#include "draw/svg/svg.h"
#include "draw/text/text.h"
#include "trace/read.h"

struct wish {
    const char *trace, *out;
    uint64_t from, to;
    bool text, frames, dark;
};
#define WISHES struct wish

static const struct cli_option options[] = {
    {NULL, 'o', "FILE",
     "where to write; - is the standard output [TRACE with its suffix "
     "replaced by .svg; - if TRACE is -]",
     AT(out), "@files"},
    {"text", 0, NULL,
     "write characters, time downwards, at most 8 lanes and 200 ticks [to the "
     "standard output]",
     AT(text)},
    {"from", 0, "TICK", "begin there [0, or the first event]",
     NUMBER(from, 0, TRACE_TICK_MAX)},
    {"to", 0, "TICK", "end there [one tick after the last event]",
     NUMBER(to, 0, TRACE_TICK_MAX)},
    {"frames", 0, NULL, "also messages that only say \"I am alive\"",
     AT(frames)},
    {"dark", 0, NULL, "always dark; otherwise the reader's theme decides",
     AT(dark)},
    {0},
};

/* CLI_GO_ON, or an exit code. */
static int read_wish(struct wish *w, int argc, char **argv)
{
    int code = cli_options_read(&cli_draw, w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind >= argc)
        return cli_refuse("which trace?  Try: fulcrum draw ring.trace, or "
                          "fulcrum draw --help");
    if (optind + 1 < argc)
        return cli_refuse("one trace at a time; see fulcrum draw --help");
    w->trace = argv[optind];
    if (w->from >= w->to)
        return cli_refuse("--from must be less than --to");
    return CLI_GO_ON;
}

static int write_picture(const struct wish *w, const struct trace *t,
                         const char *path)
{
    struct svg_options svg = {
        .from = w->from,
        .to = w->to,
        .dark = w->dark,
        .frames = w->frames,
    };
    struct text_options text = {
        .from = w->from,
        .to = w->to,
        .columns = paragraph_columns(),
        .ascii = !cli_is_utf8(),
        .frames = w->frames,
    };
    struct svg_size size = {0};
    struct output_file out;
    struct net_why why;
    FILE *file = output_open(&out, path, &why);
    bool drawn;

    if (file == NULL)
        return cli_refused(&why);
    if (w->text) {
        drawn = text_draw(file, t, &text, &why);
    } else {
        struct cli_picture_known known;

        cli_picture_know(&known, t, &svg);
        drawn = svg_draw(file, t, &svg, &size, &why);
        cli_picture_forget(&known);
    }
    if (!drawn)
        output_abort(&out);
    if (!drawn || !output_commit(&out, &why))
        return cli_refused(&why);
    if (strcmp(path, "-") != 0 && !w->text)
        printf("%s %ux%u\n", path, size.width, size.height);
    return CLI_FINE;
}

static int draw(const struct wish *w, const struct trace *t)
{
    char *name = NULL;
    int code;

    if (w->out != NULL)
        return write_picture(w, t, w->out);
    if (w->text || strcmp(w->trace, "-") == 0)
        return write_picture(w, t, "-");
    name = cli_picture_name(w->trace);
    if (name == NULL)
        return cli_no_memory("the name of the picture");
    if (strcmp(name, w->trace) == 0)
        code = cli_refuse(
            "the picture would replace the trace; name another file with -o");
    else
        code = write_picture(w, t, name);
    free(name);
    return code;
}

static int run_draw(int argc, char **argv)
{
    struct wish w = {.to = TRACE_NEVER};
    struct net_why why;
    struct trace t;
    int code = read_wish(&w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (!trace_read(&t, w.trace, &why))
        return cli_refused(&why);
    code = draw(&w, &t);
    trace_free(&t);
    return code;
}

const struct cli_verb cli_draw = {
    .name = "draw",
    .summary = "draw a trace as a space-time diagram",
    .run = run_draw,
    .usage = "TRACE [-o FILE.svg] [--text] [OPTIONS]",
    .about =
        "Draws a run recorded by `fulcrum sim ... --trace TRACE`, or read from "
        "standard input if TRACE is -, as a "
        "space-time diagram: one lane per node, time from left to right, "
        "states as bars, messages as arrows. Long runs and large rings lose "
        "single messages, never a leader, somebody inside, or a violation.",
    .exits = "0 drawn, 2 wrong usage or not a sound trace, 3 a system "
             "error",
    .examples =
        "fulcrum sim vitanyi --names 1,6,3,8,2,7,4,5 --trace ring.trace\n"
        "fulcrum draw ring.trace -o ring.svg\n"
        "fulcrum draw ring.trace --text --from 20 --to 32",
    .options = {options},
    .operands = {"@files"},
};
