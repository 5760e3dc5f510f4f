/*
 * sort.c - qsort(), by merging: equals keep their order, as GNU's did for
 * decades; and bsearch().
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int compare_fn(const void *, const void *);

static void merge_sort(char *list, size_t count, size_t size,
                       compare_fn *compare, char *spare)
{
    size_t left = count / 2, used = 0;
    char *a = list, *b = list + left * size, *end = list + count * size;
    char *middle = b;

    if (count < 2)
        return;
    merge_sort(a, left, size, compare, spare);
    merge_sort(b, count - left, size, compare, spare);
    while (a < middle && b < end) {
        char **from = compare(a, b) <= 0 ? &a : &b;

        memcpy(spare + used, *from, size);
        *from += size;
        used += size;
    }
    /* The rest of the second half is in its place already. */
    memmove(spare + used, a, (size_t)(middle - a));
    used += (size_t)(middle - a);
    memcpy(list, spare, used);
}

void qsort(void *list, size_t count, size_t size, compare_fn *compare)
{
    char *spare = count > 1 ? malloc(count * size) : NULL;

    if (count > 1 && !spare)
        abort();
    merge_sort(list, count, size, compare, spare);
    free(spare);
}

void *bsearch(const void *key, const void *list, size_t count, size_t size,
              compare_fn *compare)
{
    const char *first = list;

    while (count > 0) {
        const char *middle = first + count / 2 * size;
        int order = compare(key, middle);

        if (order == 0)
            return (void *)middle;
        if (order > 0)
            first = middle + size;
        count = order > 0 ? count - count / 2 - 1 : count / 2;
    }
    return NULL;
}
