/*
 * langinfo.h - the locale of a page is UTF-8.
 */
#ifndef WEB_LANGINFO_H
#define WEB_LANGINFO_H

enum { CODESET };

char *nl_langinfo(int item);

#endif
