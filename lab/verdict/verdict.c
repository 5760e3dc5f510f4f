/*
 * verdict.c - see verdict.h.
 */
#include "lab/verdict/verdict.h"

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
