/*
 * record_file.h - a record in a folder of its own, and its bytes: what the
 * tests of records share.
 */
#ifndef TEST_RECORD_FILE_H
#define TEST_RECORD_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/wire.h"
#include "live/common/crc.h"
#include "live/mode/mode.h"
#include "tests/unit/kit/testing.h"

/* USED: of a slot with the payload of mode proven. */
enum { ME = 1, SLOT = 4096, FILE_BYTES = 2 * SLOT, USED = 112 };

static struct live_config config;
static struct net_why error;
static char path[LIVE_PATH_MAX + 64];

static inline int begin(void **state)
{
    (void)state;
    memset(&config, 0, sizeof config);
    config.first_count = config.nodes_count = 3;
    config.hash = 77;
    config.generation = 1;
    config.lease = 100000;
    strcpy(config.nodes[ME].name, "south");
    strcpy(config.state, "/tmp/fulcrum-record-XXXXXX");
    if (!mkdtemp(config.state))
        return -1;
    snprintf(path, sizeof path, "%s/south.record", config.state);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(config.state); /* nothing else was left */
}

static inline void create(void)
{
    assert_true(live_record_create(&config, ME, &error));
}

static inline enum live_record_found find(struct live_record **record)
{
    error.text[0] = 0;
    return live_record_open(record, &config, ME,
                            &live_mode_of(&config)->payload, &error);
}

static inline struct live_record *reopen(void)
{
    struct live_record *record;

    if (find(&record) != LIVE_RECORD_FINE)
        fail_msg("%s", error.text);
    return record;
}

/* What mode proven keeps. */
static inline struct live_kept kept_of(uint32_t maxv, uint32_t starts)
{
    struct live_kept kept = {.starts = starts, .size = 4};

    fc_put32(kept.bytes, maxv);
    return kept;
}

static inline bool put(struct live_record *record, uint32_t maxv,
                       uint32_t starts)
{
    struct live_kept kept = kept_of(maxv, starts);

    return live_record_write(record, &kept, &error);
}

static inline uint32_t maxv_of(const struct live_record *record)
{
    return fc_get32(live_record_kept(record).bytes);
}

static inline bool repair(uint32_t maxv, uint32_t starts)
{
    struct live_kept kept = kept_of(maxv, starts);

    return live_record_repair(&config, ME, &live_mode_of(&config)->payload,
                              &kept, &error);
}

static inline void check_values(uint32_t maxv, uint32_t starts)
{
    struct live_record *record = reopen();

    assert_int_equal(maxv_of(record), maxv);
    assert_int_equal(live_record_kept(record).starts, starts);
    live_record_close(record);
}

static inline void load(uint8_t bytes[FILE_BYTES])
{
    int file = open(path, O_RDONLY);

    assert_int_equal(read(file, bytes, FILE_BYTES), FILE_BYTES);
    close(file);
}

static inline void store(const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    close(file);
}

/* A record after the votes 10, 20, ... */
static inline void write_votes(uint32_t votes)
{
    struct live_record *record = reopen();

    for (uint32_t i = 1; i <= votes; i++)
        assert_true(put(record, 10 * i, 1));
    live_record_close(record);
}

#define RECORD_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
