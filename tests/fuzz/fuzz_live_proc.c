/*
 * fuzz_live_proc.c - any bytes as what /proc says of a process, and any bytes
 * as the name of a program in it: a name hides nothing and invents nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/process/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUMBERS = 16 }; /* that the input begins with; its rest is the name */

static void must(int holds)
{
    if (!holds)
        abort();
}

/* As the kernel writes it. */
static void name_hides_nothing(const uint8_t numbers[NUMBERS], const char *name)
{
    struct live_proc process;
    pid_t parent, group;
    uint64_t start;
    char *text;
    int size;

    memcpy(&parent, numbers, 4);
    memcpy(&group, numbers + 4, 4);
    memcpy(&start, numbers + 8, 8);
    start >>= 1; /* what fits into a number with a sign */
    size =
        asprintf(&text,
                 "7 (%s) %c %d %d 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 "
                 "%" PRIu64 " 0 0\n",
                 name, start & 1 ? 'Z' : 'S', (int)parent, (int)group, start);
    must(size > 0 && live_proc_parse(text, &process));
    must(process.parent == parent && process.group == group);
    must(process.start == start && process.ended == (start & 1));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct live_proc process;
    char *text = malloc(size + 1);

    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    (void)live_proc_parse(text, &process);
    if (size >= NUMBERS)
        name_hides_nothing(data, text + NUMBERS);
    free(text);
    return 0;
}
