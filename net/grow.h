/*
 * grow.h - a list that grows by one element at a time.
 *
 * With `count` elements there is room for the next power of two, so nothing
 * but the count has to be kept.
 */
#ifndef NET_GROW_H
#define NET_GROW_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one element more.  `list` is the address of the pointer to the
 * first of `count` elements, `size` the bytes of each.  False: there is no
 * memory, and the list is as it was. */
static inline bool net_grow(void *list, size_t count, size_t size)
{
    void *old, *grown;

    if (count & (count - 1))
        return true;
    memcpy(&old, list, sizeof old);
    grown = realloc(old, (count ? 2 * count : 1) * size);
    if (grown)
        memcpy(list, &grown, sizeof grown);
    /* cppcheck-suppress memleak ; it is in the list */
    return grown != NULL;
}

#endif
