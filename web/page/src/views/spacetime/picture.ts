/*
 * picture.ts - the diagram as the text of an SVG of its own, for papers: the
 * same marks, the same overlay, colours spelt out, and the command below it.
 */
import { get } from "../../model/store";
import { join } from "../../model/command";
import * as overlay from "./overlay";
import { paint } from "./paint";
import { SvgPen, palette } from "./pen";
import { plan } from "./plan";
import { makeScale, ticksOf, uOf } from "./scale";

const STYLE = `text{font-family:Inter,system-ui,Arial,sans-serif;font-size:12.5px;fill:@ink}
.tick{font-size:11.5px;fill:@ink3}.small{font-size:11.5px;fill:@ink2}.lane{font-size:14px;font-weight:650}.again{opacity:.5}
.mono{font-family:"JetBrains Mono",ui-monospace,"DejaVu Sans Mono",monospace;font-size:11.5px;fill:@ink2}
.letter{font-size:11.5px;font-weight:700;fill:@onamber}.letter.rests{fill:@ink;paint-order:stroke;stroke:@waitfill;stroke-width:3px}
.halo{paint-order:stroke;stroke:@paper;stroke-width:4px;stroke-linejoin:round}
.axis{stroke:@ink3;fill:none}.onstrong{fill:@onstrong;font-weight:600;font-size:12px}.onbeside{font-weight:650;font-size:12px}
.bad{fill:@bad}.badline{stroke:@bad;stroke-width:2}.badtext{fill:@bad;font-weight:700}.badcross{stroke:@onstrong;stroke-width:2.6;stroke-linecap:round;fill:none}
.flag{fill:@onstrong;font-size:14px;font-weight:700;letter-spacing:.06em}.title{font-size:20px;font-weight:650}`;

const escape = (s: string): string => s.replace(/&/g, "&amp;").replace(/</g, "&lt;");

export function pictureSvg(): string {
  const { shown, from, to, frames, words, fold, beside } = get();
  const run = shown!.run;
  const width = 1000, rows = run.lanes + 1;
  const height = Math.max(300, Math.min(720, 150 + rows * 48));
  const colours = palette();
  const s = makeScale(run, from, to, { length: width, breadth: height, before: 64, after: 30, over: 92, under: 90 }, fold && !beside);
  const marks = plan(run, s, frames, shown!.file !== "");
  const pen = new SvgPen(colours);

  for (const t of ticksOf(s, 56)) if (t <= run.end) pen.line(uOf(s, t), s.over - 4, uOf(s, t), s.axis, { stroke: "grid" });
  paint(pen, s, marks);
  const over = [overlay.axis(s, run, false), overlay.names(s, run, false), overlay.labels(s, run, marks, false, shown!.letters), overlay.flags(s, run, false), overlay.ruler(s, run)]
    .map((g) => new XMLSerializer().serializeToString(g)).join("");
  const command = run.rec.head.command || `fulcrum ${join(words)}`;
  const style = STYLE.replace(/@([a-z0-9]+)/g, (_, name: string) => colours[name] ?? name);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">` +
    `<title>${escape(shown!.title)}</title><style>${style}</style>${pen.patterns()}` +
    `<rect width="${width}" height="${height}" fill="${colours.paper}"/>` +
    `<clipPath id="plot"><rect x="${s.before - 8}" y="0" width="${width - s.before - s.after + 16}" height="${height}"/></clipPath>` +
    `<text class="title" x="24" y="36">${escape(shown!.title)}</text>` +
    `<g clip-path="url(#plot)">${pen.parts.join("")}</g>${over}` +
    `<text class="mono" x="24" y="${height - 14}">${escape(command)}</text></svg>\n`;
}
