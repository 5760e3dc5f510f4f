/*
 * keys.ts - the keyboard: one table, which the list of keys is made from too.
 */
import * as act from "./act";
import { el } from "./dom";
import { enterMode, modeKey } from "./modes";
import { get, set } from "./model/store";
import { KEYS } from "./words";
import { sheet } from "./views/export";
import { find } from "./views/find";
import { copyLink, nextTheme } from "./views/head";
import { togglePlay } from "./views/transport";

const TABLE: Record<string, () => void> = {
  " ": togglePlay,
  ArrowLeft: () => act.stepEvent(-1),
  ArrowRight: () => act.stepEvent(1),
  "shift ArrowLeft": () => act.stepTick(-1),
  "shift ArrowRight": () => act.stepTick(1),
  "[": () => act.stepOwn(-1),
  "]": () => act.stepOwn(1),
  Home: act.toStart,
  End: act.toEnd,
  ArrowUp: () => act.selectLane(act.selectedLane() < 0 ? 0 : act.selectedLane() - 1),
  ArrowDown: () => act.selectLane(act.selectedLane() + 1),
  Enter: () => { if (act.selectedLane() >= 0) act.togglePin(act.selectedLane()); },
  "+": () => act.zoom(1.5),
  "=": () => act.zoom(1.5),
  "-": () => act.zoom(1 / 1.5),
  "−": () => act.zoom(1 / 1.5),
  "0": act.fit,
  v: () => void act.toViolation(1),
  V: () => void act.toViolation(-1),
  m: followNear,
  f: () => set({ frames: !get().frames }),
  z: act.toggleFold,
  "/": find,
  l: () => void copyLink(),
  t: nextTheme,
  "?": () => { sheet(KEYS.title, list()); },
  Escape: () => {
    if (get().selection) set({ selection: null, following: false });
    else if (get().pinned.length > 0) set({ pinned: [] });
    else if (get().mode !== "stage") enterMode("stage");
  },
};

/* The message that the event at the cursor read, or else the first it sent. */
function followNear(): void {
  const { shown, cursor, selection, following } = get();
  if (selection?.is === "message") return set({ following: !following });
  if (!shown || cursor < 0) return;
  const { events } = shown.run.rec;
  const read = events.message[cursor];
  if (read !== 0xffffffff) act.selectMessage(read);
  else if (events.sent[cursor + 1] > events.sent[cursor]) act.selectMessage(events.sent[cursor]);
}

function list(): HTMLElement {
  return el("table", { class: "keytable" }, el("tbody", {}, ...KEYS.list.map(([keys, what]) =>
    el("tr", {}, el("td", {}, ...keys.split(" ").flatMap((k) => [el("kbd", {}, k), " "])), el("td", {}, what)))));
}

/* Where keys have a meaning of their own. */
function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], dialog") !== null;
}

export function keys(): void {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (typing(e.target)) {
      if (e.key === "Escape" && e.target instanceof HTMLElement && !e.target.closest("dialog")) e.target.blur();
      return;
    }
    /* A button that has the focus keeps space and enter. */
    const pressed = e.target instanceof HTMLElement && e.target.closest("button, summary, a") !== null;
    if (pressed && (e.key === " " || e.key === "Enter")) return;
    if (modeKey(e)) {
      e.preventDefault();
      return;
    }
    const found = TABLE[e.shiftKey && e.key.startsWith("Arrow") ? `shift ${e.key}` : e.key];
    if (!found) return;
    e.preventDefault();
    found();
  });
}
