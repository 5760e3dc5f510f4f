/*
 * second.ts - command lines to compare with: another protocol for the same
 * problem on the same network, or the same one with another parameter.  The
 * seed is always the first run's.
 */
import type { Protocol } from "../engine/api";
import { withSetting } from "../break/faults";
import { option, options } from "../model/command";

export interface Choice {
  label: string;
  group: "protocol" | "rules";
  words: string[];
}

/* The words without an option and its value. */
export function dropOption(words: readonly string[], ...names: string[]): string[] {
  const line: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (names.includes(words[i]!)) i++;
    else if (!names.some((n) => words[i]!.startsWith(`${n}=`))) line.push(words[i]!);
  }
  return line;
}

export function withSeed(words: readonly string[], seed: number | string): string[] {
  return [...dropOption(words, "--seed"), "--seed", String(seed)];
}

/* Another protocol under the same circumstances: its parameters are its own. */
function withProtocol(words: readonly string[], name: string): string[] {
  const line = dropOption(words, "--set");
  line[1] = name;
  return line;
}

/* Least and greatest name: the same ring serves both. */
function fits(a: Protocol, b: Protocol): boolean {
  return a.name !== b.name && a.problem === b.problem && a.topology === b.topology && a.anonymous === b.anonymous;
}

export function choicesFor(words: readonly string[], protocols: readonly Protocol[]): Choice[] {
  const own = protocols.find((p) => p.name === words[1]);
  if (!own) return [];
  const choices: Choice[] = protocols.filter((p) => fits(own, p)).map((p) => ({
    label: p.name, group: "protocol", words: withProtocol(words, p.name),
  }));
  const settings = new Map(options(words, "--set").map((s) => s.split("=", 2) as [string, string]));
  for (const p of own.parameters) {
    const now = settings.get(p.key) ?? p.fallback;
    for (const value of p.words) {
      if (value === now) continue;
      choices.push({ label: `${p.key}=${value}`, group: "rules", words: withSetting(words, p.key, value) });
    }
  }
  return choices;
}

export function seedOf(words: readonly string[]): string {
  return option(words, "--seed") ?? "1";
}
