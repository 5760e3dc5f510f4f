/*
 * frames.c - see frames.h.
 */
#include "frames.h"

uint32_t bus_sum(const uint8_t *bytes, size_t size)
{
    uint32_t sum = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~sum;
}

/* ---- Splitting ----------------------------------------------------------- */

void bus_split(struct bus_split *out, const uint8_t *letter, size_t size)
{
    uint8_t *to = out->bytes + 6;

    bus_put(out->bytes, size, 2);
    bus_put(out->bytes + 2, bus_sum(letter, size), 4);
    for (size_t from = 0; from < size; from += 8) {
        uint8_t *which = to++; /* of these eight are not zero */

        *which = 0;
        for (uint32_t i = 0; i < 8 && from + i < size; i++) {
            if (!letter[from + i])
                continue;
            *which |= (uint8_t)(1u << i);
            *to++ = letter[from + i];
        }
    }
    out->size = (uint16_t)(to - out->bytes);
}

uint32_t bus_frames_of(const struct bus_split *s)
{
    return (s->size + (uint32_t)BUS_ROOM - 1) / BUS_ROOM;
}

/* The sizes that a frame can have: CAN-FD has gaps above 8. */
static uint8_t fitting(uint32_t size)
{
    static const uint8_t sizes[] = {8, 12, 16, 20, 24, 32, 48, 64};
    uint32_t i = 0;

    while (size > 8 && sizes[i] < size)
        i++;
    return size > 8 ? sizes[i] : (uint8_t)size;
}

uint8_t bus_frame(const struct bus_split *s, uint8_t number, uint32_t i,
                  uint8_t frame[BUS_FRAME])
{
    uint32_t from = i * BUS_ROOM, rest = s->size - from, size;
    bool last = rest <= BUS_ROOM;

    size = last ? fitting(BUS_HEAD + rest) : BUS_FRAME;
    frame[0] = number;
    frame[1] = (uint8_t)(last ? i | BUS_LAST : i);
    for (uint32_t at = BUS_HEAD; at < size; at++)
        frame[at] = at - BUS_HEAD < rest ? s->bytes[from + at - BUS_HEAD] : 0;
    return (uint8_t)size;
}

/* ---- Putting together ---------------------------------------------------- */

/* Puts the zeros back; 0 unless the sum is right and nothing is beyond. */
static size_t restore(const uint8_t *from, size_t left,
                      uint8_t letter[BUS_LETTER])
{
    size_t size = (size_t)bus_get(from, 2), at = 0;
    uint32_t sum = (uint32_t)bus_get(from + 2, 4);

    from += 6, left -= 6;
    if (size > BUS_LETTER)
        return 0;
    while (at < size) {
        uint8_t which;

        if (left-- == 0)
            return 0;
        which = *from++;
        for (uint32_t i = 0; i < 8 && at < size; i++, which >>= 1) {
            if ((which & 1) && left-- == 0)
                return 0;
            letter[at++] = which & 1 ? *from++ : 0;
        }
    }
    return bus_sum(letter, size) == sum ? size : 0;
}

/* A frame of another letter than the one before: false if it is of an older
 * one.  A board that starts anew begins with any number. */
static bool begins(struct bus_inbox *in, uint8_t number)
{
    if (in->open && (uint8_t)(in->number - number - 1) < BUS_LATE)
        return false;
    *in = (struct bus_inbox){.number = number, .open = true};
    return true;
}

static bool is_whole(const struct bus_inbox *in)
{
    for (uint32_t i = 0; i < in->frames; i++)
        if (!in->got[i])
            return false;
    return in->frames > 0;
}

size_t bus_join(struct bus_inbox *in, const uint8_t *frame, size_t size,
                uint8_t letter[BUS_LETTER])
{
    uint32_t place = 0;

    if (size <= BUS_HEAD || size > BUS_FRAME)
        return 0;
    place = frame[1] & (BUS_LAST - 1);
    if (place >= BUS_FRAMES || (!(frame[1] & BUS_LAST) && size < BUS_FRAME))
        return 0;
    if ((!in->open || in->number != frame[0]) && !begins(in, frame[0]))
        return 0;
    if (in->whole)
        return 0; /* a frame that came twice */
    for (uint32_t i = 0; i < size - BUS_HEAD; i++)
        in->bytes[place * BUS_ROOM + i] = frame[BUS_HEAD + i];
    in->got[place] = 1;
    if (frame[1] & BUS_LAST)
        in->frames = (uint8_t)(place + 1);
    if (!is_whole(in))
        return 0;
    in->whole = true;
    return restore(in->bytes, (size_t)in->frames * BUS_ROOM, letter);
}
