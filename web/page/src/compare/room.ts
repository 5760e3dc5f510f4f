/*
 * room.ts - the comparison: a second command line, and what it costs more or
 * less.  Whatever changes above is run again below, with the same seed.
 */
import { el } from "../dom";
import type { Protocol } from "../engine/api";
import { engine } from "../host";
import { join, split } from "../model/command";
import { get, on, set } from "../model/store";
import { enterMode, registerMode } from "../modes";
import { say } from "../say";
import { COMPARE as W, figure } from "../words";
import { showBeside } from "./beside";
import { roomy, submitOnEnter } from "./line";
import { differences, differenceWords } from "./differences";
import { choicesFor, seedOf, withSeed, type Choice } from "./second";

let protocols: Protocol[] = [];
let stop: (() => void)[] = [];
let panel: HTMLElement;
let select: HTMLSelectElement;
let line: HTMLTextAreaElement;
let complaint: HTMLElement;
let table: HTMLTableElement;
let entered = false;
let ran = ""; /* the first command that the second was run for */

function keep(words: string[] | null): void {
  const extra = { ...get().extra };
  if (words) extra.beside = join(words);
  else delete extra.beside;
  set({ extra });
}

async function run(words: string[]): Promise<void> {
  const second = withSeed(words, seedOf(get().words));
  line.value = join(second);
  complaint.textContent = "";
  keep(second);
  try {
    await showBeside(second);
  } catch (e) {
    complaint.textContent = W.failed((e as Error).message);
    await showBeside(null);
  }
}

/* ---- Choosing --------------------------------------------------------------- */

let choices: Choice[] = [];

function fillChoices(): void {
  choices = choicesFor(get().words, protocols);
  const group = (kind: Choice["group"], label: string): HTMLOptGroupElement => {
    const g = el("optgroup", { label });
    choices.forEach((c, i) => c.group === kind && g.append(el("option", { value: i }, c.label)));
    return g;
  };
  const kept = select.selectedOptions[0]?.textContent ?? "";
  select.replaceChildren(group("protocol", W.protocols), group("rules", W.parameters), el("option", { value: -1 }, W.own));
  const again = [...select.options].find((o) => o.textContent === kept);
  select.value = again?.value ?? "-1";
}

function chosen(): void {
  const choice = choices[Number(select.value)];
  if (choice) void run(choice.words);
  else line.focus();
}

/* ---- What it costs ------------------------------------------------------------ */

function fillTable(): void {
  const { shown, beside } = get();
  table.hidden = !shown?.report || !beside?.report;
  if (!shown?.report || !beside?.report) return;
  const rows = differences(shown.report, beside.report);
  table.replaceChildren(
    el("caption", {}, W.table),
    el("thead", {}, el("tr", {}, el("td"),
      el("th", { scope: "col" }, W.first), el("th", { scope: "col" }, W.other))),
    el("tbody", {}, ...rows.map((d) => el("tr", {},
      el("th", { scope: "row" }, d.what, el("span", { class: "quiet" }, differenceWords(d))),
      el("td", { class: "num" }, figure(d.first)),
      el("td", { class: "num" }, figure(d.second))))),
  );
  say(rows.map((d) => `${d.what}: ${differenceWords(d)}`).join(". "));
}

/* ---- The room ------------------------------------------------------------------ */

function build(): void {
  select = el("select", { id: "compare-with", change: chosen });
  line = el("textarea", { id: "compare-line", class: "mono", rows: 3, "aria-label": W.second, spellcheck: "false", keydown: submitOnEnter as EventListener });
  complaint = el("p", { class: "complaint", role: "alert" });
  table = el("table", { class: "differences", hidden: true });
  const form = el("details", { open: roomy() }, el("summary", {}, W.second),
    el("form", { class: "stack", submit: (e) => { e.preventDefault(); void run(split(line.value)); } },
      line, el("button", { type: "submit" }, W.go)));
  panel.append(
    el("h2", {}, W.title),
    el("label", { for: "compare-with" }, W.with), select,
    form, complaint,
    el("p", { class: "quiet" }, W.sameSeed),
    table,
    el("button", { type: "button", click: () => enterMode("stage") }, W.stop),
  );
}

async function begin(): Promise<void> {
  if (protocols.length === 0) protocols = await engine.protocols();
  if (!entered) return;
  fillChoices();
  ran = join(get().words);
  const kept = get().extra.beside;
  if (kept) {
    await run(split(kept));
  } else if (choices.length > 0) {
    select.value = "0";
    chosen();
  }
}

/* The first run changed: the second follows, by the same choice. */
function follow(): void {
  const now = join(get().words);
  if (ran === "" || now === ran) return;
  ran = now;
  fillChoices();
  if (Number(select.value) >= 0) chosen();
  else void run(split(line.value));
}

registerMode("compare", {
  title: W.title,
  enter(room) {
    panel = room;
    entered = true;
    ran = "";
    build();
    stop = [on(["shown"], follow), on(["shown", "beside"], fillTable)];
    void begin();
  },
  leave() {
    entered = false;
    for (const s of stop) s();
    keep(null);
    void showBeside(null);
  },
});
