/*
 * setup.ts - the settings of a run: a form made from the table of protocols, and
 * the command line that it stands for.  Either can be edited.
 */
import { openTrace, runCommand } from "../act";
import { byId, el, icon, keepFocus } from "../dom";
import type { Parameter, Protocol } from "../engine/api";
import { join, split } from "../model/command";
import { get, on } from "../model/store";
import { openerOf } from "../modes";
import { SETUP } from "../words";
import { settingsOf, wordsOf, type Settings } from "./settings";

let table: Protocol[] = [];
let now: Settings = settingsOf(get().words);
let soon = 0;
let asked = ""; /* the run that was asked for here last */
const fields = new Map<string, HTMLElement>(); /* by option: where a complaint goes */

function change(part: Partial<Settings>): void {
  now = { ...now, ...part };
  clearTimeout(soon);
  soon = window.setTimeout(() => {
    asked = join(wordsOf(now));
    void runCommand(wordsOf(now));
  }, 250);
  line.value = `fulcrum ${join(wordsOf(now))}`;
}

function put(option: string, value: string): void {
  change({ values: { ...now.values, [option]: value } });
}

/* ---- Fields --------------------------------------------------------------- */

/* A control under its label, with room for a complaint about it. */
function field(option: string, label: string, control: HTMLElement, about = ""): HTMLElement {
  const id = `f-${option.replace(/\W+/g, "")}`;
  const wrong = el("span", { class: "wrong", id: `${id}-wrong`, hidden: true });
  const inner = control.matches("input, select, textarea") ? control : control.querySelector<HTMLElement>("input, select, textarea");
  if (inner) {
    inner.id = id;
    inner.setAttribute("aria-describedby", wrong.id);
  }
  const box = el("div", { class: "field", title: about || null }, el("label", { for: id }, label), control, wrong);
  fields.set(option, box);
  return box;
}

function text(option: string, label: string, hint: string, about = "", numeric = false): HTMLElement {
  const input = el("input", { type: "text", value: now.values[option] ?? "", placeholder: hint, inputmode: numeric ? "numeric" : null, spellcheck: "false" });
  input.addEventListener("change", () => put(option, input.value.trim()));
  return field(option, label, input, about);
}

function choice(option: string, label: string, choices: [string, string][]): HTMLElement {
  const value = now.values[option] ?? "";
  const all = choices.some(([v]) => v === value) ? choices : [...choices, [value, value] as [string, string]];
  const select = el("select", {}, ...all.map(([v, words]) => el("option", { value: v, selected: v === value }, words)));
  select.addEventListener("change", () => put(option, select.value));
  return field(option, label, select);
}

/* Stays while the rest is made anew: who types a name is in the middle of it. */
function protocolField(): HTMLElement {
  const select = el("select", {});
  for (const problem of [...new Set(table.map((p) => p.problem))]) {
    const group = el("optgroup", { label: SETUP.problems[problem] ?? problem });
    for (const p of table) if (p.problem === problem) group.append(el("option", { value: p.name, title: p.title }, p.name));
    select.append(group);
  }
  /* Another protocol has other parameters, bounds of n and work: start afresh. */
  select.addEventListener("change", () => {
    const { "--time": time, "--bounds": bounds, "--clock": clock, "--seed": seed } = now.values;
    const kept = Object.fromEntries(Object.entries({ "--time": time, "--bounds": bounds, "--clock": clock, "--seed": seed }).filter(([, v]) => v));
    change({ protocol: select.value, values: kept, set: {}, faults: [], rest: [] });
    build();
  });
  return field("protocol", SETUP.protocol, select);
}

/* Bounds and clocks without a model of time mean an archimedean one. */
function timeNow(): string {
  const v = now.values;
  return v["--time"] || (v["--bounds"] || v["--clock"] ? "archimedean" : "sync");
}

function timeField(): HTMLElement {
  const value = timeNow();
  const group = el("div", { class: "seg", role: "group", "aria-label": SETUP.time });
  for (const [v, words] of SETUP.times) {
    const pressed = value === v;
    group.append(el("button", {
      type: "button", "aria-pressed": String(pressed),
      click: () => {
        const values: Record<string, string> = { ...now.values, "--time": v === "sync" ? "" : v };
        if (v === "sync") values["--bounds"] = values["--clock"] = "";
        change({ values });
        build();
      },
    }, words));
  }
  const box = el("div", { class: "field" }, el("span", { class: "label" }, SETUP.time), group, el("span", { class: "wrong", hidden: true }));
  fields.set("--time", box);
  return box;
}

function boundsField(): HTMLElement {
  const four = (now.values["--bounds"] || "2:3:1:4").split(":");
  const inputs = SETUP.bounds.map((name, i) => {
    const input = el("input", { type: "text", inputmode: "numeric", value: four[i] ?? "", "aria-label": name });
    input.addEventListener("change", () => put("--bounds", inputs.map((x) => x.querySelector("input")!.value.trim()).join(":")));
    return el("label", { class: "tiny" }, name, input);
  });
  const box = el("div", { class: "field" }, el("span", { class: "label" }, SETUP.boundsTitle), el("div", { class: "four" }, ...inputs), el("span", { class: "wrong", hidden: true }));
  fields.set("--bounds", box);
  return box;
}

function seedField(): HTMLElement {
  const input = el("input", { type: "text", inputmode: "numeric", value: now.values["--seed"] ?? "", placeholder: "1" });
  input.addEventListener("change", () => put("--seed", input.value.trim()));
  const roll = el("button", {
    type: "button", "aria-label": SETUP.roll, title: SETUP.roll,
    click: () => { input.value = String(Math.floor(Math.random() * 100000)); put("--seed", input.value); },
  }, icon("dice"));
  return field("--seed", SETUP.seed, el("span", { class: "row" }, input, roll));
}

function faultsField(): HTMLElement {
  const area = el("textarea", { rows: Math.max(2, now.faults.length), placeholder: SETUP.faultsHint, spellcheck: "false" });
  area.value = now.faults.join("\n");
  area.addEventListener("change", () => change({ faults: area.value.split("\n").map((f) => f.trim()).filter(Boolean) }));
  return field("--fault", SETUP.faults, area, SETUP.faultsAbout);
}

function parameter(p: Parameter): HTMLElement {
  const value = now.set[p.key] ?? "";
  const save = (v: string): void => {
    const set = { ...now.set };
    if (v === "" || v === p.fallback) delete set[p.key];
    else set[p.key] = v;
    change({ set });
  };
  let control: HTMLElement;
  if (p.words.length > 0) {
    const select = el("select", {}, ...p.words.map((w) => el("option", { value: w, selected: w === (value || p.fallback) }, w)));
    select.addEventListener("change", () => save(select.value));
    control = select;
  } else {
    const input = el("input", { type: "text", value, placeholder: p.fallback, spellcheck: "false" });
    input.addEventListener("change", () => save(input.value.trim()));
    control = input;
  }
  return field(`set:${p.key}`, p.key, control, p.about);
}

/* ---- The form ------------------------------------------------------------- */

const line = el("textarea", { class: "mono commandline", rows: 3, spellcheck: "false", "aria-label": SETUP.command });
const general = el("p", { class: "wrong", role: "alert", hidden: true });
const file = el("input", { type: "file", class: "unseen", "aria-label": SETUP.load, tabindex: "-1" });

let open = false; /* the list of parameters */
let chooser: HTMLElement | null = null; /* the field of the protocol */

function build(): void {
  keepFocus(byId("set"), rebuild);
}

function rebuild(): void {
  const p = table.find((x) => x.name === now.protocol);
  const form = byId("set");
  const sync = timeNow() === "sync";
  fields.clear();
  if (chooser) {
    fields.set("protocol", chooser);
  } else {
    chooser = protocolField();
    form.append(el("div", { class: "phone sheethead" }, el("h3", {}, SETUP.title),
      el("button", { type: "button", click: () => document.body.classList.remove("setopen") }, SETUP.done)), chooser);
  }
  chooser.querySelector("select")!.value = now.protocol;
  const parts: (HTMLElement | null)[] = [
    p ? el("p", { class: "idea" }, SETUP.sentence(p.idea)) : null,
    el("div", { class: "two" }, text("--nodes", SETUP.nodes, p?.topology === "complete" ? "5" : "8", "", true), seedField()),
    p?.topology === "tree" ? choice("--topology", SETUP.tree, SETUP.trees) : null,
    timeField(),
    sync ? null : boundsField(),
    sync ? null : choice("--clock", SETUP.clock, SETUP.clocks),
    p && !p.anonymous && p.problem === "election" ? text("--names", SETUP.names, "random", SETUP.namesAbout) : null,
    p?.problem === "election" ? text("--wake", SETUP.wake, "all", SETUP.wakeAbout) : null,
    p?.repeats ? el("div", { class: "three" }, text("--entries", SETUP.entries, "10", "", true), text("--section", SETUP.section, "1", SETUP.steps), text("--think", SETUP.think, "1", SETUP.steps)) : null,
    faultsField(),
  ];
  if (p && p.parameters.length > 0) {
    const details = el("details", { class: "params", open: open || Object.keys(now.set).length > 0 },
      el("summary", {}, SETUP.parameters), ...p.parameters.map(parameter));
    details.addEventListener("toggle", () => { open = details.open; });
    parts.push(details);
  }
  parts.push(
    el("div", { id: "breakbox" }),
    el("div", { class: "field" }, el("span", { class: "label" }, SETUP.command), line, general,
      el("div", { class: "two" }, el("button", { type: "submit", class: "main" }, SETUP.run), el("button", { type: "button", click: () => file.click() }, SETUP.load))),
  );
  const box = document.getElementById("breakbox");
  const kept = box ? [...box.childNodes] : [];
  while (chooser.nextSibling) chooser.nextSibling.remove();
  form.append(...parts.filter((x): x is HTMLElement => x !== null), file);
  document.getElementById("breakbox")!.append(...kept);
  line.value = `fulcrum ${join(wordsOf(now))}`;
}

function complain(): void {
  const { complaint } = get();
  for (const box of fields.values()) {
    const wrong = box.querySelector<HTMLElement>(".wrong")!;
    wrong.hidden = true;
    box.querySelector("input, select, textarea")?.removeAttribute("aria-invalid");
  }
  general.hidden = true;
  if (!complaint) return;
  const box = fields.get(complaint.field);
  const wrong = box?.querySelector<HTMLElement>(".wrong") ?? general;
  box?.querySelector("input, select, textarea")?.setAttribute("aria-invalid", "true");
  const details = box?.closest("details");
  if (details) details.open = true;
  wrong.textContent = complaint.sentence;
  wrong.hidden = false;
}

async function drop(f: File): Promise<void> {
  const opener = openerOf(f.name);
  if (opener) return opener(f.name, await f.text());
  await openTrace(f.name, new Uint8Array(await f.arrayBuffer()));
}

export function setup(protocols: Protocol[]): void {
  const form = byId("set");
  table = protocols;
  form.setAttribute("aria-label", SETUP.title);
  now = settingsOf(get().words);
  build();
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const words = split(line.value);
    clearTimeout(soon);
    document.body.classList.remove("setopen");
    void runCommand(words);
  });
  line.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault();
      (form as HTMLFormElement).requestSubmit();
    }
  });
  file.addEventListener("change", () => { if (file.files?.[0]) void drop(file.files[0]); file.value = ""; });
  document.addEventListener("dragover", (e) => { e.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", (e) => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (e) => {
    e.preventDefault();
    document.body.classList.remove("dropping");
    const f = e.dataTransfer?.files[0];
    if (f) void drop(f);
  });
  on(["words"], (_, s) => {
    /* What was asked for here is there already, or was changed again since. */
    if ([join(wordsOf(now)), asked].includes(join(s.words))) return;
    asked = "";
    clearTimeout(soon);
    now = settingsOf(s.words);
    build();
    complain();
  });
  on(["complaint"], complain);
}

export function chooseFile(): void {
  file.click();
}
