/*
 * url.ts - everything that is set, in the fragment of the address: the command
 * line, the cursor, the window, the selection, the room, what rooms add.
 */
import { join, split } from "./model/command";
import { get, on, type State, type Thing } from "./model/store";

export interface Link {
  words: string[] | null;
  cursor: number | null;
  window: [number, number] | null;
  selection: Thing | null;
  following: boolean;
  pinned: number[];
  fold: boolean;
  mode: string;
  extra: Record<string, string>;
}

const OWN = new Set(["run", "e", "w", "s", "pin", "mode", "fold"]);

function thing(text: string | null): Thing | null {
  const n = Number(text?.slice(1));
  if (!text || !Number.isInteger(n) || n < 0) return null;
  return text[0] === "l" ? { is: "lane", lane: n } : text[0] === "m" ? { is: "message", message: n } : null;
}

export function readLink(hash: string): Link {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  const window = p.get("w")?.split(":").map(Number);
  const e = p.get("e");
  const extra: Record<string, string> = {};
  for (const [k, v] of p) if (!OWN.has(k)) extra[k] = v;
  return {
    words: p.has("run") ? split(p.get("run")!) : null,
    cursor: e !== null && Number.isInteger(Number(e)) ? Number(e) : null,
    window: window?.length === 2 && window.every(Number.isFinite) && window[0] < window[1] ? [window[0], window[1]] : null,
    selection: thing(p.get("s")),
    following: p.get("s")?.startsWith("m") ?? false,
    pinned: (p.get("pin") ?? "").split(",").filter(Boolean).map(Number).filter(Number.isInteger),
    fold: p.has("fold"),
    mode: p.get("mode") ?? "stage",
    extra,
  };
}

const short = (n: number): string => String(Math.round(n * 1000) / 1000);

export function hashOf(s: Readonly<State>): string {
  const p = new URLSearchParams();
  if (!s.shown?.file) p.set("run", join(s.words));
  if (s.shown) {
    const { run } = s.shown;
    if (s.cursor !== run.events - 1) p.set("e", String(s.cursor));
    if (s.from > 0 || s.to < run.end) p.set("w", `${short(s.from)}:${short(s.to)}`);
  }
  if (s.selection?.is === "lane") p.set("s", `l${s.selection.lane}`);
  else if (s.selection?.is === "message") p.set("s", `m${s.selection.message}`);
  if (s.pinned.length > 0) p.set("pin", s.pinned.join());
  if (s.fold) p.set("fold", "1");
  if (s.mode !== "stage") p.set("mode", s.mode);
  for (const [k, v] of Object.entries(s.extra)) p.set(k, v);
  return `#${p.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%3D", "=")}`;
}

export function linkOf(s: Readonly<State>): string {
  return location.href.replace(/#.*$/, "") + hashOf(s);
}

let soon = 0;

/* The address follows the page; at most a few times a second, as browsers ask. */
export function keepUrl(opened: (link: Link) => void): void {
  on(["words", "shown", "cursor", "from", "to", "selection", "pinned", "fold", "mode", "extra"], () => {
    clearTimeout(soon);
    soon = window.setTimeout(() => {
      if (get().busy !== "" || !get().shown) return;
      const hash = hashOf(get());
      if (hash !== location.hash) history.replaceState(null, "", hash);
    }, 300);
  });
  window.addEventListener("hashchange", () => opened(readLink(location.hash)));
}
