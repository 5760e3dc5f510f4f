/*
 * traces.h - traces to read, for the tests of reader and pictures.
 */
#ifndef TESTS_TRACES_H
#define TESTS_TRACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/read.h"
#include "trace/rows.h"

/* ---- Traces to read ------------------------------------------------------ */

static const char good_head[] =
    "fulcrum-trace 1\n"
    "protocol vitanyi\n"
    "problem election\n"
    "topology ring\n"
    "time sync\n"
    "bounds 1:1:0:0\n"
    "nodes 2\n"
    "names 1,2\n"
    "steps 1+0,1+0\n"
    "set f=exp:2 first-wait=one\n"
    "seed 7\n"
    "command fulcrum sim vitanyi --names 1,2 --seed 7\n"
    "kind wakeup calls wake-up\n"
    "kind M claims M\n"
    "kind sleepwell tells sleepwell\n"
    "winner 1\n";

static const char good_body[] =
    "0 1 wake; send #0 wakeup to 2 arrives 1; arm 0 1; is candidate\n"
    "0 2 wake; send #1 wakeup to 1 arrives 1; arm 0 1; is candidate\n"
    "1 1 read #1 wakeup\n"
    "1 2 read #0 wakeup\n"
    "2 1 timeout 0; send #2 M(1) to 2 arrives 3\n"
    "2 2 timeout 0; send #3 M(2) to 1 arrives 3\n"
    "3 1 read #3 M(2); dies\n"
    "3 2 read #2 M(1); arm 0 2; is lost, rests\n"
    "5 2 timeout 0; send #4 M(1) to 1 arrives 6; is lost\n"
    "6 1 read #4 M(1); send #5 sleepwell to 2 arrives 7; stop 0; is leader; "
    "knows 1\n"
    "7 2 read #5 sleepwell; send #6 sleepwell to 1 arrives 8; is done; "
    "knows 1\n"
    "8 1 read #6 sleepwell; is done\n"
    "end 8 quiet\n";

/* All that can go wrong, in a ring whose messages go both ways.  Its body
 * begins at line 14. */
static const char fault_head[] = "fulcrum-trace 1\n"
                                 "protocol shaky\n"
                                 "problem election\n"
                                 "topology ring-both\n"
                                 "time archimedean\n"
                                 "bounds 1:2:0:3\n"
                                 "nodes 4\n"
                                 "names 3,1,4,2\n"
                                 "seed 9\n"
                                 "command fulcrum sim shaky --seed 9\n"
                                 "kind M claims M\n"
                                 "kind call calls call\n";

static const char fault_body[] =
    "0 3 wake; chooses 2 of 5; send #0 M(3) to 1 lost; is candidate\n"
    "0 1 wake; send #1 M(1) to 4 arrives 2; send #2 M(1) to 4 arrives 4, "
    "copy; is candidate\n"
    "1 3 timeout 0; send #3 call to 2 arrives 2\n"
    "1 2 crash\n"
    "2 2 misses #3 call\n"
    "2 4 read #1 M(1); send #4 M(1) to 2 arrives 7; is awake\n"
    "2 3 pause 3\n"
    "3 2 restart, blank; send #5 call to 4 arrives 4; is awake\n"
    "4 4 read #2 M(1); dies\n"
    "4 4 read #5 call\n"
    "4 1 cut\n"
    "5 4 crash\n"
    "6 1 joined\n"
    "7 2 read #4 M(1); send #6 M(1) to 3 arrives 8; is lost\n"
    "8 4 restart\n"
    "8 3 read #6 M(1); send #7 M(1) to 1 arrives 9; is lost\n"
    "9 1 read #7 M(1); is leader; knows 1\n"
    "end 9 quiet\n";

/* Three sites and one resource, with all kinds of messages but claims.  The
 * body begins at line 17. */
static const char mutex_head[] = "fulcrum-trace 1\n"
                                 "protocol sharp\n"
                                 "problem mutex\n"
                                 "topology complete\n"
                                 "time archimedean\n"
                                 "bounds 1:1:1:4\n"
                                 "nodes 3\n"
                                 "names 1,2,3\n"
                                 "seed 5\n"
                                 "command fulcrum sim sharp --seed 5\n"
                                 "kind request asks REQ\n"
                                 "kind negative refuses no\n"
                                 "kind positive grants yes\n"
                                 "kind token token tok\n"
                                 "kind frame frame alive\n";

static const char mutex_body[] =
    "0 1 want; arm 0 2; is sleeps\n"
    "0 2 want; send #0 request(1) to 1 arrives 1; is asks\n"
    "1 1 read #0 request(1); silent\n"
    "2 1 timeout 0; send #1 request(1) to 2 arrives 3; send #2 frame to 3 "
    "arrives 3; is asks\n"
    "3 2 read #1 request(1); send #3 negative to 1 arrives 4; is inside; "
    "token 65537\n"
    "3 3 read #2 frame\n"
    "4 1 read #3 negative; is waits\n"
    "6 2 leave; send #4 positive to 1 arrives 7; send #5 token to 3 arrives "
    "8; is idle\n"
    "7 1 read #4 positive; is inside; token 131072\n"
    "7 3 want-shared; is waits\n"
    "8 3 read #5 token\n"
    "9 1 leave; is idle\n"
    "10 3 timeout 0; is inside, shared\n"
    "12 3 leave; is idle\n"
    "end 12 quiet\n";

enum { TRACE_ROOM = 8192 };

/* A whole trace with the right hash; returns its length. */
static inline size_t build(char out[TRACE_ROOM], const char *head,
                           const char *body)
{
    return (size_t)snprintf(out, TRACE_ROOM, "%s----\n%shash %016" PRIx64 "\n",
                            head, body, XXH64(body, strlen(body), 0));
}

static inline bool parse(struct trace *t, const char *text, size_t size,
                         struct net_why *why)
{
    return trace_parse(t, "run.trace", text, size, why);
}

static inline void read_trace(struct trace *t, const char *head,
                              const char *body)
{
    struct net_why why = {0};
    char text[TRACE_ROOM];
    size_t size = build(text, head, body);

    if (!parse(t, text, size, &why))
        fail_msg("refused: %s", why.text);
}

static inline void read_good(struct trace *t, const char *body)
{
    read_trace(t, good_head, body);
}

/* The text `from` replaced once by `to`. */
static inline void replace(char out[TRACE_ROOM], const char *in,
                           const char *from, const char *to)
{
    const char *at = strstr(in, from);

    assert_non_null(at);
    snprintf(out, TRACE_ROOM, "%.*s%s%s", (int)(at - in), in, to,
             at + strlen(from));
}

/* Reading must fail with a sentence that has both words in it. */
static inline void check_refused(const char *text, size_t size,
                                 const char *place, const char *word)
{
    struct net_why why = {0};
    struct trace t;

    assert_false(parse(&t, text, size, &why));
    assert_false(why.system);
    if (strstr(why.text, "run.trace") == NULL ||
        strstr(why.text, place) == NULL || strstr(why.text, word) == NULL)
        fail_msg("expected %s and \"%s\" in: %s", place, word, why.text);
}

static inline void check_body_refused(const char *from, const char *to,
                                      const char *place, const char *word)
{
    char body[TRACE_ROOM], text[TRACE_ROOM];

    replace(body, good_body, from, to);
    check_refused(text, build(text, good_head, body), place, word);
}

static inline void check_fault_refused(const char *from, const char *to,
                                       const char *place, const char *word)
{
    char body[TRACE_ROOM], text[TRACE_ROOM];

    replace(body, fault_body, from, to);
    check_refused(text, build(text, fault_head, body), place, word);
}

static inline void check_head_refused(const char *from, const char *to,
                                      const char *place, const char *word)
{
    char head[TRACE_ROOM], text[TRACE_ROOM];

    replace(head, good_head, from, to);
    check_refused(text, build(text, head, good_body), place, word);
}

#endif
