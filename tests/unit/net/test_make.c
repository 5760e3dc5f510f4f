/*
 * test_make.c - the constructor of networks: what each word makes, and each
 * class of why with its sentence.  Words are also tried by the hundred
 * thousand, cut out of good ones, so that memory checkers see every way out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "net/make.h"
#include "tests/unit/kit/testing.h"

/* Makes it all; why there is none, or NULL. */
static const char *refusal_of(struct net_words words, bool *system)
{
    static struct net_why why;
    struct net_made made;
    bool fine;

    memset(&why, 0, sizeof why);
    fine = net_make(&made, &words, &why);
    if (fine) {
        net_describe(&made.net);
        fine = net_prepare(&made, &made.net, &why);
    }
    net_unmake(&made);
    *system = why.system;
    assert_int_equal(fine, why.text[0] == '\0');
    return fine ? NULL : why.text;
}

static char *write_file(const char *contents)
{
    static char path[] = "/tmp/fulcrum-make-XXXXXX";
    int file;

    strcpy(path, "/tmp/fulcrum-make-XXXXXX");
    file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, contents, strlen(contents)), strlen(contents));
    close(file);
    return path;
}

#define VITANYI .protocol = "vitanyi"

static const char *const bad_settings[][2] = {
    {"g=1"}, {"f"}, {"f=exp:x"}, {"f=table:/nowhere"}};
static const struct {
    struct net_words words;
    const char *says;
    bool system;
} refused[] = {
    {{.protocol = "vitany"}, "did you mean 'vitanyi'?", false},
    {{.protocol = "nothing-like-it"}, "'fulcrum list' shows", false},
    {{VITANYI}, "how many processors?", false},
    {{VITANYI, .nodes = "1"}, "2 to 1000000000, not '1'", false},
    {{VITANYI, .names = "1,2,1"}, "--names: 1 stands twice", false},
    {{VITANYI, .names = "1,,2"}, "a name in --names", false},
    {{VITANYI, .names = "equal:1,x"}, "a name in --names", false},
    {{VITANYI, .names = "equal:1"}, "lists one name", false},
    {{VITANYI, .names = "7"}, "lists one name", false},
    {{VITANYI, .names = ""}, "a name in --names", false},
    {{VITANYI, .names = "1,2", .nodes = "3"}, "but -n says 3", false},
    {{VITANYI, .names = "asc:0", .nodes = "3"}, "the first name", false},
    {{VITANYI, .names = "/nowhere/n"}, "cannot read the names", true},
    {{.protocol = "itai-rodeh", .nodes = "3", .names = "asc"},
     "its nodes have none",
     false},
    {{.protocol = "central", .nodes = "3", .names = "asc"},
     "they are 1 to N",
     false},
    {{.protocol = "central", .nodes = "5000"}, "up to 4096", false},
    {{VITANYI, .nodes = "3", .topology = "path"}, "on trees", false},
    {{.protocol = "tree", .nodes = "3", .topology = "/nowhere/t"},
     "cannot read the tree",
     true},
    {{.protocol = "tree", .nodes = "99", .topology = "star"},
     "too many links",
     false},
    {{VITANYI, .nodes = "3", .time = "fast"}, "choose sync", false},
    {{VITANYI, .nodes = "3", .time = "sync", .clock = "fixed"},
     "belong to --time archimedean",
     false},
    {{VITANYI, .nodes = "3", .bounds = "1:2:3"}, "four whole", false},
    {{VITANYI, .nodes = "3", .bounds = "0:2:3:4"}, "rmin is 0", false},
    {{VITANYI, .nodes = "3", .clock = "slow"}, "choose fixed", false},
    {{VITANYI, .nodes = "3", .clock = "steps:1,2"}, "for 3", false},
    {{VITANYI, .nodes = "2", .clock = "steps:1,0"}, "a step in", false},
    {{VITANYI, .nodes = "2", .clock = "steps:1,2"},
     "within --bounds 2:3:1:4, the default",
     false},
    {{VITANYI, .nodes = "2", .delays = "0,1"},
     "within --bounds 2:3:1:4, the default",
     false},
    {{VITANYI, .nodes = "2", .clock = "steps:1,4", .bounds = "1:3:0:0"},
     "a step of 4 ticks is not within --bounds 1:3:0:0",
     false},
    {{VITANYI, .nodes = "2", .clock = "fixed", .phases = "0,0"},
     "goes with --clock steps",
     false},
    {{VITANYI, .nodes = "2", .clock = "steps:2,2", .phases = "0"},
     "1 phases for 2 processors",
     false},
    {{VITANYI, .nodes = "2", .clock = "steps:2,2", .phases = "1,2"},
     "ends before tick 2, its length, not at 2",
     false},
    {{VITANYI, .nodes = "3", .delays = "1,2"}, "2 delays for 3 links", false},
    {{VITANYI, .nodes = "2", .delays = "1,x"}, "a delay in --delays", false},
    {{VITANYI, .nodes = "2", .time = "async", .delays = "1,2"},
     "belong to --time archimedean",
     false},
    {{VITANYI, .nodes = "2", .bounds = "1:1:1:2", .delays = "0,1"},
     "a delay of 0 ticks is not within --bounds 1:1:1:2",
     false},
    {{.protocol = "central", .nodes = "3", .delays = "1,2,3"},
     "for 6 links; give those of 1 to 2, 3",
     false},
    {{VITANYI, .nodes = "3", .links = "lifo"}, "choose fifo", false},
    {{VITANYI, .nodes = "3", .wake = "1"}, "NAME@TICK", false},
    {{VITANYI, .nodes = "3", .wake = "4@0"},
     "nobody is called '4'; the names are 1 to 3",
     false},
    {{VITANYI, .nodes = "3", .wake = "random:4"}, "K in --wake", false},
    {{VITANYI, .nodes = "3", .settings = bad_settings[0], .settings_count = 1},
     "has no parameter 'g'",
     false},
    {{VITANYI, .nodes = "3", .settings = bad_settings[1], .settings_count = 1},
     "KEY=VALUE",
     false},
    {{VITANYI, .nodes = "3", .settings = bad_settings[2], .settings_count = 1},
     "not one of const:C",
     false},
    {{VITANYI, .nodes = "3", .settings = bad_settings[3], .settings_count = 1},
     "cannot read the table",
     true},
    /* Refused by the protocol itself. */
    {{VITANYI, .names = "70,71"}, "vitanyi: ", false},
};

TEST(test_words_that_are_refused)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        bool system;
        const char *why = refusal_of(refused[i].words, &system);

        if (!why || !strstr(why, refused[i].says))
            fail_msg("case %zu: '%s' does not say '%s'", i,
                     why ? why : "nothing", refused[i].says);
        assert_int_equal(system, refused[i].system);
    }
}

static void check_file(const char *contents, const char *says,
                       const char *protocol, bool tree)
{
    char *path = write_file(contents);
    struct net_words words = {.protocol = protocol};
    bool system;
    const char *why;

    *(tree ? &words.topology : &words.names) = path;
    if (tree)
        words.nodes = "3";
    why = refusal_of(words, &system);
    assert_false(system);
    if (says) {
        assert_non_null(why);
        assert_ptr_equal(strstr(why, path), why);
        assert_non_null(strstr(why, says));
    } else {
        assert_null(why);
    }
    unlink(path);
}

TEST(test_files_that_are_refused)
{
    check_file("3 1\n2", NULL, "vitanyi", false);
    check_file("3 1\n2,x", ", line 2: 'x' is not a name", "vitanyi", false);
    check_file("3 1\n0", ", line 2: '0' is not a name", "vitanyi", false);
    check_file("3\n1\n3 9", ", line 3: 3 stands twice", "vitanyi", false);
    check_file("# 3 1", ": there are no numbers", "vitanyi", false);
    check_file("0\n1\n", NULL, "tree", true);
    check_file("0\n2\n", ", line 2: 2 is not a parent of node 2", "tree", true);
    check_file("0\n", ": parents listed: 1", "tree", true);
    check_file("0\n0\n0\n", ", line 3: ", "tree", true);
}

static void make(struct net_made *made, struct net_words words)
{
    struct net_why why = {.text = ""};

    if (!net_make(made, &words, &why))
        fail_msg("%s", why.text);
    net_describe(&made->net);
    if (!net_prepare(made, &made->net, &why))
        fail_msg("%s", why.text);
}

TEST(test_names_and_wakes)
{
    static const fc_name clockwise[] = {5, 3, 1, 4};
    struct net_made made;
    char *path = write_file("5,3 # and\n\n\t1 , 4\r\n");

    for (int file = 0; file < 2; file++) {
        make(&made, (struct net_words){.protocol = "chang-roberts",
                                       .names = file ? path : "5,3,1,4",
                                       .wake = "4@9,3@2,4@7"});
        assert_int_equal(made.net.naming, NET_NAMES_LIST);
        assert_int_equal(made.net.world.nodes, 4);
        assert_int_equal(made.net.world.least, 1);
        assert_int_equal(made.net.world.greatest, 5);
        assert_memory_equal(made.net.names, clockwise, sizeof clockwise);
        for (fc_name name = 0; name < 9; name++)
            assert_int_equal(net_is_name(&made.net, name),
                             name == 1 || (name >= 3 && name <= 5));
        assert_int_equal(made.net.wake_count, 3);
        assert_int_equal(made.net.wakes[0].name, 3);
        assert_int_equal(made.net.wakes[1].tick, 7);
        assert_int_equal(made.net.wakes[2].tick, 9);
        net_unmake(&made);
    }
    unlink(path);
    make(&made, (struct net_words){VITANYI, .nodes = "3", .names = "desc:4"});
    assert_true(net_is_name(&made.net, 6) && !net_is_name(&made.net, 3));
    assert_int_equal(made.net.world.greatest, 6);
    net_unmake(&made);
}

/* Names may be equal on request. */
TEST(test_equal_names)
{
    struct net_made made;

    make(&made, (struct net_words){VITANYI, .names = "equal:2,7,2"});
    assert_true(made.net.equal && net_nameless(&made.net));
    assert_int_equal(made.net.world.nodes, 3);
    assert_int_equal(made.net.world.least, 2);
    assert_int_equal(made.net.names[2], 2);
    net_unmake(&made);
    make(&made, (struct net_words){VITANYI, .names = "2,7,3"});
    assert_false(made.net.equal || net_nameless(&made.net));
    net_unmake(&made);
}

/* Bounds are what nodes know, whatever the steps. */
TEST(test_steps_and_bounds)
{
    const struct {
        const char *bounds;
        struct fc_bounds then;
    } cases[] = {
        {NULL, {2, 3, 1, 4}},
        {"2:5:0:9", {2, 5, 0, 9}},
        {"1:7:0:9", {1, 7, 0, 9}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_made made;

        make(&made,
             (struct net_words){
                 VITANYI, .nodes = "3", .bounds = cases[i].bounds,
                 .clock = cases[i].bounds ? "steps:5,2,3" : "steps:2,2,2"});
        assert_int_equal(made.net.time, NET_ARCHIMEDEAN);
        assert_int_equal(made.net.clock, NET_CLOCK_LIST);
        assert_memory_equal(&made.net.world.bounds, &cases[i].then,
                            sizeof cases[i].then);
        net_describe(&made.net); /* once more changes nothing */
        assert_memory_equal(&made.net.world.bounds, &cases[i].then,
                            sizeof cases[i].then);
        net_unmake(&made);
    }
}

/* Delays do not change what nodes know of them. */
TEST(test_delays_and_phases)
{
    struct net_made made;

    make(&made, (struct net_words){VITANYI, .nodes = "3", .delays = "2,2,3",
                                   .clock = "steps:2,2,3", .phases = "0,1,2"});
    assert_int_equal(made.net.time, NET_ARCHIMEDEAN);
    assert_int_equal(made.net.world.bounds.dmin, 1);
    assert_int_equal(made.net.world.bounds.dmax, 4);
    assert_int_equal(made.net.delays[2], 3);
    assert_int_equal(made.net.phases[2], 2);
    net_unmake(&made);
    make(&made, (struct net_words){VITANYI, .nodes = "3", .delays = "5,0,3",
                                   .bounds = "1:1:0:9"});
    assert_int_equal(made.net.world.bounds.dmax, 9);
    assert_null(made.net.phases);
    net_unmake(&made);
}

TEST(test_parameters_are_told_in_full)
{
    static const char *const settings[] = {"f=pow:2", "f=exp:3"};
    struct net_made made;

    make(&made, (struct net_words){VITANYI, .nodes = "3", .settings = settings,
                                   .settings_count = 2, .returns = true});
    assert_ptr_equal(strstr(made.set, "f=exp:3"), made.set);
    assert_non_null(strstr(made.set, " first-wait="));
    assert_ptr_equal(made.net.params, made.params);
    assert_true(made.net.world.returns);
    net_unmake(&made);
}

/* Whatever the words are, there is a network or a sentence. */
TEST(test_any_words)
{
    static const char *const pieces[] = {"asc",
                                         "random:3",
                                         "3,1,2",
                                         "1,1",
                                         "steps:1,2,3",
                                         "path",
                                         "star",
                                         "any",
                                         "1:3:0:2",
                                         "9:1:1:1",
                                         "3",
                                         "2",
                                         "",
                                         "fixed",
                                         "sync",
                                         "archimedean",
                                         "async",
                                         "2@4,1@0",
                                         ",",
                                         "@",
                                         ":",
                                         "18446744073709551616"};
    static const char *const settings[] = {"f=exp:2", "=", "f=", "x=y"};
    static const char *const protocols[] = {"vitanyi", "tree", "central",
                                            "itai-rodeh", ""};
    uint64_t random = 1;
    uint32_t made_count = 0;

    for (uint32_t i = 0; i < rounds(100000); i++) {
        struct net_words words = {.settings = settings};
        const char **all[] = {&words.nodes, &words.names,  &words.topology,
                              &words.time,  &words.bounds, &words.clock,
                              &words.links, &words.wake};
        bool system;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        words.protocol = protocols[(random >> 33) % COUNT(protocols)];
        words.settings_count = (uint32_t)(random >> 60) / 8;
        for (size_t w = 0; w < COUNT(all); w++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            if (w == 0 || random >> 62 == 0)
                *all[w] = pieces[(random >> 40) % COUNT(pieces)];
        }
        made_count += refusal_of(words, &system) == NULL;
    }
    assert_true(made_count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_that_are_refused),
        cmocka_unit_test(test_files_that_are_refused),
        cmocka_unit_test(test_names_and_wakes),
        cmocka_unit_test(test_equal_names),
        cmocka_unit_test(test_steps_and_bounds),
        cmocka_unit_test(test_delays_and_phases),
        cmocka_unit_test(test_parameters_are_told_in_full),
        cmocka_unit_test(test_any_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
