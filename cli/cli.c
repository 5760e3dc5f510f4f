/*
 * cli.c - see cli.h.
 */
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "draw/output.h"

const char *cli_speaker;

int cli_complain(int code, const char *format, ...)
{
    char text[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)fflush(stdout);
    /* In one write: others may share this log. */
    fprintf(stderr, "fulcrum %s: %s\n", cli_speaker, text);
    return code;
}

int cli_refused(const struct net_why *why)
{
    return cli_complain(why->system ? CLI_SYSTEM : CLI_USAGE, "%s", why->text);
}

int cli_no_memory(const char *what)
{
    struct net_why why;

    (void)net_no_memory(&why, what);
    return cli_refused(&why);
}

void cli_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

uint32_t cli_cores(uint32_t most)
{
    cpu_set_t set;
    bool known = sched_getaffinity(0, sizeof set, &set) == 0;
    uint32_t count = known ? (uint32_t)CPU_COUNT(&set) : 1;

    return count < most ? count : most;
}

/* Opened and closed again, unless it is a device or a pipe. */
static int try_to_write(const char *path)
{
    struct output_file out;
    struct stat info;
    struct net_why why;

    if (!path || (stat(path, &info) == 0 && !S_ISREG(info.st_mode) &&
                  !S_ISDIR(info.st_mode)))
        return 0;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return cli_fail("cannot write %s: it is a directory; name a file",
                        path);
    if (!output_open(&out, path, &why))
        return cli_refused(&why);
    if (strcmp(path, "-") != 0)
        output_abort(&out);
    return 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
            x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

int cli_number(const char *text, const char *what, uint64_t least,
               uint64_t greatest, uint64_t *out)
{
    struct net_why why = {0};

    return net_number(text, what, least, greatest, out, &why)
               ? 0
               : cli_refused(&why);
}

int cli_can_write(const char *a, const char *b)
{
    int code;

    if (a && b && is_same_file(a, b))
        return cli_refuse("two results cannot both go to %s; name two files",
                          strcmp(b, "-") == 0 ? "the standard output" : b);
    code = try_to_write(a);
    return code ? code : try_to_write(b);
}

static struct output_file redirected;

int cli_output_begin(const char *path)
{
    struct net_why why;
    FILE *file;

    if (strcmp(path, "-") == 0)
        return 0;
    file = output_open(&redirected, path, &why);
    if (!file)
        return cli_refused(&why);
    (void)fflush(stdout);
    if (dup2(fileno(file), STDOUT_FILENO) < 0) {
        output_abort(&redirected);
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    }
    return 0;
}

int cli_output_end(int code)
{
    struct stat info = {0};
    struct net_why why;

    if (!redirected.path)
        return code;
    if (fstat(fileno(redirected.file), &info) != 0 || info.st_size == 0)
        output_abort(&redirected);
    else if (!output_commit(&redirected, &why))
        return cli_refused(&why);
    return code;
}

bool cli_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool cli_is_terminal(FILE *stream)
{
    const char *kind = getenv("TERM");

    return isatty(fileno(stream)) && !(kind && strcmp(kind, "dumb") == 0);
}

bool cli_has_colour(FILE *stream)
{
    return cli_is_terminal(stream) && !getenv("NO_COLOR");
}

const char *cli_tick(void)
{
    return cli_is_utf8() ? "✓" : "ok";
}

const char *cli_cross(void)
{
    return cli_is_utf8() ? "✗" : "X";
}

const char *cli_at_most(void)
{
    return cli_is_utf8() ? "≤" : "<=";
}

const char *cli_dash(void)
{
    return cli_is_utf8() ? "–" : "-";
}

void cli_print_verdict(bool good, const char *word)
{
    bool colour = cli_has_colour(stdout);

    printf("  %s%s %s%s",
           !colour ? ""
           : good  ? "\033[32m"
                   : "\033[31m",
           good ? cli_tick() : cli_cross(), word, colour ? "\033[0m" : "");
}

const char *cli_grouped(uint64_t number, char *buffer, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t used = 0;

    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0 && length > 4)
            buffer[used++] = ' ';
        buffer[used++] = digits[i];
    }
    buffer[used] = '\0';
    return buffer;
}
