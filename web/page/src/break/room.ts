/*
 * room.ts - break it: each button becomes words of the command line, and a new
 * run.  A violation comes with the command that shows it again.
 */
import { runCommand, selectedLane } from "../act";
import { el, keepFocus } from "../dom";
import type { Protocol } from "../engine/api";
import { engine } from "../host";
import { join } from "../model/command";
import { get, on } from "../model/store";
import { offences } from "../model/violation";
import { enterMode, registerAlways, registerMode } from "../modes";
import { say } from "../say";
import { BREAK as W } from "../words";
import { delay, delayOf, greatestDelay, lose } from "./one";
import { allMended, brokenIn, mended, printedRules, withBreak, type Break, type BreakKind } from "./faults";

/* A chance to begin with where a fault strikes messages at random. */
const CHANCE = 0.1;

/* These strike a node, and ask which. */
const OF_NODES = ["crash", "pause", "cut"] as const;
type NodeBreak = typeof OF_NODES[number];
const isOfNode = (kind: BreakKind): kind is NodeBreak => (OF_NODES as readonly BreakKind[]).includes(kind);

let protocols: Protocol[] = [];
let panel: HTMLElement | null = null;
/* What is being filled in, and the nodes that it offers. */
let form: { kind: NodeBreak; nodes: string; element: HTMLElement } | null = null;
let note = "";
let stop: (() => void)[] = [];

/* ---- Applying ------------------------------------------------------------------ */

async function apply(words: string[]): Promise<void> {
  form = null;
  /* The cursor stays where it was: the eye looks for what is different there. */
  await runCommand(words);
  draw();
}

function breakIt(b: Break): void {
  note = "";
  void apply(withBreak(get().words, b));
}

/* What becomes of one message. */
function strike(message: number, how: "late" | "lose", tick: number): void {
  const r = get().shown?.run.rec;

  if (r) breakIt(how === "late" ? delay(r, message, tick) : lose(r, message));
}

/* ---- Forms ---------------------------------------------------------------------- */

interface Field { key: string; label: string; value: number; least: number }

function nodeSelect(): HTMLSelectElement {
  const run = get().shown?.run;
  const lane = Math.max(0, selectedLane());
  const select = el("select", { id: "break-node" });
  for (let i = 0; i < (run?.lanes ?? 0) && i < 200; i++)
    select.append(el("option", { value: run!.rec.head.names[i] ?? i, selected: i === lane }, run!.name(i)));
  return select;
}

function tickNow(): number {
  return Math.max(0, Math.round(get().time));
}

/* A node, a tick, perhaps how long: what crash, pause and cut have in common. */
function nodeForm(kind: NodeBreak): HTMLElement {
  const fields: Field[] = [{ key: "tick", label: W.at, value: tickNow(), least: 0 }];
  if (kind !== "crash") fields.push({ key: "ticks", label: W.lasts, value: 10, least: 1 });
  const select = nodeSelect();
  const inputs = new Map(fields.map((f) => [f.key,
    el("input", { id: `break-${f.key}`, type: "number", min: f.least, value: f.value })]));
  const back = el("select", { id: "break-back" },
    el("option", { value: "" }, W.stays), el("option", { value: "same" }, `${W.back}, ${W.same}`),
    el("option", { value: "blank" }, `${W.back}, ${W.blank}`));
  const number = (key: string): number => Math.max(0, Math.round(Number(inputs.get(key)?.value ?? 0)));
  const submit = (e: Event): void => {
    e.preventDefault();
    const node = select.value, tick = number("tick");
    if (kind === "crash") breakIt({ is: "crash", node, tick, back: back.value === "" ? null : 10, blank: back.value === "blank" });
    else breakIt({ is: kind, node, tick, ticks: Math.max(1, number("ticks")) });
  };
  return el("form", { class: "break-form", submit },
    el("label", { for: "break-node" }, W.node), select,
    ...fields.flatMap((f) => [el("label", { for: `break-${f.key}` }, f.label), inputs.get(f.key)!]),
    ...(kind === "crash" ? [el("label", { for: "break-back" }, W.then), back] : []),
    el("button", { type: "submit", class: "bad" }, W.apply),
    el("button", { type: "button", click: () => { form = null; draw(); } }, W.cancel));
}

const nodesNow = (): string => (get().shown?.run.rec.head.names ?? []).join(" ");

function openForm(kind: NodeBreak): void {
  form = { kind, nodes: nodesNow(), element: nodeForm(kind) };
}

/* The panel is made anew when the run is; the form stays as it was filled in,
 * unless its nodes are others now. */
function formNow(): HTMLElement | string {
  if (form && form.nodes !== nodesNow()) openForm(form.kind);
  return form?.element ?? "";
}

/* ---- The panel --------------------------------------------------------------------- */

/* The message that is selected, or the last one sent before the cursor. */
function chosenMessage(): number {
  const { selection, shown, cursor } = get();
  if (selection?.is === "message") return selection.message;
  if (!shown) return -1;
  const { messages } = shown.run.rec;
  for (let m = messages.count - 1; m >= 0; m--)
    if (messages.by[m]! <= cursor && Number.isFinite(messages.arrives[m]!) && !shown.run.isFrame(m)) return m;
  return messages.count > 0 ? 0 : -1;
}

function press(kind: BreakKind): void {
  const { shown } = get();
  note = "";
  if (isOfNode(kind)) {
    if (form?.kind === kind) form = null;
    else openForm(kind);
    draw();
    panel?.querySelector<HTMLElement>(".break-form select")?.focus();
    return;
  }
  if (kind === "late" || kind === "lose") {
    const m = chosenMessage();
    if (m < 0 || !shown) { note = W.noMessage; return draw(); }
    const r = shown.run.rec;
    const dmax = greatestDelay(r);
    const sent = r.events.tick[r.messages.by[m]!]!;
    const far = sent + (Number.isFinite(dmax) ? 2 * dmax + 2 : delayOf(r, m) + 10);
    return strike(m, kind, far);
  }
  if (kind === "copy") return breakIt({ is: "copy", chance: CHANCE });
  if (kind === "order") return breakIt({ is: "order", chance: CHANCE });
  const rules = printedRules(protocols.find((p) => p.name === get().words[1]));
  if (rules) breakIt({ is: "printed", ...rules });
}

function verdict(): HTMLElement | null {
  const { shown, words } = get();
  if (!shown || brokenIn(words).length === 0) return null;
  const bad = offences(shown.run);
  const command = shown.run.rec.head.command || `fulcrum ${join(words)}`;
  if (bad.length === 0) return el("p", { class: "held" }, W.held);
  const field = el("textarea", { id: "break-again", class: "mono", rows: 4, readonly: true });
  field.value = command;
  return el("div", { class: "stack violation" },
    ...bad.slice(0, 3).map((o) => el("p", { class: "bad" }, `✗ ${W.violated(o.property, o.from)}`)),
    el("label", { for: "break-again" }, W.again), field,
    el("button", { type: "button", click: (e) => {
      void navigator.clipboard?.writeText(command).catch(() => field.select());
      (e.currentTarget as HTMLElement).textContent = W.copied;
    } }, W.copy));
}

function draw(): void {
  if (panel) keepFocus(panel, redraw);
}

function redraw(): void {
  if (!panel) return;
  const { words, shown } = get();
  const rules = printedRules(protocols.find((p) => p.name === words[1]));
  const button = (kind: BreakKind, label: string): HTMLElement => el("button", {
    type: "button", class: "bad", "data-break": kind,
    "aria-expanded": isOfNode(kind) ? String(form?.kind === kind) : null,
    disabled: !shown, click: () => press(kind),
  }, label);
  const broken = brokenIn(words);
  panel.replaceChildren(
    el("h2", {}, W.title),
    el("div", { class: "break-grid" },
      button("late", W.late), button("pause", W.pause), button("crash", W.crash), button("lose", W.lose),
      button("cut", W.cut), button("copy", W.double), button("order", W.order),
      rules ? button("printed", W.printed) : null),
    formNow(),
    el("p", { class: "quiet" }, W.hint),
    el("p", { class: "note", role: "status" }, note),
    verdict() ?? "",
    el("h3", {}, W.broken),
    broken.length === 0 ? el("p", { class: "quiet" }, W.nothing)
      : el("ul", { class: "faults" }, ...broken.map((f) => el("li", {}, el("span", { class: "mono" }, f),
        el("button", { type: "button", "aria-label": `${W.mend}: ${f}`, click: () => void apply(mended(get().words, f)) }, W.mend)))),
    broken.length > 1 ? el("button", { type: "button", click: () => void apply(allMended(get().words)) }, W.mendAll) : "",
  );
  const bad = shown && broken.length > 0 ? offences(shown.run)[0] : undefined;
  if (bad) say(W.violated(bad.property, bad.from));
}

registerMode("break", {
  title: W.title,
  enter(room) {
    panel = room;
    form = null;
    draw();
    stop = [on(["shown"], draw)];
    if (protocols.length === 0) void engine.protocols().then((p) => { protocols = p; draw(); });
  },
  leave() {
    for (const s of stop) s();
    panel = null;
    note = "";
  },
});

registerAlways({
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key !== "b" && event.key !== "c") return false;
    const wanted = event.key === "b" ? "break" : "compare";
    enterMode(get().mode === wanted ? "stage" : wanted);
    return true;
  },
  dragged(message, tick) {
    if (get().mode !== "break") enterMode("break");
    void strike(message, "late", tick);
  },
});
