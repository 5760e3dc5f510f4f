/*
 * board.h - what the node of node.c needs of its board, to be written for
 * yours; world.c has it for boards that are simulated.
 */
#ifndef BUS_BOARD_H
#define BUS_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct board; /* yours: what the functions below need, or nothing */

/* Steps since any moment, in a counter that wraps and runs on during sleep. */
uint32_t board_clock(struct board *b);

/* A number in 0..below-1, at random: boards that draw alike try alike. */
uint32_t board_draw(struct board *b, uint32_t below);

/* Queues a frame for the bus; what does not fit is lost. */
void board_send(struct board *b, const uint8_t *frame, uint8_t size);

/* Turns the actuator on, or leaves it on, until the counter above shows
 * `until`: an interrupt of the highest priority turns it off then, whatever the
 * main loop does.  Nothing is turned on if that time has come already, and
 * nothing that the interrupt has turned off: `begins` says that this is a new
 * hold. */
void board_hold(struct board *b, uint32_t until, bool begins);

/* Turns the actuator off, before it returns. */
void board_let_go(struct board *b);

/* A slot of flash: pages that are erased apart from each other.  Writing erases
 * first, and returns when it is done; false if it could not be done. */
enum { BOARD_SLOTS = 2 };
void board_read(struct board *b, uint32_t slot, uint8_t *bytes, size_t size);
bool board_write(struct board *b, uint32_t slot, const uint8_t *bytes,
                 size_t size);

#endif
