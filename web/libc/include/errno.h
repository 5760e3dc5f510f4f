/*
 * errno.h - as in C; the numbers are Linux's.
 */
#ifndef WEB_ERRNO_H
#define WEB_ERRNO_H

extern int errno;

enum {
    ENOENT = 2,
    EINTR = 4,
    EIO = 5,
    EBADF = 9,
    ENOMEM = 12,
    EACCES = 13,
    EEXIST = 17,
    EISDIR = 21,
    EINVAL = 22,
    EFBIG = 27,
    ENOSPC = 28,
    EPIPE = 32,
    ERANGE = 34,
    EILSEQ = 84,
    EDQUOT = 122,
    ECANCELED = 125,
};

#endif
