/*
 * view.ts - the space-time diagram: a canvas for the marks, SVG above it.
 *
 * The picture of a window is painted once; moving the cursor only composes it
 * anew, what lies in the future at 38 %.
 */
import { moveWindow, seekTime, selectLane, selectMessage, togglePin, zoom } from "../../act";
import { el, svg } from "../../dom";
import { modeDragged, modeDrags } from "../../modes";
import { get, on, set, type Key, type Shown, type Thing } from "../../model/store";
import { offences } from "../../model/violation";
import { SCENE } from "../../words";
import * as overlay from "./overlay";
import { paint, paintMessage } from "./paint";
import { canvasPen, palette, turned, type Palette } from "./pen";
import { messageMark, plan, type Mark, type MessageMark } from "./plan";
import { laneAt, makeScale, tickAt, ticksOf, uOf, vOf, type Frame, type Scale } from "./scale";

const FUTURE = 0.38;
const REST = 0.3; /* of what is not followed */
const NEAR = 7; /* px within which an arrow is hit */
const MOST_PAST = 600;
const ALARMS = new Set<Mark["is"]>(["band", "outline", "arrow"]);

export class SpaceTime {
  readonly element: HTMLElement;
  scale: Scale | null = null;
  marks: Mark[] = [];
  private title = el("h3", { class: "finding" });
  private canvas = el("canvas", { "aria-hidden": "true" });
  private layer = svg("svg", { class: "over", role: "img" });
  private fixed = svg("g");
  private moving = svg("g");
  private base = document.createElement("canvas");
  private colours: Palette = palette();
  private past: { message: number; set: Set<number> } | null = null;
  private stop: (() => void)[] = [];
  private watch: ResizeObserver;
  private width = 0;
  private height = 0;
  private ratio = 1;
  private turned = false;
  private drag: { x: number; y: number; moved: boolean; what: "pan" | "scrub" | "arrow"; message: number } | null = null;
  private fingers = new Map<number, { x: number; y: number }>();

  constructor(host: HTMLElement, private which: "shown" | "beside", private drawn: () => void = () => {}) {
    this.layer.append(this.fixed, this.moving);
    const box = el("div", { class: "scene" }, this.canvas, this.layer);
    this.element = el("figure", { class: "spacetime" }, this.title, box);
    host.append(this.element);
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(box);
    this.stop.push(
      on([...new Set<Key>([which, "from", "to", "theme", "frames", "fold", "beside"])], () => this.layout()),
      on(["time", "cursor", "selection", "hover", "following"], (changed) => {
        if (!changed.has(which) && !changed.has("from") && !changed.has("to")) this.compose();
      }),
    );
    this.listen(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.layout());
  }

  destroy(): void {
    this.watch.disconnect();
    for (const s of this.stop) s();
    this.element.remove();
  }

  private shown(): Shown | null {
    return get()[this.which];
  }

  private resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    this.width = Math.round(box.width);
    this.height = Math.round(box.height);
    if (this.width < 20 || this.height < 20) return;
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    for (const c of [this.canvas, this.base]) {
      c.width = Math.round(this.width * this.ratio);
      c.height = Math.round(this.height * this.ratio);
    }
    this.layer.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.turned = matchMedia("(max-width: 760px)").matches;
    this.layout();
  }

  private frame(): Frame {
    const shown = this.shown()!;
    const lanes = shown.run.lanes;
    const name = Math.max(...[0, lanes - 1].map((l) => shown.run.name(l).length), String(lanes).length);
    if (this.turned)
      return { length: this.height, breadth: this.width, before: 34, after: 16, over: 46, under: 10, heads: 8 };
    return {
      length: this.width, breadth: this.height, before: Math.max(40, 26 + name * 9), after: 24,
      over: 40, under: shown.run.rec.head.time !== "sync" ? 62 : get().fold ? 48 : 34,
    };
  }

  /* ---- Drawing ------------------------------------------------------------ */

  private layout(): void {
    const shown = this.shown(), s = get();
    this.element.hidden = shown === null;
    if (!shown || this.width < 20) return;
    this.colours = palette();
    /* Two runs have one time axis: what is silence in one is not in the other. */
    this.scale = makeScale(shown.run, s.from, s.to, this.frame(), s.fold && !s.beside);
    this.marks = plan(shown.run, this.scale, s.frames, shown.file !== "");
    this.title.textContent = shown.title;
    this.layer.setAttribute("aria-label", SCENE.describe(shown.title, shown.run.lanes, shown.run.messages, shown.run.end - 1));
    this.paintBase();
    this.fixed.replaceChildren(
      overlay.axis(this.scale, shown.run, this.turned),
      overlay.names(this.scale, shown.run, this.turned),
      overlay.labels(this.scale, shown.run, this.marks, this.turned, shown.letters),
      overlay.flags(this.scale, shown.run, this.turned),
    );
    if (!this.turned) this.fixed.append(overlay.ruler(this.scale, shown.run));
    this.compose();
    this.drawn();
  }

  private pen(c: CanvasRenderingContext2D) {
    const pen = canvasPen(c, this.colours, this.ratio);
    return this.turned ? turned(pen) : pen;
  }

  private paintBase(): void {
    const c = this.base.getContext("2d")!, s = this.scale!, run = this.shown()!.run;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.globalAlpha = 1;
    c.clearRect(0, 0, this.width, this.height);
    const pen = this.pen(c);
    const end = uOf(s, Math.min(s.to, run.end));
    for (const t of ticksOf(s, this.turned ? 36 : 56))
      if (t <= run.end) pen.line(uOf(s, t), s.over - 4, uOf(s, t), s.axis, { stroke: "grid", width: 1 });
    if (!s.shares)
      for (let row = 0; row < s.rows; row++) pen.line(s.before, vOf(s, row), end, vOf(s, row), { stroke: "grid", width: 1 });
    c.save();
    c.beginPath();
    const [x, y, w, h] = this.turned
      ? [0, s.before - 8, this.width, s.length - s.before - s.after + 16]
      : [s.before - 8, 0, s.length - s.before - s.after + 16, this.height];
    c.rect(x, y, w, h);
    c.clip();
    paint(pen, s, this.marks.filter((m) => !ALARMS.has(m.is)));
    c.restore();
  }

  private compose(): void {
    const shown = this.shown(), s = this.scale;
    if (!shown || !s || this.canvas.width === 0) return;
    const { time, following, selection } = get();
    const c = this.canvas.getContext("2d")!;
    const full = this.turned ? this.canvas.height : this.canvas.width;
    const across = this.turned ? this.canvas.width : this.canvas.height;
    const now = Math.round(Math.max(0, Math.min(full, (uOf(s, time) + 0.6) * this.ratio)));
    const followed = following && selection?.is === "message" && this.which === "shown" ? selection.message : -1;
    const part = (from: number, to: number, alpha: number): void => {
      if (to <= from) return;
      c.globalAlpha = alpha;
      const [x, y, w, h] = this.turned ? [0, from, across, to - from] : [from, 0, to - from, across];
      c.drawImage(this.base, x, y, w, h, x, y, w, h);
    };

    c.setTransform(1, 0, 0, 1, 0, 0);
    c.globalAlpha = 1;
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintAlarms(c, s, true);
    part(0, now, followed >= 0 ? REST : 1);
    part(now, full, followed >= 0 ? REST * FUTURE : FUTURE);
    this.paintAlarms(c, s, false);
    this.paintPicked(c, s, followed);
    this.composeOver(s, time);
  }

  /* A violation is in full dress, even while it is still to come. */
  private paintAlarms(c: CanvasRenderingContext2D, s: Scale, ground: boolean): void {
    const marks = this.marks.filter((m) => ALARMS.has(m.is) && (m.is === "band") === ground);
    if (marks.length === 0) return;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    paint(this.pen(c), s, marks);
    c.setTransform(1, 0, 0, 1, 0, 0);
  }

  /* The selected message and its causal past stay arrows at every zoom. */
  private paintPicked(c: CanvasRenderingContext2D, s: Scale, followed: number): void {
    const { run } = this.shown()!;
    const { selection, hover } = get();
    if (s.shares || this.which !== "shown") return;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const pen = this.pen(c);
    if (followed >= 0) {
      if (this.past?.message !== followed) this.past = { message: followed, set: run.past(followed) };
      let drawn = 0;
      for (const m of this.past.set) {
        if (run.sentTick[m] > s.to || run.doneAt(m) < s.from) continue;
        if (++drawn > MOST_PAST) break;
        paintMessage(pen, messageMark(run, s, m), true, m === followed);
      }
    } else if (selection?.is === "message") paintMessage(pen, messageMark(run, s, selection.message), true, true);
    if (hover?.is === "message" && hover.message < run.messages) paintMessage(pen, messageMark(run, s, hover.message), true, true);
  }

  private composeOver(s: Scale, time: number): void {
    const { selection, hover } = get();
    const run = this.shown()!.run;
    const at = overlay.placer(this.turned);
    const u = uOf(s, time);
    this.moving.replaceChildren();
    for (const [thing, cls] of [[selection, "picked"], [hover, "pointed"]] as [Thing | null, string][]) {
      if (thing?.is !== "lane" || s.shares || thing.lane >= run.lanes) continue;
      const [x, y] = at(s.before, vOf(s, thing.lane) - s.pitch / 2);
      const along = s.length - s.before - s.after;
      this.moving.append(svg("rect", { class: cls, x, y, width: this.turned ? s.pitch : along, height: this.turned ? along : s.pitch }));
    }
    if (u >= s.before - 1 && u <= s.length - s.after + 1) {
      const [x0, y0] = at(u, s.over - 16), [x1, y1] = at(u, s.axis + 4);
      this.moving.append(svg("line", { class: "cursor", x1: x0, y1: y0, x2: x1, y2: y1 }));
      const flags = offences(run);
      if (this.turned) {
        /* Flags are on the right; the clock gives way to them. */
        const left = flags.some((o) => Math.abs(uOf(s, o.from) - 14 - u) < 30) ? 4 : this.width - 76;
        this.moving.append(
          svg("rect", { class: "handle", x: left, y: u - 11, width: 70, height: 22, rx: 11 }),
          svg("text", { class: "handletext", x: left + 35, y: u + 4, "text-anchor": "middle" }, SCENE.at(Math.round(time * 10) / 10)),
        );
      } else if (flags.length > 0) this.moving.append(svg("path", { class: "handle", d: `M${u - 6} ${s.axis + 8}h12v-7l-6 -6l-6 6z` }));
      else this.moving.append(svg("path", { class: "handle", d: `M${u - 6} ${s.over - 22}h12v7l-6 6l-6 -6z` }));
    }
    for (const label of this.fixed.querySelectorAll<SVGTextElement>("[data-u]"))
      label.classList.toggle("future", Number(label.dataset.u) > u);
  }

  /* ---- Pointing ----------------------------------------------------------- */

  private uv(e: { clientX: number; clientY: number }): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const x = e.clientX - box.left, y = e.clientY - box.top;
    return this.turned ? [y, x] : [x, y];
  }

  /* The arrow nearest to a place, or null; `head`: only near its end. */
  private arrowAt(u: number, v: number, head: boolean): MessageMark | null {
    let best: MessageMark | null = null, least = NEAR;
    for (const m of this.marks) {
      if (m.is !== "message") continue;
      const du = m.u1 - m.u0, dv = m.v1 - m.v0, square = du * du + dv * dv || 1;
      const share = head ? 1 : Math.max(0, Math.min(1, ((u - m.u0) * du + (v - m.v0) * dv) / square));
      const far = Math.hypot(u - m.u0 - share * du, v - m.v0 - share * dv);
      if (far < least) { least = far; best = m; }
    }
    return best;
  }

  private thingAt(u: number, v: number): Thing | null {
    const run = this.shown()?.run;
    if (!run || !this.scale) return null;
    const arrow = this.arrowAt(u, v, false);
    if (arrow) return { is: "message", message: arrow.message };
    const lane = laneAt(this.scale, run, v);
    return lane >= 0 ? { is: "lane", lane } : null;
  }

  private listen(box: HTMLElement): void {
    box.addEventListener("pointerdown", (e) => this.down(e, box));
    box.addEventListener("pointermove", (e) => this.move(e));
    box.addEventListener("pointerup", (e) => this.up(e));
    box.addEventListener("pointercancel", (e) => { this.fingers.delete(e.pointerId); this.drag = null; });
    box.addEventListener("pointerleave", () => { if (!this.drag) set({ hover: null }); });
    box.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    box.addEventListener("dblclick", (e) => {
      const [u, v] = this.uv(e), thing = this.thingAt(u, v);
      if (thing?.is === "lane") togglePin(thing.lane);
    });
  }

  private down(e: PointerEvent, box: HTMLElement): void {
    if (!this.scale || e.button > 0) return;
    const [u, v] = this.uv(e), s = this.scale;
    this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    box.setPointerCapture(e.pointerId);
    const head = modeDrags() && this.which === "shown" ? this.arrowAt(u, v, true) : null;
    const onCursor = Math.abs(u - uOf(s, get().time)) < 9 && (v < s.over || this.turned);
    const what = head ? "arrow" : onCursor || v < s.over - 8 || v > s.axis - 4 ? "scrub" : "pan";
    this.drag = { x: u, y: v, moved: false, what, message: head?.message ?? -1 };
    if (what === "scrub") seekTime(tickAt(s, u), true);
  }

  private move(e: PointerEvent): void {
    const s = this.scale;
    if (!s) return;
    const [u, v] = this.uv(e);
    if (this.fingers.has(e.pointerId) && this.fingers.size === 2) return this.pinch(e);
    if (!this.drag) {
      const thing = e.pointerType === "touch" || this.which === "beside" ? null : this.thingAt(u, v);
      if (JSON.stringify(thing) !== JSON.stringify(get().hover)) set({ hover: thing });
      set({ pointer: { x: e.clientX, y: e.clientY } });
      return;
    }
    if (Math.hypot(u - this.drag.x, v - this.drag.y) > 4) this.drag.moved = true;
    if (!this.drag.moved) return;
    if (this.drag.what === "scrub") seekTime(tickAt(s, u), true);
    else if (this.drag.what === "pan") {
      moveWindow(tickAt(s, this.drag.x) - tickAt(s, u));
      this.drag.x = u;
    } else this.ghost(u);
  }

  /* While the head of an arrow is dragged: where it would be read, where dmax is. */
  private ghost(u: number): void {
    const s = this.scale!, run = this.shown()!.run;
    const mark = messageMark(run, s, this.drag!.message);
    const limit = uOf(s, run.sentTick[this.drag!.message] + run.lateAfter());
    const at = overlay.placer(this.turned);
    const end = Math.max(mark.u0, u);
    this.composeOver(s, get().time);
    const [x0, y0] = at(mark.u0, mark.v0), [x1, y1] = at(end, mark.v1);
    const [a0, b0] = at(limit, mark.v1 - 12), [a1, b1] = at(limit, mark.v1 + 12);
    this.moving.append(
      svg("line", { class: end > limit ? "ghost late" : "ghost", x1: x0, y1: y0, x2: x1, y2: y1 }),
      svg("line", { class: "dmax", x1: a0, y1: b0, x2: a1, y2: b1 }),
    );
  }

  private pinch(e: PointerEvent): void {
    const before = [...this.fingers.values()];
    this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    const after = [...this.fingers.values()];
    const far = (p: { x: number; y: number }[]) => Math.hypot(p[0].x - p[1].x, p[0].y - p[1].y) || 1;
    const [u] = this.uv({ clientX: (after[0].x + after[1].x) / 2, clientY: (after[0].y + after[1].y) / 2 });
    this.drag = null;
    zoom(far(after) / far(before), tickAt(this.scale!, u));
  }

  private up(e: PointerEvent): void {
    const drag = this.drag;
    this.fingers.delete(e.pointerId);
    this.drag = null;
    if (!drag || !this.scale) return;
    const [u, v] = this.uv(e);
    if (drag.what === "arrow" && drag.moved) {
      this.compose();
      modeDragged(drag.message, Math.round(tickAt(this.scale, u)));
    } else if (!drag.moved && drag.what !== "scrub") this.click(u, v);
  }

  private click(u: number, v: number): void {
    const thing = this.which === "shown" ? this.thingAt(u, v) : null;
    const { selection, following } = get();
    if (thing?.is === "message") {
      if (selection?.is === "message" && selection.message === thing.message && following) set({ selection: null, following: false });
      else selectMessage(thing.message);
    } else if (thing?.is === "lane") {
      if (selection?.is === "lane" && selection.lane === thing.lane) togglePin(thing.lane);
      else selectLane(thing.lane);
    } else set({ selection: null, following: false });
  }

  private wheel(e: WheelEvent): void {
    const s = this.scale;
    if (!s) return;
    e.preventDefault();
    const [u] = this.uv(e);
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
    if (sideways) moveWindow((Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : e.deltaY) / s.px);
    else zoom(Math.exp(-e.deltaY * (e.deltaMode === 1 ? 0.05 : 0.0016)), tickAt(s, u));
  }
}
