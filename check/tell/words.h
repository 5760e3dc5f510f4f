/*
 * words.h - moves of the checker in words: of a run that is told, and of those
 * that may come next.
 */
#ifndef CHECK_WORDS_H
#define CHECK_WORDS_H

#include "check/model/model.h"

enum { CHECK_WORDS_SIZE = 256 }; /* enough for any move */

/* Adds to a text that has used `used` of `size` bytes; the rest is cut off. */
__attribute__((format(printf, 4, 5))) void
check_add_words(char *out, size_t size, size_t *used, const char *format, ...);

/* What a node is called: its name, or its index where nodes have none. */
uint32_t check_name_of(const struct check_model *m, uint32_t node);

/* A message as in a trace, "request(1)".  Returns the length. */
size_t check_say_message(const struct check_model *m, const void *msg,
                         char *out, size_t size);

/* What happens in a move, "P2 reads request(1) from P1"; `call` stands before
 * every name, and `msg` is the message that the move is about, or NULL.
 * Returns the length. */
size_t check_say_move(const struct check_model *m,
                      const struct check_move *move, const void *msg,
                      const char *call, char *out, size_t size);

#endif
