/*
 * record_change.c - whether a record may go on under a configuration, and what
 * it owes to the one before: rules P5 and P6.
 */
#include "live/record/record_parts.h"

/* P5: another configuration is of a higher generation. */
static enum live_record_found found_other(const struct record_slot *slot,
                                          const struct live_config *config,
                                          const char *path,
                                          struct net_why *error)
{
    if (slot->generation == config->generation)
        net_refuse(
            error,
            "%s: the configuration has changed, and is still of generation "
            "%u; stop all nodes, write generation = %u into the file of "
            "each, and start them",
            path, slot->generation, slot->generation + 1);
    else
        net_refuse(
            error,
            "%s: the record is of generation %u, and the configuration of "
            "%u; use the newer file, or write a higher generation into "
            "the files of all nodes",
            path, slot->generation, config->generation);
    return LIVE_RECORD_OTHER;
}

/* P6: a higher generation than the file's was met. */
static enum live_record_found found_outdated(const struct record_slot *slot,
                                             const struct live_config *config,
                                             const char *path,
                                             struct net_why *error)
{
    net_refuse(
        error,
        "%s: this node has stopped because another one showed generation "
        "%u of the configuration, and this file is of generation %u; give "
        "this node the file of generation %u; or, if that was a mistake, "
        "correct it there, and start this node once with --stay",
        path, slot->outdated_by, config->generation, slot->outdated_by);
    return LIVE_RECORD_OUTDATED;
}

enum live_record_found record_judge_change(const struct record_slot *slot,
                                           const struct live_config *config,
                                           const char *path,
                                           struct live_record_change *change,
                                           struct net_why *error)
{
    uint64_t quiet = live_config_quiet(config);
    bool changed = slot->hash != config->hash;

    if (changed && slot->generation == config->generation)
        return found_other(slot, config, path, error);
    if (slot->generation > config->generation)
        return found_other(slot, config, path, error);
    if (slot->outdated_by > config->generation)
        return found_outdated(slot, config, path, error);
    if (changed)
        *change = (struct live_record_change){
            .changed = true,
            .generation = slot->generation,
            .wait = slot->quiet > quiet ? slot->quiet - quiet : 0};
    return LIVE_RECORD_FINE;
}

void record_take_over(struct record_slot *slot,
                      const struct live_config *config, uint32_t self,
                      struct live_record_change *change)
{
    if (slot->generation != config->generation) {
        if (slot->quiet_before < slot->quiet)
            slot->quiet_before = slot->quiet;
        slot->quiet = 0; /* it has begun no lease yet */
    }
    slot->hash = config->hash;
    slot->node = self;
    slot->generation = config->generation;
    if (slot->quiet < live_config_quiet(config))
        slot->quiet = live_config_quiet(config);
    slot->outdated_by = 0;
    if (slot->stays_from <= config->generation)
        slot->stays_from = 0; /* they are no strangers any more */
    change->stays_from = slot->stays_from;
    change->quiet =
        slot->quiet > slot->quiet_before ? slot->quiet : slot->quiet_before;
}
