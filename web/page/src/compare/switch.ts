/*
 * switch.ts - on a phone two diagrams do not fit: the first, the second, or both.
 */
import { byId, el } from "../dom";
import { get, on } from "../model/store";
import { COMPARE as W } from "../words";

const WAYS = ["first", "second", "both"] as const;

export function comparisonSwitch(): void {
  const box = el("div", { class: "switch", role: "group", "aria-label": W.which });
  const draw = (which: string): void => {
    const { shown, beside } = get();
    document.body.dataset.which = beside ? which : "both";
    box.hidden = beside === null;
    if (!shown || !beside) return;
    const names = [shown.run.rec.head.protocol, beside.run.rec.head.protocol];
    const label = (way: (typeof WAYS)[number]): string => way === "both" ? W.both
      : names[0] === names[1] ? (way === "first" ? W.first : W.other) : names[WAYS.indexOf(way)]!;
    box.replaceChildren(...WAYS.map((way) => el("button", {
      type: "button", "aria-pressed": String(way === which), click: () => draw(way),
    }, label(way))));
  };
  on(["beside"], () => {
    /* The stage is built after the rooms. */
    if (!box.isConnected) byId("stage").querySelector(".scenes")?.before(box);
    draw("first");
  });
}
