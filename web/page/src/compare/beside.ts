/*
 * beside.ts - the second run of a comparison: same seed, same time axis.
 */
import { endOfAxis, setWindow, shownOf } from "../act";
import { engine } from "../host";
import { get, set, type Shown } from "../model/store";

let asked = 0;

export async function record(words: string[]): Promise<Shown> {
  const { run, recording, report } = await engine.record(words);
  return shownOf(run, recording, report, "");
}

function put(beside: Shown | null): void {
  const old = get().beside;
  if (old && old.id >= 0 && old.id !== beside?.id) void engine.forget(old.id);
  const whole = get().from === 0 && get().to >= endOfAxis() - 1e-9;
  set({ beside });
  /* The axis has a new end: who saw all of it still does. */
  if (whole) setWindow(0, endOfAxis());
}

/* Puts a run beside the one on the page; throws Refused. */
export async function showBeside(words: string[] | null): Promise<void> {
  const mine = ++asked;
  if (!words) return put(null);
  const shown = await record(words);
  if (mine === asked) put(shown);
}

export function putBeside(shown: Shown | null): void {
  asked++;
  put(shown);
}
