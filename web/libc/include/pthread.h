/*
 * pthread.h - one thread: what would be another runs to its end before
 * pthread_create() returns, and nobody ever waits.
 */
#ifndef WEB_PTHREAD_H
#define WEB_PTHREAD_H

#include <time.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t;

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER  0

int pthread_create(pthread_t *thread, const void *how, void *(*work)(void *),
                   void *whom);
int pthread_join(pthread_t thread, void **result);
int pthread_mutex_init(pthread_mutex_t *m, const void *how);
int pthread_mutex_destroy(pthread_mutex_t *m);
int pthread_mutex_lock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m);
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                           clockid_t clock, const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *c);
int pthread_cond_broadcast(pthread_cond_t *c);

#endif
