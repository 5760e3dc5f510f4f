/*
 * sandbox.c - a protocol in C that somebody has handed in: built and run where
 * it can reach nothing (see grade.h).
 *
 * bubblewrap shows it the compiler's and the kit's files, to be read, and a
 * folder; no network, no other process, no file of anybody.  The kit has the
 * engine as objects (make grade-kit), and its script says what a hand-in may
 * not contain before it is linked with them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/grade/grade.h"

#define BWRAP "/usr/bin/bwrap"

enum { LINE_MAX_WORDS = GRADE_WORDS_MAX + 64 };

struct line {
    char *word[LINE_MAX_WORDS];
    int count;
};

static void say(struct line *l, const char *word)
{
    if (l->count + 1 < LINE_MAX_WORDS)
        l->word[l->count++] = (char *)word;
    l->word[l->count] = NULL;
}

static void say_three(struct line *l, const char *a, const char *b,
                      const char *c)
{
    say(l, a);
    say(l, b);
    say(l, c);
}

/* What it sees: `writable` is where the compiler puts what it makes. */
static void say_sandbox(struct line *l, const char *kit, bool writable)
{
    say(l, BWRAP);
    say(l, "--unshare-all");
    say(l, "--die-with-parent");
    say(l, "--new-session");
    say(l, "--clearenv");
    say_three(l, "--setenv", "PATH", "/usr/bin");
    say_three(l, "--setenv", "LANG", "C.UTF-8");
    say_three(l, "--ro-bind", "/usr", "/usr");
    say_three(l, "--symlink", "usr/lib", "/lib");
    say_three(l, "--symlink", "usr/lib64", "/lib64");
    say_three(l, "--symlink", "usr/bin", "/bin");
    say_three(l, "--ro-bind", "/etc/alternatives", "/etc/alternatives");
    say_three(l, "--ro-bind", kit, "/kit");
    say_three(l, writable ? "--bind" : "--ro-bind", ".", "/cell");
    say(l, "--dev");
    say(l, "/dev");
    say(l, "--chdir");
    say(l, "/cell");
    say(l, "--");
}

bool grade_has_sandbox(void)
{
    return access(BWRAP, X_OK) == 0;
}

static void refuse(struct grade_reply *reply, const char *why)
{
    *reply = (struct grade_reply){CLI_SYSTEM, strdup(why)};
}

static bool write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "we");
    bool fine = file && fputs(text, file) >= 0;

    return file && fclose(file) == 0 && fine;
}

/* The hand-in, under the name that its exercise gives it, and its header if it
 * came with one. */
static bool write_source(const struct grade_engine *e)
{
    char header[256];
    size_t length = strlen(e->exercise->source);

    snprintf(header, sizeof header, "%.*s.h", (int)(length - 2),
             e->exercise->source);
    return write_file(e->exercise->source, e->hand_in->text) &&
           (!e->hand_in->header || write_file(header, e->hand_in->header));
}

static const char *unready(const struct grade_engine *e)
{
    const struct grade_limits *l = e->limits;

    if (!l->kit)
        return "there is nothing to build C with: 'make grade-kit' in the "
               "source tree, or --kit DIR";
    if (!grade_has_sandbox() && !l->trust)
        return "C of others is run in a sandbox only, and bubblewrap is not "
               "installed; --trust runs it without";
    return NULL;
}

/* The kit's script builds it: /kit/build.sh FAMILY/NAME. */
static void build(const struct grade_engine *e, struct grade_reply *reply)
{
    struct line l = {.count = 0};
    bool boxed = grade_has_sandbox();
    char script[4200];

    if (!write_source(e)) {
        refuse(reply, "there is no room to build it");
        return;
    }
    snprintf(script, sizeof script, "%s/build.sh",
             boxed ? "/kit" : e->limits->kit);
    if (boxed)
        say_sandbox(&l, e->limits->kit, true);
    say_three(&l, "/bin/sh", script, boxed ? "/kit" : e->limits->kit);
    say(&l, e->exercise->room);
    grade_execute(-1, l.word, reply);
    if (reply->code == 1) { /* bubblewrap's own; the script's is 2 */
        free(reply->text);
        refuse(reply, "the sandbox does not work here: the system gives users "
                      "no namespaces");
    }
}

bool grade_ask_stranger(struct grade_engine *e, char *const *words,
                        struct grade_reply *reply)
{
    struct line l = {.count = 0};
    const char *why = unready(e);
    bool boxed = grade_has_sandbox();

    if (why) {
        refuse(reply, why);
        return true;
    }
    if (strcmp(words[0], "build") == 0) {
        build(e, reply);
        return true;
    }
    if (boxed)
        say_sandbox(&l, e->limits->kit, false);
    say(&l, boxed ? "/cell/fulcrum" : "./fulcrum");
    for (int i = 0; words[i]; i++)
        say(&l, words[i]);
    say(&l, "--threads");
    say(&l, "1");
    grade_execute(-1, l.word, reply);
    return true;
}
