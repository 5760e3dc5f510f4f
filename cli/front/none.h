/*
 * none.h - what programs without a simulator have in place of its options: a
 * verb that leaves no option to them asks for none.
 */
#ifndef CLI_FRONT_NONE_H
#define CLI_FRONT_NONE_H

#include "cli/setup/setup.h"
#include "net/fault_words.h"

const struct cli_option cli_words_options[] = {{0}};
const struct net_fault_form net_fault_forms[NET_FAULT_WORDS] = {{0}};

#endif
