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

#endif
