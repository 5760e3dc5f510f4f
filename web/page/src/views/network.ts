/*
 * network.ts - the network at the time of the cursor: nodes by their state,
 * messages where they are on their way.
 */
import { selectLane, selectMessage, togglePin } from "../act";
import { byId, el, svg } from "../dom";
import { NONE } from "../engine/api";
import { LOOKS, type Look } from "../model/looks";
import type { Run } from "../model/run";
import { get, on, set } from "../model/store";
import { offences } from "../model/violation";
import { flagOf } from "../model/title";
import { NET, ROLE_WORDS } from "../words";
import { ROLES } from "../engine/api";
import { MOST_DOTS, between, spots, type Spot } from "./layout";
import { messageWords } from "./spacetime/overlay";
import { SIGNS } from "./spacetime/paint";
import { signOf } from "./spacetime/plan";

const SIZE = 280;
const MOST_SEEN = 48; /* messages under way that are drawn */

let run: Run | null = null;
let where: Spot[] = [];
let margin = 30;
const title = el("h2", { class: "num" });
const nodes = svg("g"), links = svg("g"), mail = svg("g");
const picture = svg("svg", { class: "ring", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, links, nodes, mail);

export function network(): void {
  byId("net").append(title, picture);
  on(["shown"], build);
  on(["shown", "cursor", "time", "selection", "hover"], draw);
}

/* The lanes that a dot stands for. */
function lanesOf(dot: number): [number, number] {
  if (!run) return [0, 0];
  const n = Math.min(run.lanes, MOST_DOTS);
  return [Math.floor((dot * run.lanes) / n), Math.floor(((dot + 1) * run.lanes) / n)];
}

function dotOf(lane: number): number {
  return run!.lanes <= MOST_DOTS ? lane : Math.floor((lane * MOST_DOTS) / run!.lanes);
}

function build(): void {
  run = get().shown?.run ?? null;
  nodes.replaceChildren();
  links.replaceChildren();
  if (!run) return;
  margin = run.lanes > 24 ? 16 : 30;
  where = spots(run, SIZE, margin);
  const { topology } = run.rec.head;
  if (topology.startsWith("ring")) {
    links.append(svg("circle", { class: "rail", cx: SIZE / 2, cy: SIZE / 2, r: SIZE / 2 - margin }));
    if (topology === "ring" && run.lanes <= 24) {
      for (let i = 0; i < where.length; i++) {
        const [x, y] = between(where[i], where[(i + 1) % where.length], 0.5, true, SIZE, margin);
        const turn = ((where[i].angle + Math.PI / where.length) * 180) / Math.PI + 90;
        links.append(svg("path", { class: "linkh", d: "M-3 -4L3 0L-3 4", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn.toFixed(1)})` }));
      }
    }
  } else if (topology === "tree") {
    for (const [a, b] of run.rec.head.links) if (a < where.length && b < where.length) link(a, b);
  } else if (run.lanes <= 12) {
    for (let a = 0; a < run.lanes; a++) for (let b = a + 1; b < run.lanes; b++) link(a, b);
  } else links.append(svg("circle", { class: "rail", cx: SIZE / 2, cy: SIZE / 2, r: SIZE / 2 - margin }));
  where.forEach(({ x, y }, i) => {
    /* What is clicked stays while what is seen is drawn anew: a click on something
     * that is gone when the button comes up is none. */
    const g = svg("g", { class: "node" },
      svg("circle", { class: "hit", cx: x, cy: y, r: RADIUS.leader! * scaleOf() }), svg("g", { class: "looks" }));
    g.addEventListener("click", () => {
      const lane = lanesOf(i)[0], { selection } = get();
      if (selection?.is === "lane" && selection.lane === lane) togglePin(lane);
      else selectLane(lane);
    });
    g.addEventListener("pointerenter", (e) => set({ hover: { is: "lane", lane: lanesOf(i)[0] }, pointer: { x: (e as PointerEvent).clientX, y: (e as PointerEvent).clientY } }));
    g.addEventListener("pointerleave", () => set({ hover: null }));
    nodes.append(g);
  });
}

function link(a: number, b: number): void {
  links.append(svg("line", { class: "rail", x1: where[a].x, y1: where[a].y, x2: where[b].x, y2: where[b].y }));
}

/* ---- Nodes ---------------------------------------------------------------- */

const RADIUS: Partial<Record<Look, number>> = { asleep: 13, candidate: 17, leader: 20, inside: 20, beside: 20 };

/* Of many nodes each is small. */
function scaleOf(): number {
  return where.length > 60 ? 0.28 : where.length > 24 ? 0.5 : where.length > 12 ? 0.8 : 1;
}

function drawNode(g: SVGGElement, i: number, bad: Set<number>): void {
  const { cursor, time, selection, hover } = get();
  const [first, last] = lanesOf(i);
  let span = run!.spanAfter(first, cursor);
  for (let l = first + 1; l < last; l++) {
    const other = run!.spanAfter(l, cursor);
    if (run!.spanLook[other] > run!.spanLook[span]) span = other;
  }
  const look = LOOKS[run!.spanLook[span]];
  const paused = run!.rec.faults.some((f) => f.kind === "pause" && f.lane === first && f.from <= time && time < f.to);
  const dense = where.length > 24;
  const scale = scaleOf();
  const { x, y } = where[i];
  const r = (RADIUS[look] ?? 15) * scale;
  const picked = selection?.is === "lane" && dotOf(selection.lane) === i;
  const pointed = hover?.is === "lane" && dotOf(hover.lane) === i;
  /* Nothing to do if it looks as it did. */
  const waits = look === "rests" || look === "asks" || look === "waits";
  const end = waits ? run!.spanEnd(first, span) : 0, start = run!.spanTick[span];
  const share = waits && end > start ? Math.min(1, (time - start) / (end - start)) : 0;
  const sign = `${span} ${look} ${paused} ${picked} ${pointed} ${bad.has(first)} ${Math.round(share * 60)}`;
  if (g.dataset.sign === sign) return;
  g.dataset.sign = sign;

  const strong = look === "leader" || look === "inside";
  const parts: Node[] = [];
  if (picked || pointed) parts.push(svg("circle", { class: picked ? "pickring" : "pointring", cx: x, cy: y, r: r + 10 * scale }));
  if (bad.has(first)) parts.push(svg("circle", { class: "badring", cx: x, cy: y, r: r + 5 * scale }));
  if (waits && where.length <= 60) {
    const w = r + 7 * scale;
    parts.push(svg("circle", { class: "waitring", cx: x, cy: y, r: w, "stroke-width": 5 * scale }));
    if (share > 0) parts.push(svg("path", { class: "waitarc", d: arc(x, y, w, Math.min(0.9999, share)), "stroke-width": 5 * scale }));
  }
  if (look === "down") {
    const k = 9 * scale;
    parts.push(svg("path", { class: "downcross", d: `M${x - k} ${y - k}l${2 * k} ${2 * k}m0 ${-2 * k}l${-2 * k} ${2 * k}` }));
  } else if (where.length > 60) parts.push(svg("circle", { class: `dot ${look}`, cx: x, cy: y, r: strong ? 5 : 2.6 }));
  else parts.push(svg("circle", { class: `disc ${look}`, cx: x, cy: y, r }));
  if (paused) {
    const k = 5 * scale;
    parts.push(svg("path", { class: "pausemark", d: `M${x - k} ${y - 1.6 * k}v${3.2 * k}M${x + k} ${y - 1.6 * k}v${3.2 * k}` }));
  } else if (!dense && look !== "down")
    parts.push(svg("text", { class: strong ? "nodename strong" : look === "candidate" ? "nodename amber" : "nodename", x, y: y + 5, "text-anchor": "middle" }, run!.name(first)));
  if (where.length <= 10) {
    const role = ROLES[run!.spanRole[span]];
    const words = run!.spanRests[span] ? NET.rests(run!.rec.head.problem) : strong || look === "candidate" || waits ? NET.roles[role] ?? ROLE_WORDS[role] : "";
    if (words) {
      const inward = run!.rec.head.topology !== "tree" && where.length > 2;
      const dx = inward ? (SIZE / 2 - x) / (SIZE / 2 - margin) : 0, dy = inward ? (SIZE / 2 - y) / (SIZE / 2 - margin) : 1;
      const far = r + (waits ? 16 : 8);
      const anchor = dx > 0.5 ? "start" : dx < -0.5 ? "end" : "middle";
      parts.push(svg("text", { class: `nodewords ${look}`, x: x + dx * far, y: y + dy * (far + 8) + 4, "text-anchor": anchor }, words));
    }
  }
  g.replaceChildren(...parts);
}

function arc(x: number, y: number, r: number, share: number): string {
  const angle = 2 * Math.PI * share - Math.PI / 2;
  return `M${x} ${y - r}A${r} ${r} 0 ${share > 0.5 ? 1 : 0} 1 ${x + r * Math.cos(angle)} ${y + r * Math.sin(angle)}`;
}

/* ---- Messages under way --------------------------------------------------- */

/* Messages that were sent and not yet read at the cursor, newest last. */
export function underWay(r: Run, cursor: number, time: number, most: number): number[] {
  const { messages } = r.rec;
  const found: number[] = [];
  for (const m of r.between(time, time)) {
    if (messages.by[m] > cursor || r.isFrame(m)) continue;
    if (messages.read[m] !== NONE && messages.read[m] <= cursor) continue;
    if (messages.read[m] === NONE && r.arrowEnd[m] <= time) continue;
    found.push(m);
    if (found.length >= most) break;
  }
  return found;
}

function drawMessage(m: number, labelled: boolean): Node[] {
  const r = run!, { time, selection } = get();
  const a = where[dotOf(r.from[m])], b = where[dotOf(r.rec.messages.to[m])];
  if (!a || !b) return [];
  const ring = r.rec.head.topology.startsWith("ring") && where.length > 2;
  const way = Math.max(1e-9, r.arrowEnd[m] - r.sentTick[m]);
  const lost = r.isLost(m);
  const done = Math.min(1, (time - r.sentTick[m]) / way) * (lost ? 0.5 : 1);
  /* From rim to rim, not from centre to centre. */
  const rim = ring ? Math.min(0.36, (24 * where.length) / (2 * Math.PI * (SIZE / 2 - margin))) : 20 / Math.max(40, Math.hypot(b.x - a.x, b.y - a.y));
  const at = (share: number) => between(a, b, rim + share * (1 - 2 * rim), ring, SIZE, margin);
  const [x, y] = at(done), [x0, y0] = at(Math.max(0, done - 0.3));
  const style = SIGNS[signOf(r, m)];
  const late = time - r.sentTick[m] > r.lateAfter();
  const colour = `var(--${late ? "bad" : style.stroke})`;
  const [fx, fy] = at(Math.min(1, done + 0.02)), [bx, by] = at(Math.max(0, done - 0.02));
  const turn = (Math.atan2(fy - by, fx - bx) * 180) / Math.PI;
  const picked = selection?.is === "message" && selection.message === m;
  const g = svg("g", { class: picked ? "mail picked-mail" : "mail" });
  const line = svg("line", { x1: x0, y1: y0, x2: x, y2: y, "stroke-width": picked ? 3.5 : Math.max(1.5, style.width), "stroke-dasharray": style.dash?.join(" ") ?? null });
  line.style.stroke = colour;
  const top = svg("path", { d: "M5 0L-5 -4.5V4.5Z", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn.toFixed(0)})` });
  top.style.fill = style.head === "open" || style.head === "ring" ? "var(--paper)" : colour;
  top.style.stroke = colour;
  g.append(line, top);
  if (labelled) {
    /* Outside a ring; beside the line elsewhere, and never on a node. */
    const [lx, ly] = ring ? [x, y] : at(Math.max(0.3, Math.min(0.62, done)));
    const out = ring ? 16 : 0, dx = (lx - SIZE / 2) / (SIZE / 2), dy = (ly - SIZE / 2) / (SIZE / 2);
    const label = svg("text", { class: "maillabel halo", x: lx + dx * out, y: ly + dy * out + (ring ? 4 : -5), "text-anchor": "middle" }, messageWords(r, m));
    label.style.fill = colour;
    g.append(label);
  }
  /* It may be somewhere else when the button comes up. */
  g.addEventListener("pointerdown", () => selectMessage(m));
  return [g];
}

function draw(): void {
  if (!run) return;
  const { cursor, time } = get();
  const bad = new Set<number>();
  const now = offences(run).filter((o) => o.event <= cursor && time < o.to);
  for (const o of now) for (const l of o.lanes) bad.add(l);
  title.textContent = NET.title(Math.round(time * 10) / 10);
  [...nodes.children].forEach((g, i) => drawNode(g.lastElementChild as SVGGElement, i, bad));
  const seen = underWay(run, cursor, time, MOST_SEEN);
  const few = seen.length <= (run.rec.head.topology.startsWith("ring") ? 8 : 4) && where.length <= 24;
  mail.replaceChildren(...seen.flatMap((m) => drawMessage(m, few)));
  if (now.length > 0) {
    const words = flagOf(run, offences(run).indexOf(now[0])).toUpperCase();
    const w = words.length * 11.4 + 50;
    const x = SIZE / 2 - w / 2, y = where.length === 2 ? 30 : SIZE / 2 - 14;
    mail.append(
      svg("rect", { class: "bad", x, y, width: w, height: 28, rx: 2 }),
      svg("path", { class: "badcross", d: `M${x + 14} ${y + 8}l12 12m0 -12l-12 12` }),
      svg("text", { class: "flag", x: x + 36, y: y + 19 }, words),
    );
  }
  picture.setAttribute("aria-label", NET.describe(title.textContent, seen.length));
}

