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

/* Whether a field has the same values in both states. */
bool net_field_same(const struct fc_field *field, const void *a, const void *b);

#endif
