/*
 * slew.h - by how much the kernel lets the clock run faster or slower, because
 * somebody (chrony, ntpd, adjtime) corrects the time of day: the clock that
 * nobody can set runs at that rate, too (rule K6).
 */
#ifndef LIVE_SLEW_H
#define LIVE_SLEW_H

#include <stdint.h>

/* Millionths, whatever the direction; UINT32_MAX: the system does not tell. */
uint32_t live_slew(void);

#endif
