/*
 * fault_words.h - the faults that people ask for, as --fault takes them, each
 * said once: command line, help, library and page take them from here.
 */
#ifndef NET_FAULT_WORDS_H
#define NET_FAULT_WORDS_H

#include "net/fault.h"
#include "net/make.h"

/* FIRST or NEXT(KIND, what asks a run for it, what asks a search that tries it
 * at every moment, an example of a run); RUN: a search does not have it. */
#define NET_FAULTS(FIRST, NEXT, RUN)                                           \
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
    NEXT(CHANGE, "change LIST@TICK", "change LIST", "change 1,2,4@30")         \
    RUN(LOSE, "lose NAME#K", "", "lose 2#1")                                   \
    RUN(DELAY, "delay NAME#K:TICKS", "", "delay 2#1:20")                       \
    NEXT(CRASHES, "crashes COUNT", "crashes COUNT", "crashes 1")               \
    NEXT(CRASHES_BLANK, "crashes-blank COUNT", "crashes-blank COUNT",          \
         "crashes-blank 1")

#define NET_WORD(kind, run, search, example) NET_WORD_##kind,
enum net_fault_word {
    NET_FAULTS(NET_WORD, NET_WORD, NET_WORD) NET_FAULT_WORDS
};

/* For help: the words for a run, and for a search, with commas between them. */
#define NET_FAULT_RUN(kind, run, search, example)         run
#define NET_FAULT_NEXT_RUN(kind, run, search, example)    ", " run
#define NET_FAULT_SEARCH(kind, run, search, example)      search
#define NET_FAULT_NEXT_SEARCH(kind, run, search, example) ", " search
#define NET_FAULT_NONE(kind, run, search, example)
#define NET_FAULTS_OF_RUNS                                                     \
    NET_FAULTS(NET_FAULT_RUN, NET_FAULT_NEXT_RUN, NET_FAULT_NEXT_RUN)
#define NET_FAULTS_OF_SEARCHES                                                 \
    NET_FAULTS(NET_FAULT_SEARCH, NET_FAULT_NEXT_SEARCH, NET_FAULT_NONE)

struct net_fault_form {
    const char *run, *search, *example; /* search is "" where there is none */
};
extern const struct net_fault_form net_fault_forms[NET_FAULT_WORDS];

/* Reads a share from 0 to 1; what follows it is left in *rest. */
bool net_read_share(const char *text, net_chance *chance, const char **rest);

/* The fault that `what` begins with, of a run or of a search; *rest is what
 * follows its word.  Returns NET_FAULT_WORDS if there is none, and says which
 * was meant, or which there are. */
enum net_fault_word net_find_fault(const char *what, bool search,
                                   const char **rest, struct net_why *why);

/* Adds the fault `what` to those of a run on this network, which owns the
 * lists. */
bool net_read_fault(struct net_made *made, struct net_faults *faults,
                    const char *what, struct net_why *why);

/* Writes the lists that will be asked for, `before` and one more, as the
 * protocol's parameter takes them; *number: how many there were.  False:
 * refused, its nodes stay, or there is no room. */
bool net_add_list(const struct fc_protocol *p, const char *before,
                  const char *list, char *out, size_t size, uint32_t *number,
                  struct net_why *why);

/* After the last one, if any is in the list: in the order in which runs look
 * them up. */
void net_sort_faults(struct net_made *made, const struct net_faults *faults);

#endif
