/*
 * key.ts - the key: only what the picture has, as it is drawn there.
 */
import { byId, el } from "../dom";
import { LOOKS, HEIGHT, type Look } from "../model/looks";
import { on } from "../model/store";
import { KEY } from "../words";
import { paintBar, paintMessage, paintOne } from "./spacetime/paint";
import { canvasPen, palette } from "./spacetime/pen";
import { keyOf, type Mark, type Sign } from "./spacetime/plan";

const ORDER = [
  ...LOOKS.slice().reverse(),
  ...["wins", "claims", "asks", "grants", "refuses", "calls", "tells", "token", "frame"].map((sign) => `>${sign}`),
  "dies", "silent", "lost-message", "late", "crash", "pause", "cut", "slip",
];
const box = el("div", { class: "key", "aria-label": KEY.title, role: "group" });
let last = "";
const FAULTS: Record<string, Mark> = {
  crash: { is: "crash", lane: 0, u: 13, v: 8 }, pause: { is: "pause", lane: 0, u: 2, w: 22, v: 8, h: 12 },
  cut: { is: "cut", lane: 0, u: 1, w: 24, v: 16 }, slip: { is: "slip", lane: 0, u: 2, w: 22, v: 8, slow: true },
};

export function keyBox(): void {
  byId("net").append(box);
  on(["theme"], () => { last = ""; });
}

export function key(marks: Mark[]): void {
  const found = keyOf(marks);
  const sign = [...found].sort().join();
  if (sign === last) return;
  last = sign;
  box.replaceChildren(...ORDER.filter((k) => found.has(k)).map((k) => el("span", {}, sample(k), KEY.words[k] ?? k)));
}

function sample(what: string): HTMLCanvasElement {
  const ratio = 2, w = 26, h = 16;
  const canvas = el("canvas", { width: w * ratio, height: h * ratio, "aria-hidden": "true" });
  const c = canvas.getContext("2d")!;
  c.scale(ratio, ratio);
  const pen = canvasPen(c, palette(), ratio);
  const look = LOOKS.indexOf(what as Look);
  const fault = FAULTS[what];
  if (fault) paintOne(pen, null, fault);
  else if (look >= 0) paintBar(pen, look, 0.5, w - 1, h / 2, Math.min(h - 2, HEIGHT[what as Look] || 2), 1);
  else {
    const sign = (what.startsWith(">") ? what.slice(1) : "asks") as Sign;
    const end = what === "dies" || what === "silent" ? what : what === "lost-message" ? "lost" : "plain";
    paintMessage(pen, { is: "message", message: 0, u0: 1, v0: 4, u1: end === "silent" ? 18 : 25, v1: 11, sign, end, copy: false, late: what === "late" ? 0.5 : 1, queue: NaN }, true);
  }
  return canvas;
}
