/*
 * plain.h - live/wire/datagram.h without its cipher: for a rehearsal, where
 * nobody listens and a million datagrams a second are sealed and opened.
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

#include "live/wire/datagram.h"

#endif
