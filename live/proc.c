/*
 * proc.c - see proc.h.
 */
#include "live/proc.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

/* The name of a program is in brackets and may have any bytes: what follows is
 * after the last one.  Field 22 is the start. */
bool live_proc_look(pid_t pid, struct live_proc *process)
{
    char path[64], line[LINE_BYTES], state;
    const char *rest = NULL;
    int parent, group;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (fgets(line, sizeof line, file))
        rest = strrchr(line, ')');
    (void)fclose(file);
    *process = (struct live_proc){0};
    if (!rest ||
        sscanf(rest,
               ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
               "%*d %*d %*d %*d %" SCNu64,
               &state, &parent, &group, &process->start) != 4)
        return false;
    process->parent = (pid_t)parent;
    process->group = (pid_t)group;
    process->ended = state == 'Z' || state == 'X';
    return true;
}

bool live_proc_users(pid_t pid, uid_t users[3])
{
    char path[64], line[LINE_BYTES];
    bool found = false;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found =
            sscanf(line, "Uid: %u %u %u", &users[0], &users[1], &users[2]) == 3;
    if (file)
        (void)fclose(file);
    return found;
}

uint64_t live_proc_started(pid_t pid)
{
    struct live_proc process;

    return live_proc_look(pid, &process) ? process.start : 0;
}

bool live_proc_group_lives(pid_t group, uint64_t before)
{
    const uint64_t tick = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    DIR *all = opendir("/proc");
    const struct dirent *one;
    struct live_proc process;
    bool lives = false;

    if (!all)
        return false;
    while (!lives && (one = readdir(all)))
        lives =
            one->d_name[0] >= '1' && one->d_name[0] <= '9' &&
            live_proc_look((pid_t)strtol(one->d_name, NULL, 10), &process) &&
            process.group == group && !process.ended &&
            process.start <= before / tick;
    (void)closedir(all);
    return lives;
}

/* A process has a number for each namespace from that of /proc down to its
 * own. */
bool live_proc_is_own(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[LINE_BYTES];
    bool own = false;
    long pid, more;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "NSpid:", 6) == 0)
            own = sscanf(line, "NSpid: %ld %ld", &pid, &more) == 1 &&
                  pid == (long)getpid();
    if (file)
        (void)fclose(file);
    return own;
}

void live_proc_boot(char boot[LIVE_BOOT_BYTES])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    boot[0] = '\0';
    if (file && !fgets(boot, LIVE_BOOT_BYTES, file))
        boot[0] = '\0';
    if (file)
        (void)fclose(file);
    boot[strcspn(boot, "\n")] = '\0';
}
