/*
 * parcel.h - several messages of the protocol in one datagram, each after its
 * size in two bytes, the lesser first.
 *
 * No socket, no clock and no protocol here, so that every byte can be tried.
 */
#ifndef LIVE_PARCEL_H
#define LIVE_PARCEL_H

#include <stdbool.h>

#include "live/wire/datagram.h"

enum { LIVE_PARCEL_SIZE_BYTES = 2 };

struct live_parcel {
    size_t size; /* all zero bytes is an empty parcel */
    uint8_t bytes[LIVE_DATAGRAM_MAX];
};

/* Appends a message.  False if it does not fit in; then nothing changes. */
bool live_parcel_add(struct live_parcel *parcel, const uint8_t *message,
                     size_t size);

/* The unread part of a parcel that has come. */
struct live_unread {
    const uint8_t *bytes;
    size_t size;
};

enum live_parcel_found {
    LIVE_PARCEL_END,     /* all is read */
    LIVE_PARCEL_MESSAGE, /* one more, perhaps empty */
    LIVE_PARCEL_ODD,     /* it ends too early; the rest means nothing */
};

/* Takes the next message from the unread part; it lies within those bytes.
 * After LIVE_PARCEL_ODD nothing is unread any more. */
enum live_parcel_found live_parcel_next(struct live_unread *unread,
                                        struct live_unread *message);

#endif
