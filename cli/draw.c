/*
 * draw.c - the verb `fulcrum draw`: a picture of a recorded run.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/output.h"
#include "draw/svg/svg.h"
#include "draw/text/text.h"
#include "trace/read.h"

enum { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_SYSTEM = 3 };

static const char help[] =
    "usage: fulcrum draw TRACE [-o FILE.svg] [--text] [--from TICK] "
    "[--to TICK]\n"
    "                    [--frames] [--dark]\n"
    "\n"
    "Draws a run recorded by `fulcrum sim ... --trace TRACE` as a space-time\n"
    "diagram: one lane per node, time from left to right, states as bars,\n"
    "messages as arrows.  Long runs and large rings lose single messages,\n"
    "never a leader, somebody inside, or a violation.\n"
    "\n"
    "  -o FILE      where to write; - is the standard output\n"
    "               (default: TRACE with its suffix replaced by .svg)\n"
    "  --text       write characters, time downwards, at most 8 lanes and\n"
    "               200 ticks (default: to the standard output)\n"
    "  --from TICK  begin there (default: 0, or the first event)\n"
    "  --to TICK    end there (default: one tick after the last event)\n"
    "  --frames     also messages that only say \"I am alive\"\n"
    "  --dark       always dark; otherwise the reader's theme decides\n"
    "  --help       this text\n"
    "\n"
    "example:\n"
    "  fulcrum sim vitanyi --names 1,6,3,8,2,7,4,5 --trace ring.trace\n"
    "  fulcrum draw ring.trace -o ring.svg\n"
    "  fulcrum draw ring.trace --text --from 20 --to 32\n"
    "\n"
    "exit: 0 drawn, 2 used wrongly or not a sound trace, 3 the system "
    "refused\n";

struct wish {
    const char *trace, *out;
    uint64_t from, to;
    bool text, frames, dark, help;
};

static int complain(int code, const char *sentence)
{
    fprintf(stderr, "fulcrum draw: %s\n", sentence);
    return code;
}

/* A tick on the command line; -1 after a complaint. */
static int read_tick(const char *option, const char *text, uint64_t *tick)
{
    char *end;

    errno = 0;
    *tick = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
        *tick <= TRACE_TICK_MAX)
        return 0;
    fprintf(stderr,
            "fulcrum draw: --%s takes a tick, a number from 0 on, "
            "not \"%.40s\"\n",
            option, text);
    return -1;
}

static int read_option(struct wish *w, int option, char **argv)
{
    switch (option) {
    case 'o':
        w->out = optarg;
        return 0;
    case 't':
        w->text = true;
        return 0;
    case 'f':
        w->frames = true;
        return 0;
    case 'd':
        w->dark = true;
        return 0;
    case 'h':
        w->help = true;
        return 0;
    case 'F':
        return read_tick("from", optarg, &w->from);
    case 'T':
        return read_tick("to", optarg, &w->to);
    case ':':
        fprintf(stderr,
                "fulcrum draw: %s needs a value; see fulcrum draw "
                "--help\n",
                argv[optind - 1]);
        return -1;
    default:
        fprintf(stderr,
                "fulcrum draw: there is no option %s; see fulcrum "
                "draw --help\n",
                argv[optind - 1]);
        return -1;
    }
}

/* 0, or the exit code after a complaint. */
static int read_wish(struct wish *w, int argc, char **argv)
{
    static const struct option options[] = {
        {"text", no_argument, NULL, 't'},
        {"from", required_argument, NULL, 'F'},
        {"to", required_argument, NULL, 'T'},
        {"frames", no_argument, NULL, 'f'},
        {"dark", no_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    *w = (struct wish){.to = TRACE_NEVER};
    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1)
        if (read_option(w, option, argv) < 0)
            return EXIT_USAGE;
    if (w->help)
        return 0;
    if (optind >= argc)
        return complain(EXIT_USAGE, "which trace?  Try: fulcrum draw "
                                    "ring.trace, or fulcrum draw --help");
    if (optind + 1 < argc)
        return complain(EXIT_USAGE, "one trace at a time; see fulcrum draw "
                                    "--help");
    w->trace = argv[optind];
    if (w->from >= w->to)
        return complain(EXIT_USAGE, "--from must be less than --to");
    return 0;
}

/* TRACE with its suffix replaced; the caller frees it. */
static char *default_name(const char *trace)
{
    const char *slash = strrchr(trace, '/');
    const char *base = slash != NULL ? slash + 1 : trace;
    const char *dot = strrchr(base, '.');
    size_t stem =
        dot != NULL && dot != base ? (size_t)(dot - trace) : strlen(trace);
    char *name;

    return asprintf(&name, "%.*s.svg", (int)stem, trace) < 0 ? NULL : name;
}

static int write_picture(const struct wish *w, const struct trace *t,
                         const char *path)
{
    struct svg_options options = {
        .from = w->from,
        .to = w->to,
        .dark = w->dark,
        .frames = w->frames,
    };
    struct text_options text = {
        .from = w->from,
        .to = w->to,
        .ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
        .frames = w->frames,
    };
    char error[TRACE_ERROR_SIZE];
    struct svg_size size = {0};
    struct output_file out;
    FILE *file = output_open(&out, path, error, sizeof error);
    int result;

    if (file == NULL)
        return complain(EXIT_SYSTEM, error);
    if (w->text)
        result = text_draw(file, t, &text, error, sizeof error);
    else
        result = svg_draw(file, t, &options, &size, error, sizeof error);
    if (result < 0) {
        output_abort(&out);
        return complain(EXIT_USAGE, error);
    }
    if (output_commit(&out, error, sizeof error) < 0)
        return complain(EXIT_SYSTEM, error);
    if (strcmp(path, "-") != 0 && !w->text)
        printf("%s %ux%u\n", path, size.width, size.height);
    return EXIT_OK;
}

static int draw(const struct wish *w, const struct trace *t)
{
    char *name = NULL;
    int code;

    if (w->out != NULL)
        return write_picture(w, t, w->out);
    if (w->text)
        return write_picture(w, t, "-");
    name = default_name(w->trace);
    if (name == NULL)
        return complain(EXIT_SYSTEM, "not enough memory");
    if (strcmp(name, w->trace) == 0)
        code = complain(EXIT_USAGE, "the picture would replace the trace; "
                                    "name another file with -o");
    else
        code = write_picture(w, t, name);
    free(name);
    return code;
}

int cli_draw(int argc, char **argv);

int cli_draw(int argc, char **argv)
{
    char error[TRACE_ERROR_SIZE];
    struct trace t;
    struct wish w;
    int code = read_wish(&w, argc, argv);

    if (code != 0)
        return code;
    if (w.help) {
        fputs(help, stdout);
        return EXIT_OK;
    }
    setlocale(LC_CTYPE, "");
    code = trace_read(&t, w.trace, error, sizeof error);
    if (code < 0)
        return complain(code == TRACE_SYSTEM ? EXIT_SYSTEM : EXIT_USAGE, error);
    code = draw(&w, &t);
    trace_free(&t);
    return code;
}
