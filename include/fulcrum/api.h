/*
 * api.h - what libfulcrum promises.
 *
 * Every header beside this one includes declarations of the library and names
 * with FULCRUM_API those that are promised.  The shared library exports them
 * and nothing else: the Makefile makes its list of symbols out of these lines.
 * In the static library all other names begin with fulcrum__.
 */
#ifndef FULCRUM_API_H
#define FULCRUM_API_H

/* Declares it once more, so that a name that is gone does not compile. */
#define FULCRUM_API(symbol) extern __typeof__(symbol) symbol

/* Around declarations, which are of C also where they are read by C++.  That
 * has templates in some system headers, so those come first. */
#ifdef __cplusplus
#include <atomic>
#include <cstdint>
#include <cstdio>
#define FULCRUM_BEGIN extern "C" {
#define FULCRUM_END   }
#else
#define FULCRUM_BEGIN
#define FULCRUM_END
#endif

#endif
