/*
 * asked.h - properties that are typed: check --property, sim --judge.
 */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include "lab/formula/property.h"

/* Reads them into memory of their own, or NULL if there is none to read, to be
 * freed; the net gets them.  "help" in place of one lists what they may speak
 * of, and CLI_GO_ON is returned.  Complains and returns the exit code if one is
 * wrong. */
int cli_ask(struct lab_asked **asked, struct net *net, const char *option,
            const char *const *texts, uint32_t count);

/* What is said of the runs that a property of what comes later is about. */
const char *cli_fairness(const struct net_property *p);

#endif
