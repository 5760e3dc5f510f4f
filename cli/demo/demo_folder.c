/*
 * demo_folder.c - the folder of a demo (see demo_cluster.h).  A demo leaves a
 * file that says so when it makes its folder, before anything else.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/demo/demo_cluster.h"

static const char sign[] = "made-by-fulcrum-demo";

const char *demo_path(const char *folder, const char *file,
                      char path[DEMO_PATH])
{
    snprintf(path, DEMO_PATH, "%s/%s", folder, file);
    return path;
}

static bool is_there(const char *path)
{
    struct stat about;

    return lstat(path, &about) == 0;
}

/* ---- What earlier demos left --------------------------------------------- */

/* A folder of ours, for reading; NULL: not a folder. */
static DIR *open_folder(int at, const char *name)
{
    int folder =
        openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);

    if (!list && folder >= 0)
        close(folder);
    return list;
}

/* Removes a folder of ours with its files, but not with folders in it. */
static void remove_folder(int at, const char *name)
{
    DIR *list = open_folder(at, name);
    const struct dirent *entry;

    if (!list)
        return;
    while ((entry = readdir(list)))
        (void)unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    (void)unlinkat(at, name, AT_REMOVEDIR);
}

/* Removes the folder of each name of a store. */
static void empty_store(const char *path)
{
    DIR *list = open_folder(AT_FDCWD, path);
    const struct dirent *entry;

    if (!list)
        return;
    while ((entry = readdir(list)))
        if (entry->d_name[0] != '.')
            remove_folder(dirfd(list), entry->d_name);
    closedir(list);
}

/* Only what a demo puts there: somebody may have added files since. */
static void clear_traces(const char *folder)
{
    static const char *const folders[] = {"state", DEMO_STORE "/names",
                                          DEMO_STORE};
    static const char *const files[] = {"cluster.key", DEMO_CONFIG, DEMO_RECORD,
                                        "clients.log"};
    char path[DEMO_PATH], name[64];

    empty_store(demo_path(folder, DEMO_STORE "/names", path));
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        remove_folder(AT_FDCWD, demo_path(folder, folders[i], path));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        (void)unlink(demo_path(folder, files[i], path));
    for (uint32_t i = 0; i < DEMO_NODES; i++) {
        snprintf(name, sizeof name, "%s.socket", demo_names[i]);
        (void)unlink(demo_path(folder, name, path));
        snprintf(name, sizeof name, "%s.log", demo_names[i]);
        (void)unlink(demo_path(folder, name, path));
    }
}

/* ---- Whose it is --------------------------------------------------------- */

static bool is_empty(const char *folder)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    bool empty = list != NULL;

    while (list && (entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            empty = false;
    if (list)
        closedir(list);
    return empty;
}

/* A file that was there before the sign belongs to the user, and so does a
 * picture beside a folder without a sign. */
static int sign_folder(const char *folder)
{
    char path[DEMO_PATH], picture[DEMO_PATH];
    int file;

    snprintf(picture, sizeof picture, "%s.svg", folder);
    if (!is_empty(folder) || is_there(picture))
        return cli_fail("%s has files that no demo has made; name another "
                        "folder with -o, or remove them",
                        is_there(picture) ? picture : folder);
    file =
        open(demo_path(folder, sign, path), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0)
        return cli_fail("%s: %s", path, strerror(errno));
    close(file);
    return 0;
}

int demo_folder_make(const char *folder)
{
    char path[DEMO_PATH];

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail("cannot make the folder %s: %s", folder,
                        strerror(errno));
    if (!is_there(demo_path(folder, sign, path)))
        return sign_folder(folder);
    clear_traces(folder);
    return 0;
}
