/*
 * claims.h - the claims of the papers, for the verbs that speak of them.
 */
#ifndef CLI_CLAIMS_H
#define CLI_CLAIMS_H

#include "lab/claim/claim.h"

/* Reads those that are built in, or every .ini file of a directory; complains
 * and returns the exit code, or 0.  To be freed in either case. */
int cli_claims_read(struct lab_claims *claims, const char *directory);

/* Whether a verb has an option of this name. */
bool cli_claims_option(const char *verb, const char *name);

/* Complains of mistakes in a claim: an unknown protocol, option or letter, a
 * try that cannot be made.  Returns the exit code, or 0. */
int cli_claims_check(const struct lab_claim *claim);

/* Whether an id or its beginning is among those asked for; none asks for
 * all. */
bool cli_claims_wanted(const struct lab_claim *claim, int count, char **ids);

#endif
