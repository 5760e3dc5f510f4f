/*
 * recording.ts - copies the columns of a run out of the memory of C.
 */
import type { Recording, Violation, Fault, TimerStart, Choice, Head } from "./api";
import type { Instance } from "./module";

/* As say_head() of web/module/run.c has it: JSON knows no infinity. */
export interface Said {
  head: Head;
  violations: Violation[];
  faults: (Omit<Fault, "to"> & { to: number | null })[];
  timers: (Omit<TimerStart, "steps"> & { steps: number | null })[];
  choices: Choice[];
  endTick: number;
  ended: boolean;
  quiet: boolean;
  states: boolean;
}

const endless = (n: number | null) => n ?? Infinity;

export function recordingOf(instance: Instance, said: Said): Recording {
  const { exports } = instance;
  const table = new Uint32Array(exports.memory.buffer, exports.run_columns(), 34);
  let next = 0;

  const column = <T>(make: (buffer: ArrayBuffer, at: number, count: number) => T): T => {
    const [at, count] = [table[next], table[next + 1]];

    next += 2;
    return make(exports.memory.buffer as ArrayBuffer, at, count);
  };
  const doubles = () => column((b, at, n) => new Float64Array(b, at, n).slice());
  const words = () => column((b, at, n) => new Uint32Array(b, at, n).slice());
  const bytes = () => column((b, at, n) => new Uint8Array(b, at, n).slice());
  const event = {
    tick: doubles(), lane: words(), message: words(), sent: words(),
    what: bytes(), role: bytes(), timer: bytes(), flags: bytes(),
  };
  const message = {
    arrives: doubles(), by: words(), read: words(), to: words(), fieldAt: words(),
    kind: bytes(), flags: bytes(), fieldCount: bytes(), fields: doubles(),
  };
  const { bounds, ...head } = said.head;

  return {
    head: {
      ...head,
      bounds: {
        rmin: bounds.rmin, rmax: endless(bounds.rmax), dmin: bounds.dmin, dmax: endless(bounds.dmax),
      },
    },
    events: { count: event.tick.length, ...event },
    messages: { count: message.by.length, ...message },
    violations: said.violations,
    faults: said.faults.map((f) => ({ ...f, to: endless(f.to) })),
    timers: said.timers.map((t) => ({ ...t, steps: endless(t.steps) })),
    choices: said.choices,
    facts: [],
    endTick: said.endTick,
    ended: said.ended,
    quiet: said.quiet,
  };
}

/* The arrays, to be handed over instead of copied. */
export function transfers(r: Recording): ArrayBuffer[] {
  return [...Object.values(r.events), ...Object.values(r.messages)]
    .filter((v): v is Float64Array<ArrayBuffer> => ArrayBuffer.isView(v))
    .map((v) => v.buffer);
}
