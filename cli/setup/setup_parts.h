/*
 * setup_parts.h - the parts of a setup, for the files that make it up.
 */
#ifndef CLI_SETUP_PARTS_H
#define CLI_SETUP_PARTS_H

#include "cli/setup/setup.h"

/* Each fills its part of the setup, or complains and returns the exit code. */
int cli_set_work(struct cli_setup *s, const struct cli_words *w);
int cli_set_faults(struct cli_setup *s, const struct cli_words *w);

/* Complains if work is asked for where there is none; or 0. */
int cli_refuse_work(const struct fc_protocol *p, const struct cli_words *w);

#endif
