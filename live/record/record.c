/*
 * record.c - see record.h.
 *
 * The slot with the greater number counts.  A write goes to the other one, and
 * is as long as a slot's share of the file, so that it needs no new room.  It
 * is taken for torn if its crc is wrong; then nothing that rests on it has
 * left the node, and the older slot is right.
 *
 * A node that stops in order writes all that it knows into both slots: a slot
 * that is damaged while the node is off takes no vote with it.  Only after a
 * crash must the older slot be believed because the newer one is not whole.
 *
 * The first write to a file of an earlier program is two: the old contents in
 * this program's format, and then the new.  An earlier program takes a slot
 * that it does not know for a torn one; if it were started again it would go on
 * with the other, and forget a vote.  So it is left none.
 */
#include "live/record/record_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "live/common/lock.h"
#include "net/outside.h"
#include "net/why.h"

enum {
    SLOTS = 2,
    PATH_BYTES = LIVE_PATH_MAX + LIVE_NAME_MAX + 32,
    DYING_NS = 10 * 1000 * 1000, /* how often we look for the lock of one */
    DYING_LOOKS = 100,
};

struct live_record {
    int file;
    uint32_t current;          /* which slot counts */
    enum record_format format; /* and as what it was found */
    struct record_slot slot;   /* and its contents */
    uint32_t whole;            /* slots that were found so */
    const struct live_payload *payload;
    uint32_t own;   /* of the slot's payloads */
    uint64_t quiet; /* as the configuration says */
    struct live_record_change change;
    char path[PATH_BYTES];
};

/* ---- Slots --------------------------------------------------------------- */

/* Finds the slot that counts, or RECORD_TORN if none is whole; -1 with
 * errno. */
static int read_slots(struct live_record *record)
{
    record->format = RECORD_TORN;
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint8_t bytes[RECORD_SLOT_BYTES];
        struct record_slot found;
        enum record_format format;
        ssize_t size = record_slot_read(record->file, i, bytes);

        if (size < 0)
            return -1;
        format = record_slot_unpack(&found, bytes, (size_t)size);
        record->whole += format != RECORD_TORN;
        if (format == RECORD_TORN || (record->format != RECORD_TORN &&
                                      found.number < record->slot.number))
            continue;
        record->slot = found;
        record->format = format;
        record->current = i;
    }
    return 0;
}

/* The payload of a mode, which is made if there is none; NULL: there is no
 * room. */
static struct record_payload *payload_of(struct record_slot *slot,
                                         const struct live_payload *payload)
{
    uint32_t i = 0;

    while (i < slot->payloads_count && slot->payloads[i].mode != payload->mode)
        i++;
    if (i == RECORD_PAYLOADS_MAX)
        return NULL;
    if (i == slot->payloads_count)
        slot->payloads[slot->payloads_count++] =
            (struct record_payload){.mode = payload->mode,
                                    .version = payload->version,
                                    .size = payload->least};
    return &slot->payloads[i];
}

/* What a mode hands over to be kept. */
static void keep(struct record_slot *slot, struct record_payload *own,
                 const struct live_kept *kept)
{
    slot->starts = kept->starts;
    if (slot->quiet < kept->quiet)
        slot->quiet = kept->quiet;
    own->size = kept->size;
    memcpy(own->bytes, kept->bytes, kept->size);
    memset(own->bytes + kept->size, 0, sizeof own->bytes - kept->size);
}

static bool fits(const struct live_payload *payload, uint32_t size)
{
    return size >= payload->least && size <= payload->most &&
           size <= LIVE_PAYLOAD_MAX;
}

static bool refuse_size(const char *path, struct net_why *error)
{
    return net_refuse(error,
                      "%s: a mode keeps as many bytes as it says, and this "
                      "does not; please report it",
                      path);
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
static int make_file(const char *path, const struct record_slot *first)
{
    struct record_slot slot = *first;
    int code, file = outside_renew_path(path);

    if (file < 0)
        return -1;
    slot.place = live_place_of(file);
    code = record_slot_write(file, 0, &slot);
    slot.number++;
    if (!code)
        code = record_slot_write(file, 1, &slot);
    if (!code)
        code = fsync(file);
    if (close(file) != 0)
        code = -1;
    return code;
}

static bool refuse(struct net_why *error, const char *path)
{
    return net_fail(error,
                    "%s: %s; make room in the state directory, and let the "
                    "daemon's user write there",
                    path, strerror(errno));
}

static struct record_slot first_slot(const struct live_config *config,
                                     uint32_t self)
{
    return (struct record_slot){.number = 1,
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

bool live_record_create(const struct live_config *config, uint32_t self,
                        struct net_why *error)
{
    struct record_slot first = first_slot(config, self);
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
        return net_refuse(
            error,
            "%s: this node was created before; start it without --init, and "
            "never remove this file while the cluster is in use",
            path);
    if (why == 0 && sync_folder(config->state) == 0)
        return true;
    if (why == 0) { /* it may be gone after a crash: so it is gone now */
        why = errno;
        (void)unlink(path);
    }
    errno = why;
    return refuse(error, path);
}

uint32_t live_record_may_lack(uint32_t nodes)
{
    uint32_t majority = nodes / 2 + 1;

    return majority > 2 ? majority - 2 : 0;
}

bool live_record_repairable(enum live_record_found found)
{
    return found == LIVE_RECORD_MISSING || found == LIVE_RECORD_BAD ||
           found == LIVE_RECORD_SET_BACK || found == LIVE_RECORD_ELSEWHERE;
}

bool live_record_repair(const struct live_config *config, uint32_t self,
                        const struct live_payload *payload,
                        const struct live_kept *kept, struct net_why *error)
{
    struct record_slot first = first_slot(config, self);
    char path[PATH_BYTES], fresh[PATH_BYTES];
    struct live_record *there = NULL;
    enum live_record_found found =
        live_record_open(&there, config, self, payload, error);

    path_of(config, self, "", path);
    path_of(config, self, ".new", fresh);
    if (found == LIVE_RECORD_FINE || found == LIVE_RECORD_OTHER) {
        live_record_close(there);
        return net_refuse(
            error, "%s: the record is whole; there is nothing to repair", path);
    }
    if (!live_record_repairable(found))
        return false;
    if (!fits(payload, kept->size))
        return refuse_size(path, error);
    keep(&first, payload_of(&first, payload), kept);
    if (make_file(fresh, &first) != 0 || rename(fresh, path) != 0) {
        int why = errno;

        (void)unlink(fresh);
        errno = why;
        return refuse(error, path);
    }
    return sync_folder(config->state) == 0 || refuse(error, path);
}

/* ---- Opening ------------------------------------------------------------- */

/* Opens and locks; the file, or -1 and what was found instead. */
static int open_locked(const char *path, enum live_record_found *found,
                       struct net_why *error)
{
    int file = outside_open_path(path, O_RDWR);

    if (file < 0) {
        *found = errno == ENOENT ? LIVE_RECORD_MISSING : LIVE_RECORD_REFUSED;
        net_fail(
            error,
            errno == ENOENT
                ? "%s: there is no record (%s); use --init if the node is new, "
                  "else --repair: it has forgotten its votes"
                : "%s: %s; let the daemon's user read and write it",
            path, strerror(errno));
        return -1;
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        *found =
            errno == EWOULDBLOCK ? LIVE_RECORD_LOCKED : LIVE_RECORD_REFUSED;
        net_fail(error,
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

/* A daemon that was killed keeps it locked until the last of its threads is
 * gone; starting the next one at once is no mistake. */
static int open_when_free(const char *path, enum live_record_found *found,
                          struct net_why *error)
{
    int file = open_locked(path, found, error);

    for (int look = 0;
         file < 0 && *found == LIVE_RECORD_LOCKED && look < DYING_LOOKS;
         look++) {
        (void)nanosleep(&(struct timespec){0, DYING_NS}, NULL);
        file = open_locked(path, found, error);
    }
    return file;
}

static enum live_record_found found_later(const struct live_record *record,
                                          const char *what,
                                          struct net_why *error)
{
    net_refuse(
        error,
        "%s: %s was written by a later version of this program; start the "
        "node with that version",
        record->path, what);
    return LIVE_RECORD_LATER;
}

static enum live_record_found found_bad(const struct live_record *record,
                                        const char *why, struct net_why *error)
{
    net_refuse(
        error,
        "%s: %s; the node may not vote until it is repaired: use --repair",
        record->path, why);
    return LIVE_RECORD_BAD;
}

/* What this mode has written there, in this generation or an earlier one. */
static enum live_record_found find_own(struct live_record *record,
                                       const struct live_payload *payload,
                                       struct net_why *error)
{
    const struct record_payload *own = payload_of(&record->slot, payload);

    if (!own || own->version > payload->version)
        return found_later(record, "what this mode keeps in it", error);
    if (own->version != payload->version || !fits(payload, own->size))
        return found_bad(record, "this mode has not written what is there",
                         error);
    record->payload = payload;
    record->own = (uint32_t)(own - record->slot.payloads);
    return LIVE_RECORD_FINE;
}

/* P7: a record is used where it was last.  One of an earlier program, or one
 * that is moved here, belongs here from its next write on. */
static enum live_record_found judge_place(struct live_record *record,
                                          bool moved, struct net_why *error)
{
    struct live_place here = live_place_of(record->file);
    const char *where = live_place_differs(&record->slot.place, &here);

    if (where && !moved) {
        net_refuse(
            error,
            "%s: this record was used %s; if it was moved, and the node is "
            "off there and stays off, start it once with --moved; a copy "
            "or a backup needs --repair",
            record->path, where);
        return LIVE_RECORD_ELSEWHERE;
    }
    record->slot.place = here;
    return LIVE_RECORD_FINE;
}

/* Reads a locked file into a record. */
static enum live_record_found read_record(struct live_record *record,
                                          const struct live_config *config,
                                          uint32_t self,
                                          const struct live_payload *payload,
                                          bool moved, struct net_why *error)
{
    struct record_slot *slot = &record->slot;
    enum live_record_found found;

    if (read_slots(record) != 0) {
        net_fail(error, "%s: %s; check the disk", record->path,
                 strerror(errno));
        return LIVE_RECORD_REFUSED;
    }
    if (record->format == RECORD_TORN)
        return found_bad(record, "neither slot is whole", error);
    if (record->format == RECORD_LATER)
        return found_later(record, "the record", error);
    found = find_own(record, payload, error);
    if (found != LIVE_RECORD_FINE)
        return found;
    if (slot->node != self && slot->hash == config->hash)
        return found_bad(record, "this is the record of another node", error);
    if (slot->flags & RECORD_DISTRUSTED) {
        net_refuse(
            error,
            "%s: it was found that this record was set back, or that its "
            "disk has lost a write; starting again does not help: use "
            "--repair, which asks all other nodes",
            record->path);
        return LIVE_RECORD_SET_BACK;
    }
    found = judge_place(record, moved, error);
    return found == LIVE_RECORD_FINE
               ? record_judge_change(slot, config, record->path,
                                     &record->change, error)
               : found;
}

/* Opens and locks the file, and reads it; NULL: no memory. */
static struct live_record *look_at(const struct live_config *config,
                                   uint32_t self,
                                   const struct live_payload *payload,
                                   bool moved, enum live_record_found *found,
                                   struct net_why *error)
{
    struct live_record *made = calloc(1, sizeof *made);

    *found = LIVE_RECORD_REFUSED;
    if (!made) {
        net_no_memory(error, "the record");
        return NULL;
    }
    path_of(config, self, "", made->path);
    made->file = open_when_free(made->path, found, error);
    if (made->file >= 0)
        *found = read_record(made, config, self, payload, moved, error);
    return made;
}

static enum live_record_found open_record(struct live_record **record,
                                          const struct live_config *config,
                                          uint32_t self,
                                          const struct live_payload *payload,
                                          bool moved, struct net_why *error)
{
    enum live_record_found found;
    struct live_record *made =
        look_at(config, self, payload, moved, &found, error);

    *record = NULL;
    if (found != LIVE_RECORD_FINE) {
        live_record_close(made);
        return found;
    }
    record_take_over(&made->slot, config, self, &made->change);
    made->quiet = live_config_quiet(config);
    *record = made;
    return LIVE_RECORD_FINE;
}

enum live_record_found live_record_open(struct live_record **record,
                                        const struct live_config *config,
                                        uint32_t self,
                                        const struct live_payload *payload,
                                        struct net_why *error)
{
    return open_record(record, config, self, payload, false, error);
}

enum live_record_found live_record_move(struct live_record **record,
                                        const struct live_config *config,
                                        uint32_t self,
                                        const struct live_payload *payload,
                                        struct net_why *error)
{
    return open_record(record, config, self, payload, true, error);
}

bool live_record_damaged(const struct live_record *record)
{
    return record->slot.flags & RECORD_STOPPED && record->whole < SLOTS;
}

struct live_record_change live_record_change(const struct live_record *record)
{
    return record->change;
}

struct live_kept live_record_kept(const struct live_record *record)
{
    const struct record_slot *slot = &record->slot;
    const struct record_payload *own = &slot->payloads[record->own];
    struct live_kept kept = {.starts = slot->starts,
                             .size = own->size,
                             .quiet =
                                 slot->quiet > record->quiet ? slot->quiet : 0};

    memcpy(kept.bytes, own->bytes, own->size);
    return kept;
}

static bool refuse_to_go_back(const struct live_record *record,
                              struct net_why *error)
{
    return net_refuse(
        error, "%s: a record never goes back, and this would; please report it",
        record->path);
}

/* Into the slot that does not count, which then does. */
static bool write_other(struct live_record *record, struct record_slot next,
                        struct net_why *error)
{
    const char *broken;

    /* Nor is a slot believed whose number has begun again. */
    if (record->slot.number == UINT64_MAX)
        return refuse_to_go_back(record, error);
    next.number = record->slot.number + 1;
    broken = record_slot_sane(&next);
    if (broken)
        return net_refuse(error, LIVE_INSANE, broken);
    if (record_slot_write(record->file, 1 - record->current, &next) != 0)
        return refuse(error, record->path);
    record->current = 1 - record->current;
    record->format = RECORD_NOW;
    record->slot = next;
    return true;
}

static bool write_next(struct live_record *record, struct record_slot next,
                       struct net_why *error)
{
    const struct record_slot *last = &record->slot;
    const struct record_payload *own = &next.payloads[record->own],
                                *before = &last->payloads[record->own];

    if (next.starts < last->starts ||
        !record->payload->follows(own->bytes, own->size, before->bytes,
                                  before->size))
        return refuse_to_go_back(record, error);
    if (record->format == RECORD_EARLIER && !write_other(record, *last, error))
        return false;
    return write_other(record, next, error);
}

bool live_record_write(struct live_record *record, const struct live_kept *kept,
                       struct net_why *error)
{
    struct record_slot next = record->slot;

    next.flags &= ~(uint32_t)RECORD_STOPPED;
    if (!fits(record->payload, kept->size))
        return refuse_size(record->path, error);
    keep(&next, &next.payloads[record->own], kept);
    return write_next(record, next, error);
}

/* Into both slots: whichever is damaged later, the other says the same. */
static bool write_both(struct live_record *record, struct record_slot next,
                       struct net_why *error)
{
    if (!write_next(record, next, error))
        return false;
    return write_next(record, record->slot, error);
}

static bool mark(struct live_record *record, uint32_t flag,
                 struct net_why *error)
{
    struct record_slot next = record->slot;

    next.flags |= flag;
    return write_both(record, next, error);
}

bool live_record_outdate(struct live_record *record, uint32_t generation,
                         struct net_why *error)
{
    struct record_slot next = record->slot;

    next.outdated_by = (uint8_t)generation;
    return write_both(record, next, error);
}

bool live_record_stay(const struct live_config *config, uint32_t self,
                      const struct live_payload *payload, struct net_why *error)
{
    enum live_record_found found;
    struct live_record *there =
        look_at(config, self, payload, false, &found, error);
    struct record_slot next;
    bool stays = false;

    if (found == LIVE_RECORD_OUTDATED) {
        next = there->slot;
        next.stays_from = next.outdated_by;
        next.outdated_by = 0;
        stays = write_both(there, next, error);
    } else if (found == LIVE_RECORD_FINE) {
        net_refuse(error,
                   "%s: this node did not stop for a higher generation; "
                   "start it without --stay",
                   there->path);
    }
    live_record_close(there);
    return stays;
}

bool live_record_distrust(struct live_record *record, struct net_why *error)
{
    return mark(record, RECORD_DISTRUSTED, error);
}

bool live_record_stop(struct live_record *record, struct net_why *error)
{
    return mark(record, RECORD_STOPPED, error);
}

void live_record_close(struct live_record *record)
{
    if (!record)
        return;
    if (record->file >= 0)
        close(record->file);
    free(record);
}
