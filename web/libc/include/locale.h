/*
 * locale.h - there is one.
 */
#ifndef WEB_LOCALE_H
#define WEB_LOCALE_H

enum { LC_CTYPE, LC_ALL };

char *setlocale(int what, const char *name);

#endif
