/*
 * The server of the page: which requests it takes, and for which file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/kit/test.h"
#include "web/serve/request.h"

enum { PORT = 8080 };

static enum serve_status ask(struct serve_request *r, const char *text)
{
    return serve_read(r, text, strlen(text), PORT);
}

/* "GET PATH" of ourselves. */
static enum serve_status get(struct serve_request *r, const char *path)
{
    char text[SERVE_REQUEST_MAX];

    snprintf(text, sizeof text,
             "GET %s HTTP/1.1\r\nHost: localhost:8080\r\n\r\n", path);
    return ask(r, text);
}

static void test_files_are_named(void **state)
{
    struct serve_request r;

    (void)state;
    assert_int_equal(get(&r, "/"), SERVE_OK);
    assert_string_equal(r.path, "index.html");
    assert_false(r.head);
    assert_int_equal(get(&r, "/assets/index-A_1.js?x=../y"), SERVE_OK);
    assert_string_equal(r.path, "assets/index-A_1.js");
    assert_int_equal(get(&r, "/a/"), SERVE_OK);
    assert_string_equal(r.path, "a/index.html");
    assert_int_equal(
        ask(&r, "HEAD / HTTP/1.0\r\nhost:  127.0.0.1:8080 \r\n\r\n"), SERVE_OK);
    assert_true(r.head);
}

static void test_nothing_else_is(void **state)
{
    static const char *const paths[] = {
        "/../etc/passwd", "/a/../b", "/.git", "/a/.b", "/%2e%2e/x",
        "/a\\b",          "/a b",    "//..",  "/a..b", "/\xc3\xa4"};
    struct serve_request r;
    char path[600] = "/";

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_not_equal(get(&r, paths[i]), SERVE_OK);
    memset(path + 1, 'a', 500);
    assert_int_equal(get(&r, path), SERVE_NOT_FOUND);
    assert_int_equal(get(&r, "http://x/"), SERVE_BAD);
}

/* A page of another host that points its name at us must not read ours. */
static void test_other_hosts_are_refused(void **state)
{
    static const char port_80[] = "GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n";
    struct serve_request r;

    (void)state;
    assert_int_equal(ask(&r, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
                     SERVE_FORBIDDEN);
    assert_int_equal(ask(&r, "GET / HTTP/1.1\r\nHost: localhost:81\r\n\r\n"),
                     SERVE_FORBIDDEN);
    assert_int_equal(ask(&r, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                     SERVE_FORBIDDEN);
    assert_int_equal(ask(&r, "GET / HTTP/1.1\r\n\r\n"), SERVE_BAD);
    assert_int_equal(ask(&r, "GET / HTTP/1.1\r\nHost: localhost:8080\r\n"
                             "Host: localhost:8080\r\n\r\n"),
                     SERVE_BAD);
    assert_int_equal(ask(&r, "POST / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"),
                     SERVE_NO_METHOD);
    assert_int_equal(serve_read(&r, port_80, sizeof port_80 - 1, 80), SERVE_OK);
}

static void test_more_is_waited_for_but_not_for_ever(void **state)
{
    static char text[SERVE_REQUEST_MAX];
    struct serve_request r;

    (void)state;
    assert_int_equal(ask(&r, ""), SERVE_MORE);
    assert_int_equal(ask(&r, "GET / HTTP/1.1\r\nHost: local"), SERVE_MORE);
    memset(text, 'x', sizeof text);
    assert_int_equal(serve_read(&r, text, sizeof text, PORT), SERVE_TOO_LONG);
    assert_int_equal(ask(&r, "GET\r\n\r\n"), SERVE_BAD);
    assert_int_equal(ask(&r, "\r\n\r\n"), SERVE_BAD);
    assert_int_equal(ask(&r, "GET / HTTP/2.0\r\nHost: localhost:8080\r\n\r\n"),
                     SERVE_BAD);
}

/* Whatever the bytes: an answer, and a path that stays below the folder. */
static void test_any_bytes_are_answered(void **state)
{
    static const char good[] =
        "GET /assets/a.js HTTP/1.1\r\nHost: localhost:8080\r\nX: y\r\n\r\n";
    struct serve_request r;

    (void)state;
    srand(1);
    for (uint32_t i = 0; i < rounds(200000); i++) {
        size_t size = sizeof good - 1, cut = (size_t)rand() % (size + 1);
        char *text = malloc(size + 1); /* its end is watched by sanitizers */

        assert_non_null(text);
        memcpy(text, good, size);
        for (int k = rand() % 4; k > 0; k--)
            text[(size_t)rand() % size] = (char)(rand() % 3 ? rand() : '.');
        if (rand() % 2)
            memmove(text, text + cut, size -= cut);
        if (serve_read(&r, text, size, PORT) == SERVE_OK) {
            assert_null(strstr(r.path, ".."));
            assert_int_not_equal(r.path[0], '/');
            assert_true(strlen(r.path) > 0);
        }
        free(text);
    }
}

static void test_types_are_known(void **state)
{
    (void)state;
    assert_string_equal(serve_type("fulcrum.wasm"), "application/wasm");
    assert_string_equal(serve_type("a/b.js"), "text/javascript; charset=utf-8");
    assert_string_equal(serve_type("README"), "application/octet-stream");
    assert_string_equal(serve_reason(SERVE_NOT_FOUND), "Not Found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_named),
        cmocka_unit_test(test_nothing_else_is),
        cmocka_unit_test(test_other_hosts_are_refused),
        cmocka_unit_test(test_more_is_waited_for_but_not_for_ever),
        cmocka_unit_test(test_any_bytes_are_answered),
        cmocka_unit_test(test_types_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
