/*
 * slowdisk.c - a disk that is slow while a program runs, for tests: preloaded,
 * every wait for the disk takes as many milliseconds longer as the file
 * $SLOW_DISK says.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long wanted_ms(void)
{
    const char *path = getenv("SLOW_DISK");
    char text[24] = "";
    int file;

    if (!path || (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return 0;
    if (read(file, text, sizeof text - 1) < 0)
        text[0] = '\0';
    close(file);
    return strtol(text, NULL, 10);
}

/* In small pieces: a disk that is fast again is so at once. */
static void drag(void)
{
    const struct timespec piece = {0, 5000000};

    for (long spent = 0; spent < wanted_ms(); spent += 5)
        (void)nanosleep(&piece, NULL);
}

int fsync(int file)
{
    drag();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    drag();
    return (int)syscall(SYS_fdatasync, file);
}
