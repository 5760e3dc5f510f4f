/*
 * rules.ts - what the rules of the papers say: labels and sentences as the pages
 * of the protocols define them, put together when the page is built.
 */
import type { Run } from "./run";

export interface Rule { label: string; sentence: string }

let all: Record<string, string> = {};

export async function loadRules(): Promise<void> {
  const answer = await fetch(new URL("rules.json", document.baseURI));
  if (answer.ok) all = (await answer.json()) as Record<string, string>;
}

/* "ST-2.4" is a part of ST-2. */
function sentence(label: string): string {
  return all[label] ?? all[label.replace(/\.\d+$/, "")] ?? "";
}

/* The rules by which the node of an event went, in that order. */
export function rulesOf(run: Run, event: number): Rule[] {
  const set = run.rec.head.rules[run.rec.events.rules[event] - 1];
  return set ? set.split(" ").map((label) => ({ label: label.replace("'", "′"), sentence: sentence(label) })) : [];
}
