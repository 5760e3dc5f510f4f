/*
 * progress.ts - what was answered and solved, in this browser and nowhere else.
 */
const KEY = "fulcrum.course";

export interface Progress {
  answer: string;
  solved: boolean;
  hints: number;
}

let all: Record<string, Progress> | null = null;

function read(): Record<string, Progress> {
  if (all) return all;
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    all = kept !== null && typeof kept === "object" ? (kept as Record<string, Progress>) : {};
  } catch {
    all = {}; /* no storage, or not ours: the course works without */
  }
  return all;
}

export function progressOf(key: string): Progress {
  return { answer: "", solved: false, hints: 0, ...(read()[key] as Progress | undefined) };
}

export function keepProgress(key: string, part: Partial<Progress>): void {
  const kept = read();
  kept[key] = { ...progressOf(key), ...part };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    /* A full or forbidden storage costs the memory, not the exercise. */
  }
}

export function forgetProgress(): void {
  all = {};
  try {
    localStorage.removeItem(KEY);
  } catch {
    /* There is nothing to forget. */
  }
}
