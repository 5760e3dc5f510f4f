/*
 * inttypes.h - as in C.
 */
#ifndef WEB_INTTYPES_H
#define WEB_INTTYPES_H

#include <stdint.h>

#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "lld"
#define PRIu64 "llu"
#define PRIx64 "llx"

#endif
