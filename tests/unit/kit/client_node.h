/*
 * client_node.h - a node for tests of the library for programs: a process that
 * says what the name of a lock tells it to say.
 *
 *     refused   the lock is refused
 *     never     no answer
 *     lost      granted, and taken away at once
 *     short     granted for 30 ms, and no longer
 *     gone      granted, and then the connection is ended
 *     others    granted for a minute
 *
 * Like one of 0.4.0 it leaves the page alone when a lock is released.
 */
#ifndef CLIENT_NODE_H
#define CLIENT_NODE_H

#include "live/client/client.h"

#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/common/clock.h"

enum { CLIENTS = 8, SECOND = 1000000 };

static inline void say(int fd, enum live_letter_kind kind, int file,
                       uint64_t token)
{
    struct live_letter letter = {
        .kind = (uint8_t)kind, .token = token, .now = live_now()};

    (void)live_letter_send(fd, &letter, &file, file >= 0, 0);
}

/* The token is the number of connections. */
static inline struct live_page *grant(int fd, uint64_t lasts,
                                      uint64_t connections)
{
    int file = memfd_create("page", MFD_CLOEXEC);
    struct live_page *page;

    if (ftruncate(file, sizeof *page))
        _exit(9);
    page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    page->limit = live_now() + lasts;
    atomic_store(&page->deadline, page->limit);
    if (lasts >= SECOND)
        page->limit = UINT64_MAX;
    say(fd, LIVE_GRANTED, file, connections);
    close(file);
    return page;
}

/* Does what the name says; false: hangs up. */
static inline bool obey(int fd, const char *name, uint64_t connections)
{
    struct live_page *page;

    if (!strcmp(name, "refused")) {
        say(fd, LIVE_REFUSED, -1, 0);
        return true;
    }
    if (!strcmp(name, "never"))
        return true;
    page = grant(fd, !strcmp(name, "short") ? 30000 : 60 * SECOND, connections);
    if (!strcmp(name, "lost")) {
        atomic_store(&page->deadline, 0);
        say(fd, LIVE_LOST, -1, 0);
    }
    (void)munmap(page, sizeof *page);
    return strcmp(name, "gone") != 0;
}

/* False: the connection is over.  An ask out of turn ends it, as in a real
 * node. */
static inline bool answer(int fd, bool *asked, uint64_t connections)
{
    struct live_letter letter = {0};
    struct live_enclosed e;
    ssize_t size = live_letter_receive(fd, &letter, &e, 0);

    live_enclosed_drop(&e);
    if (size <= 0 || !live_letter_of_client(&letter, (size_t)size))
        return false;
    if (letter.kind == LIVE_STATUS) {
        say(fd, LIVE_REPORT, STDIN_FILENO, 0);
        return true;
    }
    if (letter.kind == LIVE_RELEASE) {
        say(fd, LIVE_RELEASED, -1, 0);
        *asked = false;
        return true;
    }
    if (*asked)
        return false;
    *asked = strcmp(letter.name, "refused") != 0;
    return obey(fd, letter.name, connections);
}

/* Who has come is counted before anybody is answered. */
_Noreturn static inline void serve(int listener)
{
    struct pollfd files[CLIENTS + 1] = {{listener, POLLIN, 0}};
    bool asked[CLIENTS + 1] = {false};
    uint64_t connections = 0;

    for (int i = 1; i <= CLIENTS; i++)
        files[i] = (struct pollfd){-1, POLLIN, 0};
    for (;;) {
        (void)poll(files, CLIENTS + 1, -1);
        for (int i = 1; i <= CLIENTS && files[0].revents; i++)
            if (files[i].fd < 0) {
                files[i] =
                    (struct pollfd){accept(listener, NULL, NULL), POLLIN, 0};
                asked[i] = false;
                connections++;
                files[0].revents = 0;
            }
        for (int i = 1; i <= CLIENTS; i++)
            if (files[i].fd >= 0 && files[i].revents &&
                !answer(files[i].fd, &asked[i], connections)) {
                close(files[i].fd);
                files[i].fd = -1;
                connections--;
            }
    }
}

#endif
