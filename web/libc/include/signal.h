/*
 * signal.h - a page sends none; to stop a session it drops the instance.
 */
#ifndef WEB_SIGNAL_H
#define WEB_SIGNAL_H

typedef int sig_atomic_t;

struct sigaction {
    void (*sa_handler)(int signal);
    int sa_flags;
};

enum {
    SIGHUP = 1,
    SIGINT = 2,
    SIGQUIT = 3,
    SIGPIPE = 13,
    SIGTERM = 15,
    SIGXFSZ = 25,
};
#define SA_RESETHAND 0x80000000u
#define SIG_DFL      ((void (*)(int))0)
#define SIG_IGN      ((void (*)(int))1)

int raise(int number);
int signal(int number, void (*what)(int));
int sigaction(int number, const struct sigaction *new, struct sigaction *old);

#endif
