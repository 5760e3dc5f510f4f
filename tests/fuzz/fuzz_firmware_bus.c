/*
 * fuzz_firmware_bus.c - any frames at the node of docs/examples/firmware/bus,
 * and any letters in frames whose sum is right; and what is split is put
 * together as it was.
 */
#include <stdlib.h>
#include <string.h>

#include "docs/examples/firmware/bus/node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

/* ---- A board that keeps what it is told ---------------------------------- */

struct board {
    uint32_t clock;
    uint8_t flash[BOARD_SLOTS][32];
};

uint32_t board_clock(struct board *b)
{
    return b->clock;
}

uint32_t board_draw(struct board *b, uint32_t below)
{
    (void)b;
    return below / 2;
}

void board_send(struct board *b, const uint8_t *frame, uint8_t size)
{
    (void)b, (void)frame;
    must(size > BUS_HEAD && size <= BUS_FRAME);
}

void board_hold(struct board *b, uint32_t until, bool begins)
{
    (void)b, (void)until, (void)begins;
}

void board_let_go(struct board *b)
{
    (void)b;
}

void board_read(struct board *b, uint32_t slot, uint8_t *bytes, size_t size)
{
    memcpy(bytes, b->flash[slot], size);
}

bool board_write(struct board *b, uint32_t slot, const uint8_t *bytes,
                 size_t size)
{
    memcpy(b->flash[slot], bytes, size);
    return true;
}

/* ---- Frames -------------------------------------------------------------- */

/* The input as a letter: it comes as it was, and the node bears it. */
static void hand_over(struct bus_node *n, uint32_t from, const uint8_t *letter,
                      size_t size, uint8_t number)
{
    struct bus_inbox in = {0};
    struct bus_split split;
    uint8_t frame[BUS_FRAME], got[BUS_LETTER];
    uint32_t count;

    if (size > BUS_LETTER)
        size = BUS_LETTER;
    bus_split(&split, letter, size);
    count = bus_frames_of(&split);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes = bus_frame(&split, number, i, frame);
        size_t whole = bus_join(&in, frame, bytes, got);

        must(whole == (i + 1 < count ? 0 : size));
        bus_node_take(n, from, frame, bytes);
    }
    must(memcmp(got, letter, size) == 0 || size == 0);
}

/* Pieces of the input: the sender, the pause, the size, and the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct view_lock_params params = {.tau = 10,
                                                   .lease = 100,
                                                   .kill = 5,
                                                   .silence = 126,
                                                   .delta = 20,
                                                   .idle = 20,
                                                   .quiet = 126};
    struct board b = {.clock = 1};
    struct bus_node *n = calloc(1, sizeof *n);
    uint8_t number = 0;

    must(n != NULL);
    if (size && data[0] & 1)
        must(bus_node_begin_flash(&b));
    bus_node_start(n, &b, (struct fc_member){1, 3}, &params);
    while (size > 3) {
        size_t piece = data[2] < size - 3 ? data[2] : size - 3;
        uint8_t *exact = malloc(piece ? piece : 1);

        must(exact != NULL);
        memcpy(exact, data + 3, piece);
        b.clock += data[1];
        if (data[0] & 0x80)
            bus_node_take(n, data[0] & 3, exact, piece);
        else
            hand_over(n, data[0] & 3, exact, piece, ++number);
        if (data[0] & 0x40)
            bus_node_want(n);
        if (data[0] & 0x20)
            bus_node_leave(n);
        bus_node_run(n);
        must(n->standing != BUS_BROKEN);
        free(exact);
        data += 3 + piece;
        size -= 3 + piece;
    }
    free(n);
    return 0;
}
