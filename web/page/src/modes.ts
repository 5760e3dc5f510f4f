/*
 * modes.ts - rooms of the page: the adversary, comparison, tour, course.  A room
 * registers itself by name; the stage knows none of them.
 */
import { get, set } from "./model/store";

export interface Mode {
  /* In the list of rooms in the head of the page; "" leaves it out. */
  title: string;
  /* `panel` is #room: empty, and shown in the place of the settings while the
   * mode lasts, unless `panel.hidden` is set.  #tour is the rooms' as well. */
  enter(panel: HTMLElement): void;
  leave(): void;
  /* A key that the stage does not use; true if it meant something. */
  key?(event: KeyboardEvent): boolean;
  /* The head of an arrow was dragged: the message, and when it shall be read. */
  dragged?(message: number, tick: number): void;
}

const modes = new Map<string, Mode>();
const always: Pick<Mode, "key" | "dragged">[] = [];

export function registerMode(name: string, mode: Mode): void {
  modes.set(name, mode);
}

/* Keys and drags that count in every mode (b, c, 1 to 8, an arrow dragged). */
export function registerAlways(hooks: Pick<Mode, "key" | "dragged">): void {
  always.push(hooks);
}

/* Files that are no traces, by the end of their names: a room opens them. */
const openers = new Map<string, (name: string, text: string) => void>();

export function registerFile(end: string, open: (name: string, text: string) => void): void {
  openers.set(end, open);
}

export function openerOf(name: string): ((name: string, text: string) => void) | null {
  for (const [end, open] of openers) if (name.endsWith(end)) return open;
  return null;
}

export function allModes(): [string, Mode][] {
  return [...modes];
}

let entered = "stage";

/* Leaves the present mode for another; "stage" is the plain page. */
export function enterMode(name: string): void {
  const room = document.getElementById("room")!;
  const settings = document.getElementById("set")!;
  if (name === entered) return;
  modes.get(entered)?.leave();
  room.replaceChildren();
  const mode = modes.get(name);
  entered = mode ? name : "stage";
  room.hidden = !mode;
  if (mode) mode.enter(room);
  settings.hidden = !room.hidden;
  document.body.dataset.mode = entered;
  set({ mode: entered });
}

export function modeKey(event: KeyboardEvent): boolean {
  if (modes.get(get().mode)?.key?.(event)) return true;
  return always.some((h) => h.key?.(event));
}

export function modeDragged(message: number, tick: number): void {
  const own = modes.get(get().mode);
  if (own?.dragged) own.dragged(message, tick);
  else for (const h of always) h.dragged?.(message, tick);
}

/* Whether anything wants arrows to be dragged. */
export function modeDrags(): boolean {
  return Boolean(modes.get(get().mode)?.dragged) || always.some((h) => h.dragged);
}
