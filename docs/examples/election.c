/*
 * election.c - runs Vitanyi's election through the library: one run with its
 * result, then a batch of a thousand on two threads.
 *
 *     cc -std=c11 election.c $(pkg-config --cflags --libs fulcrum)
 */
#include <fulcrum/sim.h>
#include <inttypes.h>
#include <stdio.h>

static int run_once(const struct sim_setup *setup, uint64_t seed)
{
    const struct fc_problem *problem = setup->net.protocol->problem;
    struct net_memory memory = {0};
    struct sim_job job = {.seed = seed, .memory = &memory};
    struct sim_result result;
    enum sim_status status = sim_run(setup, &job, &result);

    net_memory_free(&memory);
    if (status != SIM_OK)
        return 3;
    printf("seed %" PRIu64 ": %" PRIu32 " leads after %" PRIu64 " messages\n",
           seed, result.leader, result.messages);
    for (uint32_t i = 0; i < problem->properties_count; i++)
        if (result.broken & 1u << i)
            printf("violated %s\n", problem->properties[i]);
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
    static const char *const settings[] = {"first-wait=f"};
    struct net_words words = {
        .protocol = "vitanyi",
        .nodes = "100",
        .bounds = "2:5:1:8",
        .clock = "drift",
        .settings = settings,
        .settings_count = 1,
    };
    struct net_made made;
    struct net_why why;
    struct sim_setup setup = {.until = 0};
    int code = 2;

    /* 1. The network of these words, 2. what follows from it, 3. what follows
     * for the parameters.  In this order. */
    if (net_make(&made, &words, &why)) {
        setup.net = made.net;
        sim_use(&setup, sim_find("vitanyi"));
        sim_describe(&setup);
        if (net_prepare(&made, &setup.net, &why))
            code = run_once(&setup, 42);
    }
    if (code == 2)
        fprintf(stderr, "election: %s\n", why.text);
    if (code == 0)
        code = run_many(&setup, 1000);
    net_unmake(&made);
    return code;
}
