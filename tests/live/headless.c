/*
 * headless.c - a process whose first thread has ended and another goes on, for
 * tests: it looks like a zombie to a reader of its state alone.
 *
 *     headless FILE
 *
 * writes its PID into FILE and stays for a minute.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* The first thread's state, as others see it. */
static char first_state(void)
{
    char path[64], state = '?';
    FILE *stat;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)getpid());
    stat = fopen(path, "re");
    if (stat) {
        (void)!fscanf(stat, "%*d (headless) %c", &state);
        (void)fclose(stat);
    }
    return state;
}

static void *goes_on(void *of)
{
    const char *const *argv = of;
    FILE *file;

    while (first_state() != 'Z')
        usleep(1000);
    file = fopen(argv[1], "we");
    if (file) {
        fprintf(file, "%d\n", (int)getpid());
        (void)fclose(file);
    }
    sleep(60);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc != 2 || pthread_create(&thread, NULL, goes_on, argv))
        return 2;
    pthread_exit(NULL);
}
