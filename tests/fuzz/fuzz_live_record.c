/*
 * fuzz_live_record.c - any bytes as the file of a node's record: opened or
 * refused with a sentence; and what was opened keeps what is written, whatever
 * else was in the file, and what other modes have written there.
 *
 * A checksum that the fuzzer cannot guess would end nearly every try early; so
 * the first byte of the input says for which slots it is made right.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/wire.h"
#include "live/record/record_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SLOT_BYTES = RECORD_SLOT_BYTES,
    GIVEN_BYTES = 264, /* of a slot: as much as one can have */
    FILE_BYTES = 2 * SLOT_BYTES,
    LEAST_BYTES = 24, /* of a slot that says its size */
    LEAST = 4,        /* of a payload */
};

/* In `what`, the first byte of the input; above them are two bits: which
 * format. */
enum {
    MAGIC_IS_RIGHT = 1, /* and 2, of the second slot */
    CRC_IS_RIGHT = 4,   /* and 8 */
    FORMAT_SHIFT = 4,
    IN_SILENCE = 64,
    FILE_IS_WHOLE = 128,
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

static bool follows(const uint8_t *next, uint32_t next_size,
                    const uint8_t *before, uint32_t before_size)
{
    must(next_size >= LEAST && before_size >= LEAST);
    return fc_get32(next) >= fc_get32(before);
}

static const struct live_payload payloads[2] = {
    {LIVE_PAYLOAD_PROVEN, 1, LEAST, LIVE_PAYLOAD_MAX, follows},
    {LIVE_PAYLOAD_SILENCE, 1, 8, 8, follows}};

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

/* Where the crc of a slot is; 0: nowhere. */
static size_t end_of(const uint8_t *slot)
{
    uint32_t size = fc_get32(slot + 16);

    if (slot[5] == '2')
        return 44;
    if (slot[5] == '3')
        return 60;
    return size < LEAST_BYTES || size > SLOT_BYTES ? 0 : size - 4;
}

/* The input: what is made right, then so many bytes of either slot, then how
 * much of the file is there. */
static size_t fill(const uint8_t *data, size_t size, uint8_t file[FILE_BYTES])
{
    static const char *const magics[] = {"FuRec6\r\n", "FuRec4\r\n",
                                         "FuRec3\r\n", "FuRec5\r\n"};
    const size_t head = 1 + 2 * (size_t)GIVEN_BYTES;
    uint8_t what = size ? data[0] : 0;

    memset(file, 0, FILE_BYTES);
    for (uint32_t slot = 0; slot < 2; slot++) {
        uint8_t *at = file + (size_t)slot * SLOT_BYTES;
        size_t from = 1 + (size_t)slot * GIVEN_BYTES;

        if (size > from)
            memcpy(at, data + from,
                   size - from < GIVEN_BYTES ? size - from : GIVEN_BYTES);
        if (what & MAGIC_IS_RIGHT << slot)
            memcpy(at, magics[what >> FORMAT_SHIFT & 3], 8);
        if (what & CRC_IS_RIGHT << slot && end_of(at))
            fc_put32(at + end_of(at), checksum(at, end_of(at)));
    }
    if (size < head + 2 || what & FILE_IS_WHOLE)
        return FILE_BYTES;
    return fc_get16(data + head) % (FILE_BYTES + 1);
}

static void write_file(const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    must(file >= 0);
    must(write(file, bytes, size) == (ssize_t)size);
    must(close(file) == 0);
}

/* The slot that counts, of a file that has one. */
static struct record_slot counting(const uint8_t *file, size_t size)
{
    struct record_slot best = {0}, one;

    for (size_t at = 0; at < size; at += SLOT_BYTES) {
        size_t left = size - at;

        if (record_slot_unpack(&one, file + at,
                               left < SLOT_BYTES ? left : SLOT_BYTES) !=
                RECORD_TORN &&
            one.number >= best.number)
            best = one;
    }
    return best;
}

/* Nothing that an earlier program wrote is left, and what other modes wrote is
 * there as it was. */
static void look_at_file(const struct record_slot *before,
                         const struct live_payload *own)
{
    static uint8_t bytes[FILE_BYTES];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = read(file, bytes, sizeof bytes);
    struct record_slot now;
    uint32_t k = 0;

    must(file >= 0 && size > 0 && close(file) == 0);
    must(bytes[5] == '6' && bytes[SLOT_BYTES + 5] == '6');
    now = counting(bytes, (size_t)size);
    for (uint32_t i = 0; i < before->payloads_count; i++, k++) {
        must(k < now.payloads_count);
        if (before->payloads[i].mode != own->mode)
            must(memcmp(&before->payloads[i], &now.payloads[k],
                        sizeof now.payloads[k]) == 0);
    }
}

/* What was opened goes on: written, closed, opened, as it was written. */
static void go_on(struct live_record *record, const struct record_slot *before,
                  const struct live_payload *own)
{
    struct live_kept kept = live_record_kept(record), lower = kept;
    uint32_t number = fc_get32(kept.bytes);
    struct net_why error;

    if (number) {
        fc_put32(lower.bytes, number - 1);
        must(!live_record_write(record, &lower, &error));
    }
    fc_put32(kept.bytes, number + (number < UINT32_MAX));
    kept.starts += kept.starts < UINT32_MAX;
    kept.size = own->least + number % (own->most - own->least + 1);
    memset(kept.bytes + own->least, 0, sizeof kept.bytes - own->least);
    if (kept.size > own->least)
        kept.bytes[kept.size - 1] = 7;
    kept.quiet += kept.quiet && kept.quiet < UINT64_MAX;
    if (!live_record_write(record, &kept, &error)) {
        must(before->number >= UINT64_MAX - 1 || /* what would follow it? */
             strstr(error.text, "room for its payloads"));
        live_record_close(record);
        return;
    }
    live_record_close(record);
    look_at_file(before, own);
    must(live_record_open(&record, &config, 0, own, &error) ==
         LIVE_RECORD_FINE);
    lower = live_record_kept(record);
    must(memcmp(&lower, &kept, sizeof kept) == 0);
    live_record_close(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[FILE_BYTES];
    const struct live_payload *own = &payloads[size && data[0] & IN_SILENCE];
    size_t filled = fill(data, size, bytes);
    struct record_slot before = counting(bytes, filled);
    struct live_record *record = NULL;
    struct net_why error = {0};
    enum live_record_found found;

    begin();
    write_file(bytes, filled);
    found = live_record_open(&record, &config, 0, own, &error);
    if (found == LIVE_RECORD_ELSEWHERE) {
        must(strstr(error.text, "--moved") != NULL);
        found = live_record_move(&record, &config, 0, own, &error);
        must(found != LIVE_RECORD_ELSEWHERE);
    }
    must((found == LIVE_RECORD_FINE) == (record != NULL));
    if (record) {
        go_on(record, &before, own);
        return 0;
    }
    must(found == LIVE_RECORD_BAD || found == LIVE_RECORD_OTHER ||
         found == LIVE_RECORD_SET_BACK || found == LIVE_RECORD_LATER ||
         found == LIVE_RECORD_OUTDATED);
    must(strchr(error.text, ';') != NULL);
    return 0;
}
