/*
 * runaway.c - commands that are hard to catch, for tests.
 *
 *     runaway moves FILE
 *     runaway chain FILE COUNT
 *
 * moves: goes to the process group of a child, and ignores SIGTERM; a minute.
 * chain: in a session of its own each process forks and exits, ten seconds
 * long; ends itself when there were COUNT of them.
 *
 * Whoever is left of them has an exclusive flock() on FILE.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int moves(void)
{
    pid_t child;

    (void)signal(SIGTERM, SIG_IGN);
    child = fork();
    if (child == 0)
        (void)setpgid(0, 0);
    while (child > 0 && setpgid(0, child)) /* once there is such a group */
        usleep(1000);
    sleep(60);
    return 0;
}

static int chain(unsigned most)
{
    _Atomic unsigned *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    time_t until = time(NULL) + 10;

    if (count == MAP_FAILED)
        return 2;
    if (fork() == 0) {
        (void)setsid();
        while (time(NULL) < until) {
            if (fork() > 0)
                _exit(0);
            atomic_fetch_add(count, 1);
        }
        _exit(0);
    }
    while (atomic_load(count) < most)
        usleep(1000);
    return 0;
}

int main(int argc, char **argv)
{
    int file = argc > 2 ? open(argv[2], O_RDWR | O_CREAT, 0666) : -1;

    if (file < 0 || flock(file, LOCK_EX))
        return 2;
    if (!strcmp(argv[1], "moves"))
        return moves();
    return argc > 3 ? chain((unsigned)strtoul(argv[3], NULL, 10)) : 2;
}
