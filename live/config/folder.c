/*
 * folder.c - see folder.h.
 */
#include "live/config/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "live/fail.h"

int live_folder_make(const char *path, mode_t mode, char error[LIVE_ERROR_SIZE])
{
    struct stat is;

    if (stat(path, &is) == 0 || mkdir(path, mode) == 0 || errno == EEXIST)
        return 0;
    return live_fail(
        error,
        "%s: there is no such directory, and none can be made (%s); make it as "
        "root, for the daemon's user: install -d -m %o -o USER",
        path, strerror(errno), (unsigned)mode);
}

int live_folder_make_for(const char *file, mode_t mode,
                         char error[LIVE_ERROR_SIZE])
{
    const char *slash = strrchr(file, '/');
    char path[LIVE_PATH_MAX];

    if (!slash || slash == file)
        return 0;
    snprintf(path, sizeof path, "%.*s", (int)(slash - file), file);
    return live_folder_make(path, mode, error);
}
