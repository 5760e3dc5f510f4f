/*
 * front.c - the command that is installed as `fulcrum`: it takes locks, and
 * becomes another program for all that needs more than the C library.
 *
 * A lock is taken by thousands of short commands, and a program that is small
 * and loads no libraries starts in a third of the time.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/front/none.h"
#include "cli/node/node.h"

const struct cli_verb *const cli_verbs[] = {&cli_lock, NULL};

static char **words; /* as they came */

/* Becomes fulcrum-NAME, which is installed in ../libexec/fulcrum, or stands
 * beside this program in the tree that it was built in. */
static void become(const char *name)
{
    static const char *const places[] = {"../libexec/fulcrum/", ""};
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (length < 0)
        return;
    self[length] = '\0';
    slash = strrchr(self, '/');
    if (!slash)
        return;
    *slash = '\0';
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%sfulcrum-%s", self, places[i], name);
        (void)execv(path, words);
    }
}

/* As they are now: reading options changes their order. */
static void keep_words(char **argv)
{
    size_t count = 1;

    while (argv[count - 1])
        count++;
    words = malloc(count * sizeof *words);
    if (!words)
        exit(cli_no_memory("the command"));
    memcpy(words, argv, count * sizeof *words);
}

/* The laboratory's program has all verbs, the node's program has the verbs of a
 * node. */
void cli_hand_over(char **argv, bool own)
{
    static const char *const node[] = {"node", "status", "keygen", "fence",
                                       "cluster"};

    keep_words(argv);
    if (own)
        return;
    cli_speaker = argv[0] && argv[1] ? argv[1] : "help";
    for (int i = 0; argv[0] && argv[1] && i < 5; i++)
        if (strcmp(argv[1], node[i]) == 0)
            become("node");
    become("lab");
    become("node"); /* it tells which package has the verb */
    exit(cli_fail("the other programs of fulcrum are not installed: %s",
                  strerror(errno)));
}

bool cli_explain_word(const char *word)
{
    (void)word;
    return false;
}

int cli_connect_by_file(const struct cli_place *place, uint64_t wait,
                        struct live_client *client, struct net_why *error)
{
    (void)place;
    (void)wait;
    (void)client;
    become("node");
    become("lab");
    net_refuse(error, "there is no program that reads " CLI_CLUSTER
                      "; install fulcrum-node, or say --socket");
    errno = ENOENT;
    return CLI_SYSTEM;
}
