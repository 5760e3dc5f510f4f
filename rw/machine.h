/*
 * machine.h - what the register takes from compiler, processor and system:
 * atomics in C and in C++, sanitizers, copies of many words, caches, the clock,
 * and whether a process is alive.
 *
 * A part of fulcrum_rw.h, useless on its own; `make install` makes one file of
 * the two.
 */
#ifndef FULCRUM_RW_MACHINE_H
#define FULCRUM_RW_MACHINE_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_MONOTONIC
#error "fulcrum_rw.h needs POSIX: -std=gnu11, or -D_POSIX_C_SOURCE=200809L"
#endif

#ifdef __cplusplus
#include <atomic>
#define RW_STD      std::
#define RW_ALIGN(n) alignas(n)
#define RW_ASSERT   static_assert
typedef std::atomic<uint64_t> rw_cell;
#else
#include <stdatomic.h>
#define RW_STD
#define RW_ALIGN(n) _Alignas(n)
#define RW_ASSERT   _Static_assert
typedef _Atomic uint64_t rw_cell;
#endif

#if ATOMIC_LLONG_LOCK_FREE != 2
#error "fulcrum_rw.h needs atomic words of 64 bits that take no lock"
#endif
RW_ASSERT(sizeof(rw_cell) == sizeof(uint64_t), "a cell is its word");

/* ---- What tests replace -------------------------------------------------- */

/* Places between two statements of the register, for tests that want to do
 * something just there: they define RW_POINT before they include this. */
enum rw_place {
    RW_AT_READ,    /* v2 was read */
    RW_AT_LOADED,  /* a word was read */
    RW_AT_CHECK,   /* all were, and v1 comes next */
    RW_AT_WRITE,   /* v1 was written */
    RW_AT_STORED,  /* a word was written */
    RW_AT_PUBLISH, /* all were, and v2 comes next */
    RW_AT_WRITTEN, /* v2 was written */
};

#ifdef RW_POINT
#define RW_NARROW
#else
#define RW_POINT(place) ((void)0)
#endif

/* A read is a few instructions: its parts must be inlined, and code that is
 * seldom needed must not be in its way. */
#ifdef __GNUC__
#define RW_HOT  __attribute__((always_inline)) static inline
#define RW_COLD __attribute__((unused, noinline, cold)) static
#else
#define RW_HOT  static inline
#define RW_COLD static inline
#endif

/* Every access to a cell that orders data; rw/model.c puts its own here. */
#ifndef RW_LOAD
#define RW_LOAD(cell, order)                                                   \
    RW_STD atomic_load_explicit((cell), RW_STD memory_order_##order)
#define RW_STORE(cell, value, order)                                           \
    RW_STD atomic_store_explicit((cell), (value), RW_STD memory_order_##order)
#define RW_FENCE(order) RW_STD atomic_thread_fence(RW_STD memory_order_##order)
#endif

/* ThreadSanitizer does not understand fences.  For it, and with RW_FENCES 0
 * always, each word carries the order itself; rw/model.c checks both. */
#if defined(__SANITIZE_THREAD__)
#define RW_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RW_TSAN 1
#elif __has_feature(memory_sanitizer)
#define RW_NARROW /* it does not see what assembly writes */
#endif
#endif
#ifdef RW_TSAN
#define RW_NARROW
#undef RW_FENCES
#define RW_FENCES 0
#endif
#ifndef RW_FENCES
#define RW_FENCES 1
#endif

#if RW_FENCES
#define RW_WORD_LOAD(cell)         RW_LOAD(cell, relaxed)
#define RW_WORD_STORE(cell, value) RW_STORE(cell, value, relaxed)
#define RW_BARRIER(order)          RW_FENCE(order)
#else
#define RW_WORD_LOAD(cell)         RW_LOAD(cell, acquire)
#define RW_WORD_STORE(cell, value) RW_STORE(cell, value, release)
#define RW_BARRIER(order)          ((void)0)
#endif

/* ---- Time ---------------------------------------------------------------- */

/* The clock of all deadlines. */
static inline uint64_t rw_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sleeps through most of a long wait and spins through the rest: a pause is
 * usually shorter than what it takes to be woken. */
static inline void rw_wait_until(uint64_t then)
{
    const uint64_t to_wake = 100000;

    for (uint64_t now = rw_now_ns(); now < then; now = rw_now_ns()) {
        if (then - now > 2 * to_wake) {
            uint64_t nap = then - now - to_wake;
            struct timespec t;

            t.tv_sec = (time_t)(nap / 1000000000u);
            t.tv_nsec = (long)(nap % 1000000000u);
            nanosleep(&t, NULL);
        }
    }
}

/* A wait of the paper: uniform in [rest, 2 rest].  Seeded by the clock and the
 * place on the stack, which no two readers share. */
static inline uint64_t rw_draw_ns(uint64_t rest)
{
    uint64_t now = rw_now_ns();
    uint64_t x = now ^ (uint64_t)(uintptr_t)&now;

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return rest + (x ^ x >> 31) % (rest + 1);
}

/* ---- Copying ------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(RW_NARROW) &&         \
    !defined(RW_WORDS_ONLY)
#define RW_WIDE 1

/* Some words from one place to another, by loads and stores that are wider than
 * any atomic of C.  They keep the order of this processor as single words do;
 * that only a word is atomic does not matter, because the counters tell. */
#define RW_MOVE(instructions, to, from)                                        \
    __asm__ volatile(instructions                                              \
                     :                                                         \
                     : "r"(to), "r"(from)                                      \
                     : "xmm0", "xmm1", "xmm2", "xmm3", "memory")

RW_HOT void rw_move_8(void *to, const void *from)
{
    RW_MOVE("movq (%1), %%xmm0\n\t"
            "movq %%xmm0, (%0)",
            to, from);
}

RW_HOT void rw_move_16(void *to, const void *from)
{
    RW_MOVE("movups (%1), %%xmm0\n\t"
            "movups %%xmm0, (%0)",
            to, from);
}

RW_HOT void rw_move_32(void *to, const void *from)
{
    RW_MOVE("movups (%1), %%xmm0\n\t"
            "movups 16(%1), %%xmm1\n\t"
            "movups %%xmm0, (%0)\n\t"
            "movups %%xmm1, 16(%0)",
            to, from);
}

RW_HOT void rw_move_64(void *to, const void *from)
{
    RW_MOVE("movups (%1), %%xmm0\n\t"
            "movups 16(%1), %%xmm1\n\t"
            "movups 32(%1), %%xmm2\n\t"
            "movups 48(%1), %%xmm3\n\t"
            "movups %%xmm0, (%0)\n\t"
            "movups %%xmm1, 16(%0)\n\t"
            "movups %%xmm2, 32(%0)\n\t"
            "movups %%xmm3, 48(%0)",
            to, from);
}

/* Only where there is AVX. */
RW_HOT void rw_move_128s(void *to, const void *from, size_t count)
{
    char *d = (char *)to;
    const char *s = (const char *)from;

    for (; count > 0; count--, d += 128, s += 128)
        RW_MOVE("vmovups (%1), %%ymm0\n\t"
                "vmovups 32(%1), %%ymm1\n\t"
                "vmovups 64(%1), %%ymm2\n\t"
                "vmovups 96(%1), %%ymm3\n\t"
                "vmovups %%ymm0, (%0)\n\t"
                "vmovups %%ymm1, 32(%0)\n\t"
                "vmovups %%ymm2, 64(%0)\n\t"
                "vmovups %%ymm3, 96(%0)",
                d, s);
    __asm__ volatile("vzeroupper"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                       "xmm13", "xmm14", "xmm15");
}

/* At least 8 bytes.  The rest at the end is moved together with some bytes
 * before it, for a second time, instead of byte by byte. */
RW_HOT void rw_move(char *to, const char *from, size_t size)
{
    size_t at = 0;

    if (size < 16) {
        rw_move_8(to, from);
        if (size > 8)
            rw_move_8(to + size - 8, from + size - 8);
        return;
    }
    if (size < 32) {
        rw_move_16(to, from);
        rw_move_16(to + size - 16, from + size - 16);
        return;
    }
    if (size < 64) {
        rw_move_32(to, from);
        rw_move_32(to + size - 32, from + size - 32);
        return;
    }
    if (size >= 128 && __builtin_cpu_supports("avx")) {
        rw_move_128s(to, from, size / 128);
        at = size / 128 * 128;
    }
    for (; size - at >= 64; at += 64)
        rw_move_64(to + at, from + at);
    if (at < size)
        rw_move_64(to + size - 64, from + size - 64);
}
#endif

/* Throws memory out of the caches, where this machine has a way to: a read
 * after a write by another processor does not find it there either. */
static inline void rw_chill(const void *from, const void *end)
{
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
    const char *line = (const char *)from;

    for (; line < (const char *)end; line += 64)
#ifdef __x86_64__
        __builtin_ia32_clflush(line);
    __builtin_ia32_mfence();
#else
        __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
    __asm__ volatile("dsb ish" : : : "memory");
#endif
#else
    (void)from;
    (void)end;
#endif
}

/* ---- Processes ----------------------------------------------------------- */

enum { RW_START_BITS = 42 };
#define RW_START_MASK ((UINT64_C(1) << RW_START_BITS) - 1)

/* When a process started, in ticks since boot, and whether it has ended but
 * was not waited for.  False: the system does not say. */
static inline bool rw_process(long pid, uint64_t *start, bool *ended)
{
    char text[1024];
    long threads = 0;
    ssize_t length = -1;
    int file;

    snprintf(text, sizeof text, "/proc/%ld/stat", pid);
    file = open(text, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        length = read(file, text, sizeof text - 1);
        close(file);
    }
    if (length <= 0)
        return false;
    text[length] = '\0';
    /* Field 3 follows the name, which may itself contain ") ". */
    const char *at = strrchr(text, ')');
    char state = '?';

    for (int field = 3; at && field <= 22; field++) {
        at = strchr(at, ' ');
        if (!at)
            return false;
        at++;
        if (field == 3)
            state = *at;
        else if (field == 20)
            threads = strtol(at, NULL, 10);
        else if (field == 22)
            *start = strtoull(at, NULL, 10);
    }
    /* Other threads of a process may go on when its first thread is gone. */
    *ended = (state == 'Z' || state == 'X') && threads <= 1;
    return at != NULL;
}

/* This process: pid and start time in one word, so that one compare-and-swap
 * claims a register.  A pid of Linux has at most 22 bits. */
static inline uint64_t rw_ticket(void)
{
    uint64_t start = 0;
    bool ended;

    rw_process((long)getpid(), &start, &ended);
    return (uint64_t)getpid() << RW_START_BITS | (start & RW_START_MASK);
}

/* Is the writer with this ticket alive?  In doubt, yes. */
static inline bool rw_alive(uint64_t ticket)
{
    long pid = (long)(ticket >> RW_START_BITS);
    uint64_t start = ticket & RW_START_MASK;
    uint64_t started = 0;
    bool ended = false;
    int saved = errno;
    bool gone = pid == 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);

    if (!gone && rw_process(pid, &started, &ended))
        gone = ended || (start != 0 && start != (started & RW_START_MASK));
    errno = saved;
    return !gone;
}

/* Was it given to this process, and not to the one it was forked from? */
static inline bool rw_ticket_mine(uint64_t ticket)
{
    return ticket >> RW_START_BITS == (uint64_t)getpid();
}

/* The pid namespace of this process; 0 if the system has none. */
static inline uint64_t rw_space(void)
{
    struct stat s;

    return stat("/proc/self/ns/pid", &s) == 0 ? (uint64_t)s.st_ino : 0;
}

#endif
