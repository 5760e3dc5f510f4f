/*
 * folder.h - the directories of the record and of the socket, made if they are
 * not there.
 */
#ifndef LIVE_FOLDER_H
#define LIVE_FOLDER_H

#include <sys/types.h>

#include "live/config/config.h"

/* Makes a directory, but none above it.  -1 with a sentence that says how to do
 * it by hand. */
int live_folder_make(const char *path, mode_t mode,
                     char error[LIVE_ERROR_SIZE]);

/* The same for the directory in which a file is. */
int live_folder_make_for(const char *file, mode_t mode,
                         char error[LIVE_ERROR_SIZE]);

#endif
