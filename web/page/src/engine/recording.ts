/*
 * recording.ts - copies the columns of a run out of the memory of C.
 */
import { ROLES, SAME_ROLE, WHATS } from "./api";
import type { Recording, Violation, Fault, TimerStart, Choice, Head } from "./api";
import type { Instance } from "./module";

/* As say_head() of web/module/run.c has it: JSON knows no infinity. */
export interface Said {
  head: Omit<Head, "names" | "steps"> & { likes: number[] };
  violations: Violation[];
  faults: (Omit<Fault, "to"> & { to: number | null })[];
  endTick: number;
  ended: boolean;
  quiet: boolean;
  states: boolean;
}

const endless = (n: number | null) => n ?? Infinity;

/* A number of 64 bits, exact up to 2^53; as a tick, the greatest is never. */
const wide = (words: Uint32Array, i: number) => words[2 * i + 1] * 2 ** 32 + words[2 * i];
const tick = (n: number) => (n < 2 ** 64 ? n : Infinity);

function readWide(buffer: ArrayBuffer, at: number, count: number): Float64Array<ArrayBuffer> {
  const words = new Uint32Array(buffer, at, 2 * count);
  const out = new Float64Array(count);

  for (let i = 0; i < count; i++) out[i] = wide(words, i);
  return out;
}

function readTicks(buffer: ArrayBuffer, at: number, count: number): Float64Array<ArrayBuffer> {
  const out = readWide(buffer, at, count);

  for (let i = 0; i < count; i++) out[i] = tick(out[i]);
  return out;
}

/* Rows of struct trace_step. */
function readSteps(buffer: ArrayBuffer, at: number, count: number): { length: number; phase: number }[] {
  const words = new Uint32Array(buffer, at, 4 * count);

  return Array.from({ length: count }, (_, i) => ({ length: wide(words, 2 * i), phase: wide(words, 2 * i + 1) }));
}

/* Rows of struct trace_timer: the steps, a word, and two bytes: which timer, and
 * whether it is stopped. */
function readTimers(buffer: ArrayBuffer, at: number, count: number): NonNullable<Recording["timerColumns"]> {
  const words = new Uint32Array(buffer, at, 4 * count);
  const stops = (i: number) => (words[4 * i + 3] >> 8) & 1;

  return {
    steps: Float64Array.from({ length: count }, (_, i) => (stops(i) ? -1 : tick(wide(words, 2 * i)))),
    event: Uint32Array.from({ length: count }, (_, i) => words[4 * i + 2]),
    timer: Uint8Array.from({ length: count }, (_, i) => words[4 * i + 3]),
  };
}

/* Rows of struct trace_choice: three words. */
function readChoices(buffer: ArrayBuffer, at: number, count: number): Choice[] {
  const words = new Uint32Array(buffer, at, 3 * count);

  return Array.from({ length: count }, (_, i) => ({
    event: words[3 * i],
    value: words[3 * i + 1],
    range: words[3 * i + 2],
  }));
}

export function recordingOf(instance: Instance, said: Said): Recording {
  const { exports } = instance;
  const columns = exports.run_columns(); /* may take memory: the buffer is another one then */
  const table = new Uint32Array(exports.memory.buffer, columns, 44);
  let next = 0;

  const column = <T>(make: (buffer: ArrayBuffer, at: number, count: number) => T): T => {
    const [at, count] = [table[next], table[next + 1]];

    next += 2;
    return make(exports.memory.buffer as ArrayBuffer, at, count);
  };
  const ticks = () => column(readTicks);
  const words = () => column((b, at, n) => new Uint32Array(b, at, n).slice());
  const bytes = () => column((b, at, n) => new Uint8Array(b, at, n).slice());
  const event = {
    tick: ticks(), lane: words(), message: words(), sent: words(),
    what: bytes(), role: bytes(), timer: bytes(), flags: bytes(),
  };
  const message = {
    arrives: ticks(), by: words(), read: words(), to: words(), fieldAt: words(),
    kind: bytes(), flags: bytes(), fieldCount: bytes(), fields: column(readWide),
  };
  const names = words();
  const [steps, timers, choices] = [column(readSteps), column(readTimers), column(readChoices)];
  const rules = column((b, at, n) => new Uint16Array(b, at, n).slice());
  const { bounds, likes, ...head } = said.head;

  /* The page knows the format's words alone. */
  if (likes.length) event.role = event.role.map((r) => (r >= ROLES.length && r !== SAME_ROLE ? likes[r - ROLES.length] : r));
  event.what = event.what.map((w) => (w < WHATS.length ? w : 0));

  const recording: Omit<Recording, "timers"> = {
    head: {
      ...head,
      names: Array.from(names),
      steps: steps.length ? steps : null,
      bounds: {
        rmin: bounds.rmin, rmax: endless(bounds.rmax), dmin: bounds.dmin, dmax: endless(bounds.dmax),
      },
    },
    events: { count: event.tick.length, ...event, rules },
    messages: { count: message.by.length, ...message },
    violations: said.violations,
    faults: said.faults.map((f) => ({ ...f, to: endless(f.to) })),
    timerColumns: timers,
    choices,
    facts: [],
    endTick: said.endTick,
    ended: said.ended,
    quiet: said.quiet,
  };
  /* As objects only if somebody asks; a copy of the recording does not. */
  return Object.defineProperty(recording, "timers", {
    get: (): TimerStart[] => Array.from(timers.event, (event, i) => ({ event, timer: timers.timer[i], steps: timers.steps[i] })),
  }) as Recording;
}

/* The arrays, to be handed over instead of copied. */
export function transfers(r: Recording): ArrayBuffer[] {
  return [...Object.values(r.events), ...Object.values(r.messages)]
    .filter((v): v is Float64Array<ArrayBuffer> => ArrayBuffer.isView(v))
    .map((v) => v.buffer);
}
