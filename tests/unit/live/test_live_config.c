/*
 * test_live_config.c - the file of a cluster: what it says, and what is said of
 * one that is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/config/config.h"
#include "tests/unit/kit/testing.h"

#define TWO_NODES                                                              \
    "[node north]\nhost = 127.0.0.1\nport = 7401\n"                            \
    "[node south]\nhost = ::1\nport = 7402\n"

static struct live_config config;
static struct net_why error;

static bool parse(const char *text)
{
    return live_config_parse(&config, "etc/c.ini", text, strlen(text), &error);
}

static void check_parses(const char *text)
{
    if (!parse(text))
        fail_msg("%s", error.text);
}

/* Refused, with this line and these words. */
static void check_refused(const char *text, int line, const char *words)
{
    char place[32];

    snprintf(place, sizeof place, "etc/c.ini:%d: ", line);
    if (parse(text))
        fail_msg("accepted: %s", text);
    if (strncmp(error.text, place, strlen(place)) != 0 ||
        !strstr(error.text, words))
        fail_msg("expected %s...%s..., got %s", place, words, error.text);
    assert_non_null(strchr(error.text, ';')); /* a remedy follows */
}

/* ---- What it says -------------------------------------------------------- */

/* Times that a busy machine keeps. */
TEST(test_defaults_work)
{
    check_parses(TWO_NODES);
    assert_int_equal(config.tau, 100000);
    assert_int_equal(config.lease, 2000000);
    assert_int_equal(config.kill, 200000);
    assert_int_equal(config.delay, 50000);
    assert_int_equal(config.generation, 1);
    assert_int_equal(config.silence, 0);
    assert_int_equal(config.spread_ppm, 2000);
    assert_string_equal(config.key_file, "etc/cluster.key");
}

/* Killing may take a tenth of the lease, unless the file says otherwise. */
TEST(test_kill_follows_the_lease)
{
    check_parses("[cluster]\nlease = 5s\n" TWO_NODES);
    assert_int_equal(config.kill, 500000);
    check_parses("[cluster]\nkill = 30ms\nlease = 5s\n" TWO_NODES);
    assert_int_equal(config.kill, 30000);
}

/* The quiet time is measured in two parts, each of which may lose a step. */
TEST(test_quiet_time_outlasts_any_lease)
{
    check_parses("[cluster]\nlease = 998ms\n" TWO_NODES);
    assert_int_equal(live_config_quiet(&config), 1000000 + 2);
    check_parses("[cluster]\nlease = 2s\nspread = 0ppm\n" TWO_NODES);
    assert_int_equal(live_config_quiet(&config), 2000000 + 2);
}

/* P5: it is part of what must be the same everywhere. */
TEST(test_generation)
{
    static const char *const wrong[] = {"0", "128", "-1", "one", "2x", ""};
    char text[256];
    uint64_t hash;

    check_parses(TWO_NODES);
    hash = config.hash;
    check_parses("[cluster]\ngeneration = 1\n" TWO_NODES);
    assert_true(config.hash == hash);
    check_parses("[cluster]\ngeneration = 127\n" TWO_NODES);
    assert_int_equal(config.generation, 127);
    assert_true(config.hash != hash);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        snprintf(text, sizeof text, "[cluster]\ngeneration = %s\n" TWO_NODES,
                 wrong[i]);
        check_refused(text, 2, "1..127");
    }
}

TEST(test_nodes_are_numbered_in_the_order_of_the_file)
{
    check_parses(TWO_NODES);
    assert_int_equal(config.nodes_count, 2);
    assert_int_equal(live_config_find(&config, "north"), 0);
    assert_int_equal(live_config_find(&config, "south"), 1);
    assert_int_equal(live_config_find(&config, "east"), -1);
    assert_string_equal(config.nodes[1].host, "::1");
    assert_int_equal(config.nodes[1].port, 7402);
}

TEST(test_times_have_units)
{
    check_parses("[cluster]\ntau = 500us\nlease=2s ; a comment\nkill = 30 ms\n"
                 "delay = 4ms\nsilence = 3s\nspread = 1000ppm\n" TWO_NODES);
    assert_int_equal(config.tau, 500);
    assert_int_equal(config.lease, 2000000);
    assert_int_equal(config.kill, 30000);
    assert_int_equal(config.delay, 4000);
    assert_int_equal(config.silence, 3000000);
    assert_int_equal(config.spread_ppm, 1000);
}

TEST(test_files_lie_beside_the_configuration)
{
    char path[LIVE_PATH_MAX];

    check_parses("[cluster]\nkey=/k\nstate=s\nsocket=run/%i.s\n" TWO_NODES);
    assert_string_equal(config.key_file, "/k");
    assert_string_equal(config.state, "etc/s");
    live_config_socket(&config, 1, path);
    assert_string_equal(path, "etc/run/south.s");
}

/* Whom the daemon becomes; of no weight for the others. */
TEST(test_user)
{
    check_parses("[cluster]\nuser = fulcrum\n" TWO_NODES);
    assert_string_equal(config.user, "fulcrum");
    check_refused("[cluster]\nuser =\n" TWO_NODES, 2, "not the name of a user");
    check_refused(
        "[cluster]\nuser = a123456789b123456789c123456789d1\n" TWO_NODES, 2,
        "not the name of a user");
}

/* A witness helps others to a majority; all must agree on the witness. */
TEST(test_witness)
{
    uint64_t hash;

    check_parses(TWO_NODES);
    hash = config.hash;
    check_parses(TWO_NODES "witness = no\n");
    assert_false(config.nodes[1].witness);
    assert_true(config.hash == hash);
    check_parses(TWO_NODES "witness = yes\n");
    assert_true(config.nodes[1].witness);
    assert_false(config.nodes[0].witness);
    assert_true(config.hash != hash);
    check_refused(TWO_NODES "witness = maybe\n", 7, "yes or no");
    check_refused("[node a]\nhost=h\nport=1\nwitness=yes\n[node b]\nhost=h\n"
                  "port=2\nwitness=yes\n",
                  8, "all nodes are witnesses");
}

/* Lines may end as on other systems, and the last one not at all. */
TEST(test_line_ends_do_not_matter)
{
    check_parses("[node a]\r\nhost = h\r\nport = 1\r\n\r\n"
                 "[node b]\r\nhost = g\r\nport = 2");
    assert_string_equal(config.nodes[0].host, "h");
    assert_int_equal(config.nodes[1].port, 2);
}

/* Names, their order and three times count; addresses and speed do not. */
TEST(test_hash_is_of_what_must_be_the_same)
{
    static const char *const others[] = {
        "[node north]\nhost=a\nport=1\n[node south]\nhost=a\nport=2\n"
        "[node west]\nhost=a\nport=3\n",
        "[node south]\nhost=a\nport=1\n[node north]\nhost=a\nport=2\n",
        "[node northsouth]\nhost=a\nport=1\n[node x]\nhost=a\nport=2\n",
        "[cluster]\ntau = 9ms\n" TWO_NODES,
        "[cluster]\nlease = 2001ms\n" TWO_NODES,
        "[cluster]\nspread = 2001ppm\n" TWO_NODES,
    };
    uint64_t hash;

    check_parses(TWO_NODES);
    hash = config.hash;
    assert_true(hash != 0);
    for (size_t i = 0; i < COUNT(others); i++) {
        check_parses(others[i]);
        assert_true(config.hash != hash);
    }
    check_parses("[cluster]\ndelay=9ms\nkill=5ms\nkey=x\nsocket=%i\n"
                 "[node north]\nhost=a\nport=1\n[node south]\nhost=a\n"
                 "port=2\n");
    assert_true(config.hash == hash);
}

/* ---- What is wrong with it ----------------------------------------------- */

TEST(test_errors_name_line_and_remedy)
{
    check_refused("", 0, "no nodes");
    check_refused("[node a]\nhost=a\nport=1\n", 3, "one node");
    check_refused("tau = 1ms\n", 1, "before any section");
    check_refused("[cluster]\n\ncolour = red\n", 3, "no 'colour'");
    check_refused("[claster]\ntau = 1ms\n", 1, "no section [claster]");
    check_refused("[cluster]\nnonsense\n" TWO_NODES, 2, "neither");
    check_refused("[cluster\ntau = 1ms\n" TWO_NODES, 1, "no ']'");
    check_refused("[cluster]\ntau = 9ms\ntau = 9ms\n", 3,
                  "already set in line 2");
    check_parses("[cluster]\n" TWO_NODES);
    check_refused("[claster]\n" TWO_NODES, 1, "empty");
    check_refused(TWO_NODES "[node east]\n", 7, "empty");
}

TEST(test_wrong_times_are_refused)
{
    static const char *const wrong[] = {
        "10",   "ms",   "-1ms", "1.5ms",  "10 minutes",           "1001s",
        "0x1s", "1mss", "",     "10ms,1", "99999999999999999999s"};
    char text[256];

    for (size_t i = 0; i < COUNT(wrong); i++) {
        snprintf(text, sizeof text, "[cluster]\n# so\nlease = %s\n" TWO_NODES,
                 wrong[i]);
        check_refused(text, 3, "is not a time");
    }
    check_refused("[cluster]\nspread=1%\n" TWO_NODES, 2, "millionths");
    check_refused("[cluster]\nspread=500001ppm\n" TWO_NODES, 2, "millionths");
    check_refused("[cluster]\nspread = 2000\n" TWO_NODES, 2,
                  "their unit, such as 2000ppm");
    check_parses("[cluster]\nspread = 2000 ppm\n" TWO_NODES);
}

/* K2: within `kill` a command must be dead. */
TEST(test_no_time_to_kill_is_refused)
{
    static const char *const wrong[] = {"0ms", "0s", "1us", "999us"};
    char text[256];

    for (size_t i = 0; i < COUNT(wrong); i++) {
        snprintf(text, sizeof text, "[cluster]\nkill = %s\n" TWO_NODES,
                 wrong[i]);
        check_refused(text, 2, "make it at least 1ms");
        snprintf(text, sizeof text,
                 "[cluster]\nkill = %s\nmode = silence\nbounds = hard\n"
                 "dmax = 5ms\nstep = 10ms\n" TWO_NODES,
                 wrong[i]);
        check_refused(text, 2, "make it at least 1ms");
    }
    check_parses("[cluster]\nkill = 1ms\n" TWO_NODES);
}

/* A group without permissions has them; and neither goes without the other. */
TEST(test_who_may_be_a_client)
{
    check_parses(TWO_NODES);
    assert_string_equal(config.group, "");
    assert_int_equal(config.permissions, 0600);
    check_parses("[cluster]\ngroup = locks\n" TWO_NODES);
    assert_string_equal(config.group, "locks");
    assert_int_equal(config.permissions, 0660);
    check_parses("[cluster]\npermissions = 0660\ngroup = locks\n" TWO_NODES);
    check_parses("[cluster]\npermissions = 0666\n" TWO_NODES);
    assert_int_equal(config.permissions, 0666);
    check_refused("[cluster]\npermissions = 0660\n" TWO_NODES, 2, "name it");
    check_refused("[cluster]\ngroup = locks\npermissions = 0600\n" TWO_NODES, 3,
                  "no difference");
    check_refused("[cluster]\ngroup = locks\npermissions = 0666\n" TWO_NODES, 3,
                  "no difference");
    check_refused("[cluster]\npermissions = 0777\n" TWO_NODES, 2, "write 0600");
    check_refused("[cluster]\npermissions = 660\n" TWO_NODES, 2, "write 0600");
    check_refused("[cluster]\ngroup =\n" TWO_NODES, 2, "name of a group");
    check_refused(
        "[cluster]\ngroup = a-name-of-more-than-thirty-one-bytes\n" TWO_NODES,
        2, "name of a group");
}

/* Nobody could ever hold a lock. */
TEST(test_times_that_cannot_work_are_refused)
{
    check_refused("[cluster]\ntau = 10ms\ndelay = 15ms\nkill = 10ms\n"
                  "lease = 59ms\n" TWO_NODES,
                  5, "at least 61ms");
    check_parses("[cluster]\ntau = 10ms\ndelay = 15ms\nkill = 10ms\n"
                 "lease = 60041us\n" TWO_NODES);
    check_refused("[cluster]\nlease = 59ms\n" TWO_NODES, 2, "at least 334ms");
    check_parses("[cluster]\nlease = 333779us\n" TWO_NODES);
    check_refused("[cluster]\nkill = 2s\n" TWO_NODES, 2,
                  "kill = 2s leaves nothing of a lease of 2s");
    check_refused("[cluster]\ntau = 0s\n" TWO_NODES, 2, "100us..10s");
    check_refused("[cluster]\nsilence=20ms\n" TWO_NODES, 2, "silence");
}

#define HARD "bounds = hard\ndmax = 5ms\nstep = 10ms\n"

TEST(test_silence_says_what_it_rests_on)
{
    uint64_t proven;

    check_parses("[cluster]\nmode = proven\n" TWO_NODES);
    assert_int_equal(config.mode, LIVE_PROVEN);
    proven = config.hash;
    check_parses("[cluster]\nmode = silence\n" HARD TWO_NODES);
    assert_int_equal(config.mode, LIVE_SILENCE);
    assert_int_equal(config.dmax, 5000);
    assert_int_equal(config.step, 10000);
    assert_false(config.early);
    assert_true(config.hash != proven);
    proven = config.hash;
    check_parses("[cluster]\nmode = silence\nwindow = early\n" HARD TWO_NODES);
    assert_true(config.early);
    assert_true(config.hash == proven); /* each node may have its own */
    check_parses("[cluster]\nmode = silence\nbounds = hard\ndmax = 6ms\n"
                 "step = 10ms\n" TWO_NODES);
    assert_true(config.hash != proven);
    check_parses("[cluster]\nmode = silence\nbounds = hard\ndmax = 5ms\n"
                 "step = 11ms\n" TWO_NODES);
    assert_true(config.hash != proven);
}

/* A word is missing, or says nothing. */
TEST(test_silence_without_hard_bounds_is_refused)
{
    static const struct {
        const char *text;
        int line;
        const char *words;
    } cases[] = {
        {"mode = silence\n", 2, "bounds = hard"},
        {"mode = silence\nbounds = hard\ndmax = 5ms\n", 2, "cannot reach"},
        {"mode = silence\nbounds = hard\nstep = 5ms\n", 2, "mode = proven"},
        {"mode = silence\ndmax = 5ms\nstep = 5ms\n", 2, "bounds = hard"},
        {"mode = silence\nbounds = soft\n", 3, "the only word"},
        {"mode = silent\n", 2, "no mode"},
        {HARD "mode = silence\nwindow = short\n", 6, "early"},
        {"mode = silence\nbounds = hard\ndmax = 0ms\nstep = 5ms\n", 4, "dmax"},
        {"mode = silence\nbounds = hard\ndmax = 1ms\nstep = 0us\n", 5, "step"},
        {"lease = 33ms\nmode = silence\n" HARD, 2, "34ms"},
        {"lease = 39ms\nkill = 10ms\nmode = silence\n" HARD, 2, "40ms"},
        {"bounds = hard\n", 2, "mode = silence"},
        {"dmax = 5ms\n", 2, "mode = silence"},
        {"step = 5ms\n", 2, "mode = silence"},
        {"window = full\n", 2, "mode = silence"},
    };

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        char text[512];

        snprintf(text, sizeof text, "[cluster]\n%s" TWO_NODES, cases[i].text);
        check_refused(text, cases[i].line, cases[i].words);
    }
}

TEST(test_wrong_nodes_are_refused)
{
    check_refused("[node a]\nport=1\n[node b]\nhost=h\nport=2\n", 1, "no host");
    check_refused("[node b]\nhost=h\nport=2\n[node a]\nhost=1\n", 4, "no port");
    check_refused("[node a]\nhost=h\nport=0\n", 3, "1..65535");
    check_refused("[node a]\nhost=h\nport=65536\n", 3, "1..65535");
    check_refused("[node a]\nhost=h\nport=7x\n", 3, "1..65535");
    check_refused("[node a]\nhost=[::1]\n", 2, "brackets");
    check_refused("[node a]\nhost=h\nhost=g\n", 3, "already");
    check_refused("[node a]\nhost=h\ncolour=red\n", 3, "host and port");
    check_refused("[node ../x]\nhost=h\n", 1, "not the name");
    check_refused("[node .x]\nhost=h\n", 1, "not the name");
    check_refused("[node a b]\nhost=h\n", 1, "not the name");
    check_refused("[node ]\nhost=h\n", 1, "not ");
    check_refused(TWO_NODES "[node north]\nhost=h\nport=3\n", 7,
                  "already defined in line 1");
    check_refused("[node a]\nhost=h\nport=1\n[node b]\nhost=h\nport=1\n", 4,
                  "same host and port");
    check_refused("[node abcdefghijabcdefghijabcdefghijxy]\nhost=h\n", 1,
                  "not the name");
}

TEST(test_more_nodes_than_a_list_may_have_are_refused)
{
    char text[4096];
    size_t used = 0;

    for (int i = 0; i < LIVE_FIRST_MAX + 1; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "[node n%d]\nhost=h\nport=%d\n", i, 1 + i);
    check_refused(text, 3 * LIVE_FIRST_MAX + 1, "more than 31");
}

/* Its sites have room for fewer. */
TEST(test_mode_silence_has_fewer_nodes)
{
    char text[2048] = "[cluster]\nmode = silence\n" HARD;
    size_t used = strlen(text);

    for (int i = 0; i < LIVE_SILENCE_MAX + 1; i++) {
        if (i == LIVE_SILENCE_MAX)
            check_parses(text);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "[node n%d]\nhost=h\nport=%d\n", i, 1 + i);
    }
    check_refused(text, 6 + 3 * LIVE_SILENCE_MAX, "at most 16");
}

/* ---- Nodes that joined later --------------------------------------------- */

/* An id names a node for ever: there may be gaps, wherever its section is. */
TEST(test_nodes_that_joined_later_have_ids)
{
    uint64_t hash;

    check_parses(TWO_NODES);
    hash = config.hash;
    assert_int_equal(config.first_count, 2);
    check_parses(
        "[node late]\nhost = h\nport = 1\nid = 5\nwitness = yes\n" TWO_NODES
        "[node last]\nid = 63\nhost = i\nport = 7402\n");
    assert_int_equal(config.first_count, 2);
    assert_int_equal(config.nodes_count, 64);
    assert_int_equal(live_config_find(&config, "north"), 0);
    assert_int_equal(live_config_find(&config, "south"), 1);
    assert_int_equal(live_config_find(&config, "late"), 5);
    assert_int_equal(live_config_find(&config, "last"), 63);
    assert_int_equal(live_config_find(&config, ""), -1);
    assert_true(config.nodes[5].witness);
    assert_true(live_config_knows(&config, 5));
    assert_false(live_config_knows(&config, 2));
    assert_false(live_config_knows(&config, 64));
    assert_true(config.hash == hash); /* it is of the first list */
    check_parses(TWO_NODES "[node a]\nhost=h\nport=1\nid=2\n");
    assert_int_equal(config.nodes_count, 3);
}

/* One that has left may have had the address of one that joined. */
TEST(test_address_is_given_on)
{
    check_parses(TWO_NODES "[node a]\nhost=127.0.0.1\nport=7401\nid=2\n");
    check_parses("[cluster]\nsocket = s\n" TWO_NODES
                 "[node a]\nhost = ::1\nport = 9\nid = 2\n");
}

TEST(test_wrong_ids_are_refused)
{
    static const char *const wrong[] = {"64", "-1", "x", "3x", ""};
    char text[512];

    for (size_t i = 0; i < COUNT(wrong); i++) {
        snprintf(text, sizeof text,
                 TWO_NODES "[node a]\nhost=h\nport=1\nid=%s\n", wrong[i]);
        check_refused(text, 10, "up to 63");
    }
    check_refused(TWO_NODES "[node a]\nhost=h\nport=1\nid=1\n", 7,
                  "at least 2");
    check_refused(TWO_NODES "[node a]\nhost=h\nport=1\nid=2\nid=3\n", 11,
                  "has a id already");
    check_refused("[node a]\nhost=h\nport=1\nid=3\n" TWO_NODES
                  "[node b]\nhost=i\nport=1\nid=3\n",
                  11, "same id, 3");
    check_refused("[node a]\nhost=h\nport=1\n"
                  "[node b]\nhost=i\nport=1\nid=3\n",
                  7, "one node only");
    check_refused("[node a]\nhost=h\nport=1\nwitness=yes\n"
                  "[node b]\nhost=i\nport=1\nwitness=yes\n"
                  "[node c]\nhost=j\nport=1\nid=3\n",
                  12, "all nodes are witnesses");
    check_refused(
        "[cluster]\nmode=silence\nbounds=hard\ndmax=5ms\nstep=10ms\n" TWO_NODES
        "[node a]\nhost=h\nport=1\nid=3\n",
        12, "nobody joins later");
}

TEST(test_paths_that_are_too_long_are_refused)
{
    char text[1024], path[300];

    memset(path, 'x', 120);
    path[120] = 0;
    snprintf(text, sizeof text, "[cluster]\nsocket=%s%%i\n" TWO_NODES, path);
    check_refused(text, 2, "107 bytes");
    memset(path, 'x', 250);
    path[250] = 0;
    snprintf(text, sizeof text, "[cluster]\nstate=%s\n" TWO_NODES, path);
    check_refused(text, 2, "longer than");
    check_refused("[cluster]\nkey=\n" TWO_NODES, 2, "no file");
    check_refused("[cluster]\nsocket=s\n[node a]\nhost=h\nport=1\n"
                  "[node b]\nhost=h\nport=2\n",
                  2, "%i");
}

TEST(test_bytes_that_are_no_text_are_refused)
{
    static const char zero[] = "[cluster]\nta\0u = 1ms\n" TWO_NODES;

    assert_false(
        live_config_parse(&config, "c", zero, sizeof zero - 1, &error));
    assert_non_null(strstr(error.text, "c:2: there is a zero byte"));
}

/* Random damage is refused or read, and nothing else. */
TEST(test_damaged_text_does_no_harm)
{
    static const char good[] =
        "[cluster]\ntau = 10ms\nlease = 200ms\nsocket = %i\n" TWO_NODES;
    struct dice dice = {1};

    for (uint32_t round = 0; round < rounds(20000); round++) {
        char text[sizeof good];

        memcpy(text, good, sizeof text);
        for (uint32_t i = throw_below(&dice, 4); i < 5; i++)
            text[throw_below(&dice, sizeof text - 1)] =
                (char)throw_below(&dice, 256);
        if (live_config_parse(&config, "c", text,
                              throw_below(&dice, sizeof text), &error))
            assert_true(config.nodes_count >= 2);
        else
            assert_int_equal(strncmp(error.text, "c:", 2), 0);
    }
}

/* ---- The key ------------------------------------------------------------- */

static char folder[] = "/tmp/fulcrum-config-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
    static char path[2][64];
    static int turn;

    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(in_folder("key"));
    unlink(in_folder("c.ini"));
    return rmdir(folder);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

TEST(test_key_is_made_once_for_its_owner_alone)
{
    uint8_t key[LIVE_KEY_BYTES] = {0}, again[LIVE_KEY_BYTES] = {0};
    static const uint8_t zero[LIVE_KEY_BYTES];
    struct stat is;

    unlink(in_folder("key"));
    assert_true(live_key_create(in_folder("key"), &error));
    assert_int_equal(stat(in_folder("key"), &is), 0);
    assert_int_equal(is.st_mode & 07777, 0600);
    assert_true(live_key_read(key, in_folder("key"), &error));
    assert_true(memcmp(key, zero, sizeof key) != 0);
    assert_false(live_key_create(in_folder("key"), &error));
    assert_non_null(strstr(error.text, "already"));
    assert_true(live_key_read(again, in_folder("key"), &error));
    assert_memory_equal(key, again, sizeof key);
}

TEST(test_key_that_others_can_read_is_refused)
{
    static const mode_t modes[] = {0640, 0604, 0620, 0602, 0610, 0666};
    uint8_t key[LIVE_KEY_BYTES];

    unlink(in_folder("key"));
    assert_true(live_key_create(in_folder("key"), &error));
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(chmod(in_folder("key"), modes[i]), 0);
        assert_false(live_key_read(key, in_folder("key"), &error));
        assert_non_null(strstr(error.text, "chmod 600"));
    }
    assert_int_equal(chmod(in_folder("key"), 0400), 0);
    assert_true(live_key_read(key, in_folder("key"), &error));
}

TEST(test_what_is_no_key_is_refused)
{
    static const char digits[] = "00112233445566778899aabbccddeeff"
                                 "00112233445566778899aabbccddeeff";
    uint8_t key[LIVE_KEY_BYTES];
    char text[80];

    for (size_t size = 0; size <= 64; size++) {
        snprintf(text, sizeof text, "%.*s", (int)size, digits);
        write_file(in_folder("key"), text, 0600);
        assert_int_equal(live_key_read(key, in_folder("key"), &error),
                         size == 64);
    }
    snprintf(text, sizeof text, "%s\n\n", digits);
    write_file(in_folder("key"), text, 0600);
    assert_false(live_key_read(key, in_folder("key"), &error));
    snprintf(text, sizeof text, "%s", digits);
    text[7] = 'g';
    write_file(in_folder("key"), text, 0600);
    assert_false(live_key_read(key, in_folder("key"), &error));
    assert_false(live_key_read(key, folder, &error));
    assert_false(live_key_read(key, "/nowhere/key", &error));
    assert_non_null(strstr(error.text, "fulcrum keygen"));
}

/* R8: while a key is exchanged there are two, in the order of their age. */
TEST(test_two_keys_are_read)
{
    uint8_t key[LIVE_KEY_BYTES];

    unlink(in_folder("key"));
    unlink(in_folder("next"));
    check_parses("[cluster]\nkey = /k\nkey = /l\n" TWO_NODES);
    assert_string_equal(config.key_file, "/k");
    assert_string_equal(config.new_key_file, "/l");
    check_parses("[cluster]\nkey = /k\n" TWO_NODES);
    assert_string_equal(config.new_key_file, "");
    check_refused("[cluster]\nkey = a\nkey = b\nkey = c\n" TWO_NODES, 4,
                  "remove the oldest, in line 2");
    write_file(in_folder("c.ini"),
               "[cluster]\nkey = key\nkey = next\n" TWO_NODES, 0644);
    assert_true(live_key_create(in_folder("key"), &error));
    assert_false(live_config_read(&config, in_folder("c.ini"), &error));
    assert_non_null(strstr(error.text, "/next: No such file"));
    assert_true(live_key_create(in_folder("next"), &error));
    assert_true(live_config_read(&config, in_folder("c.ini"), &error));
    assert_true(live_key_read(key, in_folder("next"), &error));
    assert_memory_equal(config.new_key, key, sizeof key);
    assert_memory_not_equal(config.key, key, sizeof key);
    write_file(in_folder("c.ini"),
               "[cluster]\nkey = key\nkey = key\n" TWO_NODES, 0644);
    assert_false(live_config_read(&config, in_folder("c.ini"), &error));
    assert_non_null(strstr(error.text, "are the same key"));
    unlink(in_folder("next"));
    unlink(in_folder("key"));
}

/* From an open file, wherever its reader stands. */
TEST(test_key_is_taken_from_an_open_file)
{
    uint8_t key[LIVE_KEY_BYTES], again[LIVE_KEY_BYTES];
    int file, pipes[2];

    assert_true(live_key_create(in_folder("key"), &error));
    file = open(in_folder("key"), O_RDONLY);
    assert_true(live_key_take(key, file, "it", &error));
    assert_int_equal(lseek(file, 20, SEEK_SET), 20);
    assert_true(live_key_take(again, file, "it", &error));
    assert_memory_equal(key, again, sizeof key);
    assert_int_equal(fchmod(file, 0640), 0);
    assert_false(live_key_take(key, file, "it", &error));
    assert_non_null(strstr(error.text, "it: others can read"));
    close(file);
    assert_int_equal(pipe(pipes), 0);
    assert_false(live_key_take(key, pipes[0], "it", &error));
    assert_non_null(strstr(error.text, "not a regular file"));
    close(pipes[0]);
    close(pipes[1]);
    unlink(in_folder("key"));
}

TEST(test_file_is_read_with_its_key)
{
    static const uint8_t none[LIVE_KEY_BYTES];
    uint8_t key[LIVE_KEY_BYTES];

    unlink(in_folder("key"));
    write_file(in_folder("c.ini"), "[cluster]\nkey = key\n" TWO_NODES, 0644);
    assert_true(live_config_load(&config, in_folder("c.ini"), &error));
    assert_false(live_config_read(&config, in_folder("c.ini"), &error));
    assert_non_null(strstr(error.text, "/key: No such file"));
    assert_true(live_key_create(in_folder("key"), &error));
    assert_true(live_config_read(&config, in_folder("c.ini"), &error));
    assert_true(live_key_read(key, in_folder("key"), &error));
    assert_memory_equal(config.key, key, sizeof key);
    /* A client does without. */
    assert_true(live_config_load(&config, in_folder("c.ini"), &error));
    assert_memory_equal(config.key, none, sizeof none);
    assert_false(live_config_read(&config, "/nowhere/c", &error));
    assert_false(live_config_read(&config, "/", &error));
    assert_false(live_config_read(&config, "/dev/zero", &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_work),
        cmocka_unit_test(test_kill_follows_the_lease),
        cmocka_unit_test(test_quiet_time_outlasts_any_lease),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_nodes_are_numbered_in_the_order_of_the_file),
        cmocka_unit_test(test_times_have_units),
        cmocka_unit_test(test_files_lie_beside_the_configuration),
        cmocka_unit_test(test_user),
        cmocka_unit_test(test_witness),
        cmocka_unit_test(test_line_ends_do_not_matter),
        cmocka_unit_test(test_hash_is_of_what_must_be_the_same),
        cmocka_unit_test(test_errors_name_line_and_remedy),
        cmocka_unit_test(test_wrong_times_are_refused),
        cmocka_unit_test(test_no_time_to_kill_is_refused),
        cmocka_unit_test(test_who_may_be_a_client),
        cmocka_unit_test(test_times_that_cannot_work_are_refused),
        cmocka_unit_test(test_silence_says_what_it_rests_on),
        cmocka_unit_test(test_silence_without_hard_bounds_is_refused),
        cmocka_unit_test(test_wrong_nodes_are_refused),
        cmocka_unit_test(test_more_nodes_than_a_list_may_have_are_refused),
        cmocka_unit_test(test_mode_silence_has_fewer_nodes),
        cmocka_unit_test(test_nodes_that_joined_later_have_ids),
        cmocka_unit_test(test_address_is_given_on),
        cmocka_unit_test(test_wrong_ids_are_refused),
        cmocka_unit_test(test_paths_that_are_too_long_are_refused),
        cmocka_unit_test(test_bytes_that_are_no_text_are_refused),
        cmocka_unit_test(test_damaged_text_does_no_harm),
        cmocka_unit_test(test_key_is_made_once_for_its_owner_alone),
        cmocka_unit_test(test_key_that_others_can_read_is_refused),
        cmocka_unit_test(test_what_is_no_key_is_refused),
        cmocka_unit_test(test_two_keys_are_read),
        cmocka_unit_test(test_key_is_taken_from_an_open_file),
        cmocka_unit_test(test_file_is_read_with_its_key),
    };

    return cmocka_run_group_tests_name("live_config", tests, make_folder,
                                       remove_folder);
}
