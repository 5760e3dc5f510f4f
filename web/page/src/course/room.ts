/*
 * room.ts - the course: a list of exercises, and one of them at a time.  An
 * answer goes to the engine; what it says is the mark.
 */
import { runCommand } from "../act";
import { playGame } from "../adversary/room";
import { el } from "../dom";
import { engine } from "../host";
import { join } from "../model/command";
import { get, set } from "../model/store";
import { enterMode, registerMode } from "../modes";
import { say } from "../say";
import { COURSE as W } from "../words";
import { EXERCISES, type Exercise, type Mark } from "./exercises";
import { forgetProgress, keepProgress, progressOf } from "./progress";
import { openSheet } from "./sheet";

let panel: HTMLElement | null = null;
let asked = 0;

function keep(key: string | null): void {
  const { exercise: _, ...rest } = get().extra;
  set({ extra: key ? { ...rest, exercise: key } : rest });
}

/* ---- The list --------------------------------------------------------------------- */

/* Back to the list: the focus is on the exercise that one comes from. */
function backTo(key: string): void {
  drawList();
  panel?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
}

function drawList(): void {
  if (!panel) return;
  asked++;
  keep(null);
  const solved = EXERCISES.filter((x) => progressOf(x.key).solved).length;
  panel.replaceChildren(
    el("h2", {}, W.title),
    el("p", {}, W.of(solved, EXERCISES.length)),
    el("ol", { class: "exercises" }, ...EXERCISES.map((x, i) => {
      const done = progressOf(x.key).solved;
      return el("li", {}, el("button", { type: "button", class: "exercise", "data-key": x.key, click: () => void open(x) },
        el("span", { class: "num" }, String(i + 1)), el("span", { class: "what" }, x.title),
        el("span", { class: done ? "ol ol-safe" : "ol quiet" }, done ? `✓ ${W.solved}` : W.open)));
    })),
    el("p", { class: "quiet" }, W.local),
    el("div", { class: "buttons" },
      el("button", { type: "button", click: () => void openSheet() }, W.sheet),
      el("button", { type: "button", disabled: solved === 0, click: () => { forgetProgress(); drawList(); } }, W.forget)));
}

/* ---- One exercise ------------------------------------------------------------------- */

function drawMark(at: HTMLElement, mark: Mark, next: Exercise | undefined): void {
  at.className = mark.solved ? "mark held" : "mark miss";
  at.replaceChildren(
    el("p", {}, `${mark.solved ? "✓" : "✗"} ${mark.says}`),
    mark.run ? el("button", { type: "button", click: () => void runCommand(mark.run!) }, W.look) : "",
    mark.solved && next ? el("button", { type: "button", class: "main", click: () => void open(next) }, W.next) : "");
  say(mark.says);
}

async function grade(x: Exercise, answer: string): Promise<Mark> {
  const mark = await x.mark(answer, engine);
  keepProgress(x.key, { answer, solved: mark.solved || progressOf(x.key).solved });
  return mark;
}

function answerField(x: Exercise): HTMLInputElement | HTMLTextAreaElement {
  const field = x.shape === "faults" ? el("textarea", { id: "answer", class: "mono", rows: 5 })
    : el("input", { id: "answer", class: "mono", type: "text", autocomplete: "off", spellcheck: "false" });
  field.value = progressOf(x.key).answer;
  return field;
}

function answerForm(x: Exercise, mark: HTMLElement, next: Exercise | undefined): HTMLElement {
  const field = answerField(x);
  const button = el("button", { type: "submit", class: "main" }, W.check);
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    const mine = ++asked;
    button.disabled = true;
    mark.className = "mark";
    mark.textContent = W.checking;
    const given = await grade(x, field.value);
    if (mine !== asked) return;
    button.disabled = false;
    drawMark(mark, given, next);
  };
  return el("form", { class: "stack", submit: (e) => void submit(e) },
    el("label", { for: "answer" }, W.answer), field,
    el("p", { class: "quiet" }, W.shape[x.shape]), button);
}

/* Moves are answered in the adversary's room, which comes back here. */
function playButton(x: Exercise, task: string): HTMLElement {
  const solved = progressOf(x.key).solved;
  return el("div", { class: "stack" },
    el("p", { class: "quiet" }, W.shape.moves),
    el("button", {
      type: "button", class: "main", click: () => playGame(x.words, {
        words: x.words, task,
        judge: (moves) => grade(x, moves.join(",")),
        back: () => { keep(x.key); enterMode("course"); },
      }),
    }, W.play),
    solved ? el("p", { class: "held" }, `✓ ${W.solved}`) : "");
}

function hints(x: Exercise): HTMLElement {
  const list = el("ol", { class: "hints" });
  const button = el("button", { type: "button" }, W.hint);
  const fill = (): void => {
    const shown = progressOf(x.key).hints;
    list.replaceChildren(...x.hints.slice(0, shown).map((h) => el("li", {}, h)));
    button.disabled = shown >= x.hints.length;
  };
  button.addEventListener("click", () => {
    const shown = progressOf(x.key).hints + 1;
    keepProgress(x.key, { hints: shown });
    fill();
    say(x.hints[shown - 1] ?? W.noHint);
  });
  fill();
  return el("div", { class: "stack" }, list, button);
}

async function open(x: Exercise): Promise<void> {
  if (!panel) return;
  const mine = ++asked;
  const byKey = panel.contains(document.activeElement) && !matchMedia("(pointer: coarse)").matches;
  keep(x.key);
  const i = EXERCISES.indexOf(x);
  const mark = el("div", { class: "mark", role: "status" });
  panel.replaceChildren(
    el("button", { type: "button", class: "back", click: () => backTo(x.key) }, W.back),
    el("h2", {}, `${i + 1}. ${x.title}`), el("p", { class: "quiet" }, W.checking));
  const task = await x.task(engine);
  if (mine !== asked || !panel) return;
  panel.lastElementChild!.replaceWith(el("p", { class: "task" }, task));
  panel.append(
    el("p", { class: "mono" }, `fulcrum ${join(x.words)}`),
    x.shape === "moves" ? playButton(x, task) : answerForm(x, mark, EXERCISES[i + 1]),
    mark, hints(x));
  if (byKey) panel.querySelector<HTMLElement>("#answer, .main")?.focus();
  /* Something to look at; a checker's command shows the run that it finds. */
  if (x.words[0] === "sim") await runCommand(x.words);
}

registerMode("course", {
  title: W.title,
  enter(room) {
    panel = room;
    const wanted = EXERCISES.find((x) => x.key === get().extra.exercise);
    if (wanted) void open(wanted);
    else drawList();
  },
  leave() {
    asked++;
    panel = null;
    keep(null);
  },
});
