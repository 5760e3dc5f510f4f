/*
 * spirakis_tampakas_wire.h - the messages of spirakis_tampakas.c, which
 * includes it: what they show, what they cost, and how they are packed.
 */
#ifndef SPIRAKIS_TAMPAKAS_WIRE_H
#define SPIRAKIS_TAMPAKAS_WIRE_H

#include "protocols/election/spirakis_tampakas.h"

/* A byte for the kind and the mark of the phase; then the hops, if any. */
enum { WIRE_BARE = 1, WIRE_HOP = 5, WIRE_PHASE = 8 };

FC_API uint32_t spirakis_tampakas_kind(const struct spirakis_tampakas_msg *m)
{
    return m->kind;
}

FC_API uint32_t spirakis_tampakas_fields(const struct spirakis_tampakas_msg *m,
                                         uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->hop ? m->hop : m->phase ? m->phase - 1u : 0;
    return m->hop || m->phase;
}

/* Two bits tell four kinds apart: the c of Theorem 1.  The variants pay for
 * what they add. */
FC_API uint32_t
spirakis_tampakas_paper_bits(const struct spirakis_tampakas_msg *m)
{
    return 2u + (m->phase ? 1u : 0u) + (m->hop ? fc_dyadic_digits(m->hop) : 0u);
}

FC_API uint32_t
spirakis_tampakas_wire_bytes(const struct spirakis_tampakas_msg *m)
{
    return m->hop ? WIRE_HOP : WIRE_BARE;
}

FC_API size_t spirakis_tampakas_pack(const struct spirakis_tampakas_msg *m,
                                     uint8_t wire[FC_WIRE_MAX])
{
    wire[0] = (uint8_t)(m->kind + WIRE_PHASE * m->phase);
    if (!m->hop)
        return WIRE_BARE;
    fc_put32(wire + 1, m->hop);
    return WIRE_HOP;
}

/* Refuses (-1) what no node can have sent. */
FC_API int spirakis_tampakas_unpack(struct spirakis_tampakas_msg *m,
                                    const uint8_t *wire, size_t size)
{
    uint32_t kind, phase, hop = 0;

    if (size != WIRE_BARE && size != WIRE_HOP)
        return -1;
    kind = wire[0] % WIRE_PHASE;
    phase = wire[0] / WIRE_PHASE;
    if (kind == 0 || kind >= SPIRAKIS_TAMPAKAS_KINDS || phase > 2 ||
        (phase > 0 && kind != SPIRAKIS_TAMPAKAS_WAKEUP &&
         kind != SPIRAKIS_TAMPAKAS_CLAIM))
        return -1;
    if (size == WIRE_HOP) {
        hop = fc_get32(wire + 1);
        if (kind != SPIRAKIS_TAMPAKAS_CLAIM || phase > 0 || hop == 0 ||
            hop > FC_NAME_MAX)
            return -1;
    }
    *m = (struct spirakis_tampakas_msg){
        .kind = (uint8_t)kind, .phase = (uint8_t)phase, .hop = hop};
    return 0;
}

#endif
