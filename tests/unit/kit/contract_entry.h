/*
 * contract_entry.h - the line of a protocol in protocols/all.h, and the entry
 * that it leads to.
 */
#ifndef TESTS_CONTRACT_ENTRY_H
#define TESTS_CONTRACT_ENTRY_H

#include "net/type.h"
#include "protocols/all.h"
#include "tests/unit/kit/test.h"

/* The lines of protocols/all.h, in the order of net_types[]. */
#define LISTED(P) #P,
static const char *const listed[] = {FC_PROTOCOLS(LISTED)};
#undef LISTED

/* Whether an underscore there is a dash here, and all else the same. */
static inline bool is_called(const char *listed_as, const char *name)
{
    while (*listed_as && *name == (*listed_as == '_' ? '-' : *listed_as))
        listed_as++, name++;
    return *listed_as == *name;
}

/* CONTRACT_OF=NAME in the environment: the protocol of that file alone. */
static inline bool is_meant(uint32_t line)
{
    const char *only = getenv("CONTRACT_OF");

    return !only || is_called(listed[line], only);
}

/* Fails if the one that is meant has no line, or any line stands twice. */
static inline void check_lines(void)
{
    uint32_t meant = 0;

    for (uint32_t i = 0; i < COUNT(listed); i++) {
        meant += is_meant(i);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(listed[k], listed[i]) == 0)
                fail_msg("protocols/all.h has X(%s) twice", listed[i]);
    }
    if (meant == 0)
        fail_msg("protocols/all.h has no X() for %s", getenv("CONTRACT_OF"));
}

/* Fails if this member of the entry is NULL. */
#define MUST_HAVE(P, LINE, MEMBER)                                             \
    do {                                                                       \
        if (!(P)->MEMBER)                                                      \
            fail_msg("%s: the entry %s_protocol has no ." #MEMBER, (LINE),     \
                     (LINE));                                                  \
    } while (0)

static inline void check_entry(const struct fc_protocol *p, const char *line)
{
    MUST_HAVE(p, line, name);
    if (!is_called(line, p->name))
        fail_msg("%s: its entry says .name = \"%s\": an underscore becomes a "
                 "dash, and all else is as in protocols/all.h",
                 line, p->name);
    MUST_HAVE(p, line, title);
    MUST_HAVE(p, line, idea);
    MUST_HAVE(p, line, assumes);
    MUST_HAVE(p, line, source);
    MUST_HAVE(p, line, problem);
    MUST_HAVE(p, line, kinds);
    MUST_HAVE(p, line, horizon);
    if (p->kinds_count > FC_KINDS_MAX)
        fail_msg("%s: %u kinds of messages, with kind 0; there is room for %d",
                 p->name, p->kinds_count, FC_KINDS_MAX);
    for (uint32_t k = 1; k < p->kinds_count; k++)
        if (!p->kinds[k].name || !p->kinds[k].label)
            fail_msg("%s: kind %u has no name or no label in the table of "
                     "kinds",
                     p->name, k);
}

#endif
