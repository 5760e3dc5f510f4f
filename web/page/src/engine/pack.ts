/*
 * pack.ts - recordings on their way from the worker to the page.  Objects are
 * slow to copy between them: long lists of timers travel as columns, and become
 * objects again only if somebody asks.
 */
import type { Recording, TimerStart } from "./api";

interface Packed extends Omit<Recording, "timers"> {
  timers: TimerStart[] | null;
}

function isRecording(value: unknown): value is Recording {
  return typeof value === "object" && value !== null && "events" in value && "messages" in value && "timers" in value;
}

function each(value: unknown, change: (r: Recording) => unknown): unknown {
  if (isRecording(value)) return change(value);
  if (typeof value === "object" && value !== null && "recording" in value && isRecording(value.recording))
    return { ...value, recording: change(value.recording) };
  return value;
}

/* In the worker. */
export function pack(value: unknown): unknown {
  return each(value, (r): Packed => ({
    ...r,
    timers: null,
    timerColumns: r.timerColumns ?? {
      event: Uint32Array.from(r.timers, (t) => t.event),
      timer: Uint8Array.from(r.timers, (t) => t.timer),
      steps: Float64Array.from(r.timers, (t) => t.steps),
    },
  }));
}

/* On the page. */
export function unpack<T>(value: T): T {
  return each(value, (r) => {
    const columns = r.timerColumns;
    if (!columns) return r;
    let list: TimerStart[] | null = null;
    return Object.defineProperty({ ...r }, "timers", {
      enumerable: true,
      get: () => (list ??= Array.from(columns.event, (event, i) => ({ event, timer: columns.timer[i], steps: columns.steps[i] }))),
    });
  }) as T;
}
