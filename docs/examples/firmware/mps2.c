/*
 * mps2.c - board.h on the Arm MPS2 board with a Cortex-M4 (AN386), which QEMU
 * simulates: qemu-system-arm -M mps2-an386.
 *
 * UART 0 is for people, UART 1 is the ring.  A step is a millisecond of
 * SysTick.  There is no C library: the few functions that compilers call
 * without being asked are at the end.
 */
#include "board.h"

#include <stddef.h>

enum { CLOCK = 25000000, STEPS_PER_SECOND = 1000, BAUD = 115200 };

struct uart {
    volatile uint32_t data, state, control, interrupt, divider;
};
enum { FULL = 1, SEND = 1, RECEIVE = 2, INTERRUPTS = 8, RECEIVED = 2 };
#define PEOPLE ((struct uart *)0x40004000)
#define RING   ((struct uart *)0x40005000)

struct systick {
    volatile uint32_t control, load, value;
};
#define SYSTICK ((struct systick *)0xe000e010)
#define ENABLE  ((volatile uint32_t *)0xe000e100) /* interrupts, a bit each */

enum { RING_RECEIVED = 2 }; /* the interrupt of UART 1 */

static volatile uint32_t steps;
static volatile uint8_t came[256]; /* between the interrupt and board_take() */
static volatile uint8_t came_in, came_out;

uint32_t board_sleep(void)
{
    __asm__ volatile("wfi");
    return steps;
}

int board_take(void)
{
    return came_out == came_in ? -1 : came[came_out++];
}

static void give(struct uart *to, uint8_t byte)
{
    while (to->state & FULL)
        ;
    to->data = byte;
}

void board_give(uint8_t byte)
{
    give(RING, byte);
}

void board_say(char letter)
{
    give(PEOPLE, (uint8_t)letter);
}

/* ---- Start and interrupts ------------------------------------------------ */

int main(void);
extern uint32_t stack_end[], data_from[], data_begin[], data_end[], bss_end[];

static void on_step(void)
{
    steps++;
}

static void on_byte(void)
{
    RING->interrupt = RECEIVED;
    came[came_in++] = (uint8_t)RING->data;
}

/* There is nothing to go on with. */
static void on_fault(void)
{
    for (;;)
        __asm__ volatile("wfi");
}

static void on_reset(void)
{
    const uint32_t *from = data_from;
    uint32_t *to = data_begin;

    while (to < data_end)
        *to++ = *from++;
    while (to < bss_end)
        *to++ = 0;
    PEOPLE->divider = RING->divider = CLOCK / BAUD;
    PEOPLE->control = SEND;
    RING->control = SEND | RECEIVE | INTERRUPTS;
    SYSTICK->load = CLOCK / STEPS_PER_SECOND - 1;
    SYSTICK->control = 7; /* on, with interrupts, by the processor's clock */
    *ENABLE = 1u << RING_RECEIVED;
    main();
    on_fault();
}

/* What the processor looks at first. */
enum { RESET, NMI, HARD, MEMORY, BUS, USAGE, TICK = 14, INTERRUPT };
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*on[INTERRUPT + RING_RECEIVED + 1])(void);
} vectors = {
    stack_end,
    {
        [RESET] = on_reset,
        [NMI] = on_fault,
        [HARD] = on_fault,
        [MEMORY] = on_fault,
        [BUS] = on_fault,
        [USAGE] = on_fault,
        [TICK] = on_step,
        [INTERRUPT + RING_RECEIVED] = on_byte,
    },
};

/* ---- What compilers call ------------------------------------------------- */

void *memset(void *to, int byte, size_t size)
{
    uint8_t *at = to;

    while (size--)
        *at++ = (uint8_t)byte;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *at = to;
    const uint8_t *next = from;

    while (size--)
        *at++ = *next++;
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a, *y = b;

    for (; size > 0; size--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}
