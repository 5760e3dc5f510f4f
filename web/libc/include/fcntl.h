/*
 * fcntl.h - nothing of it is needed here.
 */
#ifndef WEB_FCNTL_H
#define WEB_FCNTL_H

#endif
