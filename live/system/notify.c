/*
 * notify.c - see notify.h.
 */
#include "live/system/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TEXT_BYTES = 512 };

/* The address in NOTIFY_SOCKET: a path, or '@' and an abstract name.  Its size,
 * or 0. */
static socklen_t address_of(struct sockaddr_un *address)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t size = path ? strlen(path) : 0;

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (size < 2 || size >= sizeof address->sun_path ||
        (path[0] != '/' && path[0] != '@'))
        return 0;
    memcpy(address->sun_path, path, size);
    if (path[0] == '@')
        address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
}

bool live_notify_say(const char *format, ...)
{
    struct sockaddr_un address;
    socklen_t size = address_of(&address);
    char text[TEXT_BYTES];
    va_list arguments;
    static int fd = -1; /* stays: there may be no other when it is needed */

    if (size == 0)
        return false;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (fd < 0)
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd >= 0 && sendto(fd, text, strlen(text), MSG_NOSIGNAL,
                             (const struct sockaddr *)&address, size) >= 0;
}

uint64_t live_notify_interval(void)
{
    const char *text = getenv("WATCHDOG_USEC"), *whom = getenv("WATCHDOG_PID");
    char *end = NULL;
    uint64_t interval;

    if (!text || !*text || (whom && strtol(whom, NULL, 10) != (long)getpid()))
        return 0;
    errno = 0;
    interval = strtoull(text, &end, 10);
    return *end || errno ? 0 : interval;
}

static void on_watchdog(uv_timer_t *timer)
{
    (void)timer;
    (void)live_notify_say("WATCHDOG=1");
}

void live_notify_open(struct live_notify *notify, uv_loop_t *loop)
{
    uint64_t ms = live_notify_interval() / 2000;

    (void)uv_timer_init(loop, &notify->watchdog);
    uv_unref((uv_handle_t *)&notify->watchdog);
    notify->opened = true;
    if (ms > 0)
        (void)uv_timer_start(&notify->watchdog, on_watchdog, 0, ms);
}

void live_notify_close(struct live_notify *notify)
{
    if (notify->opened)
        uv_close((uv_handle_t *)&notify->watchdog, NULL);
    notify->opened = false;
}
