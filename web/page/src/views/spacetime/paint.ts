/*
 * paint.ts - draws the marks of a plan with a pen.
 */
import { COLOUR, LOOKS } from "../../model/looks";
import type { Mark, MessageMark, Sign } from "./plan";
import type { Ink, Pen } from "./pen";
import type { Scale } from "./scale";

interface Style { stroke: string; width: number; dash?: number[]; head: "full" | "open" | "ring" | "disc" | "none" }

export const SIGNS: Record<Sign, Style> = {
  asks: { stroke: "ink2", width: 1.5, head: "full" },
  claims: { stroke: "amberink", width: 1.5, head: "full" },
  wins: { stroke: "leader", width: 2.5, head: "full" },
  grants: { stroke: "inside", width: 1.5, head: "ring" },
  refuses: { stroke: "ink2", width: 1.5, head: "full" },
  calls: { stroke: "ink3", width: 1.1, dash: [3, 3], head: "open" },
  tells: { stroke: "leader", width: 1.5, dash: [4, 3], head: "open" },
  token: { stroke: "ink", width: 1.2, head: "disc" },
  frame: { stroke: "ink3", width: 1, dash: [1, 4], head: "none" },
};

const CELL_ALPHA = [0.26, 0.42, 0.6, 0.8, 1];

/* The bar of a look, as lanes and the key show it. */
export function barInk(look: number): Ink {
  const name = LOOKS[look], colour = COLOUR[name];
  switch (name) {
    case "candidate": return { fill: colour, stroke: "amberink", width: 0.75 };
    case "rests": case "waits": return { fill: "hatch", stroke: colour, width: 1 };
    case "asks": return { fill: "asks", stroke: colour, width: 1 };
    default: return { fill: colour };
  }
}

export function paintBar(pen: Pen, look: number, u: number, w: number, v: number, h: number, alpha: number): void {
  const name = LOOKS[look];
  if (name === "asleep") {
    pen.line(u, v, u + w, v, { stroke: "asleep", width: Math.min(2, h), dash: [2, 4], alpha });
  } else if (name === "beside") {
    pen.rect(u, v - h / 2, w, h, { fill: "inside", alpha: 0.45 * alpha });
    pen.rect(u, v - h / 2, w, h, { stroke: "inside", width: 0.75, alpha });
  } else if (h < 4 && name !== "candidate") {
    pen.rect(u, v - h / 2, w, h, { fill: COLOUR[name], alpha });
  } else pen.rect(u, v - h / 2, w, h, { ...barInk(look), alpha });
}

/* ---- Messages ------------------------------------------------------------- */

function head(pen: Pen, style: Style, colour: string, m: { u1: number; v1: number }, du: number, dv: number, big: boolean, alpha: number): void {
  const a = big ? 11 : 9, b = big ? 4.5 : 3.6;
  const { u1: x, v1: y } = m;
  const left = [x - a * du - b * dv, y - a * dv + b * du];
  const right = [x - a * du + b * dv, y - a * dv - b * du];
  if (style.head === "full") pen.poly([x, y, ...left, ...right], true, { fill: colour, alpha });
  else if (style.head === "open") pen.poly([...left, x, y, ...right], false, { stroke: colour, width: style.width, alpha });
  else if (style.head === "ring") pen.circle(x - 4 * du, y - 4 * dv, 4, { fill: "paper", stroke: colour, width: 1.5, alpha });
  else if (style.head === "disc") pen.circle(x - 4 * du, y - 4 * dv, 4.5, { fill: colour, alpha });
}

function across(pen: Pen, u: number, v: number, du: number, dv: number, half: number, ink: Ink): void {
  pen.line(u + half * dv, v - half * du, u - half * dv, v + half * du, ink);
}

export function paintMessage(pen: Pen, m: MessageMark, full: boolean, strong = false): void {
  const style = SIGNS[m.sign];
  const length = Math.hypot(m.u1 - m.u0, m.v1 - m.v0) || 1;
  const du = (m.u1 - m.u0) / length, dv = (m.v1 - m.v0) / length;
  const width = full ? (strong ? Math.max(2.5, style.width) : style.width) : m.sign === "wins" ? 1.6 : 0.8;
  const alpha = m.copy ? 0.6 : 1;
  const late = m.late < 1;
  const colour = late ? "bad" : style.stroke;
  /* A head that is a ring or a disc, or a bar before the lane, needs its room. */
  const short = !full ? 0 : m.end === "dies" ? 5 : style.head === "ring" || style.head === "disc" ? 8 : style.head === "full" ? 6 : 0;
  const ue = m.u1 - du * short, ve = m.v1 - dv * short;

  if (full) pen.line(m.u0, m.v0, ue, ve, { stroke: "paper", width: width + 2.5, alpha });
  if (late) {
    const ul = m.u0 + (m.u1 - m.u0) * m.late, vl = m.v0 + (m.v1 - m.v0) * m.late;
    pen.line(m.u0, m.v0, ul, vl, { stroke: style.stroke, width, dash: full ? style.dash : undefined, alpha });
    pen.line(ul, vl, ue, ve, { stroke: "bad", width: Math.max(1.2, width), alpha });
    if (full) across(pen, ul, vl, du, dv, 6, { stroke: "ink2", width: 1.8 });
  } else if (style.head === "disc" && full) {
    for (const side of [-1.6, 1.6])
      pen.line(m.u0 - side * dv, m.v0 + side * du, ue - side * dv, ve + side * du, { stroke: style.stroke, width, alpha });
  } else pen.line(m.u0, m.v0, ue, ve, { stroke: style.stroke, width, dash: full || m.sign === "calls" ? style.dash : undefined, alpha });
  if (Number.isFinite(m.queue))
    pen.line(m.u1, m.v1, m.queue, m.v1, { stroke: colour, width: full ? 1.3 : 0.8, dash: [1.5, 2.5], alpha });
  if (m.end === "lost" || m.end === "missed") {
    const k = full ? 4 : 2.5;
    pen.line(m.u1 - k, m.v1 - k, m.u1 + k, m.v1 + k, { stroke: colour, width: full ? 1.8 : 1.2, alpha });
    pen.line(m.u1 - k, m.v1 + k, m.u1 + k, m.v1 - k, { stroke: colour, width: full ? 1.8 : 1.2, alpha });
    return;
  }
  if (!full) return;
  if (m.end === "dies") {
    across(pen, ue, ve, du, dv, 5, { stroke: colour, width: 2.5, alpha });
    return;
  }
  if (length > 6) head(pen, style, colour, m, du, dv, m.sign === "wins" || strong, alpha);
  if (m.sign === "refuses") across(pen, m.u1, m.v1, du, dv, 5.5, { stroke: colour, width: 2, alpha });
  if (m.end === "silent") pen.circle(m.u1, m.v1, 7, { stroke: "ink", width: 1.5, alpha });
}

/* ---- All of it ------------------------------------------------------------ */

/* The scale is for what spans all lanes. */
export function paintOne(pen: Pen, scale: Scale | null, m: Mark): void {
  const s = scale!;
  switch (m.is) {
    case "bar":
      paintBar(pen, m.look, m.u, m.w, m.v, m.h, m.again ? 0.45 : 1);
      break;
    case "step":
      pen.line(m.u, m.v - 5, m.u, m.v + 5, { stroke: "ink3", width: 1 });
      break;
    case "timer":
      pen.rect(m.u, m.v, m.w, 2, { fill: "waiting", alpha: 0.7 });
      pen.line(m.u + m.w, m.v - 2, m.u + m.w, m.v + 4, { stroke: "waiting", width: 1 });
      break;
    case "message":
      paintMessage(pen, m, s.level !== "hairs");
      break;
    case "cell":
      pen.rect(m.u, m.v, m.w, m.h, { fill: "ink2", alpha: CELL_ALPHA[m.ink] });
      break;
    case "share": {
      const name = LOOKS[m.look];
      const pale = name === "asleep" || name === "lost" || name === "beside";
      const fill = name === "rests" || name === "waits" ? "waitfill" : name === "asks" ? "asks" : name === "down" ? "paper" : COLOUR[name];
      pen.rect(m.u, m.v, m.w, m.h, { fill, alpha: pale ? 0.45 : 1 });
      break;
    }
    case "crash": {
      pen.line(m.u - 5, m.v - 5, m.u + 5, m.v + 5, { stroke: "paper", width: 5 });
      pen.line(m.u - 5, m.v + 5, m.u + 5, m.v - 5, { stroke: "paper", width: 5 });
      pen.line(m.u - 5, m.v - 5, m.u + 5, m.v + 5, { stroke: "crashed", width: 2.5 });
      pen.line(m.u - 5, m.v + 5, m.u + 5, m.v - 5, { stroke: "crashed", width: 2.5 });
      break;
    }
    case "restart":
      pen.line(m.u, m.v - 7, m.u, m.v + 7, { stroke: "crashed", width: 2 });
      break;
    case "pause":
      if (m.w < 8) {
        pen.rect(m.u, m.v - m.h / 2, m.w, m.h, { fill: "paused" });
        break;
      }
      pen.rect(m.u, m.v - m.h / 2, m.w, m.h, { fill: "stripes", stroke: "paused", width: 1 });
      for (const [u, way] of [[m.u, 3], [m.u + m.w, -3]]) {
        const half = m.h / 2 + 3;
        pen.poly([u + way, m.v - half, u, m.v - half, u, m.v + half, u + way, m.v + half], false, { stroke: "paused", width: 2 });
      }
      break;
    case "cut":
      pen.line(m.u, m.v - 8, m.u + m.w, m.v - 8, { stroke: "ink3", width: 1, dash: [2, 3] });
      pen.line(m.u, m.v - 11, m.u, m.v - 5, { stroke: "ink2", width: 1.2 });
      break;
    case "band":
      pen.rect(m.u, s.over - 4, m.w, s.pitch * s.rows + 4, { fill: "alarm" });
      break;
    case "outline":
      pen.rect(m.u, m.v - m.h / 2, m.w, m.h, { stroke: "bad", width: 2 });
      break;
    case "slip":
      pen.line(m.u, m.v, m.u + m.w, m.v, { stroke: "bad", width: 2, dash: m.slow ? undefined : [3, 2] });
      pen.line(m.u, m.v - 3, m.u, m.v + 4, { stroke: "bad", width: 1.5 });
      pen.line(m.u + m.w, m.v - 3, m.u + m.w, m.v + 4, { stroke: "bad", width: 1.5 });
      break;
    case "fold": {
      /* What is folded stays visible below: a bar that lasts, an arrow that passes. */
      const top = s.over - 4, low = s.axis, teeth = Math.max(2, Math.round((low - top) / 9));
      pen.rect(m.u, top, m.w, low - top, { fill: "paper", alpha: 0.7 });
      for (const side of [m.u, m.u + m.w]) {
        const way: number[] = [];
        for (let i = 0; i <= teeth; i++) way.push(side + (i % 2 === 0 ? -3 : 3), top + ((low - top) * i) / teeth);
        pen.poly(way, false, { stroke: "ink3", width: 1.2 });
      }
      break;
    }
    case "arrow": {
      const ink: Ink = { stroke: "bad", width: 2 };
      pen.line(m.u, m.v0, m.u, m.v1, ink);
      pen.poly([m.u - 5, m.v0 + 6, m.u, m.v0, m.u + 5, m.v0 + 6], false, ink);
      pen.poly([m.u - 5, m.v1 - 6, m.u, m.v1, m.u + 5, m.v1 - 6], false, ink);
      break;
    }
  }
}

const LAYERS: Mark["is"][][] = [
  ["band"], ["share", "cell", "step", "cut"], ["bar"], ["timer"], ["message"],
  ["fold"], ["pause"], ["restart", "crash"], ["slip"], ["outline", "arrow"],
];

export function paint(pen: Pen, s: Scale, marks: Mark[]): void {
  for (const layer of LAYERS) for (const m of marks) if (layer.includes(m.is)) paintOne(pen, s, m);
}
