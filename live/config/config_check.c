/*
 * config_check.c - see config_parts.h: whether the times of a configuration can
 * work, and whether the bounds of mode silence were meant.
 */
#include "live/config/config_parts.h"

#include <inttypes.h>
#include <stdio.h>

#define KILL_LEAST MS

uint32_t line_of(const struct reading *r, uint32_t key)
{
    return r->seen & 1u << key ? r->key_line[key] : r->line;
}

/* The shortest lease of which `least` is left when K is taken away. */
static uint64_t shortest_lease(const struct reading *r, uint64_t least)
{
    if (r->seen & 1u << KEY_KILL)
        return r->config->kill + least;
    return (10 * least + 8) / 9;
}

/* A time as the file writes it. */
struct spelt {
    char text[32];
};
static struct spelt spelt(uint64_t us)
{
    struct spelt s;
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

/* The same, rounded up where nobody minds. */
static struct spelt spelt_up(uint64_t us)
{
    return spelt(us < 10 * MS ? us : (us + MS - 1) / MS * MS);
}

/* A lease must outlive a lost frame or two, or nobody ever holds one. */
static void check_times(struct reading *r)
{
    const struct live_config *c = r->config;
    uint64_t least = live_config_stretch(c, 2 * c->tau) + 2 * c->delay;

    if (c->tau < 100 || c->tau > 10 * SECOND)
        complain_at(r, line_of(r, KEY_TAU),
                    "tau must be in 100us..10s; 100ms is usual");
    else if (c->kill >= c->lease)
        complain_at(r, line_of(r, KEY_KILL),
                    "kill = %s leaves nothing of a lease of %s; a tenth of the "
                    "lease is usual",
                    spelt(c->kill).text, spelt(c->lease).text);
    else if (c->lease - c->kill < least)
        complain_at(r, line_of(r, KEY_LEASE),
                    "a lease of %s, less kill, is shorter than two tau and two "
                    "delays; make it at least %s",
                    spelt(c->lease).text,
                    spelt_up(shortest_lease(r, least)).text);
    else if (c->silence &&
             c->silence < live_config_stretch(c, c->tau) + c->delay)
        complain_at(r, line_of(r, KEY_SILENCE),
                    "silence is shorter than one tau and one delay; make it at "
                    "least %s, or leave it out",
                    spelt_up(live_config_stretch(c, c->tau) + c->delay).text);
}

/* Nobody gets there by mistake: what it rests on must be written down. */
static void check_silence(struct reading *r)
{
    const struct live_config *c = r->config;
    const uint32_t hard = 1u << KEY_BOUNDS | 1u << KEY_DMAX | 1u << KEY_STEP;

    for (uint32_t i = 0; i < c->nodes_count; i++)
        if (c->nodes[i].witness)
            complain_at(r, r->node_line[i],
                        "node '%s' is a witness, and mode = silence needs no "
                        "majority; remove that line",
                        c->nodes[i].name);
    if ((r->seen & hard) != hard)
        complain_at(r, line_of(r, KEY_MODE),
                    "mode = silence takes silence for consent, and two nodes "
                    "may hold a lock if they cannot reach each other; if no "
                    "packet is ever later than dmax and no node ever slower "
                    "than step, write both and bounds = hard, else take mode "
                    "= proven");
    else if (c->dmax < 100 || c->dmax > 10 * SECOND)
        complain_at(r, line_of(r, KEY_DMAX),
                    "dmax must be in 100us..10s; write a bound that is never "
                    "exceeded");
    else if (c->step < 1000 || c->step > 10 * SECOND)
        complain_at(r, line_of(r, KEY_STEP),
                    "step must be in 1ms..10s; write a bound that is never "
                    "exceeded");
    else if (c->lease < c->kill + 3 * c->step)
        complain_at(r, line_of(r, KEY_LEASE),
                    "a lease of %s, less kill, is shorter than three steps; "
                    "make it at least %s",
                    spelt(c->lease).text,
                    spelt_up(shortest_lease(r, 3 * c->step)).text);
}

/* A bound that nothing is done with would look like a promise. */
static void check_proven(struct reading *r)
{
    static const uint32_t bounds[] = {KEY_BOUNDS, KEY_DMAX, KEY_STEP,
                                      KEY_WINDOW};

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (r->seen & 1u << bounds[i])
            complain_at(r, r->key_line[bounds[i]],
                        "%s is for mode = silence; remove it, or write that "
                        "mode",
                        live_config_keys[bounds[i]]);
    check_times(r);
}

/* Nothing dies in no time, and nobody wakes up without delay: with less the
 * first promise would rest on luck. */
static void check_kill(struct reading *r)
{
    if (r->config->kill < KILL_LEAST)
        complain_at(r, line_of(r, KEY_KILL),
                    "kill = %s leaves no time for a command to die before "
                    "another may hold its lock; make it at least %s, and more "
                    "than twice as long as this machine may be late",
                    spelt(r->config->kill).text, spelt(KILL_LEAST).text);
}

void live_check_times(struct reading *r)
{
    check_kill(r);
    if (r->config->mode == LIVE_SILENCE)
        check_silence(r);
    else
        check_proven(r);
}
