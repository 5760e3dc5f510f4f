/*
 * demo_cluster.h - five nodes on this machine, and a client beside each: how
 * they are started, frozen, killed and, whatever happens, stopped.
 *
 * All are processes of this program, each in a process group of its own, so
 * that Ctrl-C is ours alone.  They die with us, however we die.
 */
#ifndef CLI_DEMO_CLUSTER_H
#define CLI_DEMO_CLUSTER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DEMO_NODES = 5, DEMO_LEASE_MS = 400, DEMO_PATH = PATH_MAX + 128 };

extern const char *const demo_names[DEMO_NODES];

/* Files beside the configuration, in the folder of the cluster. */
#define DEMO_CONFIG "cluster.ini"
#define DEMO_RECORD "holders"
#define DEMO_STORE  "store"

struct demo_cluster {
    char folder[PATH_MAX];
    char program[PATH_MAX];                     /* this one */
    pid_t node[DEMO_NODES], client[DEMO_NODES]; /* 0: none */
    bool frozen[DEMO_NODES];
};

/* FOLDER/FILE; returns `path`. */
const char *demo_path(const char *folder, const char *file,
                      char path[DEMO_PATH]);

/* The folder is there, and what an earlier demo left in it is not.  The user
 * may have given it: an exit code with a complaint if it has anything that no
 * demo has made, and then it stays as it is. */
int demo_folder_make(const char *folder);

/* The part of the demo with these nodes: they fight for a lock and elect a
 * leader, while nodes are killed and frozen.  Returns an exit code. */
int demo_live(const char *folder);

/* Makes the folder, the key and the configuration, with ports that are free
 * now.  What an earlier demo left there is removed; a folder that no demo has
 * made is refused.  An exit code with a complaint. */
int demo_cluster_make(struct demo_cluster *c, const char *folder);

/* Starts a node; the first time it creates its record.  -1 with errno. */
int demo_node_start(struct demo_cluster *c, uint32_t node, bool first);

/* Starts a client that asks for a lock, and is inside for so long.  -1 with
 * errno. */
int demo_client_start(struct demo_cluster *c, uint32_t node, const char *lock,
                      uint32_t stay_ms);

/* A child has ended: notes it.  The process, or 0 if none has. */
pid_t demo_reap(struct demo_cluster *c, int *status);

/* Stops all processes of a node: the daemon, the client and, if `all`, also the
 * guard and the command: the whole machine, then. */
void demo_freeze(struct demo_cluster *c, uint32_t node, bool all);
void demo_thaw(struct demo_cluster *c, uint32_t node);

/* Whether a process is there, and stopped. */
bool demo_is_stopped(pid_t process);

/* Ends everything, and waits for it. */
void demo_cluster_stop(struct demo_cluster *c);

/* The size of the view of a node that has a lease; 0 if it has none. */
uint32_t demo_members(const struct demo_cluster *c, uint32_t node);

/* ---- What holders wrote (demo_record.c) ---------------------------------- */

/* A holder appends a line when it enters, every few milliseconds while it is
 * inside, and when it leaves:
 *
 *     LOCK TOKEN NODE WHAT TIME PROCESS
 *
 * WHAT is in, is, out; or late, after a freeze, when the store has refused its
 * write, and lost, when it has not.  The time is CLOCK_BOOTTIME in
 * microseconds, read before the line is written. */

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
