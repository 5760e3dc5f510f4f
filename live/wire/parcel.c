/*
 * parcel.c - see parcel.h.
 */
#include "live/wire/parcel.h"

#include <string.h>

bool live_parcel_add(struct live_parcel *parcel, const uint8_t *message,
                     size_t size)
{
    size_t room = sizeof parcel->bytes - parcel->size;
    uint8_t *at = parcel->bytes + parcel->size;

    if (room < LIVE_PARCEL_SIZE_BYTES || room - LIVE_PARCEL_SIZE_BYTES < size)
        return false;
    at[0] = (uint8_t)size;
    at[1] = (uint8_t)(size >> 8);
    if (size)
        memcpy(at + LIVE_PARCEL_SIZE_BYTES, message, size);
    parcel->size += LIVE_PARCEL_SIZE_BYTES + size;
    return true;
}

enum live_parcel_found live_parcel_next(struct live_unread *unread,
                                        struct live_unread *message)
{
    size_t size;

    if (unread->size == 0)
        return LIVE_PARCEL_END;
    if (unread->size < LIVE_PARCEL_SIZE_BYTES) {
        unread->size = 0;
        return LIVE_PARCEL_ODD;
    }
    size = unread->bytes[0] | (size_t)unread->bytes[1] << 8;
    if (size > unread->size - LIVE_PARCEL_SIZE_BYTES) {
        unread->size = 0;
        return LIVE_PARCEL_ODD;
    }
    *message =
        (struct live_unread){unread->bytes + LIVE_PARCEL_SIZE_BYTES, size};
    unread->bytes += LIVE_PARCEL_SIZE_BYTES + size;
    unread->size -= LIVE_PARCEL_SIZE_BYTES + size;
    return LIVE_PARCEL_MESSAGE;
}
