/*
 * desk_parts.h - what the files of the desk share: desk.c (locks and which
 * client gets them), desk_client.c (one client: letters, page, log),
 * desk_process.c (what is killed), desk_listen.c (the socket), desk_socket.c
 * (connections) and desk_report.c (status).
 */
#ifndef LIVE_DESK_PARTS_H
#define LIVE_DESK_PARTS_H

#include "live/desk/desk.h"

#include <sys/queue.h>

#include "live/client/letter.h"
#include "live/desk/holders.h"
#include "live/process/cgroup.h"

enum client_state {
    CLIENT_FRESH,  /* has asked for nothing, or has given it back */
    CLIENT_QUEUED, /* waits for its lock */
    CLIENT_HOLDS,
    CLIENT_DYING, /* its process is killed, and may not be gone yet */
};

struct lock;

struct client {
    TAILQ_ENTRY(client) in_lock; /* all except fresh ones, as they came */
    TAILQ_ENTRY(client) in_desk;
    struct live_desk *desk;
    struct lock *lock;
    enum client_state state;
    bool shared;
    bool told;        /* why it waits */
    bool gone;        /* its connection is closed */
    bool stuck;       /* its group cannot be killed */
    bool extra;       /* there are too many: it may ask for status alone */
    int fd, pidfd;    /* pidfd: of the group's leader, or -1 */
    pid_t pid, group; /* group 0: none */
    uid_t uid;        /* of the process pid, as it connected */
    struct live_cgroup cgroup;
    uint64_t hold; /* microseconds from the grant; 0: any time */
    uint64_t asked_at, wait_until, granted_at, killed_at, token;
    int noted;              /* its place among the holders, or -1 */
    uint64_t look_at;       /* not before: whether a stuck group lives */
    struct live_page *page; /* of a grant; or NULL */
    uv_poll_t poll;
};

TAILQ_HEAD(clients, client);

struct lock {
    uint64_t id;
    uint64_t granted; /* the token of the last grant */
    struct clients clients;
    bool used;
    char name[LIVE_LOCK_NAME_MAX + 1];
};

/* Lines of this second. */
struct trail {
    uint64_t until, grants, releases;
};

struct live_desk {
    uv_loop_t *loop;
    struct live_mode *mode;
    const struct live_config *config;
    uint32_t self;
    live_describe *describe;
    void *whom;
    struct live_desk_counts counts;
    struct live_holders *holders; /* for a next life; or NULL */
    struct trail trail;
    uint64_t latest; /* the latest wake-up of its timer */
    struct clients clients;
    uint32_t clients_count;
    uint64_t first_deadline;        /* of all grants; UINT64_MAX: none */
    uint64_t timer_at;              /* what the timer is set to; likewise */
    uint64_t moved_to;              /* the end that the pages know */
    bool busy, again;               /* in live_desk_update() */
    char stopping[LIVE_REASON_MAX]; /* why; empty: it is not */
    char draining[LIVE_REASON_MAX]; /* likewise */
    char held_up[LIVE_REASON_MAX];  /* why nothing is granted; likewise */
    bool leaves;                    /* the node itself stops */
    bool closed;
    bool told_groups;    /* that commands are stopped by process group alone */
    bool sees_processes; /* by the numbers that kill() means */
    uint64_t time_ns;    /* live_time_namespace() */
    int timer_fd, listener_fd;
    int files_max; /* no client gets a file of this number, or above */
    dev_t socket_device;
    ino_t socket_inode;
    uint64_t tell_at; /* again, that clients are turned away */
    uint32_t closing; /* handles */
    uv_poll_t timer, listener;
    uv_timer_t pause; /* of the listener */
    char path[LIVE_PATH_MAX];
    struct lock locks[LIVE_LOCKS_MAX];
};

/* desk_client.c.  The files that came with an ask are taken over, or -1 each
 * afterwards. */
int client_prepare(struct client *client, const struct live_letter *ask,
                   int files[LIVE_FILES_MAX], char reason[LIVE_REASON_MAX]);
bool client_say(struct client *client, const struct live_letter *letter,
                int descriptor);
void client_refuse(struct client *client, enum live_refusal how,
                   const char *reason);
bool client_grant(struct client *client, uint64_t token, uint64_t deadline);
void client_move(struct client *client, uint64_t deadline);
void client_kill(struct client *client, const char *why);
bool client_is_dead(struct client *client, uint64_t now);
void client_rest(struct client *client); /* leaves its lock, is fresh */

/* desk_process.c: of a client that is to be killed by the pidfd it sent.  -1
 * with a reason if it may not, or could not be. */
int process_take(struct client *client, int files[LIVE_FILES_MAX],
                 char reason[LIVE_REASON_MAX]);
void process_kill(struct client *client);
bool process_is_dead(struct client *client, uint64_t now);
void process_forget(struct client *client);

/* Grants, releases and losses in the log. */
void trail_granted(const struct client *client);
void trail_released(const struct client *client);
void trail_lost(const struct client *client, const char *why);
void trail_sum(struct live_desk *desk, uint64_t now);

/* desk_listen.c: the socket, bound and listened to, or -1 with a sentence. */
int listen_open(struct live_desk *desk, const struct live_user *user,
                char error[LIVE_ERROR_SIZE]);
void listen_close(struct live_desk *desk);

/* desk_socket.c */
int socket_open(struct live_desk *desk, const struct live_user *user,
                char error[LIVE_ERROR_SIZE]);
void socket_close(struct live_desk *desk);
void client_end(struct client *client); /* closes its connection */

/* desk.c */
void desk_ask(struct client *client, const struct live_letter *letter,
              int files[LIVE_FILES_MAX]);
void desk_release(struct client *client);
void desk_left(struct client *client); /* the connection is gone */
void desk_closed(uv_handle_t *handle); /* one of the desk's own */
void desk_sleep_until(struct live_desk *desk, uint64_t at);

/* desk_report.c */
void report_reason(const struct live_desk *desk, const struct lock *lock,
                   char reason[LIVE_REASON_MAX]);
int report_file(const struct live_desk *desk);

#endif
