/*
 * sweep_ranks.c - fulcrum sweep under mpirun.
 *
 * The command is not linked with MPI: under mpirun it becomes fulcrum-mpi,
 * which stands beside it and is the same except for that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/sweep.h"
#include "lab/mpi/ranks.h"

static const char suffix[] = "-mpi";

/* The first of these that is set; NULL: none. */
static const char *environment(const char *const *names)
{
    const char *value = NULL;

    for (; *names && !value; names++)
        value = getenv(*names);
    return value;
}

/* Open MPI, then those with PMI, then those with PMIx. */
static const char *my_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "PMIX_RANK", NULL};

    return environment(names);
}

bool cli_is_under_mpirun(void)
{
    return my_rank() != NULL;
}

int cli_find_program(char program[CLI_PROGRAM_SIZE])
{
    size_t size = CLI_PROGRAM_SIZE - sizeof suffix, end = sizeof suffix - 1;
    ssize_t length = readlink("/proc/self/exe", program, size);

    if (length < 0 || (size_t)length == size)
        return cli_fail("cannot find myself: %s",
                        length < 0 ? strerror(errno) : "the path is too long");
    program[length] = '\0';
    if ((size_t)length > end && strcmp(program + length - end, suffix) == 0)
        program[(size_t)length - end] = '\0';
    return 0;
}

/* Becomes the program that is linked with MPI. */
static int become(char *program, int argc, char **argv)
{
    char **words = calloc((size_t)argc + 2, sizeof *words);

    if (!words)
        return cli_fail("no memory");
    memcpy(program + strlen(program), suffix, sizeof suffix);
    words[0] = program;
    memcpy(words + 1, argv, (size_t)argc * sizeof *words);
    (void)execv(program, words);
    free(words);
    if (strcmp(my_rank(), "0") != 0)
        return CLI_SYSTEM;
    return cli_fail("mpirun needs %s: %s; it is built where MPI is found "
                    "(libopenmpi-dev)",
                    program, strerror(errno));
}

int cli_join_ranks(int argc, char **argv)
{
    char program[CLI_PROGRAM_SIZE];
    int code = cli_find_program(program);

    if (code)
        return code;
    if (!lab_ranks_join)
        return become(program, argc, argv);
    lab_ranks_join(program);
    return 0;
}
