/*
 * slewed.c - a clock that is being slewed, for tests: preloaded, it lets
 * adjtimex() say the tick in the file $SLEWED, in microseconds for 1/100 s; the
 * clock itself stays as it is.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

int adjtimex(struct timex *state)
{
    const char *path = getenv("SLEWED");
    char text[24] = "";
    int file, code = (int)syscall(SYS_adjtimex, state);

    if (!path || (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return code;
    if (read(file, text, sizeof text - 1) > 0 && state->modes == 0)
        state->tick = strtol(text, NULL, 10);
    close(file);
    return code;
}
