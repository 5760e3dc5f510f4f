/*
 * election.c - runs Vitanyi's election through the library: one run with its
 * result, then a batch of a thousand on two threads.
 *
 *     cc -std=c11 election.c $(pkg-config --cflags --libs fulcrum) -pthread -lm
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/params.h"
#include "problems/election.h"
#include "protocols/election/vitanyi.h"
#include "sim/batch.h"

/* Sets one parameter; NULL, or what is wrong. */
static const char *set(struct vitanyi_params *params, const char *key,
                       const char *value)
{
    const char *file;
    struct fc_wait *wait;

    if (fc_params_set(&vitanyi_protocol, params, key, value, &file, &wait) ==
        FC_SET_DONE)
        return NULL;
    return "no such parameter, or not a value of it";
}

static int run_once(const struct sim_setup *setup, uint64_t seed)
{
    struct net_memory memory = {0};
    struct sim_job job = {.seed = seed, .memory = &memory};
    struct sim_result result;
    enum sim_status status = sim_run(setup, &job, &result);

    net_memory_free(&memory);
    if (status != SIM_OK)
        return 3;
    printf("seed %" PRIu64 ": %" PRIu32 " leads after %" PRIu64 " messages\n",
           seed, result.leader, result.messages);
    for (uint32_t i = 0; i < ELECTION_PROPERTIES; i++)
        if (result.broken & 1u << i)
            printf("violated %s\n", election_problem.properties[i]);
    return result.broken ? 1 : 0;
}

static int run_many(const struct sim_setup *setup, uint64_t runs)
{
    struct sim_batch batch = {
        .setup = setup, .seed = 1, .runs = runs, .threads = 2};
    struct sim_summary summary;

    if (sim_batch(&batch, &summary) != 0 || summary.no_memory)
        return 3;
    printf("%" PRIu64 " runs: %.1f messages on average, %" PRIu64
           " at most, %" PRIu64 " violated\n",
           summary.runs, sim_stat_mean(&summary.messages), summary.messages.max,
           summary.violated);
    return summary.violated ? 1 : 0;
}

int main(void)
{
    struct vitanyi_params params;
    struct sim_setup setup = {
        .type = sim_find("vitanyi"),
        .params = &params,
        .world = {.nodes = 100, .bounds = {2, 5, 1, 8}},
        .time = NET_ARCHIMEDEAN,
        .clock = NET_CLOCK_DRIFT,
        .naming = NET_NAMES_RANDOM,
        .first_name = 1,
        .waking = NET_WAKE_ALL,
    };
    const char *why;
    int code;

    /* 1. Parameters, 2. what follows from the setup, 3. what follows for the
     * parameters.  In this order. */
    fc_params_default(&vitanyi_protocol, &params);
    why = set(&params, "first-wait", "f");
    if (!why) {
        sim_describe(&setup);
        why = vitanyi_protocol.prepare(&params, &setup.world);
    }
    if (why) {
        fprintf(stderr, "election: %s\n", why);
        return 2;
    }
    code = run_once(&setup, 42);
    return code ? code : run_many(&setup, 1000);
}
