/*
 * test_output.c - files are written completely or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "draw/output.h"

enum { ERROR_SIZE = 512 };

/* ---- Files --------------------------------------------------------------- */

/* A new directory, and the path of a file in it. */
static void temporary_place(char directory[64], char path[96])
{
    snprintf(directory, 64, "/tmp/fulcrum-draw-XXXXXX");
    assert_non_null(mkdtemp(directory));
    snprintf(path, 96, "%s/picture.svg", directory);
}

/* rmdir() succeeds only in an empty directory: nothing was left. */
static void test_abort_leaves_no_file(void **state)
{
    struct net_why why = {0};
    char directory[64], path[96];
    struct output_file out;
    FILE *file;

    (void)state;
    temporary_place(directory, path);
    file = output_open(&out, path, &why);
    assert_non_null(file);
    fputs("half a pic", file);
    output_abort(&out);
    assert_int_equal(rmdir(directory), 0);
}

static void test_commit_replaces_the_old_file(void **state)
{
    struct net_why why = {0};
    char directory[64], path[96], line[16] = "";
    struct output_file out;
    FILE *file;

    (void)state;
    temporary_place(directory, path);
    for (int i = 0; i < 2; i++) {
        file = output_open(&out, path, &why);
        assert_non_null(file);
        fprintf(file, "version %d", i);
        assert_true(output_commit(&out, &why));
    }
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "version 1");
    fclose(file);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void test_full_device_is_an_error_with_a_reason(void **state)
{
    struct net_why why = {0};
    struct output_file out;
    FILE *file = output_open(&out, "/dev/full", &why);

    (void)state;
    assert_non_null(file);
    for (int i = 0; i < 100000; i++)
        fputs("a long picture ", file);
    assert_false(output_commit(&out, &why));
    assert_non_null(strstr(why.text, "/dev/full"));
    assert_non_null(strstr(why.text, "space"));
    assert_int_equal(access("/dev/full", F_OK), 0);
}

/* The link stands for a file on a full disk: what is behind it takes no
 * bytes, and nothing may be left beside it. */
static void test_full_disk_leaves_no_partial_file(void **state)
{
    struct net_why why = {0};
    char directory[64], path[96];
    struct output_file out;
    FILE *file;

    (void)state;
    temporary_place(directory, path);
    assert_int_equal(symlink("/dev/full", path), 0);
    file = output_open(&out, path, &why);
    assert_non_null(file);
    fputs("a picture", file);
    assert_false(output_commit(&out, &why));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void test_places_that_cannot_be_written_are_named(void **state)
{
    struct net_why why = {0};
    struct output_file out;

    (void)state;
    assert_null(output_open(&out, "/nowhere/picture.svg", &why));
    assert_non_null(strstr(why.text, "/nowhere/picture.svg"));
    assert_non_null(strstr(why.text, "choose another place"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_abort_leaves_no_file),
        cmocka_unit_test(test_commit_replaces_the_old_file),
        cmocka_unit_test(test_full_device_is_an_error_with_a_reason),
        cmocka_unit_test(test_full_disk_leaves_no_partial_file),
        cmocka_unit_test(test_places_that_cannot_be_written_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
