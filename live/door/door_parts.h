/*
 * door_parts.h - shared by the files of the door: door.c (carries out the
 * desk's wishes), door_client.c (one client: letters, page, log),
 * door_process.c (kills commands), door_listen.c (the socket), door_socket.c
 * (connections) and door_status.c (the status: its text, and when a client gets
 * it).
 */
#ifndef LIVE_DOOR_PARTS_H
#define LIVE_DOOR_PARTS_H

#include "live/door/door.h"

#include "live/door/holders.h"
#include "live/process/cgroup.h"
#include "live/process/hunt.h"

struct client {
    struct live_door *door;
    uint32_t number;  /* at the desk */
    bool asked;       /* the desk knows it */
    bool gone;        /* its connection is closed */
    bool stuck;       /* its group cannot be killed */
    bool extra;       /* there are too many: it may ask for status alone */
    bool shared;      /* as it asked */
    bool report_due;  /* it has asked for the status */
    bool report_sent; /* and an earlier one may still be unread */
    bool hunted;      /* nobody of its command is left anywhere */
    int fd, pidfd;    /* pidfd: of the group's leader, or -1 */
    pid_t pid, group; /* group 0: none */
    uid_t uid;        /* of the process pid, as it connected */
    struct live_cgroup cgroup;
    uint64_t granted_at, token;   /* token 0: it holds nothing */
    uint64_t killed_at;           /* 0: it is not dying */
    int noted;                    /* its place among the holders, or -1 */
    uint64_t look_at;             /* not before: at a group that does not die */
    struct live_quarry quarry;    /* how its command is known */
    struct live_prey prey;        /* its processes that were found */
    uint64_t hunt_at, hunt_pause; /* not before; and then for so long */
    struct live_page *page;       /* of a grant; or NULL */
    uv_poll_t poll;
    char name[LIVE_LOCK_NAME_MAX + 1]; /* of its lock */
};

/* A grant that came to nothing, which the desk does not know yet. */
struct failure {
    uint32_t client;
    enum live_desk_event event;
    char why[LIVE_REASON_MAX];
};

/* Lines of this second. */
struct trail {
    uint64_t until, grants, releases;
};

struct live_door {
    uv_loop_t *loop;
    const struct live_node *node;
    const struct live_config *config;
    uint32_t self;
    struct live_door_owner owner;
    struct live_door_counts counts;
    struct live_holders *holders; /* for a next life; or NULL */
    struct trail trail;
    struct client *clients[LIVE_CLIENTS]; /* by their numbers; or NULL */
    uint32_t clients_count, dying;
    struct failure failures[LIVE_CLIENTS];
    uint32_t failures_count;
    char why[LIVE_REASON_MAX]; /* of the last one that was told */
    char names[LIVE_LOCKS_MAX][LIVE_LOCK_NAME_MAX + 1]; /* as the desk's */
    bool told_groups;    /* that commands are stopped by process group alone */
    bool sees_processes; /* by the numbers that kill() means */
    uint64_t time_ns;    /* live_time_namespace() */
    uint64_t hunt_at;    /* not before: the next look for left processes */
    int listener_fd;
    int files_max; /* no client gets a file of this number, or above */
    dev_t socket_device;
    ino_t socket_inode;
    uint64_t tell_at; /* again, that clients are turned away */
    uint32_t closing; /* handles */
    uv_poll_t listener;
    uv_timer_t pause; /* of the listener */
    struct {
        uv_timer_t timer;
        uint64_t next_at; /* reports are not given before */
        uint32_t from;    /* the client that is looked at first */
    } status;
    char path[LIVE_PATH_MAX];
};

/* door_client.c.  The files that came with an ask are taken over, or -1 each
 * afterwards. */
int door_client_prepare(struct client *client, const struct live_letter *ask,
                        int files[LIVE_FILES_MAX],
                        char reason[LIVE_REASON_MAX]);
bool door_client_say(struct client *client, const struct live_letter *letter,
                     int descriptor);
void door_client_refuse(struct client *client, enum live_refusal how,
                        const char *reason);
void door_client_grant(struct client *client, const struct live_effect *grant);
void door_client_move(struct client *client, uint64_t deadline);
void door_client_tell(struct client *client, const struct live_effect *tell,
                      const char *why);
void door_client_kill(struct client *client, const char *why);
void door_client_rest(struct client *client); /* holds nothing, and is fresh */

/* door_process.c: of a client that is to be killed by the pidfd it sent.  -1
 * with a reason if it may not, or could not be. */
int door_process_take(struct client *client, uint64_t mark,
                      int files[LIVE_FILES_MAX], char reason[LIVE_REASON_MAX]);
void door_process_tell(struct client *client); /* K8: to end */
void door_process_kill(struct client *client);
bool door_process_is_dead(struct client *client, uint64_t now);
void door_process_forget(struct client *client);

/* Grants, releases and losses in the log. */
void door_trail_granted(const struct client *client);
void door_trail_released(const struct client *client);
void door_trail_told(const struct client *client, uint64_t left,
                     const char *why);
void door_trail_lost(const struct client *client, const char *why);
void door_trail_sum(struct live_door *door, uint64_t now);

/* door_listen.c: the socket, bound and listened to, or -1 with a sentence. */
int door_listen_open(struct live_door *door, const struct live_user *user,
                     struct net_why *error);
void door_listen_close(struct live_door *door);

/* door_socket.c */
bool door_socket_open(struct live_door *door, const struct live_user *user,
                      struct net_why *error);
void door_socket_close(struct live_door *door);
void door_client_end(struct client *client); /* closes its connection */

/* door.c */
void door_fails(struct client *client, enum live_desk_event how,
                const char *why);
void door_closed(uv_handle_t *handle); /* one of the door's own */

/* door_status.c */
void door_status_open(struct live_door *door);
void door_status_close(struct live_door *door);
void door_status_asked(struct client *client);

#endif
