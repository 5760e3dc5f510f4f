/*
 * faults.h - the faults that --fault can ask for, each said once: the command
 * line, its help and the page take them from here.
 */
#ifndef CLI_FAULTS_H
#define CLI_FAULTS_H

#include "net/why.h"

/* FIRST or NEXT(KIND, what asks a run for it, what asks a search that tries it
 * at every moment, an example of a run); RUN: a search does not have it. */
#define CLI_FAULTS(FIRST, NEXT, RUN)                                           \
    FIRST(CRASH, "crash NAME@TICK", "crash [NAME,...]", "crash 2@30")          \
    NEXT(RESTART, "restart NAME@TICK", "restart", "restart 2@40")              \
    NEXT(RESTART_BLANK, "restart-blank NAME@TICK", "restart-blank",            \
         "restart-blank 2@40")                                                 \
    NEXT(PAUSE, "pause NAME@TICK:TICKS", "pause [NAME,...][:TICKS]",           \
         "pause 2@30:10")                                                      \
    NEXT(CUT, "cut NAME,...@FROM:TO", "cut [NAME,...][:TICKS]", "cut 2@30:40") \
    NEXT(LOSS, "loss P", "loss [COUNT]", "loss 0.1")                           \
    NEXT(DUPLICATE, "duplicate P", "duplicate [COUNT]", "duplicate 0.1")       \
    NEXT(REORDER, "reorder P", "reorder", "reorder 0.1")                       \
    NEXT(LATE, "late P:TICKS", "late TICKS", "late 0.1:20")                    \
    RUN(LOSE, "lose NAME#K", "", "lose 2#1")                                   \
    RUN(DELAY, "delay NAME#K:TICKS", "", "delay 2#1:20")                       \
    NEXT(CRASHES, "crashes COUNT", "crashes COUNT", "crashes 1")               \
    NEXT(CRASHES_BLANK, "crashes-blank COUNT", "crashes-blank COUNT",          \
         "crashes-blank 1")

#define CLI_FAULT_KIND(kind, run, search, example) CLI_FAULT_##kind,
enum cli_fault_kind {
    CLI_FAULTS(CLI_FAULT_KIND, CLI_FAULT_KIND, CLI_FAULT_KIND) CLI_FAULT_KINDS
};

/* For help: the words for a run, and for a search, with commas between them. */
#define CLI_FAULT_RUN(kind, run, search, example)         run
#define CLI_FAULT_NEXT_RUN(kind, run, search, example)    ", " run
#define CLI_FAULT_SEARCH(kind, run, search, example)      search
#define CLI_FAULT_NEXT_SEARCH(kind, run, search, example) ", " search
#define CLI_FAULT_NONE(kind, run, search, example)
#define CLI_FAULTS_OF_RUNS                                                     \
    CLI_FAULTS(CLI_FAULT_RUN, CLI_FAULT_NEXT_RUN, CLI_FAULT_NEXT_RUN)
#define CLI_FAULTS_OF_SEARCHES                                                 \
    CLI_FAULTS(CLI_FAULT_SEARCH, CLI_FAULT_NEXT_SEARCH, CLI_FAULT_NONE)

struct cli_fault {
    const char *run, *search, *example; /* search is "" where there is none */
};
extern const struct cli_fault cli_faults[CLI_FAULT_KINDS];

/* The fault that `what` begins with, of a run or of a search; *rest is what
 * follows its word.  Returns CLI_FAULT_KINDS if there is none, and says which
 * was meant, or which there are. */
enum cli_fault_kind cli_find_fault(const char *what, bool search,
                                   const char **rest, struct net_why *why);

#endif
