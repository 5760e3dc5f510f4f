/*
 * pen.ts - one way to draw for the screen and for files: a canvas or the text of
 * an SVG.  Colours are the names of the page's variables.
 */
export interface Ink {
  fill?: string; /* a colour, or "hatch", "alarm", "stripes" */
  stroke?: string;
  width?: number;
  dash?: readonly number[];
  alpha?: number;
  round?: boolean;
}

export interface Pen {
  line(x0: number, y0: number, x1: number, y1: number, ink: Ink): void;
  rect(x: number, y: number, w: number, h: number, ink: Ink): void;
  poly(points: readonly number[], closed: boolean, ink: Ink): void;
  circle(x: number, y: number, r: number, ink: Ink): void;
}

export type Palette = Record<string, string>;

const NAMES = [
  "paper", "surface", "ink", "ink2", "ink3", "rule", "grid", "asleep", "awake", "candidate",
  "waiting", "waitfill", "leader", "inside", "lost", "crashed", "paused", "bad", "badwash",
  "onstrong", "onamber", "amberink", "measure",
];

/* The colours of the present theme. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((n) => [n, style.getPropertyValue(`--${n}`).trim()]));
}

/* Time downwards: the same strokes with x and y exchanged. */
export function turned(pen: Pen): Pen {
  return {
    line: (x0, y0, x1, y1, ink) => pen.line(y0, x0, y1, x1, ink),
    rect: (x, y, w, h, ink) => pen.rect(y, x, h, w, ink),
    poly: (p, closed, ink) => pen.poly(p.map((_, i) => p[i ^ 1]), closed, ink),
    circle: (x, y, r, ink) => pen.circle(y, x, r, ink),
  };
}

/* ---- Canvas --------------------------------------------------------------- */

function tile(size: number, draw: (c: CanvasRenderingContext2D) => void, ratio: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.round(size * ratio);
  const c = canvas.getContext("2d")!;
  c.scale(canvas.width / size, canvas.height / size);
  draw(c);
  return canvas;
}

/* Diagonals that meet at the edges of the tile. */
function diagonals(c: CanvasRenderingContext2D, size: number, colour: string, width: number, up: boolean): void {
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.beginPath();
  for (const shift of [-size, 0, size]) {
    c.moveTo(shift - 1, up ? size + 1 : -1);
    c.lineTo(shift + size + 1, up ? -1 : size + 1);
  }
  c.stroke();
}

export function canvasPen(c: CanvasRenderingContext2D, colours: Palette, ratio: number): Pen {
  const patterns = new Map<string, CanvasPattern | string>();

  const pattern = (name: string): CanvasPattern | string => {
    let found = patterns.get(name);
    if (found !== undefined) return found;
    let canvas: HTMLCanvasElement | null = null;
    if (name === "hatch")
      canvas = tile(8, (t) => {
        t.fillStyle = colours.waitfill;
        t.fillRect(0, 0, 8, 8);
        diagonals(t, 8, colours.waiting, 1.6, true);
      }, ratio);
    else if (name === "asks")
      canvas = tile(8, (t) => {
        t.fillStyle = colours.waitfill;
        t.fillRect(0, 0, 8, 8);
        diagonals(t, 8, colours.waiting, 1, false);
      }, ratio);
    else if (name === "alarm")
      canvas = tile(11, (t) => {
        t.fillStyle = colours.badwash;
        t.fillRect(0, 0, 11, 11);
        t.globalAlpha = 0.35;
        diagonals(t, 11, colours.bad, 1, false);
      }, ratio);
    else if (name === "stripes")
      canvas = tile(5, (t) => {
        t.globalAlpha = 0.55;
        t.fillStyle = colours.paper;
        t.fillRect(0, 0, 5, 5);
        t.globalAlpha = 1;
        t.fillStyle = colours.paused;
        t.fillRect(1, 0, 2, 5);
      }, ratio);
    if (canvas) {
      const p = c.createPattern(canvas, "repeat")!;
      p.setTransform(new DOMMatrix().scale(1 / ratio));
      found = p;
    } else found = colours[name] ?? name;
    patterns.set(name, found);
    return found;
  };

  const finish = (ink: Ink): void => {
    if (ink.fill) {
      c.fillStyle = pattern(ink.fill);
      c.fill();
    }
    if (ink.stroke) {
      c.strokeStyle = colours[ink.stroke] ?? ink.stroke;
      c.lineWidth = ink.width ?? 1;
      c.lineCap = ink.round ? "round" : "butt";
      c.setLineDash((ink.dash ?? []) as number[]);
      c.stroke();
    }
  };
  const begin = (ink: Ink): void => {
    c.globalAlpha = ink.alpha ?? 1;
    c.beginPath();
  };

  return {
    line(x0, y0, x1, y1, ink) {
      begin(ink);
      c.moveTo(x0, y0);
      c.lineTo(x1, y1);
      finish(ink);
    },
    rect(x, y, w, h, ink) {
      begin(ink);
      c.rect(x, y, w, h);
      finish(ink);
    },
    poly(p, closed, ink) {
      begin(ink);
      c.moveTo(p[0], p[1]);
      for (let i = 2; i < p.length; i += 2) c.lineTo(p[i], p[i + 1]);
      if (closed) c.closePath();
      finish(ink);
    },
    circle(x, y, r, ink) {
      begin(ink);
      c.arc(x, y, r, 0, 2 * Math.PI);
      finish(ink);
    },
  };
}

/* ---- SVG ------------------------------------------------------------------ */

const r2 = (n: number): string => String(Math.round(n * 100) / 100);

export class SvgPen implements Pen {
  readonly parts: string[] = [];

  constructor(private colours: Palette) {}

  private colour(name: string): string {
    return ["hatch", "asks", "alarm", "stripes"].includes(name) ? `url(#${name})` : this.colours[name] ?? name;
  }

  private ink(ink: Ink): string {
    let out = ` fill="${ink.fill ? this.colour(ink.fill) : "none"}"`;
    if (ink.stroke) out += ` stroke="${this.colour(ink.stroke)}" stroke-width="${ink.width ?? 1}"`;
    if (ink.dash?.length) out += ` stroke-dasharray="${ink.dash.join(" ")}"`;
    if (ink.round) out += ' stroke-linecap="round"';
    if (ink.alpha !== undefined && ink.alpha < 1) out += ` opacity="${r2(ink.alpha)}"`;
    return out;
  }

  line(x0: number, y0: number, x1: number, y1: number, ink: Ink): void {
    this.parts.push(`<path d="M${r2(x0)} ${r2(y0)}L${r2(x1)} ${r2(y1)}"${this.ink(ink)}/>`);
  }

  rect(x: number, y: number, w: number, h: number, ink: Ink): void {
    this.parts.push(`<rect x="${r2(x)}" y="${r2(y)}" width="${r2(w)}" height="${r2(h)}"${this.ink(ink)}/>`);
  }

  poly(p: readonly number[], closed: boolean, ink: Ink): void {
    let d = "";
    for (let i = 0; i < p.length; i += 2) d += `${i === 0 ? "M" : "L"}${r2(p[i])} ${r2(p[i + 1])}`;
    this.parts.push(`<path d="${d}${closed ? "Z" : ""}"${this.ink(ink)}/>`);
  }

  circle(x: number, y: number, r: number, ink: Ink): void {
    this.parts.push(`<circle cx="${r2(x)}" cy="${r2(y)}" r="${r2(r)}"${this.ink(ink)}/>`);
  }

  patterns(): string {
    const c = this.colours;
    const one = (id: string, size: number, turn: number, ground: string, groundAlpha: number, stroke: string, width: number, alpha: number) =>
      `<pattern id="${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse" patternTransform="rotate(${turn})">` +
      `<rect width="${size}" height="${size}" fill="${ground}" opacity="${groundAlpha}"/>` +
      `<path d="M1 0V${size}" stroke="${stroke}" stroke-width="${width}" opacity="${alpha}"/></pattern>`;
    return "<defs>" + one("hatch", 6, 45, c.waitfill, 1, c.waiting, 1.6, 1) + one("asks", 6, -45, c.waitfill, 1, c.waiting, 1, 1) +
      one("alarm", 8, -45, c.badwash, 1, c.bad, 1, 0.35) + one("stripes", 5, 0, c.paper, 0.55, c.paused, 2, 1) + "</defs>";
  }
}
