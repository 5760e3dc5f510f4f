/*
 * build.c - see notebook.h.
 */
#include "lab/run/notebook.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

bool lab_build_of(const char *program, char build[LAB_BUILD_SIZE],
                  struct net_why *why)
{
    FILE *in = fopen(program, "rb");
    XXH64_state_t *state = XXH64_createState();
    bool fine = in && state && XXH64_reset(state, 0) == XXH_OK;
    char block[16384];
    size_t got;

    while (fine && (got = fread(block, 1, sizeof block, in)) > 0)
        fine = XXH64_update(state, block, got) == XXH_OK;
    fine = fine && !ferror(in);
    if (fine)
        snprintf(build, LAB_BUILD_SIZE, FULCRUM_VERSION "+%016" PRIx64,
                 (uint64_t)XXH64_digest(state));
    else
        net_fail(why, "cannot read %.100s: %s", program, strerror(errno));
    (void)XXH64_freeState(state);
    if (in)
        fclose(in);
    return fine;
}
