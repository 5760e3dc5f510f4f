/*
 * room.ts - be the adversary: the checker's graph, one move at a time.  The
 * stage draws the run so far, the strip above it the states near by; exploring
 * goes on behind all that.
 */
import { show, shownOf } from "../act";
import { byId, el } from "../dom";
import { submitOnEnter } from "../compare/line";
import { Refused } from "../engine/api";
import { engine } from "../host";
import { join, split } from "../model/command";
import { get, set } from "../model/store";
import { enterMode, registerMode } from "../modes";
import { say } from "../say";
import { ADVERSARY as W } from "../words";
import { Game, type Step } from "./game";
import { drawNear } from "./graph";
import { outlookWords } from "./outlook";
import { branchList, movesList, pathList, type Hands } from "./panel";
import { save } from "./save";
import { checkWordsOf, commandOfTrace } from "./start";

const SLICE = 1500; /* states between two looks at the clock */
const MOST = 300000; /* states the page keeps */
const REDRAW = 300; /* milliseconds between two pictures of what is known */
const NEAR = { moves: 2, most: 18 };

/* A run that has to reach something: the course sets one. */
export interface Goal {
  words: string[];
  task: string;
  judge(moves: number[]): Promise<{ solved: boolean; says: string }>;
  back(): void;
}

let game: Game | null = null;
let goal: Goal | null = null;
let hinted = -1;
let note = "";
let noteBad = false;
let working = false;
let panel: HTMLElement | null = null;
const parts: Record<string, HTMLElement> = {};

/* ---- Drawing ------------------------------------------------------------------ */

function drawProgress(): void {
  if (!game || !parts.progress) return;
  const known = game.known;
  parts.progress.textContent = !known ? "" : known.all ? W.allKnown(known.states)
    : known.limit !== "" || known.states >= MOST ? W.stoppedAt(known.states, known.levels)
      : W.progress(known.states, known.levels);
}

async function drawGraph(): Promise<void> {
  const g = game;
  if (!g) return;
  const near = await g.near(NEAR.moves, NEAR.most);
  if (g !== game || !panel) return;
  const strip = byId("tour");
  strip.hidden = false;
  const width = Math.max(320, strip.clientWidth - 40);
  strip.replaceChildren(
    el("div", { class: "near-head" }, el("h2", {}, W.near), el("span", { class: "quiet" }, W.nearAbout)),
    el("div", { class: "near-box" }, drawNear(near, width, (i) => void act((x) => x.play(i)))));
}

function draw(): void {
  if (!game || !panel) return;
  const hands: Hands = { play: (i) => void act((g) => g.play(i)), goTo: (s: Step) => void act((g) => g.goTo(s)) };
  const { now } = game;
  const inList = panel.querySelector(".moves")?.contains(document.activeElement) ?? false;
  const bad = game.violated();
  parts.here!.textContent = bad ? W.won(bad.what.join(", "), bad.after) : `${W.here}: ${outlookWords(now.outlook)}`;
  parts.here!.className = bad ? "here bad" : "here";
  parts.end!.textContent = !bad && now.quiet && now.brokenAtEnd.length > 0 ? W.ends(now.brokenAtEnd.join(", ")) : "";
  parts.note!.textContent = note;
  parts.note!.className = noteBad ? "note complaint" : "note";
  parts.moves!.replaceChildren(movesList(game, hinted, hands));
  parts.path!.replaceChildren(...(game.at.parent ? [el("h3", {}, W.played), pathList(game, hands)] : [el("p", { class: "quiet" }, W.choose)]));
  parts.branch!.replaceChildren(...[branchList(game, hands)].filter((x) => x !== null));
  (parts.undo as HTMLButtonElement).disabled = !game.canUndo;
  (parts.redo as HTMLButtonElement).disabled = !game.canRedo;
  (parts.again as HTMLButtonElement).disabled = !game.canUndo;
  drawProgress();
  if (inList) panel.querySelector<HTMLButtonElement>(".moves button")?.focus();
}

/* The run by hand on the stage, with its last event at the cursor. */
async function drawStage(): Promise<void> {
  const g = game;
  if (!g) return;
  const { trace } = await g.played();
  const { run, recording, report } = await engine.load("run.trace", new TextEncoder().encode(trace));
  const shown = await shownOf(run, recording, report, "");
  if (g !== game) return void engine.forget(run);
  show(shown, { cursor: recording.events.count - 1 });
}

/* ---- Acting -------------------------------------------------------------------- */

function keep(): void {
  if (!game) return;
  set({ extra: { ...get().extra, game: join(game.words), moves: game.moves().join(".") } });
}

async function judge(): Promise<void> {
  const g = game;
  if (!g || !goal || !g.violated()) return;
  const mark = await goal.judge(g.moves());
  if (g !== game) return;
  note = mark.says;
  noteBad = !mark.solved;
}

/* One thing at a time: the game has one place. */
async function act(what: (g: Game) => Promise<unknown>): Promise<void> {
  const g = game;
  if (!g || working) return;
  working = true;
  hinted = -1;
  note = "";
  noteBad = false;
  try {
    await what(g);
    await judge();
    keep();
    draw();
    await Promise.all([drawStage(), drawGraph()]);
    const bad = g.violated();
    say(bad ? W.won(bad.what.join(", "), bad.after) : `${g.at.label || W.choose}. ${outlookWords(g.now.outlook)}`);
  } catch (e) {
    note = (e as Error).message;
    noteBad = true;
    draw();
  } finally {
    working = false;
  }
}

async function hint(): Promise<void> {
  if (!game || working) return;
  const found = await game.hint();
  hinted = found ? found.move.index : -1;
  note = found ? W.hintIs(found.move.label, found.left)
    : game.now.outlook.kind === "safe" ? W.nobody : W.hintNone;
  noteBad = false;
  draw();
  say(note);
}

function minimal(): void {
  void act(async (g) => {
    if (!(await g.minimal())) note = g.now.outlook.kind === "safe" ? W.nobody : W.hintNone;
  });
}

/* Goes on as long as the room is open: distances get better all the time. */
async function exploreOn(g: Game): Promise<void> {
  let drawn = performance.now();
  for (;;) {
    const more = (await g.explore(SLICE)) && (g.known?.states ?? 0) < MOST;
    if (g !== game) return;
    if (!more || performance.now() - drawn > REDRAW) {
      await g.refresh();
      if (g !== game) return;
      if (!working) {
        draw();
        await drawGraph();
      }
      drawn = performance.now();
    }
    if (!more) return;
    await new Promise((go) => setTimeout(go, 0));
  }
}

/* ---- Opening ------------------------------------------------------------------- */

async function open(words: string[], moves: number[], trace: Uint8Array | null): Promise<void> {
  const old = game;
  game = null;
  if (old) await old.close();
  parts.here!.textContent = W.loading;
  (parts.line as HTMLTextAreaElement).value = join(words);
  try {
    const g = await Game.open(engine, words);
    if (!panel) return void g.close();
    game = g;
    await act(async () => {
      if (trace) {
        const run = await engine.match(g.game, trace);
        await g.replay(run.moves);
        note = W.fromRun(run.moves.length);
      } else await g.replay(moves);
    });
    void exploreOn(g);
  } catch (e) {
    parts.here!.textContent = e instanceof Refused ? e.message : String(e);
    parts.here!.className = "here complaint";
    parts.moves!.replaceChildren();
  }
}

/* Opens the room with a command of the checker, and perhaps something to reach. */
export function playGame(words: string[], to: Goal | null): void {
  goal = to;
  set({ extra: { ...get().extra, game: join(words), moves: "" } });
  if (panel) void build(panel, words, []);
  else enterMode("adversary");
}

function build(room: HTMLElement, words: string[], moves: number[], trace: Uint8Array | null = null): Promise<void> {
  const button = (key: string, label: string, click: () => void, title = ""): HTMLElement =>
    (parts[key] = el("button", { type: "button", title: title || null, click }, label));
  parts.line = el("textarea", { id: "game-line", class: "mono", rows: 3, spellcheck: "false", keydown: submitOnEnter as EventListener });
  for (const key of ["here", "end", "note", "progress"]) parts[key] = el("p", { class: key });
  parts.note!.setAttribute("role", "status");
  for (const key of ["moves", "path", "branch"]) parts[key] = el("div", { class: "stack" });
  room.replaceChildren(
    el("h2", {}, W.title),
    ...(goal ? [el("p", { class: "goal" }, goal.task), el("button", { type: "button", click: () => goal?.back() }, W.toExercise)] : []),
    el("form", { class: "stack", submit: (e) => { e.preventDefault(); goal = null; void open(split((parts.line as HTMLTextAreaElement).value), [], null); } },
      el("label", { for: "game-line" }, W.command), parts.line!,
      el("button", { type: "submit" }, W.start)),
    parts.here!, parts.end!, parts.note!,
    el("div", { class: "buttons" },
      button("undo", W.undo, () => void act((g) => g.undo())),
      button("redo", W.redo, () => void act((g) => g.redo())),
      button("again", W.restart, () => void act((g) => g.goTo(g.root))),
      button("hint", W.hint, () => void hint()),
      button("minimal", W.minimal, minimal, W.minimalAbout),
      button("save", W.save, () => void game?.played().then(({ trace: t }) => save("run.trace", t)))),
    el("h3", {}, W.moves), parts.moves!, parts.progress!, parts.path!, parts.branch!);
  return open(words, moves, trace);
}

/* What to begin with: what the address says, the counterexample on the stage,
 * or a game that is like the run on the stage. */
async function begin(room: HTMLElement): Promise<void> {
  const { extra, shown, words } = get();
  if (extra.game) {
    const moves = (extra.moves ?? "").split(".").filter((m) => m !== "").map(Number);
    return build(room, split(extra.game), moves);
  }
  const from = shown ? commandOfTrace(shown.run.rec.head.command, split) : null;
  if (from && shown && shown.id >= 0) {
    const trace = new TextEncoder().encode(await engine.trace(shown.id));
    return build(room, from, [], trace);
  }
  return build(room, checkWordsOf(words), []);
}

registerMode("adversary", {
  title: W.title,
  enter(room) {
    panel = room;
    void begin(room);
  },
  leave() {
    const old = game;
    game = null;
    goal = null;
    panel = null;
    void old?.close();
    byId("tour").hidden = true;
    byId("tour").replaceChildren();
    const { game: _, moves: __, ...extra } = get().extra;
    set({ extra });
  },
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "u") void act((g) => g.undo());
    else if (event.key === "r") void act((g) => g.redo());
    else if (event.key === "h") void hint();
    else return false;
    return true;
  },
});
