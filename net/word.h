/*
 * word.h - words that people type, before they mean a network: numbers, and
 * what was meant by a word that is not known.
 */
#ifndef NET_WORD_H
#define NET_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "net/why.h"

/* Whether `typed` may be a mistyped `word` that is nearer to it than *least,
 * which becomes their distance; begin with UINT32_MAX. */
bool net_is_nearer(const char *typed, const char *word, uint32_t *least);

/* A whole number from least to greatest, refused as `what`. */
bool net_number(const char *text, const char *what, uint64_t least,
                uint64_t greatest, uint64_t *out, struct net_why *why);

#endif
