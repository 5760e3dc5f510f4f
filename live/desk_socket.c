/*
 * desk_socket.c - connections of local clients.  What they send is checked
 * here: one letter of one size, in its turn; anything else ends the connection.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/desk_parts.h"

#include "live/clock.h"
#include "live/log.h"

enum { AT_A_TIME = 16 }; /* clients that are let in before others work */

static void give_report(struct client *client)
{
    struct live_letter letter = {.kind = LIVE_REPORT};
    int file = report_file(client->desk);

    client_say(client, &letter, file);
    if (file >= 0)
        close(file);
}

/* False if it is not its turn.  Files that it takes over are -1 afterwards. */
static bool handle(struct client *client, const struct live_letter *letter,
                   int files[LIVE_FILES_MAX])
{
    switch (letter->kind) {
    case LIVE_ASK:
        if (client->state != CLIENT_FRESH)
            return false;
        desk_ask(client, letter, files);
        return true;
    case LIVE_RELEASE:
        desk_release(client);
        return true;
    case LIVE_STATUS:
        give_report(client);
        return true;
    default:
        return false;
    }
}

static void hang_up(struct client *client)
{
    if (client->gone)
        return;
    client->gone = true;
    (void)uv_poll_stop(&client->poll);
    close(client->fd);
    client->fd = -1;
}

/* What came with a letter. */
struct enclosed {
    int files[LIVE_FILES_MAX]; /* -1: none */
    bool
        whole; /* the kernel had room for all of them, and they are 0, 1 or 3 */
};

static void take_files(struct msghdr *header, struct enclosed *e)
{
    size_t count = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c;
         c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len;
             at += sizeof(int), count++) {
            int file;

            memcpy(&file, (const char *)c + at, sizeof file);
            if (count < LIVE_FILES_MAX)
                e->files[count] = file;
            else /* alignment leaves room for one that was not asked for */
                close(file);
        }
    }
    e->whole = !(header->msg_flags & MSG_CTRUNC) &&
               (count < 2 || count == LIVE_FILES_MAX);
}

/* The size of what came, or -1 with errno. */
static ssize_t read_letter(int fd, struct live_letter *letter,
                           struct enclosed *e)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(LIVE_FILES_MAX * sizeof(int))];
    } control;
    struct iovec part = {letter, sizeof *letter};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    ssize_t size =
        recvmsg(fd, &header, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);

    *e = (struct enclosed){{-1, -1, -1}, true};
    if (size >= 0)
        take_files(&header, e);
    return size;
}

static void drop_files(int files[LIVE_FILES_MAX])
{
    for (int i = 0; i < LIVE_FILES_MAX; i++) {
        if (files[i] >= 0)
            close(files[i]);
        files[i] = -1;
    }
}

/* False: the connection is to be ended. */
static bool answer(struct client *client, const struct live_letter *letter,
                   size_t size, struct enclosed *e)
{
    if (!live_letter_of_client(letter, size))
        return false;
    if (letter->kind != LIVE_ASK) {
        drop_files(e->files);
    } else if (!e->whole && client->state == CLIENT_FRESH) {
        client_refuse(client, false,
                      "the node could not take the files that came with your "
                      "letter: too many are open, or it were not 0, 1 or 3");
        return true;
    }
    return handle(client, letter, e->files);
}

static void on_letter(uv_poll_t *poll, int status, int events)
{
    struct client *client = poll->data;
    struct live_letter letter = {0};
    struct enclosed e;
    ssize_t size;
    bool fine;

    (void)status;
    (void)events;
    size = read_letter(client->fd, &letter, &e);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    fine = size > 0 && answer(client, &letter, (size_t)size, &e);
    drop_files(e.files);
    if (fine)
        return;
    if (size > 0)
        client->desk->counts.odd++;
    hang_up(client);
    desk_left(client);
}

static void on_client_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void client_end(struct client *client)
{
    hang_up(client);
    TAILQ_REMOVE(&client->desk->clients, client, in_desk);
    client->desk->clients_count--;
    uv_close((uv_handle_t *)&client->poll, on_client_closed);
}

static void welcome(struct live_desk *desk, int fd)
{
    struct ucred who = {0};
    socklen_t size = sizeof who;
    struct client *client;

    client = desk->clients_count < LIVE_CLIENTS_MAX ? calloc(1, sizeof *client)
                                                    : NULL;
    if (!client || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) ||
        uv_poll_init(desk->loop, &client->poll, fd)) {
        live_log("a client was turned away: too many, or no memory");
        free(client);
        close(fd);
        return;
    }
    client->desk = desk;
    client->fd = fd;
    client->pid = who.pid;
    client->uid = who.uid;
    client->pidfd = -1;
    client->cgroup = LIVE_NO_CGROUP;
    client->poll.data = client;
    TAILQ_INSERT_TAIL(&desk->clients, client, in_desk);
    desk->clients_count++;
    (void)uv_poll_start(&client->poll, UV_READABLE | UV_DISCONNECT, on_letter);
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
    struct live_desk *desk = poll->data;
    int fd;

    (void)status;
    (void)events;
    for (int i = 0; i < AT_A_TIME; i++) {
        fd = accept4(desk->listener_fd, NULL, NULL,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        welcome(desk, fd);
    }
}

/* Whether somebody listens there. */
static bool is_served(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool served = fd >= 0 && !connect(fd, (const struct sockaddr *)address,
                                      sizeof *address);

    if (fd >= 0)
        close(fd);
    return served;
}

int socket_open(struct live_desk *desk, char error[LIVE_ERROR_SIZE])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    mode_t before;
    int fd, failed;

    if (strlen(desk->path) >= sizeof address.sun_path) {
        snprintf(error, LIVE_ERROR_SIZE, "the path of the socket is too long");
        return -1;
    }
    memcpy(address.sun_path, desk->path, strlen(desk->path) + 1);
    if (is_served(&address)) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "%s is in use by another node; stop it, or take another "
                 "'socket' in the configuration",
                 desk->path);
        return -1;
    }
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    (void)unlink(desk->path);
    before = umask(0177); /* the socket is there with mode 0600 or not at all */
    failed = fd < 0 ||
             bind(fd, (const struct sockaddr *)&address, sizeof address) ||
             listen(fd, 64);
    if (failed)
        snprintf(error, LIVE_ERROR_SIZE, "cannot serve clients at %s: %s",
                 desk->path, strerror(errno));
    umask(before);
    if (failed) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    desk->listener_fd = fd;
    desk->listener.data = desk;
    (void)uv_poll_init(desk->loop, &desk->listener, fd);
    (void)uv_poll_start(&desk->listener, UV_READABLE, on_connection);
    desk->closing++;
    return 0;
}

void socket_close(struct live_desk *desk)
{
    (void)unlink(desk->path);
    (void)uv_poll_stop(&desk->listener);
    close(desk->listener_fd);
    uv_close((uv_handle_t *)&desk->listener, desk_closed);
}
