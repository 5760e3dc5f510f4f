/*
 * whole.h - a place in a file is read or written whole, whatever signals come
 * meanwhile, and however little the system takes at a time.
 */
#ifndef NET_WHOLE_H
#define NET_WHOLE_H

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/* As many bytes as are there from `from` on, up to `size`; -1 with errno. */
static inline ssize_t net_read_whole(int file, void *bytes, size_t size,
                                     off_t from)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got =
            pread(file, (char *)bytes + done, size - done, from + (off_t)done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* 0; or -1 with errno. */
static inline int net_write_whole(int file, const void *bytes, size_t size,
                                  off_t to)
{
    size_t done = 0;

    while (done < size) {
        ssize_t put = pwrite(file, (const char *)bytes + done, size - done,
                             to + (off_t)done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = ENOSPC;
        if (put <= 0)
            return -1;
        done += (size_t)put;
    }
    return 0;
}

#endif
