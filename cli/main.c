/*
 * main.c - fulcrum VERB ...: finds the verb and hands over.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "net/word.h"

static void help(FILE *to)
{
    fprintf(to, "usage: fulcrum VERB [OPTIONS]\n\n"
                "Distributed coordination under known time bounds.\n\n");
    for (int i = 0; cli_verbs[i]; i++)
        if (cli_verbs[i]->summary)
            fprintf(to, "  %-9s %s\n", cli_verbs[i]->name,
                    cli_verbs[i]->summary);
    fprintf(to, "\n'fulcrum help VERB' tells more, 'man fulcrum' everything.\n"
                "Try: fulcrum sim vitanyi -n 8 --trace run.trace\n"
                "     fulcrum draw run.trace --text\n");
}

static const struct cli_verb *find(const char *name)
{
    for (int i = 0; cli_verbs[i]; i++)
        if (strcmp(name, cli_verbs[i]->name) == 0)
            return cli_verbs[i];
    return NULL;
}

static int refuse(const char *word)
{
    const char *near = NULL;
    uint32_t least = UINT32_MAX;

    for (int i = 0; cli_verbs[i]; i++)
        if (cli_verbs[i]->summary &&
            net_is_nearer(word, cli_verbs[i]->name, &least))
            near = cli_verbs[i]->name;
    if (cli_explain_word(word))
        return CLI_USAGE;
    if (near)
        fprintf(stderr, "fulcrum: there is no verb '%s'; did you mean '%s'?\n",
                word, near);
    else
        fprintf(stderr,
                "fulcrum: there is no verb '%s'; 'fulcrum help' lists them\n",
                word);
    return CLI_USAGE;
}

/* help, or help VERB..., which is VERB... --help. */
static int run_help(int argc, char **argv)
{
    char *words[] = {argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : "--help",
                     argc > 3 ? "--help" : NULL, NULL};
    const struct cli_verb *verb = argc > 2 ? find(argv[2]) : NULL;

    if (argc > 2 && !verb)
        return refuse(argv[2]);
    if (verb) {
        cli_speaker = verb->name;
        return verb->run(argc > 3 ? 3 : 2, words);
    }
    help(stdout);
    return CLI_FINE;
}

static bool is_any(const char *word, const char *a, const char *b,
                   const char *c)
{
    return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static int run(int argc, char **argv)
{
    const struct cli_verb *verb = find(argv[1]);

    if (is_any(argv[1], "help", "--help", "-h"))
        return run_help(argc, argv);
    if (is_any(argv[1], "version", "--version", "-V")) {
        printf("fulcrum %s\n", FULCRUM_VERSION);
        return CLI_FINE;
    }
    if (verb)
        return verb->run(argc - 1, argv + 1);
    return refuse(argv[1]);
}

/* A file that is opened later must not become standard input, output or error:
 * messages would be written into it.  Files that cannot be used take their
 * place, and a command gets the three as they were. */
static void keep_standard_files(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)!open("/dev/null",
                        O_CLOEXEC |
                            (file == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int main(int argc, char **argv)
{
    int code;

    keep_standard_files();
    setlocale(LC_CTYPE, "");
    cli_hand_over(argv, argc > 1 && find(argv[1]));
    if (argc < 2) {
        help(stderr);
        return CLI_USAGE;
    }
    cli_speaker = argv[1];
    code = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_fail("cannot write to standard output: %s; make room, or "
                        "send it elsewhere",
                        strerror(errno));
    return cli_exit_code(cli_output_end(code));
}
