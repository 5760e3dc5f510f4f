/*
 * program.c - where this program is, so that it can start others of itself (see
 * cli.h).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

int cli_find_program(char program[CLI_PROGRAM_SIZE])
{
    static const char suffix[] = CLI_PROGRAM_MPI;
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
