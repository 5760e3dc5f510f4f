/*
 * client.c - see client.h: the connection, and the letters that go over it.
 */
#include "live/client/client_parts.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "net/why.h"

/* A daemon that is stopped answers nothing: the time to wait for it. */
#define PATIENCE UINT64_C(2000000)

/* The same with an errno. */
static int fail_with(int why, struct net_why *error, const char *sentence)
{
    net_refuse(error, "%s", sentence);
    errno = why;
    return -1;
}

/* ---- Opening ------------------------------------------------------------- */

/* Whether the user that listens there may be believed. */
static bool is_trusted(const struct live_client *client, const char *path,
                       uid_t owner, struct net_why *error)
{
    struct ucred who = {0};
    socklen_t size = sizeof who;

    if (getsockopt(client->socket, SOL_SOCKET, SO_PEERCRED, &who, &size)) {
        net_fail(error, "cannot see who serves at %s: %s", path,
                 strerror(errno));
        return false;
    }
    if (who.uid == 0 || who.uid == geteuid() || who.uid == owner)
        return true;
    net_refuse(error,
               "%s is served by user %u, who is neither root nor you nor the "
               "'user' of the configuration; ask that user, and see who may "
               "write that directory",
               path, (unsigned)who.uid);
    return false;
}

/* Waits while the queue of the daemon is full, as connect() does, but not for
 * ever: a daemon that is stopped takes nobody out of it. */
static int connect_within(int fd, const struct sockaddr_un *address,
                          uint64_t wait)
{
    uint64_t until = live_now() + wait, now;
    struct timeval left, none = {0};
    int failed;

    do {
        now = live_now();
        left.tv_sec = now < until ? (time_t)((until - now) / 1000000) : 0;
        left.tv_usec = now < until ? (suseconds_t)((until - now) % 1000000) : 0;
        if (left.tv_sec == 0 && left.tv_usec == 0)
            left.tv_usec = 1; /* 0 would be for ever */
        if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &left, sizeof left))
            return -1;
        failed = connect(fd, (const struct sockaddr *)address, sizeof *address);
    } while (failed && errno == EINTR);
    return failed ? failed
                  : setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
}

/* What helps against an errno of connect(). */
static const char *remedy_for(int why)
{
    switch (why) {
    case EACCES:
        return "be the user of 'fulcrum node', of the group that its "
               "configuration names, or root";
    case EAGAIN:
        return "it takes no more clients: it is stopped, or too busy";
    default:
        return "start one with 'fulcrum node'";
    }
}

static int connect_to(struct live_client *client, const char *path,
                      uint64_t wait, struct net_why *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int why;

    if (strlen(path) >= sizeof address.sun_path) {
        net_refuse(error, "the path of the socket is too long: %s", path);
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    client->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (client->socket >= 0 &&
        connect_within(client->socket, &address, wait) == 0)
        return 0;
    why = errno;
    net_fail(error, "no node answers at %s: %s; %s", path,
             why == EAGAIN ? "its queue is full" : strerror(why),
             remedy_for(why));
    errno = why;
    return -1;
}

int live_client_open_within(struct live_client *client, const char *path,
                            uid_t owner, uint64_t wait, struct net_why *error)
{
    char found[LIVE_SOCKET_PATH];
    int why;

    *client = (struct live_client){.socket = -1};
    if (!path && find_socket(found, &owner, error))
        return -1;
    if (!path)
        path = found;
    if (connect_to(client, path, wait, error) == 0) {
        if (is_trusted(client, path, owner, error)) {
            if (claim_open(client, error) == 0)
                return 0;
        } else {
            errno = EPERM;
        }
    }
    why = errno;
    live_client_close(client);
    errno = why;
    return -1;
}

int live_client_open_of(struct live_client *client, const char *path,
                        uid_t owner, struct net_why *error)
{
    return live_client_open_within(client, path, owner, PATIENCE, error);
}

int live_client_open(struct live_client *client, const char *path,
                     struct net_why *error)
{
    return live_client_open_of(client, path, geteuid(), error);
}

/* ---- Letters ------------------------------------------------------------- */

static int is_gone(struct live_client *client, int why, struct net_why *error)
{
    client->claim->gone = true;
    net_fail(error, "the node is gone%s%s; open another connection",
             why ? ": " : "", why ? strerror(why) : "");
    errno = ECONNRESET;
    return -1;
}

static int is_silent(struct net_why *error)
{
    return fail_with(EAGAIN, error,
                     "the node does not answer: it is stopped, or too busy");
}

/* Waits until a letter is there, or the sender is gone; false if it is too
 * late. */
static bool is_there_by(const struct live_client *client, uint64_t until)
{
    struct pollfd answer = {client->socket, POLLIN, 0};
    uint64_t now;

    while ((now = live_now()) < until)
        if (poll(&answer, 1, (int)((until - now + 999) / 1000)) > 0)
            return true;
    return poll(&answer, 1, 0) > 0;
}

/* A letter and perhaps a file, until `until` unless that is 0; -1 with a
 * sentence. */
static int read_letter(struct live_client *client, struct live_letter *letter,
                       int *file, uint64_t until, struct net_why *error)
{
    struct live_enclosed e;
    int resets = 0;
    ssize_t size;
    bool good;

    *file = -1;
    if (until && !is_there_by(client, until))
        return is_silent(error);
    /* A node that hung up may have said why: that is read after the reset. */
    do
        size = live_letter_receive(client->socket, letter, &e, 0);
    while (size < 0 && ((errno == EINTR && (until || !client->interruptible)) ||
                        (errno == ECONNRESET && resets++ == 0)));
    good = size > 0 && live_letter_of_daemon(letter, (size_t)size);
    if (good) {
        *file = e.files[0];
        e.files[0] = -1;
    }
    live_enclosed_drop(&e);
    if (good)
        return 0;
    if (size < 0 && errno == EINTR)
        return fail_with(EINTR, error, "a signal came while it was waited for");
    return is_gone(client, size < 0 ? errno : 0, error);
}

/* A client that was turned away has been told why before its first word. */
static void read_farewell(struct live_client *client, struct net_why *error)
{
    struct live_letter letter = {0};
    struct net_why why;
    int file;

    if (read_letter(client, &letter, &file, 0, &why))
        return;
    if (file >= 0)
        close(file);
    if (letter.kind == LIVE_REFUSED)
        net_refuse(error, "%s", letter.reason);
}

/* A letter, and as many files with it; -1 with a sentence. */
static int send_letter(struct live_client *client,
                       const struct live_letter *letter, const int *files,
                       size_t count, struct net_why *error)
{
    bool farewell;

    if (client->claim->gone)
        return is_gone(client, 0, error);
    if (live_letter_send(client->socket, letter, files, count, 0) == 0)
        return 0;
    farewell = errno == EPIPE && !client->claim->reading;
    (void)is_gone(client, errno, error);
    if (farewell)
        read_farewell(client, error);
    errno = ECONNRESET;
    return -1;
}

/* ---- Asking -------------------------------------------------------------- */

/* As it is told: more than a minute is more than any lease. */
static uint16_t grace_ms(const struct live_client *client)
{
    uint64_t ms = (client->grace + 999) / 1000;

    return ms < UINT16_MAX ? (uint16_t)ms : UINT16_MAX;
}

static int send_ask(struct live_client *client,
                    const struct live_letter *letter, int pidfd,
                    struct net_why *error)
{
    int files[LIVE_FILES_MAX] = {pidfd, -1, -1};
    size_t count = pidfd >= 0;

    if (client->claim->asked && !client->claim->gone)
        return fail_with(EBUSY, error,
                         "this connection holds a lock, waits for one or has "
                         "lost one; release that first, or open another "
                         "connection");
    if (count && client->cgroup && client->cgroup->kill >= 0) {
        files[1] = client->cgroup->kill;
        files[2] = client->cgroup->events;
        count = LIVE_FILES_MAX;
    }
    if (send_letter(client, letter, files, count, error))
        return -1;
    client->claim->asked = true;
    return 0;
}

int live_client_ask(struct live_client *client, const char *name, bool shared,
                    int pidfd, uint64_t wait, struct net_why *error)
{
    struct live_letter letter = {
        .kind = LIVE_ASK,
        .shared = shared,
        .wait = wait,
        .hold = client->hold,
        .grace_ms = grace_ms(client),
        .token = client->mark,
    };
    int failed;

    if (claim_check(client, error))
        return -1;
    if (!live_lock_name_is_good(name)) {
        net_refuse(error,
                   "a lock's name is 1 to %d bytes of text in UTF-8, "
                   "without control characters",
                   LIVE_LOCK_NAME_MAX);
        errno = EINVAL;
        return -1;
    }
    letter.time_ns = client->claim->time_ns;
    memcpy(letter.name, name, strlen(name));
    (void)pthread_mutex_lock(&client->claim->lock);
    failed = send_ask(client, &letter, pidfd, error);
    (void)pthread_mutex_unlock(&client->claim->lock);
    return failed;
}

/* ---- What the node says -------------------------------------------------- */

/* A deadline means something only to a reader of the same clock: a clock that
 * is behind would find it far ahead.  One that is ahead is harmless. */
static int take_grant(struct live_client *client,
                      const struct live_letter *letter, int file,
                      struct net_why *error)
{
    void *page;

    client->token = 0;
    claim_drop(client);
    if (live_now() < letter->now)
        return fail_with(EPROTO, error,
                         "the clock of the node is ahead of the one here; run "
                         "both in one time namespace");
    page = mmap(NULL, sizeof *client->page, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        net_fail(error, "cannot see the deadline: %s", strerror(errno));
        return -1;
    }
    claim_take(client, page);
    client->token = letter->token;
    return 0;
}

/* What a letter changes here.  A grant that crossed the release is none. */
static int note(struct live_client *client, const struct live_letter *letter,
                int file, struct net_why *error)
{
    struct live_claim *claim = client->claim;

    switch (letter->kind) {
    case LIVE_GRANTED:
        claim->asked = true;
        return claim->releasing ? 0 : take_grant(client, letter, file, error);
    case LIVE_REFUSED:
        claim->asked = claim->releasing;
        return 0;
    case LIVE_RELEASED:
        claim_drop(client);
        claim->asked = claim->releasing = false;
        return 0;
    default:
        return 0;
    }
}

/* As the one thread whose turn it is. */
static int read_next(struct live_client *client, struct live_letter *letter,
                     uint64_t until, struct net_why *error)
{
    struct live_claim *claim = client->claim;
    int file, failed = read_letter(client, letter, &file, until, error), why;

    if (!failed) {
        (void)pthread_mutex_lock(&claim->lock);
        failed = note(client, letter, file, error);
        (void)pthread_mutex_unlock(&claim->lock);
    }
    why = errno;
    if (file >= 0 && client->pass && !failed && letter->kind == LIVE_GRANTED)
        *client->pass = file;
    else if (file >= 0)
        close(file);
    claim_end_turn(claim);
    errno = why;
    return failed;
}

int live_client_next(struct live_client *client, struct live_letter *letter,
                     struct net_why *error)
{
    if (claim_check(client, error))
        return -1;
    (void)claim_begin_turn(client->claim, 0, false);
    return read_next(client, letter, 0, error);
}

/* ---- Giving it back ------------------------------------------------------ */

/* 1: there is nothing to be given back. */
static int send_release(struct live_client *client, struct net_why *error)
{
    const struct live_letter letter = {.kind = LIVE_RELEASE};
    struct live_claim *claim = client->claim;
    int result;

    (void)pthread_mutex_lock(&claim->lock);
    claim_drop(client); /* K10: at once, whatever the node says */
    result = claim->asked ? 0 : 1;
    if (claim->asked && !claim->releasing) {
        claim->releasing = true;
        result = send_letter(client, &letter, NULL, 0, error);
    }
    (void)pthread_mutex_unlock(&claim->lock);
    return result;
}

int live_client_release(struct live_client *client, struct net_why *error)
{
    struct live_letter letter = {0};
    uint64_t until = live_now() + PATIENCE;
    int result;

    if (claim_check(client, error))
        return -1;
    result = send_release(client, error);
    /* The answer may come to a thread that waits in live_client_next(). */
    while (result == 0) {
        result = claim_begin_turn(client->claim, until, true);
        if (result < 0)
            return is_silent(error);
        if (result == 0)
            result = read_next(client, &letter, until, error);
    }
    return result < 0 ? -1 : 0;
}

/* ---- The rest ------------------------------------------------------------ */

/* Asks, and has the turn to read; on a connection with nothing else to say. */
static int ask_for_report(struct live_client *client, struct net_why *error)
{
    const struct live_letter letter = {.kind = LIVE_STATUS};
    struct live_claim *claim = client->claim;
    int failed;

    (void)pthread_mutex_lock(&claim->lock);
    if (claim->asked || claim->reading)
        failed = fail_with(EBUSY, error,
                           "this connection is about a lock; open another one "
                           "for the status");
    else
        failed = send_letter(client, &letter, NULL, 0, error);
    if (!failed)
        claim->reading = true;
    (void)pthread_mutex_unlock(&claim->lock);
    return failed;
}

/* The file with a report, or -1 with a sentence. */
static int read_report(struct live_client *client, struct net_why *error)
{
    struct live_letter letter = {0};
    int file;

    if (read_letter(client, &letter, &file, live_now() + PATIENCE, error))
        return -1;
    if (letter.kind == LIVE_REPORT && file >= 0)
        return file;
    if (file >= 0)
        close(file);
    return fail_with(EPROTO, error,
                     letter.kind == LIVE_REFUSED
                         ? letter.reason
                         : "the node has no report to give");
}

int live_client_status(struct live_client *client, struct net_why *error)
{
    int file, why;

    if (claim_check(client, error) || ask_for_report(client, error))
        return -1;
    file = read_report(client, error);
    why = errno;
    claim_end_turn(client->claim);
    errno = why;
    return file;
}

void live_client_close(struct live_client *client)
{
    claim_close(client);
    if (client->socket >= 0)
        close(client->socket);
    client->socket = -1;
    client->token = 0;
}
