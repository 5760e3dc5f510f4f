/*
 * test_live_cluster.c - what `fulcrum cluster` asks a node for, what it makes
 * of its answers and its reports, and which file it prints for a new machine.
 *
 * The command line is no library, so the files are taken as they are; the node
 * is what the test says.
 */
#include "cli/cluster/cluster_change.c"
#include "cli/cluster/cluster_ini.c"
#include "cli/cluster/cluster_members.c"
#include "cli/cluster/cluster_order.c"
#include "cli/node/status_read.c"

#include <unistd.h>

#include "tests/unit/kit/cluster_node.h"

/* ---- Reports ------------------------------------------------------------- */

#define PEERS                                                                  \
    "\"node\": \"a\", \"generation\": 1, \"peers\": ["                         \
    "{\"name\": \"a\", \"id\": 0, \"self\": true, \"listed\": \"yes\","        \
    " \"host\": \"127.0.0.1\", \"port\": 1},"                                  \
    "{\"name\": \"b\", \"id\": 1, \"listed\": \"no\", \"host\": \"h\","        \
    " \"port\": 2, \"silent_us\": -1},"                                        \
    "{\"name\": \"c\", \"id\": 2, \"listed\": \"no\", \"host\": \"h\","        \
    " \"port\": 3, \"silent_us\": -1},"                                        \
    "{\"name\": \"d\", \"id\": 3, \"listed\": \"yes\", \"host\": \"::1\","     \
    " \"port\": 4, \"silent_us\": 12000, \"witness\": true}]"
#define STABLE(number, list, more)                                             \
    "{" PEERS ", \"configuration\": {\"number\": " #number                     \
    ", \"joint\": false, \"list\": [" list "], \"heard\": 2, \"majority\": 2," \
    " \"lease_us\": 1000000, \"tau_us\": 25000, \"ids_left\": 60,"             \
    " \"next_id\": 4" more "}}"
#define JOINT(number, old, list)                                               \
    "{" PEERS ", \"configuration\": {\"number\": " #number                     \
    ", \"joint\": true, \"old\": [" old "], \"list\": [" list "],"             \
    " \"heard\": 1, \"majority\": 2, \"heard_of_old\": 2,"                     \
    " \"majority_of_old\": 2, \"lease_us\": 1000000, \"tau_us\": 25000,"       \
    " \"waits_for\": \"d to answer\", \"ids_left\": 60, \"next_id\": 4}}"
#define AB  "\"a\", \"b\""
#define ABD "\"a\", \"b\", \"d\""

/* ---- What is sent -------------------------------------------------------- */

TEST(test_orders_are_as_the_letter_says)
{
    reports[0] = STABLE(2, AB, "");
    assert_int_equal(run(&cli_cluster_add, "d", "127.0.0.1:7404", NULL), 0);
    assert_int_equal(told.kind, LIVE_NODE_ADD);
    assert_string_equal(told_name, "d");
    assert_string_equal(told_more, "127.0.0.1 7404");
    assert_int_equal(told.file, -1);
    assert_string_equal(printed, "so be it\n");
    options.witness = true;
    options.trial = true;
    assert_int_equal(run(&cli_cluster_replace, "b", "d", "[2001:db8::1]:7404"),
                     0);
    assert_int_equal(told.kind, LIVE_NODE_REPLACE);
    assert_true(told.trial);
    assert_string_equal(told_name, "b");
    assert_string_equal(told_more, "d 2001:db8::1 7404 witness");
    assert_int_equal(run(&cli_cluster_remove, "b", NULL, NULL), 0);
    assert_int_equal(told.kind, LIVE_NODE_REMOVE);
    assert_string_equal(told_more, "");
    assert_int_equal(run(&cli_cluster_set, "tau=500us", "lease=2s", NULL), 0);
    assert_int_equal(told.kind, LIVE_TIMES_SET);
    assert_string_equal(told_more, "2000000 500");
    assert_int_equal(run(&cli_cluster_set, "lease=1500ms", NULL, NULL), 0);
    assert_string_equal(told_more, "1500000 0");
    assert_int_equal(run(&cli_cluster_cancel, NULL, NULL, NULL), 0);
    assert_int_equal(told.kind, LIVE_CHANGE_CANCEL);
}

TEST(test_words_that_mean_nothing_are_refused)
{
    static const struct {
        const struct cli_verb *verb;
        const char *words[3], *why;
    } wrong[] = {
        {&cli_cluster_add, {"d"}, "the name of the new node"},
        {&cli_cluster_add, {"d", "h:1", "more"}, "'more' is one word too many"},
        {&cli_cluster_add, {"d d", "h:1"}, "not the name of a node"},
        {&cli_cluster_add, {"", "h:1"}, "not the name of a node"},
        {&cli_cluster_add,
         {"a23456789012345678901234567890123", "h:1"},
         "not the name of a node"},
        {&cli_cluster_add, {"d", "h"}, "not an address and a port"},
        {&cli_cluster_add, {"d", ":1"}, "not an address and a port"},
        {&cli_cluster_add, {"d", "[::1:7"}, "not an address and a port"},
        {&cli_cluster_add, {"d", "::1:7"}, "several colons"},
        {&cli_cluster_add, {"d", "[]:7"}, "no host"},
        {&cli_cluster_add, {"d", "h h:7"}, "no host"},
        {&cli_cluster_add, {"d", "h:0"}, "the port"},
        {&cli_cluster_add, {"d", "h:65536"}, "the port"},
        {&cli_cluster_remove, {NULL}, "that is to leave"},
        {&cli_cluster_replace, {"b", "d"}, "takes its place"},
        {&cli_cluster_set, {NULL}, "what is to be set"},
        {&cli_cluster_set, {"kill=1s"}, "not lease=TIME or tau=TIME"},
        {&cli_cluster_set, {"lease=soon"}, "'lease=soon' is not a time"},
        {&cli_cluster_set, {"lease=0s"}, "is not a time"},
        {&cli_cluster_set, {"lease=1s", "lease=2s"}, "lease is set twice"},
        {&cli_cluster_cancel, {"d"}, "one word too many"},
    };

    reports[0] = STABLE(2, AB, "");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *const *w = wrong[i].words;

        assert_int_equal(run(wrong[i].verb, w[0], w[1], w[2]), CLI_USAGE);
        check_in(complained, wrong[i].why);
        assert_int_equal(told.kind, LIVE_KEY_ADD); /* nothing was */
    }
    options.trial = true;
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_remove, "b", NULL, NULL), CLI_USAGE);
    check_in(complained, "a dry run has nothing to wait for");
}

/* ---- Waiting ------------------------------------------------------------- */

TEST(test_change_is_followed_until_the_new_list)
{
    reports[0] = STABLE(2, AB, "");
    reports[1] = STABLE(2, AB, ", \"asked\": \"add d\"");
    reports[2] = reports[1];
    reports[3] = JOINT(3, AB, ABD);
    reports[4] = STABLE(4, ABD, "");
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_add, "d", "h:1", NULL), 0);
    assert_string_equal(printed, "configuration 4: a, b, d\n");
    check_in(complained, "so be it\nconfiguration 2: a, b\n"
                         "configuration 3, joint: 2 of 2 old heard, 1 of 3 "
                         "new: from a, b to a, b, d; waits for: d to answer\n"
                         "configuration 4: a, b, d\n");
}

/* A time that runs is no news. */
TEST(test_progress_is_told_once)
{
    const char *first;

    reports[0] = STABLE(2, AB, "");
    reports[1] = STABLE(2, AB, ", \"asked\": \"\", \"waits_for\": \"90 ms\"");
    reports[2] = STABLE(2, AB, ", \"asked\": \"\", \"waits_for\": \"8 ms\"");
    reports[3] = STABLE(4, ABD, "");
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_add, "d", "h:1", NULL), 0);
    first = strstr(complained, "waits for: 90 ms\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "waits for"));
}

TEST(test_wait_ends_with_its_time)
{
    reports[0] = STABLE(2, AB, "");
    reports[1] = JOINT(3, AB, ABD);
    options.wait = 1;
    looks = 7;
    assert_int_equal(run(&cli_cluster_add, "d", "h:1", NULL), CLUSTER_LATE);
    check_in(complained, "waits for: d to answer");
}

TEST(test_change_that_was_given_up_is_not_waited_for)
{
    reports[0] = STABLE(2, AB, "");
    reports[1] = STABLE(2, AB, ", \"asked\": \"add d\"");
    reports[2] = STABLE(2, AB, "");
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_add, "d", "h:1", NULL), CLI_SYSTEM);
    check_in(complained, "the change was given up");
    begin(NULL); /* another one was made */
    reports[0] = STABLE(2, AB, "");
    reports[1] = JOINT(3, AB, "\"a\"");
    reports[2] = STABLE(4, "\"a\"", "");
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_add, "d", "h:1", NULL), CLI_SYSTEM);
    check_in(complained, "now there is configuration 4");
}

TEST(test_times_are_waited_for)
{
    reports[0] = STABLE(2, AB, "");
    reports[1] = JOINT(3, AB, AB);
    reports[2] = STABLE(4, AB, "");
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_set, "lease=1s", "tau=25ms", NULL), 0);
    begin(NULL);
    reports[0] = STABLE(2, AB, "");
    reports[1] = STABLE(4, AB, "");
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_set, "lease=2s", NULL, NULL), CLI_SYSTEM);
}

TEST(test_replace_needs_both_halves)
{
    reports[0] = STABLE(2, AB, "");
    reports[1] = STABLE(4, ABD, "");
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_replace, "b", "d", "h:1"), CLI_SYSTEM);
    reports_read = 0;
    reports[1] = STABLE(4, "\"a\"", "");
    assert_int_equal(run(&cli_cluster_replace, "b", "d", "h:1"), CLI_SYSTEM);
    reports_read = 0;
    reports[1] = STABLE(4, "\"a\", \"d\"", "");
    assert_int_equal(run(&cli_cluster_replace, "b", "d", "h:1"), 0);
}

TEST(test_node_that_leaves_may_answer_no_more)
{
    reports[0] = STABLE(2, AB, "");
    reports[1] = "";
    options.wait = 1;
    assert_int_equal(run(&cli_cluster_remove, "a", NULL, NULL), CLI_NO_NODE);
    check_in(complained, "a was to leave");
    reports_read = 0;
    assert_int_equal(run(&cli_cluster_remove, "b", NULL, NULL), CLI_NO_NODE);
    assert_null(strstr(complained, "was to leave"));
}

TEST(test_refusal_is_passed_on)
{
    reports[0] = STABLE(2, ABD, "");
    options.wait = 1;
    answer = CLI_SYSTEM;
    assert_int_equal(run(&cli_cluster_remove, "b", NULL, NULL), CLI_SYSTEM);
    assert_string_equal(printed, "");
}

/* Until then the report is read again: the number of the configuration is that
 * of the moment before the order. */
TEST(test_order_that_is_too_early_is_given_again)
{
    reports[0] = STABLE(2, ABD, "");
    reports[1] = JOINT(3, AB, ABD);
    reports[2] = STABLE(4, ABD, "");
    reports[3] = STABLE(6, "\"a\", \"d\"", "");
    options.wait = 1;
    early = 3;
    assert_int_equal(run(&cli_cluster_remove, "b", NULL, NULL), 0);
    assert_int_equal(tries, 3);
    assert_string_equal(printed, "configuration 6: a, d\n");
    begin(NULL);
    reports[0] = STABLE(2, ABD, "");
    options.wait = 1;
    early = 100;
    looks = 4;
    assert_int_equal(run(&cli_cluster_remove, "b", NULL, NULL), CLUSTER_LATE);
    assert_int_equal(tries, 5);
}

/* An order that is given twice, perhaps at another node, is no mistake. */
TEST(test_what_is_so_already_is_not_ordered)
{
    reports[0] = STABLE(2, "\"a\", \"d\"", "");
    options.witness = true;
    assert_int_equal(run(&cli_cluster_add, "d", "[::1]:4", NULL), 0);
    assert_string_equal(printed, "it is so already: configuration 2: a, d\n");
    assert_int_equal(run(&cli_cluster_remove, "b", NULL, NULL), 0);
    assert_int_equal(run(&cli_cluster_replace, "b", "d", "[::1]:4"), 0);
    assert_int_equal(run(&cli_cluster_set, "lease=1s", NULL, NULL), 0);
    assert_int_equal(tries, 0);
    assert_int_equal(run(&cli_cluster_add, "d", "[::1]:5", NULL), 0);
    assert_int_equal(tries, 1);
    assert_int_equal(run(&cli_cluster_remove, "x", NULL, NULL), 0);
    assert_int_equal(tries, 2);
    options.witness = false;
    assert_int_equal(run(&cli_cluster_add, "d", "[::1]:4", NULL), 0);
    assert_int_equal(tries, 3);
    assert_string_equal(printed, "so be it\n");
}

/* ---- What is printed ----------------------------------------------------- */

TEST(test_members_say_who_is_listed)
{
    reports[0] = STABLE(2, "\"a\", \"d\"", "");
    assert_int_equal(run(&cli_cluster_members, NULL, NULL, NULL), 0);
    assert_string_equal(
        printed, "node             id  listed    heard           address\n"
                 "a                 0  yes       this node       127.0.0.1:1\n"
                 "b                 1  no        never           h:2\n"
                 "c                 2  no        never           h:3\n"
                 "d                 3  witness   12 ms ago       [::1]:4\n"
                 "configuration 2; 60 ids left in this generation\n");
    reports[0] =
        "{\"peers\": [{\"name\": \"e\", \"id\": 4, \"listed\": "
        "\"no\", \"joined\": true, \"heard\": true}, {\"name\": \"f\", \"id\": "
        "5, \"listed\": \"no\"}], \"configuration\": {\"next_id\": 4}}";
    assert_int_equal(run(&cli_cluster_members, NULL, NULL, NULL), 0);
    check_in(printed, "e                 4  waits ");
    check_in(printed, "f                 5  asks ");
    reports[0] = STABLE(2, "\"a\", \"d\"", "");
    options.json = true;
    assert_int_equal(run(&cli_cluster_members, NULL, NULL, NULL), 0);
    check_in(printed, "\"name\":\"b\",\"id\":1,\"listed\":\"no\"");
    assert_null(strstr(printed, "\"link\""));
}

static const char first[] = "# the first\n[cluster]\ntau = 25ms\nlease = 1s\n"
                            "# a\n[node a]\nhost = 127.0.0.1\nport = 1\n\n"
                            "[node b]\nhost = h\nport = 2\n";
static const char later[] = "\n# of May\n[node c]\n# gone\nhost = h\nport = 3\n"
                            "id = 2\n\n# the end\n";

static void write_file(char path[], const char *a, const char *b)
{
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, a, strlen(a)), strlen(a));
    assert_int_equal(write(file, b, strlen(b)), strlen(b));
    close(file);
    options.place.config = path;
}

/* What the file has of later nodes is replaced by what is so; the rest stays as
 * it is, to the byte. */
TEST(test_file_has_the_nodes_that_joined_later)
{
    char path[] = "/tmp/test_live_cluster.XXXXXX", wanted[1024];

    write_file(path, first, later);
    reports[0] = STABLE(2, "\"a\", \"d\"", "");
    options.ini = true;
    assert_int_equal(run(&cli_cluster_show, NULL, NULL, NULL), 0);
    snprintf(wanted, sizeof wanted,
             "%s\n\n[node d]\nhost = ::1\nport = 4\nid = 3\nwitness = yes\n",
             first);
    assert_string_equal(printed, wanted);
    assert_int_equal(run(&cli_cluster_add, "e", "[::2]:5", NULL), 0);
    snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted),
             "\n[node e]\nhost = ::2\nport = 5\nid = 4\n");
    assert_string_equal(printed, wanted);
    assert_int_equal(told.kind, LIVE_KEY_ADD); /* nothing was told */
    unlink(path);
}

TEST(test_file_of_what_cannot_join_is_refused)
{
    char path[] = "/tmp/test_live_cluster.XXXXXX";

    write_file(path, first, "");
    options.ini = true;
    reports[0] = STABLE(2, "\"a\", \"d\"", "");
    assert_int_equal(run(&cli_cluster_add, "b", "h:5", NULL), CLI_SYSTEM);
    check_in(complained, "there is, or was, a node 'b'");
    assert_int_equal(run(&cli_cluster_replace, "b", "e", "h:5"), CLI_SYSTEM);
    check_in(complained, "no node 'b' is in the list");
    assert_int_equal(run(&cli_cluster_add, "-e", "h:5", NULL), CLI_SYSTEM);
    check_in(complained, "is not the name of a node");
    reports[0] = "{" PEERS ", \"configuration\": {\"ids_left\": 0}}";
    assert_int_equal(run(&cli_cluster_add, "e", "h:5", NULL), CLI_SYSTEM);
    check_in(complained, "all 64 ids of this generation are used");
    assert_string_equal(printed, "");
    reports[0] = "{\"generation\": 2, \"configuration\": {\"ids_left\": 1}}";
    assert_int_equal(run(&cli_cluster_add, "e", "h:5", NULL), CLI_SYSTEM);
    check_in(complained, "is of generation 1, and the node runs 2");
    unlink(path);
}

TEST(test_show_says_where_the_file_differs)
{
    char path[] = "/tmp/test_live_cluster.XXXXXX";

    write_file(path, first, "[node d]\nid = 9\nhost = h\nport = 3\n");
    reports[0] = STABLE(4, "\"a\", \"d\"", ", \"waits_for\": \"more\"");
    assert_int_equal(run(&cli_cluster_show, NULL, NULL, NULL), 0);
    check_in(printed, "configuration 4\n"
                      "nodes      a, d\n"
                      "lease      1000 ms\n"
                      "tau        25 ms\n"
                      "ids        60 left in this generation; the next is 4\n"
                      "waits for: more\n");
    check_in(printed, "is of the beginning; since then:\n"
                      "  b is not in the list\n"
                      "  d has id 9 in the file, and 3 in the cluster: remove "
                      "that section\n");
    unlink(path);
}

/* ---- Of their lists in one line ------------------------------------------ */

TEST(test_reports_without_a_configuration_have_one_list)
{
    json_t *o = json_loads("{\"nodes\": 5, \"majority\": 3, \"heard\": "
                           "[\"a\", \"b\"]}",
                           0, NULL);
    struct status_lists l = status_lists(o);
    char text[LIVE_REASON_MAX];

    assert_false(status_has_majority(&l));
    assert_string_equal(status_heard(&l, text), "2 of 5 nodes");
    assert_string_equal(status_needs(&l, text), "3");
    json_decref(o);
}

#define CLUSTER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLUSTER_TEST(test_orders_are_as_the_letter_says),
        CLUSTER_TEST(test_words_that_mean_nothing_are_refused),
        CLUSTER_TEST(test_change_is_followed_until_the_new_list),
        CLUSTER_TEST(test_progress_is_told_once),
        CLUSTER_TEST(test_wait_ends_with_its_time),
        CLUSTER_TEST(test_change_that_was_given_up_is_not_waited_for),
        CLUSTER_TEST(test_times_are_waited_for),
        CLUSTER_TEST(test_replace_needs_both_halves),
        CLUSTER_TEST(test_node_that_leaves_may_answer_no_more),
        CLUSTER_TEST(test_refusal_is_passed_on),
        CLUSTER_TEST(test_order_that_is_too_early_is_given_again),
        CLUSTER_TEST(test_what_is_so_already_is_not_ordered),
        CLUSTER_TEST(test_members_say_who_is_listed),
        CLUSTER_TEST(test_file_has_the_nodes_that_joined_later),
        CLUSTER_TEST(test_file_of_what_cannot_join_is_refused),
        CLUSTER_TEST(test_show_says_where_the_file_differs),
        CLUSTER_TEST(test_reports_without_a_configuration_have_one_list),
    };

    return cmocka_run_group_tests_name("live_cluster", tests, NULL, NULL);
}
