/*
 * ctype.h - as in C, for ASCII.
 */
#ifndef WEB_CTYPE_H
#define WEB_CTYPE_H

int isalnum(int c);
int isalpha(int c);
int isdigit(int c);
int islower(int c);
int isprint(int c);
int isspace(int c);
int isupper(int c);
int isxdigit(int c);
int tolower(int c);
int toupper(int c);

#endif
