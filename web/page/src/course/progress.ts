/*
 * progress.ts - who answers, and what was answered and solved: in this browser and
 * nowhere else, until it is saved as a file.
 */
import type { Student } from "./exercises";

const KEY = "fulcrum.course";
const WHO = "fulcrum.student";

export interface Progress {
  values: Record<string, string>; /* by the name of the field */
  solved: boolean;
  hints: number;
}

function load(key: string): Record<string, unknown> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    return kept !== null && typeof kept === "object" ? (kept as Record<string, unknown>) : {};
  } catch {
    return {}; /* no storage, or not ours: the course works without */
  }
}

function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* A full or forbidden storage costs the memory, not the exercise. */
  }
}

let all: Record<string, Progress> | null = null;
let who: { id: string; name: string } | null = null;

/* Tasks vary with the student, and so do answers. */
const place = (student: Student, key: string): string => `${student.id} ${student.term} ${key}`;

export function progressOf(student: Student, key: string): Progress {
  all ??= load(KEY) as Record<string, Progress>;
  return { values: {}, solved: false, hints: 0, ...(all[place(student, key)] as Partial<Progress> | undefined) };
}

export function keepProgress(student: Student, key: string, more: Partial<Progress>): void {
  const now = { ...progressOf(student, key), ...more };
  all![place(student, key)] = now;
  store(KEY, all);
}

/* Whether anybody has answered anything here. */
export function anyProgress(): boolean {
  all ??= load(KEY) as Record<string, Progress>;
  return Object.keys(all).length > 0;
}

export function forgetProgress(): void {
  all = {};
  store(KEY, all);
}

export function whoIs(): { id: string; name: string } {
  who ??= { id: "", name: "", ...load(WHO) };
  return who;
}

export function keepWho(id: string, name: string): void {
  who = { id, name };
  store(WHO, who);
}
