/*
 * counters.ts - what the run costs up to the cursor and in the end, beside what
 * the paper states; and whether the property holds here.
 */
import { byId, el, svg } from "../dom";
import type { Report } from "../engine/api";
import type { Run } from "../model/run";
import { get, on, type Shown } from "../model/store";
import { offences } from "../model/violation";
import { flagOf } from "../model/title";
import { above } from "../model/search";
import { lateMessages, slips } from "../model/pace";
import { COUNTERS } from "../words";

interface Row {
  cost: string;
  end: number; /* of the whole run */
  now: ((run: Run, cursor: number, time: number) => number) | null;
  value: number; /* the bound, or NaN */
  update: (now: number) => void;
  box: HTMLElement;
}

const NOW: Record<string, (run: Run, cursor: number, time: number) => number> = {
  messages: (run, cursor, time) => (cursor < 0 ? 0 : Math.min(sentBy(run, cursor), above(run.allSends, time, 0, run.allSends.length))),
  end: (run, _, time) => Math.min(run.end - 1, Math.round(time * 10) / 10),
};

/* Messages sent up to an event, liveness frames left out. */
function sentBy(run: Run, cursor: number): number {
  const all = run.rec.events.sent[cursor + 1] ?? run.messages;
  if (run.allSends.length === run.messages) return all;
  return above(run.allSends, run.tickOf(cursor), 0, run.allSends.length);
}

/* The number that a report has for a cost; a bound on the worst is beside the worst. */
function measured(report: Report, cost: string, relation: string): number {
  const found = report[cost];
  if (typeof found === "number") return found;
  if (found === null || typeof found !== "object") return NaN;
  return relation === "at most" ? found.max ?? found.mean : relation === "at least" ? found.min ?? found.mean : found.mean;
}

let rows: Row[] = [];
const list = el("div", { class: "counts" });
const verdict = el("p", { class: "property" });
const bounds = el("p", { class: "property broken", hidden: true });

export function counters(): void {
  const box = el("section", { class: "count", "aria-label": COUNTERS.title }, el("h2", {}, COUNTERS.title), verdict, bounds, list);
  byId("net").append(box);
  on(["shown", "beside"], build);
  on(["shown", "beside", "cursor", "time"], update);
}

function build(): void {
  const { shown, beside } = get();
  rows = [];
  list.replaceChildren();
  if (!shown) return;
  judgeBounds(shown);
  const report = shown.report;
  if (!report) {
    addRow("messages", shown.run.allSends.length, null, NaN);
    addRow("end", shown.run.end - 1, null, NaN);
    return;
  }
  const claims = (report.claims ?? []) as { cost: string; relation: string; value: number; formula: string; verdict: string }[];
  const besideOf = (cost: string, relation: string) => (beside?.report ? measured(beside.report, cost, relation) : NaN);
  for (const cost of ["messages", "end"]) {
    const claim = claims.find((c) => c.cost === cost) ?? null;
    addRow(cost, measured(report, cost, "at most"), claim, besideOf(cost, "at most"));
  }
  for (const c of claims) {
    const same = rows.find((r) => r.cost === c.cost);
    if (same?.value === c.value) continue;
    /* Another bound on the same cost is one more line below it. */
    if (same) {
      same.box.append(el("small", {}, ...raised(COUNTERS.bound(c.relation, c.value, c.formula)), ", ",
        el("span", { class: c.verdict === "beyond" ? "beyond" : "within" }, COUNTERS.verdict(c.verdict))));
      continue;
    }
    addRow(c.cost, measured(report, c.cost, c.relation), c, besideOf(c.cost, c.relation));
  }
  if (!rows.some((r) => r.cost === "paper_bits") && report.paper_bits) addRow("paper_bits", measured(report, "paper_bits", ""), null, besideOf("paper_bits", ""));
}

/* What a dropped trace shows of a machine that did not keep its bounds. */
function judgeBounds({ run, file }: Shown): void {
  const found = file === "" ? [] : slips(run), late = file === "" ? 0 : lateMessages(run);
  const slow = found.filter((s) => s.slow).length;
  bounds.hidden = late + found.length === 0;
  if (!bounds.hidden) bounds.replaceChildren(sign(true), COUNTERS.bounds(late, slow, found.length - slow));
}

function addRow(cost: string, end: number, claim: { relation: string; value: number; formula: string; verdict: string } | null, beside: number): void {
  if (!Number.isFinite(end)) return;
  const value = claim?.value ?? NaN, now = NOW[cost] ?? null;
  const most = Math.max(end, Number.isFinite(value) ? value : 0, Number.isFinite(beside) ? beside : 0, 1) * 1.06;
  const x = (n: number): number => (Math.max(0, Math.min(most, n)) / most) * 300;
  const number = el("strong", { class: "num" });
  const thick = svg("rect", { class: "measured", x: 0, y: 9, height: 6, width: 0 });
  const picture = svg("svg", { class: "bullet", viewBox: "-2 0 308 24", "aria-hidden": "true", preserveAspectRatio: "none" },
    svg("rect", { class: "track", x: 0, y: 9, width: 302, height: 6 }),
    svg("line", { class: "measuredline", x1: 0, y1: 12, x2: x(end), y2: 12 }),
    thick,
    svg("circle", { class: "measured", cx: x(end), cy: 12, r: 3.5 }));
  if (Number.isFinite(value)) picture.append(svg("line", { class: "boundtick", x1: x(value), y1: 3, x2: x(value), y2: 21 }));
  if (Number.isFinite(beside)) picture.append(svg("circle", { class: "besidedot", cx: x(beside), cy: 12, r: 4 }));
  const bound = claim ? COUNTERS.bound(claim.relation, claim.value, claim.formula) : "";
  const below = el("small", {}, COUNTERS.end(now !== null, end), claim ? ", " : "",
    claim ? el("span", { class: claim.verdict === "beyond" ? "beyond" : "within" }, COUNTERS.verdict(claim.verdict)) : "",
    Number.isFinite(beside) ? COUNTERS.beside(beside) : "");
  const box = el("div", { class: "c" },
    el("div", {}, el("span", {}, number, ` ${COUNTERS.costs[cost] ?? cost.replaceAll("_", " ")}`), el("span", { class: "bound num" }, ...raised(bound))),
    now !== null || claim ? picture : null, below);
  list.append(box);
  rows.push({
    box, cost, end, now, value,
    update: (n) => {
      number.textContent = COUNTERS.number(n);
      thick.setAttribute("width", String(x(n)));
    },
  });
}

/* "2^l" with the l raised. */
function raised(text: string): (Node | string)[] {
  return text.split(/(\^(?:\([^)]*\)|\w+))/).map((part) =>
    part.startsWith("^") ? el("sup", {}, part.slice(1).replace(/^\((.*)\)$/, "$1")) : part);
}

function update(): void {
  const { shown, cursor, time } = get();
  if (!shown) return;
  for (const r of rows) r.update(r.now ? Math.min(r.end, r.now(shown.run, cursor, time)) : r.end);
  const all = offences(shown.run);
  const seen = all.findIndex((o) => o.event <= cursor && o.from <= time);
  const problem = shown.run.rec.head.problem;
  const text = seen >= 0 ? COUNTERS.broken(flagOf(shown.run, seen), all[seen].from)
    : all.length > 0 ? COUNTERS.notYet(flagOf(shown.run, 0), all[0].from) : COUNTERS.promise[problem] ?? "";
  if (verdict.dataset.text === text) return;
  verdict.dataset.text = text;
  verdict.hidden = text === "";
  verdict.className = seen >= 0 ? "property broken" : "property";
  verdict.replaceChildren(sign(seen >= 0), text);
}

function sign(bad: boolean): SVGSVGElement {
  return svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" },
    bad ? svg("rect", { class: "bad", width: 14, height: 14, rx: 2 }) : svg("circle", { class: "goodsign", cx: 7, cy: 7, r: 6 }),
    svg("path", { class: "signline", d: bad ? "M4 4l6 6M10 4l-6 6" : "M4 7.2l2.2 2.2l4-4.4" }));
}
