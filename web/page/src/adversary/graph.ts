/*
 * graph.ts - the states near by: where one stands at the left, each move one
 * column on.  A dot says how far a violation is, a line which move it is.
 * Ticks without a choice are folded into the line before them.
 */
import { svg } from "../dom";
import type { Near } from "../engine/api";
import { ADVERSARY as W } from "../words";
import { outlookClass, outlookSign, outlookWords } from "./outlook";

const ROW = 26;
const RADIUS = 10;
const LEFT = 22;
const CHAR = 6.1; /* width of a letter at 11.5 px, about */

interface Place { x: number; y: number }

/* Columns by distance; within one, near the states that lead there. */
function places(near: Near, width: number, tall: number): { at: Place[]; height: number; gap: number } {
  const levels = Math.max(1, ...near.states.map((s) => s.moves));
  const gap = (width - 2 * LEFT - 60) / levels;
  const at: Place[] = new Array(near.states.length);
  const columns: number[][] = Array.from({ length: levels + 1 }, () => []);
  near.states.forEach((s, i) => columns[s.moves]!.push(i));
  const most = Math.max(...columns.map((c) => c.length));
  const height = Math.max(Math.max(3, most) * ROW + 8, tall);
  const parentY = (i: number): number => {
    const from = near.edges.filter((e) => e.to === i && at[e.from]).map((e) => at[e.from]!.y);
    return from.length > 0 ? from.reduce((a, b) => a + b) / from.length : height / 2;
  };
  columns.forEach((column, level) => {
    const sorted = level === 0 ? column : [...column].sort((a, b) => parentY(a) - parentY(b));
    const space = height / sorted.length;
    sorted.forEach((i, k) => { at[i] = { x: LEFT + level * gap, y: (k + 0.5) * space }; });
  });
  return { at, height, gap };
}

function shorten(text: string, width: number): string {
  const most = Math.floor(width / CHAR);
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}

function edge(from: Place, to: Place, label: string, breaks: boolean, first: boolean, gap: number): SVGElement {
  const start = from.x + RADIUS;
  const bend = from.x + gap * 0.28;
  const middle = (start + bend) / 2;
  const end = to.x - RADIUS;
  const path = svg("path", {
    class: breaks ? "ne bad" : "ne",
    d: `M${start} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${bend} ${to.y}H${end}`,
  });
  const x = bend + gap * 0.02;
  const text = svg("text", { class: breaks ? "nl bad" : first ? "nl first" : "nl", x, y: to.y - 6 }, shorten(label, end - x));
  return svg("g", {}, path, text, svg("title", {}, label));
}

/* A picture of the states near by, at least so tall; `play` is called with a move
 * of the middle. */
export function drawNear(near: Near, width: number, tall: number, play: (index: number) => void): SVGSVGElement {
  const { at, height, gap } = places(near, width, tall);
  const label = (e: Near["edges"][number]): string => (e.ticks > 0 ? `${e.label}, ${W.folded(e.ticks)}` : e.label);
  const root = svg("svg", { class: "near", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
    svg("title", {}, W.near),
    svg("desc", {}, near.edges.filter((e) => e.from === 0)
      .map((e) => `${label(e)}: ${outlookWords(near.states[e.to]!.outlook)}`).join("; ")));
  /* One line to each state has its label; others that lead there, back, or stay
   * are fine, lie below, and say what they are when pointed at. */
  const below = svg("g"), above = svg("g");
  root.append(below, above);
  const drawn = new Set<number>([0]);
  for (const e of near.edges) {
    const from = at[e.from]!, to = at[e.to]!;
    const mid = (from.x + to.x) / 2;
    if (to.x > from.x && !drawn.has(e.to)) {
      drawn.add(e.to);
      above.append(edge(from, to, label(e), e.breaks, e.from === 0, gap));
    } else {
      const d = to.x > from.x ? `M${from.x + RADIUS} ${from.y}C${mid} ${from.y} ${mid} ${to.y} ${to.x - RADIUS} ${to.y}`
        : `M${from.x} ${from.y - RADIUS}Q${mid} ${Math.min(from.y, to.y) - 22} ${to.x} ${to.y - RADIUS}`;
      below.append(svg("path", { class: e.breaks ? "ne bad" : "ne more", d }, svg("title", {}, label(e))));
    }
  }
  near.states.forEach((s, i) => {
    const p = at[i]!;
    const move = near.edges.find((e) => e.from === 0 && e.to === i && i !== 0);
    const sign = s.behind ? "✗" : outlookSign(s.outlook);
    const g = svg("g", {
      class: `ns ${s.behind ? "ol-broken" : outlookClass(s.outlook)}${i === 0 ? " middle" : ""}${move ? " can" : ""}`,
      transform: `translate(${p.x} ${p.y})`,
      click: move ? () => play(move.index) : null,
    }, svg("circle", { r: RADIUS }), svg("text", { "text-anchor": "middle", y: 4 }, sign),
    svg("title", {}, s.behind ? W.violatedHere : outlookWords(s.outlook)));
    if (i === 0) g.prepend(svg("circle", { class: "ring", r: RADIUS + 4 }));
    if (s.more && s.moves > 0) g.append(svg("text", { class: "nl", x: RADIUS + 4, y: 4 }, "…"));
    root.append(g);
  });
  return root;
}
