/*
 * one.ts - one message, delayed or lost: the simulator counts the messages of a
 * node from 1.
 */
import type { Recording } from "../engine/api";
import { MESSAGE } from "../engine/api";
import type { Break } from "./faults";

/* What people call its sender, and which of that one's messages it is. */
function serialOf(r: Recording, message: number): { node: string; number: number } {
  const lane = r.events.lane[r.messages.by[message]!]!;
  let number = 0;
  for (let m = 0; m <= message; m++) {
    const own = r.events.lane[r.messages.by[m]!] === lane;
    if (own && (r.messages.flags[m]! & MESSAGE.COPY) === 0) number++;
  }
  return { node: String(r.head.names[lane] ?? lane), number };
}

export function delayOf(r: Recording, message: number): number {
  return r.messages.arrives[message]! - r.events.tick[r.messages.by[message]!]!;
}

/* The greatest delay that the bounds allow; in a synchronous run a tick. */
export function greatestDelay(r: Recording): number {
  return r.head.time === "async" ? Infinity : Math.max(r.head.bounds.dmax, 1);
}

export function lose(r: Recording, message: number): Break {
  return { is: "lose", ...serialOf(r, message) };
}

/* `tick`: when it shall arrive. */
export function delay(r: Recording, message: number, tick: number): Break {
  const sent = r.events.tick[r.messages.by[message]!]!;

  return { is: "late", ...serialOf(r, message), ticks: Math.max(1, Math.round(tick - sent)) };
}
