/*
 * room.ts - the course: who answers, a list of exercises, and one of them at a
 * time.  An answer goes to the engine; what it says is the mark.
 */
import { runCommand, show, shownOf } from "../act";
import { playGame } from "../adversary/room";
import { save } from "../adversary/save";
import { el } from "../dom";
import { engine } from "../host";
import { join, split } from "../model/command";
import { get, set } from "../model/store";
import { enterMode, registerFile, registerMode } from "../modes";
import { say } from "../say";
import { COURSE as W } from "../words";
import { add, handIn, mark, part, read, sources, type Exercise, type Field, type Mark, type Student } from "./exercises";
import { anyProgress, forgetProgress, keepProgress, keepWho, progressOf, whoIs } from "./progress";
import { openSheet } from "./sheet";

let panel: HTMLElement | null = null;
let asked = 0;
let all: Exercise[] = [];
let refused = ""; /* what is wrong with a file that was dropped or named */

const student = (): Student => ({ ...whoIs(), term: get().extra.term ?? "" });

function keep(key: string | null): void {
  const { exercise: _, ...rest } = get().extra;
  set({ extra: key ? { ...rest, exercise: key } : rest });
}

/* Reads all exercises as this student gets them; a file that cannot be read is
 * told, and the others stay. */
async function readAll(): Promise<void> {
  const who = student(), list: Exercise[] = [];
  for (const file of await sources(get().extra.set ?? "")) {
    try {
      list.push(await read(engine, file, who));
    } catch (e) {
      refused = (e as Error).message;
    }
  }
  all = list.sort((a, b) => (a.task.number || 9999) - (b.task.number || 9999));
}

/* ---- The list --------------------------------------------------------------------- */

/* Back to the list: the focus is on the exercise that one comes from. */
function backTo(key: string): void {
  drawList();
  panel?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
}

const numberOf = (x: Exercise): string => String(x.task.number || all.indexOf(x) + 1);

/* Everything that was answered, as one file. */
function saveAnswers(): void {
  const who = student();
  const parts = all.map((x) => ({ x, p: progressOf(who, x.task.key) }))
    .filter(({ p }) => Object.values(p.values).some((v) => v.trim() !== ""))
    .map(({ x, p }) => part(x.task, p.values, p.hints));
  save(`${who.id || "answers"}.txt`, handIn(who, all[0]?.task.seed ?? "", parts));
}

function whoForm(): HTMLElement {
  const now = whoIs();
  const id = el("input", { id: "who-id", type: "text", autocomplete: "off", spellcheck: "false" });
  const name = el("input", { id: "who-name", type: "text", autocomplete: "name" });
  id.value = now.id;
  name.value = now.name;
  const changed = async (): Promise<void> => {
    const mine = ++asked;
    keepWho(id.value.trim(), name.value.trim());
    await readAll();
    if (mine === asked) drawList();
  };
  return el("details", { open: now.id !== "" },
    el("summary", {}, now.id ? W.isWho(now.id) : W.who),
    el("form", { class: "stack", submit: (e) => { e.preventDefault(); void changed(); } },
      el("label", { for: "who-id" }, W.id), id, el("label", { for: "who-name" }, W.name), name,
      el("p", { class: "quiet" }, W.whoAbout), el("button", { type: "submit" }, W.whoKeep)));
}

function drawList(): void {
  if (!panel) return;
  asked++;
  keep(null);
  const who = student();
  const solved = all.filter((x) => progressOf(who, x.task.key).solved).length;
  const some = all.some((x) => Object.keys(progressOf(who, x.task.key).values).length > 0);
  panel.replaceChildren(
    el("h2", {}, W.title),
    el("p", {}, W.of(solved, all.length)),
    refused ? el("p", { class: "complaint", role: "alert" }, refused) : "",
    whoForm(),
    el("ol", { class: "exercises" }, ...all.map((x) => {
      const done = progressOf(who, x.task.key).solved;
      return el("li", {}, el("button", { type: "button", class: "exercise", "data-key": x.task.key, click: () => void open(x) },
        el("span", { class: "num" }, numberOf(x)), el("span", { class: "what" }, x.task.title),
        el("span", { class: done ? "ol ol-safe" : "ol quiet" }, done ? `✓ ${W.solved}` : x.task.source ? W.inC : W.open)));
    })),
    el("div", { class: "buttons" },
      el("button", { type: "button", class: "main", disabled: !some, click: saveAnswers }, W.saveAnswers),
      el("button", { type: "button", click: () => openSheet(all) }, W.sheet),
      el("button", { type: "button", disabled: !anyProgress(), click: () => { forgetProgress(); drawList(); } }, W.forget)),
    el("p", { class: "quiet" }, W.local));
}

/* ---- One exercise ------------------------------------------------------------------- */

const wordsOf = (run: string): string[] => split(run.replace(/^fulcrum /, "")).filter((w) => w !== "--json");

/* What a rule has found; if all hold, of each. */
function findings(m: Mark): HTMLElement[] {
  if (m.refused) return [el("p", {}, `✗ ${m.refused}`)];
  return m.rules.filter((r) => r.verdict !== "untried").map((r) =>
    el("p", { class: r.verdict === "held" ? "held" : "miss" },
      `${r.verdict === "held" ? "✓" : "✗"} ${r.rule}${r.says ? `: ${r.says}` : ""}`));
}

function drawMark(at: HTMLElement, m: Mark, next: Exercise | undefined): void {
  const run = wordsOf(m.run);
  const shows = run[0] === "sim" || (run[0] === "check" && !m.solved && !run.includes("--play"));
  at.className = m.solved ? "mark held" : "mark miss";
  at.replaceChildren(
    ...findings(m), m.refused ? "" : el("p", {}, W.points(m.points, m.of)),
    shows && !m.solved ? el("button", { type: "button", click: () => void runCommand(run) }, W.look) : "",
    m.solved && next ? el("button", { type: "button", class: "main", click: () => void open(next) }, W.next) : "");
  /* A right answer is what the stage shows from now on. */
  if (m.solved && run[0] === "sim") void runCommand(run);
  say(m.solved ? W.solved : m.refused || (m.rules.find((r) => r.verdict === "missed")?.says ?? ""));
}

async function grade(x: Exercise, values: Record<string, string>): Promise<Mark> {
  const who = student(), before = progressOf(who, x.task.key);
  const given = await mark(engine, x, who, values, before.hints);
  keepProgress(who, x.task.key, { values, solved: given.solved || before.solved });
  return given;
}

function fieldOf(x: Exercise, f: Field): HTMLElement[] {
  const id = `answer-${f.name}`;
  const field = f.form.startsWith("crashes") ? el("textarea", { id, class: "mono answer", rows: 5, "data-name": f.name })
    : el("input", { id, class: "mono answer", type: "text", autocomplete: "off", spellcheck: "false", "data-name": f.name });
  field.value = progressOf(student(), x.task.key).values[f.name] ?? "";
  return [el("label", { for: id }, x.task.fields.length > 1 ? f.name : W.answer), field, el("p", { class: "quiet" }, f.wanted)];
}

function answerForm(x: Exercise, at: HTMLElement, next: Exercise | undefined): HTMLElement {
  const button = el("button", { type: "submit", class: "main" }, W.check);
  const form = el("form", { class: "stack", submit: (e) => void submit(e) },
    ...x.task.fields.flatMap((f) => fieldOf(x, f)), button);
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    const mine = ++asked, values: Record<string, string> = {};
    for (const f of form.querySelectorAll<HTMLInputElement>(".answer")) values[f.dataset.name!] = f.value;
    button.disabled = true;
    at.className = "mark";
    at.textContent = W.checking;
    const given = await grade(x, values);
    if (mine !== asked) return;
    button.disabled = false;
    drawMark(at, given, next);
  };
  return form;
}

/* Moves are answered in the adversary's room, which comes back here. */
function playButton(x: Exercise): HTMLElement {
  return el("div", { class: "stack" },
    el("p", { class: "quiet" }, W.playAbout),
    el("button", {
      type: "button", class: "main", click: () => playGame(x.task.game!, {
        words: x.task.game!, task: x.task.task, locked: x.task.locked,
        judge: async (moves) => {
          const given = await grade(x, { [x.task.fields[0]!.name]: moves.join("; ") });
          return { solved: given.solved, says: given.refused || given.rules.map((r) => r.says).filter(Boolean).join("; ") };
        },
        back: () => { keep(x.task.key); enterMode("course"); },
      }),
    }, W.play),
    progressOf(student(), x.task.key).solved ? el("p", { class: "held" }, `✓ ${W.solved}`) : "");
}

function hints(x: Exercise): HTMLElement {
  const list = el("ol", { class: "hints" });
  const button = el("button", { type: "button" }, x.task.hintCosts ? W.hintFor(x.task.hintCosts) : W.hint);
  const fill = (): void => {
    const shown = progressOf(student(), x.task.key).hints;
    list.replaceChildren(...x.task.hints.slice(0, shown).map((h) => el("li", {}, h)));
    button.disabled = shown >= x.task.hints.length;
  };
  button.addEventListener("click", () => {
    const shown = progressOf(student(), x.task.key).hints + 1;
    keepProgress(student(), x.task.key, { hints: shown });
    fill();
    say(x.task.hints[shown - 1] ?? W.noHint);
  });
  fill();
  return el("div", { class: "stack" }, list, button);
}

/* The beginning of the exercise's own run: of a command of the checker before
 * anything has happened, since what it finds may be the answer. */
async function showStart(words: string[], mine: number): Promise<void> {
  if (words[0] === "sim") return void (await runCommand(words));
  const { game } = await engine.browse(words.filter((w) => w !== "--worst"));
  try {
    const { trace } = await engine.played(game, 0, []);
    const { run, recording, report } = await engine.load("run.trace", new TextEncoder().encode(trace));
    const shown = await shownOf(run, recording, report, "run.trace");
    if (mine === asked) show(shown);
    else void engine.forget(run);
  } finally {
    await engine.close(game);
  }
}

async function open(x: Exercise): Promise<void> {
  if (!panel) return;
  const mine = ++asked;
  const byKey = panel.contains(document.activeElement) && !matchMedia("(pointer: coarse)").matches;
  const words = x.task.game ?? x.task.command;
  keep(x.task.key);
  const at = el("div", { class: "mark", role: "status" });
  panel.replaceChildren(
    el("button", { type: "button", class: "back", click: () => backTo(x.task.key) }, W.back),
    el("h2", {}, `${numberOf(x)}. ${x.task.title}`),
    ...x.task.task.split("\n\n").map((t) => el("p", { class: "task" }, t)),
    words ? el("p", { class: "mono" }, `fulcrum ${join(words)}`) : "",
    x.task.source ? el("p", { class: "quiet" }, W.needsC(x.task.source))
      : x.task.game ? playButton(x) : answerForm(x, at, all[all.indexOf(x) + 1]),
    at, hints(x));
  if (byKey) panel.querySelector<HTMLElement>(".answer, .main")?.focus();
  if (words) await showStart(words, mine).catch(() => undefined);
}

/* A file that was dropped on the page. */
async function take(name: string, text: string): Promise<void> {
  refused = "";
  try {
    const x = await read(engine, { name, text }, student());
    add(x.file);
    await readAll();
    set({ extra: { ...get().extra, exercise: x.task.key } });
  } catch (e) {
    refused = (e as Error).message;
  }
  if (panel) await begin();
  else enterMode("course");
}

async function begin(): Promise<void> {
  const mine = ++asked;
  panel!.replaceChildren(el("h2", {}, W.title), el("p", { class: "quiet" }, W.loading));
  try {
    await readAll();
  } catch (e) {
    refused = (e as Error).message;
  }
  if (mine !== asked || !panel) return;
  const wanted = all.find((x) => x.task.key === get().extra.exercise);
  if (wanted) await open(wanted);
  else drawList();
}

registerMode("course", {
  title: W.title,
  enter(room) {
    panel = room;
    void begin();
  },
  leave() {
    asked++;
    panel = null;
    keep(null);
  },
});

registerFile(".exercise", (name, text) => void take(name, text));
