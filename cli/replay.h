/*
 * replay.h - fulcrum sim --replay FILE.
 */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

/* Runs the events of a trace once more; returns the exit code. */
int cli_replay(const char *path);

#endif
