/*
 * intruder.c - a local client that wants more than it may have, for tests.
 *
 *     intruder kill SOCKET PID            has a lock, and that process killed
 *     intruder cgroup SOCKET KILL EVENTS  sends these files as its cgroup
 *     intruder changed SOCKET PROGRAM...  runs it when it holds the lock
 *     intruder rest SECONDS               as root, if its file is root's and
 *                                         set-user-ID
 *     intruder crowd SOCKET LOCK COUNT    asks COUNT times, and waits
 *     intruder asks SOCKET COUNT TIMES    has COUNT connections, and asks for
 *                                         the status on each, without reading
 *     intruder reads SOCKET COUNT TIMES   the same, and reads what comes
 *     intruder clog COUNT                 sends itself COUNT files, and does
 *                                         not read them
 *     intruder swap FOLDER NAME TARGET    puts a link in the place of a socket
 *     intruder forge FILE NODE PID FOLDER makes a list of holders, with that
 *                                         process and that cgroup in it; NODE
 *                                         -: as an earlier program did
 *     intruder serve SOCKET               grants everything to everybody
 *     intruder manage SOCKET              prints what a service manager hears
 *
 * It prints what it was told, a line for each letter, and exits with 3 if it
 * was refused.  A crowd prints a sum, and so do the clients of `asks`;
 * they stay until they are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/client/client.h"
#include "live/common/clock.h"
#include "live/door/holders_parts.h"
#include "live/process/proc.h"

enum { CROWD_MAX = 1000, SETTLE_MS = 1500 };

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "intruder: %s: %s\n", what, why);
    exit(2);
}

/* A child that leads a group, and waits. */
static int leader(void)
{
    pid_t child = fork();

    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setpgid(0, 0);
        for (;;)
            pause();
    }
    (void)setpgid(child, child);
    return live_pidfd_open(child);
}

/* Prints letters until the lock is lost or refused. */
static int listen_to(struct live_client *client)
{
    struct live_letter letter = {0};
    struct net_why error;

    while (live_client_next(client, &letter, &error) == 0) {
        printf("%s %s\n",
               letter.kind == LIVE_GRANTED   ? "granted"
               : letter.kind == LIVE_LOST    ? "lost"
               : letter.kind == LIVE_REFUSED ? "refused"
                                             : "waits",
               letter.reason);
        (void)fflush(stdout);
        if (letter.kind == LIVE_REFUSED)
            return 3;
        if (letter.kind == LIVE_LOST)
            return 0;
    }
    give_up("gone", error.text);
    return 2;
}

static void open_client(struct live_client *client, const char *path)
{
    struct net_why error;

    if (live_client_open(client, path, &error))
        give_up(path, error.text);
}

/* Holds for a moment: then the daemon kills. */
static int ask_and_listen(struct live_client *client, int pidfd)
{
    struct net_why error;

    client->hold = 100000;
    if (live_client_ask(client, "intruder", false, pidfd, UINT64_MAX, &error))
        give_up("ask", error.text);
    return listen_to(client);
}

static int kill_other(const char *path, const char *pid)
{
    struct live_client client;
    int pidfd = live_pidfd_open((pid_t)strtol(pid, NULL, 10));

    if (pidfd < 0)
        give_up(pid, strerror(errno));
    open_client(&client, path);
    return ask_and_listen(&client, pidfd);
}

/* Stays when the lock is lost: a client that is gone is another case. */
static int wrong_cgroup(const char *path, const char *to_kill,
                        const char *events)
{
    struct live_cgroup cgroup = {open(to_kill, O_RDWR | O_CLOEXEC),
                                 open(events, O_RDONLY | O_CLOEXEC)};
    struct live_client client;
    int code;

    if (cgroup.kill < 0)
        cgroup.kill = open(to_kill, O_WRONLY | O_CLOEXEC);
    if (cgroup.kill < 0 || cgroup.events < 0)
        give_up(to_kill, strerror(errno));
    open_client(&client, path);
    client.cgroup = &cgroup;
    code = ask_and_listen(&client, leader());
    if (code == 0)
        pause();
    return code;
}

/* A set-user-ID program, once the lock is there; nobody of this user can kill
 * it then. */
static int changed(const char *path, char **program)
{
    struct live_client client;
    struct live_letter letter = {0};
    struct net_why error;
    char byte;
    int start[2];
    pid_t child = -1;

    if (pipe(start) || (child = fork()) < 0)
        give_up("fork", strerror(errno));
    if (child == 0) {
        (void)setpgid(0, 0);
        if (read(start[0], &byte, 1) == 1)
            (void)execv(program[0], program);
        _exit(1);
    }
    (void)setpgid(child, child);
    open_client(&client, path);
    client.hold = 700000;
    if (live_client_ask(&client, "intruder", false, live_pidfd_open(child),
                        UINT64_MAX, &error) ||
        live_client_next(&client, &letter, &error))
        give_up("ask", error.text);
    printf("%d %s\n", letter.kind, letter.reason);
    (void)fflush(stdout);
    if (letter.kind != LIVE_GRANTED || write(start[1], "", 1) != 1)
        return 3;
    (void)waitpid(child, NULL, 0);
    printf("ended\n");
    (void)fflush(stdout);
    pause();
    return 0;
}

/* ---- Many ---------------------------------------------------------------- */

/* What one of the crowd was told: an empty text if it waits. */
static void join(struct live_client *client, const char *path, const char *lock,
                 int patience, struct net_why *told)
{
    struct live_letter letter = {0};
    struct pollfd answer;

    if (live_client_open(client, path, told) ||
        live_client_ask(client, lock, false, leader(), UINT64_MAX, told))
        return;
    told->text[0] = '\0';
    answer = (struct pollfd){client->socket, POLLIN, 0};
    if (poll(&answer, 1, patience) == 1 &&
        live_client_next(client, &letter, told) == 0 &&
        letter.kind != LIVE_WAITING)
        net_refuse(told, "%d: %s", letter.kind, letter.reason);
}

static _Noreturn void crowd(const char *path, const char *lock, uint32_t count)
{
    static struct live_client all[CROWD_MAX];
    uint32_t waiting = 0, refused = 0, other = 0;
    struct net_why told;

    for (uint32_t i = 0; i < count && i < CROWD_MAX; i++) {
        join(&all[i], path, lock, i == 0 ? SETTLE_MS : 20, &told);
        if (told.text[0] == '\0') {
            waiting++;
        } else if (strstr(told.text, "too many")) {
            refused++;
        } else {
            other++;
            fprintf(stderr, "%s\n", told.text);
        }
    }
    printf("waiting=%u told=%u other=%u\n", waiting, refused, other);
    (void)fflush(stdout);
    for (;;)
        pause();
}

/* Takes what has come; how many reports. */
static uint32_t drain(const struct live_client *client)
{
    struct live_letter letter = {0};
    struct live_enclosed e;
    uint32_t reports = 0;

    while (live_letter_receive(client->socket, &letter, &e, MSG_DONTWAIT) > 0) {
        reports += letter.kind == LIVE_REPORT;
        live_enclosed_drop(&e);
    }
    return reports;
}

static _Noreturn void ask_status(const char *path, uint32_t count,
                                 uint32_t times, bool reads)
{
    const struct live_letter letter = {.kind = LIVE_STATUS};
    static struct live_client all[CROWD_MAX];
    uint32_t asked = 0, reports = 0;

    if (count > CROWD_MAX)
        count = CROWD_MAX;
    for (uint32_t i = 0; i < count; i++)
        open_client(&all[i], path);
    for (uint32_t time = 0; time < times; time++)
        for (uint32_t i = 0; i < count; i++) {
            asked += live_letter_send(all[i].socket, &letter, NULL, 0,
                                      MSG_DONTWAIT) == 0;
            reports += reads ? drain(&all[i]) : 0;
        }
    printf("asked=%u reports=%u\n", asked, reports);
    (void)fflush(stdout);
    for (;;)
        pause();
}

/* The system counts files on their way by user. */
static _Noreturn void clog_up(uint32_t count)
{
    const struct live_letter letter = {.kind = LIVE_REPORT};
    uint32_t sent = 0;

    for (bool more = true; more && sent < count;) {
        int pair[2], before = (int)sent;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
            give_up("socketpair", strerror(errno));
        while (sent < count &&
               live_letter_send(pair[0], &letter, pair, 1, MSG_DONTWAIT) == 0)
            sent++;
        more = (int)sent > before;
    }
    printf("sent=%u\n", sent);
    (void)fflush(stdout);
    for (;;)
        pause();
}

/* ---- Links, and a node that is none -------------------------------------- */

static int swap(const char *folder, const char *name, const char *target)
{
    union {
        struct inotify_event event;
        char bytes[sizeof(struct inotify_event) + NAME_MAX + 1];
    } buffer;
    int watch = inotify_init1(IN_CLOEXEC);

    if (watch < 0 || chdir(folder) ||
        inotify_add_watch(watch, ".", IN_CREATE) < 0)
        give_up(folder, strerror(errno));
    printf("ready\n");
    (void)fflush(stdout);
    for (;;) {
        if (read(watch, &buffer, sizeof buffer) <= 0)
            give_up("inotify", strerror(errno));
        if (strcmp(buffer.event.name, name) != 0)
            continue;
        if (rename(name, "was") == 0 && symlink(target, name) == 0)
            break;
    }
    printf("swapped\n");
    return 0;
}

static void grant(int fd)
{
    struct live_letter letter = {
        .version = LIVE_LETTER_VERSION, .kind = LIVE_GRANTED, .token = 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {&letter, sizeof letter};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    struct live_page page = {.limit = UINT64_MAX};
    int file = memfd_create("page", MFD_CLOEXEC);

    atomic_init(&page.deadline, UINT64_MAX / 2);
    if (write(file, &page, sizeof page) != (ssize_t)sizeof page)
        give_up("page", strerror(errno));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    (void)sendmsg(fd, &header, MSG_NOSIGNAL);
    close(file);
}

static _Noreturn void serve(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) ||
        listen(fd, 8))
        give_up(path, strerror(errno));
    printf("ready\n");
    (void)fflush(stdout);
    for (;;) {
        struct live_letter letter;
        int client = accept(fd, NULL, NULL);

        if (client >= 0 && recv(client, &letter, sizeof letter, 0) > 0)
            grant(client);
    }
}

static _Noreturn void manage(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char text[600];

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address))
        give_up(path, strerror(errno));
    for (;;) {
        ssize_t size = recv(fd, text, sizeof text - 1, 0);

        text[size > 0 ? size : 0] = '\0';
        printf("%s\n", text);
        (void)fflush(stdout);
    }
}

/* ---- A list of holders --------------------------------------------------- */

/* The first place of a list begins after 64 bytes, as it was before. */
static void write_before(int file, const struct holders_notes *notes)
{
    static const char no_other[256 * (LIVE_CLIENTS_MAX - 1)];
    const struct holders_place *p = &notes->places[0];
    char path[232] = "";

    memcpy(path, p->cgroup, sizeof p->cgroup);
    if (write(file, "FCHOLD1", 8) != 8 ||
        write(file, notes->boot, sizeof notes->boot) < 0 ||
        write(file, &notes->alive, sizeof notes->alive) < 0 ||
        write(file, &notes->deadline, sizeof notes->deadline) < 0 ||
        write(file, p, offsetof(struct holders_place, user)) < 0 ||
        write(file, path, sizeof path) < 0 ||
        write(file, no_other, sizeof no_other) < 0)
        give_up("a list", strerror(errno));
}

static int forge(const char *path, const char *node, pid_t pid,
                 const char *folder)
{
    static struct holders_notes notes = {.magic = "FCHOLD2"};
    struct holders_place *p = &notes.places[0];
    struct stat is;
    int file;

    (void)unlink(path);
    file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    live_proc_boot(notes.boot);
    snprintf(notes.node, sizeof notes.node, "%s", node);
    notes.alive = UINT64_C(1) << 62;
    p->used = 1;
    p->group = pid;
    p->start = live_proc_started(pid);
    if (stat(folder, &is) == 0 && strlen(folder) < sizeof p->cgroup) {
        memcpy(p->cgroup, folder, strlen(folder));
        p->inode = is.st_ino;
    }
    if (node[0] == '-')
        write_before(file, &notes);
    else if (write(file, &notes, sizeof notes) < 0)
        give_up(path, strerror(errno));
    return 0;
}

int main(int argc, char **argv)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* with its test */
    if (argc == 4 && !strcmp(argv[1], "kill"))
        return kill_other(argv[2], argv[3]);
    if (argc == 5 && !strcmp(argv[1], "cgroup"))
        return wrong_cgroup(argv[2], argv[3], argv[4]);
    if (argc == 3 && !strcmp(argv[1], "rest"))
        return setresuid(0, 0, 0) ||
               sleep((unsigned)strtoul(argv[2], NULL, 10));
    if (argc >= 4 && !strcmp(argv[1], "changed"))
        return changed(argv[2], argv + 3);
    if (argc == 5 && !strcmp(argv[1], "crowd"))
        crowd(argv[2], argv[3], (uint32_t)strtoul(argv[4], NULL, 10));
    if (argc == 5 && (!strcmp(argv[1], "asks") || !strcmp(argv[1], "reads")))
        ask_status(argv[2], (uint32_t)strtoul(argv[3], NULL, 10),
                   (uint32_t)strtoul(argv[4], NULL, 10), argv[1][0] == 'r');
    if (argc == 3 && !strcmp(argv[1], "clog"))
        clog_up((uint32_t)strtoul(argv[2], NULL, 10));
    if (argc == 5 && !strcmp(argv[1], "swap"))
        return swap(argv[2], argv[3], argv[4]);
    if (argc == 6 && !strcmp(argv[1], "forge"))
        return forge(argv[2], argv[3], (pid_t)strtol(argv[4], NULL, 10),
                     argv[5]);
    if (argc == 3 && !strcmp(argv[1], "serve"))
        serve(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "manage"))
        manage(argv[2]);
    give_up("usage", "see the head of tests/live/intruder.c");
    return 2;
}
