/*
 * past.h - what typed properties need of a run that is followed event by event:
 * how the network was before, and who still waits for something.
 */
#ifndef NET_PAST_H
#define NET_PAST_H

#include "net/asked.h"

struct net_past;

/* Begins before the first event, with the network as it is then; its states
 * are `stride` bytes apart at most.  NULL: no memory. */
struct net_past *net_past_new(const struct net *net,
                              const struct fc_network *all, size_t msg_size,
                              size_t stride);
void net_past_free(struct net_past *past);

/* An event has happened: the properties that its step, and the state after it,
 * break; with the first one also those that the beginning broke. */
uint32_t net_past_step(struct net_past *past, const struct fc_network *all);

/* Nothing is left to happen: those that see this, and those that wait. */
uint32_t net_past_end(struct net_past *past, const struct fc_network *all);

/* There was no memory, or a property had no value. */
bool net_past_failed(const struct net_past *past);

#endif
