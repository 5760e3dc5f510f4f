/*
 * rw_preventive.h - readers and writers by mutual exclusion (Spirakis and
 * Tampakas 1989, section 3.1): archimedean.h, with readers.
 *
 * The story is told in README.md.
 */
#ifndef RW_PREVENTIVE_H
#define RW_PREVENTIVE_H

#include "protocols/mutex/archimedean/archimedean.h"

struct rw_preventive {
    struct archimedean site;
};

#define rw_preventive_msg          archimedean_msg
#define rw_preventive_params       archimedean_params
#define rw_preventive_in           archimedean_in
#define rw_preventive_out          archimedean_out
#define rw_preventive_site         fc_member
#define rw_preventive_problem      mutex
#define rw_preventive_topology     FC_COMPLETE
#define rw_preventive_timers       archimedean_timers
#define rw_preventive_traits       archimedean_traits
#define rw_preventive_record       archimedean_record
#define rw_preventive_state_fields archimedean_state_fields
#define rw_preventive_kind         archimedean_kind
#define rw_preventive_fields       archimedean_fields
#define rw_preventive_paper_bits   archimedean_paper_bits
#define rw_preventive_wire_bytes   archimedean_wire_bytes
#define rw_preventive_pack         archimedean_pack
#define rw_preventive_unpack       archimedean_unpack_any

FC_FUNCTIONS(rw_preventive);

#endif
