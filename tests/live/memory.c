/*
 * memory.c - memory PID KEYFILE: how often the key of a cluster lies in the
 * memory of a process, as bytes or as digits; for tests.
 */
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/config/config.h"

enum { DIGITS = 2 * LIVE_KEY_BYTES };

static uint64_t find(const char *in, size_t size, const void *what,
                     size_t length)
{
    const char *end = in + size;
    uint64_t count = 0;

    while ((in = memmem(in, (size_t)(end - in), what, length)) != NULL) {
        count++;
        in++;
    }
    return count;
}

/* One range of addresses, all at once. */
static uint64_t look(int memory, unsigned long from, unsigned long to,
                     const uint8_t key[LIVE_KEY_BYTES],
                     const char digits[DIGITS + 1])
{
    char *copy = malloc(to - from);
    ssize_t size = copy ? pread(memory, copy, to - from, (off_t)from) : -1;
    uint64_t count = 0;

    if (size > 0)
        count = find(copy, (size_t)size, key, LIVE_KEY_BYTES) +
                find(copy, (size_t)size, digits, DIGITS);
    free(copy);
    return count;
}

int main(int argc, char **argv)
{
    char path[64], line[512], digits[DIGITS + 1];
    struct net_why error;
    uint8_t key[LIVE_KEY_BYTES];
    unsigned long from, to;
    uint64_t count = 0;
    FILE *maps;
    int memory;

    if (argc != 3 || !live_key_read(key, argv[2], &error)) {
        fprintf(stderr, "usage: memory PID KEYFILE\n");
        return 2;
    }
    sodium_bin2hex(digits, sizeof digits, key, sizeof key);
    snprintf(path, sizeof path, "/proc/%s/maps", argv[1]);
    maps = fopen(path, "re");
    snprintf(path, sizeof path, "/proc/%s/mem", argv[1]);
    memory = open(path, O_RDONLY | O_CLOEXEC);
    if (!maps || memory < 0) {
        perror(path);
        return 3;
    }
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx r", &from, &to) == 2)
            count += look(memory, from, to, key, digits);
    printf("%lu\n", (unsigned long)count);
    fclose(maps);
    close(memory);
    return 0;
}
