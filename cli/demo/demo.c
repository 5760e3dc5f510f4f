/*
 * demo.c - fulcrum demo: three elections on the same ring, one table, and a
 * picture of each; then real nodes (demo_live.c).
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/demo/demo_cluster.h"
#include "cli/picture.h"
#include "cli/setup/setup.h"

static const char *const contestants[] = {"lelann", "chang-roberts", "vitanyi"};
enum { CONTESTANTS = sizeof contestants / sizeof contestants[0] };

static const char small_ring[] = "1,6,3,8,2,7,4,5";

struct wishes {
    const char *folder;
};

#define WISHES struct wishes

static const struct cli_option options[] = {
    {"output", 'o', "FOLDER", "where files go [fulcrum-demo]", AT(folder),
     "@files"},
    {0},
};

/* Runs one setup once, with its trace if there is a picture to make. */
static int run_once(const struct cli_setup *setup, struct trace_listener *trace,
                    struct sim_result *result)
{
    struct net_memory memory = {0};
    struct sim_job job = {.seed = 1, .memory = &memory, .trace = trace};
    enum sim_status status = sim_run(&setup->sim, &job, result);

    net_memory_free(&memory);
    if (status != SIM_OK)
        return cli_no_memory("the run");
    return result->broken ? CLI_VIOLATED : CLI_FINE;
}

/* The bound on messages in the worst case that the paper states. */
static const struct fc_claim *find_bound(const struct fc_claim *claims,
                                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (claims[i].cost == FC_COST_MESSAGES &&
            claims[i].relation != FC_ON_AVERAGE &&
            claims[i].relation != FC_MEAN_AT_MOST)
            return &claims[i];
    return NULL;
}

static void print_row(const struct cli_setup *setup, const struct sim_result *r)
{
    const struct fc_protocol *p = setup->sim.net.protocol;
    struct fc_claim claims[FC_CLAIMS_MAX] = {{0}};
    uint32_t count =
        p->claims(setup->sim.net.params, &setup->sim.net.world, claims);
    const struct fc_claim *bound = find_bound(claims, count);
    char messages[32], bits[32], ticks[32], value[32];

    printf("%-13s %10s %11s %6s", p->name,
           cli_grouped(r->messages, messages, sizeof messages),
           cli_grouped(r->paper_bits, bits, sizeof bits),
           cli_grouped(r->end, ticks, sizeof ticks));
    if (bound)
        printf("  %-12s %-17s %3.0f %%",
               cli_decimal(bound->value, value, sizeof value), bound->formula,
               100 * (double)r->messages / bound->value);
    putchar('\n');
}

/* One contestant on one ring; draws it if `folder` is given. */
static int compete(const char *name, const char *nodes, const char *names,
                   const char *folder)
{
    struct cli_words words = {
        .net = {.protocol = name, .nodes = nodes, .names = names}};
    struct cli_setup setup;
    struct cli_picture picture;
    struct sim_result result;
    char trace[512], svg[512], command[CLI_COMMAND_SIZE + 32];
    int code = cli_setup_begin(&setup, &words);

    if (!code && folder) {
        snprintf(trace, sizeof trace, "%s/%s.trace", folder, name);
        snprintf(svg, sizeof svg, "%s/%s.svg", folder, name);
        snprintf(command, sizeof command, "fulcrum sim %s --seed 1",
                 setup.command);
        code = cli_picture_begin(&picture, trace, svg, setup.made.set, command);
    }
    if (!code) {
        code = run_once(&setup, folder ? picture.trace : NULL, &result);
        if (folder) {
            int drawn = cli_picture_end(&picture);

            code = code ? code : drawn;
        }
    }
    if (!code)
        print_row(&setup, &result);
    cli_setup_free(&setup);
    return code;
}

static int contest(const char *nodes, const char *names, const char *folder)
{
    int code = 0;

    printf("%-13s %10s %11s %6s  %-12s %-17s %s\n", "", "messages",
           "paper bits", "ticks", "paper", "messages at most", "used");
    for (int i = 0; i < CONTESTANTS && !code; i++)
        code = compete(contestants[i], nodes, names, folder);
    return code;
}

static void say_what_next(const char *folder, bool elections, bool live)
{
    const char *me = program_invocation_name; /* as it was called */

    printf("\nTry next:\n");
    if (elections)
        printf("  %s draw %s/vitanyi.trace --text\n"
               "  %s sim vitanyi -n 1000000 --runs 10\n"
               "  %s sim vitanyi -n 1000 --bounds 2:5:1:8 --clock drift "
               "--runs 1000\n"
               "  %s list vitanyi\n",
               me, folder, me, me, me);
    if (live)
        printf("  %s sim view-lock -n 5 --entries 3 --svg %s/view-lock.svg\n"
               "  your own three nodes: docs/live.md; tokens: "
               "docs/fencing.md\n",
               me, folder);
}

static int show_elections(const char *folder)
{
    int code;

    printf("A ring of 8 processors, names %s clockwise, all awake at tick 0,\n"
           "one message read per tick:\n\n",
           small_ring);
    code = contest(NULL, small_ring, folder);
    if (code)
        return code;
    printf("\nA ring of 4096, names at random (seed 1): time bounds turn "
           "N log N into N.\n\n");
    code = contest("4096", "random", NULL);
    if (code)
        return code;
    printf("\nEvery election chose processor 1, and everybody learnt it.\n"
           "Pictures:\n");
    for (int i = 0; i < CONTESTANTS; i++)
        printf("  %s/%s.svg\n", folder, contestants[i]);
    return 0;
}

static int show_live(const char *folder, bool asked_for)
{
#ifdef FULCRUM_LIVE
    char path[512];

    (void)asked_for;
    snprintf(path, sizeof path, "%s/live", folder);
    return demo_live(path);
#else
    (void)folder;
    if (asked_for)
        return cli_fail(
            "this build has no live runtime; 'make deps', then 'make' adds it");
    printf("Left out: five nodes on this machine, since this build has no "
           "live runtime;\n'make deps', then 'make' adds it.\n");
    return 0;
#endif
}

static int demo(const char *folder, const char *part)
{
    bool elections = !part || !strcmp(part, "elections");
    bool live = !part || !strcmp(part, "live");
    int code = 0;

    if (!elections && !live)
        return cli_refuse("the demo has 'elections' and 'live', not '%s'",
                          part);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail("cannot make the folder %s: %s", folder,
                        strerror(errno));
    if (elections)
        code = show_elections(folder);
    if (elections && live)
        putchar('\n');
    if (!code && live)
        code = show_live(folder, part != NULL);
    if (!code)
        say_what_next(folder, elections, live);
    return code;
}

static int run_demo(int argc, char **argv)
{
    struct wishes w = {.folder = "fulcrum-demo"};
    int code;

#ifdef FULCRUM_LIVE
    if (argc > 1 && !strcmp(argv[1], "holder")) /* started by demo_live.c */
        return demo_holder(argc - 1, argv + 1);
#endif
    code = cli_options_read(&cli_demo, &w, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    if (optind + 1 < argc)
        return cli_refuse("one part at a time; what is '%s'?",
                          argv[optind + 1]);
    return demo(w.folder, argv[optind]);
}

const struct cli_verb cli_demo = {
    .name = "demo",
    .summary = "three elections, and five live nodes, with pictures",
    .run = run_demo,
    .usage = "[-o FOLDER] [elections | live]",
    .about =
        "elections runs those of Le Lann, Chang and Roberts, and Vitanyi on "
        "the same ring, prints their costs beside what the papers state, and "
        "draws each one. live starts five nodes on loopback that fight for a "
        "lock and elect a leader, kills one, freezes two, and shows who held "
        "what when; it takes about 5 seconds, and stops all that it started. "
        "Without a word it does both.",
    .examples = "fulcrum demo -o /tmp/demo live",
    .options = {options},
    .operands = {"elections|live"},
};
