/*
 * server.c - see server.h.
 *
 * One thread and poll().  A connection serves one request, which must come
 * within seconds; there are few of them, and the oldest goes when there are
 * too many.  Nothing is read, or opened, but regular files below the folder.
 */
#include "web/serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/outside.h"
#include "net/seconds.h"
#include "web/serve/request.h"

enum { GUESTS_MAX = 32, PATIENCE_SECONDS = 10, BLOCK = 1 << 16 };

struct guest {
    int socket; /* below 0: nobody */
    int file;   /* below 0: none, or none is left to send */
    time_t until;
    char request[SERVE_REQUEST_MAX];
    size_t got;
    char block[BLOCK]; /* the part that is being sent */
    size_t used, sent;
    bool answers;
};

struct serve_server {
    int socket, folder;
    unsigned port;
    struct guest guest[GUESTS_MAX];
};

struct serve_server *serve_open(const char *folder, unsigned port)
{
    struct serve_server *s = calloc(1, sizeof *s);
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    int yes = 1, number;

    if (!s)
        return NULL;
    for (int i = 0; i < GUESTS_MAX; i++)
        s->guest[i].socket = s->guest[i].file = -1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons((uint16_t)port);
    s->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->folder >= 0 && s->socket >= 0 &&
        setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) ==
            0 &&
        bind(s->socket, (struct sockaddr *)&at, sizeof at) == 0 &&
        listen(s->socket, GUESTS_MAX) == 0 &&
        getsockname(s->socket, (struct sockaddr *)&at, &size) == 0) {
        s->port = ntohs(at.sin_port);
        return s;
    }
    number = errno;
    serve_close(s);
    errno = number;
    return NULL;
}

unsigned serve_port(const struct serve_server *s)
{
    return s->port;
}

static void dismiss(struct guest *g)
{
    if (g->file >= 0)
        close(g->file);
    if (g->socket >= 0)
        close(g->socket);
    g->socket = g->file = -1;
}

void serve_close(struct serve_server *s)
{
    for (int i = 0; i < GUESTS_MAX; i++)
        dismiss(&s->guest[i]);
    if (s->socket >= 0)
        close(s->socket);
    if (s->folder >= 0)
        close(s->folder);
    free(s);
}

/* ---- Answering ----------------------------------------------------------- */

/* A regular file below the folder, or -1; no link is followed. */
static int open_file(const struct serve_server *s, const char *path,
                     off_t *size)
{
    int file = outside_open(s->folder, path, O_RDONLY);
    struct stat info;

    if (file >= 0 && fstat(file, &info) == 0) {
        *size = info.st_size;
        return file;
    }
    if (file >= 0)
        close(file);
    return -1;
}

static void answer(struct serve_server *s, struct guest *g,
                   enum serve_status status, const struct serve_request *r)
{
    off_t size = 0;
    char text[128] = "";

    g->answers = true;
    g->used = g->sent = 0;
    if (status == SERVE_OK) {
        g->file = open_file(s, r->path, &size);
        if (g->file < 0)
            status = SERVE_NOT_FOUND;
    }
    if (status != SERVE_OK)
        size = snprintf(text, sizeof text, "%d %s\n", (int)status,
                        serve_reason(status));
    g->used = (size_t)snprintf(
        g->block, sizeof g->block,
        "HTTP/1.1 %d %s\r\n"
        "Content-Type: %s\r\n"
        "Content-Length: %lld\r\n"
        "Content-Security-Policy: default-src 'self'; script-src 'self' "
        "'wasm-unsafe-eval'; img-src 'self' data: blob:; object-src 'none'; "
        "base-uri 'none'; frame-ancestors 'self'\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        "Referrer-Policy: no-referrer\r\n"
        "Cache-Control: no-cache\r\n"
        "%sConnection: close\r\n\r\n%s",
        (int)status, serve_reason(status),
        status == SERVE_OK ? serve_type(r->path) : "text/plain",
        (long long)size,
        status == SERVE_NO_METHOD ? "Allow: GET, HEAD\r\n" : "",
        r->head ? "" : text);
    if (r->head && g->file >= 0) {
        close(g->file);
        g->file = -1;
    }
}

static void take_in(struct serve_server *s, struct guest *g)
{
    ssize_t size =
        read(g->socket, g->request + g->got, sizeof g->request - g->got);
    struct serve_request r;
    enum serve_status status;

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0) {
        dismiss(g);
        return;
    }
    g->got += (size_t)size;
    status = serve_read(&r, g->request, g->got, s->port);
    if (status != SERVE_MORE)
        answer(s, g, status, &r);
}

/* Sends the next bytes; the connection ends with them. */
static void give_out(struct guest *g)
{
    ssize_t size;

    if (g->sent == g->used && g->file >= 0) {
        size = read(g->file, g->block, sizeof g->block);
        g->used = size > 0 ? (size_t)size : 0;
        g->sent = 0;
        if (size <= 0) {
            close(g->file);
            g->file = -1;
        }
    }
    if (g->sent == g->used) {
        dismiss(g);
        return;
    }
    size = send(g->socket, g->block + g->sent, g->used - g->sent, MSG_NOSIGNAL);
    if (size > 0)
        g->sent += (size_t)size;
    else if (errno != EAGAIN && errno != EINTR)
        dismiss(g);
    g->until = (time_t)net_seconds() + PATIENCE_SECONDS;
}

static void welcome(struct serve_server *s)
{
    int socket = accept4(s->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct guest *g = &s->guest[0];

    if (socket < 0)
        return;
    for (int i = 0; i < GUESTS_MAX && g->socket >= 0; i++)
        if (s->guest[i].socket < 0 || s->guest[i].until < g->until)
            g = &s->guest[i];
    dismiss(g);
    g->socket = socket;
    g->got = g->used = g->sent = 0;
    g->answers = false;
    g->until = (time_t)net_seconds() + PATIENCE_SECONDS;
}

bool serve_run(struct serve_server *s, const atomic_bool *stop)
{
    struct pollfd polled[GUESTS_MAX + 1];

    while (!atomic_load_explicit(stop, memory_order_relaxed)) {
        for (int i = 0; i < GUESTS_MAX; i++) {
            struct guest *g = &s->guest[i];

            if (g->socket >= 0 && g->until < (time_t)net_seconds())
                dismiss(g);
            polled[i] = (struct pollfd){
                .fd = g->socket, .events = g->answers ? POLLOUT : POLLIN};
        }
        polled[GUESTS_MAX] = (struct pollfd){.fd = s->socket, .events = POLLIN};
        if (poll(polled, GUESTS_MAX + 1, 1000) < 0 && errno != EINTR)
            return false;
        for (int i = 0; i < GUESTS_MAX; i++) {
            if (!polled[i].revents || s->guest[i].socket != polled[i].fd)
                continue;
            if (s->guest[i].answers)
                give_out(&s->guest[i]);
            else
                take_in(s, &s->guest[i]);
        }
        if (polled[GUESTS_MAX].revents & POLLIN)
            welcome(s);
    }
    return true;
}
