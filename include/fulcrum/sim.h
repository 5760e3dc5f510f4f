/*
 * sim.h - the simulator: one run, or many on several threads; see
 * libfulcrum(3).
 */
#ifndef FULCRUM_SIM_H
#define FULCRUM_SIM_H

#include "api.h"
#include "net.h"

FULCRUM_BEGIN
#include "sim/batch.h"
#include "sim/sim.h"
FULCRUM_END

FULCRUM_API(sim_types);
FULCRUM_API(sim_find);
FULCRUM_API(sim_use);
FULCRUM_API(sim_describe);
FULCRUM_API(sim_last_tick);
FULCRUM_API(sim_run);
FULCRUM_API(sim_batch);
FULCRUM_API(sim_stat_mean);
FULCRUM_API(sim_stat_sd);
FULCRUM_API(sim_scale_percentile);
FULCRUM_API(net_duration_read);
FULCRUM_API(net_memory_free);
FULCRUM_API(net_memory_bytes);

#endif
