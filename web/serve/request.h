/*
 * request.h - an HTTP request, as far as a server of a few files needs it.
 *
 * The bytes are foreign input: whatever they are, the answer is a request, a
 * refusal, or that more is to come.
 */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVE_REQUEST_MAX = 8192, SERVE_PATH_MAX = 256 };

enum serve_status {
    SERVE_MORE = 0, /* is to come */
    SERVE_OK = 200,
    SERVE_BAD = 400,
    SERVE_FORBIDDEN = 403,
    SERVE_NOT_FOUND = 404,
    SERVE_NO_METHOD = 405,
    SERVE_TOO_LONG = 431,
};

struct serve_request {
    bool head;                 /* the file is not wanted, only what it is */
    char path[SERVE_PATH_MAX]; /* "index.html": relative, without dots up */
};

/* Reads a request to the server at this port of the loopback.  A request that
 * names another host is refused: a page of that host would read our files. */
enum serve_status serve_read(struct serve_request *out, const char *bytes,
                             size_t size, unsigned port);

/* The type of a file, by its name. */
const char *serve_type(const char *path);

/* The sentence of a status. */
const char *serve_reason(enum serve_status status);

#endif
