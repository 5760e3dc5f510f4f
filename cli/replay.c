/*
 * replay.c - fulcrum sim --replay FILE: every event of a trace once more.
 */
#include "cli/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "trace/replay.h"

static int say(enum trace_replayed how, struct trace_replay *r,
               const char *path, const struct fc_problem *problem)
{
    int code = CLI_FINE;

    switch (how) {
    case TRACE_REPLAY_SAME:
        printf("%s: %" PRIu32 " events, each as written\n", path, r->events);
        for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
            if (r->broken >> i & 1) {
                printf("%s violated: %s, line %" PRIu32 "\n", cli_cross(),
                       fc_property(problem, i), r->broken_at);
                code = CLI_VIOLATED;
            }
        break;
    case TRACE_REPLAY_DIFFERS:
        printf("%s, line %" PRIu32 ": it goes another way\n  then: %s\n"
               "  now:  %s\n",
               path, r->line, r->then, r->now);
        code = CLI_VIOLATED;
        break;
    case TRACE_REPLAY_UNREADABLE:
        return cli_refuse("%s, line %" PRIu32 ": %s", path, r->line, r->what);
    case TRACE_REPLAY_NO_MEMORY:
        return cli_fail("no memory");
    }
    free(r->then);
    free(r->now);
    return code;
}

static int replay(const char *path, const struct trace *t)
{
    struct net_made made;
    struct net_refusal refusal = {0};
    struct trace_replay result;
    int code;

    if (trace_network(t, &made, &refusal))
        code = say(trace_replay(&made.net, t, &result), &result, path,
                   made.net.protocol->problem);
    else
        code = cli_complain(refusal.system ? CLI_SYSTEM : CLI_USAGE, "%s: %s",
                            path, refusal.why);
    net_unmake(&made);
    return code;
}

int cli_replay(const char *path)
{
    struct trace trace;
    char error[TRACE_ERROR_SIZE];
    int result = trace_read(&trace, path, error, sizeof error);

    if (result < 0)
        return cli_complain(result == TRACE_SYSTEM ? CLI_SYSTEM : CLI_USAGE,
                            "%s", error);
    result = replay(path, &trace);
    trace_free(&trace);
    return result;
}
