/*
 * record_slot.c - the bytes of a slot of the record; see record_parts.h.
 *
 * Numbers have the least significant byte first:
 *
 *     0  "FuRec6\r\n"   8      52  payloads      4, a count
 *     8  number         8      56  outdated by   1
 *    16  size           4      57  stays from    1
 *    20  flags          4      58  zero          6
 *    24  configuration  8      64  quiet before  8
 *    32  quiet          8      72  place: machine, volume  8 each
 *    40  generation     4      88  place: file, born  4 each
 *    44  node           4      96  ...
 *    48  starts         4    size-4  crc of all before it
 *
 * A payload is its mode (2), the version (2) and size (4) of its bytes, and the
 * bytes.  Every later format keeps what is at 0 to 19 and the crc, so that this
 * program can tell a slot of a later one from a torn one.
 *
 * "FuRec5\r\n" was the same, with payloads of at most 32 bytes, and the quiet
 * time of the last start alone.  "FuRec4\r\n" was that without what is at 56 to
 * 95: its payloads begin at 56.  Before it there was one layout for both modes:
 *
 *     0  "FuRec3\r\n"   8      36  floor, of mode silence  8
 *     8  number         8      44  quiet                   8
 *    16  configuration  8      52  generation              4
 *    24  node           4      56  flags                   4
 *    28  maxv, proven   4      60  crc of 0..59            4
 *    32  starts         4
 *
 * and before that "FuRec2\r\n", which ended after the floor with a crc of 0..43
 * and is read as of generation 0.  maxv and floor become, byte for byte, the
 * first version of the payload of the mode that each belongs to.
 */
#include "live/record/record_parts.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "core/wire.h"
#include "live/common/crc.h"
#include "net/whole.h"

enum {
    AT_DIGIT = 5, /* of the magic: the format */
    MAGIC_BYTES = 8,
    HEAD_BYTES = 96,
    HEAD_4_BYTES = 56, /* of FuRec4 */
    PAYLOAD_HEAD = 8,
    CRC_BYTES = 4,
    LEAST_BYTES = 20 + CRC_BYTES, /* of any format from FuRec4 on */
    SMALL_BYTES = 32,             /* of a payload until FuRec5 */
    MOST_BYTES = HEAD_BYTES + PAYLOAD_HEAD + LIVE_PAYLOAD_MAX +
                 (RECORD_PAYLOADS_MAX - 1) * (PAYLOAD_HEAD + SMALL_BYTES) +
                 CRC_BYTES,
    EARLIER_BYTES = 64,  /* FuRec3 */
    EARLIEST_BYTES = 48, /* FuRec2 */
};
_Static_assert((int)MOST_BYTES <= (int)RECORD_SLOT_BYTES,
               "the largest payload fits beside small ones of other modes");

static const uint8_t magic[MAGIC_BYTES] = {'F', 'u', 'R',  'e',
                                           'c', '6', '\r', '\n'};

/* ---- This format --------------------------------------------------------- */

void record_slot_pack(const struct record_slot *slot,
                      uint8_t bytes[RECORD_SLOT_BYTES])
{
    uint8_t *at = bytes + HEAD_BYTES;

    memset(bytes, 0, RECORD_SLOT_BYTES);
    memcpy(bytes, magic, sizeof magic);
    fc_put64(bytes + 8, slot->number);
    fc_put32(bytes + 20, slot->flags);
    fc_put64(bytes + 24, slot->hash);
    fc_put64(bytes + 32, slot->quiet);
    fc_put32(bytes + 40, slot->generation);
    fc_put32(bytes + 44, slot->node);
    fc_put32(bytes + 48, slot->starts);
    fc_put32(bytes + 52, slot->payloads_count);
    bytes[56] = slot->outdated_by;
    bytes[57] = slot->stays_from;
    fc_put64(bytes + 64, slot->quiet_before);
    fc_put64(bytes + 72, slot->place.machine);
    fc_put64(bytes + 80, slot->place.volume);
    fc_put32(bytes + 88, slot->place.file);
    fc_put32(bytes + 92, slot->place.born);
    for (uint32_t i = 0; i < slot->payloads_count; i++) {
        const struct record_payload *one = &slot->payloads[i];

        fc_put16(at, one->mode);
        fc_put16(at + 2, one->version);
        fc_put32(at + 4, one->size);
        memcpy(at + PAYLOAD_HEAD, one->bytes, one->size);
        at += PAYLOAD_HEAD + one->size;
    }
    fc_put32(bytes + 16, (uint32_t)(at - bytes) + CRC_BYTES);
    fc_put32(at, live_crc(bytes, (size_t)(at - bytes)));
}

const char *record_slot_sane(const struct record_slot *slot)
{
    uint32_t used = HEAD_BYTES + CRC_BYTES;

    if (slot->payloads_count > RECORD_PAYLOADS_MAX)
        return "a slot has room for its payloads";
    for (uint32_t i = 0; i < slot->payloads_count; i++) {
        if (slot->payloads[i].size > LIVE_PAYLOAD_MAX)
            return "a slot has room for its payloads";
        used += PAYLOAD_HEAD + slot->payloads[i].size;
        for (uint32_t k = 0; k < i; k++)
            if (slot->payloads[k].mode == slot->payloads[i].mode)
                return "a mode has one payload";
    }
    if (used > RECORD_SLOT_BYTES)
        return "a slot has room for its payloads";
    return slot->number ? NULL : "a slot that was written has a number";
}

static bool has_payload_of(const struct record_slot *slot, uint16_t mode)
{
    for (uint32_t i = 0; i < slot->payloads_count; i++)
        if (slot->payloads[i].mode == mode)
            return true;
    return false;
}

/* Where the payload ends; NULL: it goes beyond `end`, or says what none can. */
static const uint8_t *unpack_payload(struct record_slot *slot,
                                     const uint8_t *at, const uint8_t *end)
{
    struct record_payload *one = &slot->payloads[slot->payloads_count];

    if (end - at < PAYLOAD_HEAD)
        return NULL;
    one->mode = fc_get16(at);
    one->version = fc_get16(at + 2);
    one->size = fc_get32(at + 4);
    at += PAYLOAD_HEAD;
    if (one->size > LIVE_PAYLOAD_MAX || (size_t)(end - at) < one->size ||
        has_payload_of(slot, one->mode))
        return NULL;
    memcpy(one->bytes, at, one->size);
    slot->payloads_count++;
    return at + one->size;
}

/* What FuRec4 did not have. */
static void unpack_more(struct record_slot *slot, const uint8_t *bytes)
{
    slot->outdated_by = bytes[56];
    slot->stays_from = bytes[57];
    slot->quiet_before = fc_get64(bytes + 64);
    slot->place.machine = fc_get64(bytes + 72);
    slot->place.volume = fc_get64(bytes + 80);
    slot->place.file = fc_get32(bytes + 88);
    slot->place.born = fc_get32(bytes + 92);
}

/* Bytes whose crc is right; `end` is where that is. */
static enum record_format unpack_now(struct record_slot *slot,
                                     const uint8_t *bytes, const uint8_t *end)
{
    bool small = bytes[AT_DIGIT] == '4';
    ptrdiff_t head = small ? HEAD_4_BYTES : HEAD_BYTES;
    const uint8_t *at = bytes + head;
    uint32_t count;

    if (end - bytes < head)
        return RECORD_TORN;
    count = fc_get32(bytes + 52);
    if (count > RECORD_PAYLOADS_MAX)
        return RECORD_TORN;
    slot->flags = fc_get32(bytes + 20);
    slot->hash = fc_get64(bytes + 24);
    slot->quiet = fc_get64(bytes + 32);
    slot->generation = fc_get32(bytes + 40);
    slot->node = fc_get32(bytes + 44);
    slot->starts = fc_get32(bytes + 48);
    if (!small)
        unpack_more(slot, bytes);
    while (at && slot->payloads_count < count)
        at = unpack_payload(slot, at, end);
    if (at != end)
        return RECORD_TORN;
    return bytes[AT_DIGIT] == magic[AT_DIGIT] ? RECORD_NOW : RECORD_EARLIER;
}

/* FuRec4, FuRec5, this format, or a later one. */
static enum record_format unpack_sized(struct record_slot *slot,
                                       const uint8_t *bytes, size_t size)
{
    uint32_t used = size < LEAST_BYTES ? 0 : fc_get32(bytes + 16);

    if (used < LEAST_BYTES || used > size ||
        fc_get32(bytes + used - CRC_BYTES) != live_crc(bytes, used - CRC_BYTES))
        return RECORD_TORN;
    slot->number = fc_get64(bytes + 8);
    if (bytes[AT_DIGIT] > magic[AT_DIGIT])
        return RECORD_LATER;
    return unpack_now(slot, bytes, bytes + used - CRC_BYTES);
}

/* ---- Earlier ones -------------------------------------------------------- */

static void take_over(struct record_slot *slot, enum live_payload_mode mode,
                      const uint8_t *bytes, uint32_t size)
{
    struct record_payload *one = &slot->payloads[slot->payloads_count++];

    one->mode = (uint16_t)mode;
    one->version = 1;
    one->size = size;
    memcpy(one->bytes, bytes, size);
}

static enum record_format unpack_earlier(struct record_slot *slot,
                                         const uint8_t *bytes, size_t size)
{
    bool earliest = bytes[AT_DIGIT] == '2';
    size_t end = (earliest ? EARLIEST_BYTES : EARLIER_BYTES) - CRC_BYTES;

    if (size < end + CRC_BYTES || fc_get32(bytes + end) != live_crc(bytes, end))
        return RECORD_TORN;
    slot->number = fc_get64(bytes + 8);
    slot->hash = fc_get64(bytes + 16);
    slot->node = fc_get32(bytes + 24);
    take_over(slot, LIVE_PAYLOAD_PROVEN, bytes + 28, 4);
    slot->starts = fc_get32(bytes + 32);
    take_over(slot, LIVE_PAYLOAD_SILENCE, bytes + 36, 8);
    if (earliest)
        return RECORD_EARLIER;
    slot->quiet = fc_get64(bytes + 44);
    slot->generation = fc_get32(bytes + 52);
    slot->flags = fc_get32(bytes + 56);
    return RECORD_EARLIER;
}

enum record_format record_slot_unpack(struct record_slot *slot,
                                      const uint8_t *bytes, size_t size)
{
    *slot = (struct record_slot){0};
    if (size < MAGIC_BYTES || memcmp(bytes, magic, AT_DIGIT) != 0 ||
        memcmp(bytes + AT_DIGIT + 1, magic + AT_DIGIT + 1,
               MAGIC_BYTES - AT_DIGIT - 1) != 0 ||
        bytes[AT_DIGIT] < '2')
        return RECORD_TORN;
    return bytes[AT_DIGIT] < '4' ? unpack_earlier(slot, bytes, size)
                                 : unpack_sized(slot, bytes, size);
}

/* ---- In the file --------------------------------------------------------- */

int record_slot_write(int file, uint32_t which, const struct record_slot *slot)
{
    uint8_t bytes[RECORD_SLOT_BYTES];

    record_slot_pack(slot, bytes);
    return net_write_whole(file, bytes, sizeof bytes,
                           (off_t)which * RECORD_SLOT_BYTES)
               ? -1
               : fdatasync(file);
}

ssize_t record_slot_read(int file, uint32_t which,
                         uint8_t bytes[RECORD_SLOT_BYTES])
{
    return net_read_whole(file, bytes, RECORD_SLOT_BYTES,
                          (off_t)which * RECORD_SLOT_BYTES);
}
