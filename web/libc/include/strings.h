/*
 * strings.h - as in POSIX.
 */
#ifndef WEB_STRINGS_H
#define WEB_STRINGS_H

int strcasecmp(const char *a, const char *b);

#endif
