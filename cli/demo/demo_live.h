/*
 * demo_live.h - the part of the demo with real nodes.
 */
#ifndef CLI_DEMO_LIVE_H
#define CLI_DEMO_LIVE_H

/* Five nodes on loopback fight for a lock and elect a leader, while nodes are
 * killed and frozen; files go into `folder`.  Returns an exit code. */
int demo_live(const char *folder);

#endif
