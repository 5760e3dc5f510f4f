/*
 * broken.h - for tests of X_sane(): each rule is broken once, and its sentence
 * looked for.
 */
#ifndef BROKEN_H
#define BROKEN_H

#include "tests/unit/kit/test.h"

/* Breaks what stands at `at`, judges, and puts it right again. */
#define BROKEN(at, value, judged, sentence)                                    \
    do {                                                                       \
        __typeof__(at) was = (at);                                             \
        (at) = (value);                                                        \
        assert_non_null(judged);                                               \
        assert_string_equal(judged, sentence);                                 \
        (at) = was;                                                            \
        assert_null(judged);                                                   \
    } while (0)

#endif
