/*
 * setup_parts.h - the parts of a setup, for the files that make it up.
 */
#ifndef CLI_SETUP_PARTS_H
#define CLI_SETUP_PARTS_H

#include "cli/setup/setup.h"

/* Bounds beyond this would let ticks overflow. */
#define CLI_TICKS_MAX (UINT64_C(1) << 40)

/* Each fills its part of the setup, or complains and returns the exit code. */
int cli_set_names(struct cli_setup *s, const struct cli_words *w,
                  const char *verb);
int cli_set_topology(struct cli_setup *s, const struct cli_words *w,
                     const char *verb);
int cli_set_wakes(struct cli_setup *s, const struct cli_words *w,
                  const char *verb);

int cli_set_work(struct cli_setup *s, const struct cli_words *w,
                 const char *verb);

int cli_set_faults(struct cli_setup *s, const struct cli_words *w,
                   const char *verb);

/* Whether somebody is called that. */
bool cli_is_name(const struct cli_setup *s, uint64_t name);

/* The numbers of a list "3,1,2", each from 1 to `greatest`; complains as
 * `what`.  *out is to be freed. */
int cli_read_list(const char *list, const char *what, uint64_t greatest,
                  uint64_t **out, uint32_t *count, const char *verb);

#endif
