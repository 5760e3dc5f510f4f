/*
 * violation.ts - when a violation begins, how long it lasts, who is to blame.
 */
import { NONE } from "../engine/api";
import { INSIDE, LEADER } from "./looks";
import type { Run } from "./run";

export interface Offence {
  property: string;
  event: number; /* that showed it; the last one if only the end did */
  from: number; /* the first bad instant */
  to: number;
  lanes: number[]; /* that break the property together, or the one that did */
  together: boolean;
}

const known = new WeakMap<Run, Offence[]>();

/* What comes and goes lasts until one of the offenders stops; the rest to the end. */
function lasts(run: Run, lanes: number[], event: number): number {
  let to = run.end;
  for (const lane of lanes) to = Math.min(to, run.spanEnd(lane, run.spanAfter(lane, event)));
  return to;
}

export function offences(run: Run): Offence[] {
  let list = known.get(run);
  if (list) return list;
  list = run.rec.violations.map((v) => {
    const atEnd = v.event === NONE || v.event < 0 || v.event >= run.events;
    const event = atEnd ? run.events - 1 : v.event;
    const inside = run.withLook(INSIDE, event), leaders = run.withLook(LEADER, event);
    if (v.property === "exclusion" && inside.length > 1)
      return { property: v.property, event, from: v.tick, to: lasts(run, inside, event), lanes: inside, together: true };
    if (leaders.length > 1)
      return { property: v.property, event, from: v.tick, to: run.end, lanes: leaders, together: true };
    const lane = v.lane >= 0 && v.lane < run.lanes && !atEnd ? [v.lane] : [];
    return { property: v.property, event, from: v.tick, to: run.end, lanes: lane, together: false };
  });
  list.sort((a, b) => a.from - b.from);
  known.set(run, list);
  return list;
}
