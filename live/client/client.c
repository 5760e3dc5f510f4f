/*
 * client.c - see client.h.
 */
#include "live/client/client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/fail.h"

/* Whether the user that listens there may be believed. */
static bool is_trusted(const struct live_client *client, const char *path,
                       uid_t owner, char error[LIVE_ERROR_SIZE])
{
    struct ucred who = {0};
    socklen_t size = sizeof who;

    if (getsockopt(client->socket, SOL_SOCKET, SO_PEERCRED, &who, &size)) {
        snprintf(error, LIVE_ERROR_SIZE, "cannot see who serves at %s: %s",
                 path, strerror(errno));
        return false;
    }
    if (who.uid == 0 || who.uid == geteuid() || who.uid == owner)
        return true;
    snprintf(error, LIVE_ERROR_SIZE,
             "%s is served by user %u, who is neither root nor you nor the "
             "'user' of the configuration; ask that user, and see who may "
             "write that directory",
             path, (unsigned)who.uid);
    return false;
}

int live_client_open(struct live_client *client, const char *path,
                     char error[LIVE_ERROR_SIZE])
{
    return live_client_open_of(client, path, geteuid(), error);
}

int live_client_open_of(struct live_client *client, const char *path,
                        uid_t owner, char error[LIVE_ERROR_SIZE])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    *client = (struct live_client){.socket = -1};
    if (strlen(path) >= sizeof address.sun_path) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "the path of the socket is too long: %s", path);
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    client->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (client->socket < 0 ||
        connect(client->socket, (const struct sockaddr *)&address,
                sizeof address)) {
        int why = errno;

        snprintf(error, LIVE_ERROR_SIZE, "no node answers at %s: %s; %s", path,
                 strerror(why),
                 why == EACCES ? "be the user of 'fulcrum node', or root"
                               : "start one with 'fulcrum node'");
        live_client_close(client);
        errno = why;
        return -1;
    }
    if (!is_trusted(client, path, owner, error)) {
        live_client_close(client);
        errno = EPERM;
        return -1;
    }
    return 0;
}

/* A letter and perhaps a file; -1 with a sentence. */
static int read_letter(struct live_client *client, struct live_letter *letter,
                       int *file, char error[LIVE_ERROR_SIZE])
{
    struct live_enclosed e;
    int resets = 0;
    ssize_t size;
    bool good;

    *file = -1;
    /* A node that hung up may have said why: that is read after the reset. */
    do
        size = live_letter_receive(client->socket, letter, &e, 0);
    while (size < 0 &&
           (errno == EINTR || (errno == ECONNRESET && resets++ == 0)));
    good = size > 0 && live_letter_of_daemon(letter, (size_t)size);
    if (good) {
        *file = e.files[0];
        e.files[0] = -1;
    }
    live_enclosed_drop(&e);
    if (good)
        return 0;
    if (size < 0 && errno == EAGAIN)
        return live_fail(error, "the node does not answer: it is stopped, or "
                                "too busy");
    return live_fail(error, "the node is gone%s%s", size < 0 ? ": " : "",
                     size < 0 ? strerror(errno) : "");
}

/* A client that was turned away has been told why before its first word. */
static void read_farewell(struct live_client *client,
                          char error[LIVE_ERROR_SIZE])
{
    struct live_letter letter = {0};
    char why[LIVE_ERROR_SIZE];
    int file;

    if (read_letter(client, &letter, &file, why))
        return;
    if (file >= 0)
        close(file);
    if (letter.kind == LIVE_REFUSED)
        snprintf(error, LIVE_ERROR_SIZE, "%s", letter.reason);
}

/* A letter, and as many files with it; -1 with a sentence. */
static int send_letter(struct live_client *client,
                       const struct live_letter *letter, const int *files,
                       size_t count, char error[LIVE_ERROR_SIZE])
{
    if (live_letter_send(client->socket, letter, files, count, 0) == 0)
        return 0;
    live_fail(error, "the node is gone: %s", strerror(errno));
    if (errno == EPIPE)
        read_farewell(client, error);
    return -1;
}

int live_client_ask(struct live_client *client, const char *name, bool shared,
                    int pidfd, uint64_t wait, char error[LIVE_ERROR_SIZE])
{
    struct live_letter letter = {
        .kind = LIVE_ASK,
        .shared = shared,
        .time_ns = live_time_namespace(),
        .wait = wait,
        .hold = client->hold,
    };
    int files[LIVE_FILES_MAX] = {pidfd, -1, -1};
    size_t count = pidfd >= 0;

    if (!live_lock_name_is_good(name))
        return live_fail(error,
                         "a lock's name is 1 to %d bytes of text in UTF-8, "
                         "without control characters",
                         LIVE_LOCK_NAME_MAX);
    memcpy(letter.name, name, strlen(name));
    if (count && client->cgroup && live_cgroup_is(client->cgroup)) {
        files[1] = client->cgroup->kill;
        files[2] = client->cgroup->events;
        count = LIVE_FILES_MAX;
    }
    return send_letter(client, &letter, files, count, error);
}

static void drop_page(struct live_client *client)
{
    if (client->page)
        (void)munmap(client->page, sizeof *client->page);
    client->page = NULL;
    client->token = 0;
}

/* A deadline means something only to a reader of the same clock: a clock that
 * is behind would find it far ahead.  One that is ahead is harmless. */
static int take_grant(struct live_client *client,
                      const struct live_letter *letter, int file,
                      char error[LIVE_ERROR_SIZE])
{
    void *page;

    drop_page(client);
    if (live_now() < letter->now)
        return live_fail(error, "the clock of the node is ahead of the one "
                                "here; run both in one time namespace");
    page = mmap(NULL, sizeof *client->page, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED)
        return live_fail(error, "cannot see the deadline: %s", strerror(errno));
    client->page = page;
    client->token = letter->token;
    return 0;
}

int live_client_next(struct live_client *client, struct live_letter *letter,
                     char error[LIVE_ERROR_SIZE])
{
    int file, failed = 0;

    if (read_letter(client, letter, &file, error))
        return -1;
    if (letter->kind == LIVE_GRANTED)
        failed = take_grant(client, letter, file, error);
    if (file >= 0)
        close(file);
    return failed;
}

uint64_t live_client_deadline(const struct live_client *client)
{
    /* Pairs with the release in the daemon's client_move(). */
    return client->page ? atomic_load_explicit(&client->page->deadline,
                                               memory_order_acquire)
                        : 0;
}

bool live_client_holds(const struct live_client *client)
{
    return live_now() < live_client_deadline(client);
}

bool live_client_spent(const struct live_client *client)
{
    return client->page && live_now() >= client->page->limit;
}

/* A daemon that is stopped answers nothing: from now on reading gives up. */
static void be_impatient(struct live_client *client)
{
    struct timeval patience = {.tv_sec = 2};

    (void)setsockopt(client->socket, SOL_SOCKET, SO_RCVTIMEO, &patience,
                     sizeof patience);
}

int live_client_release(struct live_client *client, char error[LIVE_ERROR_SIZE])
{
    struct live_letter letter = {.kind = LIVE_RELEASE};

    drop_page(client);
    be_impatient(client);
    if (send_letter(client, &letter, NULL, 0, error))
        return -1;
    do
        if (live_client_next(client, &letter, error))
            return -1;
    while (letter.kind != LIVE_RELEASED);
    return 0;
}

int live_client_status(struct live_client *client, char error[LIVE_ERROR_SIZE])
{
    struct live_letter letter = {.kind = LIVE_STATUS};
    int file = -1;

    be_impatient(client);
    if (send_letter(client, &letter, NULL, 0, error) ||
        read_letter(client, &letter, &file, error))
        return -1;
    if (letter.kind == LIVE_REPORT && file >= 0)
        return file;
    if (file >= 0)
        close(file);
    return live_fail(error, "%s",
                     letter.kind == LIVE_REFUSED
                         ? letter.reason
                         : "the node has no report to give");
}

void live_client_close(struct live_client *client)
{
    drop_page(client);
    if (client->socket >= 0)
        close(client->socket);
    client->socket = -1;
}
