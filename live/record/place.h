/*
 * place.h - where a file is, so that a copy of it elsewhere is noticed (P7).
 *
 * A record is used at one place at a time.  What tells places apart must stay
 * as it is over a reboot, or a healthy node would refuse to start: the numbers
 * of devices do not, and are not looked at.
 */
#ifndef LIVE_PLACE_H
#define LIVE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Each 0 if the system does not tell, or tells nothing that lasts. */
struct live_place {
    uint64_t machine; /* a hash of /etc/machine-id */
    uint64_t volume;  /* of the file system, made of its UUID */
    uint32_t file;    /* of the inode's number */
    uint32_t born;    /* of the time at which the file was made */
};

/* Of an open file, on this machine. */
struct live_place live_place_of(int file);

/* The difference of two places, in words that go on "..., and this is another
 * one"; NULL: none.  Facts that are unknown of either make no difference. */
const char *live_place_differs(const struct live_place *one,
                               const struct live_place *other);

#endif
