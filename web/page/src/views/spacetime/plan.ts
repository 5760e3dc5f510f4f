/*
 * plan.ts - what is drawn, as a list of marks: a pure function of the run and
 * the scale.  Painting (paint.ts) adds nothing and leaves nothing out, so a
 * test of this list is a test of the picture.
 *
 * At most about 4000 marks: columns get wider before there are more of them.
 * Violation, crash, pause, leader and inside survive every aggregation, at
 * least 3 px long.
 */
import { MESSAGE, NONE, type Meaning } from "../../engine/api";
import { BESIDE, DOWN, HEIGHT, INSIDE, LEADER, LOOKS, hasPower, type Look } from "../../model/looks";
import { SUMS, type Run } from "../../model/run";
import { offences } from "../../model/violation";
import { slips } from "../../model/pace";
import { FOLDED, isRing, rowsOf, tickAt, uOf, vOf, widthOf, type Scale } from "./scale";

export type Sign = Meaning | "wins";
export type End = "plain" | "dies" | "silent" | "lost" | "missed";

export interface MessageMark {
  is: "message"; message: number; u0: number; v0: number; u1: number; v1: number;
  sign: Sign; end: End; copy: boolean;
  late: number; /* share of the way at which it is late; 1 and more: never */
  queue: number; /* u at which it is read, if it had to wait; or NaN */
}

export type Mark =
  | { is: "bar"; lane: number; look: number; u: number; w: number; v: number; h: number; again: boolean; span: number }
  | { is: "step"; lane: number; u: number; v: number }
  | { is: "timer"; lane: number; u: number; w: number; v: number }
  | MessageMark
  | { is: "cell"; lane: number; u: number; w: number; v: number; h: number; ink: number }
  | { is: "share"; look: number; u: number; w: number; v: number; h: number }
  | { is: "crash" | "restart"; lane: number; u: number; v: number }
  | { is: "pause"; lane: number; u: number; w: number; v: number; h: number }
  | { is: "cut"; lane: number; u: number; w: number; v: number }
  | { is: "band"; u: number; w: number; offence: number }
  | { is: "outline"; lane: number; u: number; w: number; v: number; h: number }
  | { is: "arrow"; u: number; v0: number; v1: number }
  | { is: "slip"; lane: number; u: number; w: number; v: number; slow: boolean }
  | { is: "fold"; u: number; w: number; ticks: number };

const LEAST = 3; /* px of what must not be lost */
const MOST_BARS = 1200;
const MOST_CELLS = 1200;
const MOST_FAULTS = 800;
const MOST_TIMERS = 400;
/* Most power first; where run.ts counts how often it began. */
const POWERS: [number, number][] = [[INSIDE, LOOKS.length + 1], [LEADER, LOOKS.length], [BESIDE, 0]];
const HATCHED = new Set(["rests", "asks", "waits"].map((l) => LOOKS.indexOf(l as Look)));

/* `judged`: steps beyond the bounds are marked, as in a trace of a real machine. */
export function plan(run: Run, s: Scale, frames: boolean, judged = false): Mark[] {
  const marks: Mark[] = [];

  planBands(run, s, marks);
  if (s.shares) {
    planRibbon(run, s, marks);
    planShares(run, s, marks);
  } else {
    planSteps(run, s, marks);
    for (let row = 0; row < s.rows; row++) planLane(run, s, row, marks);
    if (s.level === "cells") planCells(run, s, marks);
    else planMessages(run, s, frames, marks);
    if (s.level === "labels") planTimers(run, s, marks);
  }
  planFaults(run, s, marks);
  if (judged) planSlips(run, s, marks);
  planOutlines(run, s, marks);
  for (const f of s.folds) marks.push({ is: "fold", u: f.u, w: FOLDED, ticks: f.ticks });
  return marks;
}

/* ---- Lanes ---------------------------------------------------------------- */

function barHeight(s: Scale, look: number): number {
  const h = HEIGHT[LOOKS[look]] * s.bar;
  if (s.level !== "cells") return Math.max(look === DOWN ? 0 : 1.5, h);
  return hasPower(look) ? Math.max(LEAST, Math.min(s.pitch * 0.6, 14)) : Math.min(LEAST, s.pitch * 0.4);
}

function planLane(run: Run, s: Scale, row: number, marks: Mark[]): void {
  const lane = row % run.lanes, again = row >= run.lanes;
  const first = run.spanAt(lane, s.from), last = run.spanAt(lane, s.to);

  if ((last - first + 1) * s.rows > MOST_BARS) {
    planColumns(run, s, row, marks);
    return;
  }
  for (let k = first; k <= last; k++) {
    const look = run.spanLook[k];
    const from = Math.max(run.spanTick[k], s.from), to = Math.min(run.spanEnd(lane, k), s.to);
    const w = widthOf(s, from, to);
    if (look === DOWN || (w <= 0 && !(hasPower(look) && run.spanEnd(lane, k) >= s.from))) continue;
    marks.push({
      is: "bar", lane, look, again, span: k, u: uOf(s, from), v: vOf(s, row), h: barHeight(s, look),
      w: hasPower(look) ? Math.max(LEAST, w) : Math.max(0.5, w),
    });
  }
}

/* The state that lasts longest in each column, thin; above it power, if there was
 * any, as high as its share of the time. */
function planColumns(run: Run, s: Scale, row: number, marks: Mark[]): void {
  const lane = row % run.lanes, again = row >= run.lanes, v = vOf(s, row);
  const along = widthOf(s, s.from, Math.min(s.to, run.end));
  const width = Math.max(LEAST, (along * s.rows) / MOST_BARS);
  const thin = barHeight(s, 0), room = Math.max(LEAST, Math.min(14, s.pitch * 0.55));
  let before = new Float64Array(SUMS), now = new Float64Array(SUMS);
  const open: (Extract<Mark, { is: "bar" }> | null)[] = [null, null];
  const put = (slot: number, look: number, u: number, w: number, h: number): void => {
    const last = open[slot];
    if (last && last.look === look && last.h === h) {
      last.w += w;
      return;
    }
    const at = slot === 0 ? v : v - thin / 2 - h / 2;
    const mark = { is: "bar" as const, lane, look, again, span: -1, u: s.before + u, w, v: at, h };
    open[slot] = mark;
    if (look !== DOWN) marks.push(mark);
  };

  run.sumsUpTo(lane, s.from, before);
  for (let u = 0; u < along; u += width) {
    const w = Math.min(width, along - u);
    let best = 0, most = 0;
    const until = tickAt(s, s.before + u + w);
    run.sumsUpTo(lane, until, now);
    for (let k = 0; k < LOOKS.length; k++) {
      const ticks = now[k] - before[k];
      if (ticks > most) { most = ticks; best = k; }
    }
    put(0, best, u, w, thin);
    const power = POWERS.find(([look, begun]) => now[look] > before[look] || (begun > 0 && now[begun] > before[begun]));
    if (power) put(1, power[0], u, w, Math.max(LEAST, Math.round(((now[power[0]] - before[power[0]]) / (until - tickAt(s, s.before + u))) * room)));
    else open[1] = null;
    [before, now] = [now, before];
  }
}

/* Each node's own steps, where nodes differ and steps can be told apart. */
function planSteps(run: Run, s: Scale, marks: Mark[]): void {
  const steps = run.rec.head.steps;
  if (!steps || s.pitch < 14) return;
  const same = steps.every((x) => x.length === steps[0].length && x.phase === steps[0].phase);
  if (same) return;
  for (let row = 0; row < s.rows; row++) {
    const { length, phase } = steps[row % run.lanes];
    if (!(length * s.px >= 12)) continue;
    const first = Math.max(0, Math.ceil((s.from - phase) / length));
    for (let k = first; phase + k * length <= Math.min(s.to, run.end); k++) {
      const at = phase + k * length, fold = s.folds.find((f) => at > f.from && at < f.to);
      if (fold) {
        k += Math.floor((fold.to - at) / length);
        continue;
      }
      marks.push({ is: "step", lane: row % run.lanes, u: uOf(s, phase + k * length), v: vOf(s, row) });
    }
  }
}

/* A bar as long as the wait, just below the lane. */
function planTimers(run: Run, s: Scale, marks: Mark[]): void {
  if (s.pitch < 24) return;
  const t = run.timers;
  let seen = 0;
  for (const i of run.timersBetween(s.from, s.to)) {
    const lane = t.lane[i];
    /* A hatched bar is that wait already. */
    if (t.to[i] <= t.from[i] || HATCHED.has(run.spanLook[run.spanAt(lane, t.from[i])])) continue;
    if (++seen > MOST_TIMERS) break;
    const from = Math.max(t.from[i], s.from), to = Math.min(t.to[i], s.to);
    marks.push({ is: "timer", lane, u: uOf(s, from), w: widthOf(s, from, to), v: vOf(s, lane) + 10 * s.bar + 3 });
  }
}

/* ---- Messages ------------------------------------------------------------- */

export function signOf(run: Run, m: number): Sign {
  return run.wins(m) ? "wins" : run.rec.head.kinds[run.rec.messages.kind[m]].meaning;
}

/* Where a message lies, whatever the zoom. */
export function messageMark(run: Run, s: Scale, m: number): MessageMark {
  const [from, to] = rowsOf(run, m);
  const { messages, events } = run.rec;
  const sent = run.sentTick[m], lost = run.isLost(m), flags = messages.flags[m];
  const ends = lost ? sent + (run.arrowEnd[m] - sent) / 2 : run.arrowEnd[m];
  const v0 = vOf(s, from), v1 = vOf(s, to);
  const read = messages.read[m] === NONE ? NaN : events.tick[messages.read[m]];
  const way = run.arrowEnd[m] - sent;

  return {
    is: "message", message: m, u0: uOf(s, sent), u1: uOf(s, ends),
    v0, v1: lost ? (v0 + v1) / 2 : v1, sign: signOf(run, m),
    end: lost ? "lost" : flags & MESSAGE.MISSED ? "missed" : flags & MESSAGE.DIES ? "dies" : flags & MESSAGE.SILENT ? "silent" : "plain",
    copy: (flags & MESSAGE.COPY) !== 0,
    late: lost || way <= 0 ? 1 : run.lateAfter() / way,
    queue: read > run.arrowEnd[m] ? uOf(s, read) : NaN,
  };
}

function planMessages(run: Run, s: Scale, frames: boolean, marks: Mark[]): void {
  for (const m of run.between(s.from, s.to)) {
    if (!frames && run.isFrame(m)) continue;
    marks.push(messageMark(run, s, m));
  }
}

/* 1, 2, 4, 8, 16 and more. */
function inkOf(count: number): number {
  return count < 1 ? -1 : Math.min(4, Math.floor(Math.log2(count)));
}

/* Between the lanes, where the messages of the upper one set out. */
function planCells(run: Run, s: Scale, marks: Mark[]): void {
  const along = widthOf(s, s.from, Math.min(s.to, run.end));
  const width = Math.max(6, (along * run.lanes) / MOST_CELLS);
  const thin = barHeight(s, 0) / 2 + 1;
  for (let lane = 0; lane < run.lanes; lane++) {
    for (let u = 0; u < along; u += width) {
      const w = Math.min(width, along - u);
      const ink = inkOf(run.sends(lane, tickAt(s, s.before + u), tickAt(s, s.before + u + w)));
      if (ink < 0) continue;
      const h = Math.max(2, Math.min(18, s.pitch - 2 * thin - 1));
      marks.push({ is: "cell", lane, u: s.before + u, w: w - 0.5, v: vOf(s, lane) + thin, h, ink });
    }
  }
}

export const RIBBON = 14;

function planRibbon(run: Run, s: Scale, marks: Mark[]): void {
  const along = widthOf(s, s.from, Math.min(s.to, run.end));
  for (let u = 0; u < along; u += 4) {
    const w = Math.min(4, along - u);
    /* Ink says messages of a lane, as in the cells. */
    const count = run.sends(-1, tickAt(s, s.before + u), tickAt(s, s.before + u + w));
    const ink = inkOf(count === 0 ? 0 : Math.max(1, (16 * count) / run.lanes));
    if (ink >= 0) marks.push({ is: "cell", lane: -1, u: s.before + u, w: w - 0.5, v: s.over, h: RIBBON - 3, ink });
  }
}

/* Stacked columns, most power on top. */
function planShares(run: Run, s: Scale, marks: Mark[]): void {
  const along = widthOf(s, s.from, Math.min(s.to, run.end));
  const top = s.over + RIBBON, height = s.pitch * s.rows - RIBBON;
  /* Whole pixels: no seams between columns. */
  const width = Math.max(2, Math.ceil(along / 300));
  const open: (Extract<Mark, { is: "share" }> | null)[] = LOOKS.map(() => null);
  let before = new Float64Array(LOOKS.length), now = new Float64Array(LOOKS.length);

  run.sharesUpTo(s.from, before);
  for (let u = 0; u < along; u += width) {
    const w = Math.min(width, along - u), until = tickAt(s, s.before + u + w);
    const ticks = until - tickAt(s, s.before + u);
    let v = top;
    run.sharesUpTo(until, now);
    for (let look = LOOKS.length - 1; look >= 0; look--) {
      const share = (now[look] - before[look]) / ticks / run.lanes;
      if (share <= 1e-9) { open[look] = null; continue; }
      let h = share * height;
      if (hasPower(look)) h = Math.max(LEAST, h);
      h = Math.min(h, top + height - v);
      const last = open[look];
      if (last && Math.abs(last.v - v) < 0.25 && Math.abs(last.h - h) < 0.25 && last.u + last.w >= s.before + u - 0.01) last.w += w;
      else {
        const mark = { is: "share" as const, look, u: s.before + u, w, v, h };
        open[look] = mark;
        marks.push(mark);
      }
      v += h;
    }
    [before, now] = [now, before];
  }
}

/* ---- Faults and violations ------------------------------------------------ */

/* Of many in the same few pixels of a lane one is enough; and if there are too
 * many of these, the pixels are more. */
function planFaults(run: Run, s: Scale, marks: Mark[]): void {
  let near = LEAST, found = faultsWithin(run, s, near);
  while (found.length > MOST_FAULTS && near < s.length) {
    near *= 2;
    found = faultsWithin(run, s, near);
  }
  marks.push(...found);
}

function faultsWithin(run: Run, s: Scale, near: number): Mark[] {
  const marks: Mark[] = [];
  const seen = new Set<string>();
  const fresh = (kind: string, lane: number, u: number): boolean => {
    const key = `${kind}${s.shares ? "" : lane}:${Math.round(u / near)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  for (const f of run.rec.faults) {
    if (f.from > s.to || f.to < s.from) continue;
    const again = f.lane === 0 && isRing(run) && run.lanes > 1 && !s.shares;
    const rows = again ? [0, run.lanes] : [f.lane];
    const from = Math.max(f.from, s.from), to = Math.min(f.to, s.to, run.end);
    const u = uOf(s, from), w = Math.max(LEAST, widthOf(s, from, to));
    for (const row of rows) {
      const v = s.shares ? s.over + RIBBON : vOf(s, row);
      if (f.kind === "down") {
        if (f.from >= s.from && fresh("x", row, u)) marks.push({ is: "crash", lane: f.lane, u, v });
        if (f.to <= s.to && fresh("r", row, uOf(s, f.to))) marks.push({ is: "restart", lane: f.lane, u: uOf(s, f.to), v });
      } else if (f.kind === "pause") {
        const look = run.spanLook[run.spanAt(f.lane, f.from)];
        const h = s.shares ? 6 : Math.max(8, barHeight(s, look) + 4);
        if (fresh("p", row, u) || w > 2 * near) marks.push({ is: "pause", lane: f.lane, u, w, v, h: Math.min(h, Math.max(4, s.pitch)) });
      } else if (fresh("c", row, u)) marks.push({ is: "cut", lane: f.lane, u, w, v });
    }
  }
  return marks;
}

/* Steps longer than rmax or shorter than rmin, just above the lane. */
function planSlips(run: Run, s: Scale, marks: Mark[]): void {
  for (const x of slips(run)) {
    if (x.from > s.to || x.to < s.from) continue;
    const from = Math.max(x.from, s.from), to = Math.min(x.to, s.to);
    const v = s.shares ? s.over + RIBBON : vOf(s, x.lane) - Math.min(14, s.pitch / 2 - 1);
    marks.push({ is: "slip", lane: x.lane, u: uOf(s, from), w: Math.max(LEAST, widthOf(s, from, to)), v, slow: x.slow });
  }
}

function planBands(run: Run, s: Scale, marks: Mark[]): void {
  offences(run).forEach((o, i) => {
    if (o.from > s.to || o.to < s.from) return;
    const from = Math.max(o.from, s.from), to = Math.min(o.to, s.to);
    marks.push({ is: "band", offence: i, u: uOf(s, from), w: Math.max(LEAST, widthOf(s, from, to)) });
  });
}

function planOutlines(run: Run, s: Scale, marks: Mark[]): void {
  for (const o of offences(run)) {
    if (o.from > s.to || o.to < s.from || s.shares) continue;
    const from = Math.max(o.from, s.from), to = Math.min(o.to, s.to);
    const u = uOf(s, from), w = Math.max(LEAST, widthOf(s, from, to));
    for (const lane of o.lanes) {
      const look = run.spanLook[run.spanAfter(lane, o.event)];
      marks.push({ is: "outline", lane, u, w, v: vOf(s, lane), h: Math.max(6, barHeight(s, look)) });
    }
    if (o.lanes.length >= 2 && o.together && s.pitch >= 24) {
      const [a, b] = o.lanes;
      const gap = (barHeight(s, run.spanLook[run.spanAfter(a, o.event)]) / 2) + 3;
      marks.push({ is: "arrow", u: u + w * 0.6, v0: vOf(s, a) + gap, v1: vOf(s, b) - gap });
    }
  }
}

/* Which looks, messages (">asks"), ends and faults a picture has: its key. */
export function keyOf(marks: Mark[]): Set<string> {
  const key = new Set<string>();
  for (const m of marks) {
    if (m.is === "bar" || m.is === "share") key.add(LOOKS[m.look]);
    else if (m.is === "message") { key.add(`>${m.sign}`); if (m.end !== "plain") key.add(m.end === "lost" || m.end === "missed" ? "lost-message" : m.end); if (m.late < 1) key.add("late"); }
    else if (m.is === "crash" || m.is === "pause" || m.is === "cut" || m.is === "slip") key.add(m.is);
  }
  return key;
}

