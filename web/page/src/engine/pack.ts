/*
 * pack.ts - recordings on their way from the worker to the page.  Objects are
 * slow to copy between them: the long lists travel as columns, and become
 * objects again only if somebody asks.
 */
import type { Choice, Recording, TimerStart } from "./api";
import { transfers } from "./recording";

type Columns<T> = { [K in keyof T]: Float64Array<ArrayBuffer> };

interface Packed extends Omit<Recording, "timers" | "choices"> {
  timers: null;
  choices: Columns<Choice>;
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

/* In the worker: what to send, and the arrays that are handed over rather than
 * copied.  The engine keeps the lane and the role of each event for itself. */
export function pack(value: unknown): [unknown, ArrayBuffer[]] {
  const over: ArrayBuffer[] = [];
  const sent = each(value, (r): Packed => {
    const timerColumns = r.timerColumns ?? {
      event: Uint32Array.from(r.timers, (t) => t.event),
      timer: Uint8Array.from(r.timers, (t) => t.timer),
      steps: Float64Array.from(r.timers, (t) => t.steps),
    };
    const choices = {
      event: Float64Array.from(r.choices, (c) => c.event),
      value: Float64Array.from(r.choices, (c) => c.value),
      range: Float64Array.from(r.choices, (c) => c.range),
    };
    const events = { ...r.events, lane: r.events.lane.slice(), role: r.events.role.slice() };
    over.push(...transfers({ ...r, events }));
    for (const column of [...Object.values(timerColumns), ...Object.values(choices)]) over.push(column.buffer as ArrayBuffer);
    return { ...r, events, timers: null, timerColumns, choices };
  });
  return [sent, over];
}

/* A property that is made when somebody first asks for it. */
function late<T>(object: object, name: string, make: () => T): void {
  let made: T | undefined;
  Object.defineProperty(object, name, { enumerable: true, get: () => (made ??= make()) });
}

/* On the page. */
export function unpack<T>(value: T): T {
  return each(value, (r) => {
    const { timerColumns: t, choices } = r as unknown as Packed;
    if (!t) return r;
    const whole = { ...r };
    late(whole, "timers", (): TimerStart[] => Array.from(t.event, (event, i) => ({ event, timer: t.timer[i], steps: t.steps[i] })));
    late(whole, "choices", (): Choice[] => Array.from(choices.event, (event, i) => ({ event, value: choices.value[i], range: choices.range[i] })));
    return whole;
  }) as T;
}
