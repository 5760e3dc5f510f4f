/*
 * record.c - see record.h.
 *
 * A slot, numbers with the least significant byte first:
 *
 *     0  magic          8      36  floor         8
 *     8  number         8      44  quiet         8
 *    16  configuration  8      52  generation    4
 *    24  node           4      56  flags         4
 *    28  maxv           4      60  crc of 0..59  4
 *    32  starts         4
 *
 * `quiet` is Wfull of the last start.  Earlier programs wrote slots with
 * another magic that ended after the floor with a crc of 0..43; they are read
 * as of generation 0.
 *
 * The slot with the greater number counts.  A write goes to the other one, and
 * is as long as a slot's share of the file, so that it needs no new room.  It
 * is taken for torn if its crc is wrong; then nothing that rests on it has
 * left the node, and the older slot is right.
 */
#include "live/host/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/wire.h"
#include "live/crc.h"
#include "live/fail.h"

enum {
    SLOTS = 2,
    SLOT_BYTES = 4096, /* no sector, and no page, belongs to both */
    USED_BYTES = 64,
    AT_CRC = USED_BYTES - 4,
    OLD_BYTES = 48,
    OLD_AT_CRC = OLD_BYTES - 4,
    FLAG_DISTRUSTED = 1,
    PATH_BYTES = LIVE_PATH_MAX + LIVE_NAME_MAX + 32,
};

static const uint8_t magic[8] = {'F', 'u', 'R', 'e', 'c', '3', '\r', '\n'};
static const uint8_t old_magic[8] = {'F', 'u', 'R', 'e', 'c', '2', '\r', '\n'};

struct slot {
    uint64_t number, hash;
    uint32_t node;
    struct view_lock_record values;
    uint64_t floor, quiet;
    uint32_t generation, flags;
};

struct live_record {
    int file;
    uint32_t current; /* which slot counts */
    struct slot slot; /* and what is in it */
    struct live_record_change change;
    char path[PATH_BYTES];
};

/* ---- Slots --------------------------------------------------------------- */

static void pack(const struct slot *slot, uint8_t bytes[SLOT_BYTES])
{
    memset(bytes, 0, SLOT_BYTES);
    memcpy(bytes, magic, sizeof magic);
    fc_put64(bytes + 8, slot->number);
    fc_put64(bytes + 16, slot->hash);
    fc_put32(bytes + 24, slot->node);
    fc_put32(bytes + 28, slot->values.maxv);
    fc_put32(bytes + 32, slot->values.starts);
    fc_put64(bytes + 36, slot->floor);
    fc_put64(bytes + 44, slot->quiet);
    fc_put32(bytes + 52, slot->generation);
    fc_put32(bytes + 56, slot->flags);
    fc_put32(bytes + AT_CRC, live_crc(bytes, AT_CRC));
}

/* -1: not whole.  An old slot may be all that is there of its file. */
static int unpack(struct slot *slot, const uint8_t *bytes, size_t size)
{
    bool old = size >= OLD_BYTES && !memcmp(bytes, old_magic, sizeof old_magic);
    size_t end = old ? OLD_AT_CRC : AT_CRC;

    if (size < end + 4 || (!old && memcmp(bytes, magic, sizeof magic) != 0) ||
        fc_get32(bytes + end) != live_crc(bytes, end))
        return -1;
    *slot = (struct slot){0};
    slot->number = fc_get64(bytes + 8);
    slot->hash = fc_get64(bytes + 16);
    slot->node = fc_get32(bytes + 24);
    slot->values.maxv = fc_get32(bytes + 28);
    slot->values.starts = fc_get32(bytes + 32);
    slot->floor = fc_get64(bytes + 36);
    if (old)
        return 0;
    slot->quiet = fc_get64(bytes + 44);
    slot->generation = fc_get32(bytes + 52);
    slot->flags = fc_get32(bytes + 56);
    return 0;
}

/* Writes a whole slot and waits for the disk; -1 with errno. */
static int write_slot(int file, uint32_t which, const struct slot *slot)
{
    uint8_t bytes[SLOT_BYTES];
    size_t done = 0;

    pack(slot, bytes);
    while (done < sizeof bytes) {
        ssize_t put_now = pwrite(file, bytes + done, sizeof bytes - done,
                                 (off_t)(which * SLOT_BYTES + done));

        if (put_now < 0 && errno == EINTR)
            continue;
        if (put_now == 0)
            errno = ENOSPC;
        if (put_now <= 0)
            return -1;
        done += (size_t)put_now;
    }
    return fdatasync(file);
}

/* Bytes of a slot that are there, or -1 with errno. */
static ssize_t read_slot(int file, uint32_t which, uint8_t bytes[USED_BYTES])
{
    size_t done = 0;

    while (done < USED_BYTES) {
        ssize_t got = pread(file, bytes + done, USED_BYTES - done,
                            (off_t)(which * SLOT_BYTES + done));

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

/* The slot that counts: 0 or 1; SLOTS if none is whole; -1 with errno. */
static int read_slots(int file, struct slot *slot)
{
    int best = SLOTS;

    for (uint32_t i = 0; i < SLOTS; i++) {
        uint8_t bytes[USED_BYTES];
        struct slot found;
        ssize_t size = read_slot(file, i, bytes);

        if (size < 0)
            return -1;
        if (unpack(&found, bytes, (size_t)size) != 0 ||
            (best != SLOTS && found.number < slot->number))
            continue;
        *slot = found;
        best = (int)i;
    }
    return best;
}

/* ---- Making -------------------------------------------------------------- */

static void path_of(const struct live_config *config, uint32_t self,
                    const char *ending, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s.record%s", config->state,
             config->nodes[self].name, ending);
}

static int sync_folder(const char *folder)
{
    int code, file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file < 0)
        return -1;
    code = fsync(file);
    close(file);
    return code;
}

/* A file with both slots in it, under a name of its own; -1 with errno.  It
 * is written whole, so that no later write needs room. */
static int make_file(const char *path, const struct slot *first)
{
    struct slot slot = *first;
    int code,
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                    0600);

    if (file < 0)
        return -1;
    code = write_slot(file, 0, &slot);
    slot.number++;
    if (!code)
        code = write_slot(file, 1, &slot);
    if (!code)
        code = fsync(file);
    if (close(file) != 0)
        code = -1;
    return code;
}

static int refuse(char error[LIVE_ERROR_SIZE], const char *path)
{
    return live_fail(error,
                     "%s: %s; make room in the state directory, and let the "
                     "daemon's user write there",
                     path, strerror(errno));
}

static struct slot first_slot(const struct live_config *config, uint32_t self)
{
    return (struct slot){.number = 1,
                         .hash = config->hash,
                         .node = self,
                         .quiet = live_config_quiet(config),
                         .generation = config->generation};
}

void live_record_discard(const struct live_config *config, uint32_t self)
{
    char path[PATH_BYTES];

    path_of(config, self, "", path);
    (void)unlink(path);
    (void)sync_folder(config->state);
}

int live_record_create(const struct live_config *config, uint32_t self,
                       char error[LIVE_ERROR_SIZE])
{
    struct slot first = first_slot(config, self);
    char path[PATH_BYTES], fresh[PATH_BYTES];
    int why = 0;

    path_of(config, self, "", path);
    path_of(config, self, ".new", fresh);
    if (access(path, F_OK) == 0) {
        why = EEXIST;
    } else {
        if (make_file(fresh, &first) != 0 || link(fresh, path) != 0)
            why = errno;
        (void)unlink(fresh);
    }
    if (why == EEXIST)
        return live_fail(
            error,
            "%s: this node was created before; start it without --init, and "
            "never remove this file while the cluster is in use",
            path);
    if (why == 0 && sync_folder(config->state) == 0)
        return 0;
    if (why == 0) { /* it may be gone after a crash: so it is gone now */
        why = errno;
        (void)unlink(path);
    }
    errno = why;
    return refuse(error, path);
}

int live_record_repair(const struct live_config *config, uint32_t self,
                       const struct view_lock_record *values,
                       char error[LIVE_ERROR_SIZE])
{
    struct slot first = first_slot(config, self);
    char path[PATH_BYTES], fresh[PATH_BYTES];
    struct live_record *there = NULL;
    enum live_record_found found =
        live_record_open(&there, config, self, error);

    first.values = *values;
    path_of(config, self, "", path);
    path_of(config, self, ".new", fresh);
    if (found == LIVE_RECORD_FINE || found == LIVE_RECORD_OTHER) {
        live_record_close(there);
        return live_fail(
            error, "%s: the record is whole; there is nothing to repair", path);
    }
    if (found != LIVE_RECORD_MISSING && found != LIVE_RECORD_BAD &&
        found != LIVE_RECORD_SET_BACK)
        return -1;
    if (make_file(fresh, &first) != 0 || rename(fresh, path) != 0) {
        int why = errno;

        (void)unlink(fresh);
        errno = why;
        return refuse(error, path);
    }
    return sync_folder(config->state) == 0 ? 0 : refuse(error, path);
}

/* ---- Opening ------------------------------------------------------------- */

/* Opens and locks; the file, or -1 and what was found instead. */
static int open_locked(const char *path, enum live_record_found *found,
                       char error[LIVE_ERROR_SIZE])
{
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

    if (file < 0) {
        *found = errno == ENOENT ? LIVE_RECORD_MISSING : LIVE_RECORD_REFUSED;
        return live_fail(
            error,
            errno == ENOENT
                ? "%s: there is no record (%s); use --init if the node is new, "
                  "else --repair: it has forgotten its votes"
                : "%s: %s; let the daemon's user read and write it",
            path, strerror(errno));
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        *found =
            errno == EWOULDBLOCK ? LIVE_RECORD_LOCKED : LIVE_RECORD_REFUSED;
        snprintf(error, LIVE_ERROR_SIZE,
                 errno == EWOULDBLOCK
                     ? "%s: another process has it locked (%s); this node is "
                       "already running: stop that first"
                     : "%s: %s; keep the state directory on a local disk",
                 path, strerror(errno));
        close(file);
        return -1;
    }
    return file;
}

/* P5: whether this record may go on under this configuration. */
static enum live_record_found judge_change(struct live_record *record,
                                           const struct live_config *config,
                                           char error[LIVE_ERROR_SIZE])
{
    struct slot *slot = &record->slot;
    uint64_t quiet = live_config_quiet(config);

    if (slot->hash != config->hash && slot->generation == config->generation) {
        snprintf(
            error, LIVE_ERROR_SIZE,
            "%s: the configuration has changed, and is still of generation "
            "%u; stop all nodes, write generation = %u into the file of "
            "each, and start them",
            record->path, slot->generation, slot->generation + 1);
        return LIVE_RECORD_OTHER;
    }
    if (slot->generation > config->generation) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "%s: the record is of generation %u, and the configuration of "
                 "%u; use the newer file, or write a higher generation into "
                 "the files of all nodes",
                 record->path, slot->generation, config->generation);
        return LIVE_RECORD_OTHER;
    }
    if (slot->hash != config->hash)
        record->change = (struct live_record_change){
            .changed = true,
            .generation = slot->generation,
            .wait = slot->quiet > quiet ? slot->quiet - quiet : 0};
    return LIVE_RECORD_FINE;
}

/* Reads a locked file into a record. */
static enum live_record_found read_record(struct live_record *record,
                                          const struct live_config *config,
                                          uint32_t self,
                                          char error[LIVE_ERROR_SIZE])
{
    struct slot *slot = &record->slot;
    int best = read_slots(record->file, slot);

    if (best < 0) {
        snprintf(error, LIVE_ERROR_SIZE, "%s: %s; check the disk", record->path,
                 strerror(errno));
        return LIVE_RECORD_REFUSED;
    }
    if (best == SLOTS || (slot->node != self && slot->hash == config->hash)) {
        snprintf(
            error, LIVE_ERROR_SIZE,
            "%s: %s; the node may not vote until it is repaired: use --repair",
            record->path,
            best == SLOTS ? "neither slot is whole"
                          : "this is the record of another node");
        return LIVE_RECORD_BAD;
    }
    if (slot->flags & FLAG_DISTRUSTED) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "%s: it was found that this record was set back, or that its "
                 "disk has lost a write; starting again does not help: use "
                 "--repair, which asks all other nodes",
                 record->path);
        return LIVE_RECORD_SET_BACK;
    }
    record->current = (uint32_t)best;
    return judge_change(record, config, error);
}

enum live_record_found live_record_open(struct live_record **record,
                                        const struct live_config *config,
                                        uint32_t self,
                                        char error[LIVE_ERROR_SIZE])
{
    enum live_record_found found = LIVE_RECORD_REFUSED;
    struct live_record *made = calloc(1, sizeof *made);

    *record = NULL;
    if (!made) {
        snprintf(error, LIVE_ERROR_SIZE, "out of memory; free some");
        return LIVE_RECORD_REFUSED;
    }
    path_of(config, self, "", made->path);
    made->file = open_locked(made->path, &found, error);
    if (made->file >= 0)
        found = read_record(made, config, self, error);
    if (found != LIVE_RECORD_FINE) {
        live_record_close(made);
        return found;
    }
    made->slot.hash = config->hash;
    made->slot.node = self;
    made->slot.generation = config->generation;
    made->slot.quiet = live_config_quiet(config);
    *record = made;
    return LIVE_RECORD_FINE;
}

struct live_record_change live_record_change(const struct live_record *record)
{
    return record->change;
}

struct view_lock_record live_record_values(const struct live_record *record)
{
    return record->slot.values;
}

uint64_t live_record_floor(const struct live_record *record)
{
    return record->slot.floor;
}

/* The next slot; its number is given here. */
static int write_next(struct live_record *record, struct slot next,
                      char error[LIVE_ERROR_SIZE])
{
    const struct slot *last = &record->slot;

    /* Nor is a slot believed whose number has begun again. */
    if (next.values.maxv < last->values.maxv ||
        next.values.starts < last->values.starts || next.floor < last->floor ||
        last->number == UINT64_MAX)
        return live_fail(
            error,
            "%s: a record never goes back, and this would; please report it",
            record->path);
    next.number++;
    if (write_slot(record->file, 1 - record->current, &next) != 0)
        return refuse(error, record->path);
    record->current = 1 - record->current;
    record->slot = next;
    return 0;
}

int live_record_write(struct live_record *record,
                      const struct view_lock_record *values,
                      char error[LIVE_ERROR_SIZE])
{
    struct slot next = record->slot;

    next.values = *values;
    return write_next(record, next, error);
}

int live_record_write_floor(struct live_record *record, uint64_t floor,
                            char error[LIVE_ERROR_SIZE])
{
    struct slot next = record->slot;

    next.floor = floor;
    return write_next(record, next, error);
}

int live_record_distrust(struct live_record *record,
                         char error[LIVE_ERROR_SIZE])
{
    struct slot next = record->slot;

    /* Both slots: the older one must not count if this one is damaged. */
    next.flags |= FLAG_DISTRUSTED;
    if (write_next(record, next, error))
        return -1;
    return write_next(record, record->slot, error);
}

void live_record_close(struct live_record *record)
{
    if (!record)
        return;
    if (record->file >= 0)
        close(record->file);
    free(record);
}
