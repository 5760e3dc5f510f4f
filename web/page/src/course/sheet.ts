/*
 * sheet.ts - the sheet for teachers: all exercises on paper, with what each is
 * about.  The numbers in the tasks are computed as it is made; answers are not
 * on it, because the engine takes every right one.
 */
import { el } from "../dom";
import { engine } from "../host";
import { join } from "../model/command";
import { COURSE as W } from "../words";
import { EXERCISES } from "./exercises";

export async function openSheet(): Promise<void> {
  const body = el("tbody");
  const dialog = el("dialog", { class: "sheet", "aria-label": W.sheetTitle, close: () => dialog.remove() },
    el("header", {}, el("h1", {}, W.sheetTitle),
      el("button", { type: "button", click: () => window.print() }, W.sheetPrint),
      el("button", { type: "button", click: () => dialog.close() }, W.sheetClose)),
    el("p", {}, W.sheetAbout),
    el("table", {}, el("thead", {}, el("tr", {}, ...W.sheetColumns.map((c) => el("th", { scope: "col" }, c)))), body));
  document.body.append(dialog);
  dialog.showModal();
  for (const [i, x] of EXERCISES.entries()) {
    const task = await x.task(engine);
    body.append(el("tr", {},
      el("th", { scope: "row" }, `${i + 1}. ${x.title}`),
      el("td", {}, el("p", {}, task), el("p", { class: "mono" }, `fulcrum ${join(x.words)}`)),
      el("td", {}, el("p", {}, x.teaches), el("p", { class: "quiet" }, x.asks)),
      el("td", { class: "num" }, String(x.minutes))));
  }
  dialog.dataset.ready = "yes";
}
