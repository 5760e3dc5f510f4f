/*
 * room.ts - be the adversary: the checker's graph, one move at a time.  The
 * stage draws the run so far, the strip above it the states near by; exploring
 * goes on behind all that.
 */
import { show, shownOf } from "../act";
import { byId, el, keepFocus } from "../dom";
import { roomy, submitOnEnter } from "../compare/line";
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
import { PRESETS } from "./presets";
import { save } from "./save";
import { checkWordsOf, commandOfTrace } from "./start";

const SLICE = 1500; /* states between two looks at the clock */
const MOST = 300000; /* states the page keeps */
const REDRAW = 300; /* milliseconds between two pictures of what is known */
const MOST_FIRSTS = 64;
const NEAR = { moves: 2, most: 18 };

/* A run that has to reach something: the course sets one. */
export interface Goal {
  words: string[];
  task: string;
  /* What would solve it without thinking, and is not shown: "minimal, distances". */
  locked: string;
  judge(moves: string[]): Promise<{ solved: boolean; says: string }>;
  back(): void;
}

const locked = (what: string): boolean => goal?.locked.includes(what) ?? false;

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
  if (!g || locked("distances")) return;
  const alone = document.body.dataset.embed === "states";
  const near = await g.near(NEAR.moves + (alone ? 1 : 0), NEAR.most * (alone ? 2 : 1));
  if (g !== game || !panel) return;
  const strip = byId("tour");
  strip.hidden = false;
  const width = Math.max(320, strip.clientWidth - 40);
  strip.replaceChildren(
    el("div", { class: "near-head" }, el("h2", {}, W.near), el("span", { class: "quiet" }, W.nearAbout)),
    el("div", { class: "near-box", tabindex: 0, role: "region", "aria-label": W.near }, drawNear(near, width, alone ? window.innerHeight - 90 : 0, (i) => void act((x) => x.play(i)))));
}

function draw(): void {
  if (panel) keepFocus(panel, redraw);
}

function redraw(): void {
  if (!game || !panel) return;
  const hands: Hands = { play: (i) => void act((g) => g.play(i)), goTo: (s: Step) => void act((g) => g.goTo(s)) };
  const { now } = game;
  const inList = panel.querySelector(".moves")?.contains(document.activeElement) ?? false;
  const bad = game.violated();
  parts.here!.textContent = bad ? W.won(bad.what.join(", "), bad.after) : locked("distances") ? W.locked : `${W.here}: ${outlookWords(now.outlook)}`;
  parts.here!.className = bad || game.endless() ? "here bad" : "here";
  parts.end!.textContent = game.endless() ? W.endlessHere : !bad && now.quiet && now.brokenAtEnd.length > 0 ? W.ends(now.brokenAtEnd.join(", ")) : "";
  parts.note!.textContent = note;
  parts.note!.className = noteBad ? "note complaint" : "note";
  parts.moves!.replaceChildren(movesList(game, hinted, hands, !locked("distances")));
  parts.path!.replaceChildren(...(game.at.parent ? [el("h3", {}, W.played), pathList(game, hands)] : [el("p", { class: "quiet" }, W.choose)]));
  parts.branch!.replaceChildren(...[branchList(game, hands)].filter((x) => x !== null));
  (parts.undo as HTMLButtonElement).disabled = !game.canUndo;
  (parts.redo as HTMLButtonElement).disabled = !game.canRedo;
  (parts.again as HTMLButtonElement).disabled = !game.canUndo;
  drawProgress();
  if (inList) panel.querySelector<HTMLButtonElement>(".moves button")?.focus();
}

/* Where steps differ in length or phase there are several ways to begin. */
async function drawFirsts(): Promise<void> {
  const g = game;
  if (!g || g.firsts < 2 || locked("distances")) return parts.first?.replaceChildren();
  const outlooks = await g.beginnings(MOST_FIRSTS);
  if (g !== game) return;
  const select = el("select", { id: "game-first", change: () => void act((x) => x.begin(Number(select.value))) },
    ...outlooks.map((o, i) => el("option", { value: i, selected: i === g.first }, W.beginning(i + 1, g.firsts, outlookWords(o)))));
  parts.first!.replaceChildren(el("label", { for: "game-first" }, W.firsts), select);
}

/* The run by hand on the stage, with its last event at the cursor. */
async function drawStage(): Promise<void> {
  const g = game;
  if (!g) return;
  const { trace } = await g.played();
  const { run, recording, report } = await engine.load("run.trace", new TextEncoder().encode(trace));
  /* It has no command of its own: the address keeps the game instead. */
  const shown = await shownOf(run, recording, report, "run.trace");
  if (g !== game) return void engine.forget(run);
  show(shown, { cursor: recording.events.count - 1 });
}

/* ---- Acting -------------------------------------------------------------------- */

function keep(): void {
  if (!game) return;
  set({ extra: { ...get().extra, game: join(game.words), moves: [game.first, ...game.moves()].join(".") } });
}

async function judge(): Promise<void> {
  const g = game;
  if (!g || !goal || !g.violated()) return;
  const mark = await goal.judge(g.path().map((s) => s.label));
  if (g !== game) return;
  note = mark.says;
  noteBad = !mark.solved;
}

/* One thing after the other: the game has one place.  What was asked of a place
 * that has been left meanwhile is not done: its list of moves is another's. */
let queue: Promise<void> = Promise.resolve();

function act(what: (g: Game) => Promise<unknown>): Promise<void> {
  const g = game;
  const from = g?.at;
  queue = queue.then(async () => {
    if (!g || g !== game || g.at !== from) return;
    working = true;
    try {
      await doIt(g, what);
    } catch (e) {
      if (g !== game) return;
      note = (e as Error).message;
      noteBad = true;
      draw();
    } finally {
      working = false;
    }
  });
  return queue;
}

async function doIt(g: Game, what: (g: Game) => Promise<unknown>): Promise<void> {
  hinted = -1;
  note = "";
  noteBad = false;
  await what(g);
  await judge();
  keep();
  draw();
  await Promise.all([drawStage(), drawGraph()]);
  const bad = g.violated();
  say(bad ? W.won(bad.what.join(", "), bad.after)
    : `${g.at.label || W.choose}. ${locked("distances") ? "" : outlookWords(g.now.outlook)}`);
}

async function hint(): Promise<void> {
  if (locked("minimal")) return;
  await queue;
  const g = game;
  if (!g) return;
  const found = await g.hint();
  if (g !== game) return;
  hinted = found ? found.move.index : -1;
  note = found ? W.hintIs(found.move.label, found.left)
    : g.now.outlook.kind === "safe" ? W.nobody : W.hintNone;
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
function exploreOn(g: Game): void {
  explore(g).catch((e: Error) => {
    /* A game that was closed under a call is over, nothing else. */
    if (g === game && parts.progress) parts.progress.textContent = e.message;
  });
}

async function explore(g: Game): Promise<void> {
  let drawn = performance.now();
  for (;;) {
    const more = (await g.explore(SLICE)) && (g.known?.states ?? 0) < MOST;
    if (g !== game) return;
    if (!more || performance.now() - drawn > REDRAW) {
      await g.refresh();
      if (g !== game) return;
      if (!working) {
        draw();
        await Promise.all([drawGraph(), drawFirsts()]);
      }
      drawn = performance.now();
    }
    if (!more) return;
    await new Promise((go) => setTimeout(go, 0));
  }
}

/* ---- Opening ------------------------------------------------------------------- */

/* `run`: the first state and the moves; empty for a new game. */
async function open(words: string[], run: number[], trace: Uint8Array | null): Promise<void> {
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
        const found = await engine.match(g.game, trace);
        await g.begin(found.first);
        await g.replay(found.moves);
        note = W.fromRun(found.moves.length);
      } else {
        await g.begin(run[0] ?? 0);
        await g.replay(run.slice(1));
      }
    });
    exploreOn(g);
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

function presetSelect(now: string): HTMLElement {
  const own = join(checkWordsOf(get().words));
  const select = el("select", { id: "game-preset", change: () => void open(split(select.value), [], null) },
    el("option", { value: own }, W.like),
    ...PRESETS.map((p) => el("option", { value: p.command, selected: p.command === now }, p.label)));
  return select;
}

function build(room: HTMLElement, words: string[], run: number[], trace: Uint8Array | null = null): Promise<void> {
  const button = (key: string, label: string, click: () => void, title = ""): HTMLElement =>
    (parts[key] = el("button", { type: "button", title: title || null, click }, label));
  parts.line = el("textarea", { id: "game-line", class: "mono", rows: 3, "aria-label": W.command, spellcheck: "false", keydown: submitOnEnter as EventListener });
  for (const key of ["here", "end", "note", "progress"]) parts[key] = el("p", { class: key });
  parts.note!.setAttribute("role", "status");
  for (const key of ["first", "moves", "path", "branch"]) parts[key] = el("div", { class: "stack" });
  room.replaceChildren(
    el("h2", {}, W.title),
    ...(goal ? [el("p", { class: "goal" }, goal.task), el("button", { type: "button", click: () => goal?.back() }, W.toExercise)] : []),
    /* An exercise has its game: its moves are what is to be seen. */
    ...(goal ? [] : [
      el("label", { for: "game-preset" }, W.presets), presetSelect(join(words)),
      el("details", { open: roomy() }, el("summary", {}, W.command),
        el("form", { class: "stack", submit: (e) => { e.preventDefault(); void open(split((parts.line as HTMLTextAreaElement).value), [], null); } },
          parts.line!, el("button", { type: "submit" }, W.start))),
    ]),
    parts.first!, parts.here!, parts.end!, parts.note!,
    el("div", { class: "buttons" },
      button("undo", W.undo, () => void act((g) => g.undo())),
      button("redo", W.redo, () => void act((g) => g.redo())),
      button("again", W.restart, () => void act((g) => g.goTo(g.root))),
      ...(locked("minimal") ? [] : [
        button("hint", W.hint, () => void hint()),
        button("minimal", W.minimal, minimal, W.minimalAbout),
      ]),
      button("save", W.save, () => void game?.played().then(({ trace: t }) => save("run.trace", t)))),
    el("h3", {}, W.moves), parts.moves!, parts.progress!, parts.path!, parts.branch!);
  return open(words, run, trace);
}

/* What to begin with: what the address says, the counterexample on the stage,
 * or a game that is like the run on the stage. */
async function begin(room: HTMLElement): Promise<void> {
  const { extra, shown, words } = get();
  if (extra.game) {
    const run = (extra.moves ?? "").split(".").filter((m) => m !== "").map(Number);
    return build(room, split(extra.game), run);
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
