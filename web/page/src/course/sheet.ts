/*
 * sheet.ts - the sheet for teachers: all exercises on paper, with what each is
 * about.  Answers are not on it, because the engine takes every right one;
 * `fulcrum grade --answers` prints one for each student.
 */
import { el } from "../dom";
import { join } from "../model/command";
import { COURSE as W } from "../words";
import type { Exercise } from "./exercises";

export function openSheet(all: Exercise[]): void {
  const dialog = el("dialog", { class: "sheet", "aria-label": W.sheetTitle, close: () => dialog.remove() },
    el("header", {}, el("h1", {}, W.sheetTitle),
      el("button", { type: "button", click: () => window.print() }, W.sheetPrint),
      el("button", { type: "button", click: () => dialog.close() }, W.sheetClose)),
    el("p", {}, W.sheetAbout),
    el("table", {}, el("thead", {}, el("tr", {}, ...W.sheetColumns.map((c) => el("th", { scope: "col" }, c)))),
      el("tbody", {}, ...all.map(({ task: x }) => el("tr", {},
        el("th", { scope: "row" }, `${x.number}. ${x.title}`),
        el("td", {}, el("p", {}, x.task), el("p", { class: "mono" }, x.game ?? x.command ? `fulcrum ${join((x.game ?? x.command)!)}` : "")),
        el("td", {}, el("p", {}, x.teaches), el("p", { class: "quiet" }, x.asks)),
        el("td", { class: "num" }, String(x.points)),
        el("td", { class: "num" }, x.minutes))))));
  document.body.append(dialog);
  dialog.showModal();
  dialog.dataset.ready = "yes";
}
