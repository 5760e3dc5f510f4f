/*
 * election.c - runs Vitanyi's election through the library: one run with its
 * result, a batch of a thousand on two threads, and every run of four nodes.
 *
 *     cc -std=c11 election.c $(pkg-config --cflags --libs fulcrum)
 */
#include <fulcrum/check.h>
#include <fulcrum/sim.h>
#include <inttypes.h>
#include <stdio.h>

/* A network with all that is said of it; NULL: something is wrong with it. */
static struct fulcrum_net *describe(const char *const said[][2])
{
    struct fulcrum_net *net = fulcrum_net_new("vitanyi");

    for (int i = 0; net && said[i][0]; i++)
        if (fulcrum_net_set(net, said[i][0], said[i][1]) != 0) {
            fprintf(stderr, "election: %s\n", fulcrum_net_why(net));
            fulcrum_net_free(net);
            return NULL;
        }
    return net;
}

/* Runs, and says what came of it; returns an exit code. */
static int simulate(struct fulcrum_net *net, uint64_t seed, uint64_t runs)
{
    struct fulcrum_sim *sim = fulcrum_sim_run(net, seed, runs, 2, NULL);
    const char *property;
    double messages = 0, most = 0, leader = 0;
    int code = 0;

    if (!sim) {
        fprintf(stderr, "election: %s\n", fulcrum_net_why(net));
        return 2;
    }
    fulcrum_sim_get(sim, "messages", &messages);
    fulcrum_sim_get(sim, "messages.max", &most);
    if (fulcrum_sim_get(sim, "leader", &leader) == 0)
        printf("%.0f leads; ", leader);
    printf("%" PRIu64 " runs: %.1f messages on average, %.0f at most\n", runs,
           messages, most);
    for (size_t i = 0;
         (property = fulcrum_sim_broken(sim, i, NULL, &seed)) != NULL; i++) {
        printf("violated %s: seed %" PRIu64 "\n", property, seed);
        code = 1;
    }
    fulcrum_sim_free(sim);
    return code;
}

/* Tries everything that can happen. */
static int check(struct fulcrum_net *net)
{
    struct fulcrum_check *search = fulcrum_check_run(net);
    double states = 0;
    int code = 0;

    if (!search) {
        fprintf(stderr, "election: %s\n", fulcrum_net_why(net));
        return 2;
    }
    fulcrum_check_get(search, "states", &states);
    printf("%.0f states\n", states);
    if (fulcrum_check_verdict(search) != FULCRUM_HOLDS) {
        fulcrum_check_story(search, stdout);
        code = 1;
    }
    fulcrum_check_free(search);
    return code;
}

int main(void)
{
    static const char *const large[][2] = {
        {"nodes", "100"},        {"bounds", "2:5:1:8"}, {"clock", "drift"},
        {"set", "first-wait=f"}, {NULL, NULL},
    };
    static const char *const small[][2] = {
        {"nodes", "4"}, {"bounds", "1:2:0:1"}, {NULL, NULL}};
    struct fulcrum_net *net = describe(large);
    int code = net ? simulate(net, 42, 1) : 2;

    if (code == 0)
        code = simulate(net, 1, 1000);
    fulcrum_net_free(net);
    if (code == 0) {
        net = describe(small);
        code = net ? check(net) : 2;
        fulcrum_net_free(net);
    }
    return code;
}
