/*
 * field.h - the fields of a local state (core/field.h) as people read them.
 */
#ifndef NET_FIELD_H
#define NET_FIELD_H

#include "net/type.h"

/* Enough for most fields; what does not fit ends with "...". */
enum { NET_FIELD_SIZE = 256 };

/* Writes a field of the state of the node at `place`: "17", "yes", "candidate",
 * "{1, 3}", "{2: 17}".  Nodes go by their names, or by their index from 0 where
 * they have none.  Returns the length of the text, which is below `size`. */
size_t net_show_field(const struct fc_field *field, const void *state,
                      const struct net_place *place, char *buffer, size_t size);

/* A value of a field: the i-th, if it has several; and whether a bit of it is
 * set, where it is a set. */
uint64_t net_field_value(const struct fc_field *field, const void *state,
                         const struct net_place *place, uint32_t i);
bool net_field_has(const struct fc_field *field, const void *state,
                   uint32_t bit);

/* The number of values that count. */
uint64_t net_field_count(const struct fc_field *field, const void *state);

/* A value as a number that may be negative. */
int64_t net_field_signed(uint64_t value, size_t size);

/* The node at the other end of a link, or the node itself if it has no such
 * link. */
uint32_t net_field_link(const struct net_place *place, uint64_t link);

/* Whether a field has the same values in both states. */
bool net_field_same(const struct fc_field *field, const void *a, const void *b);

#endif
