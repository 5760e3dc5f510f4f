/*
 * dirent.h - there are no directories.
 */
#ifndef WEB_DIRENT_H
#define WEB_DIRENT_H

struct dirent {
    char d_name[256];
};

int scandir(const char *path, struct dirent ***list,
            int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **a, const struct dirent **b);

#endif
