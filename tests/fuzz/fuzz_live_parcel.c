/*
 * fuzz_live_parcel.c - any bytes as what a datagram carries: cut into messages
 * that lie within it one after the other, and packing them again gives what was
 * there; what is left over is odd.
 */
#include <stdlib.h>
#include <string.h>

#include "live/wire/parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct live_parcel again;
    struct live_unread unread, message;
    enum live_parcel_found found;
    size_t used = 0;
    uint8_t *exact;

    if (size > LIVE_DATAGRAM_MAX)
        size = LIVE_DATAGRAM_MAX;
    exact = malloc(size ? size : 1); /* so that one byte too far is seen */
    must(exact != NULL);
    if (size)
        memcpy(exact, data, size);
    again.size = 0;
    unread = (struct live_unread){exact, size};
    while ((found = live_parcel_next(&unread, &message)) ==
           LIVE_PARCEL_MESSAGE) {
        must(message.bytes == exact + used + LIVE_PARCEL_SIZE_BYTES);
        used += LIVE_PARCEL_SIZE_BYTES + message.size;
        must(used + unread.size == size);
        must(live_parcel_add(&again, message.bytes, message.size));
    }
    must(unread.size == 0);
    must((found == LIVE_PARCEL_END) == (used == size));
    must(again.size == used);
    must(memcmp(again.bytes, exact, used) == 0);
    must(live_parcel_next(&unread, &message) == LIVE_PARCEL_END);
    free(exact);
    return 0;
}
