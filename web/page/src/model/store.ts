/*
 * store.ts - the one place where the page keeps what it shows.  Views draw from
 * it and change it through set(); nothing else is shared between them.
 */
import type { Report } from "../engine/api";
import type { Run } from "./run";

export type Theme = "auto" | "light" | "dark";

/* What is selected or under the pointer. */
export type Thing =
  | { is: "lane"; lane: number }
  | { is: "message"; message: number }
  | { is: "event"; event: number };

/* A run on the page: the engine's number for it, its index, what it cost. */
export interface Shown {
  id: number; /* for Engine.state() and friends; -1: the engine has no such run */
  run: Run;
  report: Report | null;
  letters: string; /* of each event's node, or "" */
  title: string; /* the finding, or the protocol */
  file: string; /* the name of the trace it was read from, or "" */
}

export interface State {
  /* The command line, without "fulcrum". */
  words: string[];
  shown: Shown | null;
  /* The second run of a comparison, on the same time axis. */
  beside: Shown | null;
  /* The last event that has happened, -1 before the first; and the time, which
   * may be later than that event's tick but not later than the next one's. */
  cursor: number;
  time: number;
  /* The part of the time axis that is in sight; ends may lie between ticks. */
  from: number;
  to: number;
  selection: Thing | null;
  hover: Thing | null;
  pointer: { x: number; y: number }; /* on the screen, for the card */
  pinned: number[]; /* lanes whose state stays open */
  /* Only the selected message and its causal past are strong. */
  following: boolean;
  frames: boolean; /* liveness frames are drawn */
  fold: boolean; /* long silence is folded */
  playing: boolean;
  speed: number; /* ticks a second */
  theme: Theme;
  mode: string; /* "stage", or the name of a registered mode */
  /* What modes keep in the URL, by key. */
  extra: Record<string, string>;
  busy: string; /* what the page waits for, or "" */
  /* What the engine said of the command line; field: the option it is about. */
  complaint: { sentence: string; field: string } | null;
}

const state: State = {
  words: ["sim", "vitanyi"],
  shown: null,
  beside: null,
  cursor: -1,
  time: 0,
  from: 0,
  to: 1,
  selection: null,
  hover: null,
  pointer: { x: 0, y: 0 },
  pinned: [],
  following: false,
  frames: false,
  fold: false,
  playing: false,
  speed: 4,
  theme: "auto",
  mode: "stage",
  extra: {},
  busy: "",
  complaint: null,
};

export type Key = keyof State;
type Listener = (changed: ReadonlySet<Key>, s: Readonly<State>) => void;

const listeners: { keys: readonly Key[]; call: Listener }[] = [];
let changed = new Set<Key>();
let frame = 0;

export function get(): Readonly<State> {
  return state;
}

/* Changes take effect at once; views hear of them together, once a frame. */
export function set(part: Partial<State>): void {
  for (const key of Object.keys(part) as Key[]) {
    if (state[key] === part[key]) continue;
    (state as unknown as Record<string, unknown>)[key] = part[key];
    changed.add(key);
  }
  if (changed.size > 0 && frame === 0) frame = requestAnimationFrame(() => tell(TURN));
}

const TURN = 10; /* milliseconds of work before others get their turn */
let waiting: { call: Listener; news: ReadonlySet<Key> }[] = [];
let timer = 0;

/* Tells the views now, all of them. */
export function flush(): void {
  if (frame !== 0) cancelAnimationFrame(frame);
  tell(Infinity);
}

function tell(most: number): void {
  frame = 0;
  const news = changed;
  changed = new Set();
  for (const l of listeners) {
    if (l.keys.length === 0 || l.keys.some((k) => news.has(k))) waiting.push({ call: l.call, news });
  }
  goOn(most);
}

/* A new run is news for every view: what takes longer than a turn goes on in a
 * task of its own, so that none is long. */
function goOn(most: number): void {
  const began = performance.now();
  clearTimeout(timer);
  timer = 0;
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    next.call(next.news, state);
    if (performance.now() - began < most || waiting.length === 0) continue;
    timer = window.setTimeout(() => goOn(most), 0);
    return;
  }
}

/* `call` hears of changes of these keys (none given: of all); returns a way to
 * stop listening. */
export function on(keys: readonly Key[], call: Listener): () => void {
  const entry = { keys, call };
  listeners.push(entry);
  return () => {
    const at = listeners.indexOf(entry);
    if (at >= 0) listeners.splice(at, 1);
  };
}
