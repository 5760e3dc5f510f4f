/*
 * hirschberg_sinclair.h - probes that go twice as far each time (Hirschberg and
 * Sinclair 1980).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/hirschberg-sinclair.md.
 */
#ifndef HIRSCHBERG_SINCLAIR_H
#define HIRSCHBERG_SINCLAIR_H

#include "core/fc.h"
#include "core/wire.h"
#include "problems/election.h"

enum hirschberg_sinclair_status {
    HIRSCHBERG_SINCLAIR_ASLEEP,
    HIRSCHBERG_SINCLAIR_RELAY, /* never ran: has no name to compare */
    HIRSCHBERG_SINCLAIR_CANDIDATE,
    HIRSCHBERG_SINCLAIR_LOST,
    HIRSCHBERG_SINCLAIR_LEADER,
};

enum hirschberg_sinclair_kind {
    HIRSCHBERG_SINCLAIR_PROBE = 1,
    HIRSCHBERG_SINCLAIR_OK,
    HIRSCHBERG_SINCLAIR_NO,
    HIRSCHBERG_SINCLAIR_ELECTED,
    HIRSCHBERG_SINCLAIR_KINDS,
};

/* As far as a probe can be sent: farther than any ring is long. */
#define HIRSCHBERG_SINCLAIR_FAR (UINT32_C(1) << FC_NAME_BITS)

struct hirschberg_sinclair {
    uint32_t reach; /* hops that the probes of this round may make */
    fc_name leader; /* or FC_NOBODY */
    uint8_t status; /* enum hirschberg_sinclair_status */
    uint8_t heard;  /* replies in this round */
    uint8_t refused;
    uint8_t unused;
};
_Static_assert(sizeof(struct hirschberg_sinclair) == 12,
               "flat, without padding");

struct hirschberg_sinclair_params {
    uint8_t announce;
    uint8_t silent; /* a probe that fails is not answered */
};

struct hirschberg_sinclair_msg {
    fc_name name;  /* whose probe, or the leader */
    uint32_t left; /* probes: hops it may make, the one to the reader included;
                    * others: 0 */
    uint8_t kind;  /* enum hirschberg_sinclair_kind */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct hirschberg_sinclair_msg) == 12,
               "flat, without padding");

#define hirschberg_sinclair_site    fc_named
#define hirschberg_sinclair_problem election

enum {
    hirschberg_sinclair_timers = 0,
    hirschberg_sinclair_name_once = 0,
    hirschberg_sinclair_topology = FC_RING_BOTH,
    hirschberg_sinclair_reads_all = 0,
};

struct hirschberg_sinclair_in {
    struct fc_event event;
    struct hirschberg_sinclair_msg msg;
};

struct hirschberg_sinclair_out {
    struct fc_effects fx;
    struct hirschberg_sinclair_msg send[2];
};

FC_API void hirschberg_sinclair_step(struct hirschberg_sinclair *s,
                                     const struct hirschberg_sinclair_params *p,
                                     const struct fc_named *me,
                                     const struct hirschberg_sinclair_in *in,
                                     struct hirschberg_sinclair_out *out);

FC_API void hirschberg_sinclair_view(const struct hirschberg_sinclair *s,
                                     const struct fc_named *me,
                                     struct election_view *view);

FC_API uint32_t
hirschberg_sinclair_kind(const struct hirschberg_sinclair_msg *m);
FC_API uint32_t hirschberg_sinclair_fields(
    const struct hirschberg_sinclair_msg *m, uint64_t out[FC_FIELDS_MAX]);
FC_API uint32_t
hirschberg_sinclair_paper_bits(const struct hirschberg_sinclair_msg *m);
FC_API uint32_t
hirschberg_sinclair_wire_bytes(const struct hirschberg_sinclair_msg *m);
FC_API size_t hirschberg_sinclair_pack(const struct hirschberg_sinclair_msg *m,
                                       uint8_t wire[FC_WIRE_MAX]);
FC_API int hirschberg_sinclair_unpack(struct hirschberg_sinclair_msg *m,
                                      const uint8_t *wire, size_t size);

extern const struct fc_protocol hirschberg_sinclair_protocol;

#endif
