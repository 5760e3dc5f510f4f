/*
 * test_live_names.c - peers whose names have no address yet, or another one
 * later: the system's resolver is replaced by one that knows what it is told.
 */
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>

#include "tests/unit/kit/links.h"

static const char name[] = "late.example";
static _Atomic int asked;     /* for that name */
static _Atomic bool is_known; /* it has an address now */

/* libc's, but for one name. */
int getaddrinfo(const char *restrict host, const char *restrict port,
                const struct addrinfo *restrict wished,
                struct addrinfo **restrict found)
{
    int (*real)(const char *, const char *, const struct addrinfo *,
                struct addrinfo **);

    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (strcmp(host, name) != 0)
        return real(host, port, wished, found);
    if (wished->ai_flags & AI_NUMERICHOST)
        return EAI_NONAME;
    asked++;
    return is_known ? real("127.0.0.1", port, wished, found) : EAI_AGAIN;
}

static void run_until(bool (*is_so)(void))
{
    for (uint32_t tries = 0; tries < 2000 && !is_so(); tries++)
        run_for(5);
    assert_true(is_so());
}

static bool was_asked(void)
{
    return asked > 0;
}

static bool knows_trouble(void)
{
    char words[LIVE_TROUBLE_WORDS];
    const char *trouble = live_links_trouble(node[0], 1, words);

    return trouble && strstr(trouble, "without an address");
}

static bool is_heard(void)
{
    say(0, 1, 1);
    say(1, 0, 2);
    return inbox[0].count && inbox[1].count;
}

/* The node starts without it, says so, and finds it when it is there. */
TEST(test_unknown_name_keeps_nobody_from_starting)
{
    asked = 0;
    is_known = false;
    start(1, 1);
    strcpy(config.nodes[1].host, name);
    start(0, 1);
    start(2, 1);
    assert_int_equal(asked, 0); /* nobody was waited for */
    introduce(0, 2);
    run_until(was_asked);
    run_until(knows_trouble);
    say(0, 1, 7);
    assert_true(count(0, 1)->dropped > 0);
    is_known = true;
    run_until(is_heard);
    assert_true(asked > 1);
}

/* A name server that is asked just now does not keep the links from closing. */
TEST(test_links_close_while_a_name_is_looked_up)
{
    asked = 0;
    is_known = true;
    strcpy(config.nodes[1].host, name);
    for (uint32_t round = 0; round < 50; round++) {
        start(0, round + 1);
        uv_run(&loop, UV_RUN_NOWAIT);
        stop(0);
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    run_until(was_asked);
}

/* In mode silence a node out of reach would be taken for dead. */
TEST(test_mode_silence_wants_all_addresses)
{
    is_known = false;
    config.mode = LIVE_SILENCE;
    strcpy(config.nodes[1].host, name);
    assert_null(
        live_links_open(&loop, &config, 0, 1, on_receive, NULL, &error));
    assert_non_null(strstr(error.text, "has no address"));
}

/* Its own name must be there in any mode. */
TEST(test_own_name_must_be_known)
{
    is_known = false;
    strcpy(config.nodes[0].host, name);
    assert_null(
        live_links_open(&loop, &config, 0, 1, on_receive, NULL, &error));
    assert_non_null(strstr(error.text, "node 'n0'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(test_unknown_name_keeps_nobody_from_starting),
        LINK_TEST(test_links_close_while_a_name_is_looked_up),
        LINK_TEST(test_mode_silence_wants_all_addresses),
        LINK_TEST(test_own_name_must_be_known),
    };

    return cmocka_run_group_tests_name("live_names", tests, NULL, NULL);
}
