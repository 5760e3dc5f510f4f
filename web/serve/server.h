/*
 * server.h - serves the regular files of one folder, and nothing else, on the
 * loopback, to all users of this machine.
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "net/atomic.h"

struct serve_server;

/* Listens on 127.0.0.1; port 0: any that is free.  NULL: errno says why. */
struct serve_server *serve_open(const char *folder, unsigned port);

unsigned serve_port(const struct serve_server *s);

/* Answers until *stop; false: the system refused, as errno says. */
bool serve_run(struct serve_server *s, const atomic_bool *stop);

void serve_close(struct serve_server *s);

#endif
