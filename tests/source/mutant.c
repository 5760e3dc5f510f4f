/*
 * mutant.c PROTOCOL N [PROPERTY] - checks a protocol without time, its
 * parameters as they come, and prints the verdict.  Linked with a protocol that
 * has a mistake in it (see check_cli.sh).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "core/params.h"
#include "net/judge.h"

int main(int argc, char **argv)
{
    struct check_setup setup = {
        .net = {.time = NET_ASYNC, .first_name = 1},
        .listed = ~UINT32_C(0),
        .entries = 1,
        .section = 1,
        .cycles = true,
        .properties = ~UINT32_C(0),
    };
    struct net *net = &setup.net;
    static const char *const verdicts[] = {"holds", "violated", "incomplete"};
    const struct fc_problem *problem;
    struct check_result r;
    void *params;

    if (argc < 3 || !(net->protocol = net_protocol(argv[1])))
        return 2;
    problem = net->protocol->problem;
    params = calloc(1, net->protocol->params_size);
    if (!params)
        return 3;
    net->params = params;
    net->world.nodes = (uint32_t)strtoul(argv[2], NULL, 10);
    fc_params_default(net->protocol, params);
    net_describe(net);
    if (net->protocol->prepare)
        (void)net->protocol->prepare(params, &net->world);
    if (argc == 3)
        net->predicates = net_predicates(net->protocol, params);
    for (uint32_t i = 0; argc > 3 && i < problem->properties_count; i++)
        if (strcmp(problem->properties[i], argv[3]) == 0)
            setup.properties = 1u << i;
    check_run(&setup, &r);
    printf("%s", verdicts[r.verdict]);
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (r.broken >> i & 1)
            printf(" %s", fc_property(net->protocol, i));
    printf("\n");
    check_free(&r);
    free(params);
    return 0;
}
