/*
 * The server of the page: which requests it takes, and for which file.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/kit/test.h"
#include "web/serve/request.h"
#include "web/serve/server.h"

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
    static const char *const paths[] = {"/a b",  "/a..b", "/\xc3\xa4",
                                        "/\x7f", "/a:b",  "/~root"};
    struct serve_request r;
    char path[600] = "/";

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_not_equal(get(&r, paths[i]), SERVE_OK);
    memset(path + 1, 'a', 500);
    assert_int_equal(get(&r, path), SERVE_NOT_FOUND);
    assert_int_equal(get(&r, "http://x/"), SERVE_BAD);
}

/* Names that would lead out of the folder, if anything took them for what they
 * look like: plain, doubled, encoded once and twice, turned round. */
static const char *const outward[] = {
    "//etc/passwd",
    "///etc/passwd",
    "////etc/passwd",
    "//etc//passwd",
    "/a//b",
    "/a//etc/passwd",
    "/a///etc/passwd",
    "/a/b//",
    "//",
    "//index.html",
    "//?x",
    "/.",
    "/./",
    "/./etc/passwd",
    "/./index.html",
    "/a/./b",
    "/a/.",
    "/..",
    "/../",
    "/../etc/passwd",
    "/../../../../../../etc/passwd",
    "/a/../../etc/passwd",
    "/a/..",
    "/a/../b",
    "//../etc/passwd",
    "/.//etc/passwd",
    "/...",
    "/.../etc/passwd",
    "/..%2fetc%2fpasswd",
    "/..%2f..%2fetc/passwd",
    "/%2fetc/passwd",
    "/%2f%2fetc%2fpasswd",
    "/%2e%2e/etc/passwd",
    "/%2e%2e%2fetc%2fpasswd",
    "/%252e%252e/etc/passwd",
    "/%c0%ae%c0%ae/etc/passwd",
    "/a%00.html",
    "/index.html%00",
    "/..\\etc\\passwd",
    "/\\etc\\passwd",
    "/a\\..\\b",
    "/..;/etc/passwd",
    "/.git",
    "/.git/config",
    "/a/.b",
    "/proc/self/root//etc/passwd",
};

static void test_no_name_leads_out(void **state)
{
    static const char zero[] =
        "GET /index.html\0.js HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";
    struct serve_request r;

    (void)state;
    for (size_t i = 0; i < sizeof outward / sizeof *outward; i++)
        if (get(&r, outward[i]) == SERVE_OK)
            fail_msg("%s is taken for %s", outward[i], r.path);
    assert_int_not_equal(serve_read(&r, zero, sizeof zero - 1, PORT), SERVE_OK);
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
            assert_null(strstr(r.path, "//"));
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

/* ---- A server ------------------------------------------------------------ */

static void put(const char *folder, const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A folder with a page, beside a secret, and with all sorts of things in it
 * that lead to the secret or are no files. */
static void furnish(char above[64], char folder[80])
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char secret[96];
    int room, s = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(above, "/tmp/fulcrum-serve-XXXXXX");
    assert_non_null(mkdtemp(above));
    snprintf(folder, 80, "%s/page", above);
    assert_int_equal(mkdir(folder, 0700), 0);
    put(above, "secret", "secret");
    put(folder, "index.html", "fine");
    room = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdirat(room, "a", 0700), 0);
    put(folder, "a/index.html", "fine");
    snprintf(secret, sizeof secret, "%s/secret", above);
    assert_int_equal(symlinkat("../secret", room, "up"), 0);
    assert_int_equal(symlinkat(secret, room, "absolute"), 0);
    assert_int_equal(symlinkat("..", room, "above"), 0);
    assert_int_equal(symlinkat("/", room, "root"), 0);
    assert_int_equal(symlinkat("index.html", room, "own"), 0);
    assert_int_equal(symlinkat("/dev/zero", room, "endless"), 0);
    assert_int_equal(mkfifoat(room, "fifo", 0600), 0);
    (void)mknodat(room, "zero", S_IFCHR | 0600, makedev(1, 5)); /* as root */
    snprintf(at.sun_path, sizeof at.sun_path, "%s/socket", folder);
    assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof at), 0);
    close(s);
    close(room);
}

/* The whole answer of a request for a path. */
static void fetch(unsigned port, const char *path, char *text, size_t size)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)port)};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    size_t used = 0;
    ssize_t got;

    assert_int_equal(connect(s, (struct sockaddr *)&at, sizeof at), 0);
    dprintf(s, "GET %s HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", path, port);
    while (used < size - 1 && (got = read(s, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(s);
}

static void expect(unsigned port, const char *path, const char *status)
{
    char text[4096], first[64];

    fetch(port, path, text, sizeof text);
    snprintf(first, sizeof first, "HTTP/1.1 %s ", status);
    if (strncmp(text, first, strlen(first)) != 0 || strstr(text, "secret") ||
        strstr(text, "root:"))
        fail_msg("%s: %s", path, text);
}

static void test_only_files_of_the_folder_are_served(void **state)
{
    static const char *const odd[] = {
        "/up",     "/absolute", "/above/secret",   "/root/etc/passwd",
        "/own",    "/endless",  "/fifo",           "/zero",
        "/socket", "/a",        "/index.html/",    "/index.html/x",
        "/above/", "/nothing",  "/a/a/a/a/a/a/a/a"};
    atomic_bool stop = false;
    char above[64], folder[80], command[96];
    struct serve_server *server;
    unsigned port;
    pid_t child;

    (void)state;
    furnish(above, folder);
    server = serve_open(folder, 0);
    assert_non_null(server);
    port = serve_port(server);
    child = fork();
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails ends it */
        _exit(!serve_run(server, &stop));
    }
    expect(port, "/", "200");
    expect(port, "/a/", "200");
    expect(port, "/index.html?x=../..//secret", "200");
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        expect(port, odd[i], "404");
    for (size_t i = 0; i < sizeof outward / sizeof *outward; i++)
        expect(port, outward[i], "404");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    serve_close(server);
    snprintf(command, sizeof command, "rm -r %s", above);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_named),
        cmocka_unit_test(test_nothing_else_is),
        cmocka_unit_test(test_no_name_leads_out),
        cmocka_unit_test(test_other_hosts_are_refused),
        cmocka_unit_test(test_more_is_waited_for_but_not_for_ever),
        cmocka_unit_test(test_any_bytes_are_answered),
        cmocka_unit_test(test_types_are_known),
        cmocka_unit_test(test_only_files_of_the_folder_are_served),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
