/*
 * faults.ts - what can be broken, and which words of the command it becomes.
 * Everything that the page breaks is in the command line, so that the command
 * that shows a violation again is the one that made it.
 */
import type { Protocol } from "../engine/api";
import { fault } from "./forms";

export type Break =
  | { is: "crash"; node: string; tick: number; back: number | null; blank: boolean }
  | { is: "pause"; node: string; tick: number; ticks: number }
  | { is: "cut"; node: string; tick: number; ticks: number }
  | { is: "late"; node: string; number: number; ticks: number }
  | { is: "lose"; node: string; number: number }
  | { is: "copy"; chance: number }
  | { is: "order"; chance: number }
  | { is: "printed"; key: string; value: string };

export type BreakKind = Break["is"];

/* The values of --fault that a break becomes; none for rules. */
export function faultsOf(b: Break): string[] {
  switch (b.is) {
    case "crash": {
      const words = [fault("crash", { NAME: b.node, TICK: b.tick })];
      if (b.back !== null) words.push(fault(b.blank ? "restart-blank" : "restart", { NAME: b.node, TICK: b.tick + b.back }));
      return words;
    }
    case "pause": return [fault("pause", { NAME: b.node, TICK: b.tick, TICKS: b.ticks })];
    case "cut": return [fault("cut", { NAME: b.node, FROM: b.tick, TO: b.tick + b.ticks })];
    case "late": return [fault("delay", { NAME: b.node, K: b.number, TICKS: b.ticks })];
    case "lose": return [fault("lose", { NAME: b.node, K: b.number })];
    case "copy": return [fault("duplicate", { P: b.chance })];
    case "order": return [fault("reorder", { P: b.chance })];
    case "printed": return [];
  }
}

/* What can be said only once: the newest chance counts. */
const ONCE = ["duplicate", "reorder"];

/* Whether a fault says what becomes of this message. */
function strikes(said: string, node: string, number: number): boolean {
  const one = { NAME: node, K: number, TICKS: "" };
  return said === fault("lose", one) || said.startsWith(fault("delay", one));
}

/* The command line with one thing more broken. */
export function withBreak(words: readonly string[], b: Break): string[] {
  if (b.is === "printed") return withSetting(words, b.key, b.value);
  let line = [...words];
  for (const said of faultsOf(b)) {
    const kind = said.split(" ")[0]!;
    if (b.is === "late" || b.is === "lose") line = without(line, (f) => strikes(f, b.node, b.number));
    if (ONCE.includes(kind)) line = without(line, (f) => f.startsWith(`${kind} `));
    line.push("--fault", said);
  }
  return line;
}

export function withSetting(words: readonly string[], key: string, value: string): string[] {
  return [...withoutSetting(words, key), "--set", `${key}=${value}`];
}

function withoutSetting(words: readonly string[], key: string): string[] {
  const line: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--set" && words[i + 1]?.startsWith(`${key}=`)) i++;
    else if (!words[i]!.startsWith(`--set=${key}=`)) line.push(words[i]!);
  }
  return line;
}

function without(words: readonly string[], drop: (fault: string) => boolean): string[] {
  const line: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--fault" && words[i + 1] !== undefined && drop(words[i + 1]!)) i++;
    else if (!(words[i]!.startsWith("--fault=") && drop(words[i]!.slice(8)))) line.push(words[i]!);
  }
  return line;
}

/* What is broken in a command line, as its own words. */
export function brokenIn(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--fault" && words[i + 1] !== undefined) found.push(words[++i]!);
    else if (words[i]!.startsWith("--fault=")) found.push(words[i]!.slice(8));
    else if (words[i] === "--set" && words[i + 1]?.endsWith("=printed")) found.push(words[++i]!);
  }
  return found;
}

/* The command line without one of brokenIn(). */
export function mended(words: readonly string[], fault: string): string[] {
  if (fault.endsWith("=printed")) return withoutSetting(words, fault.slice(0, fault.indexOf("=")));
  return without(words, (f) => f === fault);
}

export function allMended(words: readonly string[]): string[] {
  return brokenIn(words).reduce((line, f) => mended(line, f), [...words]);
}

/* The parameter that has the printed rules, if the protocol has them and they
 * are not its own. */
export function printedRules(protocol: Protocol | undefined): { key: string; value: string } | null {
  const found = protocol?.parameters.find((p) => p.words.includes("printed") && p.fallback !== "printed");
  return found ? { key: found.key, value: "printed" } : null;
}
