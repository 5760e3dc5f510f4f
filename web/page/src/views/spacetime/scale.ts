/*
 * scale.ts - where times and lanes lie.  `u` runs with time, `v` across the
 * lanes: on a wide page u is x and v is y, on a phone the other way round.
 */
import type { Run } from "../../model/run";

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
}

export const MIN_PITCH = 6;
const MAX_PITCH = 128;
const MOST_MESSAGES = 2500;

export function isRing(run: Run): boolean {
  return run.rec.head.topology.startsWith("ring");
}

export function makeScale(run: Run, from: number, to: number, f: Frame): Scale {
  const along = Math.max(10, f.length - f.before - f.after);
  const across = Math.max(10, f.breadth - f.over - f.under);
  const px = along / Math.max(1e-9, to - from);
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
    axis: f.over + pitch * rows + 6,
  };
}

export function uOf(s: Scale, tick: number): number {
  return s.before + (tick - s.from) * s.px;
}

export function tickAt(s: Scale, u: number): number {
  return s.from + (u - s.before) / s.px;
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
  for (let t = Math.ceil(s.from / step) * step; t <= s.to + 1e-9; t += step) ticks.push(t);
  return ticks;
}
