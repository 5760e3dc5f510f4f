/*
 * head.ts - the head of the page: name, rooms, link, theme.
 */
import { byId, el, icon, svg } from "../dom";
import { allModes, enterMode } from "../modes";
import { get, on, set, type Theme } from "../model/store";
import { say } from "../say";
import { linkOf } from "../url";
import { HEAD, PAGE } from "../words";
import { saveTrace } from "./export";

/* Longer addresses do not survive mail and chat: such a run becomes a file. */
const LONGEST = 4000;

export async function copyLink(): Promise<void> {
  const link = linkOf(get());
  if (link.length > LONGEST) {
    say(HEAD.tooLong);
    note(HEAD.tooLong);
    await saveTrace();
    return;
  }
  try {
    await navigator.clipboard.writeText(link);
    note(HEAD.copied);
  } catch {
    note(HEAD.notCopied);
  }
}

let gone = 0;

/* A line beside the link button, for a moment; screen readers hear it too. */
export function note(words: string): void {
  const box = byId("note");
  box.textContent = words;
  say(words);
  clearTimeout(gone);
  gone = window.setTimeout(() => { box.textContent = ""; }, 4000);
}

export function nextTheme(): void {
  const dark = get().theme === "dark" || (get().theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  set({ theme: dark ? "light" : "dark" });
}

function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "auto") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    /* A page from a file has no storage; the theme lasts as long as the page. */
  }
}

export function head(): void {
  const logo = svg("svg", { class: "logo", viewBox: "0 0 30 22", "aria-hidden": "true" },
    svg("path", { class: "beam", d: "M2 11.5L28 4.5" }), svg("path", { class: "wedge", d: "M15 9.5l6 10.5h-12z" }),
    svg("circle", { class: "weight", cx: 25.5, cy: 2.9, r: 2.4 }));
  const rooms = el("nav", { class: "rooms", "aria-label": HEAD.rooms });
  for (const [name, mode] of [["stage", { title: HEAD.stage }] as const, ...allModes()]) {
    if (mode.title === "") continue;
    rooms.append(el("button", { type: "button", "data-mode": name, click: () => enterMode(get().mode === name ? "stage" : name) }, mode.title));
  }
  byId("head").append(
    el("h1", { class: "brand" }, logo, PAGE.name, el("span", { class: "what wide" }, PAGE.what)),
    rooms,
    el("span", { class: "sp" }),
    el("span", { id: "note", class: "quiet" }),
    el("button", { type: "button", "aria-label": HEAD.link, title: HEAD.link, click: () => void copyLink() }, icon("link"), el("span", { class: "wide" }, HEAD.link)),
    el("button", { type: "button", class: "square", "aria-label": HEAD.theme, title: HEAD.theme, click: nextTheme }, icon("theme")),
  );
  /* Before anything else hears of a new theme: the others read its colours. */
  on(["theme"], (_, s) => applyTheme(s.theme));
  on(["mode"], (_, s) => {
    for (const b of rooms.children) b.setAttribute("aria-pressed", String((b as HTMLElement).dataset.mode === s.mode));
  });
  on(["shown", "cursor"], (_, s) => { document.title = s.shown ? HEAD.title(s.shown.title) : HEAD.title(""); });
}
