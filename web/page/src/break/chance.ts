/*
 * chance.ts - one message, late or lost.  The simulator takes a chance for all
 * messages, not the number of one.  But the fate of a message depends on the
 * seed, its sender and its serial number alone, so there is a least chance that
 * strikes it: that one is looked for, and the page says how many others it
 * strikes as well.
 */
import type { Engine, Recording, Report } from "../engine/api";
import { MESSAGE } from "../engine/api";
import { withBreak, type Break } from "./faults";

export interface Struck {
  words: string[];
  others: number;
  /* When it arrives now; Infinity: never. */
  arrives: number;
}

/* A message by its sender and how many that one had sent before. */
interface Serial {
  lane: number;
  number: number;
}

function serialOf(r: Recording, message: number): Serial {
  const lane = r.events.lane[r.messages.by[message]!]!;
  let number = 0;
  for (let m = 0; m < message; m++) {
    const own = r.events.lane[r.messages.by[m]!] === lane;
    if (own && (r.messages.flags[m]! & MESSAGE.COPY) === 0) number++;
  }
  return { lane, number };
}

function messageOf(r: Recording, { lane, number }: Serial): number {
  for (let m = 0; m < r.messages.count; m++) {
    if (r.events.lane[r.messages.by[m]!] !== lane || (r.messages.flags[m]! & MESSAGE.COPY) !== 0) continue;
    if (number-- === 0) return m;
  }
  return -1;
}

export function delayOf(r: Recording, message: number): number {
  return r.messages.arrives[message]! - r.events.tick[r.messages.by[message]!]!;
}

/* A delay that no bound allows; in a synchronous run every message takes a tick. */
export function greatestDelay(r: Recording): number {
  return r.head.time === "async" ? Infinity : Math.max(r.head.bounds.dmax, 1);
}

async function trial(engine: Engine, words: string[], b: Break): Promise<{ r: Recording; report: Report; line: string[] }> {
  const line = withBreak(words, b);
  const { run, recording, report } = await engine.record(line);
  await engine.forget(run);
  return { r: recording, report, line };
}

const DIGITS = 1000; /* chances are tried in steps of one in so many */

/* The least chance with which this message is struck; null if none does. */
async function least(
  engine: Engine, words: string[], serial: Serial, make: (chance: number) => Break,
  struck: (r: Recording, m: number) => boolean,
): Promise<number | null> {
  const hits = async (part: number): Promise<boolean> => {
    const { r } = await trial(engine, words, make(part / DIGITS));
    const m = messageOf(r, serial);
    return m >= 0 && struck(r, m);
  };
  let low = 0, high = 1;
  /* From small chances upwards: with great ones the run may not get that far. */
  while (!(await hits(high))) {
    low = high;
    if (high === DIGITS) return null;
    high = Math.min(DIGITS, high * 3);
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (await hits(middle)) high = middle;
    else low = middle;
  }
  return high / DIGITS;
}

export async function lose(engine: Engine, words: string[], before: Recording, message: number): Promise<Struck | null> {
  const serial = serialOf(before, message);
  const make = (chance: number): Break => ({ is: "lose", chance });
  const chance = await least(engine, words, serial, make, (r, m) => !Number.isFinite(r.messages.arrives[m]!));
  if (chance === null) return null;
  const { report, line } = await trial(engine, words, make(chance));
  return { words: line, others: (report.faults.lost as number) - 1, arrives: Infinity };
}

/* `tick`: when it shall arrive; how late is drawn from 1 to so many ticks, so
 * the nearest of a few is taken. */
export async function delay(
  engine: Engine, words: string[], before: Recording, message: number, tick: number,
): Promise<Struck | null> {
  const serial = serialOf(before, message);
  const sent = before.events.tick[before.messages.by[message]!]!;
  const dmax = greatestDelay(before);
  const wanted = Math.max(1, Math.round(tick - sent - (Number.isFinite(dmax) ? dmax : 0)));
  const make = (ticks: number) => (chance: number): Break => ({ is: "late", chance, ticks });
  const chance = await least(engine, words, serial, make(wanted), (r, m) => delayOf(r, m) > dmax);
  if (chance === null) return null;
  let best: Struck | null = null;
  for (const ticks of [wanted, wanted + 1, wanted + 2, Math.ceil(wanted * 1.5), wanted * 2]) {
    const { r, report, line } = await trial(engine, words, make(ticks)(chance));
    const m = messageOf(r, serial);
    const arrives = m >= 0 ? r.messages.arrives[m]! : Infinity;
    if (!best || Math.abs(arrives - tick) < Math.abs(best.arrives - tick))
      best = { words: line, others: (report.faults.late as number) - 1, arrives };
  }
  return best;
}
