/*
 * parcel.c - see parcel.h.
 */
#include "live/wire/parcel.h"

#include <string.h>

#include "core/wire.h"

bool live_parcel_add(struct live_parcel *parcel, const uint8_t *message,
                     size_t size)
{
    size_t room = sizeof parcel->bytes - parcel->size;
    uint8_t *at = parcel->bytes + parcel->size;

    if (room < LIVE_PARCEL_SIZE_BYTES || room - LIVE_PARCEL_SIZE_BYTES < size)
        return false;
    fc_put16(at, (uint16_t)size);
    if (size)
        memcpy(at + LIVE_PARCEL_SIZE_BYTES, message, size);
    parcel->size += LIVE_PARCEL_SIZE_BYTES + size;
    return true;
}

enum live_parcel_found live_parcel_next(struct live_unread *unread,
                                        struct live_unread *message)
{
    size_t size = 0;

    if (unread->size == 0)
        return LIVE_PARCEL_END;
    if (unread->size >= LIVE_PARCEL_SIZE_BYTES)
        size = LIVE_PARCEL_SIZE_BYTES + fc_get16(unread->bytes);
    if (size == 0 || size > unread->size) {
        unread->size = 0;
        return LIVE_PARCEL_ODD;
    }
    *message = (struct live_unread){unread->bytes + LIVE_PARCEL_SIZE_BYTES,
                                    size - LIVE_PARCEL_SIZE_BYTES};
    unread->bytes += size;
    unread->size -= size;
    return LIVE_PARCEL_MESSAGE;
}
