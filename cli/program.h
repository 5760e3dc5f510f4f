/*
 * program.h - where this program is, so that it can start others of itself.
 */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

/* The program linked with MPI stands beside it, under a longer name. */
#define CLI_PROGRAM_MPI "-mpi"

enum { CLI_PROGRAM_SIZE = 4096 };

/* The path of the command that makes experiments, with room for the suffix;
 * complains and returns the exit code if it is not known. */
int cli_find_program(char program[CLI_PROGRAM_SIZE]);

#endif
