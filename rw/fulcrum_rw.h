/*
 * fulcrum_rw.h - one writer publishes a value of many words to any number of
 * readers, which never lock, never write, and never see half of it.
 *
 * The register is Lamport's (1977): the writer counts v1 up before it touches
 * the data and copies v1 to v2 after; a reader takes v2 before the data and
 * accepts what it read if v1 is the same after.  On its own this lets readers
 * starve.  Spirakis and Tampakas (1989) add waits known beforehand; here only
 * the writer waits, two slow reads between two writes, and that is enough: a
 * reader then needs at most ceil(W / (R gamma)) + 2 attempts.
 *
 * Between threads, or between processes over shared memory; readers may map it
 * read-only.  A writer that dies in the middle of a write is noticed, and the
 * next one repairs what it left.  Nothing is allocated and there are no global
 * variables.  C11 or C++17, with POSIX clocks and processes.
 *
 *     RW_DEFINE(place, struct pose);         // static; or rw_init, rw_attach
 *
 *     struct rw_writer w;                    // the one writer
 *     if (rw_open(&w, &place) == RW_OK)
 *         rw_write(&w, &pose);
 *
 *     int64_t attempts = rw_read(&place, &pose);     // any reader
 *     if (attempts < 0)
 *         puts(rw_strerror(attempts));
 *
 * Assumes that the memory is shared coherently, and for the bound on attempts
 * that nobody is preempted; see fulcrum_rw(3) and docs/rw.md.
 */
#ifndef FULCRUM_RW_H
#define FULCRUM_RW_H

#include "rw/machine.h"

/* ---- Results ------------------------------------------------------------- */

#define RW_STATUSES(X)                                                         \
    X(RW_OK, 0, "all is well")                                                 \
    X(RW_DEAD, -1,                                                             \
      "the writer died in the middle of a write: no value until "              \
      "a new one writes")                                                      \
    X(RW_TIMEOUT, -2, "no consistent value before the deadline")               \
    X(RW_BUSY, -3, "there is a writer already, and it is alive")               \
    X(RW_CLOSED, -4, "this writer is not open")                                \
    X(RW_LOST, -5, "another process became the writer")                        \
    X(RW_UNREADY, -6, "this memory has not been initialised yet")              \
    X(RW_FOREIGN, -7, "this memory is not a register")                         \
    X(RW_VERSION, -8, "the register is of another version of fulcrum_rw.h")    \
    X(RW_SIZE, -9, "the register is for values of another size")               \
    X(RW_SMALL, -10, "the memory is too small for the value")                  \
    X(RW_UNALIGNED, -11, "the memory does not begin at a multiple of 64")      \
    X(RW_CORRUPT, -12, "the register holds what no writer ever writes")        \
    X(RW_ELSEWHERE, -13,                                                       \
      "the register belongs to another pid namespace, "                        \
      "where nobody can tell whether a writer is alive")                       \
    X(RW_REFUSED, -14, "no such size, scheme, gamma or time")

enum rw_status {
#define RW_ENUM(name, value, sentence) name = (value),
    RW_STATUSES(RW_ENUM)
#undef RW_ENUM
};

/* The sentence for a status, or for a negative result of a read. */
static inline const char *rw_strerror(int64_t status)
{
#define RW_SENTENCE(name, value, sentence)                                     \
    if (status == (value))                                                     \
        return sentence;
    RW_STATUSES(RW_SENTENCE)
#undef RW_SENTENCE
    return status > 0 ? "read" : "no such status";
}

/* ---- The register -------------------------------------------------------- */

enum rw_scheme {
    RW_WRITER = 0, /* the writer pauses, readers retry at once: the default */
    RW_PAPER = 1,  /* both wait for a random time before each access */
    RW_NONE = 2,   /* nobody waits, and readers can starve */
};

/* How long a read takes; what pauses are derived from. */
struct rw_pace {
    double read_ns;    /* the fastest; 0 in options: measure it */
    double gamma;      /* fastest to slow, above 0 and at most 1 */
    double slowest_ns; /* measured only: preemption is in it */
};

struct rw_options {
    enum rw_scheme scheme;
    struct rw_pace pace;
};

#define RW_MAGIC    UINT64_C(0x46756c6372756d52) /* in one byte order only */
#define RW_LAYOUT   UINT64_C(1)
#define RW_SIZE_MIN ((size_t)8)
#define RW_SIZE_MAX ((size_t)1 << 30)
#define RW_REST_MAX                                                            \
    UINT64_C(1000000000)                 /* ns; no pause taken from the
                                           * register is longer */
#define RW_FOREVER   UINT64_MAX          /* as a deadline */
#define RW_COUNT_MAX (UINT64_C(1) << 62) /* counters never wrap */

enum {
    RW_PATIENCE = 256, /* attempts without news before the owner is checked */
    RW_SAMPLES = 2000, /* reads of a calibration that nobody asked for */
};

/* What everybody shares; the words of the value follow it.  The first line is
 * read when something is opened or stuck, the second by every read. */
struct rw_head {
    rw_cell magic; /* written last by rw_init */
    rw_cell layout;
    rw_cell size;   /* of the value, in bytes */
    rw_cell scheme; /* enum rw_scheme */
    rw_cell rest;   /* 2R/gamma in ns; 0: the writer measures it */
    rw_cell space;  /* pid namespace of the owners, or 0 */
    rw_cell owner;  /* pid and start time of the writer, or 0 */
    rw_cell broken; /* v1 as a dead writer left it */
    rw_cell v1;     /* writes begun */
    rw_cell v2;     /* writes ended */
    rw_cell spare[2];
};
RW_ASSERT(sizeof(struct rw_head) == 96, "words begin at a multiple of 32");

/* A register as one process sees it.  Sizes and waits are kept here, out of
 * reach of others: after rw_attach no shared byte is trusted for a bound. */
struct rw {
    struct rw_head *head; /* private, all of it but size */
    rw_cell *words;
    size_t size;
    enum rw_scheme scheme;
    bool judges; /* can tell whether the owner is alive */
    uint64_t rest_ns;
};

struct rw_writer {
    uint64_t pause_ns; /* public: may be set between two writes */
    bool took_over;    /* read-only: the writer before died */
    bool torn;   /* read-only: in a write; there is no value until yours */
    struct rw r; /* private from here */
    uint64_t ticket;
    uint64_t count;
    uint64_t ended_ns;
};

#define RW_WORDS(bytes) (((size_t)(bytes) + 7) / 8)

/* Defines `name`, a register of this file for values of the type. */
#define RW_DEFINE(name, type)                                                  \
    RW_ASSERT(sizeof(type) >= 8, "a value has 8 bytes at least");              \
    static struct {                                                            \
        RW_ALIGN(64) struct rw_head head;                                      \
        rw_cell words[RW_WORDS(sizeof(type))];                                 \
    } name##_memory = {{RW_MAGIC,                                              \
                        RW_LAYOUT,                                             \
                        sizeof(type),                                          \
                        RW_WRITER,                                             \
                        0,                                                     \
                        0,                                                     \
                        0,                                                     \
                        0,                                                     \
                        0,                                                     \
                        0,                                                     \
                        {0, 0}},                                               \
                       {0}};                                                   \
    static const struct rw name = {&name##_memory.head,                        \
                                   name##_memory.words,                        \
                                   sizeof(type),                               \
                                   RW_WRITER,                                  \
                                   true,                                       \
                                   0}

/* The pause of a writer: ceil(2R/gamma), two slow reads.  The least wait of
 * the paper, (R + W)/gamma, is the same, since R = W.  0: not a pace. */
static inline uint64_t rw_pause_ns(const struct rw_pace *pace)
{
    double rest = pace->gamma > 0 ? 2 * pace->read_ns / pace->gamma : 0;

    if (!(pace->read_ns > 0 && pace->gamma <= 1 && rest > 0 &&
          rest < (double)RW_REST_MAX))
        return 0;
    return (uint64_t)rest + 1;
}

/* What the pause buys: no read within the pace takes more attempts. */
static inline uint64_t rw_attempts_max(const struct rw_pace *pace)
{
    if (!(pace->gamma > 1e-15))
        return UINT64_MAX;
    double writes = 1 / pace->gamma; /* W / (R gamma), and W = R = B + 2 */
    uint64_t whole = (uint64_t)writes;

    return whole + ((double)whole < writes) + 2;
}

/* Out of the shared words; the last may be a part of one. */
RW_HOT void rw_fetch(void *value, const rw_cell *words, size_t size)
{
    char *to = (char *)value;
#ifdef RW_WIDE
    rw_move(to, (const char *)(const void *)words, size);
#else
    uint64_t word;

    for (; size >= 8; size -= 8, to += 8, words++) {
        word = RW_WORD_LOAD(words);
        memcpy(to, &word, 8);
        RW_POINT(RW_AT_LOADED);
    }
    if (size > 0) {
        word = RW_WORD_LOAD(words);
        memcpy(to, &word, size);
        RW_POINT(RW_AT_LOADED);
    }
#endif
}

/* Into them. */
static inline void rw_put(rw_cell *words, const void *value, size_t size)
{
    const char *from = (const char *)value;
#ifdef RW_WIDE
    rw_move((char *)(void *)words, from, size);
#else
    uint64_t word = 0;

    for (; size >= 8; size -= 8, from += 8, words++) {
        memcpy(&word, from, 8);
        RW_WORD_STORE(words, word);
        RW_POINT(RW_AT_STORED);
    }
    if (size > 0) {
        word = 0;
        memcpy(&word, from, size);
        RW_WORD_STORE(words, word);
        RW_POINT(RW_AT_STORED);
    }
#endif
}

/* ---- Lamport's two counters ---------------------------------------------- */

/* One attempt to read; false if a write was in the way, and then the value is
 * rubbish.  Reads v2, the data, v1, in this order. */
RW_HOT bool rw_try(const struct rw *r, void *value)
{
    /* Pairs with the release of v2 in rw_publish(): the data are from write t,
     * or newer. */
    uint64_t t = RW_LOAD(&r->head->v2, acquire);

    RW_POINT(RW_AT_READ);
    rw_fetch(value, r->words, r->size);
    RW_POINT(RW_AT_CHECK);
    /* Pairs with the release fence in rw_publish(): if any word was newer,
     * its write's v1 is seen now, and differs from t.  Without fences the
     * acquire of each word does this, and pairs with the word's release. */
    RW_BARRIER(acquire);
    return RW_LOAD(&r->head->v1, relaxed) == t;
}

/* Write number `count`, one more than the last.  Writes v1, the data, v2. */
static inline void rw_publish(const struct rw *r, uint64_t count,
                              const void *value)
{
    RW_STORE(&r->head->v1, count, relaxed);
    RW_POINT(RW_AT_WRITE);
    /* Pairs with the acquire fence in rw_try(): no reader has a word of this
     * write and an older v1. */
    RW_BARRIER(release);
    rw_put(r->words, value, r->size);
    RW_POINT(RW_AT_PUBLISH);
    /* Pairs with the acquire of v2 in rw_try(). */
    RW_STORE(&r->head->v2, count, release);
    RW_POINT(RW_AT_WRITTEN);
}

/* ---- The writer, and whether it lives
 * ---------------------------------------- */

/* Is the write that a reader is stuck in abandoned?  `seen` is its v1. */
RW_COLD bool rw_abandoned(const struct rw *r, uint64_t seen)
{
    struct rw_head *h = r->head;
    /* Pairs with the release in rw_close(). */
    uint64_t owner = RW_LOAD(&h->owner, acquire);

    if (!r->judges)
        return false;
    if (RW_LOAD(&h->broken, acquire) != seen && rw_alive(owner))
        return false;
    /* Meanwhile the writer may have ended it, or a new one may write. */
    return RW_LOAD(&h->v1, acquire) == seen && RW_LOAD(&h->v2, acquire) != seen;
}

/* ---- Reading ------------------------------------------------------------- */

/* The attempts after `attempts` that failed. */
RW_COLD int64_t rw_retry(const struct rw *r, void *value, int64_t attempts,
                         uint64_t deadline_ns)
{
    uint64_t seen = UINT64_MAX;
    uint32_t same = 0;

    for (;;) {
        if (r->scheme == RW_PAPER) {
            uint64_t then = rw_now_ns() + rw_draw_ns(r->rest_ns);

            rw_wait_until(then < deadline_ns ? then : deadline_ns);
        }
        attempts++;
        if (rw_try(r, value))
            return attempts;
        if (deadline_ns != RW_FOREVER && rw_now_ns() >= deadline_ns)
            return RW_TIMEOUT;

        uint64_t v1 = RW_LOAD(&r->head->v1, relaxed);

        if (v1 != seen) {
            seen = v1;
            same = 0;
        } else if (++same % RW_PATIENCE == 0) {
            if (rw_abandoned(r, seen))
                return RW_DEAD;
            sched_yield(); /* the writer may be waiting for this processor */
        }
    }
}

/* Reads until it has a consistent value, and returns the number of attempts;
 * RW_DEAD if none will come.  Then the value is rubbish. */
RW_HOT int64_t rw_read(const struct rw *r, void *value)
{
    if (r->scheme == RW_PAPER)
        return rw_retry(r, value, 0, RW_FOREVER);
    return rw_try(r, value) ? 1 : rw_retry(r, value, 1, RW_FOREVER);
}

/* The same, but RW_TIMEOUT once rw_now_ns() is past the deadline.  At least
 * one attempt is made. */
static inline int64_t rw_read_until(const struct rw *r, void *value,
                                    uint64_t deadline_ns)
{
    return rw_retry(r, value, 0, deadline_ns);
}

/* The number of writes that have ended: another number, another value. */
static inline uint64_t rw_version(const struct rw *r)
{
    return RW_LOAD(&r->head->v2, acquire);
}

/* ---- How long a read takes ----------------------------------------------- */

/* One read for its length alone: a value of any size needs no room. */
static inline void rw_skim(const struct rw *r)
{
    char block[512];
    size_t left = 8 * RW_WORDS(r->size);
    const rw_cell *from = r->words;
    uint64_t t = RW_LOAD(&r->head->v2, acquire);

    block[0] = 0;
    for (; left > sizeof block; left -= sizeof block, from += sizeof block / 8)
        rw_fetch(block, from, sizeof block);
    rw_fetch(block, from, left);
    RW_BARRIER(acquire);
    /* Uses the block, lest the reads be optimised away. */
    if (RW_LOAD(&r->head->v1, relaxed) == t + UINT64_MAX / 2)
        rw_wait_until((uint64_t)block[0]);
}

/* Measures reads of this register: the fastest of many in a row, and the
 * slowest of many that find it in no cache.  Preemption is not the length of a
 * read, so that of a thousand the slowest is left out of gamma. */
RW_COLD void rw_calibrate(const struct rw *r, uint32_t reads,
                          struct rw_pace *pace)
{
    const uint32_t batch = 32;
    enum { TOP = 16 };
    double top[TOP] = {0}; /* the slowest, in descending order */
    double fastest = 1e9;
    size_t words = RW_WORDS(r->size);
    uint32_t cut = reads / 1000 < TOP ? reads / 1000 : TOP - 1;

    for (uint32_t i = 0; i < reads; i++) {
        uint64_t began = rw_now_ns();

        for (uint32_t k = 0; k < batch; k++)
            rw_skim(r);
        double each = (double)(rw_now_ns() - began) / batch;

        fastest = each < fastest ? each : fastest;
        rw_chill((const void *)&r->head->v1, (const void *)(r->words + words));
        began = rw_now_ns();
        rw_skim(r);
        double one = (double)(rw_now_ns() - began);

        for (int k = 0; k < TOP; k++) {
            double other = top[k];

            if (one > other) {
                top[k] = one;
                one = other;
            }
        }
    }
    pace->read_ns = fastest < 1 ? 1 : fastest;
    pace->gamma = top[cut] > pace->read_ns ? pace->read_ns / top[cut] : 1;
    pace->slowest_ns = top[0];
}

/* ---- Making and finding a register --------------------------------------- */

/* Bytes of memory for values of this size; 0 if there are no such values. */
static inline size_t rw_size(size_t value_size)
{
    if (value_size < RW_SIZE_MIN || value_size > RW_SIZE_MAX)
        return 0;
    return sizeof(struct rw_head) + 8 * RW_WORDS(value_size);
}

/* What can be wrong before a shared byte is looked at. */
static inline enum rw_status rw_bind(struct rw *r, void *memory,
                                     size_t memory_size, size_t value_size)
{
    if (rw_size(value_size) == 0)
        return RW_REFUSED;
    if ((uintptr_t)memory % 64 != 0)
        return RW_UNALIGNED;
    if (!memory || memory_size < rw_size(value_size))
        return RW_SMALL;
    r->head = (struct rw_head *)memory;
    r->words = (rw_cell *)(void *)((char *)memory + sizeof(struct rw_head));
    r->size = value_size;
    return RW_OK;
}

/* Makes a register whose value is all zero bytes.  Nobody else may use the
 * memory before this returns, and only one process may make it.  Options NULL:
 * the scheme `writer`, its pace measured here and now. */
static inline enum rw_status rw_init(struct rw *r, void *memory,
                                     size_t memory_size, size_t value_size,
                                     const struct rw_options *options)
{
    enum rw_status status = rw_bind(r, memory, memory_size, value_size);
    struct rw_pace pace = {0, 0, 0};

    if (status != RW_OK)
        return status;
    if (options && (unsigned)options->scheme > RW_NONE)
        return RW_REFUSED;
    r->scheme = options ? options->scheme : RW_WRITER;
    r->judges = true;
    r->rest_ns = 0;
    memset(memory, 0, rw_size(value_size));
    if (options)
        pace = options->pace;
    if (r->scheme != RW_NONE) {
        if (!(pace.read_ns > 0 || pace.read_ns < 0))
            rw_calibrate(r, RW_SAMPLES, &pace);
        r->rest_ns = rw_pause_ns(&pace);
        if (r->rest_ns == 0)
            return RW_REFUSED;
    }
    RW_STORE(&r->head->layout, RW_LAYOUT, relaxed);
    RW_STORE(&r->head->size, value_size, relaxed);
    RW_STORE(&r->head->scheme, (uint64_t)r->scheme, relaxed);
    RW_STORE(&r->head->rest, r->rest_ns, relaxed);
    RW_STORE(&r->head->space, rw_space(), relaxed);
    /* Pairs with the acquire in rw_attach(). */
    RW_STORE(&r->head->magic, RW_MAGIC, release);
    return RW_OK;
}

/* Finds a register that rw_init made, perhaps in another process.  Believes
 * nothing: each shared field is read once, and checked. */
static inline enum rw_status rw_attach(struct rw *r, void *memory,
                                       size_t memory_size, size_t value_size)
{
    enum rw_status status = rw_bind(r, memory, memory_size, value_size);

    if (status != RW_OK)
        return status;
    /* Pairs with the release in rw_init(). */
    uint64_t magic = RW_LOAD(&r->head->magic, acquire);
    uint64_t scheme = RW_LOAD(&r->head->scheme, relaxed);
    uint64_t space = RW_LOAD(&r->head->space, relaxed);

    if (magic != RW_MAGIC)
        return magic == 0 ? RW_UNREADY : RW_FOREIGN;
    if (RW_LOAD(&r->head->layout, relaxed) != RW_LAYOUT)
        return RW_VERSION;
    if (RW_LOAD(&r->head->size, relaxed) != value_size)
        return RW_SIZE;
    r->rest_ns = RW_LOAD(&r->head->rest, relaxed);
    if (scheme > RW_NONE || r->rest_ns > RW_REST_MAX)
        return RW_CORRUPT;
    r->scheme = (enum rw_scheme)scheme;
    r->judges = space == 0 || space == rw_space();
    return RW_OK;
}

/* ---- Writing ------------------------------------------------------------- */

/* Becomes the writer, if there is none or it has died.  If it died in a write
 * `torn` is set, and readers get RW_DEAD until the first write repairs it. */
static inline enum rw_status rw_open(struct rw_writer *w, const struct rw *r)
{
    struct rw_head *h = r->head;
    uint64_t owner = RW_LOAD(&h->owner, acquire);
    struct rw_pace pace;

    memset(w, 0, sizeof *w);
    if (!r->judges)
        return RW_ELSEWHERE;
    if (owner != 0 && rw_alive(owner))
        return RW_BUSY;
    w->ticket = rw_ticket();
    /* Acquire: pairs with the release in rw_close(). */
    if (!RW_STD atomic_compare_exchange_strong_explicit(
            &h->owner, &owner, w->ticket, RW_STD memory_order_acq_rel,
            RW_STD memory_order_acquire))
        return RW_BUSY;
    w->count = RW_LOAD(&h->v1, acquire);
    uint64_t ended = RW_LOAD(&h->v2, acquire);

    if (w->count >= RW_COUNT_MAX || ended > w->count) {
        RW_STORE(&h->owner, 0, release);
        return RW_CORRUPT;
    }
    w->took_over = owner != 0;
    w->torn = ended != w->count;
    if (w->torn) /* Pairs with the acquire in rw_abandoned(). */
        RW_STORE(&h->broken, w->count, release);
    w->pause_ns = r->rest_ns;
    if (w->pause_ns == 0 && r->scheme != RW_NONE) {
        rw_calibrate(r, RW_SAMPLES, &pace);
        w->pause_ns = rw_pause_ns(&pace);
    }
    w->ended_ns = rw_now_ns(); /* nobody knows when the last write ended */
    w->r = *r;
    return RW_OK;
}

/* Publishes a value.  The scheme `writer` waits first until its pause is over:
 * a writer that writes rarely does not wait at all. */
static inline enum rw_status rw_write(struct rw_writer *w, const void *value)
{
    enum rw_scheme scheme = w->r.scheme;

    if (!w->r.head)
        return RW_CLOSED;
    if (RW_LOAD(&w->r.head->owner, relaxed) != w->ticket)
        return RW_LOST;
    /* A child has a copy of the writer, which would be a second one.  To ask
     * costs a system call: little beside a pause, too much without. */
    if (scheme != RW_NONE && !rw_ticket_mine(w->ticket))
        return RW_LOST;
    if (scheme == RW_WRITER)
        rw_wait_until(w->ended_ns + w->pause_ns);
    else if (scheme == RW_PAPER)
        rw_wait_until(rw_now_ns() + rw_draw_ns(w->pause_ns));
    rw_publish(&w->r, ++w->count, value);
    if (scheme == RW_WRITER) {
        /* No partner: the pause begins when others can see that the write has
         * ended, not while v2 is still in a store buffer. */
        RW_BARRIER(seq_cst);
        w->ended_ns = rw_now_ns();
    }
    return RW_OK;
}

/* Another may open it now. */
static inline void rw_close(struct rw_writer *w)
{
    uint64_t mine = w->ticket;

    /* Release: pairs with the acquires of owner in rw_open() and
     * rw_abandoned(), which then see v2.  Not if another process is the
     * owner. */
    if (w->r.head && rw_ticket_mine(mine))
        RW_STD atomic_compare_exchange_strong_explicit(
            &w->r.head->owner, &mine, (uint64_t)0, RW_STD memory_order_release,
            RW_STD memory_order_relaxed);
    w->r.head = NULL;
}

#endif
