/*
 * board.h - what board.c needs of a board: about twenty lines each for another
 * microcontroller.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* The board's own name: a number that no other has, from 1 on. */
extern const uint32_t board_name;

/* Sleeps until the next step begins, or a byte has come; returns the number of
 * steps since the start. */
uint32_t board_sleep(void);

/* The next byte from the previous board of the ring, or -1. */
int board_take(void);

/* A byte to the next board of the ring. */
void board_give(uint8_t byte);

/* A letter for people. */
void board_say(char letter);

#endif
