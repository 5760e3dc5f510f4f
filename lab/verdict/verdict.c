/*
 * verdict.c - see verdict.h.
 */
#include "lab/verdict/verdict.h"

#include <stdio.h>

struct lab_name lab_name_of(const char *id, const char *part)
{
    struct lab_name name;

    snprintf(name.text, sizeof name.text, "%s%s%s", id, *part ? "." : "", part);
    return name;
}

const char *lab_verdict_word(enum lab_verdict verdict)
{
    static const char *const words[] = {"undecided", "holds", "loose",
                                        "violated", "repaired"};

    return words[verdict];
}

const char *lab_evidence_word(enum lab_evidence evidence)
{
    static const char *const words[] = {"none",       "random", "search",
                                        "exhaustive", "exact",  "argument"};

    return words[evidence];
}
