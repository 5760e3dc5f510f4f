/*
 * overlay.ts - text, axis, flag and cursor above the canvas, as SVG.
 */
import { svg } from "../../dom";
import { ROLES } from "../../engine/api";
import { BESIDE, INSIDE, LEADER } from "../../model/looks";
import { below } from "../../model/search";
import type { Run } from "../../model/run";
import { offences } from "../../model/violation";
import { flagOf } from "../../model/title";
import { SCENE } from "../../words";
import type { Mark, MessageMark } from "./plan";
import { FOLDED, ticksOf, uOf, vOf, type Scale } from "./scale";

const CANDIDATE_ROLE = ROLES.indexOf("candidate");

type Place = (u: number, v: number) => [number, number];

export function placer(turned: boolean): Place {
  return (u, v) => (turned ? [v, u] : [u, v]);
}

function text(cls: string, x: number, y: number, anchor: string, words: string): SVGTextElement {
  return svg("text", { class: cls, x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor }, words);
}

const measure = document.createElement("canvas").getContext("2d")!;

/* The width of a flag's capitals, with their spacing. */
function flagWidth(words: string): number {
  measure.font = `700 14px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(words).width + words.length * 0.84 + 52;
}

/* About as wide as it will be; exact widths would force a layout. */
const wide = (words: string, size: number): number => words.length * size * 0.58;

export function axis(s: Scale, run: Run, turned: boolean): SVGGElement {
  const at = placer(turned);
  const g = svg("g");
  const bad = offences(run).map((o) => o.from);
  const near = (b: number, t: number): boolean => Math.abs(uOf(s, b) - uOf(s, t)) < (turned ? 14 : 36);
  const end = Math.min(s.to, run.end);
  const [x0, y0] = at(s.before, turned ? s.over - 6 : s.axis), [x1, y1] = at(uOf(s, end), turned ? s.over - 6 : s.axis);

  g.append(svg("line", { class: "axis", x1: x0, y1: y0, x2: x1, y2: y1 }));
  const label = (t: number, cls: string, words: string): void => {
    const [x, y] = at(uOf(s, t), turned ? s.over - 10 : s.axis);
    g.append(turned ? text(cls, x, y + 4, "end", words) : text(cls, x, y + 16, "middle", words));
    if (!turned) g.append(svg("line", { class: "axis", x1: x, y1: y, x2: x, y2: y + 4 }));
  };
  for (const t of ticksOf(s, turned ? 36 : 56)) {
    if (t > end || bad.some((b) => near(b, t))) continue;
    label(t, "tick", t === 0 && !turned ? SCENE.at(0) : String(t));
  }
  for (const f of s.folds) {
    const [x, y] = at(f.u + FOLDED / 2, turned ? s.over - 10 : s.axis);
    g.append(turned ? text("tick folded", x, y + 4, "end", SCENE.folded(f.ticks)) : text("tick folded", x, y + 29, "middle", SCENE.foldedTicks(f.ticks)));
  }
  let last = -Infinity;
  for (const b of bad) {
    if (b < s.from || b > s.to || uOf(s, b) - last < 40) continue;
    last = uOf(s, b);
    label(b, "tick badtext", turned ? String(b) : SCENE.at(b));
  }
  return g;
}

/* Names of lanes; each is a target for the pointer as high as its lane. */
export function names(s: Scale, run: Run, turned: boolean): SVGGElement {
  const at = placer(turned);
  const g = svg("g", { class: "names" });
  if (s.shares) {
    const [x, y] = at(turned ? s.before - 10 : s.before - 8, s.over + 30);
    g.append(text("lane", x, y, turned ? "start" : "end", String(run.lanes)), text("small", x, y + 15, turned ? "start" : "end", SCENE.nodes));
    return g;
  }
  const every = Math.max(1, Math.ceil((turned ? 26 : 15) / s.pitch));
  for (let row = 0; row < s.rows; row++) {
    if (row % every !== 0 && row !== s.rows - 1) continue;
    if (row === s.rows - 1 && row % every !== 0 && s.pitch * (row % every) < 14) continue;
    const lane = row % run.lanes;
    const [x, y] = at(turned ? s.before - 12 : s.before - 12, vOf(s, row));
    const label = text(row >= run.lanes ? "lane again" : "lane", x, turned ? y : y + 5, turned ? "middle" : "end", run.name(lane));
    label.dataset.lane = String(lane);
    g.append(label);
  }
  return g;
}

/* Places that are taken, so that no label covers another. */
class Taken {
  private boxes: [number, number, number, number][] = [];

  take(x: number, y: number, w: number, h: number): boolean {
    for (const b of this.boxes) if (x < b[2] && x + w > b[0] && y < b[3] && y + h > b[1]) return false;
    this.boxes.push([x, y, x + w, y + h]);
    return true;
  }
}

export function messageWords(run: Run, m: number): string {
  const { head, messages } = run.rec;
  const first = messages.fieldAt[m], fields = [...messages.fields.subarray(first, first + Math.min(3, messages.fieldCount[m]))];
  return [head.kinds[messages.kind[m]].label, fields.join(",")].filter(Boolean).join(" ");
}

/* A letter where it begins, and again where the bar changes: H holds, F forwards. */
function letterIn(run: Run, letters: string, s: Scale, bar: Extract<Mark, { is: "bar" }>, put: (u: number, letter: string) => void): void {
  const end = run.spanEnd(bar.lane, bar.span), lo = run.eventStart[bar.lane], hi = run.eventStart[bar.lane + 1];
  let last = "", free = -Infinity;
  for (let k = Math.max(lo, below(run.eventOf, run.spanEvent[bar.span], lo, hi)); k < hi; k++) {
    const e = run.eventOf[k], t = run.rec.events.tick[e];
    if (t >= Math.min(end, s.to)) break;
    if (k + 1 < hi && run.rec.events.tick[run.eventOf[k + 1]] === t) continue; /* what it is in the end counts */
    const u = Math.max(uOf(s, t), bar.u) + 4;
    if (letters[e] === last || letters[e] === " ") continue;
    last = letters[e];
    if (t < s.from || u < free || u + 10 > bar.u + bar.w) continue;
    put(u, last);
    free = u + 14;
  }
}

/* Words in bars, letters of candidates, labels of messages. */
export function labels(s: Scale, run: Run, marks: Mark[], turned: boolean, letters = ""): SVGGElement {
  const at = placer(turned);
  const g = svg("g");
  const taken = new Taken();
  let count = 0;

  for (const m of marks) {
    if (letters === "" || m.is !== "bar" || m.span < 0 || m.again || m.h < 8 || run.spanRole[m.span] !== CANDIDATE_ROLE) continue;
    letterIn(run, letters, s, m, (u, letter) => {
      if (++count > 400) return;
      const [x, y] = at(u, m.v);
      const label = text(run.spanRests[m.span] ? "letter rests" : "letter", turned ? x - 4 : x, turned ? y + 8 : y + 4, "start", letter);
      label.dataset.u = String(u);
      g.append(label);
    });
  }
  count = 0;

  for (const m of marks) {
    if (m.is !== "bar" || m.h < 13 || m.again || count > 120) continue;
    const word = m.look === INSIDE ? SCENE.inside : m.look === LEADER ? SCENE.leader : m.look === BESIDE ? SCENE.reader : "";
    if (!word || m.w < wide(word, 12) + 14 || turned) continue;
    const [x, y] = at(m.u + 8, m.v + 4);
    const label = text(m.look === BESIDE ? "onbeside" : "onstrong", x, y, "start", word);
    label.dataset.u = String(m.u);
    g.append(label);
    taken.take(m.u, m.v - m.h / 2, m.w, m.h);
    count++;
  }
  if (s.level !== "labels" || turned) return g;
  const arrows = marks.filter((m): m is MessageMark => m.is === "message");
  for (const m of arrows) {
    if (count > 160) break;
    const words = messageWords(run, m.message);
    const w = wide(words, 11.5), share = 0.42;
    const u = m.u0 + (m.u1 - m.u0) * share, v = m.v0 + (m.v1 - m.v0) * share;
    if (u < s.before || u + w > s.length - s.after || Math.abs(m.v1 - m.v0) < 16) continue;
    const up = m.v1 < m.v0;
    const x = up ? u - w - 7 : u + 7;
    if (x < s.before || !taken.take(x, v - 10, w, 14)) continue;
    const label = text("mono halo", x, v + 3, "start", words);
    label.dataset.u = String(u);
    g.append(label);
    count++;
  }
  return g;
}

/* Line, flag and axis mark of each violation in sight. */
export function flags(s: Scale, run: Run, turned: boolean): SVGGElement {
  const at = placer(turned);
  const g = svg("g", { class: "violation" });
  let free = -Infinity;

  offences(run).forEach((o, i) => {
    const u = uOf(s, o.from);
    if (o.from < s.from || o.from > s.to) return;
    const [x0, y0] = at(u, s.over - 4), [x1, y1] = at(u, s.axis + 4);
    g.append(svg("line", { class: "badline", x1: x0, y1: y0, x2: x1, y2: y1 }));
    if (u < free) return;
    const words = flagOf(run, i).toUpperCase();
    const w = flagWidth(words);
    let x = turned ? s.breadth - w - 6 : u - 1;
    const y = turned ? u - 28 : s.over - 32;
    if (!turned && x + w > s.length - 4) x = u - w + 1;
    g.append(
      svg("rect", { class: "bad", x, y, width: w, height: 28, rx: 2 }),
      svg("path", { class: "badcross", d: `M${x + 14} ${y + 8}l12 12m0 -12l-12 12` }),
      text("flag", x + 36, y + 19, "start", words),
    );
    free = u + w + 8;
  });
  return g;
}

/* Like the scale of a map: how long a step and a delay are at this zoom. */
export function ruler(s: Scale, run: Run): SVGGElement {
  const g = svg("g", { class: "ruler" });
  const { rmin, rmax, dmin, dmax } = run.rec.head.bounds;
  const one = (least: number, most: number, name: string, y: number): void => {
    const far = Number.isFinite(most) ? most : least;
    const w = Math.max(far, least) * s.px;
    if (!(w >= 3) || w > s.length * 0.45) return;
    const x = s.length - s.after - w, near = x + least * s.px;
    g.append(
      svg("path", { class: "axis", d: `M${x} ${y - 3}V${y + 3}M${x} ${y}H${x + w}M${x + w} ${y - 3}V${y + 3}` }),
      text("tick", x - 6, y + 4, "end", SCENE.bounds(name, least, most)),
    );
    if (far > least && least > 0) g.append(svg("path", { class: "axis", d: `M${near} ${y - 3}V${y + 3}` }));
  };
  if (run.rec.head.time === "sync") return g;
  one(rmin, rmax, "r", s.axis + 34);
  one(dmin, dmax, "d", s.axis + 50);
  return g;
}
