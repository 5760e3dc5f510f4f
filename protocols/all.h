/*
 * all.h - the table of all protocols: one line each, and the build, the
 * command line, the simulator, the checker and the contract of all protocols
 * know it.  CONTRIBUTING.md lists what else speaks of each protocol.
 */
#ifndef PROTOCOLS_ALL_H
#define PROTOCOLS_ALL_H

/* A build that says which protocols it wants (make FEW=...) gets those. */
#ifndef FC_PROTOCOLS
#define FC_PROTOCOLS(X)                                                        \
    X(vitanyi)                                                                 \
    X(lelann)                                                                  \
    X(chang_roberts)                                                           \
    X(chang_roberts_max)                                                       \
    X(peterson)                                                                \
    X(dolev_klawe_rodeh)                                                       \
    X(franklin)                                                                \
    X(hirschberg_sinclair)                                                     \
    X(bully)                                                                   \
    X(tree)                                                                    \
    X(spirakis_tampakas)                                                       \
    X(itai_rodeh)                                                              \
    X(itai_rodeh_sync)                                                         \
    X(ring_size)                                                               \
    X(token_ring)                                                              \
    X(ring_sort)                                                               \
    X(ring_names)                                                              \
    X(tree_names)                                                              \
    X(central)                                                                 \
    X(central_clock)                                                           \
    X(lamport)                                                                 \
    X(ricart_agrawala)                                                         \
    X(carvalho_roucairol)                                                      \
    X(maekawa)                                                                 \
    X(raymond_k)                                                               \
    X(suzuki_kasami)                                                           \
    X(token_mutex)                                                             \
    X(raymond)                                                                 \
    X(naimi_trehel)                                                            \
    X(archimedean)                                                             \
    X(rw_preventive)                                                           \
    X(rw_optimistic)                                                           \
    X(view_lock)
#endif

#endif
