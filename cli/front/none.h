/*
 * none.h - what programs without a simulator have in place of its options: a
 * verb that leaves no option to them asks for none.
 */
#ifndef CLI_FRONT_NONE_H
#define CLI_FRONT_NONE_H

#include "cli/setup/faults.h"
#include "cli/setup/setup.h"

const struct cli_option cli_words_options[] = {{0}};
const struct cli_fault cli_faults[CLI_FAULT_KINDS] = {{0}};

#endif
