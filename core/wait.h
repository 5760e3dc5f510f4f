/*
 * wait.h - the function f of Vitanyi's election: the steps that a message
 * with name i rests at each processor.
 *
 *     const:C     C                 pow:E     i^E, E a multiple of 0.5
 *     exp:B       B^i, B >= 1       exp:auto  (2u/m)^i from the bounds
 *     scaled:C    C * 2^i           minimal   floor(2^(j-i)): 0 for i > j
 *     table:FILE  one number a line for the names 1, 2, 3, ...
 *
 * Values are rounded down to whole steps.  A value that does not fit is
 * FC_NEVER.  Powers are tabulated once in 64.64 fixed point: exact for whole B,
 * and the same on every machine and compiler for the others.
 */
#ifndef FC_WAIT_H
#define FC_WAIT_H

#include "core/fc.h"

enum fc_wait_family {
    FC_WAIT_CONST,
    FC_WAIT_POW,
    FC_WAIT_EXP,
    FC_WAIT_AUTO,
    FC_WAIT_SCALED,
    FC_WAIT_MINIMAL,
    FC_WAIT_TABLE,
};

enum { FC_WAIT_SCALE = 1000 }; /* E and B are given in thousandths */

/* Tabulated powers of B, for the names below this number: 1024 are all that fit
 * in 64 bits if B is at least 1.05, and 64 if it is at least 2.  Code that
 * includes this file may set it lower: 8 bytes of parameters each.  1 is enough
 * for the other families, and scaled:1 is exp:2. */
#ifndef FC_WAIT_POWERS
#define FC_WAIT_POWERS 1024
#endif

struct fc_wait {
    enum fc_wait_family family;
    uint64_t argument;     /* C, or 1000 E, or 1000 B */
    const uint64_t *table; /* FC_WAIT_TABLE: of the names 1..table_count */
    uint64_t table_count;
    uint64_t power[FC_WAIT_POWERS]; /* FC_WAIT_EXP, FC_WAIT_AUTO */
};

/* Reads a wait as typed.  Returns what follows "table:" (a file the caller must
 * load), or "" for the other families, or NULL if it is not a wait. */
FC_EXTERN const char *fc_wait_parse(struct fc_wait *f, const char *text);

/* Tabulates powers.  Returns NULL, or why f cannot be used in this world. */
FC_EXTERN const char *fc_wait_prepare(struct fc_wait *f,
                                      const struct fc_world *world);

/* True if f(i) >= 2^i for every i, the premise of the linear bounds. */
FC_EXTERN bool fc_wait_doubles(const struct fc_wait *f);

/* i^(halves/2), rounded down. */
FC_EXTERN uint64_t fc_power_of_halves(uint64_t i, uint64_t halves);

static inline uint64_t fc_wait(const struct fc_wait *f, fc_name i)
{
    switch (f->family) {
    case FC_WAIT_CONST:
        return f->argument;
    case FC_WAIT_POW:
        return fc_power_of_halves(i, f->argument * 2 / FC_WAIT_SCALE);
    case FC_WAIT_EXP:
    case FC_WAIT_AUTO:
        return i < FC_WAIT_POWERS ? f->power[i] : FC_NEVER;
    case FC_WAIT_SCALED:
        return i > 63 ? FC_NEVER : fc_times(f->argument, UINT64_C(1) << i);
    case FC_WAIT_TABLE:
        return i <= f->table_count ? f->table[i - 1] : FC_NEVER;
    case FC_WAIT_MINIMAL:
        break;
    }
    return 0;
}

#endif
