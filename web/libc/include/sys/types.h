/*
 * sys/types.h - as in POSIX.
 */
#ifndef WEB_SYS_TYPES_H
#define WEB_SYS_TYPES_H

typedef long long off_t;
typedef int pid_t;
typedef unsigned uid_t;
typedef unsigned mode_t;

#endif
