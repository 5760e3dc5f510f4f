/*
 * without.c - the rules that a rehearsal can leave out, by their names.
 *
 * F1 and L6 are not among them: in a whole node they are missed so rarely that
 * no run has shown it; the protocol alone misses them
 * (tests/source/mutants.txt).
 */
#include "live/rehearse/rehearse.h"

#include <string.h>

#include "live/desk/desk.h"
#include "protocols/mutex/view_lock.h"

static const struct {
    const char *name;
    struct live_left_out out;
} rules[] = {
    {"P2", {.protocol = VIEW_LOCK_WITHOUT_P2}},
    {"P1", {.machine = LIVE_WITHOUT_P1}},
    {"P3", {.machine = LIVE_WITHOUT_P3}},
    {"P4", {.machine = LIVE_WITHOUT_P4}},
    {"F2", {.protocol = VIEW_LOCK_WITHOUT_F2}},
    {"F3", {.protocol = VIEW_LOCK_WITHOUT_F3}},
    {"F4", {.protocol = VIEW_LOCK_WITHOUT_F4}},
    {"L2", {.protocol = VIEW_LOCK_WITHOUT_L2}},
    {"L3", {.protocol = VIEW_LOCK_WITHOUT_L3}},
    {"L4", {.protocol = VIEW_LOCK_WITHOUT_L4}},
    {"L5", {.protocol = VIEW_LOCK_WITHOUT_L5}},
    {"V2", {.protocol = VIEW_LOCK_WITHOUT_V2}},
    {"V3", {.protocol = VIEW_LOCK_WITHOUT_V3}},
    {"V4", {.protocol = VIEW_LOCK_WITHOUT_V4}},
    {"K4", {.protocol = VIEW_LOCK_WITHOUT_K4}},
    {"K", {.desk = LIVE_DESK_WITHOUT_K}},
    {"expiry", {.desk = LIVE_DESK_WITHOUT_EXPIRY}},
    {"death", {.desk = LIVE_DESK_WITHOUT_DEATH}},
    {"once", {.desk = LIVE_DESK_WITHOUT_ONCE}},
    {"vacate", {.machine = LIVE_WITHOUT_VACATE}},
    {"guard", {.machine = LIVE_WITHOUT_GUARD}},
    {"client", {.machine = LIVE_WITHOUT_CLIENT}},
    {"start", {.machine = LIVE_WITHOUT_START}},
};

const char *live_left_out_name(uint32_t i)
{
    return i < sizeof rules / sizeof rules[0] ? rules[i].name : NULL;
}

bool live_left_out_find(struct live_left_out *out, const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].name, name) == 0) {
            *out = rules[i].out;
            return true;
        }
    return false;
}
