/*
 * sys/ioctl.h - there is no terminal to ask.
 */
#ifndef WEB_SYS_IOCTL_H
#define WEB_SYS_IOCTL_H

struct winsize {
    unsigned short ws_row, ws_col;
};

enum { TIOCGWINSZ };

int ioctl(int descriptor, unsigned long what, ...);

#endif
