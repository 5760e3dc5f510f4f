/*
 * pose.c - a sensor process publishes where a robot is, and several processes
 * read it, through one register in shared memory.
 *
 *     cc -std=c11 pose.c $(pkg-config --cflags fulcrum) -o pose
 *
 *     ./pose sensor /robot &      publishes a thousand times a second
 *     ./pose reader /robot        prints what it reads, until Ctrl-C
 *     ./pose                      all of it: three readers, and a sensor that
 *                                 is killed in its work and started again
 *
 * Readers map the memory read-only.  They can neither disturb the sensor nor
 * be kept waiting by one that died.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fulcrum/fulcrum_rw.h>

struct pose {
    double position[3];
    double rotation[4]; /* a unit quaternion */
    uint64_t number;
};

enum { READERS = 3, LIVES = 3 };

/* Maps the register; the sensor makes it if it is not there. */
static int find(struct rw *r, const char *name, int sensor)
{
    size_t size = rw_size(sizeof(struct pose));
    int file = shm_open(name, sensor ? O_RDWR | O_CREAT : O_RDONLY, 0600);
    void *memory;
    enum rw_status status;
    struct stat there;

    if (file < 0 || (sensor && ftruncate(file, (off_t)size) != 0) ||
        fstat(file, &there) != 0) {
        perror(name);
        return -1;
    }
    /* Memory beyond the end of its file is a bus error when it is touched. */
    if (there.st_size < (off_t)size) {
        fprintf(stderr, "%s: %s\n", name, rw_strerror(RW_SMALL));
        return -1;
    }
    memory = mmap(NULL, size, sensor ? PROT_READ | PROT_WRITE : PROT_READ,
                  MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) {
        perror(name);
        return -1;
    }
    status = rw_attach(r, memory, size, sizeof(struct pose));
    if (status == RW_UNREADY && sensor)
        status = rw_init(r, memory, size, sizeof(struct pose), NULL);
    if (status == RW_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", name, rw_strerror(status));
    return -1;
}

/* Where the robot is at its n-th step; on a straight line, slowly turning. */
static struct pose measure(uint64_t n)
{
    double t = (double)n / 1000;
    struct pose p = {{t, 2 * t, 0}, {1, 0, 0, 0}, n};

    return p;
}

static int sensor(const char *name)
{
    struct rw r;
    struct rw_writer w;
    struct timespec millisecond = {0, 1000000};
    enum rw_status status;

    if (find(&r, name, 1) != 0)
        return 3;
    status = rw_open(&w, &r);
    if (status != RW_OK) {
        fprintf(stderr, "%s: %s\n", name, rw_strerror(status));
        return 1;
    }
    if (w.took_over)
        printf("sensor: took over from one that died%s\n",
               w.torn ? " in the middle of a write" : "");
    fflush(stdout);
    for (uint64_t n = rw_version(&r) + 1;; n++) {
        struct pose p = measure(n);

        if (rw_write(&w, &p) != RW_OK)
            return 1;
        nanosleep(&millisecond, NULL);
    }
}

/* Reads `readings` times; each pose must be the sensor's. */
static int reader(const char *name, int id, uint64_t readings)
{
    struct rw r;
    struct timespec nap = {0, 10000000};
    uint64_t attempts = 0, dead = 0, last = 0;

    if (find(&r, name, 0) != 0)
        return 3;
    for (uint64_t i = 0; i < readings; i++) {
        struct pose p;
        int64_t n = rw_read_until(&r, &p, rw_now_ns() + 1000000000);

        if (n == RW_DEAD) {
            dead++;
        } else if (n < 0) {
            fprintf(stderr, "reader %d: %s\n", id, rw_strerror(n));
            return 1;
        } else {
            struct pose right = measure(p.number);

            if (p.number < last || p.position[1] < right.position[1] ||
                p.position[1] > right.position[1])
                return 1;
            last = p.number;
            attempts += (uint64_t)n;
        }
        if (readings == UINT64_MAX && n > 0)
            printf("%" PRIu64 ": %.3f %.3f %.3f\n", p.number, p.position[0],
                   p.position[1], p.position[2]);
        nanosleep(&nap, NULL);
    }
    printf("reader %d: %" PRIu64 " poses in %" PRIu64 " attempts, %" PRIu64
           " times told that the sensor is dead\n",
           id, readings - dead, attempts, dead);
    return 0;
}

static int demo(void)
{
    struct timespec life = {0, 150000000};
    pid_t readers[READERS], child;
    struct rw r;
    char name[64];
    int failed = 0, status;

    snprintf(name, sizeof name, "/fulcrum-pose-%ld", (long)getpid());
    if (find(&r, name, 1) != 0)
        return 3;
    for (int i = 0; i < READERS; i++) {
        readers[i] = fork();
        if (readers[i] == 0)
            exit(reader(name, i + 1, 40));
    }
    for (int i = 0; i < LIVES; i++) {
        child = fork();
        if (child == 0)
            exit(sensor(name));
        nanosleep(&life, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    for (int i = 0; i < READERS; i++) {
        waitpid(readers[i], &status, 0);
        failed |= status;
    }
    shm_unlink(name);
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return demo();
    if (argc == 3 && strcmp(argv[1], "sensor") == 0)
        return sensor(argv[2]);
    if (argc == 3 && strcmp(argv[1], "reader") == 0)
        return reader(argv[2], 1, UINT64_MAX);
    fprintf(stderr, "usage: pose [sensor NAME | reader NAME]\n");
    return 2;
}
