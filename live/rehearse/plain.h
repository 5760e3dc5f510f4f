/*
 * plain.h - live/wire/datagram.h and ring.h without their cipher: for a
 * rehearsal, where nobody listens and a million datagrams a second are sealed
 * and opened.
 *
 * The same code, compiled once more under other names; a daemon has no way to
 * call it.
 */
#ifndef LIVE_PLAIN_H
#define LIVE_PLAIN_H

#define live_seal            plain_seal
#define live_seal_hello      plain_seal_hello
#define live_open            plain_open
#define live_channel_open    plain_channel_open
#define live_known_more      plain_known_more
#define live_greets_back     plain_greets_back
#define live_answer_stranger plain_answer_stranger
#define live_meet            plain_meet
#define live_is_news         plain_is_news
#define live_keys_open       plain_keys_open
#define live_ring_open       plain_ring_open
#define live_ring_join       plain_ring_join
#define live_ring_add        plain_ring_add
#define live_ring_swap       plain_ring_swap
#define live_ring_drop       plain_ring_drop
#define live_ring_lacks      plain_ring_lacks
#define live_ring_speaks     plain_ring_speaks
#define live_ring_say        plain_ring_say
#define live_ring_hear       plain_ring_hear
#define live_seal_answer     plain_seal_answer
#define live_key_print       plain_key_print
#define live_print_text      plain_print_text

#include "live/wire/ring.h"

#endif
