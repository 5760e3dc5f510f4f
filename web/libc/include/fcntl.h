/*
 * fcntl.h - the three standard files are there; no other has a descriptor.
 */
#ifndef WEB_FCNTL_H
#define WEB_FCNTL_H

enum { O_RDONLY, O_WRONLY, O_RDWR, O_CLOEXEC = 1 << 19 };
enum { F_GETFD = 1 };

int fcntl(int descriptor, int what, ...);
int open(const char *path, int how, ...);

#endif
