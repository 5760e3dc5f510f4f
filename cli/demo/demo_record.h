/*
 * demo_record.h - the lines that holders of a lock wrote themselves, and
 * whether two of them were ever inside together.
 *
 * A holder appends a line when it enters, every few milliseconds while it is
 * inside, and when it leaves:
 *
 *     LOCK TOKEN NODE WHAT TIME PROCESS
 *
 * WHAT is in, is, out; or late, after a freeze, when the store has refused its
 * write, and lost, when it has not.  The time is CLOCK_BOOTTIME in
 * microseconds, read before the line is written.
 */
#ifndef CLI_DEMO_RECORD_H
#define CLI_DEMO_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One stay inside. */
struct demo_entry {
    char lock[16];
    uint64_t token;
    uint32_t node;
    uint64_t from, to; /* the first and the last time it said so */
    pid_t process;
    bool left;        /* on its own */
    bool refused;     /* a write after a freeze, by the store */
    bool overwritten; /* the same, but the store let it through */
};

enum { DEMO_ENTRIES_MAX = 4096 };

struct demo_record {
    int file;
    size_t used; /* bytes of a line that is not whole yet */
    char line[256];
    uint32_t count;
    struct demo_entry entries[DEMO_ENTRIES_MAX];
    const char *broken; /* what was seen that must not be */
};

/* Makes the file.  -1 with errno. */
int demo_record_open(struct demo_record *r, const char *path);
void demo_record_close(struct demo_record *r);

/* Reads the lines that are new. */
void demo_record_read(struct demo_record *r);

/* The last holder that entered a lock, or NULL. */
const struct demo_entry *demo_record_last(const struct demo_record *r,
                                          const char *lock);

/* A stay, as far as it is known by now. */
const struct demo_entry *demo_record_find(const struct demo_record *r,
                                          const struct demo_entry *entry);

/* NULL if never two were inside one lock and tokens grew from holder to holder;
 * else what was wrong. */
const char *demo_record_judge(const struct demo_record *r);

/* The command that runs inside: fulcrum demo holder LOCK NODE MILLISECONDS, in
 * the folder of the cluster. */
int demo_holder(int argc, char **argv);

#endif
