/*
 * api.ts - what the page may ask of the engine, and what it is told.
 *
 * The engine is the C code as WebAssembly in a worker (worker.ts).  A command
 * line is an array of words without the leading "fulcrum", as a shell would
 * split it: ["sim", "vitanyi", "-n", "8"].
 */

/* ---- Commands ------------------------------------------------------------ */

/* What the command would print, and its exit code (0 fine, 1 violated, 2 used
 * wrongly, 3 the system refused). */
export interface Answer {
  code: number;
  out: string;
  err: string;
}

/* A file by name, as the command sees it. */
export type Files = Record<string, Uint8Array>;

/* ---- The table of protocols ----------------------------------------------- */

export interface Parameter {
  key: string;
  /* Words it can be, or empty: a number or a list. */
  words: string[];
  fallback: string;
  about: string;
}

export interface Protocol {
  name: string;
  title: string;
  idea: string;
  problem: string; /* election, mutex, token, store */
  topology: string; /* ring, ring-both, complete, tree */
  anonymous: boolean;
  /* Whether applications ask again and again (entries, section, think). */
  repeats: boolean;
  nodesLeast: number;
  nodesMost: number;
  parameters: Parameter[];
  properties: string[];
}

/* ---- A recorded run ------------------------------------------------------- */

export const NONE = 0xffffffff;

/* enum trace_role, in order. */
export const ROLES = [
  "asleep", "awake", "candidate", "lost", "leader", "done", "idle", "sleeping",
  "asking", "waiting", "inside", "mute", "reading", "writing", "beside", "down",
] as const;
export type Role = (typeof ROLES)[number];
export const SAME_ROLE = 255;

/* enum trace_what, in order. */
export const WHATS = [
  "wake", "want", "want-shared", "leave", "stopped", "read", "timeout",
  "misses", "crash", "restart", "pause", "cut", "joined",
] as const;

/* enum trace_meaning, in order. */
export const MEANINGS = [
  "asks", "claims", "grants", "refuses", "calls", "tells", "token", "frame",
] as const;
export type Meaning = (typeof MEANINGS)[number];

/* Bits of events.flags. */
export const ROW = {
  TURNS: 1, RESTS: 2, VIOLATES: 4, CHOOSES: 8, ARMS: 16, KNOWS: 32, BLANK: 64, PASSES: 128,
} as const;

/* Bits of messages.flags. */
export const MESSAGE = {
  DIES: 1, SILENT: 2, STRAY: 4, COPY: 8, MISSED: 16,
} as const;

export interface Kind {
  word: string;
  label: string;
  meaning: Meaning;
}

export interface Head {
  protocol: string;
  problem: string;
  topology: "ring" | "ring-both" | "complete" | "tree";
  time: "sync" | "archimedean" | "async";
  nodes: number;
  names: number[]; /* what people call each lane; its index if it has no name */
  named: boolean;
  bounds: { rmin: number; rmax: number; dmin: number; dmax: number }; /* Infinity */
  /* length and phase of each node's step; null if steps change. */
  steps: { length: number; phase: number }[] | null;
  kinds: Kind[];
  firstRole: number; /* of every lane before its first event */
  seed: number;
  set: string; /* parameters */
  command: string; /* that shows the run again; "" if the file had none */
  links: [number, number][]; /* of a tree; otherwise they follow from topology */
  rules: string[]; /* sets of labels, apart by spaces: what events.rules refers to */
  letters: boolean; /* the state of a candidate has a letter */
}

export interface Violation { tick: number; event: number; lane: number; property: string }
export interface Fault {
  lane: number; from: number; to: number; /* Infinity while it lasts */
  kind: "down" | "pause" | "cut"; blank: boolean;
}
export interface TimerStart { event: number; timer: number; steps: number } /* -1: stopped */
export interface Choice { event: number; value: number; range: number }
export interface Fact { event: number; fact: string; number: number }

/* Row i of `events` is the i-th event; row j of `messages` the j-th message.
 * The arrays are copies that belong to the page. */
export interface Recording {
  head: Head;
  events: {
    count: number;
    tick: Float64Array;
    lane: Uint32Array;
    message: Uint32Array; /* read or missed; NONE */
    sent: Uint32Array; /* count + 1 entries: messages sent[i] .. sent[i+1]-1 */
    what: Uint8Array; /* WHATS */
    role: Uint8Array; /* ROLES from now on; SAME_ROLE */
    timer: Uint8Array;
    flags: Uint8Array; /* ROW */
    rules: Uint16Array; /* by which its node went: a place in head.rules, from 1; 0: none */
  };
  messages: {
    count: number;
    arrives: Float64Array; /* Infinity: lost */
    by: Uint32Array; /* the event that sent it */
    read: Uint32Array; /* the event that read or missed it, or NONE */
    to: Uint32Array; /* lane */
    fieldAt: Uint32Array; /* into fields */
    kind: Uint8Array; /* head.kinds */
    flags: Uint8Array; /* MESSAGE */
    fieldCount: Uint8Array;
    fields: Float64Array;
  };
  violations: Violation[];
  faults: Fault[];
  timers: TimerStart[];
  /* The same as columns: a long run has a million of them. */
  timerColumns?: { event: Uint32Array; timer: Uint8Array; steps: Float64Array };
  choices: Choice[];
  facts: Fact[];
  endTick: number;
  ended: boolean; /* false: more is to come (a run in progress) */
  quiet: boolean; /* nothing was left to do at the end */
}

/* The state of one node after an event, field by field. */
export interface Field { name: string; value: string; before: string | null } /* before: null if unchanged */
export interface NodeState {
  event: number;
  lane: number;
  role: number;
  fields: Field[];
  insane: string | null; /* the invariant that is broken */
}

/* What a run cost beside what its paper states: `fulcrum sim --json`. */
export type Report = Record<string, any>;

/* ---- The adversary -------------------------------------------------------- */

export interface Move {
  index: number;
  label: string; /* "P2 reads REQUEST 1 from P1" */
  node: number; /* lane, or -1 */
  kind: string; /* read, timeout, command, start, restart, step, tick, crash, pause, miss, lose, copy, delay, cut, join */
  from: number; /* of the message it is about, or -1 */
  to: number; /* state that it leads to */
  broken: string[]; /* properties that it breaks */
  coin: boolean;
  fault: boolean;
  tick: boolean;
  chance: number;
  /* Of the state behind it. */
  outlook: Outlook;
}

/* "safe" only if all that is reachable is known; "endless": so is this, nothing
 * breaks, but a run without end begins `moves` moves away. */
export interface Outlook {
  kind: "safe" | "not-within" | "at-most" | "exactly" | "endless";
  moves: number;
}

export interface NodeNow {
  name: number;
  role: number;
  words: string; /* what others see of it */
  started: boolean; down: boolean; paused: boolean; apart: boolean;
  timers: { timer: number; left: number }[];
  requestsLeft: number;
  fields: Field[];
  insane: string | null;
}

export interface MailNow { from: number; to: number; kind: number; fields: number[]; age: number; late: number }

export interface StateNow {
  state: number;
  nodes: NodeNow[];
  mail: MailNow[];
  cells: number[];
  left: { crashes: number; losses: number; copies: number; late: number; pauses: number; cuts: number };
  tick: number; /* -1: not counted */
  quiet: boolean;
  brokenAtEnd: string[];
  outlook: Outlook;
  moves: Move[];
}

export interface Known { states: number; lookedAt: number; edges: number; levels: number; all: boolean; limit: string; bytes: number }

export interface Near {
  states: { state: number; moves: number; more: boolean; behind: boolean; outlook: Outlook }[];
  edges: { from: number; to: number; index: number; ticks: number; breaks: boolean; label: string }[];
}

/* ---- All of it ------------------------------------------------------------ */

export class Refused extends Error {} /* a sentence of the command, without "fulcrum sim: " */

export interface Engine {
  version(): Promise<string>;
  protocols(): Promise<Protocol[]>;
  command(words: string[], files?: Files): Promise<Answer & { files: Files }>;

  /* Runs `sim WORDS` and records it; `progress` gets what there is so far, at
   * most ten times a second.  Throws Refused. */
  record(words: string[], progress?: (r: Recording) => void): Promise<{ run: number; recording: Recording; report: Report }>;
  /* Reads a trace; throws Refused with the sentence of the reader. */
  load(name: string, bytes: Uint8Array): Promise<{ run: number; recording: Recording; report: Report | null }>;
  /* The state of a node after an event of that run (NONE: before the first). */
  state(run: number, event: number, lane: number): Promise<NodeState>;
  /* A hash of the states of all nodes after an event. */
  hash(run: number, event: number): Promise<string>;
  /* The letter of its node after each event; only if head.letters. */
  letters(run: number): Promise<string>;
  /* The text of the trace. */
  trace(run: number): Promise<string>;
  /* As a text diagram, and as SVG. */
  text(run: number): Promise<string>;
  svg(run: number): Promise<string>;
  forget(run: number): Promise<void>;

  /* The graph of `check WORDS`; throws Refused. */
  /* `initial`: states 0 to this, less one, are those in which a run can begin. */
  browse(words: string[]): Promise<{ game: number; initial: number }>;
  look(game: number, state: number): Promise<StateNow>;
  explore(game: number, more: number): Promise<Known>;
  way(game: number, state: number): Promise<number[]>; /* indices of moves of a shortest way */
  near(game: number, state: number, moves: number, most: number): Promise<Near>;
  /* Follows indices from an initial state; the state after each. */
  follow(game: number, first: number, moves: number[]): Promise<number[]>;
  /* A run by hand as a recording and as text. */
  played(game: number, first: number, moves: number[]): Promise<{ recording: Recording; trace: string }>;
  /* The run that a trace tells; throws Refused. */
  match(game: number, bytes: Uint8Array): Promise<{ first: number; moves: number[] }>;
  close(game: number): Promise<void>;
}
