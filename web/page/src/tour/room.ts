/*
 * room.ts - the tour: eight scenes in the strip above the stage.  The run can be
 * changed at will; there is always a way back to the scene as it was.
 */
import { show } from "../act";
import { putBeside, record } from "../compare/beside";
import { byId, el, icon, keepFocus } from "../dom";
import { join } from "../model/command";
import { get, on, set, type Shown } from "../model/store";
import { enterMode, registerAlways, registerMode } from "../modes";
import { say } from "../say";
import { TOUR as W } from "../words";
import { SCENES, type Telling } from "./scenes";

let at = 0;
let telling: Telling | null = null;
let asked = 0;
let entered = false;
let stop: (() => void) | null = null;

const strip = (): HTMLElement => byId("tour");
const told = (s: Shown) => ({ recording: s.run.rec, report: s.report! });

/* ---- The strip ---------------------------------------------------------------- */

function button(i: number): HTMLElement {
  const here = i === at;
  return el("li", {}, el("button", {
    type: "button", class: "tour-scene", "aria-current": here ? "step" : null,
    click: () => void go(i),
  }, el("span", { class: "n num" }, String(i + 1)), SCENES[i]!.name));
}

/* Whether the page still shows what the text tells. */
function changed(): boolean {
  return telling !== null && join(get().words) !== join(SCENES[at]!.words);
}

function draw(sentence = ""): void {
  const scene = SCENES[at]!;
  const step = (i: number, label: string, name: "left" | "right"): HTMLElement =>
    el("button", { type: "button", class: "arrow", "aria-label": label, disabled: i < 0 || i >= SCENES.length, click: () => void go(i) }, icon(name));
  keepFocus(strip(), () => strip().replaceChildren(
    el("ol", { class: "tour-list", "aria-label": W.title }, ...SCENES.map((_, i) => button(i))),
    el("div", { class: "scene-head" },
      step(at - 1, W.back, "left"),
      el("h2", {}, el("span", { class: "scene-of" }, `${W.of(at + 1, SCENES.length)} · `), scene.name),
      step(at + 1, W.on, "right"),
      el("button", { type: "button", class: "away", "aria-label": W.away, click: () => enterMode("stage") }, icon("close"))),
    el("div", { class: "telling" },
      el("p", {}, sentence || (telling ? telling.text : W.loading)),
      telling ? el("p", { class: "quiet" }, el("b", {}, W.look), ` ${telling.look}`) : null,
      changed() ? el("p", { class: "changed" }, W.left, " ",
        el("button", { type: "button", click: () => void go(at) }, W.again)) : null),
  ));
}

/* ---- Going ---------------------------------------------------------------------- */

/* Shows a scene; `keep` leaves the cursor where an address has put it. */
export async function go(i: number, keep = false): Promise<void> {
  if (i < 0 || i >= SCENES.length) return;
  set({ extra: { ...get().extra, scene: String(i + 1) } });
  if (!entered) return enterMode("tour"); /* which comes back here */
  const mine = ++asked;
  const scene = SCENES[i]!;
  at = i;
  telling = null;
  draw();
  try {
    const a = await record(scene.words);
    const b = scene.beside ? await record(scene.beside) : null;
    if (mine !== asked || !entered) return;
    telling = scene.tell(told(a), b ? told(b) : null);
    a.title = telling.title;
    const cursor = keep ? get().cursor : telling.event;
    set({ words: scene.words });
    putBeside(null);
    show(a, { cursor });
    putBeside(b);
    draw();
    say(`${telling.title}. ${telling.text}`);
  } catch (e) {
    if (mine === asked) draw(W.failed((e as Error).message));
  }
}

registerMode("tour", {
  title: W.title,
  enter(panel) {
    /* The settings stay: a scene is there to be changed. */
    panel.hidden = true;
    entered = true;
    strip().hidden = false;
    const wanted = Number(get().extra.scene ?? "1") - 1;
    const i = wanted >= 0 && wanted < SCENES.length ? wanted : 0;
    stop = on(["words"], () => draw());
    /* An address may name a scene and another moment of it. */
    const same = asked === 0 && get().shown !== null && join(get().words) === join(SCENES[i]!.words);
    void go(i, same);
  },
  leave() {
    entered = false;
    telling = null;
    asked++;
    stop?.();
    strip().hidden = true;
    strip().replaceChildren();
    putBeside(null);
    const { scene: _, ...extra } = get().extra;
    set({ extra });
  },
});

registerAlways({
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (/^[1-8]$/.test(event.key)) {
      void go(Number(event.key) - 1);
      return true;
    }
    if (entered && (event.key === "n" || event.key === "p")) {
      void go(at + (event.key === "n" ? 1 : -1));
      return true;
    }
    return false;
  },
});
