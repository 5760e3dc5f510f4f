/*
 * unistd.h - of a system with one core, no terminal and files in memory.
 */
#ifndef WEB_UNISTD_H
#define WEB_UNISTD_H

#include <stddef.h>
#include <sys/types.h>

enum { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
enum { R_OK = 4, W_OK = 2, F_OK = 0 };

int access(const char *path, int how);
int dup2(int from, int to);
pid_t getpid(void);
int isatty(int descriptor);
int unlink(const char *path);

#endif
