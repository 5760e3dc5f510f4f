/*
 * web.c - fulcrum web: serves the playground on the loopback.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "web/serve/server.h"

struct wishes {
    const char *folder;
    uint32_t port;
};

#define WISHES struct wishes

static const struct cli_option options[] = {
    {"port", 'p', "P", "to listen on; 0 takes any that is free [8080]",
     NUMBER(port, 0, UINT16_MAX)},
    {"folder", 0, "DIR", "with the files of the page [where they were built]",
     AT(folder), .values = "@files"},
    {0},
};

static bool has_page(const char *folder)
{
    char path[CLI_PROGRAM_SIZE + 64];
    int length = snprintf(path, sizeof path, "%s/index.html", folder);
    struct stat info;

    return (size_t)length < sizeof path && stat(path, &info) == 0 &&
           S_ISREG(info.st_mode);
}

/* Beside the command in the tree it was built in, or where both were
 * installed. */
static int find_page(char folder[CLI_PROGRAM_SIZE + 32])
{
    char program[CLI_PROGRAM_SIZE];
    int code = cli_find_program(program);
    char *slash;

    if (code)
        return code;
    slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    snprintf(folder, CLI_PROGRAM_SIZE + 32, "%s/web/page", program);
    if (has_page(folder))
        return 0;
    snprintf(folder, CLI_PROGRAM_SIZE + 32, "%s/../../share/fulcrum/web",
             program);
    if (has_page(folder))
        return 0;
    return cli_fail(
        "the page is not there: 'make web' in the source tree builds "
        "it (packages come without it); say with --folder where it is");
}

static int serve(const char *folder, unsigned port)
{
    struct serve_server *server = serve_open(folder, port);
    bool fine;

    if (!server && errno == EADDRINUSE)
        return cli_fail("port %u is in use; choose another with --port, or 0 "
                        "for any that is free",
                        port);
    if (!server)
        return cli_fail("cannot serve %s: %s", folder, strerror(errno));
    printf("http://127.0.0.1:%u/  (Ctrl-C ends it)\n", serve_port(server));
    (void)fflush(stdout);
    fine = serve_run(server, cli_catch_interrupt());
    serve_close(server);
    return fine ? CLI_FINE : cli_fail("cannot go on: %s", strerror(errno));
}

static int run_web(int argc, char **argv)
{
    char folder[CLI_PROGRAM_SIZE + 32];
    struct wishes w = {.port = 8080};
    int code = cli_options_read(&cli_web, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s': there is nothing to say after the options",
                          argv[optind]);
    if (w.folder && !has_page(w.folder))
        return cli_fail("there is no index.html in %s", w.folder);
    if (!w.folder) {
        code = find_page(folder);
        if (code)
            return code;
        w.folder = folder;
    }
    return serve(w.folder, w.port);
}

const struct cli_verb cli_web = {
    .name = "web",
    .summary = "serve the playground on this machine",
    .run = run_web,
    .usage = "[OPTIONS]",
    .about =
        "Serves the playground: a page that runs the same protocols, simulator "
        "and checker in a browser. Only programs on this machine can reach it. "
        "The page needs no server of its own: any that serves the folder will "
        "do.",
    .exits = "0 stopped by Ctrl-C, 2 wrong usage, 3 a system error.",
    .examples = "fulcrum web\nfulcrum web --port 0",
    .options = {options},
};
