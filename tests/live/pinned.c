/*
 * pinned.c - holds other processes fast, for tests: they are stopped so that
 * SIGCONT does not let them go on, and their parents are not told.
 *
 *     pinned FILE PROCESS...
 *
 * FILE is there as soon as all of them stand still; they go on when this
 * process is killed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int file;

    for (int i = 2; i < argc; i++) {
        pid_t pid = (pid_t)strtol(argv[i], NULL, 10);

        if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) ||
            ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) ||
            waitpid(pid, NULL, __WALL) != pid) {
            perror("pinned");
            return 1;
        }
    }
    file = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file < 0)
        return 2;
    for (;;)
        pause();
}
