/*
 * system.c - the rest of a system: one core, one thread, no terminal, no
 * environment, and the clock and the logarithms of the host.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "web/libc/host.h"

int errno;

void exit(int code)
{
    (void)fflush(stdout);
    host_exit(code);
}

void abort(void)
{
    exit(134); /* what a shell says of a process that aborts */
}

void web_assertion(void)
{
    fputs("an assertion does not hold: please report the command\n", stderr);
    abort();
}

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

char *nl_langinfo(int item)
{
    (void)item;
    return "UTF-8";
}

char *setlocale(int what, const char *name)
{
    (void)what;
    (void)name;
    return "C.UTF-8";
}

int isatty(int descriptor)
{
    (void)descriptor;
    return 0;
}

int ioctl(int descriptor, unsigned long what, ...)
{
    (void)descriptor;
    (void)what;
    errno = EINVAL;
    return -1;
}

int fcntl(int descriptor, int what, ...)
{
    (void)descriptor;
    (void)what;
    return 0;
}

int open(const char *path, int how, ...)
{
    (void)path;
    (void)how;
    errno = EINVAL;
    return -1;
}

int dup2(int from, int to)
{
    (void)from;
    (void)to;
    errno = EBADF;
    return -1;
}

pid_t getpid(void)
{
    return 1;
}

int sched_getaffinity(int process, size_t size, cpu_set_t *set)
{
    (void)process;
    (void)size;
    set->cores = 1;
    return 0;
}

int raise(int number)
{
    exit(128 + number);
}

int signal(int number, void (*what)(int))
{
    (void)number;
    (void)what;
    return 0;
}

int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    (void)number;
    (void)new;
    if (old)
        old->sa_handler = SIG_IGN;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static double began = -1;
    double seconds = host_now();

    if (began < 0)
        began = seconds;
    if (clock != CLOCK_REALTIME)
        seconds -= began;
    now->tv_sec = (time_t)seconds;
    now->tv_nsec = (long)((seconds - (double)now->tv_sec) * 1e9);
    return 0;
}

/* ---- One thread ---------------------------------------------------------- */

int pthread_create(pthread_t *thread, const void *how, void *(*work)(void *),
                   void *whom)
{
    (void)how;
    *thread = 0;
    (void)work(whom);
    return 0;
}

int pthread_join(pthread_t thread, void **result)
{
    (void)thread;
    if (result)
        *result = NULL;
    return 0;
}

#define NOTHING_TO_DO(name, of)                                                \
    int name(of *unused)                                                       \
    {                                                                          \
        (void)unused;                                                          \
        return 0;                                                              \
    }
NOTHING_TO_DO(pthread_mutex_destroy, pthread_mutex_t)
NOTHING_TO_DO(pthread_mutex_lock, pthread_mutex_t)
NOTHING_TO_DO(pthread_mutex_unlock, pthread_mutex_t)
NOTHING_TO_DO(pthread_cond_signal, pthread_cond_t)
NOTHING_TO_DO(pthread_cond_broadcast, pthread_cond_t)

int pthread_mutex_init(pthread_mutex_t *m, const void *how)
{
    (void)how;
    *m = 0;
    return 0;
}

/* Nobody else would ever end the wait. */
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    (void)c;
    (void)m;
    abort();
}

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                           clockid_t clock, const struct timespec *until)
{
    (void)clock;
    (void)until;
    return pthread_cond_wait(c, m);
}

/* ---- Numbers ------------------------------------------------------------- */

/* What the machine can do is an instruction, the rest is asked of the host. */
#define NUMBER(name, from)                                                     \
    double name(double x)                                                      \
    {                                                                          \
        return from##name(x);                                                  \
    }
NUMBER(ceil, __builtin_)
NUMBER(floor, __builtin_)
NUMBER(trunc, __builtin_)
NUMBER(fabs, __builtin_)
NUMBER(sqrt, __builtin_)
NUMBER(log, host_)
NUMBER(log2, host_)
NUMBER(log10, host_)
NUMBER(exp, host_)

double fmax(double x, double y)
{
    return isnan(x) || y > x ? y : x;
}

double fmin(double x, double y)
{
    return isnan(x) || y < x ? y : x;
}

/* Halves away from 0. */
double round(double x)
{
    double whole = trunc(x);

    if (fabs(x - whole) >= 0.5)
        whole += x < 0 ? -1 : 1;
    return whole;
}

long long llround(double x)
{
    return (long long)round(x);
}

double ldexp(double x, int exponent)
{
    for (; exponent > 0 && x != 0 && !isinf(x); exponent--)
        x *= 2;
    for (; exponent < 0 && x != 0 && !isinf(x); exponent++)
        x /= 2;
    return x;
}

double hypot(double x, double y)
{
    return sqrt(x * x + y * y);
}

double pow(double x, double y)
{
    return host_pow(x, y);
}
