/*
 * key.c - the key of a cluster as a file: 64 hexadecimal digits and a newline,
 * for its owner alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/config/config.h"
#include "live/fail.h"

enum { DIGITS = 2 * LIVE_KEY_BYTES };

/* Whether only its owner, root or this user, can read the file. */
static int check_owner(int file, const char *path, char error[LIVE_ERROR_SIZE])
{
    struct stat is;

    if (fstat(file, &is) != 0)
        return live_fail(error, "%s:1: %s", path, strerror(errno));
    if (!S_ISREG(is.st_mode))
        return live_fail(
            error,
            "%s:1: this is not a regular file; make one with 'fulcrum keygen'",
            path);
    if (is.st_uid != 0 && is.st_uid != geteuid())
        return live_fail(error,
                         "%s:1: the key belongs to user %u, who could change "
                         "it; let root or the daemon's user own it",
                         path, (unsigned)is.st_uid);
    if (is.st_mode & (S_IRWXG | S_IRWXO))
        return live_fail(error,
                         "%s:1: others can read or write the key (mode %04o); "
                         "make a new one if they did, else 'chmod 600' it",
                         path, (unsigned)is.st_mode & 07777);
    return 0;
}

int live_key_read(uint8_t key[LIVE_KEY_BYTES], const char *path,
                  char error[LIVE_ERROR_SIZE])
{
    char text[DIGITS + 2] = {0};
    size_t size = 0;
    ssize_t got;
    int code, file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (file < 0)
        return live_fail(error,
                         "%s:1: %s; make a key with 'fulcrum keygen', once for "
                         "all nodes, and copy it to each",
                         path, strerror(errno));
    code = check_owner(file, path, error);
    got = code ? -1 : read(file, text, sizeof text);
    close(file);
    if (code)
        return -1;
    if (got == DIGITS || (got == DIGITS + 1 && text[DIGITS] == '\n'))
        code = sodium_hex2bin(key, LIVE_KEY_BYTES, text, DIGITS, NULL, &size,
                              NULL);
    sodium_memzero(text, sizeof text);
    if (code == 0 && size == LIVE_KEY_BYTES)
        return 0;
    sodium_memzero(key, LIVE_KEY_BYTES);
    return live_fail(error,
                     "%s:1: this is not a key, which is %d hexadecimal digits; "
                     "make one with 'fulcrum keygen'",
                     path, DIGITS);
}

static int write_key(int file)
{
    uint8_t key[LIVE_KEY_BYTES];
    char text[DIGITS + 2];
    ssize_t done;

    randombytes_buf(key, sizeof key);
    sodium_bin2hex(text, DIGITS + 1, key, sizeof key);
    text[DIGITS] = '\n';
    done = write(file, text, DIGITS + 1);
    sodium_memzero(key, sizeof key);
    sodium_memzero(text, sizeof text);
    if (done >= 0 && done != DIGITS + 1)
        errno = ENOSPC;
    return done == DIGITS + 1 && fsync(file) == 0 ? 0 : -1;
}

int live_key_create(const char *path, char error[LIVE_ERROR_SIZE])
{
    int file, code;

    if (sodium_init() < 0)
        return live_fail(error,
                         "libsodium finds no source of random numbers; wait "
                         "until the system has started, and try again");
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return live_fail(error,
                         errno == EEXIST
                             ? "%s: there is a file already, and it may be the "
                               "key of a cluster; name another one"
                             : "%s: %s; name a file that can be made",
                         path, strerror(errno));
    code = fchmod(file, 0600) == 0 ? write_key(file) : -1;
    if (close(file) != 0)
        code = -1;
    if (code) {
        live_fail(error, "%s: %s; nothing was kept", path, strerror(errno));
        (void)unlink(path);
    }
    return code;
}
