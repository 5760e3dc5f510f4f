/*
 * stage.ts - the space-time diagram with its bar: how far it is zoomed, export.
 */
import { fit, toggleFold, zoom } from "../act";
import { byId, el } from "../dom";
import { on } from "../model/store";
import { STAGE } from "../words";
import { exportMenu } from "./export";
import { key } from "./key";
import { SpaceTime } from "./spacetime/view";

export let scene: SpaceTime;
export let second: SpaceTime | null = null;

export function stage(): void {
  const host = byId("stage");
  const says = el("span", { class: "quiet num", id: "zoomsays" });
  const fold = el("button", { type: "button", "aria-pressed": "false", title: STAGE.foldTitle, click: toggleFold }, STAGE.fold);
  const bar = el("div", { class: "bar" },
    says,
    el("button", { type: "button", "aria-label": STAGE.out, title: STAGE.out, click: () => zoom(1 / 1.5) }, "−"),
    el("button", { type: "button", "aria-label": STAGE.in, title: STAGE.in, click: () => zoom(1.5) }, "+"),
    el("button", { type: "button", title: STAGE.fitTitle, click: fit }, STAGE.fit),
    fold,
    exportMenu(),
  );
  /* Two runs have one axis, and no silence in common. */
  on(["beside"], (_, s) => { fold.disabled = s.beside !== null; });
  on(["fold"], (_, s) => fold.setAttribute("aria-pressed", String(s.fold)));
  const scenes = el("div", { class: "scenes" });
  const busy = el("p", { class: "busy", role: "status" });

  host.setAttribute("aria-label", STAGE.name);
  host.append(bar, busy, scenes);
  scene = new SpaceTime(scenes, "shown", () => {
    const s = scene.scale!;
    const words = STAGE.zoom(s.px, s.shares ? "shares" : s.level);
    if (says.textContent !== words) says.textContent = words;
    key(scene.marks);
  });
  on(["busy"], (_, s) => {
    busy.textContent = s.busy;
    busy.hidden = s.busy === "";
  });
  on(["beside"], (_, s) => {
    if (s.beside && !second) second = new SpaceTime(scenes, "beside");
    else if (!s.beside && second) {
      second.destroy();
      second = null;
    }
  });
}
