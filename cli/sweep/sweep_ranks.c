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
#include "cli/sweep/sweep.h"
#include "lab/mpi/ranks.h"

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

/* Becomes the program that is linked with MPI. */
static int become(char *program, int argc, char **argv)
{
    char **words = calloc((size_t)argc + 2, sizeof *words);

    if (!words)
        return cli_no_memory("the command");
    memcpy(program + strlen(program), CLI_PROGRAM_MPI, sizeof CLI_PROGRAM_MPI);
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
