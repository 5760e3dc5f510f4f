/*
 * demo_folder.h - the folder of a demo's cluster.  It may be given by the user:
 * so nothing is removed or written in one that no demo has made.
 */
#ifndef CLI_DEMO_FOLDER_H
#define CLI_DEMO_FOLDER_H

/* The folder is there, and what an earlier demo left in it is not.  An exit
 * code with a complaint if it has anything that no demo has made; then it
 * stays as it is. */
int demo_folder_make(const char *folder);

#endif
