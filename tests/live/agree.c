/*
 * agree.c - waits until all nodes of a cluster are in one view, for tests.
 *
 *     agree SECONDS SOCKET...
 *
 * Every node must have a lease in the same view of as many members as there
 * are sockets.  Says "agreed MS", with the milliseconds it took, and exits
 * with 0; or what it saw last, and exits with 1.  It is one process, and asks
 * for a higher priority: on a starved machine a shell that starts programs to
 * look needs seconds for a look, and measures itself.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "live/client/client.h"
#include "live/common/clock.h"

/* The view in which a node has a lease with MEMBERS members; 0: none. */
static uint64_t view_of(const char *socket, size_t members)
{
    struct live_client client;
    struct net_why error;
    const char *shown;
    uint64_t view = 0;
    json_t *report;
    int file;

    if (live_client_open(&client, socket, &error) != 0)
        return 0;
    file = live_client_status(&client, &error);
    live_client_close(&client);
    if (file < 0)
        return 0;
    report = json_loadfd(file, 0, NULL);
    close(file);
    shown = json_string_value(json_object_get(report, "view"));
    if (shown && json_is_true(json_object_get(report, "leased")) &&
        json_array_size(json_object_get(report, "members")) == members)
        view = strtoull(shown, NULL, 10);
    json_decref(report);
    return view;
}

int main(int argc, char **argv)
{
    const struct timespec pause = {0, 5000000};
    uint64_t began = live_now(), until;
    int agree = 0;

    if (argc < 3)
        return 2;
    until = began + UINT64_C(1000000) * strtoull(argv[1], NULL, 10);
    (void)setpriority(PRIO_PROCESS, 0, -15);
    while (agree < argc - 2 && live_now() < until) {
        uint64_t view = view_of(argv[2], (size_t)argc - 2);

        for (agree = 0; agree < argc - 2 && view; agree++)
            if (view_of(argv[2 + agree], (size_t)argc - 2) != view)
                break;
        if (agree < argc - 2)
            (void)nanosleep(&pause, NULL);
    }
    if (agree == argc - 2) {
        printf("agreed %" PRIu64 "\n", (live_now() - began) / 1000);
        return 0;
    }
    for (int i = 2; i < argc; i++)
        printf("%s: view %" PRIu64 "\n", argv[i],
               view_of(argv[i], (size_t)argc - 2));
    return 1;
}
