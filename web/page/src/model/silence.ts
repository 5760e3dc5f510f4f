/*
 * silence.ts - long stretches in which nothing happens, for those who want to
 * fold them.
 */
import { above, below } from "./search";
import type { Run } from "./run";

export interface Silence { from: number; to: number }

const MANY = 5000; /* in sight: with more there is no silence */
const known = new WeakMap<Run, { from: Float64Array; to: Float64Array }>();

/* Of the whole run: from one event to the next, longer than four usual delays. */
function silences(run: Run): { from: Float64Array; to: Float64Array } {
  let found = known.get(run);
  if (found) return found;
  const { tick } = run.rec.events;
  const least = Math.max(8, 4 * run.usualDelay), from: number[] = [], to: number[] = [];
  for (let e = 1; e < run.events; e++) {
    if (tick[e] - tick[e - 1] <= least) continue;
    from.push(tick[e - 1]);
    to.push(tick[e]);
  }
  found = { from: Float64Array.from(from), to: Float64Array.from(to) };
  known.set(run, found);
  return found;
}

/* What is folded between two times: the middle of each silence, of the longest
 * ones if there are more than `most`. */
export function foldsOf(run: Run, from: number, to: number, most: number): Silence[] {
  const all = silences(run);
  const lo = above(all.to, from, 0, all.to.length), hi = below(all.from, to, 0, all.from.length);
  if (hi - lo > MANY || most < 1) return [];
  const list: Silence[] = [];
  for (let i = lo; i < hi; i++) {
    const fold = { from: Math.max(from, all.from[i] + 2), to: Math.min(to, all.to[i] - 2) };
    if (fold.to - fold.from > 4) list.push(fold);
  }
  list.sort((a, b) => b.to - b.from - (a.to - a.from));
  return list.slice(0, most).sort((a, b) => a.from - b.from);
}
