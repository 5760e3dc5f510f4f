/*
 * output.c - writes a file completely or not at all; see output.h.
 */
#include "draw/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const struct output_file *out, int number, struct net_why *why)
{
    const char *advice = number == ENOSPC || number == EDQUOT || number == EFBIG
                             ? "free some space or choose another place"
                         : number == EPIPE ? "let the reader take all of it"
                                           : "choose another place";

    return net_fail(why, "cannot write %.200s: %s; %s",
                    out->path != NULL ? out->path : "the standard output",
                    strerror(number), advice);
}

/* ---- Killed while writing ------------------------------------------------ */

/* Temporary files that are open; a program writes two at a time. */
enum { FILES_MAX = 4 };
static char *volatile open_now[FILES_MAX];

static void on_end(int number)
{
    for (int i = 0; i < FILES_MAX; i++)
        if (open_now[i] != NULL)
            unlink(open_now[i]);
    raise(number); /* SA_RESETHAND: now it ends us */
}

/* Signals that would end us while a file is open remove it first; a program
 * that has its own way to end keeps it.  A file that grows beyond the limit of
 * the process is an error of writing like a full disk. */
static void guard(char *temporary)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct sigaction old,
        action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND};
    int free_place = 0;

    while (free_place < FILES_MAX - 1 && open_now[free_place] != NULL)
        free_place++;
    open_now[free_place] = temporary;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ends[i], &action, NULL);
    if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        signal(SIGXFSZ, SIG_IGN);
}

static void unguard(const char *temporary)
{
    for (int i = 0; i < FILES_MAX; i++)
        if (open_now[i] == temporary)
            open_now[i] = NULL;
}

static void forget(struct output_file *out)
{
    if (out->temporary != NULL)
        unguard(out->temporary);
    free(out->path);
    free(out->temporary);
    *out = (struct output_file){0};
}

/* Devices and pipes cannot be replaced by a renamed file. */
static int is_special(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) &&
           !S_ISDIR(info.st_mode);
}

static int name_temporary(struct output_file *out)
{
    size_t size = strlen(out->path) + 32;

    out->temporary = malloc(size);
    if (out->temporary == NULL)
        return -1;
    snprintf(out->temporary, size, "%s.tmp.%ld", out->path, (long)getpid());
    guard(out->temporary);
    return 0;
}

FILE *output_open(struct output_file *out, const char *path,
                  struct net_why *why)
{
    *out = (struct output_file){0};
    if (strcmp(path, "-") == 0)
        return out->file = stdout;
    out->path = strdup(path);
    if (out->path != NULL && (is_special(path) || name_temporary(out) == 0))
        out->file = fopen(out->temporary != NULL ? out->temporary : path, "w");
    if (out->file == NULL) {
        (void)fail(out, errno, why);
        forget(out);
        return NULL;
    }
    return out->file;
}

bool output_commit(struct output_file *out, struct net_why *why)
{
    int number = 0;

    /* A write that failed long ago is remembered only as a flag; its reason
     * is gone unless the next flush meets it too. */
    errno = 0;
    if (fflush(out->file) != 0 || ferror(out->file))
        number = errno != 0 ? errno : EIO;
    if (out->path != NULL && fclose(out->file) != 0 && number == 0)
        number = errno;
    if (number == 0 && out->temporary != NULL &&
        rename(out->temporary, out->path) != 0)
        number = errno;
    if (number != 0) {
        (void)fail(out, number, why);
        if (out->temporary != NULL)
            unlink(out->temporary);
    }
    forget(out);
    return number == 0;
}

void output_abort(struct output_file *out)
{
    if (out->path != NULL)
        fclose(out->file);
    if (out->temporary != NULL)
        unlink(out->temporary);
    forget(out);
}
