/*
 * overview.ts - the strip with the whole run: messages a column, violations,
 * faults, the part in sight, the cursor.  Dragging it scrubs.
 */
import { endOfAxis, seekTime } from "../act";
import { el } from "../dom";
import type { Run } from "../model/run";
import { get, on, set } from "../model/store";
import { offences } from "../model/violation";
import { RUN } from "../words";
import { canvasPen, palette } from "./spacetime/pen";

const COLUMN = 4; /* px, with a gap of one */

export function overview(): HTMLElement {
  const canvas = el("canvas", { class: "overview", tabindex: "-1", role: "img", "aria-label": RUN.overview });
  const base = document.createElement("canvas");
  let width = 0, height = 0, ratio = 1;

  const bars = (pen: ReturnType<typeof canvasPen>, run: Run, ground: number, high: number, up: boolean, end: number): void => {
    const step = Math.max(COLUMN, Math.min(24, width / end));
    const counts: number[] = [];
    for (let x = 0; x < width; x += step) counts.push(run.sends(-1, (x / width) * end, ((x + step) / width) * end));
    const most = Math.max(1, ...counts);
    counts.forEach((n, i) => {
      if (n === 0) return;
      const h = Math.max(2, (n / most) * high);
      pen.rect(i * step, up ? ground - h : ground, step - 1, h, { fill: "ink2", alpha: up ? 1 : 0.7 });
    });
  };

  const drawBase = (): void => {
    const { shown, beside } = get();
    if (!shown || width === 0) return;
    const c = base.getContext("2d")!;
    const end = endOfAxis();
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.globalAlpha = 1;
    c.clearRect(0, 0, width, height);
    const pen = canvasPen(c, palette(), ratio);
    const ground = beside ? height / 2 : height - 6, high = ground - 4;
    for (const o of offences(shown.run)) {
      const x = (o.from / end) * width, w = Math.max(3, ((o.to - o.from) / end) * width);
      pen.rect(x, 2, w, height - 8, { fill: "alarm" });
      pen.rect(x, 0, 2, height - 4, { fill: "bad" });
    }
    bars(pen, shown.run, ground, high, true, end);
    if (beside) bars(pen, beside.run, ground + 1, high, false, end);
    pen.line(0, ground + 0.5, width, ground + 0.5, { stroke: "rule", width: 1 });
    let last = -9;
    for (const f of shown.run.rec.faults) {
      const x = (f.from / end) * width;
      if (x - last < 4) continue;
      last = x;
      if (f.kind === "down") {
        pen.line(x - 3, height - 5, x + 3, height + 1, { stroke: "crashed", width: 1.6 });
        pen.line(x + 3, height - 5, x - 3, height + 1, { stroke: "crashed", width: 1.6 });
      } else if (f.kind === "pause") pen.rect(x, height - 5, Math.max(3, ((Math.min(f.to, end) - f.from) / end) * width), 4, { fill: "paused" });
    }
  };

  const compose = (): void => {
    const { from, to, time, shown } = get();
    const c = canvas.getContext("2d")!;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    if (!shown || width === 0) return;
    c.drawImage(base, 0, 0);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pen = canvasPen(c, palette(), ratio), end = endOfAxis();
    const x0 = (from / end) * width, x1 = (to / end) * width;
    if (x1 - x0 < width - 1) {
      pen.rect(0, 0, x0, height, { fill: "surface", alpha: 0.6 });
      pen.rect(x1, 0, width - x1, height, { fill: "surface", alpha: 0.6 });
      pen.rect(x0 + 0.5, 0.5, Math.max(3, x1 - x0 - 1), height - 1, { stroke: "ink3", width: 1 });
    }
    const x = (time / end) * width;
    pen.line(x, 0, x, height, { stroke: "ink", width: 2 });
  };

  new ResizeObserver(() => {
    const box = canvas.getBoundingClientRect();
    width = box.width;
    height = box.height;
    ratio = Math.min(2, devicePixelRatio || 1);
    for (const c of [canvas, base]) {
      c.width = Math.round(width * ratio);
      c.height = Math.round(height * ratio);
    }
    drawBase();
    compose();
  }).observe(canvas);
  const scrub = (e: PointerEvent): void => {
    const box = canvas.getBoundingClientRect();
    set({ playing: false });
    seekTime(((e.clientX - box.left) / box.width) * endOfAxis());
  };
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); scrub(e); });
  canvas.addEventListener("pointermove", (e) => { if (e.buttons > 0) scrub(e); });
  on(["shown", "beside", "theme"], drawBase);
  on(["shown", "beside", "theme", "from", "to", "time"], compose);
  return canvas;
}
