/*
 * sys/stat.h - every file is a regular one.
 */
#ifndef WEB_SYS_STAT_H
#define WEB_SYS_STAT_H

#include <sys/types.h>

struct stat {
    mode_t st_mode;
    off_t st_size;
    unsigned st_dev, st_ino;
};

enum { S_IFMT = 0170000, S_IFREG = 0100000, S_IFDIR = 0040000 };
#define S_ISREG(mode) (((mode)&S_IFMT) == S_IFREG)
#define S_ISDIR(mode) (((mode)&S_IFMT) == S_IFDIR)

int stat(const char *path, struct stat *info);
int fstat(int descriptor, struct stat *info);

#endif
