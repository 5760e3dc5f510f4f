/*
 * itai_rodeh.h - election without names by drawing anew (Itai and Rodeh 1981).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/itai-rodeh.md.
 */
#ifndef ITAI_RODEH_H
#define ITAI_RODEH_H

#include "core/fc.h"
#include "core/wire.h"
#include "problems/election.h"

enum itai_rodeh_status {
    ITAI_RODEH_ASLEEP,
    ITAI_RODEH_ACTIVE,
    ITAI_RODEH_PASSIVE,
    ITAI_RODEH_LEADER,
    ITAI_RODEH_DONE,
};

enum itai_rodeh_kind {
    ITAI_RODEH_TOKEN = 1,
    ITAI_RODEH_ELECTED,
    ITAI_RODEH_KINDS,
};

/* Fields that a status does not use are 0 in it. */
struct itai_rodeh {
    uint32_t round; /* active: from 1 */
    uint32_t id;    /* active: drawn in 1..n for this round */
    uint8_t status; /* enum itai_rodeh_status */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct itai_rodeh) == 12, "flat, without padding");

struct itai_rodeh_msg {
    uint32_t round; /* 0: the messages of this run carry none */
    uint32_t id;
    uint32_t hop;
    uint8_t kind;   /* `elected` is a kind and no more */
    uint8_t unique; /* the bit: nobody with the same id has passed it on */
    uint16_t unused;
};
_Static_assert(sizeof(struct itai_rodeh_msg) == 16, "flat, without padding");

struct itai_rodeh_params {
    uint8_t rounds; /* 0: messages carry no round */
};

#define itai_rodeh_site    fc_anonymous
#define itai_rodeh_problem election

enum {
    itai_rodeh_timers = 0,
    itai_rodeh_name_once = 0,
    itai_rodeh_topology = FC_RING,
    itai_rodeh_reads_all = 0,
};

struct itai_rodeh_in {
    struct fc_event event;
    struct itai_rodeh_msg msg;
};

struct itai_rodeh_out {
    struct fc_effects fx;
    struct itai_rodeh_msg send[1];
};

FC_API void itai_rodeh_step(struct itai_rodeh *s,
                            const struct itai_rodeh_params *p,
                            const struct fc_anonymous *me,
                            const struct itai_rodeh_in *in,
                            struct itai_rodeh_out *out);

FC_API void itai_rodeh_view(const struct itai_rodeh *s,
                            const struct fc_anonymous *me,
                            struct election_view *view);

FC_API uint32_t itai_rodeh_kind(const struct itai_rodeh_msg *m);
FC_API uint32_t itai_rodeh_fields(const struct itai_rodeh_msg *m,
                                  uint64_t out[FC_FIELDS_MAX]);
FC_API uint32_t itai_rodeh_paper_bits(const struct itai_rodeh_msg *m);
FC_API uint32_t itai_rodeh_wire_bytes(const struct itai_rodeh_msg *m);
FC_API size_t itai_rodeh_pack(const struct itai_rodeh_msg *m,
                              uint8_t wire[FC_WIRE_MAX]);
FC_API int itai_rodeh_unpack(struct itai_rodeh_msg *m, const uint8_t *wire,
                             size_t size);

extern const struct fc_protocol itai_rodeh_protocol;

#endif
