/*
 * find.ts - "/": a node by its name, a time, an event or a message by a word.
 */
import { seekEvent, seekTime, selectLane, selectMessage } from "../act";
import { el } from "../dom";
import { NONE, ROLES, WHATS } from "../engine/api";
import type { Run } from "../model/run";
import { get } from "../model/store";
import { FIND, ROLE_WORDS } from "../words";
import { sheet } from "./export";
import { messageWords } from "./spacetime/overlay";

interface Hit { words: string; go: () => void }

const MOST = 30;

/* One event in one line. */
export function eventWords(run: Run, e: number): string {
  const { events } = run.rec;
  const name = run.name(events.lane[e]), what = WHATS[events.what[e]];
  const m = events.message[e];
  const span = run.spanAfter(events.lane[e], e);
  const turns = run.spanEvent[span] === e ? ROLE_WORDS[ROLES[run.spanRole[span]]] : "";
  return FIND.event(events.tick[e], name, what, m === NONE ? "" : messageWords(run, m), m === NONE ? "" : run.name(run.from[m]), turns, events.sent[e + 1] - events.sent[e]);
}

export function hits(run: Run, query: string): Hit[] {
  const found: Hit[] = [], text = query.trim().toLowerCase();
  const time = /^(?:t\s*=?\s*|@)(\d+(?:\.\d+)?)$/.exec(text) ?? /^(\d+)$/.exec(text);
  if (text === "") return found;
  if (time) found.push({ words: FIND.time(Number(time[1])), go: () => seekTime(Number(time[1])) });
  for (let l = 0; l < run.lanes && found.length < 8; l++)
    if (run.name(l).toLowerCase() === text) found.push({ words: FIND.node(run.name(l)), go: () => selectLane(l) });
  const message = /^#(\d+)$/.exec(text);
  if (message && Number(message[1]) < run.messages) {
    const m = Number(message[1]);
    found.push({ words: messageWords(run, m), go: () => { selectMessage(m); seekEvent(run.rec.messages.by[m]); } });
  }
  /* Words: from the cursor on, then from the start. */
  const start = Math.max(0, get().cursor + 1), most = Math.min(run.events, 200000);
  for (let k = 0; k < most && found.length < MOST && !time; k++) {
    const e = (start + k) % run.events;
    const words = eventWords(run, e);
    if (words.toLowerCase().includes(text)) found.push({ words, go: () => seekEvent(e) });
  }
  return found;
}

export function find(): void {
  const run = get().shown?.run;
  if (!run) return;
  const input = el("input", { type: "search", "aria-label": FIND.title, placeholder: FIND.hint });
  const list = el("ol", { class: "hits" });
  const dialog = sheet(FIND.title, input, list);
  let now: Hit[] = [];
  const take = (h: Hit): void => { dialog.close(); h.go(); };
  input.addEventListener("input", () => {
    now = hits(run, input.value);
    list.replaceChildren(...(now.length === 0 && input.value.trim() ? [el("li", { class: "quiet" }, FIND.none)] : now.map((h) =>
      el("li", {}, el("button", { type: "button", click: () => take(h) }, h.words)))));
  });
  input.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && now[0]) { e.preventDefault(); take(now[0]); }
  });
  input.focus();
}
