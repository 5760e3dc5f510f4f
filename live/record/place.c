/*
 * place.c - see place.h.
 *
 * A file that is copied, restored or synchronised is a new inode, and is born
 * anew; so is one that is written beside the old one and renamed.  A disk that
 * is cloned keeps both, and then the machine is another one, unless that was
 * cloned with the disk: nothing on the disk can tell.
 */
#include "live/record/place.h"

#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/wire.h"

enum { ID_DIGITS = 32 };

/* File systems, by what statfs(2) calls them. */
enum {
    IS_EXT = 0xef53,
    IS_ZFS = 0x2fc12fc1,
    IS_FAT = 0x4d44,
    IS_EXFAT = 0x2011bab0,
    IS_FUSE = 0x65735546,
    IS_9P = 0x01021997,
};
#define IS_BTRFS UINT64_C(0x9123683e)
#define IS_CIFS  UINT64_C(0xff534d42)
#define IS_SMB2  UINT64_C(0xfe534d42)

/* The identity of this installation of a system, which is not to be shown to
 * others as it is: machine-id(5). */
static uint64_t machine(void)
{
    static const char what[] = "fulcrum place 1";
    int file = open("/etc/machine-id", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char id[ID_DIGITS];
    uint8_t hash[crypto_generichash_BYTES_MIN];
    ssize_t got = file < 0 ? -1 : read(file, id, sizeof id);

    if (file >= 0)
        close(file);
    if (got != (ssize_t)sizeof id)
        return 0; /* none, or "uninitialized" */
    crypto_generichash(hash, sizeof hash, (const uint8_t *)id, sizeof id,
                       (const uint8_t *)what, sizeof what);
    return fc_get64(hash);
}

/* btrfs has one for each subvolume, so that a snapshot has another. */
static uint64_t volume(const struct statfs *is)
{
    uint64_t type = (uint64_t)is->f_type & UINT32_MAX, id = 0;

    if (type == IS_EXT || type == IS_BTRFS || type == IS_ZFS)
        memcpy(&id, &is->f_fsid,
               sizeof id < sizeof is->f_fsid ? sizeof id : sizeof is->f_fsid);
    return id;
}

/* These number their files as they come to be used, or may. */
static bool numbers_last(const struct statfs *is)
{
    uint64_t type = (uint64_t)is->f_type & UINT32_MAX;

    return type != IS_FAT && type != IS_EXFAT && type != IS_FUSE &&
           type != IS_9P && type != IS_CIFS && type != IS_SMB2;
}

/* Of a number that is known: never 0. */
static uint32_t fold(uint64_t number)
{
    uint32_t folded = (uint32_t)(number ^ number >> 32);

    return folded ? folded : 1;
}

struct live_place live_place_of(int file)
{
    struct live_place place = {.machine = machine()};
    struct statfs on;
    struct statx is;

    if (fstatfs(file, &on) != 0 || !numbers_last(&on) ||
        statx(file, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &is) != 0)
        return place;
    place.volume = volume(&on);
    if (is.stx_mask & STATX_INO)
        place.file = fold(is.stx_ino);
    if (is.stx_mask & STATX_BTIME)
        place.born = fold((uint64_t)is.stx_btime.tv_sec * 1000000000 +
                          is.stx_btime.tv_nsec);
    return place;
}

static bool differ(uint64_t one, uint64_t other)
{
    return one && other && one != other;
}

const char *live_place_differs(const struct live_place *one,
                               const struct live_place *other)
{
    if (differ(one->machine, other->machine))
        return "on another machine";
    if (differ(one->volume, other->volume))
        return "on another file system";
    if (differ(one->file, other->file) || differ(one->born, other->born))
        return "in another file";
    return NULL;
}
