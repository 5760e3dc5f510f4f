/*
 * act.ts - everything that can be done to the run on the page: get one, move the
 * cursor, move the window.  Keys, buttons, rooms and tests call the same things.
 */
import { Refused, type Recording, type Report } from "./engine/api";
import { engine } from "./host";
import { index } from "./model/indexing";
import type { Run } from "./model/run";
import { get, set, type Shown, type Thing } from "./model/store";
import { offences } from "./model/violation";
import { titleOf } from "./model/title";
import { fieldOf, split } from "./model/command";
import { LOADING } from "./words";

/* ---- Getting a run -------------------------------------------------------- */

let asked = 0; /* the newest request wins */

interface Wish {
  cursor?: number;
  from?: number;
  to?: number;
  selection?: Thing | null;
}

export function show(shown: Shown, wish: Wish = {}): void {
  const { run } = shown;
  const bad = offences(run)[0];
  /* One tick before the violation; otherwise at the end, with all in sight. */
  const time = wish.cursor !== undefined ? run.tickOf(wish.cursor) : bad ? Math.max(0, bad.from - 1) : run.end - 1;
  const cursor = wish.cursor ?? run.eventAt(time);
  const old = get().shown;

  if (old && old.id >= 0 && old.id !== shown.id) void engine.forget(old.id);
  set({
    shown, cursor, time,
    from: wish.from ?? 0, to: wish.to ?? run.end,
    selection: wish.selection ?? null, hover: null, following: false, playing: false,
    busy: "", complaint: null,
  });
}

const MOST_LETTERS = 20000; /* events: where bars are wide enough for a letter */

export async function shownOf(id: number, recording: Recording, report: Report | null, file: string): Promise<Shown> {
  const run = await index(recording, file !== "");
  const lettered = recording.head.letters && run.events <= MOST_LETTERS && id >= 0;
  return { id, run, report, file, letters: lettered ? await engine.letters(id).catch(() => "") : "", title: titleOf(run) };
}

/* Runs a command line (without "fulcrum") and shows it. */
export async function runCommand(words: string[], wish: Wish = {}): Promise<boolean> {
  const mine = ++asked;
  let early = 0;

  set({ words, busy: LOADING.running, complaint: null });
  try {
    const { run, recording, report } = await engine.record(words, (partial) => {
      /* A first picture while the run goes on; later ones only if they cost little. */
      if (mine !== asked || (early > 0 && partial.events.count > 50000)) return;
      early++;
      void index(partial).then((r) => {
        if (mine !== asked || get().busy === "") return;
        set({ shown: { id: -1, run: r, report: null, file: "", letters: "", title: titleOf(r) }, cursor: r.events - 1, time: r.end - 1, from: 0, to: r.end });
      });
    });
    if (mine !== asked) {
      void engine.forget(run);
      return false;
    }
    show(await shownOf(run, recording, report, ""), wish);
    return true;
  } catch (e) {
    if (mine === asked) set({ busy: "", complaint: complaintOf(e) });
    return false;
  }
}

/* Opens a trace that was dropped or chosen. */
export async function openTrace(name: string, bytes: Uint8Array, wish: Wish = {}): Promise<boolean> {
  const mine = ++asked;
  set({ busy: LOADING.reading(name), complaint: null });
  try {
    const { run, recording, report } = await engine.load(name, bytes);
    if (mine !== asked) return false;
    const command = recording.head.command.replace(/^fulcrum /, "").trim();
    show(await shownOf(run, recording, report, name), wish);
    if (command.startsWith("sim ")) set({ words: split(command) });
    return true;
  } catch (e) {
    if (mine === asked) set({ busy: "", complaint: { sentence: LOADING.refused(name, complaintOf(e).sentence), field: "" } });
    return false;
  }
}

function complaintOf(e: unknown): { sentence: string; field: string } {
  const sentence = e instanceof Error ? e.message : String(e);
  return { sentence: e instanceof Refused ? sentence : LOADING.broke(sentence), field: fieldOf(sentence) };
}

/* ---- The cursor ----------------------------------------------------------- */

function run(): Run | null {
  return get().shown?.run ?? null;
}

/* Both runs of a comparison have one time axis. */
export function endOfAxis(): number {
  const { shown, beside } = get();
  return Math.max(shown?.run.end ?? 1, beside?.run.end ?? 1);
}

/* Keeps the cursor in sight; the window moves no more than it must. */
function follow(time: number): void {
  const { from, to } = get();
  const width = to - from, margin = width * 0.08;
  if (time < from + (from > 0 ? margin : 0)) moveWindow(time - width * 0.2 - from);
  else if (time > to - (to < endOfAxis() ? margin : 0)) moveWindow(time - width * 0.8 - from);
}

export function seekEvent(event: number): void {
  const r = run();
  if (!r) return;
  const cursor = Math.max(-1, Math.min(r.events - 1, event));
  const time = r.tickOf(cursor);
  set({ cursor, time });
  follow(time);
}

export function seekTime(time: number, quiet = false): void {
  const r = run();
  if (!r) return;
  const t = Math.max(0, Math.min(endOfAxis(), time));
  set({ time: t, cursor: r.eventAt(t) });
  if (!quiet) follow(t);
}

export function stepEvent(way: 1 | -1): void {
  set({ playing: false });
  seekEvent(get().cursor + way);
}

/* Whole ticks; backwards to the beginning of a tick first. */
export function stepTick(way: 1 | -1): void {
  const { time } = get();
  set({ playing: false });
  seekTime(way > 0 ? Math.floor(time + 1) : Math.ceil(time - 1));
}

/* The next event of the selected node, or of any. */
export function stepOwn(way: 1 | -1): void {
  const r = run(), lane = selectedLane();
  if (!r) return;
  if (lane < 0) return stepEvent(way);
  const next = r.neighbour(lane, get().cursor, way);
  set({ playing: false });
  if (next >= 0) seekEvent(next);
}

export function selectedLane(): number {
  const { selection, shown } = get();
  if (selection?.is === "lane") return selection.lane;
  if (selection?.is === "event" && shown) return shown.run.rec.events.lane[selection.event];
  return -1;
}

export function toStart(): void {
  set({ playing: false });
  seekEvent(-1);
}

export function toEnd(): void {
  const r = run();
  set({ playing: false });
  if (r) seekTime(endOfAxis() - 1);
}

/* To one tick before the next or previous violation. */
export function toViolation(way: 1 | -1): boolean {
  const r = run();
  if (!r) return false;
  const all = offences(r).map((o) => Math.max(0, o.from - 1));
  const { time } = get();
  const next = way > 0 ? all.find((t) => t > time) ?? all[0] : [...all].reverse().find((t) => t < time) ?? all.at(-1);
  if (next === undefined) return false;
  set({ playing: false });
  seekTime(next);
  return true;
}

/* ---- The window ----------------------------------------------------------- */

const LEAST_TICKS = 2;

export function setWindow(from: number, to: number): void {
  const end = endOfAxis();
  const width = Math.min(end, Math.max(LEAST_TICKS, to - from));
  const start = Math.max(0, Math.min(end - width, from));
  set({ from: start, to: start + width });
}

export function moveWindow(ticks: number): void {
  const { from, to } = get();
  setWindow(from + ticks, to + ticks);
}

/* Around the cursor, unless a time is given. */
export function zoom(factor: number, around?: number): void {
  const { from, to, time } = get();
  const at = around ?? (time >= from && time <= to ? time : (from + to) / 2);
  const width = Math.min(endOfAxis(), Math.max(LEAST_TICKS, (to - from) / factor));
  const share = (at - from) / (to - from);
  setWindow(at - share * width, at - share * width + width);
}

/* Long silence is folded, or no longer. */
export function toggleFold(): void {
  set({ fold: !get().fold });
}

export function fit(): void {
  setWindow(0, endOfAxis());
}

/* ---- Selection ------------------------------------------------------------ */

export function selectLane(lane: number): void {
  const r = run();
  if (!r) return;
  set({ selection: { is: "lane", lane: (lane + r.lanes) % r.lanes }, following: false });
}

export function selectMessage(message: number): void {
  set({ selection: { is: "message", message }, following: true });
}

export function togglePin(lane: number): void {
  const { pinned } = get();
  set({ pinned: pinned.includes(lane) ? pinned.filter((l) => l !== lane) : [...pinned, lane] });
}
