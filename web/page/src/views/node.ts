/*
 * node.ts - the state of the selected node and of the pinned ones, field by
 * field: what the event at the cursor changed first, the old value struck out.
 */
import { togglePin } from "../act";
import { byId, el } from "../dom";
import { NONE, ROLES, type NodeState } from "../engine/api";
import { engine } from "../host";
import type { Run } from "../model/run";
import { rulesOf } from "../model/rules";
import { get, on } from "../model/store";
import { selectedLane } from "../act";
import { NODE, ROLE_WORDS } from "../words";

const box = el("section", { class: "states", "aria-label": NODE.title });
let asked = "";
let waiting = 0;

export function node(): void {
  byId("net").append(box);
  on(["shown", "cursor", "selection", "pinned"], () => {
    /* Scrubbing asks only for where it comes to rest. */
    clearTimeout(waiting);
    waiting = window.setTimeout(() => void draw(), get().playing ? 120 : 40);
  });
}

async function draw(): Promise<void> {
  const { shown, cursor, pinned } = get();
  const picked = selectedLane();
  const lanes = [...new Set([...(picked >= 0 ? [picked] : []), ...pinned])].filter((l) => shown && l < shown.run.lanes).slice(0, 6);
  const want = `${shown?.id} ${cursor} ${lanes.join()} ${pinned.join()}`;
  if (want === asked) return;
  asked = want;
  if (!shown || lanes.length === 0) {
    box.replaceChildren();
    return;
  }
  try {
    /* Of each node the state after its own last event: that is what it changed. */
    const states = await Promise.all(lanes.map((l) => stateOf(shown.id, l)));
    if (asked === want) box.replaceChildren(...states.map((s) => table(s)));
  } catch (e) {
    if (asked === want) box.replaceChildren(el("p", { class: "quiet" }, e instanceof Error ? e.message : String(e)));
  }
}

async function stateOf(id: number, lane: number): Promise<NodeState> {
  const { shown, cursor } = get();
  const run = shown!.run;
  const own = cursor >= 0 && run.rec.events.lane[cursor] === lane ? cursor : run.neighbour(lane, cursor + 1, -1);
  const role = run.spanRole[run.spanAfter(lane, cursor)];
  if (id < 0) return { event: own, lane, role, fields: [], insane: null };
  const state = await engine.state(id, own < 0 ? NONE : own, lane);
  return { ...state, role, event: own };
}

/* By which rules it came there. */
function rules(run: Run, event: number): HTMLElement | null {
  const found = rulesOf(run, event);
  return found.length === 0 ? null : el("p", { class: "byrule" }, NODE.rule, ...found.flatMap((r) => [" ", el("abbr", { title: r.sentence }, r.label)]));
}

function table(s: NodeState): HTMLElement {
  const { shown, pinned } = get();
  const run = shown!.run;
  const changed = s.fields.filter((f) => f.before !== null), kept = s.fields.filter((f) => f.before === null);
  const since = run.spanTick[run.spanAfter(s.lane, get().cursor)];
  const pin = pinned.includes(s.lane);
  const rows = [...changed, ...kept].map((f) =>
    el("tr", { class: f.before !== null ? "differs" : "" }, el("th", { scope: "row" }, f.name),
      el("td", { class: "num" }, f.before !== null ? el("s", {}, f.before) : null, f.before !== null ? " " : null, f.value)));
  return el("article", { class: "state" },
    el("h2", {}, el("span", {}, NODE.head(run.name(s.lane), ROLE_WORDS[ROLES[s.role]], since)),
      el("button", { type: "button", class: "small", "aria-pressed": String(pin), click: () => togglePin(s.lane) }, NODE.pin)),
    s.event >= 0 && s.event < run.events ? rules(run, s.event) : null,
    s.insane ? el("p", { class: "broken" }, NODE.insane(s.insane)) : null,
    rows.length > 0 ? el("table", {}, el("caption", { class: "unseen" }, NODE.caption(run.name(s.lane))), el("tbody", {}, ...rows)) : el("p", { class: "quiet" }, NODE.none));
}
