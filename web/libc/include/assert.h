/*
 * assert.h - as in C; a page has no use for the name of a file.
 */
#ifndef WEB_ASSERT_H
#define WEB_ASSERT_H

#define static_assert _Static_assert

_Noreturn void web_assertion(void);

#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : web_assertion())
#endif

#endif
