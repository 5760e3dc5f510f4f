/*
 * pace.ts - steps that were longer or shorter than the bounds say, as far as a
 * trace shows them.
 *
 * A trace of a real machine does not list steps, but what happens in them.  A
 * timer of k steps that was set in a step and expires in another has seen k of
 * them pass; a message that waits at a node is read in its next step, unless its
 * application wants something; and a node reads one message in a step.
 */
import { NONE } from "../engine/api";
import { WHAT, type Run } from "./run";

export interface Slip {
  lane: number;
  from: number;
  to: number;
  steps: number; /* that this stretch was */
  slow: boolean; /* longer than rmax each; otherwise shorter than rmin */
}

const MOST = 2000;
const ROUNDS = 1 << 14;
const known = new WeakMap<Run, Slip[]>();

/* What judge() has found; nothing before that. */
export function slips(run: Run): Slip[] {
  return known.get(run) ?? [];
}

/* Looks for them, in steps: a long run takes longer than a frame. */
export function* judge(run: Run): Generator<void, void> {
  const { rec } = run, { rmin, rmax } = rec.head.bounds;
  const list: Slip[] = [];
  if (rec.head.time !== "archimedean" || rec.head.problem === "store" || !(rmax > 0)) return;
  const down = new Map<number, { from: number; to: number }[]>();
  for (const f of rec.faults) if (f.kind !== "cut") down.set(f.lane, [...(down.get(f.lane) ?? []), f]);
  /* A node that is down or paused takes no steps; that is marked as what it is. */
  const still = (lane: number, from: number, to: number): boolean =>
    down.get(lane)?.some((f) => f.from <= to && f.to >= from) ?? false;
  const put = (lane: number, from: number, to: number, steps: number, least: number): void => {
    const slow = to - from > steps * rmax;
    if ((slow || to - from < least) && list.length < MOST && !still(lane, from, to)) list.push({ lane, from, to, steps, slow });
  };
  yield* readTimers(run, (lane, from, to, steps, inStep) => put(lane, from, to, steps, (inStep ? steps : steps - 1) * rmin));
  const step = new Float64Array(run.lanes).fill(-Infinity), read = new Float64Array(run.lanes).fill(-Infinity);
  const { tick, lane, what, message } = rec.events;
  for (let e = 0; e < run.events; e++) {
    if (e % ROUNDS === 0) yield;
    const l = lane[e], t = tick[e];
    if (what[e] === WHAT.read && message[e] !== NONE) {
      const waits = Math.max(rec.messages.arrives[message[e]], step[l]);
      if (t > waits) put(l, waits, t, 1, 0);
      if (t > read[l] && read[l] > -Infinity) put(l, read[l], t, Math.ceil((t - read[l]) / rmin), rmin);
      read[l] = t;
    }
    if (what[e] <= WHAT.timeout) step[l] = t;
  }
  known.set(run, list.sort((a, b) => a.from - b.from));
}

/* Timers that expired; inStep: they were set in a step, not by a command that
 * came in the middle of one. */
function* readTimers(run: Run, tell: (lane: number, from: number, to: number, steps: number, inStep: boolean) => void): Generator<void, void> {
  const { tick, lane, what, timer } = run.rec.events;
  const armed = run.rec.timerColumns ?? {
    event: run.rec.timers.map((t) => t.event), timer: run.rec.timers.map((t) => t.timer), steps: run.rec.timers.map((t) => t.steps),
  };
  const open = new Map<number, { event: number; steps: number }>();
  let next = 0;
  for (let e = 0; e < run.events; e++) {
    if (e % ROUNDS === 0) yield;
    const key = lane[e] * 256 + timer[e], set = open.get(key);
    if (what[e] === WHAT.timeout && set) {
      open.delete(key);
      tell(lane[e], tick[set.event], tick[e], set.steps, what[set.event] === WHAT.read || what[set.event] === WHAT.timeout);
    } else if (what[e] === WHAT.crash) for (let k = 0; k < 8; k++) open.delete(lane[e] * 256 + k);
    for (; next < armed.event.length && armed.event[next] <= e; next++) {
      const at = lane[e] * 256 + armed.timer[next];
      open.delete(at);
      if (armed.steps[next] > 0 && Number.isFinite(armed.steps[next])) open.set(at, { event: e, steps: armed.steps[next] });
    }
  }
}

/* How many messages were late. */
export function lateMessages(run: Run): number {
  const limit = run.lateAfter();
  let n = 0;
  for (let m = 0; m < run.messages; m++) if (!run.isLost(m) && run.arrowEnd[m] - run.sentTick[m] > limit) n++;
  return n;
}
