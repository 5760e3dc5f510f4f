/*
 * slowsync.c - a disk that takes its time, for tests: preloaded, it lets every
 * fdatasync() wait for SYNC_MS milliseconds first.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int fdatasync(int file)
{
    const char *ms = getenv("SYNC_MS");
    long wait = ms ? strtol(ms, NULL, 10) : 0;
    struct timespec time = {wait / 1000, wait % 1000 * 1000000};

    (void)nanosleep(&time, NULL);
    return (int)syscall(SYS_fdatasync, file);
}
