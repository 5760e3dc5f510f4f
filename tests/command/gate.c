/*
 * gate.c - for gate.sh, preloaded: an experiment that has $GATED_WORDS among
 * its arguments reads the file $GATE before it begins, so that it waits there
 * while that is a FIFO which nobody writes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void wait_at_the_gate(void)
{
    const char *gate = getenv("GATE"), *words = getenv("GATED_WORDS");
    char line[4096] = {0}, byte;
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t size = file ? fread(line, 1, sizeof line - 1, file) : 0;
    int there;

    if (file)
        fclose(file);
    for (size_t i = 0; i < size; i++)
        if (!line[i])
            line[i] = ' ';
    if (!gate || !words || strncmp(line, "fulcrum sim ", 12) != 0 ||
        !strstr(line, words))
        return;
    there = open(gate, O_RDONLY | O_CLOEXEC);
    if (there >= 0) {
        (void)!read(there, &byte, 1);
        close(there);
    }
}
