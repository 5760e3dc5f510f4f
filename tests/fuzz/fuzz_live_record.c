/*
 * fuzz_live_record.c - any bytes as the file of a node's record: opened or
 * refused with a sentence; and what was opened keeps what is written, whatever
 * else was in the file.
 *
 * A checksum that the fuzzer cannot guess would end nearly every try early; so
 * the first byte of the input says for which slots it is made right.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/host/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SLOT_BYTES = 4096,
    USED_BYTES = 64,
    OLD_BYTES = 48, /* of an earlier program */
    FILE_BYTES = 2 * SLOT_BYTES,
};

static struct live_config config = {
    .nodes_count = 3, .hash = 7, .generation = 9, .nodes = {{.name = "fuzz"}}};
static char path[LIVE_PATH_MAX + 32];

static void remove_all(void)
{
    (void)unlink(path);
    (void)rmdir(config.state);
}

static void must(int holds)
{
    if (holds)
        return;
    remove_all();
    abort();
}

static void begin(void)
{
    if (path[0])
        return;
    snprintf(config.state, sizeof config.state, "%s/fulcrum-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    must(mkdtemp(config.state) != NULL);
    snprintf(path, sizeof path, "%s/fuzz.record", config.state);
    must(atexit(remove_all) == 0);
}

/* CRC-32 as in Ethernet, by its remainder. */
static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t sum = 0xffffffff;

    for (size_t bit = 0; bit < 8 * size; bit++) {
        uint32_t carry = (sum ^ (uint32_t)bytes[bit / 8] >> bit % 8) & 1;

        sum = sum >> 1 ^ (carry ? 0xedb88320 : 0);
    }
    return ~sum;
}

/* The input: what is made right, then 64 bytes of either slot, then how much of
 * the file is there. */
static size_t fill(const uint8_t *data, size_t size, uint8_t file[FILE_BYTES])
{
    uint8_t what = size ? data[0] : 0;
    size_t end = (what & 64 ? OLD_BYTES : USED_BYTES) - 4;

    memset(file, 0, FILE_BYTES);
    for (size_t slot = 0; slot < 2; slot++) {
        uint8_t *at = file + slot * SLOT_BYTES;
        size_t from = 1 + slot * USED_BYTES;

        if (size > from)
            memcpy(at, data + from,
                   size - from < USED_BYTES ? size - from : USED_BYTES);
        if (what >> slot & 1)
            memcpy(at, what & 64 ? "FuRec2\r\n" : "FuRec3\r\n", 8);
        if (what >> (2 + slot) & 1) {
            uint32_t sum = checksum(at, end);

            for (int i = 0; i < 4; i++)
                at[end + (size_t)i] = (uint8_t)(sum >> 8 * i);
        }
    }
    if (size < 131 || what & 128)
        return FILE_BYTES;
    return (data[129] | (size_t)data[130] << 8) % (FILE_BYTES + 1);
}

static void write_file(const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    must(file >= 0);
    must(write(file, bytes, size) == (ssize_t)size);
    must(close(file) == 0);
}

/* A slot has the last number there is: what would follow it is refused. */
static bool is_at_the_end(const uint8_t file[FILE_BYTES])
{
    static const uint8_t last[8] = {255, 255, 255, 255, 255, 255, 255, 255};

    return memcmp(file + 8, last, 8) == 0 ||
           memcmp(file + SLOT_BYTES + 8, last, 8) == 0;
}

/* What was opened goes on: written, closed, opened, as it was written. */
static void go_on(struct live_record *record, const uint8_t *file)
{
    struct view_lock_record values = live_record_values(record), lower = values;
    char error[LIVE_ERROR_SIZE];

    if (lower.maxv) {
        lower.maxv--;
        must(live_record_write(record, &lower, error) != 0);
    }
    values.maxv += values.maxv < UINT32_MAX;
    values.starts += values.starts < UINT32_MAX;
    if (live_record_write(record, &values, error)) {
        must(is_at_the_end(file));
        live_record_close(record);
        return;
    }
    live_record_close(record);
    must(live_record_open(&record, &config, 0, error) == LIVE_RECORD_FINE);
    must(live_record_values(record).maxv == values.maxv);
    must(live_record_values(record).starts == values.starts);
    live_record_close(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[FILE_BYTES];
    struct live_record *record = NULL;
    char error[LIVE_ERROR_SIZE] = "";
    enum live_record_found found;

    begin();
    write_file(bytes, fill(data, size, bytes));
    found = live_record_open(&record, &config, 0, error);
    must((found == LIVE_RECORD_FINE) == (record != NULL));
    if (record) {
        go_on(record, bytes);
        return 0;
    }
    must(found == LIVE_RECORD_BAD || found == LIVE_RECORD_OTHER ||
         found == LIVE_RECORD_SET_BACK);
    must(strchr(error, ';') != NULL);
    return 0;
}
