/*
 * request.c - see request.h.
 */
#include "web/serve/request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The end of the head in the bytes, or NULL. */
static const char *head_end(const char *bytes, size_t size)
{
    const char *end = memmem(bytes, size, "\r\n\r\n", 4);

    return end ? end + 2 : NULL;
}

/* Only letters that our files have: no escapes, no zeros; and no part of a path
 * that is empty or begins with a dot, so that none leads up, or to the root. */
static bool is_plain(const char *path, size_t length)
{
    char before = '/';

    for (size_t i = 0; i < length; i++) {
        char c = path[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9') || c == '-' || c == '_';
        bool inside = (c == '/' && before != '/') ||
                      (c == '.' && before != '/' && before != '.');

        if (!letter && !inside)
            return false;
        before = c;
    }
    return true;
}

static enum serve_status read_path(struct serve_request *out, const char *path,
                                   size_t length)
{
    const char *query = memchr(path, '?', length);

    if (query)
        length = (size_t)(query - path);
    if (length == 0 || *path != '/')
        return SERVE_BAD;
    path++;
    length--;
    if (length >= sizeof out->path)
        return SERVE_NOT_FOUND;
    if (!is_plain(path, length))
        return SERVE_NOT_FOUND;
    snprintf(out->path, sizeof out->path, "%.*s", (int)length, path);
    if (length == 0 || path[length - 1] == '/')
        snprintf(out->path + length, sizeof out->path - length, "index.html");
    return SERVE_OK;
}

static bool is_host(const char *value, size_t length, unsigned port)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char text[32];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int size = snprintf(text, sizeof text, "%s:%u", names[i], port);

        if ((size_t)size == length && strncasecmp(text, value, length) == 0)
            return true;
        size = snprintf(text, sizeof text, "%s", names[i]);
        if (port == 80 && (size_t)size == length &&
            strncasecmp(text, value, length) == 0)
            return true;
    }
    return false;
}

/* The lines after the first: the host must be there, once, and be us. */
static enum serve_status read_lines(const char *at, const char *end,
                                    unsigned port)
{
    unsigned hosts = 0;

    while (at < end) {
        const char *line = at;
        const char *stop = memmem(at, (size_t)(end - at), "\r\n", 2);

        if (!stop)
            return SERVE_BAD;
        at = stop + 2;
        if (stop - line < 5 || strncasecmp(line, "host:", 5) != 0)
            continue;
        for (line += 5; line < stop && *line == ' ';)
            line++;
        while (stop > line && stop[-1] == ' ')
            stop--;
        if (!is_host(line, (size_t)(stop - line), port))
            return SERVE_FORBIDDEN;
        hosts++;
    }
    return hosts == 1 ? SERVE_OK : SERVE_BAD;
}

enum serve_status serve_read(struct serve_request *out, const char *bytes,
                             size_t size, unsigned port)
{
    const char *end = head_end(bytes, size), *line, *path, *version;
    enum serve_status status;

    memset(out, 0, sizeof *out);
    if (!end)
        return size >= SERVE_REQUEST_MAX ? SERVE_TOO_LONG : SERVE_MORE;
    line = memmem(bytes, size, "\r\n", 2);
    path = memchr(bytes, ' ', (size_t)(line - bytes));
    if (!path)
        return SERVE_BAD;
    version = memchr(path + 1, ' ', (size_t)(line - path - 1));
    if (!version || line - version != 9 ||
        memcmp(version + 1, "HTTP/1.", 7) != 0)
        return SERVE_BAD;
    status = read_lines(line + 2, end, port);
    if (status != SERVE_OK)
        return status;
    out->head = path - bytes == 4 && memcmp(bytes, "HEAD", 4) == 0;
    if (!out->head && (path - bytes != 3 || memcmp(bytes, "GET", 3) != 0))
        return SERVE_NO_METHOD;
    return read_path(out, path + 1, (size_t)(version - path - 1));
}

const char *serve_type(const char *path)
{
    static const struct {
        const char *end, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".wasm", "application/wasm"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".txt", "text/plain; charset=utf-8"},
        {".trace", "text/plain; charset=utf-8"},
        {".json", "application/json"},
    };
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i].end) == 0)
            return types[i].type;
    return "application/octet-stream";
}

const char *serve_reason(enum serve_status status)
{
    switch (status) {
    case SERVE_OK:
        return "OK";
    case SERVE_FORBIDDEN:
        return "Forbidden";
    case SERVE_NOT_FOUND:
        return "Not Found";
    case SERVE_NO_METHOD:
        return "Method Not Allowed";
    case SERVE_TOO_LONG:
        return "Request Header Fields Too Large";
    default:
        return "Bad Request";
    }
}
