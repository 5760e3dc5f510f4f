/*
 * build.h - which program made an experiment.
 *
 * While people work on a protocol its version stays the same, and its answers
 * do not.  So they are kept under the version and a hash of the program.
 */
#ifndef LAB_BUILD_H
#define LAB_BUILD_H

#include <stdbool.h>

#include "lab/formula/expression.h"

enum { LAB_BUILD_SIZE = 64 };

/* "0.3.0+94a3f0c2d1e5b678"; false: it cannot be read, and `why` says so. */
bool lab_build_of(const char *program, char build[LAB_BUILD_SIZE],
                  struct net_why *why);

#endif
