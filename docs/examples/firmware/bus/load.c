/*
 * load.c - what view-lock costs on a bus of 500 kbit/s, a row for each number
 * of boards and each tau: for the table of docs/firmware.md, which
 * scripts/firmware_bus.sh writes.
 *
 * Frames are counted as node.c sends them after a year, with as many stuffed
 * bits as there can be.
 */
#include "core/params.h"
#include "node.h"

#include <stdio.h>

enum { BITS_PER_SECOND = 500000, MILLI = 1000 };

/* Bits of a frame with `size` bytes, with the pause after it; no other bit rate
 * for the data of CAN-FD. */
static uint32_t bits_of(uint32_t size)
{
    uint32_t head = BUS_FRAME == 8 ? 34 : 22, data = 8 * size;
    uint32_t tail = BUS_FRAME == 8 ? 13 : size > 16 ? 45 : 40;

    return head + data + (head + data - 1) / 4 + tail;
}

/* The letter by which a board says all that it says every tau. */
static size_t frame_letter(uint32_t boards, uint8_t letter[BUS_LETTER])
{
    const uint64_t year = UINT64_C(365) * 24 * 3600 * MILLI;
    const uint32_t view = 5000u << VIEW_LOCK_ID_BITS;
    struct view_lock_msg m = {
        .kind = VIEW_LOCK_FRAME,
        .flags = VIEW_LOCK_READY | VIEW_LOCK_LEASED | VIEW_LOCK_CLEAN,
        .inc = 300,
        .stamp = year,
        .maxv = view,
        .view = view,
        .time = 1000,
        .members = (uint16_t)((1u << boards) - 1),
        .heard = (uint16_t)((1u << boards) - 1),
        .sync = 2,
        .period = 20,
    };
    size_t size = 3 + view_lock_pack(&m, letter + 3);

    letter[0] = 1;
    letter[1] = 0xfe;
    letter[2] = 0xff;
    for (uint32_t i = 0; i + 1 < boards; i++)
        for (uint32_t at = 0; at < 16; at++)
            letter[size++] = at < 2    ? 1
                             : at < 8  ? 0
                             : at < 13 ? (uint8_t)(year >> 8 * (at - 8) | 1)
                                       : 0;
    return size;
}

static void row(uint32_t boards, uint32_t tau)
{
    struct view_lock_params p;
    struct fc_world w = {
        .nodes = boards,
        .bounds = {.rmin = 998, .rmax = 1002, .dmin = 0, .dmax = 20000},
        .bounded = true,
    };
    uint8_t letter[BUS_LETTER], frame[BUS_FRAME];
    struct bus_split split;
    uint32_t bits = 0, frames;

    fc_params_default(&view_lock_protocol, &p);
    p.tau = tau;
    if (view_lock_protocol.prepare(&p, &w))
        return;
    bus_split(&split, letter, frame_letter(boards, letter));
    frames = bus_frames_of(&split);
    for (uint32_t i = 0; i < frames; i++)
        bits += bits_of(bus_frame(&split, 0, i, frame));
    printf("%u %u %u %u %u %.0f %.0f\n", boards, tau, p.lease, split.size,
           frames * boards * MILLI / tau,
           100.0 * bits * boards * MILLI / tau / BITS_PER_SECOND,
           100.0 * bits * boards * MILLI / p.idle / BITS_PER_SECOND);
}

int main(void)
{
    static const uint32_t boards[] = {3, 5, 8}, taus[] = {10, 20, 50, 100};

    for (uint32_t i = 0; i < FC_COUNT(boards); i++)
        for (uint32_t j = 0; j < FC_COUNT(taus); j++)
            row(boards[i], taus[j]);
    return 0;
}
