/*
 * without.c - the rules that a rehearsal can leave out, by their names.
 */
#include "live/rehearse/rehearse.h"

#include <string.h>

#include "live/desk/desk.h"
#include "live/mode/mode.h"
#include "protocols/mutex/view_lock/view_lock.h"

/* In which mode there is such a rule. */
enum {
    PROVEN = 1u << LIVE_PROVEN,
    SILENCE = 1u << LIVE_SILENCE,
    EITHER = PROVEN | SILENCE,
};

/* Of R1 to R7 those that are missed here: fulcrum check view-lock misses the
 * others, too. */
static const struct {
    const char *name;
    uint32_t modes;
    struct live_left_out out;
} rules[] = {
    {"P2", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_P2}},
    {"P1", PROVEN, {.machine = LIVE_WITHOUT_P1}},
    {"P3", PROVEN, {.machine = LIVE_WITHOUT_P3}},
    {"P4", PROVEN, {.machine = LIVE_WITHOUT_P4}},
    {"P6", PROVEN, {.machine = LIVE_WITHOUT_P6}},
    {"F1", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_F1}},
    {"F2", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_F2}},
    {"F3", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_F3}},
    {"F4", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_F4}},
    {"L2", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_L2}},
    {"L3", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_L3}},
    {"L4", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_L4}},
    {"L5", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_L5}},
    {"L6", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_L6}},
    {"V2", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_V2}},
    {"V3", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_V3}},
    {"V4", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_V4}},
    {"K4", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_K4}},
    {"R1-sync", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R1_SYNC}},
    {"R2", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R2}},
    {"R2-lease", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R2_LEASE}},
    {"R2-quiet", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R2_QUIET}},
    {"R2-prev", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R2_PREV}},
    {"R2a", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R2A}},
    {"R3", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R3}},
    {"R4-wait", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R4_WAIT}},
    {"R5", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R5}},
    {"R6-joins", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R6_JOINS}},
    {"R6a", PROVEN, {.protocol = VIEW_LOCK_WITHOUT_R6A}},
    {"R8", PROVEN, {.machine = LIVE_WITHOUT_R8}},
    {"R9", PROVEN, {.machine = LIVE_WITHOUT_R9}},
    {"K", PROVEN, {.desk = LIVE_DESK_WITHOUT_K}},
    {"first-K", PROVEN, {.desk = LIVE_DESK_WITHOUT_FIRST_K}},
    {"expiry", EITHER, {.desk = LIVE_DESK_WITHOUT_EXPIRY}},
    {"death", EITHER, {.desk = LIVE_DESK_WITHOUT_DEATH}},
    {"once", EITHER, {.desk = LIVE_DESK_WITHOUT_ONCE}},
    {"vacate", PROVEN, {.machine = LIVE_WITHOUT_VACATE}},
    {"guard", EITHER, {.machine = LIVE_WITHOUT_GUARD}},
    {"client", EITHER, {.machine = LIVE_WITHOUT_CLIENT}},
    {"start", PROVEN, {.machine = LIVE_WITHOUT_START}},
    {"acks", SILENCE, {.silence = LIVE_SILENCE_WITHOUT_ACKS}},
    {"mute", SILENCE, {.silence = LIVE_SILENCE_WITHOUT_MUTE}},
    {"lease", SILENCE, {.silence = LIVE_SILENCE_WITHOUT_LEASE}},
    {"pause", SILENCE, {.silence = LIVE_SILENCE_WITHOUT_PAUSE}},
    {"leave", SILENCE, {.silence = LIVE_SILENCE_WITHOUT_LEAVE}},
    {"floor", SILENCE, {.machine = LIVE_WITHOUT_FLOOR}},
};
enum { RULES = sizeof rules / sizeof rules[0] };

const char *live_left_out_name(uint32_t i, enum live_mode_name mode)
{
    for (uint32_t k = 0; k < RULES; k++)
        if (rules[k].modes >> mode & 1 && i-- == 0)
            return rules[k].name;
    return NULL;
}

bool live_left_out_find(struct live_left_out *out, const char *name,
                        enum live_mode_name mode)
{
    for (uint32_t k = 0; k < RULES; k++)
        if (rules[k].modes >> mode & 1 && strcmp(rules[k].name, name) == 0) {
            *out = rules[k].out;
            return true;
        }
    return false;
}
