/*
 * scale.ts - where times and lanes lie.  `u` runs with time, `v` across the
 * lanes: on a wide page u is x and v is y, on a phone the other way round.
 */
import type { Run } from "../../model/run";
import { foldsOf } from "../../model/silence";

/* What is drawn of messages, by how many pixels their usual delay has. */
export type Level = "labels" | "arrows" | "hairs" | "cells";

export interface Frame {
  length: number; /* of the whole picture, along time */
  breadth: number; /* across the lanes */
  before: number; /* room before the first tick, after the last */
  after: number;
  over: number; /* room above the first lane, below the last */
  under: number;
  heads?: number; /* px of the usual delay from which arrows have heads */
}

export interface Scale extends Frame {
  from: number;
  to: number;
  px: number; /* a tick */
  rows: number; /* lanes, and the first one again if the lanes form a ring */
  pitch: number; /* from lane to lane */
  level: Level;
  shares: boolean; /* lanes are too thin to be told apart */
  bar: number; /* heights of bars are multiplied by this */
  axis: number; /* v of the time axis */
  folds: Fold[]; /* stretches that are drawn shorter, in the order of time */
}

/* From u on, FOLDED px wide; `ticks` of silence. */
export interface Fold { from: number; to: number; u: number; ticks: number }

export const FOLDED = 30;

export const MIN_PITCH = 6;
const MAX_PITCH = 128;
const MOST_MESSAGES = 2500;

export function isRing(run: Run): boolean {
  return run.rec.head.topology.startsWith("ring");
}

export function makeScale(run: Run, from: number, to: number, f: Frame, fold = false): Scale {
  const along = Math.max(10, f.length - f.before - f.after);
  const across = Math.max(10, f.breadth - f.over - f.under);
  let px = along / Math.max(1e-9, to - from);
  const folds: Fold[] = [];
  if (fold) {
    /* Folds take at most half of the picture, and none that would be longer folded. */
    const silent = foldsOf(run, from, Math.min(to, run.end), Math.floor(along / 2 / FOLDED)).filter((s) => (s.to - s.from) * px > FOLDED);
    let left = to - from;
    for (const s of silent) left -= s.to - s.from;
    px = (along - silent.length * FOLDED) / Math.max(1e-9, left);
    let cut = 0;
    for (const s of silent) {
      folds.push({ ...s, ticks: s.to - s.from, u: f.before + (s.from - from) * px - cut });
      cut += (s.to - s.from) * px - FOLDED;
    }
  }
  const rows = run.lanes + (isRing(run) && run.lanes > 1 ? 1 : 0);
  const pitch = Math.min(MAX_PITCH, across / rows);
  const delay = px * run.usualDelay;
  const seen = run.sends(-1, from, to);
  let level: Level = delay >= 40 ? "labels" : delay >= (f.heads ?? 11.5) ? "arrows" : delay >= 4 ? "hairs" : "cells";

  if (seen > 2 * along || seen > MOST_MESSAGES) level = "cells";
  if (level === "labels" && pitch < 18) level = "arrows";
  if (level === "arrows" && pitch < 10) level = "hairs";
  const shares = pitch < MIN_PITCH;
  return {
    ...f, from, to, px, rows, pitch, level: shares ? "cells" : level, shares,
    bar: Math.min(1, pitch / 34, level === "hairs" ? 0.5 : 1),
    axis: f.over + pitch * rows + 6, folds,
  };
}

export function uOf(s: Scale, tick: number): number {
  for (let i = s.folds.length - 1; i >= 0; i--) {
    const f = s.folds[i];
    if (tick >= f.to) return f.u + FOLDED + (tick - f.to) * s.px;
    if (tick > f.from) return f.u + ((tick - f.from) / f.ticks) * FOLDED;
  }
  return s.before + (tick - s.from) * s.px;
}

export function tickAt(s: Scale, u: number): number {
  for (let i = s.folds.length - 1; i >= 0; i--) {
    const f = s.folds[i];
    if (u >= f.u + FOLDED) return f.to + (u - f.u - FOLDED) / s.px;
    if (u > f.u) return f.from + ((u - f.u) / FOLDED) * f.ticks;
  }
  return s.from + (u - s.before) / s.px;
}

/* How long a stretch of time is drawn. */
export function widthOf(s: Scale, from: number, to: number): number {
  return s.folds.length === 0 ? (to - from) * s.px : uOf(s, to) - uOf(s, from);
}

export function vOf(s: Scale, row: number): number {
  return s.over + (row + 0.5) * s.pitch;
}

/* The lane at v, or -1. */
export function laneAt(s: Scale, run: Run, v: number): number {
  const row = Math.floor((v - s.over) / s.pitch);
  if (row < 0 || row >= s.rows || s.shares) return -1;
  return row % run.lanes;
}

/* Every hop on a ring goes one row on: the first lane is there twice. */
export function rowsOf(run: Run, m: number): [number, number] {
  const from = run.from[m], to = run.rec.messages.to[m], last = run.lanes - 1;
  if (!isRing(run)) return [from, to];
  if (from === last && to === 0) return [from, run.lanes];
  if (from === 0 && to === last && run.lanes > 2) return [run.lanes, to];
  return [from, to];
}

/* Labels of the axis: 1, 2, 4 or 5 times a power of ten, `least` pixels apart. */
export function ticksOf(s: Scale, least: number): number[] {
  let step = 1;
  for (let power = 1; ; power *= 10) {
    const found = [1, 2, 4, 5].find((k) => k * power * s.px >= least);
    if (found !== undefined) {
      step = found * power;
      break;
    }
  }
  const ticks: number[] = [];
  for (let t = Math.ceil(s.from / step) * step; t <= s.to + 1e-9; t += step) {
    const fold = s.folds.find((f) => t > f.from - 0.5 * step && t < f.to + 0.5 * step);
    if (fold) t = Math.max(t, Math.floor((fold.to + 0.5 * step) / step) * step - step);
    else ticks.push(t);
  }
  return ticks;
}
