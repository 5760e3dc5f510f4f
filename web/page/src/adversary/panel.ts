/*
 * panel.ts - what the adversary sees beside the stage: the moves that are
 * enabled, how far a violation is behind each, and the run so far.
 */
import { el } from "../dom";
import type { Move } from "../engine/api";
import { ADVERSARY as W } from "../words";
import type { Game, Step } from "./game";
import { outlookClass, outlookWords } from "./outlook";

export interface Hands {
  play(index: number): void;
  goTo(step: Step): void;
}

function badge(move: Move): HTMLElement {
  if (move.broken.length > 0) return el("span", { class: "ol ol-broken" }, W.breaks(move.broken.join(", ")));
  return el("span", { class: `ol ${outlookClass(move.outlook)}` }, outlookWords(move.outlook));
}

function kindOf(move: Move): string {
  return move.fault ? W.kinds.fault : move.coin ? W.kinds.coin : "";
}

/* The moves as a list; the one of a hint is marked.  How far a violation is
 * behind each is left out where an exercise asks for it. */
export function movesList(game: Game, hinted: number, hands: Hands, distances: boolean): HTMLElement {
  if (game.now.moves.length === 0) return el("p", { class: "quiet" }, W.none);
  return el("ol", { class: "moves" }, ...game.now.moves.map((m) => {
    const kind = kindOf(m);
    return el("li", {}, el("button", {
      type: "button", class: `move${m.fault ? " fault" : ""}${m.index === hinted ? " hinted" : ""}`,
      "data-index": m.index, click: () => hands.play(m.index),
    }, el("span", { class: "what" }, m.label, kind ? el("span", { class: "quiet" }, ` (${kind})`) : null), distances ? badge(m) : null));
  }));
}

/* One entry for each move that somebody chose, with the ticks folded behind it. */
export function pathList(game: Game, hands: Hands): HTMLElement {
  const list = el("ol", { class: "path" });
  const path = game.path();
  for (let i = 0; i < path.length; i++) {
    const step = path[i]!;
    let end = i, ticks = 0;
    while (path[end + 1]?.folded) { end++; ticks++; }
    const last = path[end]!;
    const others = (step.parent?.children.length ?? 1) - 1;
    list.append(el("li", { class: step.broken.length > 0 ? "bad" : null },
      el("button", {
        type: "button", class: "step", "aria-current": last === game.at ? "step" : null,
        click: () => hands.goTo(last),
      }, el("span", { class: "num quiet" }, `${step.depth}. `), step.label,
      step.broken.length > 0 ? el("b", {}, ` ✗ ${step.broken.join(", ")}`) : null),
      ticks > 0 ? el("span", { class: "quiet" }, W.folded(ticks)) : null,
      others > 0 ? el("span", { class: "quiet" }, W.branches(others)) : null));
    i = end;
  }
  return list;
}

/* How far a branch was played. */
function reach(step: Step): Step {
  let s = step;
  while (s.last) s = s.last;
  return s;
}

/* What was played from here before, to go on with. */
export function branchList(game: Game, hands: Hands): HTMLElement | null {
  const { children } = game.at;
  if (children.length === 0) return null;
  return el("div", { class: "stack" }, el("h3", {}, W.branch),
    el("ul", { class: "path" }, ...children.map((c) => {
      const end = reach(c);
      return el("li", {}, el("button", { type: "button", class: "step", click: () => hands.goTo(end) },
        c.label, el("span", { class: "quiet" }, ` ${W.branchOf(end.depth - game.at.depth)}`)));
    })));
}
