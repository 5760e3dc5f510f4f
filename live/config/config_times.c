/*
 * config_times.c - see config.h: whether the times of mode proven can work, of
 * a file or of a change while the nodes run.
 */
#include "live/config/config_parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "net/why.h"

#define MS     UINT64_C(1000)
#define SECOND UINT64_C(1000000)

/* The shortest lease of which `least` is left when K is taken away. */
uint64_t live_config_shortest(const struct live_config *config,
                              bool kill_is_set, uint64_t least)
{
    return kill_is_set ? config->kill + least : (10 * least + 8) / 9;
}

struct live_spelt live_spelt(uint64_t us)
{
    struct live_spelt s;
    bool seconds = us % SECOND == 0, whole = us % MS == 0;

    snprintf(s.text, sizeof s.text, "%" PRIu64 "%s",
             us / (seconds ? SECOND
                   : whole ? MS
                           : 1),
             seconds ? "s"
             : whole ? "ms"
                     : "us");
    return s;
}

struct live_spelt live_spelt_up(uint64_t us)
{
    return live_spelt(us < 10 * MS ? us : (us + MS - 1) / MS * MS);
}

uint32_t live_config_odd_time(const struct live_config *c, bool kill_is_set,
                              struct net_why *why)
{
    uint64_t heard = live_config_stretch(c, c->tau) + c->delay;
    uint64_t least = live_config_stretch(c, 2 * c->tau) + 2 * c->delay;

    if (c->tau < 100 || c->tau > 10 * SECOND) {
        net_refuse(why, "tau must be in 100us..10s; 100ms is usual");
        return KEY_TAU;
    }
    if (c->kill >= c->lease) {
        net_refuse(why,
                   "kill = %s leaves nothing of a lease of %s; a tenth of the "
                   "lease is usual",
                   live_spelt(c->kill).text, live_spelt(c->lease).text);
        return KEY_KILL;
    }
    if (c->lease - c->kill < least) {
        net_refuse(
            why,
            "a lease of %s, less kill, is shorter than two tau and two "
            "delays; make it at least %s",
            live_spelt(c->lease).text,
            live_spelt_up(live_config_shortest(c, kill_is_set, least)).text);
        return KEY_LEASE;
    }
    if (c->silence && c->silence < heard) {
        net_refuse(why,
                   "silence is shorter than one tau and one delay; make it at "
                   "least %s, or leave it out",
                   live_spelt_up(heard).text);
        return KEY_SILENCE;
    }
    return KEYS;
}

bool live_config_times_fit(const struct live_config *config,
                           struct net_why *why)
{
    return live_config_odd_time(config, true, why) == KEYS;
}
