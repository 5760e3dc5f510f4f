/*
 * atomic.h - the atomic types of <stdatomic.h>, which C++ has elsewhere: they
 * are the same bytes.
 */
#ifndef NET_ATOMIC_H
#define NET_ATOMIC_H

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
using std::atomic_uint_fast64_t;
#else
#include <stdatomic.h>
#endif

#endif
