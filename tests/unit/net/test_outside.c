/*
 * test_outside.c - files that somebody else may have put where they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/outside.h"
#include "net/whole.h"
#include "tests/unit/kit/test.h"

static char above[64];
static int room;

static void put(int folder, const char *name, const char *text)
{
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (int)strlen(text));
    close(file);
}

/* A folder with files and what is none, beside a secret. */
static int set_up(void **state)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int s = socket(AF_UNIX, SOCK_STREAM, 0), folder;

    (void)state;
    strcpy(above, "/tmp/fulcrum-outside-XXXXXX");
    assert_non_null(mkdtemp(above));
    folder = open(above, O_RDONLY | O_DIRECTORY);
    put(folder, "secret", "secret");
    assert_int_equal(mkdirat(folder, "room", 0700), 0);
    room = openat(folder, "room", O_RDONLY | O_DIRECTORY);
    close(folder);
    put(room, "file", "text");
    assert_int_equal(mkdirat(room, "a", 0700), 0);
    assert_int_equal(mkdirat(room, "a/b", 0700), 0);
    put(room, "a/b/file", "text");
    assert_int_equal(symlinkat("../secret", room, "up"), 0);
    assert_int_equal(symlinkat("file", room, "own"), 0);
    assert_int_equal(symlinkat("..", room, "above"), 0);
    assert_int_equal(symlinkat("/", room, "root"), 0);
    assert_int_equal(symlinkat("/proc/self/root", room, "magic"), 0);
    assert_int_equal(mkfifoat(room, "fifo", 0600), 0);
    (void)mknodat(room, "device", S_IFCHR | 0600, makedev(1, 3));
    snprintf(at.sun_path, sizeof at.sun_path, "%s/room/socket", above);
    assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof at), 0);
    close(s);
    return 0;
}

static int tear_down(void **state)
{
    char command[96];

    (void)state;
    close(room);
    snprintf(command, sizeof command, "rm -r %s", above);
    return system(command);
}

/* ---- Beneath a folder ---------------------------------------------------- */

TEST(test_files_beneath_are_opened)
{
    static const char *const names[] = {"file", "a/b/file"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int file = outside_open(room, names[i], O_RDWR);
        char text[8] = "";

        assert_true(file >= 0);
        assert_int_equal(net_read_whole(file, text, sizeof text, 0), 4);
        assert_string_equal(text, "text");
        assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
        close(file);
    }
}

TEST(test_nothing_else_is)
{
    static const char *const names[] = {
        "",
        "/",
        ".",
        "..",
        "./file",
        "../secret",
        "a/../file",
        "a/../../secret",
        "/etc/passwd",
        "//etc/passwd",
        "a//b/file",
        "file/",
        "file/x",
        "a",
        "a/b",
        "a/b/",
        "up",
        "own",
        "above/secret",
        "root/etc/passwd",
        "magic/etc/passwd",
        "fifo",
        "device",
        "socket",
        "nothing",
        "nothing/file",
    };
    char longest[5000];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (outside_open(room, names[i], O_RDONLY) >= 0)
            fail_msg("'%s' was opened", names[i]);
        if (outside_open(room, names[i], O_WRONLY) >= 0)
            fail_msg("'%s' was opened", names[i]);
    }
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(outside_open(room, longest, O_RDONLY), -1);
}

/* Whoever asks can tell a file that is missing from one that is none. */
TEST(test_what_is_there_instead_is_told)
{
    static const struct {
        const char *name;
        int number;
    } cases[] = {{"nothing", ENOENT},
                 {"up", ELOOP},
                 {"fifo", ENXIO},
                 {"a", ENXIO},
                 {"socket", ENXIO}};
    char path[128];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "%s/room/%s", above, cases[i].name);
        assert_int_equal(outside_open(room, cases[i].name, O_RDONLY), -1);
        assert_int_equal(errno, cases[i].number);
        assert_int_equal(outside_open_path(path, O_RDWR), -1);
        assert_int_equal(errno, cases[i].number);
    }
}

/* What stood there is left as it is, by whatever other name it has. */
TEST(test_a_file_is_renewed_by_name)
{
    char path[128], text[8] = "";
    int file, old = outside_open(room, "file", O_RDONLY);

    assert_int_equal(linkat(room, "file", room, "second", 0), 0);
    snprintf(path, sizeof path, "%s/room/second", above);
    file = outside_renew_path(path);
    assert_true(file >= 0);
    assert_int_equal(net_write_whole(file, "new", 3, 0), 0);
    assert_int_equal(net_read_whole(old, text, sizeof text, 0), 4);
    assert_string_equal(text, "text");
    close(file);
    close(old);
    snprintf(path, sizeof path, "%s/room/up", above);
    file = outside_renew_path(path);
    assert_true(file >= 0);
    close(file);
    snprintf(path, sizeof path, "%s/room/a", above);
    assert_int_equal(outside_renew_path(path), -1);
}

TEST(test_folders_beneath_are_opened)
{
    int folder = outside_folder(room, "a/b");

    assert_true(folder >= 0);
    close(folder);
    assert_int_equal(outside_folder(room, "above"), -1);
    assert_int_equal(outside_folder(room, "root/tmp"), -1);
    assert_int_equal(outside_folder(room, ".."), -1);
    assert_int_equal(outside_folder(room, "file"), -1);
    assert_int_equal(outside_folder(room, "/tmp"), -1);
}

TEST(test_a_new_file_takes_no_place)
{
    int file = outside_create(room, "new");
    struct net_why why;

    assert_true(file >= 0);
    assert_true(outside_trusted(file, geteuid(), &why));
    close(file);
    assert_int_equal(outside_create(room, "new"), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(outside_create(room, "up"), -1);
    assert_int_equal(outside_create(room, "above/new"), -1);
    assert_int_equal(outside_create(room, "../new"), -1);
}

TEST(test_doubts)
{
    static const struct {
        const char *change, *why;
    } doubts[] = {
        {"chmod 0640 %s/room/file", "others can read or write it (mode 0640)"},
        {"chmod 0602 %s/room/file", "others can read or write it (mode 0602)"},
        {"chmod 0600 %1$s/room/file; ln %1$s/room/file %1$s/second",
         "it has 2 names"},
    };
    int file = outside_open(room, "file", O_RDONLY);
    struct net_why why;
    char command[200];

    assert_true(outside_trusted(file, geteuid(), &why));
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        snprintf(command, sizeof command, doubts[i].change, above);
        assert_int_equal(system(command), 0);
        assert_false(outside_trusted(file, geteuid(), &why));
        assert_string_equal(why.text, doubts[i].why);
    }
    close(file);
}

/* ---- Texts --------------------------------------------------------------- */

static char *text_of(const char *bytes, size_t size, size_t most, size_t *got)
{
    int file = openat(room, "text", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char path[128];

    assert_int_equal(write(file, bytes, size), (int)size);
    close(file);
    snprintf(path, sizeof path, "%s/room/text", above);
    return outside_text(path, most, got, NULL);
}

TEST(test_texts_are_read_whole)
{
    enum { LONG = 300000 };
    char *bytes = malloc(LONG), *text;
    size_t size;

    memset(bytes, 'x', LONG);
    text = text_of(bytes, LONG, LONG, &size);
    assert_non_null(text);
    assert_int_equal(size, LONG);
    assert_int_equal(strlen(text), LONG);
    free(text);
    assert_null(text_of(bytes, LONG, LONG - 1, &size));
    assert_int_equal(errno, EFBIG);
    bytes[200000] = '\0';
    assert_null(text_of(bytes, LONG, LONG, &size));
    assert_int_equal(errno, EILSEQ);
    text = text_of("", 0, 10, &size);
    assert_non_null(text);
    assert_int_equal(size, 0);
    free(text);
    free(bytes);
}

/* Devices without an end are refused at once. */
TEST(test_endless_texts_are_refused)
{
    struct net_why why;
    size_t size;

    assert_null(outside_text("/dev/zero", SIZE_MAX, &size, &why));
    assert_int_equal(errno, EILSEQ);
    assert_string_equal(why.text, "it is not a text: it has a zero byte");
    assert_null(outside_text("/tmp", SIZE_MAX, &size, &why));
    assert_int_equal(errno, EISDIR);
    assert_null(outside_text("/nothing/there", SIZE_MAX, &size, &why));
    assert_int_equal(errno, ENOENT);
    assert_string_equal(why.text, "No such file or directory");
}

static bool never(void *whom, const char *text, size_t size)
{
    (void)text;
    *(size_t *)whom = size;
    return false;
}

TEST(test_the_first_bytes_are_judged)
{
    FILE *file = popen("yes", "r");
    struct net_why why = {.text = "no"};
    size_t size, seen = 0;

    assert_null(outside_text_from(file, SIZE_MAX, never, &seen, &size, &why));
    assert_int_equal(errno, ECANCELED);
    assert_string_equal(why.text, "no");
    assert_int_equal(seen, 1 << 16);
    pclose(file);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_files_beneath_are_opened),
        CASE(test_nothing_else_is),
        CASE(test_what_is_there_instead_is_told),
        CASE(test_a_file_is_renewed_by_name),
        CASE(test_folders_beneath_are_opened),
        CASE(test_a_new_file_takes_no_place),
        CASE(test_doubts),
        CASE(test_texts_are_read_whole),
        CASE(test_endless_texts_are_refused),
        CASE(test_the_first_bytes_are_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
