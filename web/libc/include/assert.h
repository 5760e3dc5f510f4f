/*
 * assert.h - as in C.
 */
#ifndef WEB_ASSERT_H
#define WEB_ASSERT_H

_Noreturn void web_assertion(const char *what, const char *file, int line);

#define static_assert _Static_assert

#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : web_assertion(#e, __FILE__, __LINE__))
#endif

#endif
